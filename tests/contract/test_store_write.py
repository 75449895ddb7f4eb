"""What one transaction of any store promises: all or nothing, once, in order, and durable.

A test that fails says in its docstring what an implementer should look at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from quoth.core.errors import Conflict, InvalidInput, NotFound
from quoth.core.ports import Embedder, Store
from quoth.core.types import Access, Embedding, PassageId, Period, RecordId, Result, Scope, Status

NOTE = "One heron.\n\nTwo herons.\n\nThree herons."


def everything(store: Store, access: Access) -> list[object]:
    """What a reader can see, for comparing before and after."""
    with store.read(access) as view:
        records = list(view.records())
        return [
            records,
            [view.history(each.testimony.id) for each in records],
            [view.observations(each.testimony.id) for each in records],
            dict(view.documents()),
            list(view.ledger(store.origin, access.home)),
            view.heads(),
            view.lexical(["heron"], 99),
            replace(view.count(), bytes=0),
            list(view.speakers()),
        ]


def test_the_same_words_are_heard_once(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """`put` of a known record at a known place is a duplicate and writes nothing, whoever reads it when.

    Check the comparison with the last observation, and that no version of the document is added.
    """
    given = hand.given("Two herons.", "birds.md", whole=NOTE, kind="markdown")
    with store.write(access) as view:
        assert Result.STORED is view.put(*given)
        assert Result.DUPLICATE is view.put(*given)
    before = everything(store, access)
    clock.advance(days=1)
    again = hand.given("Two herons.", "birds.md", whole=NOTE, kind="markdown")
    with store.write(access) as view:
        assert Result.DUPLICATE is view.put(*again)
    assert before == everything(store, access)


def test_another_place_is_an_observation(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """A known record at another span is observed there: its filing, time and neighbours stay."""
    record = hand.put("Two herons.", "birds.md", whole=NOTE, kind="markdown")
    with store.read(access) as view:
        before = view.get(record)
    clock.advance(days=1)
    moved = hand.given("Two herons.", "birds.md", whole=f"None.\n\n{NOTE}", kind="markdown")
    with store.write(access) as view:
        assert Result.DUPLICATE is view.put(*moved)
    with store.read(access) as view:
        assert before == view.get(record)
        assert moved.seen == view.observations(record)[-1]
        assert 2 == len(view.observations(record))
        assert moved.document == view.document("birds.md")


def test_what_is_read_in_one_document_stays_with_it(hand: Any, store: Store, access: Access) -> None:
    """Records of one text with other speakers, sessions or times keep their own, and the seal holds.

    Check what of a testimony is kept with its document: another value there is another version.
    """
    given = [
        hand.given("A heron.", "talk", session="s1", speaker="Ann"),
        hand.given("A heron.", "talk", session="s2", speaker="Ben"),
        hand.given("A heron.", "talk", session="s3", said_at=hand.clock.now()),
        hand.given("A heron.", "talk"),
    ]
    with store.write(access) as view:
        for each in given:
            view.put(*each)
    with store.read(access) as view:
        assert [each.testimony for each in given] == [each.testimony for each in view.records()]
    assert (4, True) == (store.verify(access).counts["sealed"], store.verify(access).clean)


def test_one_document_in_two_scopes(
    make_hand: Callable[[Access], Any], store: Store, access: Access, foreign: Access
) -> None:
    """One `Document` put in two scopes in one transaction: each scope has its own record, alone."""
    both = replace(
        access, reads=frozenset({access.home, foreign.home}), writes=frozenset({access.home, foreign.home})
    )
    first = make_hand(both).given("A heron.", "bird")
    second = make_hand(replace(both, home=foreign.home)).given("A heron.", "bird")
    second = second._replace(document=first.document)
    with store.write(both) as view:
        view.put(*first)
        view.put(*second)
    for who, given in ((access, first), (foreign, second)):
        with store.read(who) as view:
            assert [given.testimony] == [each.testimony for each in view.records()]
    assert store.verify(both).clean


def test_a_transaction_sees_its_own_records(hand: Any, store: Store, access: Access) -> None:
    """What was put earlier in a transaction can be read and refiled in it, also in a scope that is new.

    Check that a scope made by this transaction counts among the readable ones.
    """
    given = hand.given("A heron.", "bird.md", kind="markdown")
    with store.write(access) as view:
        view.put(*given)
        assert given.testimony == view.get(given.id).testimony
        assert [given.id] == [each.testimony.id for each in view.document_records("bird.md")]
        view.refile(replace(given.filing, revision=2, status=Status.RETRACTED))
        assert Status.RETRACTED == view.get(given.id).filing.status
    assert ["put", "refile"] == [each.action for each in hand.entries()]


@pytest.mark.parametrize("revision", [0, 1, 3, 99])
def test_a_revision_follows_the_last_one(hand: Any, store: Store, access: Access, revision: int) -> None:
    """`refile` is compare-and-swap: any revision but the next is `Conflict`, and nothing is written."""
    record = hand.put("A heron.")
    before = everything(store, access)
    wrong = replace(hand.next_filing(record, Status.RETRACTED), revision=revision)
    with pytest.raises(Conflict), store.write(access) as view:
        view.refile(wrong)
    assert before == everything(store, access)


def test_of_two_refilings_one_wins(hand: Any, store: Store, access: Access) -> None:
    """Two writers who read the same revision: the second one gets `Conflict`."""
    record = hand.put("A heron.")
    first, second = hand.next_filing(record, Status.RETRACTED), hand.next_filing(record, Status.HELD)
    with store.write(access) as view:
        view.refile(first)
    with pytest.raises(Conflict), store.write(access) as view:
        view.refile(second)
    with store.read(access) as view:
        assert first == view.get(record).filing


def test_valid_time_does_not_end_before_it_starts(hand: Any, store: Store, access: Access) -> None:
    """A period that ends before it starts is `InvalidInput`."""
    record = hand.put("A heron.")
    now = hand.clock.now()
    backwards = Period(now, now.replace(year=now.year - 1))
    with pytest.raises(InvalidInput), store.write(access) as view:
        view.refile(replace(hand.next_filing(record), valid=backwards))


def test_unknown_names_are_not_found(hand: Any, store: Store, access: Access) -> None:
    """`refile`, `move` and `retire` of what is not there are `NotFound`."""
    record = hand.put("A heron.", "bird")
    filing = replace(hand.next_filing(record), record_id=RecordId("0" * 32))
    for write in (
        lambda view: view.refile(filing),
        lambda view: view.move("no such", "other", hand.clock.now()),
        lambda view: view.retire("no such"),
    ):
        with pytest.raises(NotFound), store.write(access) as view:
            write(view)


def test_a_moved_document_keeps_its_records(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """`move` gives the document a new name: ids stay, places are observed there, the old name is empty."""
    ids = [
        hand.put(text, "birds.md", whole=NOTE, kind="markdown") for text in ("One heron.", "Three herons.")
    ]
    at = clock.advance(hours=1)
    with store.write(access) as view:
        view.move("birds.md", "herons.md", at)
    with store.read(access) as view:
        assert ids == [each.testimony.id for each in view.records()]
        assert NOTE == view.document("herons.md").text
        assert ids == [each.testimony.id for each in view.document_records("herons.md")]
        assert ["herons.md"] == list(view.documents())
        assert [] == view.document_records("birds.md")
        first, last = view.observations(ids[1])
        assert replace(first, uri="herons.md", seen_at=at) == last
    with pytest.raises(NotFound), store.write(access) as view:
        view.move("birds.md", "again.md", at)
    assert store.verify(access).clean


def test_a_retired_document_may_come_back(hand: Any, store: Store, access: Access) -> None:
    """`retire` ends a name; the same words put there again make it live again, text and all."""
    hand.put("A heron.", "bird.md", kind="markdown")
    with store.write(access) as view:
        view.retire("bird.md")
    with store.read(access) as view:
        assert {} == dict(view.documents())
    with pytest.raises(NotFound), store.write(access) as view:
        view.retire("bird.md")
    hand.put("A heron.", "bird.md", kind="markdown")
    with store.read(access) as view:
        assert ["bird.md"] == list(view.documents())
        assert "A heron." == view.document("bird.md").text


class Stop(Exception):
    """Raised in the middle of a transaction."""


def test_what_raises_leaves_nothing(hand: Any, store: Store, access: Access, embedder: Embedder) -> None:
    """A transaction that raises is undone whole: rows, ledger, full-text, filings, vectors, caches.

    The view searches before it raises: check that derived indices hold what is committed alone.
    """
    old = hand.put("One heron.", "birds.md", kind="markdown")
    before = everything(store, access)
    waiting = store.unembedded(access, 9)
    vector = embedder.embed(["One heron."], "passage")[0]

    def all_of_it() -> None:
        with store.write(access) as view:
            view.index(embedder.name, [(waiting[0][0], vector)])
            view.refile(hand.next_filing(old, Status.RETRACTED))
            view.put(*hand.given("Two herons.", "more.md", speaker="Zora", session="s"))
            view.move("birds.md", "other.md", hand.clock.now())
            view.retire("more.md")
            view.lexical(["heron"], 9)
            view.dense(hand.vector("heron"), 9)
            view.pending()
            view.wordpieces([1])
            raise Stop

    for _ in range(2):
        with pytest.raises(Stop):
            all_of_it()
        assert before == everything(store, access)
        assert waiting == store.unembedded(access, 9)
        with store.read(access) as view:
            assert ([], None) == (view.dense(hand.vector("heron"), 9), view.model())
    hand.put("Two herons.", "more.md")
    assert 2 == hand.embed()
    with store.read(access) as view:
        assert 2 == len(view.dense(hand.vector("herons"), 9))
    assert (True, "ok") == (store.verify(access).clean, store.verify(access).index)


def test_a_failed_call_can_be_left_behind(hand: Any, store: Store, access: Access) -> None:
    """A caller that handles `NotFound` or `Conflict` inside goes on, and the rest is kept."""
    with store.write(access) as view:
        view.put(*hand.given("A heron."))
        with pytest.raises(NotFound):
            view.retire("no such")
        view.put(*hand.given("A crane."))
    assert ["put", "put"] == [each.action for each in hand.entries()]
    assert store.verify(access).clean


def test_actors_and_scopes_have_their_own_entries(
    make_hand: Callable[[Access], Any], store: Store, access: Access
) -> None:
    """One chain a scope: writers in two scopes do not count into one another's."""
    work = replace(access, home=Scope("work"), reads=frozenset({Scope("work")}))
    work = replace(work, writes=work.reads, surface="cli")
    for number in range(3):
        make_hand(access).put(f"Home {number}.")
        make_hand(work).put(f"Work {number}.")
    assert [1, 2, 3] == [each.seq for each in make_hand(access).entries()]
    assert [("cli", 1), ("cli", 2), ("cli", 3)] == [
        (each.surface, each.seq) for each in make_hand(work).entries()
    ]


