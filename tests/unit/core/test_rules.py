"""What must hold, as pure functions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quoth.core import ledger, rules, types, values
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
    Trust,
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


DAY = timedelta(days=1)
BERLIN = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("given", "want"),
    [
        (Period(), Period(NOON, None)),
        (Period(NOON + DAY, None), Period(NOON + DAY, None)),
        (Period(NOON - DAY, NOON + DAY), Period(NOON - DAY, NOON + DAY)),
        (Period(NOON, NOON), Period(NOON, NOON)),
        (Period(None, NOON + DAY), Period(NOON, NOON + DAY)),
        (Period(None, NOON), Period(None, NOON)),
        (Period(None, NOON - DAY), Period(None, NOON - DAY)),
    ],
)
def test_a_writer_says_when_it_is_true(given: Period, want: Period) -> None:
    """A start and an end that were given count; what was over when it was said was true since ever."""
    assert want == rules.first_filing(Document("x", valid=given), words(None), None).valid


def test_a_valid_time_keeps_its_offset() -> None:
    """The ends of a period stay on the clocks on which they were told."""
    told = Period(NOON.astimezone(BERLIN), (NOON + DAY).astimezone(BERLIN))
    valid = rules.first_filing(Document("x", valid=told), words(None), None).valid
    assert valid.start is not None
    assert valid.end is not None
    assert ["+02:00", "+02:00"] == [each.isoformat()[-6:] for each in (valid.start, valid.end)]
    assert told == valid


@pytest.mark.parametrize(
    "wrong",
    [
        Period(NOON, NOON - TICK),
        Period(NOON.replace(tzinfo=None), None),
        Period(None, NOON.replace(tzinfo=None)),
    ],
)
def test_a_period_that_is_none(wrong: Period) -> None:
    """An end before its start, or a time without an offset: `InvalidInput`."""
    for use in (rules.period, lambda each: rules.first_filing(Document("x", valid=each), words(None), None)):
        with pytest.raises(InvalidInput):
            use(wrong)


@pytest.mark.parametrize("source", Source)
def test_words_from_the_web_are_doubtful(source: Source) -> None:
    """What a page says is not asserted by anybody here."""
    want = Trust.DOUBTFUL if source is Source.WEB else Trust.ASSERTED
    assert want is rules.first_filing(Document("x", source=source), words(None), None).trust


def filed(*revisions: tuple[Status, int | None, int | None]) -> list[types.Filing]:
    """Filings of one record; times are days after noon."""
    first = rules.first_filing(Document("x"), words(None), None)
    ends = [(status, *(None if n is None else NOON + n * DAY for n in both)) for status, *both in revisions]
    return [replace(first, status=status, valid=Period(start, end)) for status, start, end in ends]


NOW, OVER, GONE = Status.CURRENT, Status.SUPERSEDED, Status.RETRACTED


@pytest.mark.parametrize(
    ("revisions", "want"),
    [
        ([], []),
        ([(NOW, 0, None)], [(0, None)]),
        ([(NOW, 0, None), (NOW, 0, None)], [(0, None)]),
        ([(NOW, 0, None), (OVER, 0, 1)], [(0, 1)]),
        ([(NOW, 0, None), (OVER, 0, 1), (NOW, 2, None)], [(0, 1), (2, None)]),
        ([(NOW, 0, None), (OVER, 0, 1), (NOW, 1, None)], [(0, 1), (1, None)]),
        ([(NOW, 0, None), (OVER, 0, 1), (NOW, 2, None), (OVER, 2, 3), (NOW, 4, 5)], [(0, 1), (2, 3), (4, 5)]),
        ([(NOW, 0, 1), (NOW, 0, None)], [(0, None)]),
        ([(NOW, 0, 2), (NOW, 1, None)], [(1, None)]),
        ([(NOW, 0, 1), (NOW, None, 2)], [(None, 2)]),
        ([(NOW, None, 1), (NOW, 2, None)], [(None, 1), (2, None)]),
        ([(NOW, 0, 0), (OVER, 0, 0)], [(0, 0)]),
        ([(NOW, 0, None), (GONE, 0, 1)], []),
        ([(NOW, 0, None), (GONE, 0, 1), (NOW, 2, None)], [(2, None)]),
        ([(Status.HELD, 0, None)], []),
        ([(Status.HELD, 0, None), (NOW, 1, None)], [(1, None)]),
        ([(NOW, 0, 1), (NOW, 2, None), (Status.ERASED, 2, None)], []),
    ],
)
def test_intervals_follow_from_the_filings(
    revisions: list[tuple[Status, int | None, int | None]], want: list[tuple[int | None, int | None]]
) -> None:
    """True, not true, true again: each time is kept; what is gone was never true."""
    periods = [Period(*(None if n is None else NOON + n * DAY for n in each)) for each in want]
    assert periods == list(rules.intervals(filed(*revisions)))


def test_what_is_refiled_keeps_the_rest() -> None:
    """The next revision has its own status, time, actor and note; all else stays."""
    first = rules.first_filing(Document("x", source=Source.WEB), words(None), RecordId("f" * 32))
    ben = replace(ANA, id="ben")
    again = rules.refiled(first, ben, NOON + DAY, Status.RETRACTED, "gone")
    assert (2, ben, NOON + DAY, Status.RETRACTED, "gone") == (
        again.revision,
        again.actor,
        again.filed_at,
        again.status,
        again.note,
    )
    assert first == replace(
        again, revision=1, actor=ANA, filed_at=first.filed_at, status=first.status, note=first.note
    )


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


@given(
    st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1)),  # noqa: DTZ001
    st.integers(-86_399, 86_399).map(lambda each: timezone(timedelta(seconds=each))),
)
def test_a_moment_keeps_its_clock(naive: datetime, zone: timezone) -> None:
    """The same moment with the same offset, as a number; naive is nobody's moment."""
    told = naive.replace(tzinfo=zone)
    kept = rules.zoned(told)
    assert (told, told.utcoffset(), told.isoformat()) == (kept, kept.utcoffset(), kept.isoformat())
    assert (zone.utcoffset(None).total_seconds() or None) == rules.offset(kept)
    with pytest.raises(InvalidInput):
        rules.zoned(naive)


