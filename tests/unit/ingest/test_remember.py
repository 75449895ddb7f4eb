"""What is remembered, and what reading again means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from quoth.core import rules
from quoth.core.errors import AccessDenied, InvalidInput, StoreUnavailable
from quoth.core.policy import GatePolicy, Policy
from quoth.core.types import Access, Document, Period, Receipt, Result, Scope, Source, Status
from quoth.ingest.remember import BATCH_RECORDS, remember

POLICY = Policy()


class Hear:
    """Remembers in one store as one caller."""

    def __init__(self, store: Any, access: Access, clock: Any) -> None:
        self.store, self.access, self.clock = store, access, clock

    def __call__(self, *documents: Document) -> Receipt:
        return remember(self.store, self.access, self.clock, POLICY, documents)

    def current(self, uri: str) -> list[str]:
        """The words of a document's current records, in order."""
        with self.store.read(self.access) as view:
            return [each.testimony.text for each in view.document_records(uri)]

    def entries(self) -> int:
        """How long the chain is."""
        with self.store.read(self.access) as view:
            return sum(head.seq for head in view.heads())

    def clean(self) -> bool:
        """Whether every record and chain is as it was sealed."""
        return bool(self.store.verify(self.access).clean)


@pytest.fixture
def hear(store: Any, access: Access, clock: Any) -> Hear:
    """Remember and look."""
    return Hear(store, access, clock)


def results(receipt: Receipt) -> list[str]:
    """The outcomes by name."""
    return [each.outcome.value for each in receipt.outcomes]


def test_a_note_is_kept_with_all_that_is_known_of_it(hear: Hear) -> None:
    """Words, place, speaker, session, time and source are stored as they came."""
    said = datetime(2026, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=2)))
    document = Document(
        " I like tea. ", "chat:1", kind="turn", session_id="s", speaker="assistant", said_at=said
    )
    receipt = hear(document)
    assert results(receipt) == ["stored"]
    record_id = receipt.outcomes[0].record_id
    assert record_id == rules.record_id(Scope("user:ana"), "chat:1", "s", "I like tea.", 0, "assistant")
    with hear.store.read(hear.access) as view:
        record = view.get(record_id)
        (seen,) = view.observations(record_id)
        assert view.document("chat:1").text == " I like tea. "
    words = record.testimony
    assert (words.text, words.uri, words.session_id, words.speaker) == (
        "I like tea.",
        "chat:1",
        "s",
        "assistant",
    )
    assert words.said_at == said
    assert words.source is Source.ASSISTANT
    assert words.recorded_at == hear.clock.now()
    assert (seen.span.start, seen.span.end, seen.lines.first, seen.lines.last) == (1, 12, 1, 1)
    assert record.filing.status is Status.CURRENT
    assert record.filing.valid.start == said
    assert hear.clean()


def test_the_same_again_changes_nothing(hear: Hear) -> None:
    """The same documents twice are duplicates: no record, no observation, no ledger entry (field case 56)."""
    documents = [
        Document("Ana's dentist is Dr. Okafor."),
        Document("tea", "n:1"),
        Document("# A\n\nb\n\nb\n", "/a.md", kind="markdown"),
        Document("one\n\ntwo", "/a.txt", kind="text"),
    ]
    assert results(hear(*documents)) == ["stored"] * 7
    entries = hear.entries()
    again = hear(*documents)
    assert set(results(again)) == {"duplicate"}
    assert entries == hear.entries()
    assert hear.clean()


def test_other_words_at_the_uri_of_a_note_are_another_record(hear: Hear) -> None:
    """A note is said once: a second one at its place leaves the first one alone (field case 60)."""
    first = hear(Document("Parking is allowed.", "n:1")).outcomes[0].record_id
    assert results(hear(Document("Parking is not allowed.", "n:1"))) == ["stored"]
    with hear.store.read(hear.access) as view:
        assert view.get(first).filing.status is Status.CURRENT
    assert hear.clean()


def test_other_words_at_the_uri_of_a_file_are_an_edit(hear: Hear) -> None:
    """A markdown or text document is read again: what changed is superseded, nothing else."""
    old = hear(Document("one\n\ntwo\n\nthree", "/a.txt", kind="text"))
    receipt = hear(Document("one\n\n2\n\nthree", "/a.txt", kind="text"))
    assert results(receipt) == ["duplicate", "stored", "duplicate"]
    assert hear.current("/a.txt") == ["one", "2", "three"]
    with hear.store.read(hear.access) as view:
        assert view.superseder(old.outcomes[1].record_id) == receipt.outcomes[1].record_id
        assert view.get(old.outcomes[1].record_id).filing.status is Status.SUPERSEDED
    assert hear.clean()


def test_a_file_without_a_uri_is_never_an_edit(hear: Hear) -> None:
    """Its name follows from its words, so other words are another document."""
    hear(Document("one\n\ntwo", kind="text"))
    assert results(hear(Document("one\n\n2", kind="text"))) == ["stored", "stored"]
    assert hear.clean()


