"""Erased words are nowhere in any store: no view at any moment gives them, and they do not come back.

A test that fails says in its docstring what an implementer should look at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from quoth.core.errors import Conflict, InvalidInput, NotFound
from quoth.core.ports import Embedder, Store
from quoth.core.types import (
    Access,
    AsOf,
    Decision,
    RecordId,
    Result,
    Status,
    Target,
    Waiting,
)

SECRET = "Zora keeps the key under the heron."
SAID = datetime(2023, 5, 8, 12, tzinfo=UTC)
BLOCK = "\u2588"


def test_nothing_is_left_of_a_record(hand: Any, restart: Callable[[], Store]) -> None:
    """Its words, place, speaker, conversation, and notes are gone at every moment; it is filed as erased."""
    more: dict[str, Any] = {"session": "talk", "speaker": "Zora", "said_at": SAID, "kind": "turn"}
    record = hand.put(SECRET, "zora's key", category="secret", note="of Zora", stakes=("heron",), **more)
    hand.refile(record, Status.RETRACTED, note="Zora asked")
    start = hand.clock.now()
    later = hand.clock.advance(days=1)
    assert (record,) == hand.erase(record)
    hand.store = restart()
    for at in (None, start, later):
        with hand.store.read(hand.access, AsOf(system=at)) as view:
            found = view.get(record)
            assert ("", b"", SAID) == (found.testimony.text, found.testimony.salt, found.testimony.said_at)
            words = found.testimony
            assert (f"erased:{record}", None, None) == (words.uri, words.session_id, words.speaker)
            assert ["", "", ""][: len(view.history(record))] == [each.note for each in view.history(record)]
            assert {("", ())} == {(each.category, each.stakes) for each in view.history(record)}
            assert [] == list(view.session("talk"))
            assert {} == view.documents()
            assert () == view.same(hand.access.home, SECRET)
            assert [f"erased:{record}"] == [each.uri for each in view.observations(record)]
            with pytest.raises(NotFound):
                view.document("zora's key")
    with hand.store.read(hand.access) as view:
        last = view.get(record).filing
        assert (Status.ERASED, hand.access.actor, later) == (last.status, last.actor, last.filed_at)
        assert not {"zora", "heron", "key"} & set(view.speakers())
        assert (0, {"heron": 0}) == (view.readable(), view.frequencies(["heron"]))
    assert hand.store.verify(hand.access).counts["erased"]


def test_all_of_the_same_words_go(hand: Any, other_hand: Any) -> None:
    """Every record of the scope with this normal form, whatever its status; others and other scopes stay."""
    record = hand.put(SECRET, "n/1")
    twins = {
        hand.put(SECRET, "n/2"),
        hand.put(SECRET.upper(), "n/3"),
        hand.put(f"“ {SECRET}”", "n/4", status=Status.HELD),
        hand.put(SECRET, "n/5", status=Status.SUPERSEDED),
    }
    hand.refile(record, Status.RETRACTED)
    others = {hand.put("Zora keeps the key under the crane.", "n/6"), hand.put(f"Not so: {SECRET}", "n/7")}
    foreign = other_hand.put(SECRET, "n/8")
    assert {record, *twins} == set(hand.erase(record))
    with hand.store.read(hand.access) as view:
        erased = {each.testimony.id for each in view.records(Status.ERASED)}
        assert ({record, *twins}, others) == (
            erased,
            {each.testimony.id for each in view.records(Status.CURRENT)},
        )
    with other_hand.store.read(other_hand.access) as view:
        assert SECRET == view.get(foreign).testimony.text
        assert view.rejected(other_hand.access.home, SECRET) is None


@pytest.mark.parametrize("again", [SECRET, SECRET.upper(), f"  {SECRET}\n"])
def test_erased_words_are_refused(hand: Any, restart: Callable[[], Store], again: str) -> None:
    """They do not come back, from any place: only a count and the place are kept, once for a living file."""
    record = hand.put(SECRET, "n/1")
    hand.erase(record)
    hand.store = restart()
    kept = everything(hand)
    for number in (1, 2, 2):
        assert Result.REFUSED is hand.tell(again, f"n/{number}")
    for _ in range(3):
        assert Result.REFUSED is hand.tell(again, "zora.md", kind="markdown", whole=f"# Keys\n\n{again}")
    assert kept == everything(hand)
    assert ["hold"] * 4 == [each.action for each in hand.entries()[-4:]]
    assert () == hand.queue()
    (item,) = hand.queue(answered=True)
    assert (Waiting.ERASED, 4, "", None) == (
        item.held.kind,
        item.seen_count,
        item.text,
        item.held.record_id,
    )
    assert (record, "n/1") == (hand_rejection(hand).record_id, item.held.uri)


def hand_rejection(hand: Any) -> Any:
    """The one rejection that binds."""
    with hand.store.read(hand.access) as view:
        (rejection,) = view.rejections()
        assert rejection == view.rejected(hand.access.home, SECRET)
        return rejection


def everything(hand: Any) -> list[Any]:
    """All of records and documents."""
    with hand.store.read(hand.access) as view:
        return [list(view.records()), dict(view.documents()), view.count().passages]


def test_an_erasure_is_a_rejection(hand: Any) -> None:
    """It binds before any other of these words, keeps no words, and nobody lifts it."""
    record = hand.put(SECRET, "n/1")
    hand.forget(record)
    hand.erase(record, "privacy")
    rejection = hand_rejection(hand)
    assert (Target.ERASED, "privacy", "") == (rejection.target, rejection.reason, rejection.value)
    with pytest.raises(InvalidInput):
        hand.lift(rejection)


@pytest.mark.parametrize("reason", [f"because {SECRET}", f"«{SECRET.upper()}»"])
def test_a_reason_that_says_the_words_is_not_kept(hand: Any, reason: str) -> None:
    """The reason stays unless the erased words stand in it."""
    hand.erase(hand.put(SECRET), reason)
    assert "" == hand_rejection(hand).reason


def test_a_document_keeps_its_other_words(hand: Any) -> None:
    """Blocks stand for the erased characters, in every version and under every name of a document.

    Check the bodies of versions in which the record was not read anew, and of those that were moved.
    """
    text = f"# Home\n\n{SECRET}\n\nThe kettle is red."
    given = [
        hand.given(each, "home.md", whole=text, kind="markdown")
        for each in ("# Home", SECRET, "The kettle is red.")
    ]
    with hand.store.write(hand.access) as view:
        for each in given:
            view.put(*each)
    hand.refile(given[1].id, Status.RETRACTED)
    longer = f"{text}\n\nThe lamp is green."
    hand.put("The lamp is green.", "home.md", whole=longer, kind="markdown")
    with hand.store.write(hand.access) as view:
        view.move("home.md", "house.md", hand.clock.now())
    hand.erase(given[1].id)
    with hand.store.read(hand.access) as view:
        for name in ("home.md", "house.md"):
            assert longer.replace(SECRET, BLOCK * len(SECRET)) == view.document(name).text
        kettle = given[2].id
        assert ("home.md", "house.md") == tuple(each.uri for each in view.observations(kettle))
        assert ["# Home", "The kettle is red.", "The lamp is green."] == [
            each.testimony.text for each in view.document_records("house.md")
        ]
        assert "home.md" == view.get(given[1].id).testimony.uri
    documents = everything(hand)[1]
    blocked = longer.replace(SECRET, BLOCK * len(SECRET))
    hand.put("The kettle is red.", "house.md", whole=blocked, kind="markdown")
    assert documents == everything(hand)[1]


def test_words_within_other_words_stay(hand: Any) -> None:
    """A record that quotes erased words keeps its own; what stands beside it is blocked."""
    text = "yes\n\nHe said yes to it.\n\nyes"
    given = [
        hand.given("yes", "talk.md", whole=text, kind="markdown"),
        hand.given("He said yes to it.", "talk.md", whole=text, kind="markdown"),
    ]
    with hand.store.write(hand.access) as view:
        for each in given:
            view.put(*each)
    hand.erase(given[0].id)
    with hand.store.read(hand.access) as view:
        assert f"{BLOCK * 3}\n\nHe said yes to it.\n\n{BLOCK * 3}" == view.document("talk.md").text
        assert "He said yes to it." == view.get(given[1].id).testimony.text


def test_what_others_use_stays(hand: Any) -> None:
    """A speaker, a conversation and a uri stay where another record has them."""
    more: dict[str, Any] = {"session": "talk", "speaker": "Zora", "kind": "turn"}
    record = hand.put(SECRET, "t/1", **more)
    kept = hand.put("Good morning.", "t/2", **more)
    hand.erase(record)
    with hand.store.read(hand.access) as view:
        assert "Zora" in view.speakers()
        assert [kept] == [each.testimony.id for each in view.session("talk")]
        assert [kept] == [each.testimony.id for each in view.neighbours(kept, 9)]
        assert ("talk", "Zora") == (
            (words := view.get(kept).testimony).session_id,
            words.speaker,
        )
        assert None is view.get(record).testimony.session_id
    later = hand.put("Good night.", "t/3", session="another", speaker="Yuri", kind="turn")
    with hand.store.read(hand.access) as view:
        assert [record] == [each.testimony.id for each in view.neighbours(record, 9)]
        assert [later] == [each.testimony.id for each in view.session("another")]


def test_a_heading_is_found_no_more(hand: Any) -> None:
    """Words of an erased heading are not among those by which the paragraphs below it are found."""
    text = "# Zora's heron\n\nUnder the stone, on 8 May 2023."
    given = [
        hand.given(each, "keys.md", whole=text, kind="markdown")
        for each in ("# Zora's heron", "Under the stone, on 8 May 2023.")
    ]
    with hand.store.write(hand.access) as view:
        for each in given:
            view.put(*each)
    with hand.store.read(hand.access) as view:
        assert 2 == view.frequencies(["heron"])["heron"]
    hand.erase(given[0].id)
    hand.store.purge(hand.access, [given[0].id])
    with hand.store.read(hand.access) as view:
        assert {"heron": 0, "stone": 1} == view.frequencies(["heron", "stone"])
        day = SAID.date().toordinal()
        assert [(day, day)] == [(each.first_day, each.last_day) for each in view.dated([(day, day)], 0)]


def test_what_was_said_about_it_goes_too(hand: Any) -> None:
    """Facts that cite it, what waits because of it with the answers, and rejections of its words."""
    record, other = hand.put(SECRET, "n/1"), hand.put("The kettle is red.", "n/2")
    hand.say("heron", "key place", evidence=[record])
    hand.say("red", "kettle colour", evidence=[other])
    hand.reject("heron pond", "key place")
    item = hand.hold(Waiting.CONTRADICTION, record_id=other, against=record).held.id
    hand.answer(item, Decision.KEEP)
    kept = hand.hold(Waiting.SUSPICIOUS, record_id=other).held.id
    hand.lift(hand.reject(record))
    hand.erase(record)
    with hand.store.read(hand.access) as view:
        assert ["red"] == [each.value for each in view.facts()]
        assert ["heron pond"] == [each.value for each in view.fact_events("key", "place")]
        assert [kept] == [each.held.id for each in view.reviews(answered=True)]
        assert [Target.VALUE, Target.ERASED] == [each.target for each in view.rejections(lifted=True)]
        assert () == view.lifts()
    assert hand.store.verify(hand.access).counts["sealed"]


def test_a_vector_that_comes_too_late_is_dropped(hand: Any, embedder: Embedder) -> None:
    """Words are embedded after they were read: a vector of words that are erased by then is not kept."""
    record = hand.put(SECRET)
    [(passage, text)] = hand.store.unembedded(hand.access, 9)
    made = embedder.embed([text], "passage")
    hand.erase(record)
    with hand.store.write(hand.access) as view:
        view.index(embedder.name, [(passage, made[0])])
    with hand.store.read(hand.access) as view:
        assert [b""] == view.token_bits([passage])
        assert [] == view.dense(hand.vector(SECRET), 9)
        assert 0 == view.pending()


def test_an_erased_record_stays_so(hand: Any) -> None:
    """It cannot be refiled; only `erase` files one as erased; once more it writes nothing."""
    record, other = hand.put(SECRET, "n/1"), hand.put("The kettle is red.", "n/2")
    hand.erase(record)
    before = hand.entries()
    assert (record,) == hand.erase(record)
    for id, status in ((record, Status.CURRENT), (record, Status.RETRACTED), (other, Status.ERASED)):
        with pytest.raises(Conflict):
            hand.refile(id, status)
    with pytest.raises(NotFound):
        hand.hold(record_id=record)
    assert before == hand.entries()


def test_erasing_takes_a_transaction(hand: Any, store: Store) -> None:
    """A transaction that raises destroys nothing."""
    record = hand.put(SECRET, "n/1")
    before = everything(hand)

    def failing() -> None:
        with store.write(hand.access) as view:
            view.erase(record, "asked for")
            assert "" == view.get(record).testimony.text
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert before == everything(hand)
    assert Result.DUPLICATE is hand.tell(SECRET, "n/1")


def test_others_erase_nothing(
    hand: Any, make_hand: Callable[[Access], Any], access: Access, foreign: Access
) -> None:
    """Who reads two scopes erases in the one where the record stands, and what is absent is `NotFound`."""
    both = make_hand(
        replace(access, reads=access.reads | foreign.reads, writes=access.writes | foreign.writes)
    )
    mine, theirs = both.put(SECRET), both.put(SECRET, scope=foreign.home)
    assert (mine,) == both.erase(mine)
    with both.store.read(both.access) as view:
        assert SECRET == view.get(theirs).testimony.text
    with pytest.raises(NotFound):
        both.erase(RecordId("0" * 32))


def test_a_chain_of_erased_words_holds(hand: Any) -> None:
    """After many erasures every chain verifies, and each record is called erased."""
    for number in range(4):
        hand.put(f"Kettle {number}.", f"k/{number}", session="talk", speaker="Zora", kind="turn")
        record = hand.put(f"Heron {number}.", f"h/{number}")
        hand.refile(record, Status.RETRACTED)
        hand.erase(record)
    found = hand.store.verify(hand.access)
    assert ((), 4) == (found.problems, found.counts["erased"])