# --- vectors -----------------------------------------------------------------------------------------


def test_vectors_are_of_one_model(hand: Any, store: Store, access: Access, embedder: Embedder) -> None:
    """The first model that writes vectors is the store's; another name or length is `InvalidInput`.

    Nothing of the refused batch is kept.
    """
    for number in range(4):
        hand.put(f"Heron {number}.")
    assert 1 == hand.embed(limit=1)
    waiting = [PassageId(each) for each, _ in store.unembedded(access, 9)]
    good = embedder.embed(["Heron 1."], "passage")[0]
    short = Embedding(np.ones(8, np.float32) / np.float32(np.sqrt(8)))
    for model, batch in (
        ("another-model", [(waiting[0], good)]),
        (embedder.name, [(waiting[0], good), (waiting[1], short)]),
    ):
        with pytest.raises(InvalidInput), store.write(access) as view:
            view.index(model, batch)
        assert waiting == [each for each, _ in store.unembedded(access, 9)]
    with store.read(access) as view:
        assert (embedder.name, 1) == (view.model(), len(view.dense(hand.vector("heron"), 9)))


def test_a_vector_is_kept_once(hand: Any, store: Store, access: Access, embedder: Embedder) -> None:
    """A passage that has its vector keeps it: two processes that embed the same do no harm."""
    hand.put("A heron.")
    passage = store.unembedded(access, 1)[0][0]
    hand.embed()
    with store.write(access) as view:
        view.index(embedder.name, [(passage, embedder.embed(["A crane."], "passage")[0])])
    with store.read(access) as view:
        [hit] = view.dense(hand.vector("A heron."), 9)
        assert 1.0 == pytest.approx(hit.score, abs=0.02)


