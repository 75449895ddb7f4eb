"""A living document is read again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from quoth.core.policy import Policy
from quoth.core.types import Access, AsOf, Document, Period, Record, RecordId, Status
from quoth.ingest.revise import DELETED, GONE, REPLACED, RETURNED, Revision, retire, revise

URI = "/notes/a.md"


class File:
    """One document in a store, read again and again."""

    def __init__(self, store: Any, access: Access, clock: Any) -> None:
        self.store, self.access, self.clock = store, access, clock
        self.uri = URI

    def read(self, *paragraphs: str, said_at: datetime | None = None, speaker: str | None = None) -> Revision:
        """Read the file as it is now."""
        self.clock.advance(minutes=1)
        document = Document("\n\n".join(paragraphs), self.uri, "markdown", None, speaker, said_at)
        with self.store.write(self.access) as view:
            return revise(view, self.access, self.clock, Policy(), document)

    def ids(self) -> dict[str, RecordId]:
        """Words -> id of the current records, in order."""
        with self.store.read(self.access) as view:
            return {each.testimony.text: each.testimony.id for each in view.document_records(self.uri)}

    def get(self, record_id: RecordId) -> Record:
        """One record."""
        with self.store.read(self.access) as view:
            record: Record = view.get(record_id)
            return record

    def move(self, uri: str) -> None:
        """Give the file another name."""
        self.clock.advance(minutes=1)
        with self.store.write(self.access) as view:
            view.move(self.uri, uri, self.clock.now())
        self.uri = uri

    def delete(self) -> int:
        """The file is gone."""
        self.clock.advance(minutes=1)
        with self.store.write(self.access) as view:
            return retire(view, self.access, self.clock, self.uri)

    def entries(self) -> int:
        """How long the chain is."""
        with self.store.read(self.access) as view:
            return sum(head.seq for head in view.heads())

    def living(self) -> list[str]:
        """Names of living documents."""
        with self.store.read(self.access) as view:
            return sorted(view.documents())


@pytest.fixture
def file(store: Any, access: Access, clock: Any) -> File:
    """A file of three paragraphs, and a check that all is sealed in the end."""
    made = File(store, access, clock)
    made.read("one", "two", "three")
    return made


@pytest.fixture(autouse=True)
def sealed(file: File) -> Any:
    """Whatever a test did, every record and chain verifies."""
    yield
    found = file.store.verify(file.access)
    assert found.clean, (found.problems, found.verdicts)


def test_a_paragraph_inserted_on_top_leaves_all_others_alone(file: File) -> None:
    """Ids, filings and words stay; only the place where they were seen moves."""
    before = file.ids()
    revision = file.read("zero", "one", "two", "three")
    assert (revision.superseded, revision.retracted) == (0, 0)
    assert [each.outcome.value for each in revision.outcomes] == [
        "stored",
        "duplicate",
        "duplicate",
        "duplicate",
    ]
    after = file.ids()
    assert list(after) == ["zero", "one", "two", "three"]
    assert before == {text: after[text] for text in before}
    for record_id in before.values():
        assert file.get(record_id).filing.revision == 1
    with file.store.read(file.access) as view:
        spans = [(each.span.start, each.lines.first) for each in view.observations(before["one"])]
    assert spans == [(0, 1), (6, 3)]


def test_what_changed_is_superseded_and_nothing_else(file: File) -> None:
    """An edited paragraph's record points to the old one, which is kept."""
    before = file.ids()
    revision = file.read("one", "two and a half", "three")
    assert (revision.superseded, revision.retracted) == (1, 0)
    old = file.get(before["two"])
    assert (old.filing.status, old.filing.note, old.testimony.text) == (Status.SUPERSEDED, REPLACED, "two")
    new = file.get(file.ids()["two and a half"])
    assert new.filing.supersedes == before["two"]
    assert file.get(before["one"]).filing.revision == 1


def test_what_went_is_retracted(file: File) -> None:
    """A removed paragraph without a successor is retracted with a note."""
    before = file.ids()
    revision = file.read("one", "three")
    assert (revision.superseded, revision.retracted) == (0, 1)
    filing = file.get(before["two"]).filing
    assert (filing.status, filing.note) == (Status.RETRACTED, GONE)


