"""Taking a record out of service and back: forget, reinstate, expire. No words are lost here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from quoth.care import reach
from quoth.core import rules
from quoth.core.errors import Conflict, InvalidInput
from quoth.core.ports import Clock, ReadView, Store, WriteView
from quoth.core.types import (
    Access,
    Filing,
    Lift,
    Period,
    Record,
    RecordId,
    Rejection,
    Standing,
    Status,
    Target,
)

_ERASED = "the words of record {!r} were erased: nothing can be done with it"


@dataclass(frozen=True, slots=True)
class Refiled:
    """A record that is kept in another way now."""

    id: RecordId
    standing: Standing
    filing: Filing
    """The new revision."""
    also: tuple[RecordId, ...] = ()
    """Other records of the same words in the scope, which went the same way."""
    notes: tuple[str, ...] = ()
    """What was taken for granted: the zone of a time without an offset."""


def forget(store: Store, access: Access, clock: Clock, id: str, because: str) -> Refiled:
    """Retract a record and every current one of the same words in its scope, and reject these words.

    They stay in the history, are held when they come again, and `reinstate` brings them back.
    """
    reason = reach.said("forgetting", because)
    with reach.tried(store, access, "forget", id), store.write(access) as view:
        record = _own(view, access, id)
        status = record.filing.status
        if status is Status.HELD:
            raise InvalidInput(f"record {record.testimony.id!r} is held: `quoth review reject` keeps it so")
        if status is Status.RETRACTED and view.rejected(record.testimony.scope, record.testimony.text):
            raise Conflict(f"record {record.testimony.id!r} was forgotten before")
        filing, *others = withdraw(view, access, clock.now(), record, reason)
        return _answer(filing, clock, tuple(each.record_id for each in others))


def withdraw(view: WriteView, access: Access, at: datetime, record: Record, reason: str) -> list[Filing]:
    """Retract a record and its current twins, and reject their words; the new filings, its own first."""
    testimony = record.testimony
    twins = _twins(view, record, Status.CURRENT)
    filings = [
        rules.refiled(each.filing, access.actor, at, Status.RETRACTED, reason) for each in (record, *twins)
    ]
    for filing in filings:
        view.refile(filing)
    if view.rejected(testimony.scope, testimony.text) is None:
        view.reject(
            Rejection(
                id="",
                scope=testimony.scope,
                target=Target.WORDS,
                fingerprints={},
                reason=reason,
                actor=access.actor,
                at=at,
                record_id=testimony.id,
            )
        )
    return filings


def reinstate(store: Store, access: Access, clock: Clock, id: str, because: str = "") -> Refiled:
    """Serve a record again: one that was retracted, whose rejection is lifted, or one that expired.

    What was forgotten with it comes back with it. `AccessDenied` where somebody of more authority rejected
    the words; `Conflict`, which names it, where another record took its place.
    """
    reason = because.strip() and reach.checked("a reason", because)
    with reach.tried(store, access, "reinstate", id), store.write(access) as view:
        record = _own(view, access, id)
        filing, now = record.filing, clock.now()
        match filing.status:
            case Status.RETRACTED:
                return _unforget(view, access, clock, record, reason)
            case Status.CURRENT if filing.valid.end is not None:
                reach.head(view, record)
                again = rules.refiled(filing, access.actor, now, Status.CURRENT, reason)
                again = replace(again, valid=Period(filing.valid.start, None))
                view.refile(again)
                return _answer(again, clock)
            case Status.CURRENT:
                raise InvalidInput(f"record {filing.record_id!r} is current and has no end")
            case Status.HELD:
                raise InvalidInput(f"record {filing.record_id!r} is held: answer it, `quoth review list`")
        reach.head(view, record)
        raise Conflict(f"record {filing.record_id!r} is {filing.status.value}")


def lift(view: WriteView, access: Access, record: Record, at: datetime, reason: str) -> None:
    """End every rejection of the words of a record; `AccessDenied` below a rejecter's authority."""
    testimony = record.testimony
    while bound := view.rejected(testimony.scope, testimony.text):
        if bound.target is not Target.WORDS:
            raise InvalidInput(f"the words of record {testimony.id!r} were erased and cannot come back")
        view.lift(Lift("", testimony.scope, bound.id, reason or "reinstated", access.actor, at))


def _unforget(view: WriteView, access: Access, clock: Clock, record: Record, reason: str) -> Refiled:
    """Undo a retraction, for every record of these words that went in the same moment."""
    filing, now = record.filing, clock.now()
    retracted = _twins(view, record, Status.RETRACTED)
    twins = [each for each in retracted if each.filing.filed_at == filing.filed_at]
    lift(view, access, record, now, reason)
    filings = []
    for each in (record, *twins):
        again = _restored(view, each, access, now, reason)
        if again.status is Status.CURRENT:
            reach.head(view, each)
        view.refile(again)
        filings.append(again)
    return _answer(filings[0], clock, tuple(each.record_id for each in filings[1:]))


def expire(
    store: Store, access: Access, clock: Clock, id: str, at: datetime | None = None, because: str = ""
) -> Refiled:
    """End the time in which a record is true; `InvalidInput` for an end before its start."""
    reason = because.strip() and reach.checked("a reason", because)
    with reach.tried(store, access, "expire", id), store.write(access) as view:
        record = _own(view, access, id)
        filing, now = record.filing, clock.now()
        reach.head(view, record)
        if filing.status is not Status.CURRENT:
            raise InvalidInput(f"record {filing.record_id!r} is {filing.status.value}, not current")
        valid = rules.period(Period(filing.valid.start, at or now))
        ended = replace(rules.refiled(filing, access.actor, now, Status.CURRENT, reason), valid=valid)
        view.refile(ended)
        return _answer(ended, clock)


def _own(view: WriteView, access: Access, id: str) -> Record:
    """A record that the caller may refile and whose words are there."""
    record = reach.record(view, id)
    rules.may_write(access, record.testimony.scope)
    if record.filing.status is Status.ERASED:
        raise InvalidInput(_ERASED.format(record.testimony.id))
    return record


def _twins(view: ReadView, record: Record, status: Status) -> list[Record]:
    """Other records of the same words in the scope, of one status."""
    same = view.same(record.testimony.scope, record.testimony.text, status)
    return [each for each in same if each.testimony.id != record.testimony.id]


def _restored(view: ReadView, record: Record, access: Access, at: datetime, reason: str) -> Filing:
    """The filing that undoes a retraction: status and valid time are what they last were."""
    served = (Status.CURRENT, Status.SUPERSEDED)
    was = [each for each in view.history(record.testimony.id) if each.status in served]
    status, valid = (was[-1].status, was[-1].valid) if was else (Status.CURRENT, record.filing.valid)
    return replace(rules.refiled(record.filing, access.actor, at, status, reason), valid=valid)


def _answer(filing: Filing, clock: Clock, also: tuple[RecordId, ...] = ()) -> Refiled:
    return Refiled(
        id=filing.record_id,
        standing=rules.standing(filing.status, filing.valid, clock.now()),
        filing=filing,
        also=also,
    )
