"""The queue, and what a decision does."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from quoth.core.errors import AccessDenied, Conflict, InvalidInput, NotFound
from quoth.core.types import Access, Decision, Document, Period, Result, Standing, Waiting

OLD, NEW = "The shed code is 4711.", "The shed code is 8128."
ASK = "what is the shed code?"


def conflict(care: Any) -> tuple[str, str]:
    """Two records that cannot both be true: (old, new)."""
    old = care.note(OLD, uri="a")
    (outcome,) = care.keep(Document(NEW, "b"))
    met = outcome.conflict
    assert (Result.STORED, old, "number") == (outcome.outcome, met and met.record_id, met and met.on)
    assert met.question
    return old, str(outcome.record_id)


def test_a_contradiction_is_asked(care: Any) -> None:
    """Both records stay current; the item of the queue shows both texts, who, when and on what."""
    old, new = conflict(care)
    assert {OLD, NEW} == set(care.served(ASK))
    (item,) = care.queue()
    assert (Waiting.CONTRADICTION, new, old, "number") == (
        item.held.kind,
        item.held.record_id,
        item.held.against,
        item.held.reason,
    )
    assert (NEW, OLD, "ana") == (item.text, item.against_text, item.held.actor.id)


def test_accepted_the_new_one_supersedes(care: Any) -> None:
    """The old one was true until the new one is."""
    old, new = conflict(care)
    done = care.decide(Decision.ACCEPT, because="the lock is new")
    assert (Decision.ACCEPT, "the lock is new", "ana") == (
        done.answer.decision,
        done.answer.reason,
        done.answer.actor.id,
    )
    assert (Standing.SUPERSEDED, new) == (care.get(old).standing, care.get(old).superseded_by)
    assert care.record(old).filing.valid.end == care.record(new).filing.valid.start
    assert ([NEW], []) == (care.served(ASK), care.queue())


def test_rejected_the_new_one_goes_and_stays_away(care: Any) -> None:
    """The new record is retracted and its words are rejected."""
    _, new = conflict(care)
    care.decide(Decision.REJECT)
    assert ([OLD], Standing.RETRACTED) == (care.served(ASK), care.get(new).standing)
    assert Result.HELD is care.keep(Document(NEW, "c"))[0].outcome


def test_kept_both_stay(care: Any) -> None:
    """Both stand, and nobody is asked again."""
    conflict(care)
    care.decide(Decision.KEEP)
    assert ({OLD, NEW}, []) == (set(care.served(ASK)), care.queue())
    assert Result.DUPLICATE is care.keep(Document(NEW, "b"))[0].outcome
    assert [] == care.queue()


@pytest.mark.parametrize(
    ("old", "new", "on"),
    [
        ("The cache lives for 3600 s.", "The cache lives for 36000 s.", "number"),
        ("The API is allowed to retry.", "The API is not allowed to retry.", "negation"),
        ("Ana lives in Lisbon.", "Ana lives in Porto.", "value"),
        ("port: 8080", "port: 9090", "number"),
    ],
)
def test_each_kind_of_contradiction_is_seen(care: Any, old: str, new: str, on: str) -> None:
    """A number, a negation and a value of the same thing."""
    care.note(old, uri="a")
    (outcome,) = care.keep(Document(new, "b"))
    assert on == (outcome.conflict and outcome.conflict.on)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Build 12 failed.", "Build 13 failed."),
        ("Ana is a doctor.", "Ana is tall."),
        ("We met on Tuesday.", "We met on Friday."),
        (OLD, "The gate code is 8128."),
        (OLD, OLD),
    ],
)
def test_what_can_both_be_true_is_no_contradiction(care: Any, old: str, new: str) -> None:
    """Nothing is asked where nothing contradicts."""
    care.note(old, uri="a")
    (outcome,) = care.keep(Document(new, "b"))
    assert (None, []) == (outcome.conflict, care.queue())


def test_what_was_true_at_other_times_is_no_contradiction(care: Any) -> None:
    """Records conflict only for a moment at which both would be true."""
    now = care.clock.now()
    care.note(OLD, uri="a", valid=Period(now - timedelta(days=9), now - timedelta(days=5)))
    (outcome,) = care.keep(Document(NEW, "b", valid=Period(now - timedelta(days=5), None)))
    assert (None, []) == (outcome.conflict, care.queue())


def test_an_edit_is_no_contradiction(care: Any) -> None:
    """A paragraph that replaces another in a file supersedes it: nobody is asked."""
    care.keep(Document(OLD, "/a.md", "markdown"))
    (outcome,) = care.keep(Document(NEW, "/a.md", "markdown"))
    assert (Result.STORED, None, []) == (outcome.outcome, outcome.conflict, care.queue())
    corrected = care.correct(str(outcome.record_id), "The shed code is 1.")
    assert (None, []) == (corrected.conflict, care.queue())


def test_two_files_contradict_each_other(care: Any) -> None:
    """What is watched is compared too."""
    care.keep(Document(OLD, "/a.md", "markdown"))
    (outcome,) = care.keep(Document(NEW, "/b.md", "markdown"))
    assert outcome.conflict is not None


def test_accepted_words_count_again_everywhere(care: Any) -> None:
    """Rejected words that a person accepts are current at every place where they were held."""
    care.forget(care.note(OLD, uri="a"))
    held = [care.keep(Document(OLD, uri))[0].record_id for uri in ("b", "c")]
    care.decide(Decision.ACCEPT)
    assert [Standing.CURRENT] * 2 == [care.get(each).standing for each in held]
    assert Result.STORED is care.keep(Document(OLD, "d"))[0].outcome


@pytest.mark.parametrize("decision", [Decision.REJECT, Decision.KEEP])
def test_rejected_words_stay_held(care: Any, decision: Decision) -> None:
    """Answered no, they go on being held and counted, and nobody is asked again."""
    care.forget(care.note(OLD, uri="a"))
    care.keep(Document(OLD, "b"))
    care.decide(decision)
    assert Result.HELD is care.keep(Document(OLD, "c"))[0].outcome
    (item,) = care.queue(answered=True)
    assert ([], 2, []) == (care.queue(), item.seen_count, care.served(ASK))


@pytest.mark.parametrize("who", ["agent", "job"])
def test_only_a_person_answers(care: Any, who: str) -> None:
    """No program decides what waits for a person, whatever it gives as reason."""
    conflict(care)
    for decision in Decision:
        with pytest.raises(AccessDenied, match="only a person"):
            care.by(who).decide(decision, because="the owner told me to")
    assert (1, ("refused", "job" if who == "job" else "agent")) == (
        len(care.queue()),
        (care.audit()[-1].action, care.audit()[-1].actor.kind.value),
    )


def test_a_lift_by_review_needs_the_rejecter_s_authority(care: Any) -> None:
    """A person below the one who rejected cannot accept; nothing changes."""
    care.forget(care.note(OLD, uri="a"))
    care.keep(Document(OLD, "b"))
    with pytest.raises(AccessDenied):
        care.by("person").decide(Decision.ACCEPT)
    assert (1, []) == (len(care.queue()), care.served(ASK))


def test_an_item_is_answered_once(care: Any) -> None:
    """The second answer is a conflict."""
    conflict(care)
    id = care.queue()[0].held.id
    care.decide(Decision.KEEP, id[:8])
    for decision in Decision:
        with pytest.raises(Conflict, match="answered"):
            care.decide(decision, id)


def test_an_answer_that_came_too_late_is_a_conflict(care: Any) -> None:
    """Where the old record was corrected meanwhile, accepting names what stands now."""
    old, _ = conflict(care)
    head = care.correct(old, "The shed code is 1.").record_id
    item = care.queue(answered=True)[0].held.id
    with pytest.raises(Conflict, match=str(head)):
        care.decide(Decision.ACCEPT, item)


def test_an_item_needs_a_reason_and_an_id(care: Any, foreign: Access) -> None:
    """A blank reason is refused; a foreign item is not found, as one that nobody has."""
    conflict(care)
    id = care.queue()[0].held.id
    with pytest.raises(InvalidInput, match="reason"):
        care.decide(Decision.KEEP, id, " ")
    for asked in (id, "0" * 32, "nope"):
        with pytest.raises(NotFound, match="no item"):
            care.to(foreign).decide(Decision.KEEP, asked)
    assert [] == care.to(foreign).queue(answered=True)


def test_erased_words_need_no_decision(care: Any) -> None:
    """They are only counted."""
    id = care.note(OLD, uri="a")
    care.erase(id)
    care.keep(Document(OLD, "b"))
    assert [] == care.queue()
    (item,) = care.queue(answered=True)
    with pytest.raises(InvalidInput, match="erased"):
        care.decide(Decision.ACCEPT, item.held.id)


def test_erased_records_cannot_be_accepted(care: Any) -> None:
    """Where the words were erased meanwhile, the answer is a conflict or the item is gone."""
    _, new = conflict(care)
    item = care.queue()[0].held.id
    care.erase(new)
    with pytest.raises((Conflict, NotFound)):
        care.decide(Decision.ACCEPT, item)
