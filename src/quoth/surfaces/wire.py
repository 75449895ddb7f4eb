"""The one JSON form of every value, and the one table of statuses. Every surface answers with these."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import singledispatch
from pathlib import PurePath
from typing import TypeAlias

from quoth.core import errors
from quoth.core.types import (
    Lines,
    Observation,
    Outcome,
    Passage,
    Period,
    Recalled,
    Receipt,
    Record,
    Result,
    Span,
    Testimony,
)

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def text(value: object) -> str:
    """A value in its JSON form, on one line."""
    return json.dumps(form(value), ensure_ascii=False, allow_nan=False)


@singledispatch
def form(value: object) -> Json:
    """A value in its JSON form: snake_case, lists never tuples, times with offset, absent is null."""
    if value is None or isinstance(value, str):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: form(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(form(key)): form(each) for key, each in value.items()}
    if isinstance(value, Set):
        return sorted((form(each) for each in value), key=str)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [form(each) for each in value]
    raise TypeError(f"{type(value).__name__} has no JSON form")


@form.register
def _(value: Enum) -> Json:
    return form(value.value)


@form.register
def _(value: datetime) -> Json:
    return value.isoformat()


@form.register
def _(value: int) -> Json:
    return value if isinstance(value, bool) else int(value)


@form.register
def _(value: PurePath) -> Json:
    return str(value)


@form.register
def _(value: float) -> Json:
    return round(float(value), 6) if math.isfinite(value) else None


@form.register
def _(value: Span) -> Json:
    return [value.start, value.end]


@form.register
def _(value: Lines) -> Json:
    return [value.first, value.last]


@form.register
def _(value: Period) -> Json:
    return [form(value.start), form(value.end)]


@form.register(Record)
@form.register(Testimony)
@form.register(Passage)
def _(value: object) -> Json:
    raise TypeError(f"{type(value).__name__} is sent as a part of a Recalled only")


@form.register
def _(value: Recalled) -> Json:
    testimony, filing = value.record.testimony, value.record.filing
    seen = value.observations[-1] if value.observations else None
    return {
        "id": value.id,
        "text": value.text,
        "uri": seen.uri if seen else testimony.uri,
        "lines": form(lines(value)),
        "span": form(value.passage.span),
        "session_id": testimony.session_id,
        "speaker": testimony.speaker,
        "said_at": form(testimony.said_at),
        "recorded_at": form(testimony.recorded_at),
        "valid": form(filing.valid),
        "standing": form(value.standing),
        "superseded_by": value.superseded_by,
        "source": form(testimony.source),
        "trust": form(filing.trust),
        "grain": form(filing.grain),
        "observations": len(value.observations),
        "importance": filing.importance,
        "stakes": form(filing.stakes),
        "score": form(value.score),
        "evidence": form(value.evidence),
    }


@form.register
def _(value: Outcome) -> Json:
    return {
        "id": value.record_id,
        "outcome": form(value.outcome),
        "why": value.why,
        "indexed": value.indexed,
    }


@form.register
def _(value: Receipt) -> Json:
    return {"outcomes": form(value.outcomes), "counts": form(counts(value))}


def counts(receipt: Receipt) -> dict[str, int]:
    """How many records had each outcome that there was."""
    return {each.value: receipt.count(each) for each in Result if receipt.count(each)}


def lines(value: Recalled, seen: Observation | None = None) -> Lines | None:
    """The lines of a place where the passage was read (the last one): a slice's own, where it is a slice."""
    at = seen or (value.observations[-1] if value.observations else None)
    if at is None:
        return None
    whole, span = value.record.testimony.text, value.passage.span
    first = at.lines.first + whole.count("\n", 0, span.start)
    return Lines(first, first + value.text.rstrip("\n").count("\n"))


@dataclass(frozen=True, slots=True)
class Status:
    """How an error shows on each surface."""

    exit: int
    http: int


STATUSES: Mapping[type[errors.QuothError], Status] = {
    errors.QuothError: Status(1, 500),
    errors.UsageError: Status(2, 400),
    errors.NotFound: Status(4, 404),
    errors.AccessDenied: Status(3, 403),
    errors.Conflict: Status(5, 409),
    errors.IntegrityError: Status(70, 500),
    errors.Unavailable: Status(75, 503),
}
"""Looked up along the MRO, so that a new error has the status of its parent."""

OUTCOMES: Mapping[Result, int] = {Result.HELD: 7, Result.REFUSED: 8}
"""Exit codes of what became of a record; the others are done."""

NOTHING_FOUND = 6
NOT_CLEAN = 70


def status(error: errors.QuothError) -> Status:
    """The status of an error."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def exit_code(receipt: Receipt) -> int:
    """The exit code of a receipt: of several outcomes the highest counts."""
    return max((OUTCOMES.get(each.outcome, 0) for each in receipt.outcomes), default=0)
