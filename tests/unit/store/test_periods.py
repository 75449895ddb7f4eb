"""The periods of records that were filed again, and from when until when an answer holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quoth.core import rules
from quoth.core.errors import IntegrityError
from quoth.core.ledger import micros
from quoth.core.types import (
    EPOCH,
    NOW,
    SERVED,
    Actor,
    ActorKind,
    AsOf,
    Authority,
    Document,
    Filing,
    Limits,
    Period,
    RecordId,
    Scope,
    Status,
    Trust,
)
from quoth.store import index
from quoth.store.periods import BELIEF, FAR, Moment, Periods, Refiled, choose, filed, moment
from quoth.store.vectors import COLUMNS

DAY = EPOCH + timedelta(days=1)
days = st.none() | st.integers(0, 4).map(lambda each: EPOCH + timedelta(days=each))
filings = st.lists(st.tuples(st.sampled_from(Status), days, days, st.sampled_from(Trust)), max_size=8)


def folded(rows: list[tuple[Status, datetime | None, datetime | None, Trust]]) -> Periods:
    """The periods after these filings."""
    found: Periods = []
    for status, start, end, trust in rows:
        found = filed(found, status, micros(start), micros(end), trust)
    return found


@given(rows=filings)
@example(rows=[(Status.CURRENT, DAY, DAY, Trust.ASSERTED), (Status.CURRENT, DAY, None, Trust.VERIFIED)])
def test_a_step_is_that_of_the_rule(rows: list[Any]) -> None:
    """Step by step the periods are those of `rules.intervals`; all have the trust of the last filing.

    Only the last one of what was superseded with an open end differs: it holds at no time.
    """
    actor = Actor("ana", ActorKind.HUMAN, Authority.OWNER)
    told = [
        Filing(RecordId(""), at, status, EPOCH, actor, valid=Period(start, end))
        for at, (status, start, end, _) in enumerate(rows, 1)
    ]
    want = []
    for each in rules.intervals(told):
        start, end = micros(each.start), micros(each.end)
        want.append((-FAR if start is None else start, FAR if end is None else end, BELIEF[rows[-1][3]]))
    if want and rows[-1][0] is Status.SUPERSEDED and want[-1][1] == FAR:
        want[-1] = (want[-1][0], -FAR, want[-1][2])
    assert want == folded(rows)


def test_trust_has_a_bit_of_its_own() -> None:
    """Every degree of trust is a bit, so that no set of them is another's number."""
    assert {1, 2, 4} == {BELIEF[each] for each in Trust}
    assert 7 == moment(frozenset(), NOW, Limits(), 0).beliefs
    assert 3 == moment(frozenset(), NOW, SERVED, 0).beliefs


def filed_once(rows: list[tuple[int, int, int]]) -> Any:
    """Columns of passages with these periods and beliefs, all in scope 1, recorded at 0."""
    columns = np.zeros(len(rows), COLUMNS)
    columns["record"] = np.arange(1, len(rows) + 1)
    columns["scope"] = 1
    for name, values in zip(("valid_from", "valid_to", "belief"), zip(*rows, strict=True), strict=True):
        columns[name] = values
    return columns


edge = st.sampled_from([-FAR, 0, 1, 2, 3, 5, 8, FAR])


@given(
    rows=st.lists(st.tuples(edge, edge, st.sampled_from([0, 1, 4])), min_size=1, max_size=6),
    valid=st.integers(-1, 9),
    history=st.booleans(),
)
def test_an_answer_holds_from_edge_to_edge(
    rows: list[tuple[int, int, int]], valid: int, history: bool
) -> None:
    """At every moment in which an answer is said to hold it is the same, and the moment itself is one."""
    columns = filed_once(rows)
    at = replace(moment(frozenset({1}), NOW, SERVED, valid), history=history)
    mask, since, until = choose(columns, at, Refiled())
    want = [start <= valid and (history or valid < end) and belief == 1 for start, end, belief in rows]
    assert want == mask.tolist()
    assert since <= valid < until
    for other in range(max(since, -2), min(until, 11)):
        assert want == choose(columns, replace(at, valid=other), Refiled())[0].tolist()


def test_nothing_is_stored() -> None:
    """An empty store, and an access without a scope, find nothing at any moment."""
    for columns, scopes in (
        (filed_once([(0, 9, 1)]), frozenset[int]()),
        (np.zeros(0, COLUMNS), frozenset({1})),
    ):
        mask, since, until = choose(columns, moment(scopes, NOW, Limits(), 5), Refiled())
        assert (0, -FAR, FAR) == (mask.sum(), since, until)


# --- through a store ---------------------------------------------------------------------------------


def herons(desk: Any, store: Any, as_of: AsOf = NOW, **limits: Any) -> list[int]:
    """Numbers of the passages that hold the word."""
    with store.read(desk.access, as_of, Limits(**limits)) as view:
        return sorted(hit.passage for hit in view.lexical(["heron"], 99))


def refile(desk: Any, store: Any, at: datetime, status: Status = Status.CURRENT, **changes: Any) -> None:
    """File the first record of a desk again."""
    with store.write(desk.access) as view:
        last = next(view.records()).filing
        view.refile(replace(last, revision=last.revision + 1, status=status, filed_at=at, **changes))


