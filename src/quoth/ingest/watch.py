"""roots -> walk -> digests -> unchanged | moved | edited | new -> deleted: folders are followed into memory.

The uri of a file is its absolute path, with the root's own links resolved. What the store knows below a
root is the cursor: a file is unchanged when the digest of its text is. Only what is seen not to be there
has been deleted; a root that is missing, unreadable or unmounted says nothing (`ingest.presence`).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from quoth.core import rules
from quoth.core.errors import InvalidInput, NotFound
from quoth.core.policy import Policy
from quoth.core.ports import Clock, ReadView, Store, WriteView
from quoth.core.times import Times
from quoth.core.types import Access, Document, Outcome, Result, Target
from quoth.ingest import gate
from quoth.ingest.alignment import likeness, words_of
from quoth.ingest.given import placed
from quoth.ingest.moves import Move, matched, runs
from quoth.ingest.presence import absence, absent, left_out
from quoth.ingest.readers import markdown, text
from quoth.ingest.readers.files import unreadable
from quoth.ingest.remember import BATCH_RECORDS, weight
from quoth.ingest.revise import DELETED, EMPTIED, NO_FILE, NO_TEXT, OVERWRITTEN, retire, revise
from quoth.ingest.scan import Scan, WatchReport
from quoth.ingest.testify import blocked, home, parts
from quoth.ingest.walk import kind_of, note, walk

EDITED = 0.5
"""Where two readings at one place share so many of their words, the later one is an edit of the earlier."""
_WAITING = frozenset({Result.HELD, Result.REFUSED})
_TOGETHER = 100
"""Documents that are moved or retired in one transaction, so that other writers need not wait long."""

Progress: TypeAlias = Callable[[int, int], None]


def once(
    store: Store,
    access: Access,
    clock: Clock,
    policy: Policy,
    paths: Sequence[Path],
    times: Times,
    progress: Progress | None = None,
) -> WatchReport:
    """Look at files and folders once and bring memory up to them; the same look twice writes nothing.

    A path that is not there is `InvalidInput`, before anything is written; unless documents of it are
    known, which then are kept, and the report says so.
    """
    rules.may_write(access, access.home)
    if any("\0" in str(path) for path in paths):
        raise InvalidInput("a path must not hold a NUL character")
    scan = Scan(store, home(access), clock, policy, times)
    with store.read(scan.access) as view:
        scan.erased = any(each.target is Target.ERASED for each in view.rejections())
    for path in paths:
        _find(scan, path)
    _missing(scan)
    done = 0

    def tell() -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, len(scan.files))

    for uri, path in sorted(scan.files.items()):
        if not _look(scan, uri, path):
            tell()
    for uri in _move(scan):
        _take(scan, uri)
        tell()
    _flush(scan)
    _delete(scan)
    return scan.report()


# -- what is there ----------------------------------------------------------------------------


def _find(scan: Scan, path: Path) -> None:
    """List the files of one root.

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
        scan.unsure |= known.keys()
        return
    scan.skipped += found.skipped
    scan.problems += found.problems
    scan.left |= found.left
    for file in found.files:
        _list(scan, file)
    if known and root.is_dir() and not found.entries:
        with scan.store.read(scan.access) as view:
            unsure = {uri for uri in known if not scan.disks.same(root, view.document(uri))}
        if unsure:
            scan.unsure |= unsure
            scan.problems.append(f"{str(root)!r} is empty (unmounted?); its {len(unsure)} documents are kept")


def _list(scan: Scan, file: Path) -> None:
    uri = file.as_posix()
    try:
        uri.encode()
    except UnicodeEncodeError:
        scan.skipped["unreadable"] += 1
        scan.problems.append(f"the name of {uri!a} is not UTF-8")
        return
    scan.files[uri] = file