def test_refused_documents_are_outcomes_and_the_others_are_kept(hear: Hear) -> None:
    """One refusal costs one document (field case 26: neighbours are unaffected)."""
    receipt = hear(Document("a"), Document("b\0"), Document(" "), Document("c\ud800"), Document("d"))
    assert results(receipt) == ["stored", "refused", "refused", "refused", "stored"]
    assert [each.why for each in receipt.outcomes[1:4]] == [
        "holds NUL characters",
        "empty",
        "holds lone surrogates",
    ]
    assert [each.record_id for each in receipt.outcomes[1:4]] == [None] * 3


def test_what_is_refused_opens_no_transaction(access: Access, clock: Any) -> None:
    """A refusal needs no store."""
    policy = Policy(gate=GatePolicy(max_document=3))
    receipt = remember(None, access, clock, policy, [Document("long")])  # type: ignore[arg-type]
    assert receipt.count(Result.REFUSED) == 1


def test_a_naive_time_is_a_mistake(hear: Hear) -> None:
    """A time without an offset is refused before anything is stored."""
    with pytest.raises(InvalidInput, match="needs an offset"):
        hear(Document("a"), Document("b", said_at=datetime(2026, 1, 1)))  # noqa: DTZ001
    assert hear.entries() == 0


def test_a_scope_that_is_not_writable_is_denied(hear: Hear) -> None:
    """Nothing is read from the documents when the caller may not write."""
    hear.access = replace(hear.access, writes=frozenset())
    with pytest.raises(AccessDenied):
        hear(Document("a"))


def test_an_edit_looks_at_its_own_scope_only(hear: Hear) -> None:
    """The same file in another readable scope is another document: nothing of it is superseded."""
    other = Scope("project:x")
    both = frozenset({*hear.access.reads, other})
    hear(Document("one\n\ntwo", "/a.txt", kind="text"))
    hear.access = replace(hear.access, reads=both, writes=both, home=other)
    assert results(hear(Document("one\n\n2", "/a.txt", kind="text"))) == ["stored", "stored"]
    with hear.store.read(hear.access) as view:
        assert sum(1 for _ in view.records(Status.CURRENT)) == 4
    assert hear.clean()


def test_many_documents_share_transactions(hear: Hear) -> None:
    """Bulk is written about a thousand records at a time, read as a stream."""
    opened: list[int] = []
    read = 0

    class Counting:
        def write(self, access: Access) -> AbstractContextManager[Any]:
            opened.append(read)
            manager: AbstractContextManager[Any] = hear.store.write(access)
            return manager

    def documents() -> Iterator[Document]:
        nonlocal read
        for at in range(2 * BATCH_RECORDS + 1):
            read += 1
            yield Document(f"note {at}")

    receipt = remember(Counting(), hear.access, hear.clock, POLICY, documents())  # type: ignore[arg-type]
    assert receipt.count(Result.STORED) == 2 * BATCH_RECORDS + 1
    assert opened == [BATCH_RECORDS, 2 * BATCH_RECORDS, 2 * BATCH_RECORDS + 1]


def test_a_store_that_fails_acknowledges_nothing(hear: Hear) -> None:
    """The error travels, and the document is not half there."""

    class Failing:
        def write(self, access: Access) -> AbstractContextManager[Any]:
            raise StoreUnavailable("full")

    with pytest.raises(StoreUnavailable):
        remember(Failing(), hear.access, hear.clock, POLICY, [Document("a")])  # type: ignore[arg-type]
    assert hear.entries() == 0


def test_no_documents_are_no_outcomes(hear: Hear) -> None:
    """Nothing in, nothing out."""
    assert hear() == Receipt(())


def test_no_name_is_nobody(hear: Hear) -> None:
    """An empty speaker or session is none: what was sealed verifies, and the same again is a duplicate."""
    for kind in ("note", "text"):
        empty = Document("tea", "n:" + kind, kind, session_id="", speaker="")
        assert results(hear(empty)) == ["stored"]
        assert results(hear(replace(empty, session_id=None, speaker=None))) == ["duplicate"]
    assert results(hear(Document("tea", speaker=""), Document("tea"))) == ["stored", "duplicate"]
    with hear.store.read(hear.access) as view:
        assert {(each.testimony.speaker, each.testimony.session_id) for each in view.records()} == {
            (None, None)
        }
    assert hear.clean()


@pytest.mark.parametrize("uri", ["chat", ""])
def test_the_same_words_at_another_time_are_said_again(hear: Hear, uri: str) -> None:
    """At one place each time of saying is a record of its own; read again, each is a duplicate."""
    monday, tuesday = datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 1, 6, tzinfo=UTC)
    said = [
        Document("Yes.", uri, "turn", "s", "Ana", monday),
        Document("Yes.", uri, "turn", "s", "Ana", tuesday),
        Document("Yes.", uri, "turn", "s", "Ana"),
        Document("Yes.", uri, "turn", "s", "Ben", monday),
    ]
    assert results(hear(*said)) == ["stored"] * 4
    entries = hear.entries()
    with hear.store.read(hear.access) as view:
        documents = view.count().documents
    assert results(hear(*said)) == ["duplicate"] * 4
    assert results(hear(*said[::-1])) == ["duplicate"] * 4
    assert entries == hear.entries()
    with hear.store.read(hear.access) as view:
        assert documents == view.count().documents
        assert {(each.testimony.speaker, each.testimony.said_at) for each in view.records()} == {
            ("Ana", monday),
            ("Ana", tuesday),
            ("Ana", None),
            ("Ben", monday),
        }
    assert hear.clean()


