"""What must hold, as pure functions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quoth.core import ledger, rules, types
from quoth.core.errors import AccessDenied, InvalidInput
from quoth.core.types import (
    Access,
    Actor,
    ActorKind,
    Authority,
    Document,
    Grain,
    Period,
    RecordId,
    Scope,
    Source,
    Standing,
    Status,
)

ANA = Actor("ana", ActorKind.HUMAN, Authority.OWNER)
NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)


@pytest.mark.parametrize("text", ["a", "user:ana", "Project X", "プロジェクト", "a" * 200, "é", "🙂", " a "])
def test_a_scope_is_what_was_written(text: str) -> None:
    """Any name of 1 to 200 characters is a scope, exactly as written."""
    assert text == rules.scope(text)


def test_a_scope_is_composed() -> None:
    """Two ways of writing one letter are one scope; case and compatible forms stay apart."""
    assert rules.scope("u:\u00e9") == rules.scope("u:e\u0301")
    assert rules.scope("A") != rules.scope("a")
    assert rules.scope("ﬁ") != rules.scope("fi")


@pytest.mark.parametrize(
    "text", ["", " ", "\t", "\u3000", "a" * 201, "a\0b", "a\nb", "\x7f", "\x85", "a\ud800"]
)
def test_what_is_no_scope(text: str) -> None:
    """Empty, blank, too long, with control characters or half characters: `InvalidInput`."""
    with pytest.raises(InvalidInput):
        rules.scope(text)


def test_a_scope_is_measured_after_composing() -> None:
    """The limit counts characters as they are kept."""
    assert 200 == len(rules.scope("e\u0301" * 200))


def test_only_writable_scopes_are_written() -> None:
    """Readable is not writable, and a wildcard is a name like others."""
    access = Access(ANA, frozenset({Scope("a"), Scope("b")}), frozenset({Scope("a"), Scope("*")}), Scope("a"))
    rules.may_write(access, Scope("a"))
    for wrong in ("b", "c", "A", "a:x", ""):
        with pytest.raises(AccessDenied, match="'ana'"):
            rules.may_write(access, Scope(wrong))


Parts = tuple[str, str, str | None, str, str | None]
PARTS = st.tuples(
    st.text(max_size=8),
    st.text(max_size=8),
    st.none() | st.text(max_size=8),
    st.text(max_size=8),
    st.none() | st.text(max_size=8),
)


@given(one=PARTS, two=PARTS, n=st.integers(0, 3), m=st.integers(0, 3))
def test_ids_are_equal_where_everything_is(one: Parts, two: Parts, n: int, m: int) -> None:
    """A record's id depends on scope, uri, session, words, number and speaker, and on each by itself."""

    def made(parts: Parts, nth: int) -> RecordId:
        return rules.record_id(Scope(parts[0]), parts[1], parts[2], parts[3], nth, parts[4])

    same = [(*each[:2], each[2] or None, each[3], each[4] or None) for each in (one, two)]
    assert ((same[0], n) == (same[1], m)) == (made(one, n) == made(two, m))
    assert 32 == len(made(one, n)) == len(bytes.fromhex(made(one, n))) * 2


@pytest.mark.parametrize(
    ("uri", "session", "nth", "speaker", "want"),
    [
        ("notes/a.md", None, 0, None, "1fccdc94b8a0c29e66413788c250122c"),
        ("notes/a.md", "", 0, "", "1fccdc94b8a0c29e66413788c250122c"),
        ("chat", "s1", 2, None, "4d51e03c7a1909299c9ca733b7c6d78a"),
        ("chat", "s1", 2, "Zoë", "a508b72cf011ef4aa26a934c67f9bb63"),
    ],
)
def test_an_id_is_the_same_on_every_install(
    uri: str, session: str | None, nth: int, speaker: str | None, want: str
) -> None:
    """The form of an id is part of the format: a change here breaks every store and every sync."""
    assert want == rules.record_id(Scope("user:ana"), uri, session, "Zoë's code is 4711.", nth, speaker)


def test_a_document_without_a_name_is_named_after_its_words() -> None:
    """Text, speaker and session make the name; what has a name keeps it."""
    plain = Document("Hello.")
    names = {
        rules.document_uri(each)
        for each in (
            plain,
            replace(plain, text="Hello!"),
            replace(plain, speaker="Zoë"),
            replace(plain, session_id="s"),
            replace(plain, speaker="", session_id="Zoë"),
        )
    }
    assert 5 == len(names)
    assert all(each.startswith("note:") for each in names)
    assert rules.document_uri(plain) == rules.document_uri(replace(plain, kind="fact", said_at=NOON))
    assert rules.document_uri(plain) == rules.document_uri(replace(plain, speaker="", session_id=""))
    assert "a.md" == rules.document_uri(replace(plain, uri="a.md"))


