"""Both time lines and every limit of a large store, against a plain fold over all that was filed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from quoth.core import ledger, types
from quoth.core.policy import Policy
from quoth.core.types import (
    Access,
    Actor,
    ActorKind,
    AsOf,
    Authority,
    Document,
    Filing,
    Limits,
    Lines,
    Observation,
    PassageId,
    Period,
    RecordId,
    Scope,
    Span,
    Status,
    Trust,
)
from quoth.store.sqlite import SqliteStore

RECORDS, REVISIONS, ADDRESSES = 10_000, 5, 80
BATCH = 1_000
TICK = timedelta(microseconds=1)
START = datetime(2024, 1, 1, tzinfo=UTC)
SCOPES = tuple(Scope(f"team:{name}") for name in ("red", "green", "blue"))
OWNER = Actor("ana", ActorKind.HUMAN, Authority.OWNER)


@dataclass
class Kept:
    """A record, as its writer knows it."""

    passage: PassageId
    """Its number, and that of its only passage."""
    testimony: types.Testimony
    filings: list[Filing]


# --- the oracle: the rules in words, one record after the other --------------------------------------


def known(kept: Kept, system: datetime | None) -> list[Filing]:
    """Its filings up to a system time; none before it was recorded."""
    if system is None:
        return kept.filings
    if kept.testimony.recorded_at > system:
        return []
    return [each for each in kept.filings if each.filed_at <= system]


def periods(filings: list[Filing]) -> list[Period]:
    """When it was true: each filing says the last period anew, or begins one where the last is over."""
    found: list[Period] = []
    for each in filings:
        if each.status in (Status.RETRACTED, Status.HELD, Status.ERASED):
            found = []
            continue
        if found:
            last, start = found[-1], each.valid.start
            if start is None or last.end is None or start < last.end or last == Period(start, start):
                found.pop()
        found.append(each.valid)
    return found


def begun(period: Period, at: datetime) -> bool:
    """Whether a period has started."""
    return period.start is None or period.start <= at


def found(kept: Kept, as_of: AsOf, limits: Limits, now: datetime) -> bool:
    """Whether a search may find it."""
    if any(each.status is Status.ERASED for each in kept.filings):
        return False
    filings = known(kept, as_of.system)
    words = kept.testimony
    told = words.recorded_at if limits.recorded or words.said_at is None else words.said_at
    if not filings or filings[-1].trust not in limits.trust:
        return False
    if (limits.since and told < limits.since) or (limits.until and told >= limits.until):
        return False
    valid = as_of.valid or now
    true = periods(filings)
    if limits.history:
        return any(begun(each, valid) for each in true)
    if true and filings[-1].status is Status.SUPERSEDED and true[-1].end is None:
        true.pop()  # replaced as a whole
    return any(begun(each, valid) and (each.end is None or valid < each.end) for each in true)


# --- the store ---------------------------------------------------------------------------------------


def access(*scopes: Scope) -> Access:
    """Reads and writes these scopes."""
    return Access(OWNER, frozenset(scopes), frozenset(scopes), scopes[0])


Given = tuple[Document, types.Testimony, Observation, Filing, list[Span]]
"""The arguments of `put`."""


def given_(number: int, scope: Scope, said: datetime | None, at: datetime, filing: Filing) -> Given:
    """A new record, filed for the first time like this."""
    text, uri = f"heron {number}", f"note:{number}"
    document = Document(text, uri, said_at=said)
    words = ledger.seal(
        types.Testimony(
            id=RecordId(f"{number + 1:032x}"),
            scope=scope,
            text=text,
            digest="",
            salt=b"salt",
            uri=uri,
            session_id=None,
            speaker=None,
            said_at=said,
            recorded_at=at,
            actor=OWNER,
            source=document.source,
        )
    )
    span = Span(0, len(text))
    seen = Observation(words.id, uri, span, Lines(1, 1), at, OWNER)
    return document, words, seen, replace(filing, record_id=words.id, filed_at=at), [span]


def keep(view: Any, kept: list[Kept], given: Given) -> Kept:
    """Put a record."""
    view.put(*given)
    kept.append(Kept(PassageId(len(kept) + 1), given[1], [given[3]]))
    return kept[-1]


def refile(view: Any, kept: Kept, filing: Filing) -> None:
    """Put down a revision as the view's `refile` does, without what it reads and seals: four times faster."""
    view._refile(int(kept.passage), filing)
    kept.filings.append(filing)