def test_repeated_paragraphs_at_another_time(hear: Hear) -> None:
    """Each reading of a text without a name counts its own repetitions."""
    first = Document("b\n\nb", kind="text", said_at=datetime(2026, 1, 5, tzinfo=UTC))
    second = replace(first, said_at=datetime(2026, 1, 6, tzinfo=UTC))
    ids = {each.record_id for document in (first, second) for each in hear(document).outcomes}
    assert len(ids) == 4
    assert set(results(hear(second, first))) == {"duplicate"}
    assert hear.clean()


def test_words_that_moved_in_a_note_are_seen_there(hear: Hear) -> None:
    """The same words at another place of the same note are a duplicate with one more observation."""
    hear(Document("tea", "n:1"))
    receipt = hear(Document("\n tea", "n:1"))
    assert results(receipt) == ["duplicate"]
    with hear.store.read(hear.access) as view:
        assert [each.span.start for each in view.observations(receipt.outcomes[0].record_id)] == [0, 2]
    assert hear.clean()


def test_a_note_about_the_future_is_found_at_once(hear: Hear) -> None:
    """A date that is still to come hides nothing."""
    ahead = hear.clock.now() + timedelta(days=9)
    hear(
        Document("The heron comes.", "n:1", said_at=ahead),
        Document("x\n\ny", "/a.md", "text", None, None, ahead),
    )
    with hear.store.read(hear.access) as view:
        assert view.readable() == 3


def test_one_note_said_by_two_is_two_records(hear: Hear) -> None:
    """The same words by another speaker, at one place or two, or in another session stay as they came."""
    hear(
        Document("Yes.", "c:1", kind="turn", session_id="s", speaker="Ben"),
        Document("Yes.", "c:1", kind="turn", session_id="s", speaker="Ana"),
        Document("Yes.", "c:2", kind="turn", session_id="s", speaker="Ben"),
        Document("Yes.", "c:1", kind="turn", session_id="t", speaker="Ben"),
    )
    with hear.store.read(hear.access) as view:
        assert sorted((each.testimony.speaker, each.testimony.session_id) for each in view.records()) == [
            ("Ana", "s"),
            ("Ben", "s"),
            ("Ben", "s"),
            ("Ben", "t"),
        ]
    assert hear.clean()


def test_a_valid_time_is_kept_as_it_was_given(hear: Hear) -> None:
    """A writer says when words are true; an end alone is since they were said, or since ever."""
    now, later = hear.clock.now(), hear.clock.now() + timedelta(days=9)
    past = now - timedelta(days=9)
    given = {
        "from": Period(past, None),
        "both": Period(past, later),
        "to come": Period(None, later),
        "over": Period(None, past),
    }
    receipt = hear(*(Document(uri, uri, valid=valid) for uri, valid in given.items()))
    with hear.store.read(hear.access) as view:
        found = [view.get(each.record_id).filing.valid for each in receipt.outcomes if each.record_id]
    assert [Period(past), Period(past, later), Period(now, later), Period(None, past)] == found
    with pytest.raises(InvalidInput, match="ends before it starts"):
        hear(Document("x", valid=Period(later, past)))
    with pytest.raises(InvalidInput, match="offset"):
        hear(Document("x", valid=Period(datetime(2026, 1, 1), None)))  # noqa: DTZ001


def test_a_duplicate_says_what_stays_as_it_was(hear: Hear) -> None:
    """The same words with another valid time, and words that no longer stand, are duplicates that say so."""
    now = hear.clock.now()
    note = Document("tea", "n:1", valid=Period(None, now + timedelta(days=9)))
    hear(note)
    hear.clock.advance(days=1)
    assert "heard before" == hear(note).outcomes[0].why
    other = replace(note, valid=Period(None, now + timedelta(days=5)))
    assert "heard before; its valid time stays what it was" == hear(other).outcomes[0].why
    hear.clock.advance(days=9)
    assert "heard before; it is expired and stays so" == hear(note).outcomes[0].why
    assert hear.clean()


def test_erased_paragraphs_of_a_text_without_a_name_are_refused(hear: Hear) -> None:
    """A text of several records that is never edited is kept without what was erased."""
    one = hear(Document("tea", "n:1")).outcomes[0].record_id
    with hear.store.write(hear.access) as view:
        view.erase(one, "private")
    receipt = hear(Document("one\n\ntea\n\nthree", kind="text"))
    assert ["stored", "refused", "stored"] == results(receipt)
    with hear.store.read(hear.access) as view:
        (uri,) = view.documents()
        assert "one\n\n███\n\nthree" == view.document(uri).text
    assert ["duplicate", "refused", "duplicate"] == results(
        hear(Document("one\n\ntea\n\nthree", kind="text"))
    )
    assert hear.clean()