@pytest.mark.parametrize(("edge", "hours"), [("0001-01-01", "+01:00"), ("9999-12-31", "-23:59")])
def test_a_moment_that_utc_does_not_have(edge: str, hours: str) -> None:
    """The first and the last day of the calendar may have no time in UTC."""
    with pytest.raises(InvalidInput):
        rules.zoned(datetime.fromisoformat(f"{edge}T00:30{hours}"))


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


KEY, OTHER_KEY = b"k" * 32, b"o" * 32


def test_fingerprints_are_the_same_on_every_install() -> None:
    """Under one key; their form is part of the format: a change here frees every rejected value."""
    assert "3642eace16b9463705f3246e7d875df7" == rules.fingerprint(KEY, "sense", "a", "é")
    assert "44edabbd7aef56383da06c7e8ec94d70" == rules.words_fingerprint(KEY, "Zoë's code is 4711.")
    assert "55426265eeccaf464f527ad58f8afb2a" == rules.slot_fingerprint(KEY, "Zoë", "door code")
    assert {
        "number": "6d9c989bc31c39fb536e2bffdceefd57",
        "text": "f5c5aab53dcd2551d52a0499f6617ff9",
    } == rules.value_fingerprints(KEY, "Zoë", "door code", "4711")


PARTS_LISTS = st.tuples(
    st.sampled_from((KEY, OTHER_KEY)),
    st.sampled_from(("words", "slot")),
    st.lists(st.text(max_size=3), max_size=3),
)


