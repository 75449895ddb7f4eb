"""The queue of any store: what waits for a person, how often it came, and what was decided.

A test that fails says in its docstring what an implementer should look at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from quoth.core.errors import AccessDenied, Conflict, InvalidInput, NotFound
from quoth.core.ports import Store
from quoth.core.types import Access, Actor, ActorKind, AsOf, Authority, Decision, RecordId, Waiting

PERSON = Actor("dora", ActorKind.HUMAN, Authority.PERSON)
AGENT = Actor("helper-7", ActorKind.AGENT, Authority.AGENT)
JOB = Actor("nightly", ActorKind.JOB, Authority.JOB)


def test_what_waits_is_one_item(hand: Any, restart: Callable[[], Store]) -> None:
    """The same thing again is counted on the item that is there; what came first stays its face.

    Check the key that is made where none is given: kind, and the words of both records in normal form.
    """
    new, old = hand.put("The tap drips.", "n/1"), hand.put("The tap is dry.", "n/2")
    twin = hand.put("the tap  DRIPS", "n/3")
    first = hand.hold(Waiting.CONTRADICTION, record_id=new, against=old, uri="n/1")
    hand.store = restart()
    later = hand.clock.advance(days=1)
    assert first.held.id == hand.by(AGENT).hold(Waiting.CONTRADICTION, record_id=twin, against=old).held.id
    hand.hold(Waiting.DUPLICATE, record_id=new, against=old)
    hand.hold(Waiting.CONTRADICTION, record_id=old, against=new)
    items = hand.queue()
    assert [2, 1, 1] == [each.seen_count for each in items]
    assert [Waiting.CONTRADICTION, Waiting.DUPLICATE, Waiting.CONTRADICTION] == [
        each.held.kind for each in items
    ]
    assert (first.held, later, None) == (items[0].held, items[0].last_at, items[0].answer)
    assert ("The tap drips.", "The tap is dry.") == (items[0].text, items[0].against_text)
    assert (hand.access.actor, "n/1", "look at it") == (
        items[0].held.actor,
        items[0].held.uri,
        items[0].held.reason,
    )


def test_a_key_makes_the_item(hand: Any) -> None:
    """Where the caller names what is the same, that decides; it has to be a fingerprint."""
    one, two = hand.put("One."), hand.put("Two.")
    first = hand.hold(record_id=one, key="a" * 32)
    assert (first.held.id, 2) == ((again := hand.hold(record_id=two, key="a" * 32)).held.id, again.seen_count)
    for wrong in ("a", "A" * 32, "no key", "a" * 64):
        with pytest.raises(InvalidInput):
            hand.hold(record_id=one, key=wrong)


def test_an_answer_is_kept(hand: Any, restart: Callable[[], Store]) -> None:
    """It leaves the queue, and is shown with who decided what, when and why; it is given once."""
    record = hand.put("The tap drips.")
    item = hand.hold(record_id=record).held.id
    at = hand.clock.advance(hours=1)
    hand.by(PERSON).answer(item, Decision.KEEP)
    hand.store = restart()
    assert () == hand.queue()
    (review,) = hand.queue(answered=True)
    answer = review.answer
    assert (PERSON, at, "I know", Decision.KEEP, item) == (
        answer.actor,
        answer.at,
        answer.reason,
        answer.decision,
        answer.held,
    )
    before = hand.entries()
    with pytest.raises(Conflict, match=item):
        hand.answer(item, Decision.REJECT)
    assert before == hand.entries()


@pytest.mark.parametrize("decision", [Decision.KEEP, Decision.REJECT])
def test_what_was_answered_does_not_wait_again(hand: Any, decision: Decision) -> None:
    """It is counted and stays answered; the caller is told so, with the answer."""
    record = hand.put("The tap drips.")
    item = hand.hold(record_id=record).held.id
    hand.answer(item, decision)
    again = hand.hold(record_id=record)
    assert (item, 2, decision) == (again.held.id, again.seen_count, again.answer.decision)
    assert () == hand.queue()


def test_what_was_accepted_may_wait_again(hand: Any) -> None:
    """What takes its place and is held later is another question: a new item."""
    record = hand.put("The tap drips.")
    first = hand.hold(record_id=record).held.id
    hand.answer(first, Decision.ACCEPT)
    second = hand.hold(record_id=record)
    assert (1, None, True) == (second.seen_count, second.answer, second.held.id != first)
    assert [second.held.id] == [each.held.id for each in hand.queue()]
    assert 2 == len(hand.queue(answered=True))
    hand.answer(second.held.id, Decision.REJECT)


def test_any_of_its_events_names_an_item(hand: Any) -> None:
    """An item is answered by the id of whichever time it came, and shown under its first."""
    record = hand.put("The tap drips.")
    first = hand.hold(record_id=record).held.id
    hand.hold(record_id=record)
    last = hand.entries()[-1].subject
    assert last != first
    hand.answer(last, Decision.KEEP)
    (item,) = hand.queue(answered=True)
    assert (first, first) == (item.held.id, item.answer.held)


@pytest.mark.parametrize("actor", [AGENT, JOB])
def test_only_a_person_answers(hand: Any, actor: Actor) -> None:
    """Below a person `AccessDenied`, and the item waits on."""
    item = hand.hold(record_id=hand.put("The tap drips.")).held.id
    with pytest.raises(AccessDenied):
        hand.by(actor).answer(item)
    assert [item] == [each.held.id for each in hand.queue()]


def test_an_item_of_others_is_not_there(hand: Any, other_hand: Any) -> None:
    """A foreign item, an absent one, and what is no id are `NotFound` in one sentence."""
    item = hand.hold(record_id=hand.put("The tap drips.")).held.id
    entry = other_hand.entries() or [None]
    assert [None] == entry
    for id in (item, "0" * 32, "", "no id", item.upper()):
        with pytest.raises(NotFound) as caught:
            other_hand.answer(id)
        assert f"no item {id!r} in the queue of the readable scopes" == str(caught.value)
    with pytest.raises(NotFound):
        hand.answer(hand.reject("1", "shed code").id)


def test_an_item_names_records_of_its_scope(
    hand: Any, other_hand: Any, make_hand: Callable[[Access], Any], access: Access, foreign: Access
) -> None:
    """Records that cannot be read, or stand in another scope, cannot wait or be spoken against."""
    mine, theirs = hand.put("One."), other_hand.put("Two.")
    both = make_hand(replace(access, reads=access.reads | foreign.reads))
    for writer in (hand, both):
        for wrong in ({"record_id": theirs}, {"record_id": mine, "against": theirs}):
            with pytest.raises(NotFound):
                writer.hold(**wrong)
    with pytest.raises(NotFound):
        hand.hold(record_id=RecordId("0" * 32))
    assert () == hand.queue()


def test_the_queue_at_an_earlier_moment(hand: Any) -> None:
    """What came or was answered later was not known: the item waits there, or is not there yet."""
    record = hand.put("The tap drips.")
    start = hand.clock.now()
    came = hand.clock.advance(days=1)
    item = hand.hold(record_id=record).held.id
    hand.clock.advance(days=1)
    hand.hold(record_id=record)
    hand.answer(item, Decision.KEEP)
    for at, want in ((start, []), (came, [(1, None)])):
        with hand.store.read(hand.access, AsOf(system=at)) as view:
            assert want == [(each.seen_count, each.answer) for each in view.reviews()]
