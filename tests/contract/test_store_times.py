"""Two time lines, exactly: a store at any (valid, system) against a plain fold over what was filed.

A test that fails says in its docstring what an implementer should look at.
"""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from quoth.core import rules
from quoth.core.errors import InvalidInput, NotFound
from quoth.core.ports import ReadView, Store
from quoth.core.types import NOW, Access, AsOf, Filing, Limits, Period, RecordId, Status, Trust

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

        True in any of its intervals; what was superseded with an open end was replaced as a whole.
        """
        return {
            record
            for record in self.recorded
            if (last := self.filing(record, system)) and self._true(record, last, system, asked or now)
        }

    def _true(self, record: RecordId, last: Filing, system: datetime | None, valid: datetime) -> bool:
        filings = self.filings[record]
        true = list(rules.intervals(each for each in filings if system is None or each.filed_at <= system))
        if last.status is Status.SUPERSEDED and true[-1].end is None:
            true.pop()
        return any(
            (each.start is None or each.start <= valid) and (each.end is None or valid < each.end)
            for each in true
        )


def fill(hand: Any, clock: Any, dice: random.Random, count: int) -> Fold:
    """Random records with random refilings, on a clock that moves by odd steps, sometimes by none."""
    fold = Fold()

    def period() -> Period:
        start = YEAR + timedelta(days=dice.randint(0, 60)) if dice.random() < 0.8 else None
        end = YEAR + timedelta(days=dice.randint(0, 90)) if dice.random() < 0.6 else None
        return Period(start, max(start, end) if start and end else end)

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


def test_known_and_unknown_again_keeps_three_spans(
    hand: Any, store: Store, access: Access, clock: Any
) -> None:
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


def test_a_b_a_keeps_three_intervals(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """A was true, then B, then A again: at every moment exactly one, also at the very edges.

    Check that a filing which begins where the last period is over adds one, and ends none.
    """
    days = [YEAR + timedelta(days=each) for each in (0, 10, 20)]
    a = hand.put("A grey heron.", valid=Period(days[0], None))
    hand.refile(a, Status.SUPERSEDED, valid=Period(days[0], days[1]))
    b = hand.put("A white heron.", valid=Period(days[1], None))
    hand.refile(b, Status.SUPERSEDED, valid=Period(days[1], days[2]))
    hand.refile(a, Status.CURRENT, valid=Period(days[2], None))
    hand.embed_all()
    for at, want in (
        (days[0] - TICK, set()),
        (days[0], {a}),
        (days[1] - TICK, {a}),
        (days[1], {b}),
        (days[2] - TICK, {b}),
        (days[2], {a}),
        (None, {a}),
    ):
        with store.read(access, AsOf(valid=at)) as view:
            assert want == searched(view, hand), at


def test_what_was_retracted_was_never_true(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """As known now a retracted record is found at no valid time, as known before it still is."""
    start = clock.now()
    record = hand.put("A heron.", valid=Period(start, None))
    hand.refile(record, Status.SUPERSEDED, valid=Period(start, start + timedelta(days=1)))
    hand.embed_all()
    retracted = clock.advance(days=2)
    hand.refile(record, Status.RETRACTED)
    for system, want in ((retracted - TICK, {record}), (retracted, set()), (None, set())):
        for limits in (Limits(), Limits(history=True)):
            with store.read(access, AsOf(start, system), limits) as view:
                assert want == searched(view, hand)


def test_a_correction_from_a_later_day_on_waits(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """What is superseded from a day to come counts until then, and its successor from then on."""
    now, then = clock.now(), clock.now() + timedelta(days=7)
    old = hand.put("A grey heron.", valid=Period(now, None))
    new = hand.put("A white heron.", valid=Period(then, None))
    hand.refile(old, Status.SUPERSEDED, valid=Period(now, then))
    hand.embed_all()
    for clock.time, want in ((then - TICK, {old}), (then, {new}), (now, {old})):
        with store.read(access) as view:
            assert want == searched(view, hand)


def test_the_present_is_not_before_what_was_written(
    hand: Any, other_hand: Any, store: Store, access: Access, clock: Any
) -> None:
    """A clock that was set back hides nothing of one's own; what others wrote moves nobody's present."""
    now = clock.now()
    to_come = hand.put("A heron to come.", valid=Period(now + timedelta(hours=1), None))
    clock.time = now + timedelta(hours=2)
    other_hand.put("A foreign heron.")
    hand.embed_all()
    clock.time = now
    with store.read(access) as view:
        assert set() == searched(view, hand)
    clock.time = now + timedelta(hours=2)
    last = hand.put("The last heron.")
    clock.time = now
    with store.read(access) as view:
        assert {to_come, last} == set(ids(view, view.lexical(["heron"], 9)))


# --- limits ------------------------------------------------------------------------------------------


def limited(store: Store, access: Access, hand: Any, as_of: AsOf = NOW, **limits: Any) -> set[RecordId]:
    """What both arms find within limits."""
    with store.read(access, as_of, Limits(**limits)) as view:
        return searched(view, hand)


def test_since_and_until_are_exact(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """From `since` on and before `until`, to the microsecond, by when it was said, else recorded."""
    now, said = clock.now(), YEAR + timedelta(microseconds=7)
    told = hand.put("A heron, told.", said_at=said)
    written = hand.put("A heron, written.")
    hand.embed_all()
    for moment, one in ((said, told), (now, written)):
        assert {one} == limited(store, access, hand, since=moment, until=moment + TICK)
        assert set() == limited(store, access, hand, since=moment, until=moment)
        assert one not in limited(store, access, hand, since=moment + TICK)
        assert one not in limited(store, access, hand, until=moment)
    assert {told, written} == limited(store, access, hand, since=said, until=now + TICK)
    assert {told, written} == limited(store, access, hand, since=now, recorded=True)
    assert set() == limited(store, access, hand, until=now, recorded=True)
    assert set() == limited(store, access, hand, since=now, until=said)
    with pytest.raises(InvalidInput):
        limited(store, access, hand, since=now.replace(tzinfo=None))


def test_limits_hide_nothing_that_is_asked_for_by_name(
    hand: Any, store: Store, access: Access, clock: Any
) -> None:
    """A search is narrowed, `get`, `records` and `history` are not."""
    record = hand.put("A heron.", trust=Trust.DOUBTFUL)
    with store.read(access, limits=Limits(trust=frozenset(), until=YEAR)) as view:
        assert (0, 0) == (view.readable(), view.pending())
        assert record == view.get(record).testimony.id == next(view.records()).testimony.id
        assert 1 == len(view.history(record))


def test_trust_is_that_of_the_last_filing(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """Of each trust those are found that have it now, or had it as known then; none of no trust."""
    filed = clock.now()
    record = hand.put("A heron.", trust=Trust.DOUBTFUL)
    hand.embed_all()
    raised = clock.advance(hours=1)
    hand.refile(record, trust=Trust.VERIFIED)
    for as_of, want in ((NOW, Trust.VERIFIED), (AsOf(system=raised), Trust.VERIFIED)):
        for trust in Trust:
            found = limited(store, access, hand, as_of, trust=frozenset({trust}))
            assert ({record} if trust is want else set()) == found
    before = AsOf(system=raised - TICK)
    assert {record} == limited(store, access, hand, before, trust=frozenset({Trust.DOUBTFUL}))
    assert set() == limited(store, access, hand, before, trust=frozenset({Trust.VERIFIED}))
    assert set() == limited(store, access, hand, trust=frozenset())
    assert {record} == limited(store, access, hand, AsOf(filed, filed))


def test_history_finds_what_once_was_true(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """Superseded and expired records are found too; what is to come, rejected or held never is."""
    now = clock.now()
    old, day = Period(now - timedelta(days=9), None), timedelta(days=1)
    names = ("current", "superseded", "replaced", "expired", "to come", "retracted", "held")
    herons = {name: hand.put(f"A heron, {name}.", valid=old) for name in names}
    hand.refile(herons["superseded"], Status.SUPERSEDED, valid=replace(old, end=now - day))
    hand.refile(herons["replaced"], Status.SUPERSEDED)
    hand.refile(herons["expired"], valid=replace(old, end=now - day))
    hand.refile(herons["to come"], valid=Period(now + day, None))
    hand.refile(herons["retracted"], Status.RETRACTED)
    hand.refile(herons["held"], Status.HELD)
    hand.embed_all()
    assert {herons["current"]} == limited(store, access, hand)
    assert {herons[each] for each in names[:4]} == limited(store, access, hand, history=True)
    later = AsOf(valid=now + day)
    assert {herons[each] for each in names[:5]} == limited(store, access, hand, later, history=True)
    assert set() == limited(store, access, hand, AsOf(valid=now - 10 * day), history=True)


def test_what_was_erased_is_found_at_no_moment(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """Whatever the address, also one before the erasure, and whatever the limits; nothing waits for it."""
    start = clock.now()
    record = hand.put("A heron that nobody may see.", "n/1")
    kept = hand.put("A heron.", "n/2")
    hand.embed_all()
    erased = clock.advance(hours=1)
    with store.write(access) as view:
        assert (record,) == view.erase(record, "asked for")
    for valid in (None, start, erased):
        for system in (None, start, erased - TICK, erased):
            for history in (False, True):
                with store.read(access, AsOf(valid, system), Limits(history=history)) as view:
                    assert {kept} == searched(view, hand)
                    assert (1, 0) == (view.readable(), view.pending())
                    assert 0 == view.frequencies(["nobody"])["nobody"]


def test_limits_do_not_answer_for_each_other(hand: Any, store: Store, access: Access, clock: Any) -> None:
    """Views of one moment with other limits, one after the other and again, each find their own."""
    now = clock.now()
    herons = {
        trust: hand.put(f"A heron, {trust}.", trust=trust, said_at=now - timedelta(days=days))
        for days, trust in enumerate(Trust)
    }
    hand.embed_all()
    for _ in range(2):
        for days, (trust, record) in enumerate(herons.items()):
            edge = now - timedelta(days=days)
            assert {record} == limited(store, access, hand, trust=frozenset({trust}))
            assert {record} == limited(store, access, hand, since=edge, until=edge + TICK)
        assert set(herons.values()) == limited(store, access, hand)


# --- moments -----------------------------------------------------------------------------------------


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
