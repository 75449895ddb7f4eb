"""Events as rows: what is in the body comes back, and every field is sealed."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quoth.core import acts
from quoth.core.acts import Act
from quoth.core.types import (
    Actor,
    ActorKind,
    Answer,
    Authority,
    Decision,
    Fact,
    Held,
    Lift,
    Period,
    RecordId,
    Rejection,
    Scope,
    Target,
    Trust,
    Waiting,
)

AT = datetime(2024, 5, 8, 12, 0, 0, 123456, tzinfo=UTC)
ANA = Actor("ana", ActorKind.HUMAN, Authority.OWNER)
BEN = Actor("ben", ActorKind.AGENT, Authority.AGENT)
ID, OTHER_ID = "0" * 32, "1" * 32
HERE = Scope("user:ana")
BERLIN = timezone(timedelta(hours=2))
SALT = b"salt" * 4

FACT = Fact(
    ID, HERE, "Ana", "city", "Zürich", Trust.ASSERTED, Period(AT, None), (RecordId(ID),), ANA, AT, "note"
)
REJECTION = Rejection(
    ID, HERE, Target.VALUE, {"number": "ab", "text": "cd"}, "wrong", ANA, AT, "Ana", "age", "30", RecordId(ID)
)
LIFT = Lift(ID, HERE, OTHER_ID, "right", ANA, AT)
HELD = Held(
    ID,
    HERE,
    Waiting.CONTRADICTION,
    "ab",
    "why",
    ANA,
    AT,
    RecordId(ID),
    RecordId(ID),
    FACT,
    ID,
    ID,
    "notes/a.md",
)
ANSWER = Answer(ID, HERE, OTHER_ID, Decision.ACCEPT, "right", ANA, AT)

OTHERS: dict[str, Any] = {
    "id": OTHER_ID,
    "scope": Scope("user:ben"),
    "actor": BEN,
    "at": AT + timedelta(microseconds=1),
    "entity": "Ben",
    "attribute": "town",
    "value": "Zurich",
    "confidence": Trust.VERIFIED,
    "valid": Period(None, AT),
    "evidence": (RecordId(ID), RecordId(OTHER_ID)),
    "note": "",
    "target": Target.ERASED,
    "fingerprints": {"number": "ab", "text": "ce"},
    "reason": "because",
    "record_id": None,
    "rejection": "2" * 32,
    "kind": Waiting.STAKES,
    "key": "cd",
    "against": None,
    "fact": replace(FACT, actor=BEN),
    "against_fact": "",
    "uri": "",
    "held": "2" * 32,
    "decision": Decision.KEEP,
}
EVENTS: tuple[Act, ...] = (FACT, REJECTION, LIFT, HELD, ANSWER)
KINDS = ("assert", "reject", "lift", "hold", "answer")


def kept(act: Act) -> Act:
    """The event after a row was made of it and read."""
    return acts.act_of(acts.action(act), act.id, act.scope, act.at, act.actor, acts.act_body(act))


def test_events_have_the_names_of_the_ledger() -> None:
    """Each kind of event is one action."""
    assert KINDS == tuple(acts.action(each) for each in EVENTS)


@pytest.mark.parametrize("act", EVENTS, ids=KINDS)
def test_an_event_comes_back(act: Act) -> None:
    """A row holds all of an event, and its body is ASCII without blanks between."""
    assert act == kept(act)
    assert acts.act_body(act).isascii()
    assert acts.act_digest(act, SALT) == acts.act_digest(kept(act), SALT)


CASES = [(act, field.name) for act in EVENTS for field in fields(act)]


@pytest.mark.parametrize(("act", "field"), CASES, ids=[f"{type(act).__name__}-{name}" for act, name in CASES])
def test_every_field_is_sealed(act: Act, field: str) -> None:
    """Another value in any field is another digest, and comes back; a new field fails here first."""
    changed = replace(act, **{field: OTHERS[field]})
    if isinstance(changed, Held) and changed.fact:  # it is of the same scope, always
        changed = replace(changed, fact=replace(changed.fact, scope=changed.scope))
    assert changed != act
    assert acts.act_digest(act, SALT) != acts.act_digest(changed, SALT)
    assert changed == kept(changed)


def test_a_digest_is_salted_and_of_one_kind() -> None:
    """Another salt is another digest; a lift is no answer, even where all words are the same."""
    assert acts.act_digest(LIFT, SALT) != acts.act_digest(LIFT, b"pepper")
    assert acts.act_digest(LIFT, SALT) != acts.act_digest(replace(ANSWER, reason=LIFT.reason), SALT)


def test_digests_are_the_same_on_every_install() -> None:
    """The form of an event is part of the format: a change here breaks every chain (ADR 3)."""
    want = (
        "2e343df63f8c7f21",
        "312cc1cfd80408a5",
        "8423ede9f124ee6c",
        "a7f8827e80b3b62a",
        "5782e45dc4a7d342",
    )
    assert want == tuple(acts.act_digest(each, SALT)[:16] for each in EVENTS)


def test_offsets_are_kept() -> None:
    """The ends of a valid time come back on their own clocks; the same moment elsewhere is another digest."""
    there = replace(FACT, valid=Period(AT.astimezone(BERLIN), AT.astimezone(timezone(timedelta(hours=-9)))))
    back = kept(there)
    assert isinstance(back, Fact)
    assert there == back
    for name in ("start", "end"):
        want, got = getattr(there.valid, name), getattr(back.valid, name)
        assert want.isoformat() == got.isoformat()
    assert acts.act_digest(FACT, SALT) != acts.act_digest(
        replace(FACT, valid=Period(AT.astimezone(BERLIN), None)), SALT
    )


@pytest.mark.parametrize(
    ("kind", "body", "error"),
    [
        ("put", "{}", ValueError),
        ("assert", "{}", KeyError),
        ("assert", "", ValueError),
        ("assert", "[]", TypeError),
        ("hold", '{"fact": null}', KeyError),
        ("answer", '{"decision": "perhaps"}', ValueError),
        ("lift", '{"rejection": "x"}', KeyError),
    ],
)
def test_a_row_that_is_no_event(kind: str, body: str, error: type[Exception]) -> None:
    """What Quoth never writes raises one of three errors, for the store to name."""
    with pytest.raises(error):
        acts.act_of(kind, ID, HERE, AT, ANA, body)


TEXTS = st.text(st.characters(), max_size=8)
ACTORS = st.builds(Actor, TEXTS, st.sampled_from(ActorKind), st.sampled_from(Authority))
ZONES = st.integers(-86_399, 86_399).map(lambda each: timezone(timedelta(seconds=each)))
TIMES = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=ZONES)  # noqa: DTZ001
UTC_TIMES = st.datetimes(timezones=st.just(UTC))
IDS = TEXTS.map(RecordId)
ENDS = st.none() | TIMES
FACTS = st.builds(
    Fact,
    TEXTS,
    st.just(HERE),
    TEXTS,
    TEXTS,
    TEXTS,
    st.sampled_from(Trust),
    st.builds(Period, ENDS, ENDS),
    st.lists(IDS, max_size=3).map(tuple),
    ACTORS,
    UTC_TIMES,
    TEXTS,
)
HEAD = (TEXTS, st.just(HERE))
TAIL = (ACTORS, UTC_TIMES)
ANY_ID = st.none() | IDS
ACTS = st.one_of(
    FACTS,
    st.builds(
        Rejection,
        *HEAD,
        st.sampled_from(Target),
        st.dictionaries(TEXTS, TEXTS, max_size=3),
        TEXTS,
        *TAIL,
        *(TEXTS,) * 3,
        ANY_ID,
    ),
    st.builds(Lift, *HEAD, TEXTS, TEXTS, *TAIL),
    st.builds(
        Held,
        *HEAD,
        st.sampled_from(Waiting),
        TEXTS,
        TEXTS,
        *TAIL,
        ANY_ID,
        ANY_ID,
        st.none() | FACTS,
        *(TEXTS,) * 3,
    ),
    st.builds(Answer, *HEAD, TEXTS, st.sampled_from(Decision), TEXTS, *TAIL),
)


@given(ACTS)
def test_any_event_comes_back(act: Act) -> None:
    """Whatever the words, the times and the zones; lone surrogates too."""
    back = kept(act)
    assert act == back
    assert acts.act_body(act) == acts.act_body(back)
    assert acts.act_digest(act, SALT) == acts.act_digest(back, SALT)


@given(ACTS, ACTS)
def test_no_two_events_have_one_digest(one: Act, other: Act) -> None:
    """Equal digests are equal events."""
    assert (one == other) == (acts.act_digest(one, SALT) == acts.act_digest(other, SALT))