def test_a_removed_end_is_noticed_once(file: File) -> None:
    """When only words go, the document is its new version: a second look writes nothing."""
    file.read("one", "two")
    entries = file.entries()
    assert file.read("one", "two").retracted == 0
    assert entries == file.entries()
    with file.store.read(file.access) as view:
        assert view.document(URI).text == "one\n\ntwo"


def test_a_paragraph_that_moves_is_the_same_record(file: File) -> None:
    """Order is no part of what a record is."""
    before = file.ids()
    revision = file.read("three", "one", "two")
    assert (revision.superseded, revision.retracted) == (0, 0)
    assert before == file.ids()
    assert list(file.ids()) == ["three", "one", "two"]


def test_words_that_return_are_current_again(file: File) -> None:
    """A-B-A is one record, whose filings keep the three intervals."""
    first = file.ids()["two"]
    file.read("one", "B", "three")
    second = file.ids()["B"]
    revision = file.read("one", "two", "three")
    assert revision.superseded == 1
    assert file.ids()["two"] == first
    with file.store.read(file.access) as view:
        assert [each.status for each in view.history(first)] == [
            Status.CURRENT,
            Status.SUPERSEDED,
            Status.CURRENT,
        ]
    assert file.get(first).filing.note == RETURNED
    assert file.get(second).filing.status is Status.SUPERSEDED
    with file.store.read(file.access) as view:
        assert view.superseder(second) == first


def test_a_changed_date_goes_for_what_is_new(file: File) -> None:
    """A date that was added or changed is the time of new records; the old ones keep theirs."""
    said = datetime(2020, 1, 2, tzinfo=UTC)
    before = file.ids()
    file.read("one", "two", "three", "four", said_at=said)
    after = file.ids()
    assert file.get(after["four"]).testimony.said_at == said
    assert file.get(before["one"]).testimony.said_at is None


def test_the_same_words_twice_are_two_records(file: File) -> None:
    """A repeated paragraph is counted; taking one away retracts one."""
    file.read("one", "two", "two", "three")
    with file.store.read(file.access) as view:
        ids = [each.testimony.id for each in view.document_records(URI) if each.testimony.text == "two"]
    assert len(set(ids)) == 2
    assert file.read("one", "two", "three").retracted == 1
    assert file.ids()["two"] == ids[0]


def test_valid_time_ends_and_begins_with_a_reading(file: File) -> None:
    """A-B-A has three periods that meet; a period never ends before it starts."""
    said = datetime(2020, 1, 2, tzinfo=UTC)
    moments = [file.clock.now()]
    first = file.ids()["two"]
    file.read("one", "B", "three", said_at=said)
    moments.append(file.clock.now())
    second = file.ids()["B"]
    file.read("one", "two", "three")
    moments.append(file.clock.now())
    with file.store.read(file.access) as view:
        assert [each.valid for each in view.history(first)] == [
            Period(moments[0], None),
            Period(moments[0], moments[1]),
            Period(moments[2], None),
        ]
        assert [each.valid for each in view.history(second)] == [
            Period(moments[1], None),
            Period(moments[1], moments[2]),
        ]
    file.delete()
    assert file.get(first).filing.valid == Period(moments[2], file.clock.now())
    file.clock.advance(days=-9)
    file.read("one", "two", "three", "four")
    ids = file.ids()
    file.clock.advance(days=-9)
    file.read("one")
    for record_id in ids.values():
        valid = file.get(record_id).filing.valid
        assert valid.end is None or valid.end >= valid.start


def test_what_was_true_is_found_as_of_then(file: File) -> None:
    """A superseded record is served for the time before the edit, its superseder for the time after it."""
    before = file.clock.now()
    file.read("one", "B", "three")

    def words(moment: datetime | None) -> list[str]:
        with file.store.read(file.access, AsOf(moment)) as view:
            hits = view.lexical(["two", "b"], 9)
            return [record.testimony.text for record, _ in view.passages([each.passage for each in hits])]

    assert words(before) == ["two"]
    assert words(file.clock.now()) == ["B"]
    assert words(None) == ["B"]