def _missing(scan: Scan) -> None:
    """Say what became of what is known and was not listed."""
    missing = [uri for uri in scan.known if uri not in scan.files and uri not in scan.unsure]
    if not missing:
        return
    kept: list[str] = []
    with scan.store.read(scan.access) as view:
        for uri in missing:
            try:
                note = absence(uri)
            except OSError as error:
                scan.problems.append(f"{uri!r} cannot be read: {error.strerror}; it is kept")
                continue
            if note is None:
                kept += [uri] if left_out(uri, scan.left) else []
                continue
            mount = scan.disks.missing(view.document(uri))
            if mount:
                scan.problems.append(f"{mount!r} is not mounted: {uri!r} is kept")
            else:
                scan.gone[uri] = note
    if kept:
        scan.problems.append(
            f"{len(kept)} documents are hidden or ignored now and kept as they were read last: "
            f"{min(kept)!r} is the first"
        )


def _look(scan: Scan, uri: str, path: Path) -> bool:
    """Read one file for its digest; True where its words are new at its place."""
    words = _words(scan, uri, path)
    kind = kind_of(path)
    if words is None or kind is None or not _passes(scan, Document(words, uri, kind=kind)):
        return False
    digest = rules.text_digest(words)
    if scan.erased and scan.known.get(uri) != digest:
        digest = rules.text_digest(_without_erased(scan, Document(words, uri, kind)))
    if scan.known.get(uri) == digest:
        scan.count["files"] += 1
        scan.count["unchanged"] += 1
        return False
    scan.changed[uri] = digest
    return True


def _without_erased(scan: Scan, document: Document) -> str:
    """The text as the store keeps it: with blocks for what was erased."""
    with scan.store.read(scan.access) as view:
        return blocked(document.text, parts(view, scan.access.home, document))


def _words(scan: Scan, uri: str, path: Path) -> str | None:
    """The text of a file; None, and counted, where it is no note."""
    found = note(path, scan.policy.gate.max_document)
    if isinstance(found, str):
        return found
    if found.what == "too_large":
        _too_large(scan, uri)
    elif found.what != "gone":  # since the walk: the next look says what became of it
        scan.skipped[found.what] += 1
        scan.problems += [found.where] if found.where else []
    if found.what in ("binary", "not_text") and kind_of(path):
        _no_note(scan, uri, NO_TEXT)
    return None


def _passes(scan: Scan, document: Document) -> bool:
    """Whether the gate lets a document in; one that was emptied is as good as deleted."""
    refusal = gate.refusal(document, scan.policy.gate)
    if refusal is None:
        return True
    if refusal == "empty":
        scan.skipped["empty"] += 1
        _no_note(scan, document.uri, EMPTIED)
    elif refusal.startswith("too large"):
        _too_large(scan, document.uri)
    else:
        scan.skipped["refused"] += 1
        scan.problems.append(f"{document.uri!r} is refused: {refusal}")
    return False


def _no_note(scan: Scan, uri: str, note: str) -> None:
    if uri in scan.known:
        scan.gone[uri] = note


def _too_large(scan: Scan, uri: str) -> None:
    scan.skipped["too_large"] += 1
    if uri in scan.known:
        scan.problems.append(f"{uri!r} is too large now and kept as it was read last")


# -- what has another name --------------------------------------------------------------------


def _move(scan: Scan) -> list[str]:
    """Give documents that moved their new names; the changed files whose words are still to be read."""
    runs_ = list(runs(matched(scan.changed, _offered(scan), scan.gone, scan.known)))
    while runs_:
        together, size = [], 0
        while runs_ and size < _TOGETHER:
            together.append(runs_.pop())
            size += len(together[-1])
        with scan.store.write(scan.access) as view:
            counted = [_rename(scan, view, run) for run in together]
        for run, counts in zip(together, counted, strict=True):
            if counts is None:
                continue
            scan.count += counts
            for move in run:
                scan.known[move.new] = scan.known.pop(move.old)
                scan.gone.pop(move.old, None)
    return sorted(scan.changed)


def _offered(scan: Scan) -> dict[str, str]:
    """uri -> digest of known documents that may stand under another name now.

    Those whose name is gone; and those in whose place other words stand: either known ones, that came from
    elsewhere, or new ones that are no edit of them.
    """
    other = {uri: scan.known[uri] for uri in scan.changed if uri in scan.known}
    gone = {uri: scan.known[uri] for uri in scan.gone}
    wanted = set(scan.changed.values())
    from_elsewhere = {*other.values(), *gone.values()}
    offered = {uri: digest for uri, digest in gone.items() if digest in wanted}
    with scan.store.read(scan.access) as view:
        for uri, digest in other.items():
            if digest in wanted and (scan.changed[uri] in from_elsewhere or not _edited(scan, view, uri)):
                offered[uri] = digest
    return offered