def test_the_dense_arm_is_exact(hand: Any, store: Store, access: Access, embedder: Embedder) -> None:
    """`dense` is the cosine of the embedder's vectors but for the rounding to eight bits."""
    texts = [f"Heron number {number} and crane {number % 7} in pond {number % 5}." for number in range(40)]
    ids = {hand.put(text, f"n/{at}"): text for at, text in enumerate(texts)}
    hand.embed(limit=13)
    hand.embed()
    query = hand.vector("crane 3 in pond 4")
    with store.read(access) as view:
        hits = view.dense(query, 40)
        got = {
            record.testimony.id: hit.score
            for hit, (record, _) in zip(hits, view.passages([hit.passage for hit in hits]), strict=True)
        }
    true = {each: float(embedder.embed([text], "passage")[0].vector @ query) for each, text in ids.items()}
    assert {each for each, value in true.items() if value > 0.02} <= set(got)
    for each, score in got.items():
        assert true[each] == pytest.approx(score, abs=0.015)


def test_closing_twice_is_fine(store: Store) -> None:
    """`close` may be called again."""
    store.close()
    store.close()


def test_vectors_of_an_undone_transaction_are_gone(
    hand: Any, store: Store, access: Access, embedder: Embedder
) -> None:
    """Vectors that were written, searched and undone leave no trace; others take their place in the rows.

    Check that what is copied into a derived index is bounded by what was committed before.
    """
    for word in ("heron", "crane", "kettle"):
        hand.put(f"A {word}.")
    one, two, three = store.unembedded(access, 9)

    def embed(view: Any, passage: tuple[PassageId, str]) -> None:
        view.index(embedder.name, [(passage[0], embedder.embed([passage[1]], "passage")[0])])

    def undone() -> None:
        with store.write(access) as view:
            embed(view, two)
            view.dense(hand.vector("crane"), 9)
            raise Stop

    with store.write(access) as view:
        embed(view, one)
    with pytest.raises(Stop):
        undone()
    with store.write(access) as view:
        embed(view, three)
    with store.read(access) as view:
        assert {one[0], three[0]} == {
            hit.passage for word in ("heron", "kettle") for hit in view.dense(hand.vector(f"A {word}."), 1)
        }
        assert 1 == view.pending()
    assert [two] == store.unembedded(access, 9)
    assert "ok" == store.verify(access).index
