"""The hash chain: one form for a value, another digest for every change."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quoth.core import ledger, types
from quoth.core.types import (
    EPOCH,
    Actor,
    ActorKind,
    Authority,
    Filing,
    Grain,
    LedgerEntry,
    Lines,
    Observation,
    Period,
    RecordId,
    Scope,
    Source,
    Span,
    Status,
    Trust,
)

AT = datetime(2024, 5, 8, 12, 0, 0, 123456, tzinfo=UTC)
ANA = Actor("ana", ActorKind.HUMAN, Authority.OWNER)
ID = RecordId("0" * 32)

WORDS = ledger.seal(
    types.Testimony(
        id=ID,
        scope=Scope("user:ana"),
        text="Zoë's code is 4711.",
        digest="",
        salt=b"salt" * 4,
        uri="notes/a.md",
        session_id=None,
        speaker="Zoë",
        said_at=AT,
        recorded_at=AT,
        actor=ANA,
        source=Source.PERSON,
    )
)
FILING = Filing(ID, 1, Status.CURRENT, AT, ANA, stakes=("health",), valid=Period(AT, None))
SEEN = Observation(ID, "notes/a.md", Span(0, 19), Lines(1, 1), AT, ANA)
PAYLOAD = ledger.payload_digest(WORDS.digest, ledger.filing_digest(FILING), ledger.observation_digest(SEEN))


def linked(previous: LedgerEntry | None = None, at: datetime = AT, **more: Any) -> LedgerEntry:
    """The entry that follows."""
    entry = LedgerEntry(
        origin="origin",
        scope=Scope("user:ana"),
        seq=previous.seq + 1 if previous else 1,
        hlc=ledger.tick(at, previous.hlc if previous else 0),
        at=at,
        actor=ANA,
        surface="cli",
        action="put",
        subject=ID,
        payload_digest=PAYLOAD,
        prev=previous.hash if previous else ledger.GENESIS,
        hash="",
    )
    entry = replace(entry, **more)
    return replace(entry, hash=ledger.entry_hash(entry))


def test_digests_are_the_same_on_every_install() -> None:
    """Canonical form 1 is part of the format: a change here breaks every chain (ADR 3)."""
    assert "1d733f2a4ea2dc7711936a94382c1d1fba0d516c875158d7ca110e47ee3dd095" == WORDS.digest
    assert "42b8080ff5f90ef492ac71e08d631d9a0786b9d89ef072a6ee59ec191d126f4d" == ledger.filing_digest(FILING)
    assert "ebdafb9680b120488bc94f7d55469e0c959e14e5079aa15afa080c7a8be718b3" == ledger.observation_digest(
        SEEN
    )
    assert "d74a078dcc516774465d5b66aa7fba1c7f917b90cf8e7c4c177fb65f3a40faee" == PAYLOAD
    assert "8ce2c0ba3230a9b2ee200b4cd5d17c516225538b0331f3743b0818efcbd4159d" == linked().hash


def test_the_form_is_what_the_docs_say() -> None:
    """Tag, NUL, JSON with sorted keys, no blanks and literal letters, in UTF-8; the salt comes before."""
    assert b'tag\0{"a":[1,null,true],"\xc3\xa9":"\\"\\n"}' == ledger.canonical(
        "tag", {"é": '"\n', "a": [1, None, True]}
    )
    actor = ["ana", "human", 3]
    at = (AT - EPOCH) // timedelta(microseconds=1)
    value = [ID, "user:ana", WORDS.text, "notes/a.md", None, "Zoë", at, at, actor, "person", []]
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    form = WORDS.salt + b"quoth.testimony.1\0" + text.encode()
    assert hashlib.sha256(form).hexdigest() == WORDS.digest


OTHER: dict[type, dict[str, Any]] = {
    types.Testimony: {
        "id": RecordId("1" * 32),
        "scope": Scope("user:ben"),
        "text": "Zoë's code is 4712.",
        "salt": b"pepper",
        "uri": "notes/b.md",
        "session_id": "s",
        "speaker": None,
        "said_at": None,
        "recorded_at": AT + timedelta(microseconds=1),
        "actor": replace(ANA, authority=Authority.PERSON),
        "source": Source.WEB,
        "derived_from": (RecordId("2" * 32),),
    },
    Filing: {
        "record_id": RecordId("1" * 32),
        "revision": 2,
        "status": Status.HELD,
        "filed_at": AT - timedelta(microseconds=1),
        "actor": replace(ANA, kind=ActorKind.AGENT),
        "trust": Trust.VERIFIED,
        "category": "c",
        "grain": Grain.FACT,
        "importance": 6,
        "stakes": ("health", "legal"),
        "pinned": True,
        "valid": Period(None, AT),
        "supersedes": RecordId("1" * 32),
        "note": "n",
    },
    Observation: {
        "record_id": RecordId("1" * 32),
        "uri": "notes/b.md",
        "span": Span(1, 19),
        "lines": Lines(1, 2),
        "seen_at": AT + timedelta(microseconds=1),
        "actor": replace(ANA, id="ben"),
    },
}
DIGESTS: dict[type, Any] = {
    types.Testimony: (WORDS, ledger.testimony_digest),
    Filing: (FILING, ledger.filing_digest),
    Observation: (SEEN, ledger.observation_digest),
}
CASES = [(kind, each.name) for kind in OTHER for each in fields(kind) if each.name != "digest"]


@pytest.mark.parametrize(("kind", "field"), CASES)
def test_every_field_is_sealed(kind: type, field: str) -> None:
    """Another value in any field is another digest; a new field fails here until it is sealed."""
    value, digest = DIGESTS[kind]
    assert digest(value) != digest(replace(value, **{field: OTHER[kind][field]}))


ENTRY = {"origin": "o", "scope": Scope("s"), "seq": 9, "hlc": 9, "at": EPOCH, "actor": replace(ANA, id="ben")}
ENTRY |= {
    "surface": "mcp",
    "action": "refile",
    "subject": "1" * 32,
    "payload_digest": "2" * 64,
    "prev": "3" * 64,
}


@pytest.mark.parametrize("field", [each.name for each in fields(LedgerEntry) if each.name != "hash"])
def test_every_field_of_an_entry_is_hashed(field: str) -> None:
    """Another value in any field of an entry is another hash."""
    assert ledger.entry_hash(linked()) != ledger.entry_hash(replace(linked(), **{field: ENTRY[field]}))


def test_fields_do_not_run_into_one_another() -> None:
    """What moves from one field to the next changes the digest, and so does the kind of digest."""
    assert ledger.canonical("a", "b") != ledger.canonical("ab", "")
    assert ledger.payload_digest("ab", "c") != ledger.payload_digest("a", "bc")
    assert ledger.payload_digest("a") != ledger.payload_digest("a", "")
    one = replace(SEEN, uri="a", span=Span(1, 23))
    two = replace(SEEN, uri="a", span=Span(12, 3))
    assert ledger.observation_digest(one) != ledger.observation_digest(two)
    assert ledger.testimony_digest(replace(WORDS, speaker=None)) != ledger.testimony_digest(
        replace(WORDS, speaker="")
    )


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_what_has_no_one_form_is_refused(bad: float) -> None:
    """Numbers that JSON does not know are never hashed."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        ledger.canonical("tag", bad)


