"""roots -> walk -> read -> unchanged | moved | edited | new -> deleted: folders are followed into memory.

The uri of a file is its absolute path, with the root's own links resolved. What the store knows below a
root is the cursor: a file is unchanged when the digest of its text is. Only a file whose name is gone from
a root that is there has been deleted; a root that is missing, empty, unreadable or unmounted says nothing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from quoth.core import rules
from quoth.core.errors import InvalidInput, NotFound
from quoth.core.policy import Policy
from quoth.core.ports import Clock, ReadView, Store, WriteView
from quoth.core.types import Access, Document, Result
from quoth.ingest import gate
from quoth.ingest.readers import markdown, text
from quoth.ingest.readers.files import binary, decode, unreadable
from quoth.ingest.remember import BATCH_RECORDS, weight
from quoth.ingest.revise import retire, revise
from quoth.ingest.testify import home
from quoth.ingest.walk import kind_of, walk

MOUNT = "mount"
"""Metadata key: the mount point that a file lies on, so that an unmounted one is known for what it is."""
_SNIFF = 8_192
_RETIRED = 100
"""Documents that are retired in one transaction, so that other writers need not wait long."""

Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class WatchReport:
    """What one look at the folders found and did."""

    files: int
    """Read."""
    unchanged: int
    new: int
    edited: int
    moved: int
    deleted: int
    skipped: Mapping[str, int]
    """By reason: hidden, ignored, symlink, binary, not_text, too_large, empty, unreadable, refused."""
    stored: int
    superseded: int
    retracted: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Change:
    """A file whose words are new at its place."""

    document: Document
    moved_from: str | None = None


@dataclass(slots=True)
class _Scan:
    """What is known and found so far."""

    store: Store
    access: Access
    clock: Clock
    policy: Policy
    known: dict[str, str] = field(default_factory=dict)
    """uri -> digest of what the store holds below the roots."""
    vanished: dict[str, str] = field(default_factory=dict)
    """The part of it whose files are gone."""
    lost: dict[str, list[str]] = field(default_factory=dict)
    """The same by digest, as far as no new file has taken it up."""
    files: dict[str, Path] = field(default_factory=dict)
    mounts: dict[Path, str] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    count: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    batch: list[_Change] = field(default_factory=list)
    weight: int = 0


def once(
    store: Store,
    access: Access,
    clock: Clock,
    policy: Policy,
    paths: Sequence[Path],
    progress: Progress | None = None,
) -> WatchReport:
    """Look at files and folders once and bring memory up to them; the same look twice writes nothing.

    A path that is not there is `InvalidInput`, before anything is written; unless documents of it are
    known, which then are kept, and the report says so.
    """
    rules.may_write(access, access.home)
    if any("\0" in str(path) for path in paths):
        raise InvalidInput("a path must not hold a NUL character")
    scan = _Scan(store, home(access), clock, policy)
    for path in paths:
        _find(scan, path)
    for uri, digest in scan.vanished.items():
        scan.lost.setdefault(digest, []).append(uri)
    for done, (uri, path) in enumerate(sorted(scan.files.items()), 1):
        _look(scan, uri, path)
        if progress:
            progress(done, len(scan.files))
    _flush(scan)
    _delete(scan)
    counted = scan.count
    return WatchReport(
        files=counted["files"],
        unchanged=counted["unchanged"],
        new=counted["new"],
        edited=counted["edited"],
        moved=counted["moved"],
        deleted=counted["deleted"],
        skipped=dict(sorted(scan.skipped.items())),
        stored=counted["stored"],
        superseded=counted["superseded"],
        retracted=counted["retracted"],
        problems=tuple(scan.problems),
    )


def _find(scan: _Scan, path: Path) -> None:
    """List the files of one root, and which known ones are gone from it.

    What is known is asked before the walk: what is saved meanwhile is not in it, so it cannot vanish.
    """
    root = Path(os.path.realpath(path.expanduser()))
    below = root.as_posix().rstrip("/") + "/"
    with scan.store.read(scan.access) as view:
        known = dict(view.documents(below)) | {
            uri: digest for uri, digest in view.documents(root.as_posix()).items() if uri == root.as_posix()
        }
    scan.known |= known
    kept = f"; its {len(known)} documents are kept" if known else ""
    try:
        found = walk(root)
    except OSError as error:
        if not known:
            raise unreadable(path, error) from error
        scan.problems.append(f"{unreadable(path, error)}{kept}")
        return
    scan.skipped += found.skipped
    scan.problems += found.problems
    for file in found.files:
        _take(scan, file)
    if known and root.is_dir() and not found.entries:
        scan.problems.append(f"{str(root)!r} is empty (unmounted?){kept}")
        return
    missing = [uri for uri in known if uri not in scan.files]
    if missing:
        with scan.store.read(scan.access) as view:
            scan.vanished |= {uri: known[uri] for uri in missing if _gone(scan, view, uri)}


def _take(scan: _Scan, file: Path) -> None:
    uri = file.as_posix()
    try:
        uri.encode()
    except UnicodeEncodeError:
        scan.skipped["unreadable"] += 1
        scan.problems.append(f"the name of {uri!a} is not UTF-8")
        return
    scan.files[uri] = file


def _gone(scan: _Scan, view: ReadView, uri: str) -> bool:
    """True when nothing has that name any more and the file system that it was on is there."""
    try:
        Path(uri).lstat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        scan.problems.append(f"{uri!r} cannot be read: {error.strerror}; it is kept")
        return False
    else:
        return False
    mount = view.document(uri).metadata.get(MOUNT)
    if mount and uri.startswith(f"{mount}/") and not Path(mount).is_mount():
        scan.problems.append(f"{mount!r} is not mounted: {uri!r} is kept")
        return False
    return True


def _look(scan: _Scan, uri: str, path: Path) -> None:
    """Read one file and note what it means."""
    document = _read(scan, uri, path)
    if document is None:
        return
    digest = rules.text_digest(document.text)
    scan.count["files"] += 1
    if scan.known.get(uri) == digest:
        scan.count["unchanged"] += 1
        return
    moved_from = None
    if uri not in scan.known:
        moved_from = _was(scan, path, digest)
    scan.batch.append(_Change(document, moved_from))
    scan.weight += weight(document)
    if scan.weight >= BATCH_RECORDS:
        _flush(scan)


def _was(scan: _Scan, path: Path, digest: str) -> str | None:
    """The name that a new file had before: one that is gone and had the same words; the likest name first."""
    same = scan.lost.get(digest)
    if not same:
        return None
    uri = min(same, key=lambda each: (Path(each).name != path.name, each))
    same.remove(uri)
    del scan.vanished[uri]
    return uri


def _read(scan: _Scan, uri: str, path: Path) -> Document | None:
    """A file as a document; None, and counted, where it is no note."""
    kind = kind_of(path)
    try:
        if kind is None:
            with path.open("rb") as file:
                scan.skipped["binary" if binary(file.read(_SNIFF)) else "not_text"] += 1
            return None
        if path.stat().st_size > 4 * scan.policy.gate.max_document + 4:
            scan.skipped["too_large"] += 1
            return None
        raw = path.read_bytes()
    except FileNotFoundError:
        return None  # gone since the walk: the next look says what became of it
    except OSError as error:
        scan.skipped["unreadable"] += 1
        scan.problems.append(f"{uri!r} cannot be read: {error.strerror}")
        return None
    if binary(raw):
        scan.skipped["binary"] += 1
        return None
    try:
        words = decode(raw, uri)
    except InvalidInput as error:
        scan.skipped["not_text"] += 1
        scan.problems.append(str(error))
        return None
    document = markdown.document(words, uri) if kind == "markdown" else text.document(words, uri)
    mount = _mount(scan, path.parent)
    if mount:
        document = replace(document, metadata={**document.metadata, MOUNT: mount})
    return _passed(scan, document)


def _passed(scan: _Scan, document: Document) -> Document | None:
    """The document, unless the gate refuses it; one that was emptied is as good as deleted."""
    refusal = gate.refusal(document, scan.policy.gate)
    if refusal is None:
        return document
    if refusal == "empty":
        if document.uri in scan.known:
            scan.vanished[document.uri] = ""
        scan.skipped["empty"] += 1
    elif refusal.startswith("too large"):
        scan.skipped["too_large"] += 1
    else:
        scan.skipped["refused"] += 1
        scan.problems.append(f"{document.uri!r} is refused: {refusal}")
    return None


def _mount(scan: _Scan, folder: Path) -> str:
    """The mount point of a folder; empty for the file system of the root."""
    if folder not in scan.mounts:
        if folder == folder.parent:
            scan.mounts[folder] = ""
        elif folder.is_mount():
            scan.mounts[folder] = folder.as_posix()
        else:
            scan.mounts[folder] = _mount(scan, folder.parent)
    return scan.mounts[folder]


def _flush(scan: _Scan) -> None:
    """Keep what is noted, in one transaction; counted when it is durable."""
    if not scan.batch:
        return
    counted: Counter[str] = Counter()
    with scan.store.write(scan.access) as view:
        for change in scan.batch:
            counted += _change(scan, view, change)
    scan.count += counted
    scan.batch, scan.weight = [], 0


def _change(scan: _Scan, view: WriteView, change: _Change) -> Counter[str]:
    document, old = change.document, change.moved_from
    digest = rules.text_digest(document.text)
    if old and view.documents(old).get(old) == digest and document.uri not in view.documents(document.uri):
        view.move(old, document.uri, scan.clock.now())
        return Counter(moved=1)
    revision = revise(view, scan.access, scan.clock, scan.policy, document)
    return Counter(
        {
            "edited" if document.uri in scan.known else "new": 1,
            "stored": sum(1 for each in revision.outcomes if each.outcome is Result.STORED),
            "superseded": revision.superseded,
            "retracted": revision.retracted,
        }
    )


def _delete(scan: _Scan) -> None:
    """Retract what stood in the files that are gone, unless they or their words have changed since."""
    waiting = sorted(scan.vanished)
    for start in range(0, len(waiting), _RETIRED):
        with scan.store.write(scan.access) as view:
            counted: Counter[str] = Counter()
            for uri in waiting[start : start + _RETIRED]:
                counted += _retire(scan, view, uri)
        scan.count += counted


def _retire(scan: _Scan, view: WriteView, uri: str) -> Counter[str]:
    emptied = scan.vanished[uri] == ""
    if view.documents(uri).get(uri) != scan.known[uri] or (not emptied and os.path.lexists(uri)):
        return Counter()
    try:
        return Counter(deleted=1, retracted=retire(view, scan.access, scan.clock, uri))
    except NotFound:
        return Counter()
