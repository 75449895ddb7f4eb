"""When each record was true, as it was known at any moment: the predicate of every search.

A record that was filed once stands with its period in the columns of its passages. One that was filed
again is kept here as rectangles in the two times: true from `start` to `end`, known from `born` to `died`.
A later filing ends what is known and begins what is known instead, so it costs a rectangle or two, and a
moment of both times is four comparisons. All times are microseconds since 1970, all ranges half-open.
"""

from __future__ import annotations

import struct
from array import array
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from quoth.core import rules
from quoth.core.errors import IntegrityError
from quoth.core.ledger import micros
from quoth.core.types import AsOf, Limits, Status, Trust

FAR = 2**62
"""An open end of a period; negative: an open start, or the end of what was replaced as a whole."""

BELIEF: dict[str, int] = {Trust.ASSERTED: 1, Trust.VERIFIED: 2, Trust.DOUBTFUL: 4}
"""A bit for each degree of trust, so that a set of them is a number; 0 is never found."""

_SUPERSEDED, _ERASED = Status.SUPERSEDED.value, Status.ERASED.value
_TRUE = frozenset({Status.CURRENT.value, _SUPERSEDED})

Periods = list[tuple[int, int, int]]
"""When a record is true: start, end and its bit of `BELIEF`, oldest first."""

_NEVER: tuple[int, Periods, list[int]] = (-FAR, [], [])
_FILED = "f.filed_at, f.status, f.valid_from, f.valid_to, f.trust"
_ROW = struct.Struct("=6q").pack


@dataclass(frozen=True, slots=True)
class Moment:
    """What one view may find: scopes (by number), the two times, and what else it is narrowed to."""

    scopes: frozenset[int]
    valid: int
    system: int | None
    """None is now."""
    since: int | None
    until: int | None
    recorded: bool
    """`since` and `until` are about when it was recorded, else about when it was said."""
    beliefs: int
    """Bits of `BELIEF`."""
    history: bool


def moment(scopes: frozenset[int], as_of: AsOf, limits: Limits, now: int) -> Moment:
    """What a caller asks for, in numbers; `InvalidInput` for a time without an offset."""
    valid = _number(as_of.valid)
    return Moment(
        scopes=scopes,
        valid=now if valid is None else valid,
        system=_number(as_of.system),
        since=_number(limits.since),
        until=_number(limits.until),
        recorded=limits.recorded,
        beliefs=sum(BELIEF[each] for each in limits.trust),
        history=limits.history,
    )


def _number(at: datetime | None) -> int | None:
    return None if at is None else micros(rules.utc(at))


def filed(before: Periods, status: str, start: int | None, end: int | None, trust: str) -> Periods:
    """The periods of a record after one more filing: a step of `rules.intervals`, with its trust.

    What is superseded with an open end was replaced as a whole: its last period holds at no time.
    """
    if status not in _TRUE:
        return []
    first = -FAR if start is None else start
    last = FAR if end is None else end
    if last == FAR and status == _SUPERSEDED:
        last = -FAR
    if before and not (before[-1][0] < first and -FAR < before[-1][1] <= first):
        before = before[:-1]
    belief = BELIEF.get(trust, 0)
    return [*[(a, b, belief) for a, b, _ in before], (first, last, belief)]


