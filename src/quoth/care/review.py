"""The queue: what waits for a person, and what becomes of it when one has decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

from quoth.care import reach
from quoth.care.correct import current, supersede
from quoth.care.facts import lift_value
from quoth.care.forget import lift, withdraw
from quoth.core import rules
from quoth.core.errors import AccessDenied, Conflict, InvalidInput, NotFound
from quoth.core.ports import Clock, ReadView, Store, WriteView
from quoth.core.types import (
    Access,
    Answer,
    Asserted,
    Authority,
    Decision,
    Held,
    Record,
    RecordId,
    Rejection,
    Review,
    Status,
    Target,
    Trust,
    Waiting,
)

DUPLICATE = "duplicate"
"""The note of a repeat that a person retired."""


def waiting(store: Store, access: Access, *, answered: bool) -> tuple[Review, ...]:
    """What waits for a person, oldest first; with `answered`, what was decided too."""
    with store.read(access) as view:
        return view.reviews(answered)


def decide(store: Store, access: Access, clock: Clock, id: str, decision: Decision, because: str) -> Review:
    """Answer an item of the queue and do what the answer says, in one step; the item as it is then.

    Only a person answers, and where a rejection is lifted, one of at least the rejecter's authority: else
    `AccessDenied`. `Conflict` where the item is answered, or what it is about stands otherwise by now.
    """
    reason = reach.said("an answer", because)
    with reach.tried(store, access, f"review {decision.value}", id), store.write(access) as view:
        item = _item(view, id)
        held, now = item.held, clock.now()
        rules.may_write(access, held.scope)
        if access.actor.authority < Authority.PERSON:
            raise AccessDenied(f"{access.actor.id!r} is no person: only a person answers what is held")
        if item.answer is not None:
            raise Conflict(f"item {held.id!r} was answered: {item.answer.decision.value}")
        if held.kind is Waiting.ERASED:
            raise InvalidInput(f"item {held.id!r} only counts erased words that came again")
        view.answer(Answer("", held.scope, held.id, decision, reason, access.actor, now))
        does = (_FACT if held.fact else _RECORD).get((held.kind, decision))
        if does is not None:
            does(view, access, now, held, reason)
        return next(each for each in view.reviews(answered=True) if each.held.id == held.id)


def _item(view: ReadView, id: str) -> Review:
    items = {each.held.id: each for each in view.reviews(answered=True)}
    found = reach.only(id, items)
    if found is None:
        raise NotFound(f"no item {id!r} in the queue of the readable scopes")
    return items[found]


# -- records ----------------------------------------------------------------------------------


def _readmit(view: WriteView, access: Access, at: datetime, held: Held, reason: str) -> None:
    """Words that were rejected count again, wherever they were held."""
    record = _record(view, held.record_id)
    lift(view, access, record, at, reason)
    if record.filing.status is Status.RETRACTED:  # forgotten, and said again at the same place
        _serve(view, access, at, record, reason)
    for each in view.same(record.testimony.scope, record.testimony.text, Status.HELD):
        _serve(view, access, at, each, reason)


def _serve(view: WriteView, access: Access, at: datetime, record: Record, reason: str) -> None:
    """File a record as current; a correction that was held takes its place now, where that is free."""
    _, is_correction, id = record.testimony.uri.partition(rules.CORRECTION)
    corrected = view.get(RecordId(id)) if is_correction and view.knows(RecordId(id)) else None
    if corrected is not None and corrected.filing.status is Status.CURRENT:
        _replace(view, access, at, (record, corrected), reason)
    else:
        view.refile(rules.refiled(record.filing, access.actor, at, Status.CURRENT, reason))


def _release(view: WriteView, access: Access, at: datetime, held: Held, reason: str) -> None:
    """What was held for another reason than a rejection is served, and believed."""
    record = _record(view, held.record_id)
    filing = rules.refiled(record.filing, access.actor, at, Status.CURRENT, reason)
    view.refile(replace(filing, trust=Trust.VERIFIED))


def _prefer(view: WriteView, access: Access, at: datetime, held: Held, reason: str) -> None:
    """The new record takes the place of the one that it speaks against."""
    new, old = _record(view, held.record_id), _record(view, held.against)
    current(view, old)
    if new.filing.status is not Status.HELD:
        current(view, new)
    _replace(view, access, at, (new, old), reason)


def _replace(view: WriteView, access: Access, at: datetime, pair: tuple[Record, Record], reason: str) -> None:
    """File the first as current in the place of the second, which was true until the first began to be."""
    new, old = pair
    filing = rules.refiled(new.filing, access.actor, at, Status.CURRENT, reason)
    view.refile(replace(filing, supersedes=old.testimony.id))
    supersede(view, access, old, at, new.filing.valid.start or at, reason)


def _refuse(view: WriteView, access: Access, at: datetime, held: Held, reason: str) -> None:
    """The new record is retracted and its words are rejected."""
    withdraw(view, access, at, _record(view, held.record_id), reason)


def _retire(view: WriteView, access: Access, at: datetime, held: Held, reason: str) -> None:
    """The repeat goes; the words that it repeats stay, so nothing is rejected."""
    record = _record(view, held.record_id)
    view.refile(rules.refiled(record.filing, access.actor, at, Status.RETRACTED, f"{DUPLICATE}: {reason}"))


def _record(view: ReadView, id: RecordId | None) -> Record:
    if id is None:
        raise Conflict("the item is about no record any more")
    record = view.get(id)
    if record.filing.status is Status.ERASED:
        raise Conflict(f"the words of record {id!r} were erased")
    return record


# -- facts ------------------------------------------------------------------------------------


def _assert(view: WriteView, access: Access, at: datetime, held: Held, reason: str) -> None:
    """The value counts, as sure as the one that it speaks against; its rejections are lifted first."""
    fact = held.fact
    if fact is None:
        raise AssertionError("a fact that waits")
    lift_value(view, access, fact, reason, at)
    stands = (each for each in view.facts(fact.entity, fact.attribute) if each.scope == held.scope)
    standing = next(stands, None)
    rank = standing.confidence if standing and held.kind is Waiting.CONTRADICTION else fact.confidence
    outcome = view.assert_fact(replace(fact, id="", confidence=rank, note=reason))
    if outcome.outcome is Asserted.HELD:
        raise Conflict(f"item {held.id!r} speaks against what stands now: {outcome.why}")


def _reject_value(view: WriteView, access: Access, at: datetime, held: Held, reason: str) -> None:
    """The value that waits is rejected, so that it does not come back."""
    fact = held.fact
    if fact is None:
        raise AssertionError("a fact that waits")
    view.reject(
        Rejection(
            id="",
            scope=held.scope,
            target=Target.VALUE,
            fingerprints={},
            reason=reason,
            actor=access.actor,
            at=at,
            entity=fact.entity,
            attribute=fact.attribute,
            value=fact.value,
        )
    )


_Does = Callable[[WriteView, Access, datetime, Held, str], None]

_RECORD: Mapping[tuple[Waiting, Decision], _Does] = {
    (Waiting.REASSERTION, Decision.ACCEPT): _readmit,
    (Waiting.CONTRADICTION, Decision.ACCEPT): _prefer,
    (Waiting.CONTRADICTION, Decision.REJECT): _refuse,
    (Waiting.DUPLICATE, Decision.ACCEPT): _retire,
    (Waiting.SUSPICIOUS, Decision.ACCEPT): _release,
    (Waiting.SUSPICIOUS, Decision.REJECT): _refuse,
    (Waiting.STAKES, Decision.ACCEPT): _release,
    (Waiting.STAKES, Decision.REJECT): _refuse,
}
"""What an answer does to the records of an item; nothing where it is not listed."""

_FACT: Mapping[tuple[Waiting, Decision], _Does] = {
    (Waiting.REASSERTION, Decision.ACCEPT): _assert,
    (Waiting.CONTRADICTION, Decision.ACCEPT): _assert,
    (Waiting.CONTRADICTION, Decision.REJECT): _reject_value,
}
"""The same for an item about a fact."""
