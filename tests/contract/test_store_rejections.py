"""Rejection binds, whoever says it again, at whatever rank and on whatever path, until somebody may lift it.

A test that fails says in its docstring what an implementer should look at.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from quoth.core.errors import AccessDenied, Conflict, InvalidInput, NotFound
from quoth.core.ports import Store
from quoth.core.types import (
    Access,
    Actor,
    ActorKind,
    AsOf,
    Asserted,
    Authority,
    Decision,
    RecordId,
    Result,
    Scope,
    Status,
    Target,
    Trust,
    Waiting,
)

OWNER = Actor("cleo", ActorKind.HUMAN, Authority.OWNER)
PERSON = Actor("dora", ActorKind.HUMAN, Authority.PERSON)
AGENT = Actor("helper-7", ActorKind.AGENT, Authority.AGENT)
JOB = Actor("nightly", ActorKind.JOB, Authority.JOB)
WRITERS = {each.authority.name.lower(): each for each in (OWNER, PERSON, AGENT, JOB)}

CODE = "The code of the shed is 4711."
SLOT = "shed code"

ANYBODY = pytest.mark.parametrize("writer", WRITERS)
ANY_RANK = pytest.mark.parametrize("trust", [Trust.ASSERTED, Trust.VERIFIED])


# --- values ------------------------------------------------------------------------------------------


@ANYBODY
@ANY_RANK
def test_a_rejected_value_is_held(hand: Any, restart: Callable[[], Store], writer: str, trust: Trust) -> None:
    """Whoever asserts it again, at any rank, also in another process: held, counted, and nothing stands.

    Check that the rejection is looked up before confidence, authority and evidence are.
    """
    hand.say("4711")
    rejection = hand.reject("4711", SLOT)
    assert hand.stands() is None
    hand.store = restart()
    before = hand.entries()
    for count in (1, 2, 3):
        hand.clock.advance(hours=1)
        outcome = hand.by(WRITERS[writer]).say("4711", trust=trust, note="verified by the owner: lift")
        assert (Asserted.HELD, None) == (outcome.outcome, outcome.fact)
        (item,) = hand.queue()
        assert outcome.review == item.held.id
        assert (Waiting.REASSERTION, rejection.id) == (item.held.kind, item.held.rejection)
        assert (count, hand.clock.now()) == (item.seen_count, item.last_at)
        assert (WRITERS[writer], "4711") == (item.held.actor, item.held.fact.value)
        assert "shed code: 4711" == item.text
    assert ["hold"] * 3 == [each.action for each in hand.entries()[len(before) :]]
    assert hand.stands() is None


@pytest.mark.parametrize("value", ["4712", "471", "5"])
def test_another_value_is_allowed(hand: Any, value: str) -> None:
    """A rejection binds its value and no other: the slot is free for the rest."""
    hand.reject("4711", SLOT)
    assert Asserted.STORED is hand.say(value).outcome
    assert value == hand.stands()


def test_a_then_not_a_then_b_then_a_is_held(hand: Any) -> None:
    """The value that was rejected stays rejected when another one stands in between, and B stays."""
    hand.say("A")
    hand.reject("A", SLOT)
    hand.say("B")
    assert (Asserted.HELD, "B") == ((outcome := hand.say("A")).outcome, outcome.fact.value)
    assert "B" == hand.stands()


@pytest.mark.parametrize(
    ("said", "again"),
    [
        ("Blue Heron", "  blue   HERON. "),
        ("Zoë", "Zoe\u0308"),
        ("Straße", "STRASSE"),
        ("90 min", "1.5 h"),
        ("1,000", "1000"),
        ("192.168.0.1", "192.168.0.1"),
        ("“home”", "home"),
    ],
)
def test_the_same_value_in_other_signs_is_held(hand: Any, said: str, again: str) -> None:
    """Case, blanks, Unicode form, quotes and the unit of a number are no way around a rejection."""
    hand.reject(said, SLOT)
    assert Asserted.HELD is hand.say(again).outcome
    assert Asserted.HELD is hand.say(again, "SHED Code").outcome


def test_the_slot_is_the_same_in_other_signs(hand: Any) -> None:
    """Case, hyphens and underscores of entity and attribute name one slot."""
    hand.say("Oslo", "Ana home-town")
    assert "Oslo" == hand.stands("ANA home_town")
    hand.reject("Oslo", "ana home_town")
    assert Asserted.HELD is hand.say("oslo", "Ana Home-Town").outcome


def test_a_rejected_value_is_free_elsewhere(hand: Any, other_hand: Any) -> None:
    """A rejection binds in its slot and in its scope, nowhere else."""
    hand.reject("4711", SLOT)
    assert Asserted.STORED is hand.say("4711", "garage code").outcome
    assert Asserted.STORED is other_hand.say("4711").outcome


@ANYBODY
def test_a_lift_needs_the_rejecters_authority(hand: Any, writer: str) -> None:
    """Below it `AccessDenied`, and the rejection binds; from it on the value may be asserted again."""
    rejection = hand.by(PERSON).reject("4711", SLOT)
    who = hand.by(WRITERS[writer])
    before = hand.entries()
    if WRITERS[writer].authority < Authority.PERSON:
        with pytest.raises(AccessDenied):
            who.lift(rejection)
        assert before == hand.entries()
        assert Asserted.HELD is who.say("4711").outcome
    else:
        who.lift(rejection)
        assert Asserted.STORED is who.say("4711").outcome


def test_authority_comes_from_the_access(hand: Any) -> None:
    """What an event says of its actor, id and time is not believed: the store puts in its own."""
    rejection = hand.reject("4711", SLOT)
    agent = hand.by(AGENT)
    forged = replace(agent.lifting(rejection.id), actor=OWNER, id="f" * 32, reason="lifted by the owner")
    with pytest.raises(AccessDenied), hand.store.write(agent.access) as view:
        view.lift(forged)
    with hand.store.write(agent.access) as view:
        laid = view.reject(replace(hand.rejection("1", SLOT), actor=OWNER, id="f" * 32))
    assert (AGENT, True) == (laid.actor, laid.id != "f" * 32)
    with pytest.raises(AccessDenied), hand.store.write(agent.access) as view:
        view.assert_fact(replace(hand.fact("2", trust=Trust.VERIFIED), actor=OWNER))


def test_the_slot_stays_empty_after_a_lift(hand: Any) -> None:
    """A lift brings no value back: it has to be asserted again. Check what `facts.fold` does with it."""
    hand.say("4711")
    rejection = hand.reject("4711", SLOT)
    hand.lift(rejection)
    assert hand.stands() is None
    hand.clock.advance(hours=1)
    assert Asserted.STORED is hand.say("4711").outcome
    assert "4711" == hand.stands()


def test_every_rejection_has_to_be_lifted(hand: Any) -> None:
    """Of two rejections of one value the second binds when the first is lifted, by its own authority."""
    first, second = hand.by(AGENT).reject("4711", SLOT), hand.by(OWNER).reject("4711", SLOT)
    hand.by(AGENT).lift(first)
    assert Asserted.HELD is hand.say("4711").outcome
    with pytest.raises(AccessDenied):
        hand.by(PERSON).lift(second)
    hand.lift(second)
    assert Asserted.STORED is hand.say("4711").outcome


def test_a_lift_names_a_rejection_that_binds(hand: Any, other_hand: Any) -> None:
    """Another id, a foreign one, one that was lifted, what is no id: `NotFound`, in one sentence."""
    lifted, foreign = hand.reject("4711", SLOT), other_hand.reject("4711", SLOT)
    hand.lift(lifted)
    for id in (lifted.id, foreign.id, "0" * 32, "", "no id", lifted.id.upper()):
        with pytest.raises(NotFound) as caught, hand.store.write(hand.access) as view:
            view.lift(hand.lifting(id))
        assert f"no rejection {id!r} binds" == str(caught.value)


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_a_rejection_needs_what_it_rejects(hand: Any, blank: str) -> None:
    """A blank value, a blank slot, words of no record, erased words from outside: `InvalidInput`."""
    whole = hand.rejection("4711", SLOT)
    for wrong in (
        replace(whole, value=blank),
        replace(whole, entity=blank),
        replace(whole, attribute=blank),
        replace(whole, target=Target.WORDS),
        replace(whole, target=Target.ERASED, record_id=hand.put(f"A heron.{blank}")),
    ):
        with pytest.raises(InvalidInput), hand.store.write(hand.access) as view:
            view.reject(wrong)
    assert [] == [each for each in hand.entries() if each.action == "reject"]


def test_rejections_are_listed(hand: Any, restart: Callable[[], Store]) -> None:
    """Those that bind, all that were ever laid, and the lifts: oldest first, as they were returned."""
    record = hand.put(CODE)
    laid = [hand.reject("4711", SLOT, "old"), hand.reject(record, reason="wrong"), hand.reject("1", SLOT)]
    hand.lift(laid[0])
    hand.store = restart()
    with hand.store.read(hand.access) as view:
        assert tuple(laid[1:]) == view.rejections()
        assert tuple(laid) == view.rejections(lifted=True)
        assert [laid[0].id] == [each.rejection for each in view.lifts()]
    assert ("old", "", record) == (laid[0].reason, laid[1].value, laid[1].record_id)


def test_a_rejection_is_known_from_when_it_was_laid(hand: Any) -> None:
    """Before that moment nobody knew: what stood then is what stands in that view."""
    hand.say("4711")
    start = hand.clock.now()
    hand.clock.advance(days=1)
    rejection = hand.reject("4711", SLOT)
    known = hand.clock.now()
    hand.clock.advance(days=1)
    hand.lift(rejection)
    now = hand.clock.now()
    assert ["4711", None, None] == [hand.stands(as_of=AsOf(system=at)) for at in (start, known, now)]
    for at, count in ((start, 0), (known, 1), (now, 0)):
        with hand.store.read(hand.access, AsOf(system=at)) as view:
            assert count == len(view.rejections())


# --- words -------------------------------------------------------------------------------------------

VARIANTS = {
    "the same": CODE,
    "capitals": CODE.upper(),
    "blanks": "  The code\u00a0of the \n shed is 4711",
    "full width": "Ｔｈｅ code of the shed is ４７１１．",
    "invisible": "The co\u200bde of the sh\u00aded is 4711.",
    "quoted": f"“{CODE}”",
}


@pytest.mark.parametrize("variant", VARIANTS)
@ANYBODY
def test_rejected_words_are_held(hand: Any, restart: Callable[[], Store], writer: str, variant: str) -> None:
    """Whoever says them again, from any uri, in any spelling, also in another process: held and counted.

    Check that `put` asks before it looks whether the record is known, and what `text.normal_form` does.
    """
    rejection = hand.forget(hand.put(CODE, "n/1"))
    hand.store = restart()
    who = hand.by(WRITERS[writer])
    assert Result.HELD is who.tell(VARIANTS[variant], "n/2")
    hand.clock.advance(hours=1)
    assert Result.HELD is who.tell(VARIANTS[variant], "n/2")
    assert Result.HELD is who.tell(VARIANTS[variant], "n/3")
    (item,) = hand.queue()
    assert (Waiting.REASSERTION, 3, "n/2") == (item.held.kind, item.seen_count, item.held.uri)
    assert (rejection.id, VARIANTS[variant]) == (item.held.rejection, item.text)
    assert rejection.fingerprints == {"words": item.held.key}
    with hand.store.read(hand.access) as view:
        assert [] == view.lexical(["code", "shed"], 9)
        held = list(view.records(Status.HELD))
        assert ["rejected words"] * 2 == [each.filing.note for each in held]
        assert item.held.record_id == held[0].testimony.id
        assert rejection == view.rejected(hand.access.home, VARIANTS[variant])
    assert hand.store.verify(hand.access).clean


def test_decomposed_words_are_the_same(hand: Any) -> None:
    """Words in one Unicode form are rejected in every other."""
    words = "Zoë sits in the café of the Ångström building"
    hand.forget(hand.put(unicodedata.normalize("NFC", words), "n/1"))
    for form in ("NFD", "NFKC", "NFKD"):
        assert Result.HELD is hand.tell(unicodedata.normalize(form, words), f"n/{form}")


@pytest.mark.parametrize(
    "other",
    [
        "The code of the shed is 4712.",
        "The code of the shed is 47110.",
        "The code of the shed is not 4711.",
        "The code of the house is 4711.",
        "The code of the shed is 4711 or so.",
        "Code of the shed is 4711.",
    ],
)
def test_other_words_are_free(hand: Any, other: str) -> None:
    """Another number, a negation, a word more or less: other words, which nobody rejected."""
    hand.forget(hand.put(CODE))
    assert Result.STORED is hand.tell(other)


def test_the_rejected_record_itself_comes_again(hand: Any) -> None:
    """The same words at the same place are counted; their record stays retracted, and becomes no other."""
    record = hand.put(CODE, "n/1")
    hand.forget(record)
    for count in (1, 2):
        assert Result.HELD is hand.tell(CODE, "n/1")
        assert count == hand.queue()[0].seen_count
    with hand.store.read(hand.access) as view:
        assert Status.RETRACTED is view.get(record).filing.status
        assert 1 == view.count().records


def test_a_file_is_counted_once(hand: Any) -> None:
    """A living document that still holds rejected words is counted once, however often it is read."""
    hand.forget(hand.put(CODE, "n/1"))
    for _ in range(3):
        assert Result.HELD is hand.tell(CODE, "shed.md", kind="markdown")
    assert Result.HELD is hand.tell(CODE, "other.md", kind="markdown")
    assert 2 == hand.queue()[0].seen_count


def test_words_are_rejected_in_their_scope(hand: Any, other_hand: Any) -> None:
    """What one person rejected another may say, and nobody sees whether others did."""
    hand.forget(hand.put(CODE))
    assert Result.STORED is other_hand.tell(CODE)
    with hand.store.read(other_hand.access) as view:
        assert view.rejected(hand.access.home, CODE) is None
        assert view.rejected(other_hand.access.home, CODE) is None
        assert view.rejected(Scope("nobody's"), CODE) is None


@ANYBODY
def test_rejected_words_do_not_become_current(hand: Any, writer: str) -> None:
    """`refile` is no way around: `Conflict` until the rejection is lifted, in the same transaction too."""
    record = hand.put(CODE)
    rejection = hand.forget(record)
    who = hand.by(WRITERS[writer])
    before = hand.entries()
    again = who.next_filing(record, Status.CURRENT)
    with pytest.raises(Conflict), hand.store.write(who.access) as view:
        view.refile(again)
    assert before == hand.entries()
    who.refile(record, Status.RETRACTED, note="still so")
    with hand.store.write(hand.access) as view:
        view.lift(hand.lifting(rejection.id))
        view.refile(replace(again, revision=again.revision + 1, actor=hand.access.actor))
    with hand.store.read(hand.access) as view:
        assert Status.CURRENT is view.get(record).filing.status


def test_lifted_words_are_free(hand: Any) -> None:
    """After a lift the words are stored like any, in the same transaction and after it."""
    rejection = hand.forget(hand.put(CODE, "n/1"))
    with hand.store.write(hand.access) as view:
        assert Result.HELD is view.put(*hand.given(CODE, "n/2"))
        view.lift(hand.lifting(rejection.id))
        assert Result.STORED is view.put(*hand.given(CODE, "n/3"))
    assert Result.STORED is hand.tell(CODE, "n/4")


def test_words_are_rejected_within_a_transaction(hand: Any) -> None:
    """What is rejected earlier in a transaction binds later in it: check what the view keeps in mind."""
    record = hand.put(CODE, "n/1")
    with hand.store.write(hand.access) as view:
        assert Result.STORED is view.put(*hand.given(CODE, "n/2"))
        view.reject(hand.rejection(record))
        assert Result.HELD is view.put(*hand.given(CODE, "n/3"))


def test_held_words_are_rejected_for_good(hand: Any) -> None:
    """An item that was answered `reject` does not wait again, however often its words come."""
    hand.forget(hand.put(CODE, "n/1"))
    hand.tell(CODE, "n/2")
    hand.answer(hand.queue()[0].held.id, Decision.REJECT)
    for number in range(3):
        assert Result.HELD is hand.tell(CODE, f"n/{number}")
    assert () == hand.queue()
    assert 4 == hand.queue(answered=True)[0].seen_count


def test_words_of_a_foreign_record_cannot_be_rejected(hand: Any, other_hand: Any) -> None:
    """A record of another scope, or none, is `NotFound`, also where the caller names a scope of their own."""
    foreign = other_hand.put(CODE)
    for id in (foreign, RecordId("0" * 32)):
        with pytest.raises(NotFound), hand.store.write(hand.access) as view:
            view.reject(hand.rejection(id))


def test_who_sees_two_scopes_rejects_in_the_records(
    make_hand: Callable[[Access], Any], access: Access, foreign: Access
) -> None:
    """Words are rejected where their record stands: naming another readable scope is `NotFound`."""
    both = replace(access, reads=access.reads | foreign.reads, writes=access.writes | foreign.writes)
    writer = make_hand(both)
    record = writer.put(CODE)
    with pytest.raises(NotFound), writer.store.write(both) as view:
        view.reject(replace(writer.rejection(record), scope=foreign.home))
