"""What stands in a slot: a pure fold over everything that was ever said of it.

Events come in their order: hybrid time, then origin, then sequence. Nothing here looks at a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import heappop, heappush
from typing import TypeAlias

from quoth.core import rules, values
from quoth.core.errors import AccessDenied, InvalidInput
from quoth.core.ledger import micros
from quoth.core.types import Asserted, Authority, Fact, Lift, Period, RecordId, Rejection, Trust

Event: TypeAlias = Fact | Rejection | Lift
Bound: TypeAlias = Callable[[Rejection, str], bool]
"""Whether a rejection binds a value."""

_RANKS = {Trust.ASSERTED: 1, Trust.VERIFIED: 2}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is to become of an assertion."""

    outcome: Asserted
    standing: Fact | None
    """What stands now, this assertion counted where it is stored; None for an empty slot."""
    stored: bool
    """False where nothing is to be written as an assertion: held, or nothing new in it."""
    why: str = ""
    replaced: Fact | None = None
    """What stood and no longer does."""
    against: Fact | None = None
    """What stands and is believed more, where the assertion is held as a contradiction."""
    rejection: Rejection | None = None
    """The rejection that binds the value."""
    question: str = ""
    """What a person is asked."""


def by_value(rejection: Rejection, value: str) -> bool:
    """Whether a rejection binds a value, by what it says; the store compares fingerprints instead."""
    return values.same(rejection.value, value)


def fold(
    events: Sequence[Event], at: datetime, known: datetime | None = None, bound: Bound = by_value
) -> Fact | None:
    """What was true of a slot at a moment, as it was known at another (None: everything counts)."""
    for fact in timeline(events, known, bound):
        if _within(fact.valid, at):
            return fact
    return None


def timeline(
    events: Sequence[Event], known: datetime | None = None, bound: Bound = by_value
) -> tuple[Fact, ...]:
    """What stood, oldest first: facts whose valid time is what is left of it, one at any moment.

    The evidence of each is that of every assertion of its value that counts.
    """
    live = _live(events, known, bound)
    return tuple(_cut(fact, left, live) for fact, left in _pieces(live))


def binding(events: Sequence[Event], value: str, bound: Bound = by_value) -> tuple[Rejection, ...]:
    """The rejections of a value that nobody lifted, oldest first; all must be lifted before it counts."""
    lifted = ended(events)
    rejections = (each for each in events if isinstance(each, Rejection) and each.id not in lifted)
    return tuple(each for each in rejections if bound(each, value))


def judge(events: Sequence[Event], fact: Fact, now: datetime, bound: Bound = by_value) -> Judgement:
    """What is to become of an assertion, after everything that was said of its slot.

    A rejection comes before any rank. Then what it speaks against: only what stands at a time for which it
    is asserted, and did not start later. Raises `AccessDenied` for a verified value from below a person,
    `InvalidInput` for a blank value, a doubtful one, or a period that ends before it starts.
    """
    _check(fact)
    standing = fold(events, now, bound=bound)
    name = f"{fact.entity} {fact.attribute}"
    if rejections := binding(events, fact.value, bound):
        return Judgement(
            Asserted.HELD,
            standing,
            stored=False,
            why="the value was rejected, and nobody lifted that",
            rejection=max(rejections, key=lambda each: each.actor.authority),
            question=f"{fact.value!r} was rejected for {name}. Does it count again?",
        )
    if fact.confidence is Trust.VERIFIED and fact.actor.authority < Authority.PERSON:
        raise AccessDenied(f"{fact.actor.id!r} may assert a fact, but only a person verifies one")
    live = _live(events, None, bound)
    met = [each for each in _pieces(live) if _meet(each[1], fact.valid)]
    others = [(each, left) for each, left in met if not values.same(each.value, fact.value)]
    for other, left in others:
        if _rank(other) > _rank(fact) and _since(other.valid) <= _since(fact.valid):
            return Judgement(
                Asserted.HELD,
                standing,
                stored=False,
                why="it speaks against a value that is verified",
                against=_cut(other, left, live),
                question=f"{name} is {other.value!r}, verified; {fact.value!r} was asserted. Which is true?",
            )
    after = fold([*events, fact], now, bound=bound)
    gone = [_cut(*each, live) for each in others if _strength(each[0]) <= _strength(fact)]
    if gone:
        replaced = next((each for each in gone if _within(each.valid, now)), gone[-1])
        question = f"{name} was {replaced.value!r}, now it is {fact.value!r}. Is that right?"
        why = "a value as sure or surer, and no older"
        return Judgement(Asserted.REPLACED, after, stored=True, why=why, replaced=replaced, question=question)
    if len(met) > len(others):
        known = [each for each in live if values.same(each.value, fact.value)]
        if _says_nothing_new(fact, known):
            return Judgement(Asserted.REPEATED, standing, stored=False, why="nothing new in it")
        return Judgement(Asserted.REPEATED, after, stored=True, why="the same value again")
    return Judgement(Asserted.STORED, after, stored=True)


