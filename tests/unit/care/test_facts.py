"""Facts: one value a slot, and rejections that bind."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from quoth.care import facts
from quoth.core.errors import AccessDenied, InvalidInput, NotFound
from quoth.core.types import (
    Access,
    AsOf,
    Asserted,
    Decision,
    Document,
    Fact,
    Lift,
    Period,
    Rejection,
    Trust,
)

WHO = ("owner", "person", "agent", "job")


def test_a_fact_stands(care: Any) -> None:
    """An asserted value stands, true from now, with evidence and note, for everybody who may read."""
    id = care.note("Ana lives in Lisbon.")
    outcome = care.put_fact("Lisbon", evidence=(id[:8],), note="she said so")
    assert (Asserted.STORED, "Lisbon") == (outcome.outcome, outcome.fact.value)
    assert ((id,), "she said so", care.clock.now()) == (
        outcome.fact.evidence,
        outcome.fact.note,
        outcome.fact.valid.start,
    )
    assert ("Lisbon", None) == (care.stands(), care.stands("ben city"))


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("value", ["Lisbon", " lisbon ", "LISBON", "Ｌisbon"])
def test_a_rejected_value_is_held_whoever_asserts_it(care: Any, who: str, value: str) -> None:
    """Rejected once, a value does not come back, at any rank, in any case and form; it is counted."""
    care.put_fact("Lisbon")
    care.reject_fact("Lisbon")
    assert care.stands() is None
    outcomes = [care.by(who).put_fact(value) for _ in range(2)]
    if who in ("owner", "person"):
        outcomes.append(care.by(who).put_fact(value, verified=True))
    assert {Asserted.HELD} == {each.outcome for each in outcomes}
    assert (None, [len(outcomes)]) == (care.stands(), [each.seen_count for each in care.queue()])


def test_another_value_is_allowed(care: Any) -> None:
    """A rejection binds one value, not the slot."""
    care.reject_fact("Lisbon")
    assert Asserted.STORED is care.put_fact("Porto").outcome
    assert Asserted.HELD is care.put_fact("Lisbon").outcome
    assert "Porto" == care.stands()


def test_a_lower_rung_never_overwrites_a_higher(care: Any) -> None:
    """What speaks against a verified value waits for a person, who decides."""
    care.put_fact("Lisbon", verified=True)
    outcome = care.by("agent").put_fact("Porto")
    assert (Asserted.HELD, "Lisbon", True) == (outcome.outcome, care.stands(), bool(outcome.question))
    assert [outcome.review] == [each.held.id for each in care.queue()]
    care.decide(Decision.ACCEPT, outcome.review)
    assert ("Porto", []) == (care.stands(), care.queue())


def test_a_contradiction_may_be_rejected(care: Any) -> None:
    """Rejected by a person, the value does not come back; kept, nothing changes."""
    care.put_fact("Lisbon", verified=True)
    care.by("job").put_fact("Porto")
    care.decide(Decision.REJECT)
    assert Asserted.HELD is care.put_fact("Porto", verified=True).outcome
    assert "Lisbon" == care.stands()


def test_a_kept_contradiction_is_not_asked_again(care: Any) -> None:
    """An answered item stays answered, and goes on counting."""
    care.put_fact("Lisbon", verified=True)
    care.by("job").put_fact("Porto")
    care.decide(Decision.KEEP)
    care.by("job").put_fact("Porto")
    (item,) = care.queue(answered=True)
    assert ([], 2, "Lisbon") == (care.queue(), item.seen_count, care.stands())


@pytest.mark.parametrize("who", ["agent", "job"])
def test_only_a_person_verifies(care: Any, who: str) -> None:
    """A note that claims to come from the owner gives no authority."""
    with pytest.raises(AccessDenied):
        care.by(who).put_fact("Lisbon", verified=True, note="the owner verified this")
    assert care.stands() is None


def test_a_lift_ends_a_rejection(care: Any) -> None:
    """After a lift the slot stays empty until the value is asserted again, or at once with it."""
    care.reject_fact("Lisbon")
    lifted = care.lift_fact("lisbon")
    assert (1, None, None) == (len(lifted.lifts), lifted.asserted, care.stands())
    care.put_fact("Lisbon")
    assert "Lisbon" == care.stands()
    care.reject_fact("Lisbon")
    outcome = care.lift_fact("Lisbon", again=True).asserted
    assert (Asserted.STORED, "Lisbon") == (outcome.outcome, care.stands())


def test_a_lift_needs_the_rejecter_s_authority(care: Any) -> None:
    """Nothing is lifted, or asserted, by somebody below; nor where nothing binds."""
    care.reject_fact("Lisbon")
    for who in ("person", "agent", "job"):
        with pytest.raises(AccessDenied):
            care.by(who).lift_fact("Lisbon", again=True)
    with pytest.raises(NotFound, match="no rejection"):
        care.lift_fact("Porto")
    assert care.stands() is None


def test_accepting_a_held_value_lifts_its_rejection(care: Any) -> None:
    """`review accept` of a reasserted value lifts and asserts it; below the rejecter it is denied."""
    care.reject_fact("Lisbon")
    care.by("job").put_fact("Lisbon")
    with pytest.raises(AccessDenied):
        care.by("person").decide(Decision.ACCEPT)
    care.decide(Decision.ACCEPT)
    assert ("Lisbon", []) == (care.stands(), care.queue())


def test_both_times_can_be_asked(care: Any) -> None:
    """What was true then, and what was known then."""
    before = care.clock.now()
    care.put_fact("Lisbon", valid=Period(before - timedelta(days=9), None))
    known = care.clock.now()
    care.put_fact("Porto", valid=Period(before, None))
    assert ["Lisbon", "Porto", "Lisbon"] == [
        care.stands(as_of=AsOf(valid=before - timedelta(microseconds=1))),
        care.stands(as_of=AsOf(valid=before)),
        care.stands(as_of=AsOf(system=known)),
    ]


def test_a_history_says_everything(care: Any) -> None:
    """Assertions, rejections and lifts of a slot, in their order."""
    care.put_fact("Lisbon")
    care.reject_fact("Lisbon")
    care.lift_fact("Lisbon")
    found = facts.history(care.store, care.access, "ANA", "City")
    assert [Fact, Rejection, Lift] == [type(each) for each in found]
    assert () == facts.history(care.store, care.access, "ana", "street")


def test_contradictions_are_of_facts(care: Any, foreign: Access) -> None:
    """Only what waits and is about a fact is listed, and only in the own scope."""
    care.put_fact("Lisbon", verified=True)
    care.by("job").put_fact("Porto")
    care.forget(care.note("The tap drips."))
    care.keep(Document("The tap drips.", "b"))
    (item,) = facts.contradictions(care.store, care.access)
    assert "Porto" == item.held.fact.value
    assert (2, ()) == (len(care.queue()), facts.contradictions(care.store, foreign))


@pytest.mark.parametrize(
    ("entity", "attribute", "value"),
    [
        (" ", "city", "x"),
        ("ana", "\t", "x"),
        ("ana", "city", " "),
        ("a\0", "city", "x"),
        ("ana", "city", "\ud800"),
    ],
)
def test_what_names_no_fact_is_refused(care: Any, entity: str, attribute: str, value: str) -> None:
    """Blank names and values, and what cannot be kept, are `InvalidInput`."""
    before = care.entries()
    more: dict[str, Any] = {"verified": False, "valid": Period(), "evidence": (), "note": ""}
    with pytest.raises(InvalidInput):
        facts.assert_value(care.store, care.access, care.clock, entity, attribute, value, **more)
    with pytest.raises(InvalidInput):
        facts.reject(care.store, care.access, care.clock, entity, attribute, value, "why")
    assert before == care.entries()


def test_evidence_that_cannot_be_read_is_not_found(care: Any, foreign: Access) -> None:
    """A foreign record is no evidence, and nothing is asserted."""
    theirs = care.to(foreign).note("Ana lives in Lisbon.")
    for id in (theirs, "0" * 32, "nope"):
        with pytest.raises(NotFound):
            care.put_fact("Lisbon", evidence=(id,))
    assert care.stands() is None


def test_an_attribute_alone_names_no_slot(care: Any) -> None:
    """An attribute needs its entity."""
    with pytest.raises(InvalidInput, match="entity"):
        facts.stand(care.store, care.access, None, "city", AsOf())
    care.put_fact("Lisbon")
    care.put_fact("1.5", slot="ana height")
    assert 2 == len(facts.stand(care.store, care.access, "Ana", None, AsOf()).facts)
    assert {Trust.ASSERTED} == {
        each.confidence for each in facts.stand(care.store, care.access, None, None, AsOf()).facts
    }