@given(st.text(st.characters()), st.text(st.characters()))
def test_any_text_has_its_form(one: str, two: str) -> None:
    """Every text can be hashed, lone surrogates too, and no two have one form."""
    assert (one == two) == (ledger.canonical("t", one) == ledger.canonical("t", two))


@given(
    moment=st.integers(-62_135_510_400_000_000, 253_402_214_400_000_000).map(
        lambda each: EPOCH + timedelta(microseconds=each)
    ),
    hours=st.integers(-12, 12),
)
def test_microseconds_are_exact(moment: datetime, hours: int) -> None:
    """A moment of any year is a whole number and back, in any zone."""
    number = ledger.micros(moment)
    assert moment == ledger.moment(number)
    assert number == ledger.micros(moment.astimezone(timezone(timedelta(hours=hours))))
    assert ledger.micros(moment + timedelta(microseconds=1)) == (number or 0) + 1


@given(
    number=st.integers(-62_135_510_400_000_000, 253_402_214_400_000_000),
    ahead=st.integers(-43_200, 43_200),
)
def test_a_moment_keeps_its_clock(number: int, ahead: int) -> None:
    """Number and offset give back the moment as it was told; UTC has no offset."""
    told = (EPOCH + timedelta(microseconds=number)).astimezone(timezone(timedelta(seconds=ahead)))
    assert (ahead or None) == ledger.offset(told)
    back = ledger.moment(ledger.micros(told), ledger.offset(told))
    assert back is not None
    assert (told, told.utcoffset()) == (back, back.utcoffset())