def _check(fact: Fact) -> None:
    rules.slot(fact.entity, fact.attribute)
    rules.period(fact.valid)
    if not values.readings(fact.value)["text"]:
        raise InvalidInput("a fact needs a value")
    if fact.confidence not in _RANKS:
        raise InvalidInput(f"a fact is asserted or verified, not {fact.confidence.value}")


def _says_nothing_new(fact: Fact, known: Sequence[Fact]) -> bool:
    """Whether one assertion of the value covers this one, and its evidence is there already."""
    covered = any(
        _rank(each) >= _rank(fact)
        and _since(each.valid) <= _since(fact.valid)
        and _until(fact.valid) <= _until(each.valid)
        for each in known
    )
    return covered and set(fact.evidence) <= {each for other in known for each in other.evidence}


# --- the fold -----------------------------------------------------------------------------------------


def ended(events: Sequence[Event]) -> set[str]:
    """Rejections that were lifted, by at least the authority that laid them."""
    laid = {each.id: each.actor.authority for each in events if isinstance(each, Rejection)}
    lifts = (each for each in events if isinstance(each, Lift) and each.rejection in laid)
    return {each.rejection for each in lifts if each.actor.authority >= laid[each.rejection]}


def _live(events: Sequence[Event], known: datetime | None, bound: Bound) -> list[Fact]:
    """Assertions that count: known, and not rejected later, nor before by what is not lifted."""
    told = [each for each in events if known is None or each.at <= known]
    lifted = ended(told)
    rejections = [(at, each) for at, each in enumerate(told) if isinstance(each, Rejection)]
    return [
        fact
        for at, fact in enumerate(told)
        if isinstance(fact, Fact)
        and not any(
            (laid > at or rejection.id not in lifted) and bound(rejection, fact.value)
            for laid, rejection in rejections
        )
    ]


def _pieces(live: Sequence[Fact]) -> Iterator[tuple[Fact, Period]]:
    """Each stretch of time in which one assertion stands, oldest first."""
    ends = dict[int, datetime | None]()
    for fact in live:
        ends.setdefault(_since(fact.valid), fact.valid.start)
        ends.setdefault(_until(fact.valid), fact.valid.end)
    cuts = sorted(ends)
    coming = sorted(range(len(live)), key=lambda n: _since(live[n].valid), reverse=True)
    standing: list[tuple[int, int, int]] = []
    last: tuple[int, int] | None = None  # the assertion that stands, and since when
    for cut in cuts:
        while coming and _since(live[coming[-1]].valid) <= cut:
            number = coming.pop()
            rank, since = _strength(live[number])
            heappush(standing, (-rank, -since, -number))
        while standing and _until(live[-standing[0][2]].valid) <= cut:
            heappop(standing)
        winner = -standing[0][2] if standing else None
        if last and last[0] != winner:
            yield live[last[0]], Period(ends[last[1]], ends[cut])
            last = None
        if last is None and winner is not None:
            last = winner, cut


def _evidence(value: str, live: Sequence[Fact]) -> tuple[RecordId, ...]:
    same = (each.evidence for each in live if values.same(each.value, value))
    return tuple(dict.fromkeys(each for evidence in same for each in evidence))


def _cut(fact: Fact, left: Period, live: Sequence[Fact]) -> Fact:
    """A fact as it is shown: what is left of its time, with the evidence of every assertion of its value."""
    return replace(fact, valid=left, evidence=_evidence(fact.value, live))


_FAR = 2**62
"""Microseconds; beyond every moment that there is."""


def _since(valid: Period) -> int:
    start = micros(valid.start)
    return -_FAR if start is None else start


def _until(valid: Period) -> int:
    end = micros(valid.end)
    return _FAR if end is None else end


def _within(valid: Period, at: datetime) -> bool:
    return _since(valid) <= (micros(at) or 0) < _until(valid)


def _meet(one: Period, other: Period) -> bool:
    return max(_since(one), _since(other)) < min(_until(one), _until(other))


def _rank(fact: Fact) -> int:
    return _RANKS.get(fact.confidence, 0)


def _strength(fact: Fact) -> tuple[int, int]:
    """Of two assertions for one moment, the stronger stands; of equals the later one."""
    return _rank(fact), _since(fact.valid)
