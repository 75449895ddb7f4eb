"""What stands in a slot, folded from everything that was ever said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quoth.core import facts, values
from quoth.core.errors import AccessDenied, InvalidInput
from quoth.core.facts import Event
from quoth.core.types import (
    Actor,
    ActorKind,
    Asserted,
    Authority,
    Fact,
    Lift,
    Period,
    RecordId,
    Rejection,
    Scope,
    Target,
    Trust,
)

HERE = Scope("user:ana")
OWNER = Actor("ana", ActorKind.HUMAN, Authority.OWNER)
PERSON = Actor("ben", ActorKind.HUMAN, Authority.PERSON)
AGENT = Actor("scribe", ActorKind.AGENT, Authority.AGENT)
JOB = Actor("import", ActorKind.JOB, Authority.JOB)
WRITERS = (OWNER, PERSON, AGENT, JOB)
TICK = timedelta(microseconds=1)


def year(number: int) -> datetime:
    """The first instant of a year."""
    return datetime(number, 1, 1, tzinfo=UTC)


NOW = year(2030)


def said(
    value: str,
    start: int | None = 2020,
    end: int | None = None,
    *,
    at: int = 2025,
    trust: Trust = Trust.ASSERTED,
    actor: Actor = OWNER,
    evidence: str = "",
    name: str = "",
) -> Fact:
    """An assertion of where Ana lives."""
    return Fact(
        id=name or f"{value}{start}{end}{at}{trust.value}".encode().hex()[:32],
        scope=HERE,
        entity="Ana",
        attribute="city",
        value=value,
        confidence=trust,
        valid=Period(start and year(start), end and year(end)),
        evidence=tuple(RecordId(each) for each in evidence),
        actor=actor,
        at=year(at),
    )


def no(value: str, *, name: str = "no", at: int = 2025, actor: Actor = OWNER) -> Rejection:
    """A rejection of a value."""
    return Rejection(name, HERE, Target.VALUE, {}, "wrong", actor, year(at), "Ana", "city", value)


def lifted(name: str = "no", *, at: int = 2025, actor: Actor = OWNER) -> Lift:
    """The end of a rejection."""
    return Lift(f"lift {name}", HERE, name, "right after all", actor, year(at))


def stretches(events: Sequence[Event]) -> list[tuple[str, int | None, int | None]]:
    """Value, first and last year of each fact."""
    return [
        (each.value, each.valid.start and each.valid.start.year, each.valid.end and each.valid.end.year)
        for each in facts.timeline(events)
    ]


def standing(*events: Event) -> str | None:
    """The value that stands now."""
    found = facts.fold(events, NOW)
    return found and found.value


A, B = said("Aachen"), said("Berlin")


# --- the fold -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("events", "want"),
    [
        ([], []),
        ([A], [("Aachen", 2020, None)]),
        ([said("Aachen", None)], [("Aachen", None, None)]),
        ([said("Aachen", 2020, 2020)], []),
        ([said("Aachen", 2022, 2020)], []),
        ([A, said("Berlin", 2021)], [("Aachen", 2020, 2021), ("Berlin", 2021, None)]),
        ([said("Berlin", 2021), A], [("Aachen", 2020, 2021), ("Berlin", 2021, None)]),
        (
            [A, said("Berlin", 2021), said("Aachen", 2022)],
            [("Aachen", 2020, 2021), ("Berlin", 2021, 2022), ("Aachen", 2022, None)],
        ),
        (
            [A, said("Berlin", 2021, 2022)],
            [("Aachen", 2020, 2021), ("Berlin", 2021, 2022), ("Aachen", 2022, None)],
        ),
        ([A, B], [("Berlin", 2020, None)]),
        ([said("Aachen", None), B], [("Aachen", None, 2020), ("Berlin", 2020, None)]),
        (
            [said("Aachen", 2020, 2021), said("Berlin", 2023)],
            [("Aachen", 2020, 2021), ("Berlin", 2023, None)],
        ),
        (
            [said("Aachen", 2020, trust=Trust.VERIFIED), said("Berlin", 2021)],
            [("Aachen", 2020, None)],
        ),
        (
            [said("Aachen", 2020, 2022, trust=Trust.VERIFIED), said("Berlin", 2021)],
            [("Aachen", 2020, 2022), ("Berlin", 2022, None)],
        ),
        (
            [said("Aachen", 2022), said("Berlin", 2021, trust=Trust.VERIFIED)],
            [("Berlin", 2021, None)],
        ),
        ([A, said("aachen ", 2021)], [("Aachen", 2020, 2021), ("aachen ", 2021, None)]),
        ([A, no("Aachen")], []),
        ([A, no("AACHEN")], []),
        ([A, no("Berlin")], [("Aachen", 2020, None)]),
        ([A, said("Berlin", 2021), no("Berlin")], [("Aachen", 2020, None)]),
        ([no("Aachen"), A], []),
        ([A, no("Aachen"), lifted()], []),
        ([no("Aachen"), lifted(), A], [("Aachen", 2020, None)]),
        ([A, no("Aachen"), lifted(), said("Aachen", 2023)], [("Aachen", 2023, None)]),
        ([no("Aachen"), no("Aachen", name="too"), lifted(), A], []),
        ([no("Aachen"), no("Aachen", name="too"), lifted(), lifted("too"), A], [("Aachen", 2020, None)]),
        ([no("Aachen"), lifted("other"), A], []),
    ],
)
def test_what_stood_and_when(events: list[Event], want: list[tuple[str, int | None, int | None]]) -> None:
    """The surer assertion stands, then the later start, then the later word; what was rejected does not."""
    assert want == stretches(events)


def test_at_a_boundary_exactly_one_stands() -> None:
    """Half-open: at its end a fact is over, and the next one has begun."""
    events = [A, said("Berlin", 2021), said("Aachen", 2022)]
    for moment, want in ((year(2021) - TICK, "Aachen"), (year(2021), "Berlin"), (year(2022), "Aachen")):
        found = facts.fold(events, moment)
        assert found is not None
        assert want == found.value
    assert facts.fold(events, year(2020) - TICK) is None


def test_what_was_known_then() -> None:
    """Assertions, rejections and lifts count from the moment at which they were made."""
    events = [said("Aachen", at=2021), no("Aachen", at=2022), lifted(at=2023), said("Aachen", 2020, at=2024)]
    want = [None, "Aachen", None, None, "Aachen"]
    found = [facts.fold(events, NOW, known=year(number)) for number in range(2020, 2025)]
    assert want == [each and each.value for each in found]
    before = facts.fold(events, NOW, known=year(2022) - TICK)
    assert before is not None
    assert () == facts.timeline(events, known=year(2022))


def test_evidence_is_that_of_every_assertion_of_the_value() -> None:
    """Each record once, in the order in which they were named; what does not count lends none."""
    events = [
        said("Aachen", evidence="ab"),
        said("Berlin", 2021, evidence="x"),
        said("AACHEN", evidence="bc"),
    ]
    first, second = facts.timeline(events)
    assert (("a", "b", "c"), ("x",)) == (first.evidence, second.evidence)
    (again,) = facts.timeline([events[0], no("Aachen"), lifted(), events[2]])
    assert ("b", "c") == again.evidence


@pytest.mark.parametrize(("laid", "by"), [*product(WRITERS, WRITERS)])
def test_a_lift_needs_the_authority_that_rejected(laid: Actor, by: Actor) -> None:
    """A lift from below the rejecter ends nothing, wherever it came from."""
    enough = by.authority >= laid.authority
    assert ("Aachen" if enough else None) == standing(no("Aachen", actor=laid), lifted(actor=by), A)
    assert enough == (() == facts.binding([no("Aachen", actor=laid), lifted(actor=by)], "Aachen"))


def test_a_rejection_is_bound_by_what_the_store_says() -> None:
    """Where the words of a rejection are gone, fingerprints decide: the caller passes how."""
    erased = no("")
    assert "Aachen" == standing(A, erased)
    assert facts.fold([A, erased], NOW, bound=lambda rejection, value: rejection is erased) is None
    assert (erased,) == facts.binding([erased], "x", bound=lambda rejection, value: value == "x")


# --- the verdict --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "new", "outcome", "replaced", "now"),
    [
        ([], A, Asserted.STORED, None, "Aachen"),
        ([], said("Aachen", 2040), Asserted.STORED, None, None),
        ([A], said("Berlin", 2021), Asserted.REPLACED, "Aachen", "Berlin"),
        ([A], B, Asserted.REPLACED, "Aachen", "Berlin"),
        ([A], said("Berlin", 2021, 2022), Asserted.REPLACED, "Aachen", "Aachen"),
        ([A], said("Berlin", 2010, 2020), Asserted.STORED, None, "Aachen"),
        ([A], said("Berlin", 2019), Asserted.STORED, None, "Aachen"),
        ([A], said("Berlin", None), Asserted.STORED, None, "Aachen"),
        ([said("Aachen", 2020, 2021)], said("Berlin", 2021), Asserted.STORED, None, "Berlin"),
        ([A], said("Berlin", 2019, trust=Trust.VERIFIED), Asserted.REPLACED, "Aachen", "Berlin"),
        ([A, said("Berlin", 2021)], said("Aachen", 2022), Asserted.REPLACED, "Berlin", "Aachen"),
        ([A, said("Berlin", 2021)], said("Cologne", 2019, 2022), Asserted.STORED, None, "Berlin"),
        ([said("Aachen", trust=Trust.VERIFIED)], said("Berlin", 2019), Asserted.STORED, None, "Aachen"),
        (
            [said("Aachen", trust=Trust.VERIFIED)],
            said("Berlin", 2021, trust=Trust.VERIFIED),
            Asserted.REPLACED,
            "Aachen",
            "Berlin",
        ),
        ([A, no("Aachen")], B, Asserted.STORED, None, "Berlin"),
        ([A, no("Aachen"), lifted()], A, Asserted.STORED, None, "Aachen"),
    ],
)
def test_an_assertion_is_judged(
    before: list[Event], new: Fact, outcome: Asserted, replaced: str | None, now: str | None
) -> None:
    """Stored where nothing speaks against it; what stood is replaced, and a person is asked."""
    got = facts.judge(before, new, NOW)
    assert (outcome, True, None, None) == (got.outcome, got.stored, got.rejection, got.against)
    assert replaced == (got.replaced and got.replaced.value)
    assert bool(replaced) == bool(got.question)
    assert replaced is None or repr(replaced) in got.question
    assert now == (got.standing and got.standing.value) == standing(*before, new)


@pytest.mark.parametrize(
    ("before", "new", "stored"),
    [
        ([A], A, False),
        ([A], said("AACHEN ", 2021), False),
        ([A], said("Aachen", 2021, 2022), False),
        ([said("Aachen", trust=Trust.VERIFIED)], A, False),
        ([said("Aachen", evidence="ab")], said("Aachen", evidence="b"), False),
        ([A], said("Aachen", 2019), True),
        ([A], said("Aachen", None), True),
        ([said("Aachen", 2020, 2040)], A, True),
        ([A], said("Aachen", trust=Trust.VERIFIED), True),
        ([said("Aachen", evidence="ab")], said("Aachen", evidence="c"), True),
    ],
)
def test_the_same_value_again(before: list[Event], new: Fact, stored: bool) -> None:
    """It is kept where it says more: a longer time, evidence, certainty. Else nothing is written."""
    got = facts.judge(before, new, NOW)
    assert (Asserted.REPEATED, stored, None, "") == (got.outcome, got.stored, got.replaced, got.question)
    assert got.standing is not None
    assert values.same(got.standing.value, "Aachen")
    if stored:
        assert facts.fold([*before, new], NOW) == got.standing
    else:
        assert facts.fold(before, NOW) == got.standing


def test_more_certainty_and_evidence_are_kept() -> None:
    """Of the same value the surest assertion stands, with all evidence."""
    got = facts.judge([said("Aachen", evidence="a")], said("Aachen", trust=Trust.VERIFIED, evidence="b"), NOW)
    assert got.standing is not None
    assert (Trust.VERIFIED, ("a", "b")) == (got.standing.confidence, got.standing.evidence)


@pytest.mark.parametrize("actor", WRITERS)
def test_the_less_sure_does_not_replace_the_surer(actor: Actor) -> None:
    """An asserted value that speaks against a verified one is held with a question, whoever says it."""
    before = [said("Aachen", 2020, 2040, trust=Trust.VERIFIED, evidence="a")]
    for new in (said("Berlin", 2021, actor=actor), said("Berlin", actor=actor)):
        got = facts.judge(before, new, NOW)
        assert (Asserted.HELD, False, None) == (got.outcome, got.stored, got.rejection)
        assert (before[0], before[0]) == (got.standing, got.against)
        assert "'Aachen'" in got.question
        assert "'Berlin'" in got.question


@pytest.mark.parametrize(("actor", "trust"), [*product(WRITERS, (Trust.ASSERTED, Trust.VERIFIED))])
@pytest.mark.parametrize("value", ["Aachen", "AACHEN", " aachen", "\uff21achen", '"Aachen".'])
@pytest.mark.parametrize("before", [[A], [said("Aachen", trust=Trust.VERIFIED)], [], [A, B]])
def test_a_rejected_value_is_held(before: list[Event], value: str, actor: Actor, trust: Trust) -> None:
    """A, not A, A again: held at every rank, for every writer, in every spelling; nothing else changes."""
    events = [*before, no("Aachen", actor=JOB), said("Bonn", 2010)]
    got = facts.judge(events, said(value, 2026, trust=trust, actor=actor), NOW)
    assert (Asserted.HELD, False, "no") == (got.outcome, got.stored, got.rejection and got.rejection.id)
    assert facts.fold(events, NOW) == got.standing
    assert got.question


def test_a_rejected_value_is_held_after_others() -> None:
    """A, not A, B, A: held; B stands. The rejection of the highest authority is the one that is named."""
    events: list[Event] = [
        A,
        no("Aachen", actor=AGENT),
        no("Aachen", name="top"),
        B,
        no("Aachen", name="low", actor=JOB),
    ]
    got = facts.judge(events, said("Aachen", 2026), NOW)
    assert (Asserted.HELD, "top") == (got.outcome, got.rejection and got.rejection.id)
    assert got.standing is not None
    assert "Berlin" == got.standing.value
    assert ["no", "top", "low"] == [each.id for each in facts.binding(events, "Aachen")]


def test_the_empty_slot_takes_another_value() -> None:
    """After a rejection nothing stands, and any other value may be asserted."""
    assert standing(A, no("Aachen")) is None
    assert Asserted.STORED is facts.judge([A, no("Aachen")], said("Bonn", actor=JOB), NOW).outcome


def test_a_lift_gives_nothing_back() -> None:
    """After a lift the slot is empty of that value until it is asserted again."""
    events = [A, no("Aachen"), lifted()]
    assert standing(*events) is None
    assert Asserted.STORED is facts.judge(events, said("Aachen", 2026), NOW).outcome
    assert "Aachen" == standing(*events, said("Aachen", 2026))


@pytest.mark.parametrize("actor", WRITERS)
def test_only_a_person_verifies(actor: Actor) -> None:
    """An agent or a job may assert; authority comes from who acts, not from what is written."""
    sure = said("Aachen", trust=Trust.VERIFIED, actor=actor)
    if actor.authority >= Authority.PERSON:
        assert Asserted.STORED is facts.judge([], sure, NOW).outcome
    else:
        with pytest.raises(AccessDenied, match=repr(actor.id)):
            facts.judge([], replace(sure, note="verified by the owner", evidence=(RecordId("owner"),)), NOW)


@pytest.mark.parametrize(
    "wrong",
    [
        {"value": ""},
        {"value": " \u200b"},
        {"entity": " "},
        {"attribute": "-"},
        {"confidence": Trust.DOUBTFUL},
        {"valid": Period(year(2021), year(2020))},
        {"valid": Period(datetime(2021, 1, 1), None)},  # noqa: DTZ001
    ],
)
def test_what_is_no_fact(wrong: dict[str, object]) -> None:
    """A blank name or value, a doubtful confidence, a period that ends before it starts, a naive time."""
    with pytest.raises(InvalidInput):
        facts.judge([], replace(A, **wrong), NOW)


# --- properties ---------------------------------------------------------------------------------------

NAMES = ("Aachen", "aachen", "Berlin", "Cologne")
YEARS = st.none() | st.integers(2018, 2026)


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Events of one slot in their order, by anybody."""
    events: list[Event] = []
    for number in range(draw(st.integers(0, 9))):
        kind = draw(st.integers(0, 5))
        actor, at = draw(st.sampled_from(WRITERS)), 2000 + number
        rejections = [each for each in events if isinstance(each, Rejection)]
        if kind == 0:
            events.append(no(draw(st.sampled_from(NAMES)), name=f"no {number}", at=at, actor=actor))
        elif kind == 1 and rejections:
            events.append(lifted(draw(st.sampled_from(rejections)).id, at=at, actor=actor))
        else:
            trust = draw(st.sampled_from((Trust.ASSERTED, Trust.VERIFIED)))
            value = draw(st.sampled_from(NAMES))
            fact = said(
                value, draw(YEARS), draw(YEARS), at=at, trust=trust, actor=actor, name=f"fact {number}"
            )
            events.append(replace(fact, evidence=(RecordId(str(number)),)))
    return events