def test_utc_is_no_offset() -> None:
    """None for UTC under any name, for no moment, and for one that has no clock."""
    for moment in (AT, AT.astimezone(timezone(timedelta(0))), None, AT.replace(tzinfo=None)):
        assert ledger.offset(moment) is None
    assert -16_200 == ledger.offset(AT.astimezone(timezone(-timedelta(hours=4, minutes=30))))


BERLIN = timezone(timedelta(hours=2))


def test_an_offset_is_sealed() -> None:
    """The same moment on another clock is another digest."""
    assert WORDS.digest != ledger.testimony_digest(replace(WORDS, said_at=AT.astimezone(BERLIN)))
    end = AT + timedelta(days=1)
    both = replace(FILING, valid=Period(AT, end))
    one = replace(FILING, valid=Period(AT.astimezone(BERLIN), end))
    other = replace(FILING, valid=Period(AT, end.astimezone(BERLIN)))
    assert 3 == len({ledger.filing_digest(each) for each in (both, one, other)})


def test_seals_from_before_there_were_offsets_hold() -> None:
    """A time in UTC is sealed as it always was, under any name of UTC."""
    zero = timezone(timedelta(0), "GMT")
    assert WORDS.digest == ledger.testimony_digest(replace(WORDS, said_at=AT.astimezone(zero)))
    same = replace(FILING, valid=Period(AT.astimezone(zero), None))
    assert ledger.filing_digest(FILING) == ledger.filing_digest(same)


def test_no_moment_is_no_number() -> None:
    """None stays None, and the epoch is 0."""
    assert (None, None) == (ledger.micros(None), ledger.moment(None))
    assert (0, EPOCH) == (ledger.micros(EPOCH), ledger.moment(0))


@given(st.lists(st.integers(-(10**6), 10**6), max_size=20))
def test_the_clock_never_goes_back(steps: list[int]) -> None:
    """Hybrid time grows with every tick, whatever the wall clock does, and is never behind it."""
    last, now = 0, AT
    for step in steps:
        now += timedelta(microseconds=step)
        hlc = ledger.tick(now, last)
        assert hlc > last
        assert hlc >= (ledger.micros(now) or 0)
        last = hlc
    assert ledger.micros(AT) == ledger.tick(AT, 0)


def chain(length: int) -> list[LedgerEntry]:
    """A chain that holds; its wall clock goes back now and then."""
    entries: list[LedgerEntry] = []
    for number in range(length):
        entries.append(linked(entries[-1] if entries else None, AT - timedelta(seconds=number % 3)))
    return entries


def test_a_chain_holds() -> None:
    """An unbroken chain has no broken entry; neither has none."""
    assert ledger.broken_at([]) is None
    assert ledger.broken_at(chain(9)) is None
    assert ledger.broken_at(iter(chain(3))) is None


def test_a_break_is_named() -> None:
    """The first link that does not hold is named by its number."""
    whole = chain(6)
    for place in range(6):
        broken = [*whole]
        broken[place] = replace(whole[place], action="erase")
        assert place + 1 == ledger.broken_at(broken)
    assert 1 == ledger.broken_at(whole[1:])
    assert 3 == ledger.broken_at([*whole[:2], *whole[3:]])
    assert 4 == ledger.broken_at([*whole[:3], whole[2], *whole[3:]])


@pytest.mark.parametrize(
    "wrong",
    [{"seq": 4}, {"prev": "0" * 64}, {"hlc": 1}, {"hlc": linked().hlc}],
    ids=["number", "link", "time goes back", "time stands"],
)
def test_a_hashed_entry_must_still_follow(wrong: dict[str, Any]) -> None:
    """An entry with a hash of its own is refused where number, link or time do not follow."""
    first = linked()
    assert ledger.broken_at([first, linked(first)]) is None
    assert 2 == ledger.broken_at([first, linked(first, **wrong)])