def test_a_view_of_before_sees_no_later_filing(desk: Any, clock: Any) -> None:
    """A view that began before a filing does not see it, though later views have; none of those misses it."""
    store, now = desk.open(), clock.now()
    desk.keep(store, {"a": "A heron.", "b": "A second heron."})
    refile(desk, store, now, trust=Trust.VERIFIED)
    with store.read(desk.access) as early:
        refile(desk, store, now, Status.RETRACTED)
        assert [2] == herons(desk, store)
        assert [1, 2] == sorted(hit.passage for hit in early.lexical(["heron"], 9))
        assert 2 == early.readable()
    assert [2] == herons(desk, store)


def test_a_clock_that_was_set_back_loses_nothing(desk: Any, clock: Any) -> None:
    """What was filed later by an earlier clock is known from that earlier moment on, at any address."""
    store, now = desk.open(), clock.now()
    desk.keep(store, {"a": "A heron."})
    hour = timedelta(hours=1)
    asserted, verified, doubtful = Trust
    for hours, trust in ((4, verified), (2, doubtful), (6, asserted)):
        refile(desk, store, now + hours * hour, trust=trust)
        herons(desk, store)  # read step by step
    again = desk.open()  # and at once
    for each in (store, again):
        for hours, want in enumerate((asserted, asserted, doubtful, doubtful, doubtful, doubtful, asserted)):
            known = AsOf(system=now + hours * hour)
            found = [one for one in Trust if herons(desk, each, known, trust=frozenset({one}))]
            assert [want] == found, hours


def test_kept_selections_are_few(desk: Any, clock: Any) -> None:
    """Whatever is asked, a handful of selections is kept, the ones used last, and none that is stale."""
    store, now = desk.open(), clock.now()
    desk.keep(store, {"a": "A heron."})
    for day in range(30):
        herons(desk, store, since=now - timedelta(days=day))
        herons(desk, store)
    kept: dict[Moment, Any] = store._index._cache
    assert index.SELECTIONS == len(kept)
    assert [None, None] == [each.since for each in list(kept)[-1:] * 2]
    desk.keep(store, {"b": "A second heron."})
    assert [1, 2] == herons(desk, store)
    assert 1 == len(store._index._cache)


def test_one_selection_serves_every_moment_between_two_edges(desk: Any, clock: Any) -> None:
    """While no period begins or ends, the clock may move without a new selection being made."""
    store = desk.open()
    desk.keep(store, {"a": "A heron."})
    herons(desk, store)
    [first] = store._index._cache.values()
    for _ in range(3):
        clock.advance(days=1)
        assert [1] == herons(desk, store)
    herons(desk, store, AsOf(valid=clock.now()))
    assert [id(first)] == [id(each) for each in store._index._cache.values()]


def test_the_day_is_that_of_the_speaker(desk: Any) -> None:
    """What was said after midnight, far in the east, was said on the new day there."""
    from zoneinfo import ZoneInfo

    store = desk.open()
    said = datetime(2024, 5, 2, 0, 30, tzinfo=ZoneInfo("Asia/Tokyo"))
    from quoth.core.policy import Policy
    from quoth.ingest.remember import remember

    remember(store, desk.access, desk.clock, Policy(), [Document("A heron.", "a", said_at=said)])
    with store.read(desk.access) as view:
        assert [said.toordinal()] == view.turns([1], ["heron"], None).said_day.tolist()
        assert [1] == view.said([(said.toordinal(), said.toordinal())], 0)


@pytest.mark.parametrize("column", ["filed_at", "valid_from"])
def test_a_damaged_filing_is_said(desk: Any, clock: Any, column: str) -> None:
    """A filing that holds no time raises `IntegrityError` with its record until it is mended."""
    store, now = desk.open(), clock.now()
    desk.keep(store, {"a": "A heron."})
    for hours in range(1, 4):
        refile(desk, store, now, valid=Period(now + timedelta(hours=hours), None))
    store.close()
    [(was,)] = desk.rows(f"SELECT {column} FROM filing WHERE revision = 3")
    desk.sql(f"UPDATE filing SET {column} = 'never' WHERE revision = 3")
    store = desk.open()
    for _ in range(2):
        with pytest.raises(IntegrityError, match=r"record no\. 1 is damaged"):
            herons(desk, store)
    desk.sql(f"UPDATE filing SET {column} = ? WHERE revision = 3", values=(was,))
    for hours in range(5):
        assert (hours >= 3) == bool(herons(desk, store, AsOf(valid=now + timedelta(hours=hours))))


def test_words_of_other_scopes_set_no_edge(desk: Any, clock: Any) -> None:
    """A period that ends in a scope which is not read makes nobody choose anew."""
    columns = filed_once([(0, 7, 1), (0, FAR, 1)])
    columns["scope"] = (2, 1)
    at = moment(frozenset({1}), NOW, Limits(), 5)
    assert (0, FAR) == choose(columns, at, Refiled())[1:]
    assert Scope("user:ana") in desk.access.reads