def compare(store: SqliteStore, kept: list[Kept], now: datetime, *address: Any) -> int:
    """How much a view finds, after comparing it with the fold: first anew, then from what was kept."""
    scopes, as_of, limits = address
    want = {
        each.passage for each in kept if each.testimony.scope in scopes and found(each, as_of, limits, now)
    }
    for _ in range(2):
        with store.read(access(*scopes), as_of, limits) as view:
            got = {hit.passage for hit in view.lexical(["heron"], len(kept) + 1)}
            assert (want, len(want)) == (got, view.readable()), address
            assert len(want) == view.frequencies(["heron"])["heron"] == view.pending()
    return len(want)


def opened(folder: Path | None, clock: Any) -> SqliteStore:
    """A store that waits for vectors, so that what is pending can be counted."""
    return SqliteStore(folder, clock=clock, embedder_name="hash", policy=Policy())


# --- a large store -----------------------------------------------------------------------------------


class Dice(random.Random):
    """What is random here, on few enough days that edges meet."""

    def moment(self, first: int, last: int) -> datetime:
        """A day, or a microsecond beside it."""
        return START + timedelta(days=self.randint(first, last)) + self.choice((-1, 0, 0, 0, 1)) * TICK

    def period(self) -> Period:
        """Open or closed at either end, sometimes empty."""
        start = self.moment(0, 60) if self.random() < 0.8 else None
        end = self.moment(0, 90) if self.random() < 0.6 else None
        return Period(start, max(end, start) if start and end else end)

    def trust(self) -> Trust:
        """How far it is believed."""
        return self.choices(list(Trust), (6, 3, 1))[0]


def first(dice: Dice, number: int, at: datetime) -> Given:
    """Any new record."""
    said = dice.moment(-30, 90) if dice.random() < 0.7 else None
    status = Status.HELD if dice.random() < 0.1 else Status.CURRENT
    filing = Filing(RecordId(""), 1, status, at, OWNER, trust=dice.trust(), valid=dice.period())
    return given_(number, dice.choice(SCOPES), said, at, filing)


def refiling(dice: Dice, last: Filing, at: datetime) -> Filing:
    """Any next revision: most of them current or superseded, a few erased."""
    if last.status is Status.ERASED:
        return replace(last, revision=last.revision + 1, filed_at=at)
    kinds = (Status.CURRENT, Status.SUPERSEDED, Status.RETRACTED, Status.HELD, Status.ERASED)
    valid = last.valid if dice.random() < 0.2 else dice.period()
    return replace(
        last,
        revision=last.revision + 1,
        status=dice.choices(kinds, (50, 30, 10, 8, 2))[0],
        filed_at=at,
        trust=dice.trust() if dice.random() < 0.4 else last.trust,
        valid=valid,
    )


def fill(store: SqliteStore, clock: Any, dice: Dice) -> list[Kept]:
    """Records and their revisions in mixed order; now and then the clock of the writer is set back."""
    kept: list[Kept] = []
    known: dict[int, Kept] = {}
    todo = list(range(RECORDS)) * REVISIONS
    dice.shuffle(todo)
    for start in range(0, len(todo), BATCH):
        with store.write(access(*SCOPES)) as view:
            for number in todo[start : start + BATCH]:
                clock.advance(microseconds=dice.choice((0, 1, 40, 150_000_000)))
                at = clock.now() - timedelta(days=dice.choice((1, 6)) * (dice.random() < 0.02))
                if number in known:
                    refile(view, known[number], refiling(dice, known[number].filings[-1], at))
                else:
                    known[number] = keep(view, kept, first(dice, number, at))
    return kept


def addresses(dice: Dice, kept: list[Kept], count: int) -> Iterator[tuple[tuple[Scope, ...], AsOf, Limits]]:
    """Scopes, moments of both times and limits, most of them at an edge of some record or beside it."""

    def beside(at: datetime | None) -> datetime | None:
        return None if at is None else at + dice.choice((-1, 0, 0, 1)) * TICK

    def a_filing() -> Filing:
        return dice.choice(dice.choice(kept).filings)

    for number in range(count):
        valid = beside(dice.choice((a_filing().valid.start, a_filing().valid.end, None)))
        system = beside(a_filing().filed_at) if number % 3 else None
        words = dice.choice(kept).testimony
        recorded = dice.random() < 0.3
        told = words.recorded_at if recorded or words.said_at is None else words.said_at
        narrow = number % 4 == 1
        limits = Limits(
            since=beside(told) if narrow or number % 8 == 2 else None,
            until=beside(told + timedelta(days=dice.randint(0, 40))) if narrow or number % 8 == 3 else None,
            recorded=recorded,
            trust=frozenset(dice.sample(list(Trust), dice.choice((1, 2, 3, 3)))),
            history=dice.random() < 0.25,
        )
        yield tuple(dice.sample(SCOPES, dice.choice((1, 2, 3, 3)))), AsOf(valid, system), limits