def _edited(scan: Scan, view: ReadView, uri: str) -> bool:
    """Whether what stands in a file is what stood there before, edited."""
    new = _words(scan, uri, scan.files[uri])
    return new is None or likeness(words_of(view.document(uri).text), words_of(new)) >= EDITED


def _rename(scan: Scan, view: WriteView, run: Sequence[Move]) -> Counter[str] | None:
    """Move documents that belong together; None where the store holds other words by now."""
    if any(move.old in scan.known and not _holds(scan, view, move.old) for move in run):
        return None
    counted = Counter(moved=sum(1 for move in run if move.new in scan.changed))
    taken = run[0].new
    if taken in view.documents(taken):
        if not _holds(scan, view, taken):
            return None
        retracted = retire(view, scan.access, scan.clock, taken, OVERWRITTEN)
        counted += Counter(deleted=1, retracted=retracted)
    for move in run:
        view.move(move.old, move.new, scan.clock.now())
    return counted


def _holds(scan: Scan, view: ReadView, uri: str) -> bool:
    """Whether the store still holds what was known when the scan began."""
    return view.documents(uri).get(uri) == scan.known.get(uri)


# -- what has other words, or none ------------------------------------------------------------


def _take(scan: Scan, uri: str) -> None:
    """Read a file whose words are new at its place, unless a document with these words was moved there."""
    if scan.known.get(uri) == scan.changed[uri]:
        scan.count["files"] += 1
        return
    path = scan.files[uri]
    words = _words(scan, uri, path)
    if words is None:
        return
    document = markdown.document(words, uri) if kind_of(path) == "markdown" else text.document(words, uri)
    document = scan.disks.marked(placed(document, scan.times), path.parent)
    if not _passes(scan, document):
        return
    scan.count["files"] += 1
    scan.batch.append(document)
    scan.weight += weight(document)
    if scan.weight >= BATCH_RECORDS:
        _flush(scan)


def _flush(scan: Scan) -> None:
    """Keep what is noted, in one transaction; counted when it is durable."""
    if not scan.batch:
        return
    counted: Counter[str] = Counter()
    skipped = 0
    waiting: list[Outcome] = []
    with scan.store.write(scan.access) as view:
        for document in scan.batch:
            revision = revise(view, scan.access, scan.clock, scan.policy, document)
            results = Counter(each.outcome.value for each in revision.outcomes)
            if document.uri in scan.known:
                counted["edited"] += 1
            elif results["refused"] < results.total():
                counted["new"] += 1
            else:
                skipped += 1
            counted += Counter({each: results[each] for each in ("stored", "held", "refused")})
            counted["superseded"] += revision.superseded
            counted["retracted"] += revision.retracted
            waiting += [each for each in revision.outcomes if each.conflict or each.outcome in _WAITING]
    scan.count += counted
    scan.skipped += Counter(erased=skipped)
    scan.outcomes += waiting
    scan.batch, scan.weight = [], 0


def _delete(scan: Scan) -> None:
    """Retract what stood in the files that are gone, unless they or their words have changed since."""
    waiting = sorted(scan.gone)
    for start in range(0, len(waiting), _TOGETHER):
        with scan.store.write(scan.access) as view:
            counted: Counter[str] = Counter()
            for uri in waiting[start : start + _TOGETHER]:
                counted += _retire(scan, view, uri)
        scan.count += counted


def _retire(scan: Scan, view: WriteView, uri: str) -> Counter[str]:
    note = scan.gone[uri]
    if not _holds(scan, view, uri) or (note in (DELETED, NO_FILE) and not absent(uri)):
        return Counter()
    try:
        return Counter(deleted=1, retracted=retire(view, scan.access, scan.clock, uri, note))
    except NotFound:
        return Counter()