def stands(events: Sequence[Event], at: datetime, known: datetime | None) -> str | None:
    """The rule as it is written (core.types, design section 8), word by word."""
    told = [each for each in events if known is None or each.at <= known]
    open_rejections = [
        each
        for each in told
        if isinstance(each, Rejection)
        and not any(
            isinstance(lift, Lift)
            and lift.rejection == each.id
            and lift.actor.authority >= each.actor.authority
            for lift in told
        )
    ]
    best: tuple[int, float, int] | None = None
    winner = None
    for number, fact in enumerate(told):
        if not isinstance(fact, Fact):
            continue
        later = (each for each in told[number:] if isinstance(each, Rejection))
        if any(values.same(each.value, fact.value) for each in (*later, *open_rejections)):
            continue
        start, end = fact.valid.start, fact.valid.end
        if (start is not None and at < start) or (end is not None and at >= end):
            continue
        rank = 2 if fact.confidence is Trust.VERIFIED else 1
        key = (rank, start.timestamp() if start else float("-inf"), number)
        if best is None or key > best:
            best, winner = key, fact.id
    return winner


@given(events=histories(), data=st.data())
def test_the_fold_is_the_rule(events: list[Event], data: st.DataObject) -> None:
    """At every instant, as known at every moment, the fold gives what the rule says, and only one fact."""
    known = data.draw(st.none() | st.integers(1999, 2010).map(year))
    for moment in (each for number in range(2017, 2028) for each in (year(number) - TICK, year(number))):
        found = facts.fold(events, moment, known)
        assert stands(events, moment, known) == (found and found.id)
    line = facts.timeline(events, known)
    ends = [(each.valid.start or year(1), each.valid.end or year(9999)) for each in line]
    assert all(start < end for start, end in ends)
    assert all(one[1] <= other[0] for one, other in pairwise(ends))


