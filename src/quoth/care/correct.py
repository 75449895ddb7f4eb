"""A correction takes the place of a record: compare and swap on the head of its chain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from quoth.care import reach
from quoth.core import rules
from quoth.core.errors import Conflict, InvalidInput
from quoth.core.ports import Clock, ReadView, Store, WriteView
from quoth.core.types import (
    Access,
    Document,
    Outcome,
    Period,
    Receipt,
    Record,
    Result,
    Status,
)

Say = Callable[[WriteView, Document, Record, str], Outcome]
"""Keeps the words of a correction: (view, document, the record whose place they take, note) -> Outcome."""


def correct(
    store: Store,
    access: Access,
    clock: Clock,
    say: Say,
    id: str,
    text: str,
    because: str,
    at: datetime | None = None,
) -> Receipt:
    """Put other words in the place of a record's, which stay in the history; true from `at`, or from now.

    Of several corrections of one record the first wins, the others are a `Conflict` that names the head of
    the chain. Where the new words are held or refused, nothing is superseded.
    """
    reason = reach.said("a correction", because)
    with reach.tried(store, access, "correct", id), store.write(access) as view:
        old = reach.record(view, id)
        rules.may_write(access, old.testimony.scope)
        current(view, old)
        if text.strip() == old.testimony.text.strip():
            raise InvalidInput(f"record {old.testimony.id!r} says these words already")
        now = clock.now()
        start = rules.zoned(at) if at else now
        document = Document(text, rules.CORRECTION + old.testimony.id, valid=Period(start, None))
        outcome = say(view, document, old, reason)
        if outcome.outcome is Result.STORED:
            supersede(view, access, old, now, start, f"corrected: {reason}")
        return Receipt((outcome,))


def current(view: ReadView, record: Record) -> None:
    """Raise `Conflict`, which names the head, unless a record is current and the end of its chain."""
    reach.head(view, record)
    if record.filing.status is not Status.CURRENT:
        id, status = record.testimony.id, record.filing.status
        raise Conflict(f"record {id!r} is the head of its chain, and {status.value}")


def supersede(view: WriteView, access: Access, old: Record, at: datetime, end: datetime, note: str) -> None:
    """File a record as superseded; what it says was true until `end`, and never before it began."""
    start = old.filing.valid.start
    last = old.filing.valid.end
    until = end if last is None else min(end, last)
    filing = rules.refiled(old.filing, access.actor, at, Status.SUPERSEDED, note)
    valid = Period(start, until if start is None else max(until, start))
    view.refile(replace(filing, valid=valid))
