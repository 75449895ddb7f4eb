"""Two time lines, exactly: a store at any (valid, system) against a plain fold over what was filed.

A test that fails says in its docstring what an implementer should look at.
"""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from quoth.core.errors import InvalidInput, NotFound
from quoth.core.ports import ReadView, Store
from quoth.core.types import Access, AsOf, Filing, Period, RecordId, Status

TICK = timedelta(microseconds=1)
YEAR = datetime(2024, 1, 1, tzinfo=UTC)


def searched(view: ReadView, hand: Any) -> set[RecordId]:
    """The records that both arms find; they must agree."""
    by_words = {each for each in ids(view, view.lexical(["heron"], 10_000))}
    by_vector = {each for each in ids(view, view.dense(hand.vector("heron"), 10_000))}
    assert by_words == by_vector
    assert len(by_words) == view.readable() == view.frequencies(["heron"])["heron"]
    return by_words


def ids(view: ReadView, hits: Any) -> list[RecordId]:
    """The records of these hits."""
    return [record.testimony.id for record, _ in view.passages([hit.passage for hit in hits])]


class Fold:
    """The oracle: every filing, in the order in which it was written."""

    def __init__(self) -> None:
        self.recorded: dict[RecordId, datetime] = {}
        self.filings: dict[RecordId, list[Filing]] = {}

    def filing(self, record: RecordId, system: datetime | None) -> Filing | None:
        """What was known of a record; None when it was not there yet."""
        if system is not None and self.recorded[record] > system:
            return None
        known = [each for each in self.filings[record] if system is None or each.filed_at <= system]
        return known[-1] if known else None

    def served(self, asked: datetime | None, system: datetime | None, now: datetime) -> set[RecordId]:
        """The records that a search at this address may find.

        Where a valid time is asked for, what was superseded was true until its period was closed; with an
        open end it is replaced as a whole.
        """
        valid = asked or now
        return {
            record
            for record in self.recorded
            if (filing := self.filing(record, system))
            and (
                filing.status is Status.CURRENT
                or (asked and filing.status is Status.SUPERSEDED and filing.valid.end is not None)
            )
            and (filing.valid.start is None or filing.valid.start <= valid)
            and (filing.valid.end is None or valid < filing.valid.end)
        }


def fill(hand: Any, clock: Any, dice: random.Random, count: int) -> Fold:
    """Random records with random refilings, on a clock that moves by odd steps, sometimes by none."""
    fold = Fold()

    def period() -> Period:
        start = YEAR + timedelta(days=dice.randint(0, 40)) if dice.random() < 0.8 else None
        end = YEAR + timedelta(days=dice.randint(40, 80)) if dice.random() < 0.6 else None
        return Period(start, end)

    def tick() -> None:
        clock.advance(microseconds=dice.choice((0, 1, 1, 2, 999_999, 86_400_000_000)))

    known: list[RecordId] = []
    while len(known) < count:
        with hand.store.write(hand.access) as view:
            for _ in range(dice.randint(1, 8)):
                tick()
                if known and dice.random() < 0.6:
                    record = dice.choice(known)
                    last = fold.filings[record][-1]
                    filing = replace(
                        last,
                        revision=last.revision + 1,
                        status=dice.choice(list(Status)[:4]),
                        valid=period(),
                        filed_at=clock.now(),
                        note=str(dice.random()),
                    )
                    view.refile(filing)
                    fold.filings[record].append(filing)
                else:
                    given = hand.given(f"A heron, number {len(known)}.", f"n/{len(known)}", valid=period())
                    view.put(*given)
                    known.append(given.id)
                    fold.recorded[given.id] = clock.now()
                    fold.filings[given.id] = [given.filing]
    return fold