@pytest.mark.parametrize(
    ("document", "grain", "source"),
    [
        (Document("x"), Grain.PASSAGE, Source.PERSON),
        (Document("x", kind="fact"), Grain.FACT, Source.PERSON),
        (Document("x", kind="fact", speaker="Zoë"), Grain.FACT, Source.PERSON),
        (Document("x", speaker="Zoë"), Grain.TURN, Source.PERSON),
        (Document("x", session_id="s"), Grain.TURN, Source.PERSON),
        (Document("x", speaker="assistant"), Grain.TURN, Source.ASSISTANT),
        (Document("x", speaker="claude-opus-4"), Grain.TURN, Source.ASSISTANT),
        (Document("x", speaker="tool"), Grain.TURN, Source.TOOL),
        (Document("x", speaker="user"), Grain.TURN, Source.PERSON),
        (Document("x", speaker="assistant", source=Source.WEB), Grain.TURN, Source.WEB),
        (Document("x", kind="markdown"), Grain.PASSAGE, Source.PERSON),
    ],
)
def test_grain_and_source_follow_from_the_document(document: Document, grain: Grain, source: Source) -> None:
    """Who speaks and what it is called decide the grain; a role says what kind of source it is."""
    assert (grain, source) == (rules.grain_of(document), rules.source_of(document))


def words(said_at: datetime | None) -> types.Testimony:
    """A testimony of noon."""
    return ledger.seal(
        types.Testimony(
            RecordId("0" * 32), Scope("s"), "x", "", b"", "u", None, None, said_at, NOON, ANA, Source.PERSON
        )
    )


def test_a_first_filing_is_valid_from_when_it_was_said() -> None:
    """Revision 1, current, from the time of saying, else of recording, without an end."""
    said = NOON - timedelta(days=9)
    got = rules.first_filing(Document("x", kind="fact"), words(said), RecordId("f" * 32), "because")
    assert (1, Status.CURRENT, Period(said, None), NOON) == (
        got.revision,
        got.status,
        got.valid,
        got.filed_at,
    )
    assert (Grain.FACT, "f" * 32, "because", ANA) == (got.grain, got.supersedes, got.note, got.actor)
    assert Period(NOON, None) == rules.first_filing(Document("x"), words(None), None).valid


def test_a_note_about_the_future_is_true_from_now() -> None:
    """A date that is still to come does not hide what was written: it is valid from its recording."""
    for said in (NOON + TICK, NOON + timedelta(days=9)):
        assert Period(NOON, None) == rules.first_filing(Document("x"), words(said), None).valid


@pytest.mark.parametrize(
    ("start", "end", "at", "want"),
    [
        (None, None, NOON, Standing.CURRENT),
        (NOON, None, NOON, Standing.CURRENT),
        (NOON, None, NOON - TICK, Standing.NOT_YET_VALID),
        (None, NOON, NOON - TICK, Standing.CURRENT),
        (None, NOON, NOON, Standing.EXPIRED),
        (NOON, NOON, NOON, Standing.EXPIRED),
        (NOON, NOON + TICK, NOON, Standing.CURRENT),
    ],
)
def test_standing_is_half_open(
    start: datetime | None, end: datetime | None, at: datetime, want: Standing
) -> None:
    """At its start a record is current, at its end expired."""
    assert want is rules.standing(Status.CURRENT, Period(start, end), at)


@pytest.mark.parametrize("status", [each for each in Status if each is not Status.CURRENT])
def test_status_comes_before_time(status: Status) -> None:
    """What is not current stands so, whatever its period."""
    for period in (Period(), Period(NOON, None), Period(None, NOON)):
        assert status.value == rules.standing(status, period, NOON).value


def test_times_have_an_offset() -> None:
    """A moment becomes UTC; one without an offset is nobody's moment."""
    there = datetime(2024, 5, 8, 14, 30, tzinfo=timezone(timedelta(hours=2, minutes=30)))
    assert (NOON, UTC) == (rules.utc(there), rules.utc(there).tzinfo)
    with pytest.raises(InvalidInput):
        rules.utc(NOON.replace(tzinfo=None))


def test_occurrences_are_counted() -> None:
    """The same words are counted, other words are not."""
    seen: dict[str, int] = {}
    assert [0, 0, 1, 2, 1] == [rules.occurrence(seen, each) for each in ("a", "b", "a", "a", "b")]


MARKDOWN = "# Car\n\nBlue.\n\n## 2026-11-02\n\n- No Kafka.\n\n### Later\n\nTea.\n\n# Work\n\nBilling.\n"


@pytest.mark.parametrize(
    ("words", "want"),
    [
        ("# Car", ""),
        ("Blue.", "Car"),
        ("- No Kafka.", "2026-11-02 Car"),
        ("Tea.", "Later 2026-11-02 Car"),
        ("Billing.", "Work"),
    ],
)
def test_a_place_stands_under_its_headings(words: str, want: str) -> None:
    """The chain of headings above a place, the nearest first; one of the same or a deeper level ends none."""
    document = Document(MARKDOWN, kind="markdown")
    assert want == rules.headings(document, MARKDOWN.index(words))
    assert rules.headings(Document(MARKDOWN, kind="text"), MARKDOWN.index(words)) == ""


@given(st.text(st.characters()), st.text(st.characters()))
def test_digests_of_texts_tell_them_apart(one: str, two: str) -> None:
    """Equal digests are equal texts, lone surrogates too."""
    assert (one == two) == (rules.text_digest(one) == rules.text_digest(two))
