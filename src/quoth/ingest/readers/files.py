"""Bytes on disk become text, strictly, or are refused by name."""

from __future__ import annotations

import codecs
import os
from dataclasses import dataclass
from pathlib import Path

from quoth.core.errors import InvalidInput

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks; the longer ones first, since one begins like another."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was read past; never its words."""

    where: str
    """File and line."""
    what: str
    """A short class of things, to be counted."""


def read_text(path: Path) -> str:
    """The text of a file, line ends as they are; `InvalidInput` when there is none to be had."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    return decode(raw, str(path))


def decode(raw: bytes, name: str) -> str:
    """UTF-8, or UTF-16 and UTF-32 with a byte order mark, which is left out; nothing is mended."""
    mark, encoding = mark_of(raw)
    try:
        text = raw[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        at = len(mark) + error.start
        raise InvalidInput(f"{name!r} is not {encoding.upper()} text (byte {at}): {error.reason}") from None
    if "\0" in text:
        at = len(mark) + len(text[: text.index("\0")].encode(encoding))
        raise InvalidInput(f"{name!r} is not a text file: NUL at byte {at}")
    return text


def mark_of(raw: bytes) -> tuple[bytes, str]:
    """The byte order mark and the encoding that it stands for; none is UTF-8."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return mark, encoding
    return b"", "utf-8"


def binary(raw: bytes) -> bool:
    """True for bytes that hold a NUL and no byte order mark explains it."""
    return b"\0" in raw and not mark_of(raw)[0]


def unreadable(path: Path, error: OSError) -> InvalidInput:
    """The error of the operating system as one of ours."""
    if isinstance(error, FileNotFoundError):
        return InvalidInput(f"no such file or folder: {str(path)!r}")
    if isinstance(error, IsADirectoryError):
        return InvalidInput(f"{str(path)!r} is a folder, not a file")
    return InvalidInput(f"{str(path)!r} cannot be read: {error.strerror or os.strerror(error.errno or 0)}")