class Refiled:
    """The rectangles of every record that was filed more than once, up to one row of table `refiled`."""

    def __init__(self) -> None:
        self.upto = 0
        self._rows = array("q")
        """Record, born, died, start, end, belief; and so on."""
        self._last: dict[int, tuple[int, Periods, list[int]]] = {}
        """Record -> when it was filed last, its periods since then, and where they stand."""
        self._erased: set[int] = set()
        self._table: NDArray[np.int64] = np.zeros((6, 0), np.int64)

    def read(self, db: apsw.Connection, upto: int) -> None:
        """Take in the filings that are new since the last call."""
        if upto <= self.upto:
            return
        for record, at, status, start, end, trust, revision in db.execute(
            f"""SELECT f.record, {_FILED}, f.revision FROM refiled q JOIN filing f ON f.record = q.record
            AND f.revision BETWEEN q.revision - (q.revision = 2) AND q.revision
            WHERE q.no > ? AND q.no <= ? ORDER BY q.no, f.revision""",
            (self.upto, upto),
        ):
            last, before, places = self._last.get(record, _NEVER)
            try:
                if at < last:
                    self._again(db, record, revision)
                else:
                    after = filed(before, status, start, end, trust)
                    self._last[record] = (at, after, self._known(record, at, before, after, places))
            except (TypeError, OverflowError, struct.error) as error:
                raise IntegrityError(f"a filing of record no. {record} is damaged: quoth verify") from error
            if status == _ERASED:
                self._erased.add(record)
        self.upto = upto
        self._table = np.array(self._rows, np.int64).reshape(-1, 6).T.copy()

    def _known(self, record: int, at: int, before: Periods, after: Periods, places: list[int]) -> list[int]:
        """From `at` on other periods of a record are known: where they stand, by where those before did."""
        kept = 0
        for old, new in zip(before, after, strict=False):
            if old != new:
                break
            kept += 1
        for place in places[kept:]:
            self._rows[place + 2] = at
        places = places[:kept]
        for period in after[kept:]:
            places.append(len(self._rows))
            self._rows.frombytes(_ROW(record, at, FAR, *period))
        return places

    def _again(self, db: apsw.Connection, record: int, revision: int) -> None:
        """Fold a record anew whose filings do not stand in order of time: a clock was set back.

        At each moment only what was filed by then is known, whatever came in between.
        """
        self._forget(record)
        rows: list[Any] = db.execute(
            f"SELECT {_FILED} FROM filing f WHERE f.record = ? AND f.revision <= ? ORDER BY f.revision",
            (record, revision),
        ).fetchall()
        at, before, places = _NEVER
        for at in sorted({row[0] for row in rows}):
            after: Periods = []
            for _, *filing in (row for row in rows if row[0] <= at):
                after = filed(after, *filing)
            places = self._known(record, at, before, after, places)
            before = after
        self._last[record] = (at, before, places)

    def _forget(self, record: int) -> None:
        """Nothing that stands of a record was ever known."""
        table = np.frombuffer(self._rows, np.int64).reshape(-1, 6)
        mine = table[:, 0] == record
        table[mine, 2] = table[mine, 1]

    def flags(self, size: int) -> NDArray[np.bool_]:
        """Which records stand here, by number below `size`."""
        found = np.zeros(size, np.bool_)
        if self._last:
            record = np.fromiter(self._last, np.int64, len(self._last))
            found[record[record < size]] = True
        return found

    def true(
        self, record: NDArray[np.int32], at: Moment
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
        """Whether each of these records is found, and the periods that decide it."""
        wanted = np.zeros(int(record.max(initial=0)) + 1, np.bool_)
        wanted[record] = True
        wanted[[each for each in self._erased if each < len(wanted)]] = False
        system = FAR - 1 if at.system is None else at.system
        number, born, died, start, end, belief = self._table
        on = (born <= system) & (died > system) & (belief & at.beliefs > 0) & (number < len(wanted))
        on[on] = wanted[number[on]]
        number, start, end = number[on], start[on], end[on]
        found = np.zeros(len(wanted), np.bool_)
        found[number[_holds(start, end, at)]] = True
        return found[record], start, end


def choose(columns: NDArray[Any], at: Moment, again: Refiled) -> tuple[NDArray[np.bool_], int, int]:
    """Which passages count, and from when until when (of valid time, half-open) the answer holds."""
    scopes = np.zeros(max([*at.scopes, int(columns["scope"].max(initial=0))]) + 1, np.bool_)
    scopes[list(at.scopes)] = True
    mask: NDArray[np.bool_] = scopes[columns["scope"]]
    if at.system is not None:
        mask &= columns["recorded"] <= at.system
    told = columns["recorded" if at.recorded else "said"]
    if at.since is not None:
        mask &= told >= at.since
    if at.until is not None:
        mask &= told < at.until
    record = columns["record"]
    rows = np.zeros(0, np.int64)
    if again.upto:
        flags = again.flags(int(record.max(initial=0)) + 1)
        rows = np.flatnonzero(mask & flags[record])
        mask[rows] = False
    mask &= columns["belief"] & at.beliefs > 0
    start, end = columns["valid_from"][mask], columns["valid_to"][mask]
    mask[mask] = _holds(start, end, at)
    edges = [start, end]
    if len(rows):
        mask[rows], start, end = again.true(record[rows], at)
        edges += [start, end]
    since = max(int(each.max(initial=-FAR, where=each <= at.valid)) for each in edges)
    until = min(int(each.min(initial=FAR, where=each > at.valid)) for each in edges)
    return mask, since, until


def _holds(start: NDArray[np.int64], end: NDArray[np.int64], at: Moment) -> NDArray[np.bool_]:
    """Whether each period counts at this moment; in a history every one that has begun does."""
    begun: NDArray[np.bool_] = start <= at.valid
    return begun if at.history else begun & (end > at.valid)
