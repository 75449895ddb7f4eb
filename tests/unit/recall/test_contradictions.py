"""Passages of one answer that cannot both be true are named."""

from __future__ import annotations

from typing import Any

import pytest

from quoth.core.types import Answer, AsOf, Decision, Held, Limits, Status, Waiting

CODE = "What is the code of the shed?"
PORT = "Which port does the cache listen on?"


def hold(talk: Any, new: Any, old: Any, reason: str = "value", kind: Waiting = Waiting.CONTRADICTION) -> str:
    """Put a pair into the queue, as something else than a rule may."""
    with talk.store.write(talk.access) as view:
        held = Held("", talk.access.home, kind, "", reason, talk.access.actor, talk.clock.now(), new, old)
        return str(view.hold(held).held.id)


def answer(talk: Any, item: str, decision: Decision) -> None:
    """Answer an item, and do nothing else."""
    with talk.store.write(talk.access) as view:
        said = Answer("", talk.access.home, item, decision, "it is so", talk.access.actor, talk.clock.now())
        view.answer(said)


def waiting(talk: Any) -> list[str]:
    """Ids of what waits for a person."""
    with talk.store.read(talk.access) as view:
        return [each.held.id for each in view.reviews()]


@pytest.mark.parametrize(
    ("old", "new", "on"),
    [
        ("The code of the shed is 4711.", "The code of the shed is 8128.", "number"),
        ("The shed is allowed to be open.", "The shed is not allowed to be open.", "negation"),
        ("The shed's deadline is 3 May 2026.", "The shed's deadline is 4 May 2026.", "date"),
        ("The shed is located in Ulm.", "The shed is located in Bonn.", "value"),
    ],
)
def test_a_contradiction_is_named_with_both_records(
    talk: Any, clock: Any, old: str, new: str, on: str
) -> None:
    """Both passages come, as they are, and the conflict says which they are, on what, and who is asked."""
    [first] = talk.note(old)
    clock.advance(days=1)
    [second] = talk.note(new)
    got = talk.ask("What is the code, the deadline of the shed? Is it located, allowed to be open?")
    assert {first, second} == {each.id for each in got.passages}
    [item] = waiting(talk)
    assert (
        f"contradiction: {second} and {first} cannot both be true: {on} (review {item})",
    ) == got.conflicts


def test_what_agrees_is_no_contradiction(talk: Any) -> None:
    """Other sheds, other owners, the same value, and a question contradict nothing."""
    talk.note("The code of the shed is 4711.", "The code of the barn is 8128.", "The shed is old.")
    talk.note("Is the code of the shed 1729?", "The code of the shed is 4711!")
    got = talk.ask("What is the code of the shed, and of the barn?", k=9)
    assert () == got.conflicts
    assert () == tuple(waiting(talk))


def test_a_correction_is_no_contradiction(talk: Any, clock: Any) -> None:
    """Old words that are shown behind the new ones are labelled, which says enough."""
    [old] = talk.note("The code of the shed is 4711.")
    clock.advance(days=1)
    talk.correct(old, "The code of the shed is 8128.")
    assert () == talk.ask(CODE).conflicts
    got = talk.ask(CODE, limits=Limits(history=True))
    assert (2, ()) == (len(got.passages), got.conflicts)


def test_of_another_moment_what_was_true_then_is_compared(talk: Any, clock: Any) -> None:
    """Two passages that both held then contradict each other in the answer of then."""
    ids = talk.note("The code of the shed is 4711.", "The code of the shed is 8128.")
    then = clock.now()
    clock.advance(days=1)
    for each in ids:
        talk.correct(each, f"Ask Zoë about {each}.")
    assert () == talk.ask(CODE).conflicts
    [told] = talk.ask(CODE, as_of=AsOf(valid=then)).conflicts
    assert all(each in told for each in ids)
    assert "number" in told


def test_a_pair_is_named_where_one_of_it_is_shown(talk: Any) -> None:
    """What waits for a person about a passage is said, though the question does not find the other one."""
    [one] = talk.note("The code of the shed is 4711.")
    [two] = talk.note("Nobody ever locks anything here.")
    item = hold(talk, two, one, "a model thinks so")
    [told] = talk.ask(CODE, k=1).conflicts
    assert f"contradiction: {two} and {one} cannot both be true: a model thinks so (review {item})" == told
    assert () == talk.ask("When does the ferry leave?", mode="strict").conflicts


def test_other_things_that_wait_are_no_conflict(talk: Any) -> None:
    """A duplicate in doubt is for a reviewer, not for a reader."""
    [one, two] = talk.note("The code of the shed is 4711.", "The shed has a code, which is 4711.")
    hold(talk, two, one, "alike", Waiting.DUPLICATE)
    assert () == talk.ask(CODE).conflicts


def test_a_pair_of_which_one_is_gone_is_no_conflict(talk: Any) -> None:
    """What was retracted contradicts nothing any more, though nobody answered."""
    [one] = talk.note("The code of the shed is 4711.")
    [two] = talk.note("The code of the shed is 8128.")
    assert 1 == len(talk.ask(CODE).conflicts)
    talk.refile(two, status=Status.RETRACTED)
    got = talk.ask(CODE)
    assert ([one], ()) == ([each.id for each in got.passages], got.conflicts)


def test_what_a_person_decided_to_keep_is_no_conflict(talk: Any) -> None:
    """Where a person said that both stay, both come, and nobody is asked again."""
    talk.note("The code of the shed is 4711.", "The code of the shed is 8128.")
    [item] = waiting(talk)
    answer(talk, item, Decision.KEEP)
    got = talk.ask(CODE)
    assert (2, ()) == (len(got.passages), got.conflicts)


def test_only_what_is_shown_is_compared(talk: Any) -> None:
    """A budget that leaves one of the two out leaves the item of the queue, which names both."""
    [one, two] = talk.note("The code of the shed is 4711.", "The code of the shed is 8128.")
    got = talk.ask(CODE, k=1)
    assert 1 == len(got.passages)
    assert 1 == len(got.conflicts)
    assert one in got.conflicts[0]
    assert two in got.conflicts[0]


def test_what_two_people_say_of_themselves_is_no_contradiction(talk: Any) -> None:
    """A first person is its speaker."""
    talk.say(("Zoë", "My code is 4711."), ("Bo", "My code is 8128."))
    assert () == talk.ask("What is the code?").conflicts
    talk.say(("Zoë", "My code is 1729."))
    assert 1 == len(talk.ask("What is the code?").conflicts)
