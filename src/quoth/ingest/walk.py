"""Which files of a folder are notes: hidden, ignored and linked ones are counted, not read."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec

from quoth.core.errors import InvalidInput
from quoth.ingest.readers.files import Problem, binary, decode

MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd"})
TEXT = frozenset({".txt", ".text", ".rst", ".org", ".adoc", ".asciidoc", ""})
"""Without an extension: README, TODO and their like."""
IGNORE_FILES = (".gitignore", ".ignore", ".quothignore")
"""Their patterns count together; of two that match, the one in the later file, or deeper folder, wins."""
_SNIFF = 8_192


@dataclass(slots=True)
class Walk:
    """What a walk over one root found."""

    files: list[Path] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    """hidden, ignored, symlink, not_text, unreadable."""
    problems: list[str] = field(default_factory=list)
    left: set[str] = field(default_factory=set)
    """Files and folders that are hidden or ignored."""
    entries: int = 0
    """Names in the root folder itself; 0 is what an unmounted one looks like."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """The ignore files of one folder."""

    base: str
    spec: GitIgnoreSpec


def walk(root: Path) -> Walk:
    """The files below a root that may be notes, by name; the root itself where it is a file."""
    found = Walk()
    if root.is_dir():
        _folder(root, (), found, top=True)
    else:
        found.entries = 1
        _file(root, found)
    found.files.sort()
    return found


def kind_of(path: Path) -> str | None:
    """markdown, text, or None for a file that is not taken for a note by its name."""
    suffix = path.suffix.lower()
    if suffix in MARKDOWN:
        return "markdown"
    return "text" if suffix in TEXT else None


def note(path: Path, limit: int) -> str | Problem:
    """The text of a file of at most `limit` characters, or why it is no note, with words where it is strange.

    binary, not_text, too_large, unreadable, or gone.
    """
    try:
        if kind_of(path) is None:
            with path.open("rb") as file:
                return Problem("", "binary" if binary(file.read(_SNIFF)) else "not_text")
        if path.stat().st_size > 4 * limit + 4:
            return Problem("", "too_large")
        raw = path.read_bytes()
    except FileNotFoundError:
        return Problem("", "gone")
    except OSError as error:
        return Problem(f"{path.as_posix()!r} cannot be read: {error.strerror}", "unreadable")
    if binary(raw):
        return Problem("", "binary")
    try:
        return decode(raw, path.as_posix())
    except InvalidInput as error:
        return Problem(str(error), "not_text")


def _folder(folder: Path, above: Sequence[_Rules], found: Walk, *, top: bool = False) -> None:
    waiting: list[tuple[Path, Sequence[_Rules]]] = [(folder, above)]
    while waiting:
        here, rules = waiting.pop()
        try:
            with os.scandir(here) as entries:
                names = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            found.skipped["unreadable"] += 1
            found.problems.append(f"{str(here)!r} cannot be read: {error.strerror}")
            continue
        if top and here == folder:
            found.entries = len(names)
        rules = (*rules, *_rules(here, found))
        for entry in names:
            below = _entry(entry, rules, found)
            if below:
                waiting.append((below, rules))


def _entry(entry: os.DirEntry[str], rules: Sequence[_Rules], found: Walk) -> Path | None:
    """Take or count one name; the folder to go into, if it is one."""
    path = Path(entry.path)
    try:
        folder = entry.is_dir(follow_symlinks=False)
        if entry.is_symlink():
            found.skipped["symlink"] += 1
        elif entry.name.startswith("."):
            found.skipped["hidden"] += 1
            found.left.add(path.as_posix())
        elif _ignored(entry.path + "/" if folder else entry.path, rules):
            found.skipped["ignored"] += 1
            found.left.add(path.as_posix())
        elif folder:
            return path
        else:
            _file(path, found)
    except OSError as error:
        found.skipped["unreadable"] += 1
        found.problems.append(f"{entry.path!r} cannot be read: {error.strerror}")
    return None


def _file(path: Path, found: Walk) -> None:
    if not stat.S_ISREG(path.lstat().st_mode):
        found.skipped["not_text"] += 1
    else:
        found.files.append(path)


def _rules(folder: Path, found: Walk) -> Iterator[_Rules]:
    lines: list[str] = []
    for name in IGNORE_FILES:
        path = folder / name
        try:
            if path.is_file():
                lines += path.read_text(encoding="utf-8", errors="replace").lstrip("\ufeff").splitlines()
        except OSError as error:
            found.problems.append(f"{str(path)!r} cannot be read: {error.strerror}")
    if lines:
        try:
            yield _Rules(str(folder), GitIgnoreSpec.from_lines(lines))
        except ValueError:
            yield from _good_rules(folder, lines, found)


def _good_rules(folder: Path, lines: Sequence[str], found: Walk) -> Iterator[_Rules]:
    """The rules of a file of which some make no sense."""
    good: list[str] = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            found.problems.append(f"a pattern in an ignore file of {str(folder)!r} makes no sense")
        else:
            good.append(line)
    yield _Rules(str(folder), GitIgnoreSpec.from_lines(good))


def _ignored(path: str, rules: Sequence[_Rules]) -> bool:
    """What the deepest ignore file says that says anything."""
    for each in reversed(rules):
        verdict = each.spec.check_file(path[len(each.base.rstrip("/")) + 1 :]).include
        if verdict is not None:
            return verdict
    return False
