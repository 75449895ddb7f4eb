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
    Asserted,
    FactOutcome,
    Held,
    Lines,
    Observation,
    Outcome,
    Passage,
    Period,
    Recalled,
    Receipt,
    Record,
    Rejection,
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
    seen = own(value)
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
        "sources": [
            {"id": each.record_id, "uri": each.uri, "lines": form(lines(value, each))}
            for each in sources(value)
        ],
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
        "conflict": form(value.conflict),
    }


@form.register
def _(value: Receipt) -> Json:
    return {"outcomes": form(value.outcomes), "counts": form(counts(value)), "notes": form(value.notes)}


@form.register(Rejection)
@form.register(Held)
def _(value: Rejection | Held) -> Json:
    """Without the fingerprints: they never leave the store."""
    sent = [each.name for each in fields(value) if each.name not in ("fingerprints", "key")]
    return {name: form(getattr(value, name)) for name in sent}


def counts(receipt: Receipt) -> dict[str, int]:
    """How many records had each outcome that there was."""
    return {each.value: receipt.count(each) for each in Result if receipt.count(each)}


def own(value: Recalled) -> Observation | None:
    """Where the record of the passage was read last; other records of the same words stand elsewhere."""
    seen = [each for each in value.observations if each.record_id == value.id]
    return seen[-1] if seen else None


def sources(value: Recalled) -> tuple[Observation, ...]:
    """Where the words stand: of each record and place the last reading, the passage's own record first."""
    return tuple({(each.record_id, each.uri): each for each in value.observations}.values())


def lines(value: Recalled, seen: Observation | None = None) -> Lines | None:
    """The lines of a place where the passage was read (its own last one).

    A slice has its own lines, but those of the whole record where another record says the same.
    """
    at = seen or own(value)
    if at is None:
        return None
    if at.record_id != value.id:
        return at.lines
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
NOT_DONE = STATUSES[errors.UsageError].exit
"""What was asked for has to be confirmed first."""
NOT_YET = STATUSES[errors.Unavailable].exit
"""A part of it could not be done yet; the same call may do it later."""
NOT_CLEAN = 70


def status(error: errors.QuothError) -> Status:
    """The status of an error."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def concerning(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Those that somebody should look at: held, refused, or in conflict with what is there."""
    return [each for each in outcomes if each.conflict or each.outcome in OUTCOMES]


def exit_code(receipt: Receipt) -> int:
    """The exit code of a receipt: of several outcomes the highest counts."""
    return max((OUTCOMES.get(each.outcome, 0) for each in receipt.outcomes), default=0)


def fact_code(outcome: FactOutcome | None) -> int:
    """The exit code of an assertion."""
    held = outcome is not None and outcome.outcome is Asserted.HELD
    return OUTCOMES[Result.HELD] if held else 0
