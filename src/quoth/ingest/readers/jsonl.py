"""Files of one JSON object a line, as agents write them: streamed, and nothing in them is trusted."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from quoth.core import rules
from quoth.core.errors import InvalidInput
from quoth.core.types import Document
from quoth.ingest.readers.files import Problem, binary, decode, mark_of, read_text, unreadable

_SNIFF = 8_192
_EXPORT = re.compile(r'"loglines"\s*:\s*\[')
_SEPARATOR = re.compile(r"[\s,]*")
_NAME = 40
"""Characters of a foreign name that a problem shows."""


@dataclass(frozen=True, slots=True)
class Line:
    """One object of a file."""

    number: int
    """Of the line, or of the object in an export; from 1."""
    value: dict[str, object]


def transcripts(
    path: Path, read: Callable[[Path], Iterator[Document | Problem]]
) -> Iterator[Document | Problem]:
    """What one transcript, or every ``*.jsonl`` below a folder in order of name, holds.

    In a folder, a file that cannot be read is a problem and the others are read. Links are not followed.
    """
    if not path.is_dir():
        yield from read(path)
        return
    failed: list[OSError] = []
    for folder, folders, names in os.walk(path, onerror=failed.append):
        folders.sort()
        for name in sorted(names):
            file = Path(folder, name)
            if file.suffix != ".jsonl":
                continue
            if file.is_symlink():
                yield Problem(str(file), "link")
                continue
            try:
                yield from read(file)
            except InvalidInput as error:
                yield Problem(str(error), "file that cannot be read")
    for failure in failed:
        where = str(unreadable(Path(failure.filename or path), failure))
        yield Problem(where, "folder that cannot be read")


def lines(path: Path) -> Iterator[Line | Problem]:
    """The objects of a file; what is none is a problem. A half-written end is one too.

    A file that is one JSON value (an export with ``loglines``, a list) gives the objects inside.
    """
    try:
        with path.open("rb") as file:
            start = file.read(_SNIFF)
            if binary(start):
                raise InvalidInput(f"{str(path)!r} is not a text file: NUL at byte {start.index(0)}")
            mark, encoding = mark_of(start)
            first = start[len(mark) :].lstrip().split(b"\n", 1)[0].strip()
            if encoding != "utf-8" or first in (b"{", b"[") or path.suffix == ".json":
                yield from _whole(path)
                return
            file.seek(len(mark))
            for number, raw in enumerate(file, 1):
                if raw.strip():
                    yield _line(path, number, raw)
    except OSError as error:
        raise unreadable(path, error) from error


def name(value: object) -> str:
    """A foreign name for a problem: short, quoted, one line."""
    return repr(value)[:_NAME] if isinstance(value, str) else type(value).__name__


def moment(value: object) -> datetime | None:
    """A time stamp with its offset; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        return rules.zoned(found) if found.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _line(path: Path, number: int, raw: bytes) -> Line | Problem:
    where = f"{path}:{number}"
    try:
        text = decode(raw, where)
    except InvalidInput:
        return Problem(where, "line that is not text")
    value = _parsed(text)
    if value is None:
        cut = not raw.endswith(b"\n")
        return Problem(where, "half-written last line" if cut else "line that is not JSON")
    return _object(where, number, value[0])


def _parsed(text: str) -> tuple[object] | None:
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return None


def _object(where: str, number: int, value: object) -> Line | Problem:
    return Line(number, value) if isinstance(value, dict) else Problem(where, "line that is not an object")


def _whole(path: Path) -> Iterator[Line | Problem]:
    """The objects of a file that is one JSON value; those before the cut where it is cut off."""
    text = read_text(path)
    parsed = _parsed(text)
    if parsed is None:
        if "\n{" in text and text.lstrip().startswith("{") and not _EXPORT.search(text):
            for number, line in enumerate(text.splitlines(keepends=True), 1):
                if line.strip():
                    yield _line(path, number, line.encode("utf-8", "surrogatepass"))
            return
        yield from _cut_off(path, text)
        return
    value = parsed[0]
    inner = value.get("loglines") if isinstance(value, dict) else value
    for number, each in enumerate(inner if isinstance(inner, list) else [value], 1):
        yield _object(f"{path}:{number}", number, each)


def _cut_off(path: Path, text: str) -> Iterator[Line | Problem]:
    found = _EXPORT.search(text)
    decoder = json.JSONDecoder()
    number, at = 0, found.end() if found else len(text)
    while at < len(text):
        separator = _SEPARATOR.match(text, at)
        at = separator.end() if separator else at
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        number += 1
        yield _object(f"{path}:{number}", number, value)
    yield Problem(str(path), "export that is cut off or not JSON")
