"""Facts in any store: what stands in a slot at any moment of both times, and what becomes of an assertion.

A test that fails says in its docstring what an implementer should look at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from quoth.core.errors import AccessDenied, InvalidInput, NotFound
from quoth.core.ports import Store
from quoth.core.types import (
    Access,
    Actor,
    ActorKind,
    AsOf,
    Asserted,
    Authority,
    Decision,
    Fact,
    Lift,
    Period,
    RecordId,
    Rejection,
    Scope,
    Status,
    Trust,
    Waiting,
)

AGENT = Actor("helper-7", ActorKind.AGENT, Authority.AGENT)
JOB = Actor("nightly", ActorKind.JOB, Authority.JOB)
SLOT = "shed code"
VERIFIED = Trust.VERIFIED
TICK = timedelta(microseconds=1)


def year(number: int) -> datetime:
    """The first moment of a year."""
    return datetime(number, 1, 1, tzinfo=UTC)


def test_an_assertion_stands(hand: Any, restart: Callable[[], Store]) -> None:
    """What was asserted is given back as it was written, with who, when, why and its evidence."""
    record = hand.put("The code is 4711.")
    zone = timezone(timedelta(hours=2))
    valid = Period(datetime(2026, 1, 1, tzinfo=zone), datetime(2027, 1, 1, tzinfo=zone))
    outcome = hand.say("4711", "Shed Code", evidence=[record], note="read it", valid=valid)
    hand.store = restart()
    with hand.store.read(hand.access) as view:
        (fact,) = view.facts()
    assert (Asserted.STORED, fact) == (outcome.outcome, outcome.fact)
    assert ("Shed", "Code", "4711", (record,)) == (fact.entity, fact.attribute, fact.value, fact.evidence)
    assert (hand.access.actor, hand.clock.now(), "read it") == (fact.actor, fact.at, fact.note)
    assert (valid, timedelta(hours=2)) == (fact.valid, fact.valid.start and fact.valid.start.utcoffset())
    assert (Trust.ASSERTED, hand.access.home, 32) == (fact.confidence, fact.scope, len(fact.id))


def test_a_fact_comes_back(hand: Any) -> None:
    """A, then B, then A: three intervals, and at each boundary exactly one value."""
    for at, value in ((2020, "A"), (2021, "B"), (2022, "A")):
        hand.say(value, valid=Period(year(at), None))
    stood = {at: hand.stands(as_of=AsOf(valid=year(at))) for at in (2019, 2020, 2021, 2022, 2026)}
    assert {2019: None, 2020: "A", 2021: "B", 2022: "A", 2026: "A"} == stood
    for at, before in ((2020, None), (2021, "A"), (2022, "B")):
        assert before == hand.stands(as_of=AsOf(valid=year(at) - TICK))
    with hand.store.read(hand.access, AsOf(valid=year(2021))) as view:
        assert Period(year(2021), year(2022)) == view.facts()[0].valid


def test_what_was_known_when(hand: Any) -> None:
    """The system time decides which assertions count: before each of them nobody knew."""
    moments = []
    for value in ("A", "B", "C"):
        moments.append(hand.clock.advance(days=1))
        hand.say(value, valid=Period(year(2020), None))
    assert "C" == hand.stands()
    known = [hand.stands(as_of=AsOf(system=at)) for at in moments]
    assert ["A", "B", "C"] == known
    assert [None, "A", "B"] == [hand.stands(as_of=AsOf(system=at - TICK)) for at in moments]


def test_the_same_again_writes_nothing(hand: Any) -> None:
    """An assertion that says nothing new leaves no event; new evidence or a higher rank is one event."""
    first, second = hand.put("One."), hand.put("Two.")
    hand.say("4711", evidence=[first])
    before = hand.entries()
    for again in ("4711", " 4711 ", "4,711"):
        hand.clock.advance(days=1)
        outcome = hand.say(again)
        assert (Asserted.REPEATED, (first,)) == (outcome.outcome, outcome.fact.evidence)
    assert before == hand.entries()
    assert (first, second) == hand.say("4711", evidence=[second]).fact.evidence
    assert VERIFIED is hand.say("4711", trust=VERIFIED).fact.confidence
    assert len(before) + 2 == len(hand.entries())
    with hand.store.read(hand.access) as view:
        (fact,) = view.facts()
        assert 3 == len(view.fact_events("shed", "code"))
    assert (VERIFIED, {first, second}) == (fact.confidence, set(fact.evidence))


def test_a_newer_value_replaces(hand: Any) -> None:
    """One of the same rank takes the place of the other, and the outcome says of which, with a question."""
    hand.say("4711")
    hand.clock.advance(days=1)
    outcome = hand.say("8128")
    assert (Asserted.REPLACED, "8128", "4711") == (
        outcome.outcome,
        outcome.fact.value,
        outcome.replaced.value,
    )
    assert ("", True) == (outcome.review, "4711" in outcome.question)
    assert ("8128", ()) == (hand.stands(), hand.queue())


@pytest.mark.parametrize("actor", [AGENT, JOB])
def test_a_verified_value_is_not_overwritten(hand: Any, actor: Actor) -> None:
    """A lower rank is held as a contradiction: one item for the value, with both, until it is answered."""
    standing = hand.say("4711", trust=VERIFIED).fact
    for count in (1, 2):
        hand.clock.advance(days=1)
        outcome = hand.by(actor).say("8128", note="a person verified it")
        assert (Asserted.HELD, standing) == (outcome.outcome, outcome.fact)
        assert "8128" in outcome.question
        (item,) = hand.queue()
        assert (Waiting.CONTRADICTION, count) == (item.held.kind, item.seen_count)
        assert ("shed code: 8128", "shed code: 4711") == (item.text, item.against_text)
        assert (standing.id, outcome.review) == (item.held.against_fact, item.held.id)
    hand.by(actor).say("9999")
    assert (2, "4711") == (len(hand.queue()), hand.stands())
    hand.answer(item.held.id, Decision.REJECT)
    outcome = hand.by(actor).say("8128")
    assert (Asserted.HELD, item.held.id, 1) == (outcome.outcome, outcome.review, len(hand.queue()))


@pytest.mark.parametrize("actor", [AGENT, JOB])
def test_only_a_person_verifies(hand: Any, actor: Actor) -> None:
    """Below a person `AccessDenied`, and nothing is written, whatever the note says."""
    before = hand.entries()
    with pytest.raises(AccessDenied):
        hand.by(actor).say("4711", trust=VERIFIED, note="authority: owner")
    assert before == hand.entries()


def test_evidence_is_of_the_scope(
    hand: Any, other_hand: Any, make_hand: Callable[[Access], Any], access: Access, foreign: Access
) -> None:
    """Evidence that cannot be read, is of another scope, or is erased, is `NotFound` in one sentence."""
    mine, theirs = hand.put("One."), other_hand.put("Two.")
    both = make_hand(replace(access, reads=access.reads | foreign.reads))
    erased = hand.put("Three.")
    hand.erase(erased)
    for writer, id in ((hand, theirs), (hand, RecordId("0" * 32)), (both, theirs), (hand, erased)):
        with pytest.raises(NotFound) as caught:
            writer.say("4711", evidence=[mine, id])
        assert f"no record {id!r} in the readable scopes" == str(caught.value)
    assert hand.stands() is None


def test_facts_stand_in_the_order_of_their_slots(hand: Any) -> None:
    """At most one a slot, by entity and attribute however they are written; or those of one of them."""
    for slot in ("shed code", "Ana city", "ana birthday", "shed colour"):
        hand.say("4711", slot)
    with hand.store.read(hand.access) as view:
        listed = [f"{each.entity} {each.attribute}" for each in view.facts()]
        assert ["ana birthday", "Ana city", "shed code", "shed colour"] == listed
        assert ["birthday", "city"] == [each.attribute for each in view.facts("ANA")]
        assert ["shed"] == [each.entity for each in view.facts(attribute="Code")]
        assert (1, 0) == (len(view.facts("Shed", "COLOUR")), len(view.facts("Shed", "city")))


def test_scopes_have_slots_of_their_own(
    hand: Any, other_hand: Any, make_hand: Callable[[Access], Any], access: Access, foreign: Access
) -> None:
    """Who reads two scopes sees the value of each; a rejection in one says nothing of the other."""
    hand.say("4711")
    other_hand.say("8128")
    other_hand.reject("4711", SLOT)
    both = make_hand(replace(access, reads=access.reads | foreign.reads))
    with both.store.read(both.access) as view:
        assert ["4711", "8128"] == [each.value for each in view.facts("shed", "code")]
        assert ["4711", "8128"] == [each.value for each in view.facts()]
        assert 3 == len(view.fact_events("shed", "code"))
    with hand.store.read(hand.access) as view:
        assert ["4711"] == [each.value for each in view.facts()]
        assert 1 == len(view.fact_events("shed", "code"))


def test_everything_that_was_said_of_a_slot(hand: Any) -> None:
    """Assertions, rejections and lifts in their order, as they were known; nothing of another slot."""
    hand.say("4711")
    early = hand.clock.now()
    hand.clock.advance(days=1)
    rejection = hand.reject("4711", SLOT)
    hand.lift(rejection)
    hand.say("8128")
    hand.say("red", "shed colour")
    hand.reject("blue", "shed colour")
    with hand.store.read(hand.access) as view:
        events = view.fact_events("SHED", "code")
        assert [Fact, Rejection, Lift, Fact] == [type(each) for each in events]
        assert rejection == events[1]
    with hand.store.read(hand.access, AsOf(system=early)) as view:
        assert [Fact] == [type(each) for each in view.fact_events("shed", "code")]


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_fact_needs_its_parts(hand: Any, blank: str) -> None:
    """A blank entity, attribute or value, a doubtful rank, a backward period: `InvalidInput`."""
    now = hand.clock.now()
    whole = hand.fact("4711")
    for wrong in (
        replace(whole, entity=blank),
        replace(whole, attribute=blank),
        replace(whole, value=blank),
        replace(whole, confidence=Trust.DOUBTFUL),
        replace(whole, valid=Period(now, now - TICK)),
    ):
        with pytest.raises(InvalidInput), hand.store.write(hand.access) as view:
            view.assert_fact(wrong)
    assert [] == hand.entries()


def test_a_transaction_sees_its_own_facts(hand: Any) -> None:
    """What is asserted, rejected and lifted in a transaction counts in the rest of it, in a new scope too."""
    with hand.store.write(hand.access) as view:
        view.assert_fact(hand.fact("4711"))
        assert ["4711"] == [each.value for each in view.facts()]
        rejection = view.reject(hand.rejection("4711", SLOT))
        assert () == view.facts()
        assert Asserted.HELD is view.assert_fact(hand.fact("4711")).outcome
        view.lift(hand.lifting(rejection.id))
        assert Asserted.STORED is view.assert_fact(hand.fact("4711")).outcome


def test_a_failed_transaction_says_nothing(hand: Any, store: Store) -> None:
    """Events of a transaction that raises are gone with it."""

    def failing() -> None:
        with store.write(hand.access) as view:
            view.assert_fact(hand.fact("4711"))
            view.reject(hand.rejection("1", SLOT))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert (None, []) == (hand.stands(), hand.entries())
    with store.read(replace(hand.access, reads=frozenset({Scope("new")}))) as view:
        assert ((), (), ()) == (view.facts(), view.rejections(), view.reviews())
        assert () == view.fact_events("a", "b")


def test_facts_are_no_records(hand: Any) -> None:
    """A fact is not found as a passage and counts as no record; its evidence may be of any status."""
    record = hand.put("The code is 4711.", status=Status.SUPERSEDED)
    hand.say("4711", evidence=[record])
    with hand.store.read(hand.access) as view:
        assert (1, 0) == (view.count().records, view.count().current)
        assert [] == view.lexical(["shed"], 9)
    assert hand.store.verify(hand.access).clean
