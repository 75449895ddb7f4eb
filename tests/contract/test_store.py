"""What a view of any store shows, method by method as its port says.

A test that fails says in its docstring what an implementer should look at.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from quoth.core.errors import InvalidInput, NotFound
from quoth.core.ports import Embedder, Store
from quoth.core.types import Access, Counts, RecordId, Scope, Span, Status

MAY = datetime(2023, 5, 8, 12, tzinfo=UTC)


def words_of(records: Any) -> list[str]:
    """What the records say, in order."""
    return [each.testimony.text for each in records]


def found(store: Store, access: Access, *terms: str, k: int = 50) -> list[str]:
    """The words that a lexical search finds, best first."""
    with store.read(access) as view:
        hits = view.lexical(terms, k)
        return words_of(record for record, _ in view.passages([each.passage for each in hits]))


# --- records -----------------------------------------------------------------------------------------


def test_a_record_comes_back_as_it_was_put(hand: Any, store: Store, access: Access) -> None:
    """`get` gives the very testimony and filing that were put: every field, microseconds and salt too.

    Check the columns of testimony and filing, and that no text is normalised.
    """
    text = "e\u0301 ﬁ\tStraße\r\n 天気 👩‍👩‍👧 \u200f\u202e end "
    given = hand.given(text, "n/ü", session="s", speaker="Zoë", said_at=MAY + timedelta(microseconds=1))
    given = given._replace(
        filing=replace(given.filing, category="c", importance=9, stakes=("health",), pinned=True, note="n")
    )
    with store.write(access) as view:
        assert view.put(*given)
    with store.read(access) as view:
        record = view.get(given.id)
        assert (given.testimony, given.filing) == (record.testimony, record.filing)
        assert (given.seen,) == view.observations(given.id)
        assert (given.filing,) == view.history(given.id)


@pytest.mark.parametrize(
    "wrong", ["0" * 32, "", "zz", "0", "né", "\ud800", "0" * 31, "' OR 1=1 --", "0" * 4_000]
)
def test_an_unknown_id_is_not_found(hand: Any, store: Store, access: Access, wrong: str) -> None:
    """Whatever stands in the place of an id, `get` says `NotFound`."""
    hand.put("Something.")
    with store.read(access) as view, pytest.raises(NotFound):
        view.get(RecordId(wrong))


def test_a_record_has_one_name(hand: Any, store: Store, access: Access) -> None:
    """An id in upper case or with blanks is no id: what is filed under it would not be found by `verify`."""
    record = hand.put("Something.")
    with store.read(access) as view:
        for wrong in (record.upper(), f"{record[:8]} {record[8:]}", f" {record}"):
            with pytest.raises(NotFound):
                view.get(RecordId(wrong))


def test_records_come_in_order(hand: Any, store: Store, access: Access) -> None:
    """`records` gives every record in order of recording, or the other way, or those of one status."""
    ids = [hand.put(f"Record {number}.") for number in range(5)]
    hand.refile(ids[1], Status.RETRACTED)
    hand.refile(ids[3], Status.SUPERSEDED)
    with store.read(access) as view:
        assert ids == [each.testimony.id for each in view.records()]
        assert ids[::-1] == [each.testimony.id for each in view.records(newest_first=True)]
        for status, want in (
            (Status.CURRENT, [ids[0], ids[2], ids[4]]),
            (Status.RETRACTED, [ids[1]]),
            (Status.SUPERSEDED, [ids[3]]),
            (Status.HELD, []),
        ):
            assert want == [each.testimony.id for each in view.records(status)]


def test_history_keeps_every_revision(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """`history` gives all filings, oldest first; `get` the last one."""
    given = hand.given("The code is 4711.")
    record = hand.put("The code is 4711.")
    filings = [given.filing]
    for status in (Status.RETRACTED, Status.CURRENT, Status.HELD):
        clock.advance(hours=1)
        filings.append(hand.refile(record, status, note=f"now {status}"))
    with store.read(access) as view:
        assert tuple(filings) == view.history(record)
        assert filings[-1] == view.get(record).filing


def test_a_superseder_is_known(hand: Any, store: Store, access: Access) -> None:
    """`superseder` gives the record filed in the place of one that is superseded; None of any other."""
    old = hand.put("The code is 4711.")
    new = hand.put("The code is 8128.", supersedes=old)
    hand.refile(old, Status.SUPERSEDED)
    with store.read(access) as view:
        assert (new, None) == (view.superseder(old), view.superseder(new))


# --- documents and sessions --------------------------------------------------------------------------

NOTE = "One heron.\n\nTwo herons.\n\nThree herons."


def test_a_document_is_kept_whole(hand: Any, store: Store, access: Access) -> None:
    """`document` gives the text with all that stands between its records, and what was said of it."""
    given = hand.given("Two herons.", "birds.md", whole=NOTE, kind="markdown", said_at=MAY)
    document = replace(given.document, metadata={"title": "Vögel", "n": ""})
    with store.write(access) as view:
        view.put(document, *given[1:])
    with store.read(access) as view:
        assert document == view.document("birds.md")
        assert {"birds.md": 64} == {uri: len(digest) for uri, digest in view.documents().items()}


def test_the_last_version_of_a_document_counts(hand: Any, store: Store, access: Access) -> None:
    """`document` gives the version that was put last, also where every record of it was heard before.

    Check that a version is kept when a record stands elsewhere in it, although no record is new.
    """
    for text in ("One heron.", "Two herons."):
        hand.put(text, "birds.md", whole="One heron.\n\nTwo herons.", kind="markdown")
    hand.put("Two herons.", "birds.md", kind="markdown")
    with store.read(access) as view:
        assert "Two herons." == view.document("birds.md").text


def test_documents_are_found_by_prefix(hand: Any, store: Store, access: Access) -> None:
    """`documents` lists living documents whose uri starts so; the signs of SQL patterns are letters."""
    for uri in ("a/1", "a/2", "a%", "a_b", "b/1", "ä"):
        hand.put(f"In {uri}.", uri)
    with store.write(access) as view:
        view.retire("a/2")
    with store.read(access) as view:
        for prefix, want in (("a", ["a%", "a/1", "a_b"]), ("a%", ["a%"]), ("a_", ["a_b"]), ("ä", ["ä"])):
            assert want == sorted(view.documents(prefix))
        assert 5 == len(view.documents())


def test_document_records_stand_in_reading_order(hand: Any, store: Store, access: Access) -> None:
    """`document_records` gives the current records by place, whatever the order of putting."""
    for text in ("Three herons.", "One heron.", "Two herons."):
        hand.put(text, "birds.md", whole=NOTE, kind="markdown")
    with store.read(access) as view:
        assert ["One heron.", "Two herons.", "Three herons."] == words_of(view.document_records("birds.md"))
        two = view.document_records("birds.md")[1].testimony.id
        assert [] == view.document_records("nothing.md")
    hand.refile(two, Status.RETRACTED)
    with store.read(access) as view:
        assert ["One heron.", "Three herons."] == words_of(view.document_records("birds.md"))


def test_neighbours_stand_beside(hand: Any, store: Store, access: Access) -> None:
    """`neighbours` gives up to n records on each side, itself in the middle, none of another session."""
    ids = []
    for number in range(7):
        ids.append(hand.put(f"Turn {number}.", f"t/{number}", session="talk"))
        hand.put(f"Elsewhere {number}.", f"e/{number}", session="other")
    with store.read(access) as view:
        for middle, n, want in ((3, 2, ids[1:6]), (0, 2, ids[:3]), (6, 9, ids), (3, 0, [ids[3]])):
            assert want == [each.testimony.id for each in view.neighbours(ids[middle], n)]


def test_neighbours_in_a_document(hand: Any, store: Store, access: Access) -> None:
    """Without a session the neighbours are those of the document, in reading order."""
    for text in ("Three herons.", "One heron.", "Two herons."):
        record = hand.put(text, "birds.md", whole=NOTE, kind="markdown")
    hand.put("No heron.", "other.md")
    with store.read(access) as view:
        assert ["One heron.", "Two herons.", "Three herons."] == words_of(view.neighbours(record, 5))


def test_a_session_is_whole(hand: Any, store: Store, access: Access) -> None:
    """`session` gives the turns in the order in which they were put, across transactions."""
    ids = [hand.put(f"Turn {number}.", f"t/{number}", session="talk") for number in range(4)]
    hand.put("A note.", "talk")
    with store.read(access) as view:
        assert ids == [each.testimony.id for each in view.session("talk")]
        assert [] == list(view.session("no such"))


# --- search ------------------------------------------------------------------------------------------


def test_passages_are_slices(hand: Any, store: Store, access: Access) -> None:
    """`passages` keeps the order asked for, gives the span put, and a repeated id twice."""
    text = "A heron stood. Then a crane came."
    hand.put("A sparrow.")
    record = hand.put(text, passages=[Span(0, 14), Span(15, 33)])
    with store.read(access) as view:
        [crane], [heron] = view.lexical(["crane"], 9), view.lexical(["heron"], 9)
        got = view.passages([crane.passage, heron.passage, crane.passage])
        assert [(15, 33), (0, 14), (15, 33)] == [(each.span.start, each.span.end) for _, each in got]
        assert [record] * 3 == [each.record_id for _, each in got]


def test_search_finds_what_was_just_put(hand: Any, store: Store, access: Access) -> None:
    """Words are found by the first read after the commit, from any number of passages."""
    for number in range(30):
        hand.put(f"Heron {number} with mark m{number}x.")
        assert [f"Heron {number} with mark m{number}x."] == found(store, access, f"m{number}x")
    assert 30 == len(found(store, access, "heron"))


def test_search_gives_k_and_ties_by_number(hand: Any, store: Store, access: Access) -> None:
    """`lexical` and `dense` give the k best; equal scores come in order of passage number, for any k."""
    ids = [hand.put("The same heron.", f"n/{number}") for number in range(12)]
    hand.put("Heron heron heron.")
    hand.embed()
    with store.read(access) as view:
        vector = hand.vector("the same heron")
        for arm in (lambda k: view.lexical(["heron"], k), lambda k: view.dense(vector, k)):
            whole = arm(50)
            assert 13 == len(whole)
            assert sorted(whole, key=lambda hit: (-hit.score, hit.passage)) == whole
            for k in (0, 1, 2, 5, 13):
                assert whole[:k] == arm(k)
        same = [hit.passage for hit in view.dense(vector, 12)]
        assert ids == [record.testimony.id for record, _ in view.passages(same)]


def test_nothing_is_found_by_nothing(hand: Any, store: Store, access: Access) -> None:
    """No terms, unknown terms and an empty store find nothing, and raise nothing."""
    with store.read(access) as view:
        assert ([], [], 0.0, 0) == (
            view.lexical(["heron"], 5),
            view.dense(hand.vector("heron"), 5),
            view.median_chars(),
            view.readable(),
        )
        assert 0 == len(view.turns([], ["heron"], hand.vector("heron")).passage)
        assert Counts(0, 0, 0, 0, 0, 0, view.count().bytes) == view.count()
    hand.put("A heron.")
    with store.read(access) as view:
        assert ([], []) == (view.lexical([], 5), view.lexical(["crane"], 5))
        assert {"crane": 0, "heron": 1} == view.frequencies(["crane", "heron"])


def test_a_wrong_vector_is_refused(hand: Any, store: Store, access: Access) -> None:
    """`dense` says `InvalidInput` for a vector of another length instead of a number without a meaning."""
    hand.put("A heron.")
    hand.embed()
    with store.read(access) as view, pytest.raises(InvalidInput):
        view.dense(np.ones(7, np.float32), 5)


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.RETRACTED, Status.HELD])
def test_only_what_is_current_is_found(hand: Any, store: Store, access: Access, status: Status) -> None:
    """Status is applied inside both arms, before the k best are cut: one current record among 40 is found.

    Check that the mask is applied before the cut, and that `frequencies` counts what is readable.
    """
    for number in range(40):
        record = hand.put("Heron, heron, heron in the reeds.", f"n/{number}")
        hand.refile(record, status)
    kept = hand.put("Somebody saw a heron.")
    hand.embed()
    assert ["Somebody saw a heron."] == found(store, access, "heron", k=1)
    with store.read(access) as view:
        [hit] = view.dense(hand.vector("heron in the reeds"), 1)
        assert kept == view.passages([hit.passage])[0][0].testimony.id
        assert ({"heron": 1, "reed": 0}, 1) == (view.frequencies(["heron", "reed"]), view.readable())
        assert 1 == len(view.turns([hit.passage], ["heron"], None).passage)


def test_a_view_is_a_snapshot(hand: Any, store: Store, access: Access) -> None:
    """A view opened before a write shows nothing of it, in any method, whenever it is first asked.

    Check that caches shared between views are asked for the state of this view's snapshot.
    """
    old = hand.put("A heron.", "n/1")
    hand.embed()
    if getattr(store, "folder", store) is None:
        pytest.skip("in memory there is one connection: who reads keeps writers waiting")
    with store.read(access) as view:
        hand.put("A second heron.", "n/2")
        hand.refile(old, Status.RETRACTED)
        hand.embed()
        assert ["A second heron."] == found(store, access, "heron")
        assert [1, 1] == [len(view.lexical(["heron"], 9)), len(view.dense(hand.vector("heron"), 9))]
        assert {"heron": 1} == view.frequencies(["heron"])
        assert (1, 1, 1) == (view.readable(), view.count().records, len(view.documents()))
        assert [Status.CURRENT] == [each.status for each in view.history(old)]
        assert 1 == len(list(view.ledger(store.origin, access.home)))
    assert ["A second heron."] == found(store, access, "heron")


# --- the whole ---------------------------------------------------------------------------------------


def test_years_speakers_and_lengths(hand: Any, store: Store, access: Access) -> None:
    """`years` ascend, `speakers` begin with the empty name, the median counts code points."""
    said = ((2024, "Zoë", "天気" * 5), (2021, None, "abc"), (2024, "Bo", "one longest text"))
    for year, speaker, text in said:
        hand.put(text, speaker=speaker, said_at=MAY.replace(year=year))
    with store.read(access) as view:
        assert [2021, 2024] == list(view.years())
        assert "" == view.speakers()[0]
        assert ["Bo", "Zoë"] == sorted(each for each in view.speakers() if each)
        assert 10.0 == view.median_chars()
        turns = view.turns([hand.passage("longest")], [], None)
        assert ["Bo"] == [view.speakers()[each] for each in turns.speaker]


def test_counts_add_up(hand: Any, store: Store, access: Access) -> None:
    """`count` says documents, records, passages that are found, current, held and pending ones."""
    ids = [hand.put(f"Record {number}.", f"n/{number}") for number in range(5)]
    hand.refile(ids[0], Status.RETRACTED)
    hand.refile(ids[1], Status.HELD)
    assert 2 == hand.embed(limit=2)
    with store.read(access) as view:
        assert Counts(5, 5, 3, 3, 1, 1, view.count().bytes) == view.count()
        assert view.count().bytes > 0


def test_the_ledger_is_a_chain(hand: Any, store: Store, access: Access) -> None:
    """`ledger` gives entries in order after a number, and `heads` the last one of each readable scope."""
    for number in range(4):
        hand.put(f"Record {number}.")
    entries = hand.entries()
    assert [1, 2, 3, 4] == [each.seq for each in entries]
    assert [each.hash for each in entries[:-1]] == [each.prev for each in entries[1:]]
    assert entries[2:] == hand.entries(after=2)
    with store.read(access) as view:
        assert [(store.origin, access.home, 4, entries[-1].hash)] == [
            (each.origin, each.scope, each.seq, each.hash) for each in view.heads()
        ]
        assert [] == list(view.ledger("another install", access.home))
        assert [] == list(view.ledger(store.origin, Scope("no such scope")))


def test_pending_is_what_waits(hand: Any, store: Store, access: Access, embedder: Embedder) -> None:
    """`unembedded` gives the oldest readable passages with their very words; `pending` counts them."""
    text = "Ein Reiher. 天気 stood. A crane."
    hand.put(text, passages=[Span(0, 11), Span(12, 21), Span(22, 30)])
    hand.put("Later.")
    waiting = store.unembedded(access, 9)
    assert [text[0:11], text[12:21], text[22:30], "Later."] == [words for _, words in waiting]
    assert waiting[:2] == store.unembedded(access, 2)
    with store.read(access) as view:
        assert (4, None) == (view.pending(), view.model())
    hand.embed(limit=3)
    with store.read(access) as view:
        assert (1, embedder.name) == (view.pending(), view.model())
    assert waiting[3:] == store.unembedded(access, 9)