@pytest.mark.parametrize("days", [-9, 9])
def test_an_end_that_somebody_set_stays(file: File, days: int) -> None:
    """What a person says about how long words hold is not undone when a file drops and repeats them."""
    record_id = file.ids()["two"]
    end = file.clock.now() + timedelta(days=days)
    filing = file.get(record_id).filing
    valid = Period(end - timedelta(days=30), end)
    with file.store.write(file.access) as view:
        view.refile(replace(filing, revision=2, filed_at=file.clock.now(), valid=valid))
    file.read("one", "three")
    assert file.get(record_id).filing.valid.end == min(end, file.clock.now())
    file.read("one", "two", "three")
    assert file.get(record_id).filing.valid == Period(valid.start if days < 0 else file.clock.now(), end)


def test_another_speaker_says_other_words(file: File) -> None:
    """The same words by somebody else take the place of the old ones and are theirs."""
    before = file.ids()
    revision = file.read("one", "two", "three", speaker="Zoë")
    assert revision.superseded == 3
    after = file.ids()
    assert not set(before.values()) & set(after.values())
    assert {file.get(each).testimony.speaker for each in after.values()} == {"Zoë"}
    assert file.get(after["two"]).filing.supersedes == before["two"]
    file.read("one", "two", "three")
    assert file.ids() == before


def test_what_a_person_filed_is_not_undone_by_a_file(file: File) -> None:
    """A record that somebody retracted or superseded stays so while the file repeats its words."""
    before = file.ids()
    with file.store.write(file.access) as view:
        for text, status in (("one", Status.RETRACTED), ("two", Status.SUPERSEDED)):
            filing = view.get(before[text]).filing
            view.refile(replace(filing, revision=2, status=status, note="wrong", filed_at=file.clock.now()))
    file.read("new", "one", "two", "two", "three")
    assert file.get(before["one"]).filing.status is Status.RETRACTED
    assert file.get(before["two"]).filing.status is Status.SUPERSEDED
    assert list(file.ids()) == ["new", "two", "three"]


def test_a_document_that_is_gone_may_come_back(file: File) -> None:
    """Deleting retracts every record; the same file again makes the same records current."""
    before = file.ids()
    assert file.delete() == 3
    assert file.living() == []
    assert {DELETED} == {file.get(each).filing.note for each in before.values()}
    file.read("one", "two", "three")
    assert before == file.ids()
    assert file.living() == [URI]


def test_a_moved_document_keeps_its_records_through_later_edits(file: File) -> None:
    """After a rename, unchanged paragraphs keep ids and history; the edit supersedes across the rename."""
    before = file.ids()
    file.move("/notes/b.md")
    assert before == file.ids()
    assert file.living() == ["/notes/b.md"]
    revision = file.read("one", "2", "three", "four")
    assert (revision.superseded, revision.retracted) == (1, 0)
    after = file.ids()
    assert list(after) == ["one", "2", "three", "four"]
    assert (after["one"], after["three"]) == (before["one"], before["three"])
    assert file.get(after["2"]).filing.supersedes == before["two"]
    assert file.get(after["2"]).testimony.uri == "/notes/b.md"
    assert file.get(after["one"]).testimony.uri == URI
    with file.store.read(file.access) as view:
        assert view.document("/notes/b.md").text == "one\n\n2\n\nthree\n\nfour"
    assert file.living() == ["/notes/b.md"]
    file.read("one", "two", "three", "four")
    assert file.ids()["two"] == before["two"]


def test_a_copy_at_the_old_place_is_a_new_document(file: File) -> None:
    """After a move, a file at the old name has records of its own (field cases 84, 92)."""
    before = file.ids()
    file.move("/notes/b.md")
    file.uri = URI
    file.read("one", "two", "three")
    copy = file.ids()
    assert list(copy) == ["one", "two", "three"]
    assert not set(copy.values()) & set(before.values())
    file.read("one", "2", "three")
    assert file.delete() == 3
    file.uri = "/notes/b.md"
    assert before == file.ids()
    assert {Status.CURRENT} == {file.get(each).filing.status for each in before.values()}


def test_a_document_that_moves_back_has_its_records(file: File) -> None:
    """There and back again changes no id."""
    before = file.ids()
    file.move("/notes/b.md")
    file.read("one", "two", "three", "four")
    file.move(URI)
    assert list(file.ids()) == ["one", "two", "three", "four"]
    assert before == {text: file.ids()[text] for text in before}
    file.read("one", "2", "three", "four")
    assert list(file.ids()) == ["one", "2", "three", "four"]