@given(PARTS_LISTS, PARTS_LISTS)
def test_a_fingerprint_tells_keys_tags_and_parts_apart(
    one: tuple[bytes, str, list[str]], other: tuple[bytes, str, list[str]]
) -> None:
    """Another key, tag or part is another fingerprint, and no part runs into the next."""
    made = [rules.fingerprint(key, tag, *parts) for key, tag, parts in (one, other)]
    assert (one == other) == (made[0] == made[1])
    assert 32 == len(made[0]) == len(bytes.fromhex(made[0])) * 2


@pytest.mark.parametrize(
    "text",
    [
        "The code is 4711",
        " the  CODE is\n4711. ",
        '"The code is 4711"',
        "The co\u200bde is \uff14711",
        "THE CODE IS 4711!",
    ],
)
def test_words_have_one_fingerprint_however_they_are_written(text: str) -> None:
    """Case, blanks, Unicode form, quotes around and punctuation at the end do not free rejected words."""
    assert rules.words_fingerprint(KEY, "The code is 4711.") == rules.words_fingerprint(KEY, text)


@pytest.mark.parametrize("text", ["The code is 47110", "The code is not 4711", "The codes are 4711", "4711"])
def test_other_words_have_another_fingerprint(text: str) -> None:
    """Another number or a "not" makes other words; and a key makes all of them its own."""
    assert rules.words_fingerprint(KEY, "The code is 4711.") != rules.words_fingerprint(KEY, text)
    assert rules.words_fingerprint(KEY, text) != rules.words_fingerprint(OTHER_KEY, text)


def test_a_slot_has_one_name() -> None:
    """Case, blanks and form make no other slot; blanks, hyphens and underscores of attributes are one."""
    want = ("ana maria", "home_town")
    for entity in ("Ana Maria", " ana  MARIA ", "Ana\u00a0Maria"):
        for attribute in (
            "home town",
            "Home-Town",
            "home_town",
            " home - town",
            "home\u2010town",
            "HOME  TOWN",
        ):
            assert want == rules.slot(entity, attribute)
    assert rules.slot("a b", "c") != rules.slot("a", "b c")
    assert rules.slot("a_b", "c") != rules.slot("a b", "c")


@pytest.mark.parametrize(
    ("entity", "attribute", "what"),
    [("", "a", "entity"), (" \u200b", "a", "entity"), ("a", "", "attribute"), ("a", " - _", "attribute")],
)
def test_a_slot_needs_both_names(entity: str, attribute: str, what: str) -> None:
    """A blank entity or attribute is `InvalidInput`."""
    for use in (rules.slot, lambda *names: rules.slot_fingerprint(KEY, *names)):
        with pytest.raises(InvalidInput, match=f"needs an {what}"):
            use(entity, attribute)


VALUES = st.text(max_size=5) | st.sampled_from(
    (
        "1.2",
        "1.20",
        "v1.2",
        "v1.20",
        "1 5",
        "1.5",
        "90 min",
        "1.5 h",
        "a//b",
        "A/b",
        "5 May 2024",
        "2024-05-05",
    )
)


@given(VALUES, VALUES)
def test_a_rejection_binds_by_fingerprints_what_is_the_same_by_words(one: str, other: str) -> None:
    """The store holds no rejected value: fingerprints say the same as the words would."""
    made = [rules.value_fingerprints(KEY, "Ana", "x", each) for each in (one, other)]
    assert values.same(one, other) == rules.binds(*made)


def test_a_rejection_binds_its_slot_and_scope_only() -> None:
    """The same value of another slot, or under another key, is free."""
    rejected = rules.value_fingerprints(KEY, "Ana", "age", "30")
    assert ["number", "text"] == list(rejected)
    assert rules.binds(rejected, rules.value_fingerprints(KEY, "ANA", "Age", "30.0"))
    for key, entity, attribute in ((OTHER_KEY, "Ana", "age"), (KEY, "Ben", "age"), (KEY, "Ana", "size")):
        assert not rules.binds(rejected, rules.value_fingerprints(key, entity, attribute, "30"))
    assert not rules.binds({}, rejected)