def test_any_moment_equals_a_plain_fold(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """At every edge, and one microsecond beside it, a view serves what a fold over all filings serves.

    Check half-open bounds, whole microseconds, that the last revision known at `system` decides, and that
    nothing kept for one moment is served for another one.
    """
    dice = random.Random(7)
    fold = fill(hand, clock, dice, 150)
    hand.embed_all()
    every = [filing for filings in fold.filings.values() for filing in filings]
    assert len(every) > 300
    systems = sorted({each.filed_at for each in every})
    valids = sorted(
        {edge for each in every for edge in (each.valid.start, each.valid.end) if edge is not None}
    )
    addresses = [
        (
            None if dice.random() < 0.2 else dice.choice(valids) + dice.choice((-1, 0, 0, 1)) * TICK,
            None if dice.random() < 0.3 else dice.choice(systems) + dice.choice((-1, 0, 0, 1)) * TICK,
        )
        for _ in range(250)
    ]
    sizes = set()
    for valid, system in addresses:
        want = fold.served(valid, system, clock.now())
        with store.read(access, AsOf(valid, system)) as view:
            assert want == searched(view, hand), (valid, system)
        sizes.add(len(want))
    assert len(sizes) > 20, "the addresses are too much alike"


def test_records_are_those_known_then(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """At a system time `get` and `records` give the filing that counted then, and no later record.

    Check that valid time hides nothing from them: they answer for history too.
    """
    fold = fill(hand, clock, random.Random(11), 60)
    moments = sorted({each.filed_at for filings in fold.filings.values() for each in filings})
    for system in (*moments[::9], moments[0] - TICK, moments[-1]):
        with store.read(access, AsOf(system=system)) as view:
            want = {r: f for r in fold.recorded if (f := fold.filing(r, system))}
            got = {each.testimony.id: each.filing for each in view.records()}
            assert want == got
            for status in Status:
                current = [each.testimony.id for each in view.records(status)]
                assert [r for r, f in want.items() if f.status is status] == current
            for record in list(fold.recorded)[::11]:
                if record in want:
                    assert want[record] == view.get(record).filing
                else:
                    with pytest.raises(NotFound):
                        view.get(record)


@pytest.mark.parametrize("side", ["start", "end"])
def test_validity_is_half_open(hand: Any, store: Store, access: Access, side: str) -> None:
    """A record is served from the very microsecond of its start, and no more at that of its end."""
    edge = YEAR + timedelta(days=3, microseconds=123_457)
    hand.put("A heron.", valid=Period(edge, None) if side == "start" else Period(None, edge))
    hand.embed_all()
    for at, before in ((edge - TICK, True), (edge, False), (edge + TICK, False)):
        with store.read(access, AsOf(valid=at)) as view:
            assert (before == (side == "end")) == bool(searched(view, hand)), at


def test_an_empty_period_is_never_served(hand: Any, store: Store, access: Access) -> None:
    """A record that is valid from a moment to the same moment is never served."""
    hand.put("A heron.", valid=Period(YEAR, YEAR))
    hand.embed_all()
    for at in (YEAR - TICK, YEAR, YEAR + TICK):
        with store.read(access, AsOf(valid=at)) as view:
            assert set() == searched(view, hand)


def test_now_moves_on(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """What is valid by the clock changes while nothing is written, forwards and backwards.

    Check that a selection that is kept between views knows from when and until when it holds.
    """
    now = clock.now()
    first = hand.put("First heron.", valid=Period(now, now + timedelta(hours=2)))
    second = hand.put("Second heron.", valid=Period(now + timedelta(hours=1), now + timedelta(hours=3)))
    hand.embed_all()
    for hours, want in ((0, {first}), (1, {first, second}), (2, {second}), (3, set()), (1, {first, second})):
        clock.time = now + timedelta(hours=hours)
        with store.read(access) as view:
            assert want == searched(view, hand)
    with store.read(access, AsOf(valid=now - TICK)) as view:
        assert set() == searched(view, hand)


def test_a_b_a_keeps_three_intervals(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """Current, retracted, current again: each of the three spans of system time is still there."""
    record = hand.put("A heron.")
    hand.embed_all()
    edges = [clock.now()]
    for status in (Status.RETRACTED, Status.CURRENT):
        edges.append(clock.advance(hours=1))
        hand.refile(record, status)
    for at, want in zip(
        (edges[0] - TICK, edges[0], edges[1] - TICK, edges[1], edges[2] - TICK, edges[2]),
        (False, True, True, False, False, True),
        strict=True,
    ):
        with store.read(access, AsOf(system=at)) as view:
            assert want == bool(searched(view, hand)), at


def test_any_offset_is_the_same_moment(hand: Any, store: Store, access: Access) -> None:
    """A moment in another zone is that moment; one without a zone is `InvalidInput`."""
    from zoneinfo import ZoneInfo

    edge = datetime(2024, 6, 1, 12, tzinfo=UTC)
    hand.put("A heron.", valid=Period(edge, None))
    hand.embed_all()
    there = edge.astimezone(ZoneInfo("Asia/Kathmandu"))
    for at, want in ((there, 1), (there - TICK, 0)):
        with store.read(access, AsOf(valid=at)) as view:
            assert want == len(searched(view, hand))
    for wrong in (AsOf(valid=edge.replace(tzinfo=None)), AsOf(system=edge.replace(tzinfo=None))):
        with pytest.raises(InvalidInput), store.read(access, wrong):
            pass