def test_ten_thousand_records_with_five_revisions(tmp_path: Path, clock: Any) -> None:
    """Whatever is asked, at any moment of both times: what is found equals the fold, passage for passage.

    The present is in the midst of the periods.
    """
    dice = Dice(3)
    clock.time = START + timedelta(days=30)
    with closing(opened(tmp_path / "store", clock)) as store:
        kept = fill(store, clock, dice)
        assert (RECORDS, RECORDS * REVISIONS) == (len(kept), sum(len(each.filings) for each in kept))
        clock.advance(days=1)
        sizes = [compare(store, kept, clock.now(), *each) for each in addresses(dice, kept, ADDRESSES)]
        assert len(set(sizes)) > ADDRESSES / 2, "the addresses are too much alike"


# --- small stores ------------------------------------------------------------------------------------


class Hours:
    """A clock that knows whole hours alone."""

    def __init__(self) -> None:
        self.time = START

    def now(self) -> datetime:
        """The hour that was set."""
        return self.time


hours = st.integers(0, 6).map(lambda each: START + timedelta(hours=each))
steps = st.tuples(
    st.integers(0, 2),
    st.sampled_from([*Status, Status.CURRENT, Status.CURRENT, Status.SUPERSEDED]),
    st.none() | hours,
    st.none() | hours,
    st.sampled_from(list(Trust)),
    hours,
)
"""Which record is filed (the first time it is new), how, and what the clock says then."""
asked = st.tuples(
    st.sampled_from([SCOPES, SCOPES[:1], SCOPES[1:]]),
    st.builds(AsOf, st.none() | hours, st.none() | hours),
    st.builds(
        Limits,
        since=st.none() | hours,
        until=st.none() | hours,
        recorded=st.booleans(),
        trust=st.frozensets(st.sampled_from(list(Trust)), min_size=1) | st.just(frozenset(Trust)),
        history=st.booleans(),
    ),
)


@given(
    said=st.lists(st.none() | hours, min_size=3, max_size=3),
    todo=st.lists(steps, min_size=1, max_size=9),
    questions=st.lists(asked, min_size=6, max_size=6),
    moments=st.permutations([START + each * timedelta(hours=0.5) for each in range(13)]),
)
def test_any_small_store(
    said: list[datetime | None], todo: list[Any], questions: list[Any], moments: list[datetime]
) -> None:
    """Filed in any order, by a clock that goes back and forth: every view equals the fold at every step.

    In the end one question is asked at every edge and between them, in any order, so that what was kept for
    one moment could be served for another. The present is never before what was written in the scopes that
    are read; what was written in others is no matter.
    """
    clock = Hours()
    kept: list[Kept] = []
    known: dict[int, Kept] = {}
    with closing(opened(None, clock)) as store:
        for number, status, start, end, trust, clock.time in todo:
            valid = Period(start, max(start, end) if start and end else end)
            last = known[number].filings[-1] if number in known else None
            filing = Filing(RecordId(""), 1, status, clock.time, OWNER, trust=trust, valid=valid)
            with store.write(access(*SCOPES)) as view:
                if last is None:
                    new = given_(number, SCOPES[number], said[number], clock.time, filing)
                    known[number] = keep(view, kept, new)
                else:
                    again = replace(filing, record_id=last.record_id, revision=last.revision + 1)
                    refile(view, known[number], again)
            for scopes, as_of, limits in ((SCOPES, AsOf(), Limits()), *questions):
                written = [each.testimony.recorded_at for each in kept if each.testimony.scope in scopes]
                compare(store, kept, max(clock.time, *written, START), scopes, as_of, limits)
        _, as_of, limits = questions[0]
        for moment in moments:
            compare(store, kept, moment, SCOPES, replace(as_of, valid=moment), limits)
