"""Looking at single records: whole, newest first, and how each came to stand where it does."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from quoth.care import reach
from quoth.core import rules
from quoth.core.ports import Clock, ReadView, Store
from quoth.core.types import Access, Audited, Filing, Passage, Recalled, Record, RecordId, Span, Status


@dataclass(frozen=True, slots=True)
class History:
    """How a record was kept, and the chain of corrections and edits in which it stands."""

    id: RecordId
    filings: tuple[Filing, ...]
    """Every revision, oldest first."""
    chain: tuple[Recalled, ...]
    """What it superseded, itself, and what superseded it, oldest first; the last is the head."""


@dataclass(frozen=True, slots=True)
class AuditLog:
    """Who did what, when, through which door and why."""

    entries: tuple[Audited, ...]
    """Oldest first."""
    since: datetime | None = None
    notes: tuple[str, ...] = ()
    """What was taken for granted: the zone of a time without an offset."""


def get(store: Store, access: Access, clock: Clock, id: str) -> Recalled:
    """One record whole, whatever its standing."""
    with reach.tried(store, access, "get", id), store.read(access) as view:
        return shown(view, reach.record(view, id), clock.now())


def recent(store: Store, access: Access, clock: Clock, n: int) -> tuple[Recalled, ...]:
    """The `n` current records that were recorded last, newest first."""
    with store.read(access) as view:
        newest = list(islice(view.records(Status.CURRENT, newest_first=True), n))
        return tuple(shown(view, record, clock.now()) for record in newest)


def history(store: Store, access: Access, clock: Clock, id: str) -> History:
    """Every revision of a record, and the whole chain in which it stands."""
    with reach.tried(store, access, "history", id), store.read(access) as view:
        record, now = reach.record(view, id), clock.now()
        chain = [*reversed(_older(view, record)), record, *_newer(view, record)]
        return History(
            id=record.testimony.id,
            filings=view.history(record.testimony.id),
            chain=tuple(shown(view, each, now) for each in chain),
        )


def audit(store: Store, access: Access, since: datetime | None) -> AuditLog:
    """Every entry of the ledger of the readable scopes as a line, from a moment on."""
    with store.read(access) as view:
        return AuditLog(tuple(view.audit(since)), since)


def shown(view: ReadView, record: Record, now: datetime) -> Recalled:
    """A whole record in the form in which `recall` gives its passages."""
    testimony, filing = record.testimony, record.filing
    return Recalled(
        record=record,
        passage=Passage(testimony.id, Span(0, len(testimony.text))),
        text=testimony.text,
        score=0.0,
        evidence={},
        standing=rules.standing(filing.status, filing.valid, now),
        superseded_by=view.superseder(testimony.id),
        observations=view.observations(testimony.id),
    )


def _older(view: ReadView, record: Record) -> list[Record]:
    """What a record superseded, the newest first. Words of a file that came back may point at each other."""
    found: list[Record] = []
    seen = {record.testimony.id}
    while (before := record.filing.supersedes) and before not in seen and view.knows(before):
        record = view.get(before)
        seen.add(before)
        found.append(record)
    return found


def _newer(view: ReadView, record: Record) -> list[Record]:
    """What superseded a record, the oldest first."""
    found: list[Record] = []
    seen: set[RecordId] = {record.testimony.id}
    after = view.superseder(record.testimony.id)
    while after and after not in seen:
        found.append(view.get(after))
        seen.add(after)
        after = view.superseder(after)
    return found
