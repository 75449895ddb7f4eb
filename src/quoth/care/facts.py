"""Facts: one value a slot, asserted or verified; what was rejected stays so until somebody lifts it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from quoth.care import reach
from quoth.core import rules
from quoth.core.errors import InvalidInput, NotFound
from quoth.core.facts import binding
from quoth.core.ports import Clock, Store, WriteView
from quoth.core.types import (
    Access,
    AsOf,
    Fact,
    FactOutcome,
    Lift,
    Period,
    Rejection,
    Review,
    Target,
    Trust,
    Waiting,
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What stands, at one moment."""

    facts: tuple[Fact, ...]
    as_of: datetime | None = None
    known_at: datetime | None = None
    notes: tuple[str, ...] = ()
    """What was taken for granted: the zone of a time without an offset."""


@dataclass(frozen=True, slots=True)
class Lifted:
    """Rejections that bind no longer."""

    lifts: tuple[Lift, ...]
    asserted: FactOutcome | None
    """What became of the value, where it was asserted again at once."""


def stand(store: Store, access: Access, entity: str | None, attribute: str | None, as_of: AsOf) -> Facts:
    """What stands of an entity, of one slot of it, or of everything; at most one value a slot."""
    if attribute is not None and entity is None:
        raise InvalidInput("an attribute needs its entity")
    if entity is not None:
        rules.slot(entity, "any" if attribute is None else attribute)
    with store.read(access, as_of) as view:
        return Facts(view.facts(entity, attribute), as_of.valid, as_of.system)


def assert_value(
    store: Store,
    access: Access,
    clock: Clock,
    entity: str,
    attribute: str,
    value: str,
    *,
    verified: bool,
    valid: Period,
    evidence: Iterable[str],
    note: str,
) -> FactOutcome:
    """Assert the value of a slot in the home scope; true from now where it does not say.

    `NotFound` for evidence that cannot be read, `AccessDenied` for a verified value from below a person.
    """
    _checked(entity, attribute, value, note)
    now = clock.now()  # before the transaction begins: at its moment the value stands already
    with reach.tried(store, access, "assert"), store.write(access) as view:
        rules.may_write(access, access.home)
        fact = replace(
            _fact(access, entity, attribute, value, rules.begun(valid, now), now, note),
            confidence=Trust.VERIFIED if verified else Trust.ASSERTED,
            evidence=tuple(dict.fromkeys(reach.record(view, each).testimony.id for each in evidence)),
        )
        return view.assert_fact(fact)


def reject(
    store: Store, access: Access, clock: Clock, entity: str, attribute: str, value: str, because: str
) -> Rejection:
    """Reject a value of a slot in the home scope: whoever asserts it again is held, until it is lifted."""
    reason = reach.said("a rejection", because)
    _checked(entity, attribute, value, "")
    with reach.tried(store, access, "reject"), store.write(access) as view:
        rules.may_write(access, access.home)
        return view.reject(
            Rejection(
                id="",
                scope=access.home,
                target=Target.VALUE,
                fingerprints={},
                reason=reason,
                actor=access.actor,
                at=clock.now(),
                entity=entity,
                attribute=attribute,
                value=value,
            )
        )


def lift(
    store: Store,
    access: Access,
    clock: Clock,
    entity: str,
    attribute: str,
    value: str,
    because: str,
    *,
    again: bool,
) -> Lifted:
    """End every rejection of a value; with `again` the value is asserted, from now, in the same step.

    `AccessDenied` below the authority of one who rejected it; `NotFound` where nobody did.
    """
    reason = reach.said("a lift", because)
    _checked(entity, attribute, value, "")
    now = clock.now()
    with reach.tried(store, access, "lift"), store.write(access) as view:
        rules.may_write(access, access.home)
        fact = _fact(access, entity, attribute, value, Period(now, None), now, reason)
        lifts = lift_value(view, access, fact, reason, now)
        if not lifts:
            raise NotFound(f"no rejection binds this value of {entity!r} {attribute!r}")
        return Lifted(lifts, view.assert_fact(fact) if again else None)


def lift_value(view: WriteView, access: Access, fact: Fact, reason: str, at: datetime) -> tuple[Lift, ...]:
    """End the rejections that bind the value of a fact in its scope."""
    events = [each for each in view.fact_events(fact.entity, fact.attribute) if each.scope == fact.scope]
    ended = {each.id for each in binding(events, fact.value)}
    for each in ended:
        view.lift(Lift("", fact.scope, each, reason, access.actor, at))
    return tuple(each for each in view.lifts() if each.rejection in ended)


def history(store: Store, access: Access, entity: str, attribute: str) -> tuple[Fact | Rejection | Lift, ...]:
    """Everything that was ever said of a slot, oldest first."""
    rules.slot(entity, attribute)
    with store.read(access) as view:
        return view.fact_events(entity, attribute)


def contradictions(store: Store, access: Access) -> tuple[Review, ...]:
    """Assertions that wait for a person: against a verified value, or of a rejected one."""
    with store.read(access) as view:
        kinds = (Waiting.CONTRADICTION, Waiting.REASSERTION)
        return tuple(each for each in view.reviews() if each.held.fact and each.held.kind in kinds)


def noted(outcome: FactOutcome, notes: tuple[str, ...]) -> FactOutcome:
    """The outcome with what was taken for granted."""
    return replace(outcome, why="; ".join(each for each in (outcome.why, *notes) if each))


def _fact(
    access: Access, entity: str, attribute: str, value: str, valid: Period, at: datetime, note: str
) -> Fact:
    """A value of a slot in the home scope, asserted."""
    return Fact("", access.home, entity, attribute, value, Trust.ASSERTED, valid, (), access.actor, at, note)


def _checked(entity: str, attribute: str, value: str, note: str) -> None:
    """Raise `InvalidInput` for what cannot be kept or names no slot."""
    names = {"an entity": entity, "an attribute": attribute, "a value": value, "a note": note}
    for name, text in names.items():
        reach.checked(name, text)
    rules.slot(entity, attribute)
    if not value.strip():
        raise InvalidInput("a fact needs a value")
