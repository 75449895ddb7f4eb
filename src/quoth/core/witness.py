"""Heads that somebody keeps elsewhere: how one is written down, and read again.

The line of a head is ``origin scope seq hash``, with one blank between; the scope may hold blanks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from quoth.core.arguments import typed
from quoth.core.errors import InvalidInput
from quoth.core.types import Head, Scope

_LINE = re.compile(r"(?:head )?([0-9a-f]{16}) (.+) ([0-9]{1,18}) ([0-9a-f]{64})")
_HASH = re.compile(r"[0-9a-f]{64}")


def line(head: Head) -> str:
    """A head on one line, to be printed, pasted and kept."""
    return f"{head.origin} {head.scope} {head.seq} {head.hash}"


def heads(text: str) -> tuple[Head, ...]:
    """The heads in a text: lines of `line` among any others, the JSON of `verify`, or that of a head file.

    `InvalidInput` for a text without one: a witness that says nothing would prove nothing.
    """
    found = _of_json(text) if text.lstrip().startswith("{") else _of_lines(text)
    if not found:
        raise InvalidInput("no head in it: a witness has lines of origin, scope, number and hash")
    return tuple(found)


def given(witness: str | Iterable[Head]) -> tuple[Head, ...]:
    """The heads that a caller gives, as values or as text; empty text is none."""
    if isinstance(witness, str):
        return heads(witness) if witness.strip() else ()
    if not isinstance(witness, Iterable):
        raise InvalidInput(f"a witness is text or heads, not {type(witness).__name__}")
    return tuple(typed("a witness", each, Head) for each in witness)


def _of_lines(text: str) -> list[Head]:
    matches = (_LINE.fullmatch(each.strip()) for each in text.splitlines())
    return [Head(one[1], Scope(one[2]), int(one[3]), one[4]) for one in matches if one]


def _of_json(text: str) -> list[Head]:
    try:
        return [_head(each) for each in json.loads(text)["heads"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InvalidInput("no witness: it begins as JSON and has no list of heads") from None


def _head(value: Any) -> Head:  # noqa: ANN401 - somebody's JSON
    origin, scope, seq, digest = (
        (value["origin"], value["scope"], value["seq"], value["hash"]) if isinstance(value, dict) else value
    )
    if not (isinstance(origin, str) and isinstance(scope, str) and type(seq) is int):
        raise ValueError("not a head")
    if not _HASH.fullmatch(digest):
        raise ValueError("not a hash")
    return Head(origin, Scope(scope), seq, digest)
