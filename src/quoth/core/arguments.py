"""Arguments as a caller gives them: of the right type, or `InvalidInput`, which never quotes them."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from sys import maxsize
from typing import SupportsIndex, TypeVar

from quoth.core.errors import InvalidInput

T = TypeVar("T")


def typed(name: str, value: T, *kinds: type) -> T:
    """An argument that has one of these types."""
    if not isinstance(value, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise InvalidInput(f"{name} is {wanted}, not {type(value).__name__}")
    return value


def words(**given: str) -> None:
    """Arguments that are all text."""
    for name, value in given.items():
        typed(name, value, str)


def names(**given: str | None) -> None:
    """Arguments that are text or not there."""
    words(**{name: value for name, value in given.items() if value is not None})


def several(name: str, given: Iterable[str]) -> tuple[str, ...]:
    """Several texts; one text is no such thing."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InvalidInput(f"{name} is several texts, not {type(given).__name__}")
    return tuple(typed(name, each, str) for each in given)


def whole(name: str, value: int) -> int:
    """An argument that is a whole number (one of numpy too); truth is none."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise InvalidInput(f"{name} is a whole number, not {type(value).__name__}")
    return value.__index__()


def optional(name: str, value: int | None) -> int | None:
    """A whole number, or None."""
    return None if value is None else whole(name, value)


def positive(name: str, value: int) -> int:
    """A whole number from 1; one beyond everything is everything."""
    count = whole(name, value)
    if count < 1:
        raise InvalidInput(f"{name} is at least 1, not {count}")
    return min(count, maxsize)


def path(given: str | PathLike[str]) -> Path:
    """A path of text."""
    try:
        return Path(typed("a path", given, str, PathLike))
    except TypeError:  # a path of bytes
        raise InvalidInput("a path is str or PathLike of str, not of bytes") from None


def paths(given: str | PathLike[str] | Iterable[str | PathLike[str]]) -> list[Path]:
    """One path or several."""
    many = [given] if isinstance(given, str | PathLike | bytes) else typed("paths", given, Iterable)
    return [path(each) for each in many]