@given(events=histories(), order=st.randoms(use_true_random=False), copies=st.integers(1, 3))
def test_the_order_of_arrival_does_not_matter(events: list[Event], order: object, copies: int) -> None:
    """Events that came in any order, and more than once, make the same state once they are in their order."""
    keyed = [((number, "host"), each) for number, each in enumerate(events)] * copies
    order.shuffle(keyed)  # type: ignore[attr-defined]
    arrived = [each for _, each in sorted(dict(keyed).items())]
    assert facts.timeline(events) == facts.timeline(arrived)


def test_three_hosts_agree() -> None:
    """Whatever the order in which the events of three hosts are joined, the state is one."""
    hosts = {
        "a": [(1, A), (4, said("Aachen", 2022))],
        "b": [(2, no("Aachen", actor=PERSON)), (5, lifted(actor=OWNER))],
        "c": [(2, said("Berlin", 2021)), (6, said("Aachen", 2024))],
    }
    made = set()
    for names in permutations(hosts):
        union = {(clock, name): event for name in names for clock, event in hosts[name]}
        made.add(tuple(stretches([union[key] for key in sorted(union)])))
    assert {(("Berlin", 2021, 2022), ("Aachen", 2022, 2024), ("Aachen", 2024, None))} == made


@given(events=histories(), data=st.data())
def test_a_verdict_keeps_its_word(events: list[Event], data: st.DataObject) -> None:
    """What is not stored changes nothing; what is stored never stands where a surer other value stood."""
    value = data.draw(st.sampled_from(NAMES))
    trust = data.draw(st.sampled_from((Trust.ASSERTED, Trust.VERIFIED)))
    new = said(value, data.draw(st.integers(2018, 2022)), at=2026, trust=trust, name="new")
    got = facts.judge(events, new, NOW)
    after = [*events, new] if got.stored else events
    assert facts.fold(after, NOW) == got.standing
    assert got.stored or got.outcome in (Asserted.HELD, Asserted.REPEATED)
    assert bool(facts.binding(events, value)) == (got.rejection is not None)
    for before in facts.timeline(events):
        if before.confidence is Trust.VERIFIED and trust is Trust.ASSERTED and got.stored:
            assert before.id in {each.id for each in facts.timeline(after)}
    if got.outcome is Asserted.REPLACED:
        assert got.replaced is not None
        assert not values.same(got.replaced.value, value)
    if got.outcome is Asserted.STORED:
        stood = [each.id for each in facts.timeline(events)]
        assert stood == [each.id for each in facts.timeline(after) if each.id != "new"]
