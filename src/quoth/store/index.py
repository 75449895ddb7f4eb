"""Keeps the derived arrays in step with the rows, and chooses what a view may see of them."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from quoth.core.errors import IntegrityError
from quoth.store.scan import BLOCK, Arrays, Selection, select
from quoth.store.vectors import COLUMNS, PIECES, Damaged, Shelf, State

log = logging.getLogger(__name__)

FAR = 2**62
"""An open end of a period."""

GRAINS = {"passage": 0, "turn": 1, "fact": 2}
_STATUS = {"current": 1, "superseded": 2}

CHUNK = 5_000
"""Passages copied while the lock is held once: about 50 ms."""

_DAY = 86_400_000_000
_EPOCH_ORDINAL = 719_163

_PASSAGES = """
    SELECT p.no, hex(substr(r.id, 1, 8)), p.record, d.scope, r.session, r.ordinal, d.speaker, d.said_at,
           r.recorded_at, f.valid_from, f.valid_to, p.stop - p.start, p.flags, s.voice, f.grain, f.status,
           p.terms
    FROM passage p JOIN record r ON r.no = p.record JOIN document d ON d.no = r.document
        JOIN filing f ON f.record = r.no AND f.revision = 1 JOIN speaker s ON s.no = d.speaker
    WHERE p.no > ? AND p.no <= ? ORDER BY p.no"""


@dataclass(frozen=True, slots=True)
class Moment:
    """Scopes (by number) and the two times (microseconds) of one view."""

    scopes: frozenset[int]
    valid: int
    past: bool
    """Whether the valid time was asked for: then what was superseded is true until its period ends."""
    system: int | None
    """None is now."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The last rows that one view may see; later ones are not committed, or not in its snapshot."""

    passages: int
    vectors: int
    filings: int


def snapshot(db: apsw.Connection) -> Snapshot:
    """What a connection sees now; taken before a transaction writes anything."""
    return Snapshot(*(_one(db, f"SELECT max(no) FROM {table}") for table in ("passage", "vector", "refiled")))


@dataclass(slots=True)
class _Cached:
    selection: Selection
    held: tuple[int, ...]
    since: int
    until: int


def _columns(row: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a row of `_PASSAGES`
    """The row of `COLUMNS` for a passage; where its words end is not known here."""
    return (
        int(row[1], 16),
        *row[2:7],
        0 if row[7] is None else row[7] // _DAY + _EPOCH_ORDINAL,
        0,
        row[8],
        -FAR if row[9] is None else row[9],
        FAR if row[10] is None else row[10],
        len(row[16]) // 4,
        row[11],
        row[12],
        row[13],
        GRAINS[row[14]],
        row[15] == "current",
        (0, 0, 0),
    )


class Index:
    """The arrays of one open store. Safe to use from several threads."""

    def __init__(self, folder: Path | None, store: str, model: int, dimensions: int) -> None:
        """`model` 0 keeps no vectors."""
        self.model = model
        self.notices: list[str] = []
        self._folder = folder
        self._shelf = Shelf(folder, store, model, dimensions)
        self._lock = threading.RLock()
        self._cache: dict[frozenset[int], _Cached] = {}
        self._later: dict[int, list[tuple[int, int, str, int, int]]] = {}
        self._filings = 0
        self._pieces: dict[int, NDArray[np.int64]] = {}
        self._pieces_seen = 0
        self._pieces_of = 0

    def arrays(self, db: apsw.Connection, seen: Snapshot) -> tuple[Arrays, State]:
        """The arrays of the passages that a view sees, brought up to date from the rows."""
        with self._lock:
            state = self._catch_up(db, seen)
            shelf, n = self._shelf, seen.passages
            columns = shelf.columns.view(n)
            terms = int(columns["terms_end"][-1]) if n else 0
            dense = bool(self.model)  # else no vector was ever stored
            return (
                Arrays(
                    columns=columns,
                    words=shelf.words.view(terms),
                    postings=shelf.postings.view(state.sorted),
                    owners=shelf.owners.view(state.sorted),
                    scales=shelf.scales.view(n) if dense else None,
                    matrix=shelf.matrix.view(n) if dense else None,
                ),
                state,
            )

    def _catch_up(self, db: apsw.Connection, seen: Snapshot) -> State:
        n, last = seen.passages, seen.vectors if self.model else 0
        try:
            try:
                state = self._shelf.state()
                whole = state.passages >= n and state.vectors >= last and state.model == self.model
                if whole and self._belongs(db, state, n):
                    return state
            except Damaged:
                pass  # or another process was writing: looked at again under the lock
            with self._shelf.locked():
                return self._append(db, n, last)
        except OSError as error:
            self._in_memory(error)
            return self._append(db, n, last)

    def _in_memory(self, error: OSError) -> None:
        log.warning("index kept in memory: %s", error.strerror)
        self.notices.append("the derived index cannot be written here and is kept in memory")
        self._shelf = Shelf(None, self._shelf.store, self.model, self._shelf.dimensions)

    def _checked(self, db: apsw.Connection, n: int) -> State:
        """What the files hold, emptied where they are damaged or of another history. Under the lock."""
        reason = "another history"
        try:
            state = self._shelf.state()
            if self._belongs(db, state, n):
                return state
        except Damaged as damage:
            reason = str(damage)
        if self._shelf.used():
            log.warning("index rebuilt: %s", reason)
            self.notices.append("the derived index was damaged or of another store and was made again")
        self._shelf.clear()
        return self._shelf.state()

    def _belongs(self, db: apsw.Connection, state: State, n: int) -> bool:
        """Whether the last passage that both know is the same one (a restored database differs)."""
        if not (shared := min(state.passages, n)):
            return True
        row = db.execute(
            "SELECT hex(substr(r.id, 1, 8)) FROM passage p JOIN record r ON r.no = p.record WHERE p.no = ?",
            (shared,),
        ).fetchone()
        check = self._shelf.columns.view(shared)["check"][-1]
        return row is not None and int(row[0], 16) == int(check)

    def _append(self, db: apsw.Connection, n: int, last: int) -> State:
        shelf = self._shelf
        state = self._checked(db, n)
        if state.model != self.model:
            state = shelf.blank(state)
            shelf.publish(state)
        while state.passages < n:
            block = (state.passages // BLOCK + 1) * BLOCK
            state = self._append_passages(db, state, min(n, state.passages + CHUNK, block))
            if state.passages == block:
                state = self._sort_block(state)
            shelf.publish(state)
        while self.model and state.vectors < last:
            state = self._append_vectors(db, state, last)
            shelf.publish(state)
        return shelf.map(state)

    def _append_passages(self, db: apsw.Connection, state: State, upto: int) -> State:
        rows: list[Any] = list(db.execute(_PASSAGES, (state.passages, upto)))
        part = np.zeros(len(rows), COLUMNS)
        words: list[bytes] = []
        for at, row in enumerate(rows):
            try:
                part[at] = _columns(row)
                words.append(row[16])
            except (TypeError, ValueError, KeyError, OverflowError) as error:
                raise IntegrityError(f"passage no. {row[0]} is damaged: quoth verify") from error
        part["terms_end"] = state.terms + np.cumsum(part["tokens"])
        shelf = self._shelf
        shelf.columns.append(part)
        stream = np.frombuffer(b"".join(words), "<u4")
        shelf.words.append(stream)
        if self.model:
            for each in shelf.dense():
                each.append(np.zeros((len(rows), *each.shape), each.dtype))
        return replace(state, passages=state.passages + len(rows), terms=state.terms + len(stream))

    def _sort_block(self, state: State) -> State:
        """Add the last block, which is whole now, to the postings."""
        shelf = self._shelf
        words = shelf.words.view(state.terms)[state.sorted :]
        order = np.argsort(words, kind="stable")
        tokens = shelf.columns.view(state.passages)["tokens"][-BLOCK:]
        owners = np.repeat(np.arange(state.passages - BLOCK, state.passages, dtype=np.uint32), tokens)
        shelf.postings.append(words[order])
        shelf.owners.append(owners[order])
        return replace(state, sorted=state.terms)

    def _append_vectors(self, db: apsw.Connection, state: State, last: int) -> State:
        rows: list[Any] = db.execute(
            """SELECT no, passage, scale, components, pieces FROM vector
            WHERE no > ? AND no <= ? AND passage <= ? ORDER BY no LIMIT ?""",
            (state.vectors, last, state.passages, CHUNK),
        ).fetchall()
        if not rows:
            return replace(state, vectors=last)
        at = np.array([row[1] - 1 for row in rows], np.int64)
        shelf = self._shelf
        for each in shelf.dense():
            each.unsettle(at)
        shelf.publish(state)  # a crash while they are written over is no damage
        shelf.scales.scatter(at, np.array([row[2] for row in rows], np.float32))
        shelf.matrix.scatter(at, np.stack([np.frombuffer(row[3], np.int8) for row in rows]))
        pieces = np.zeros((len(rows), PIECES), np.uint16)
        for place, row in enumerate(rows):
            ids = sorted(set(np.frombuffer(row[4], "<u2").tolist()))[:PIECES]
            pieces[place, : len(ids)] = ids
        shelf.pieces.scatter(at, pieces)
        return replace(state, vectors=rows[-1][0])

    def select(self, db: apsw.Connection, moment: Moment, seen: Snapshot) -> tuple[Selection, Arrays]:
        """What a view may see, kept until something changes."""
        with self._lock:
            arrays, state = self.arrays(db, seen)
            self._read_later(db, seen.filings)
            now = moment.system is None and not moment.past
            cached = self._cache.get(moment.scopes) if now else None
            held = (state.generation, seen.passages, state.vectors, seen.filings)
            if cached and cached.held == held and cached.since <= moment.valid < cached.until:
                return cached.selection, arrays
            mask, since, until = self._mask(arrays.columns, moment, seen.filings)
            selection = select(arrays, mask)
            if now:
                self._cache[moment.scopes] = _Cached(selection, held, since, until)
                if len(self._cache) > 8:
                    self._cache.pop(next(iter(self._cache)))
            return selection, arrays

    def _read_later(self, db: apsw.Connection, upto: int) -> None:
        """Read the filings after the first one of a record that are new since the last call."""
        if upto <= self._filings:
            return
        for no, record, status, start, end, filed in db.execute(
            """SELECT q.no, q.record, f.status, f.valid_from, f.valid_to, f.filed_at FROM refiled q
            JOIN filing f ON f.record = q.record AND f.revision = q.revision
            WHERE q.no > ? AND q.no <= ? ORDER BY q.no""",
            (self._filings, upto),
        ):
            period = (-FAR if start is None else start, FAR if end is None else end)
            self._later.setdefault(record, []).append((no, filed, status, *period))
        self._filings = upto

    def _mask(
        self, columns: NDArray[Any], moment: Moment, filings: int
    ) -> tuple[NDArray[np.bool_], int, int]:
        """Which passages count, and from when until when (microseconds, half-open) the answer holds."""
        scopes = np.zeros(max([*moment.scopes, int(columns["scope"].max(initial=0))]) + 1, np.bool_)
        scopes[list(moment.scopes)] = True
        mask: NDArray[np.bool_] = scopes[columns["scope"]]
        start = columns["valid_from"].astype(np.int64)
        end = columns["valid_to"].astype(np.int64)
        status = columns["current"].astype(np.int8)
        if moment.system is not None:
            mask &= columns["recorded"] <= moment.system
        if self._later:
            self._overlay(columns["record"], moment.system, filings, status, start, end)
        mask &= (status == 1) | ((status == 2) & (end < FAR) & moment.past)
        edges = np.concatenate((start[mask], end[mask]))
        since = int(edges.max(initial=-FAR, where=edges <= moment.valid))
        until = int(edges.min(initial=FAR, where=edges > moment.valid))
        mask &= (start <= moment.valid) & (end > moment.valid)
        return mask, since, until

    def _overlay(
        self,
        record: NDArray[np.int32],
        system: int | None,
        filings: int,
        status: NDArray[np.int8],
        start: NDArray[np.int64],
        end: NDArray[np.int64],
    ) -> None:
        """Apply the later filings of this snapshot that were known at the system time."""
        place = np.zeros((int(record.max(initial=0)) + 1, 3), np.int64)
        known = np.zeros(len(place), np.bool_)
        for number, later in self._later.items():
            before = [each for each in later if each[0] <= filings and (system is None or each[1] <= system)]
            if before and number < len(place):
                _, _, filed, first, last = before[-1]
                known[number] = True
                place[number] = (_STATUS.get(filed, 0), first, last)
        rows = known[record]
        values = place[record[rows]]
        status[rows] = values[:, 0]
        start[rows], end[rows] = values[:, 1], values[:, 2]

    def piece_frequencies(
        self, db: apsw.Connection, scopes: frozenset[int], ids: list[int], seen: Snapshot
    ) -> dict[int, int]:
        """In how many passages of these scopes each wordpiece stands, standing apart.

        Counted once a process and then kept in step, row by row of the table `vector`; a view of what was
        before (an old snapshot, a restored database) counts for itself.
        """
        with self._lock:
            _, state = self.arrays(db, seen)
            if state.generation != self._pieces_of:
                self._pieces, self._pieces_seen, self._pieces_of = {}, 0, state.generation
            if state.passages > seen.passages or state.vectors > seen.vectors:
                known = self._counted(np.arange(seen.passages))
            else:
                fresh: NDArray[np.int64] = np.arange(seen.passages)
                if self._pieces_seen:
                    rows = db.execute(
                        "SELECT passage FROM vector WHERE no > ? AND no <= ?",
                        (self._pieces_seen, seen.vectors),
                    )
                    fresh = np.array([row[0] - 1 for row in rows], np.int64)
                for number, counts in self._counted(fresh).items():
                    self._pieces[number] = self._pieces.get(number, 0) + counts
                self._pieces_seen, known = seen.vectors, self._pieces
            return {each: sum(int(known[no][each]) for no in scopes if no in known) for each in ids}

    def _counted(self, positions: NDArray[np.int64]) -> dict[int, NDArray[np.int64]]:
        """How often each wordpiece stands in these passages, by scope."""
        top = int(positions.max(initial=-1)) + 1
        scope = self._shelf.columns.view(top)["scope"][positions]
        pieces = self._shelf.pieces.view(top)
        found = {}
        for number in set(scope.tolist()):
            rows = pieces[positions[scope == number]]
            found[int(number)] = np.bincount(rows[rows > 0], minlength=65_536)
        return found

    def close(self) -> None:
        """Let go of the maps."""
        with self._lock:
            self._cache.clear()
            self._shelf.forget()

    def rebuild(self, db: apsw.Connection) -> None:
        """Throw the arrays away and copy them again, whatever they are."""
        with self._lock:
            self._cache.clear()
            self.notices.clear()
            self._shelf = Shelf(self._folder, self._shelf.store, self.model, self._shelf.dimensions)
            try:
                with self._shelf.locked():
                    self._shelf.clear()
            except OSError as error:
                self._in_memory(error)
            self._catch_up(db, snapshot(db))

    def differences(self, db: apsw.Connection) -> list[str]:
        """Names of the files that do not equal the rows (a whole comparison, for `verify`).

        Damaged files are left for the next reader or `rebuild` to make again.
        """
        with self._lock:
            seen = snapshot(db)
            if names := self._shelf.damaged():
                return names
            self._catch_up(db, seen)
            twin = Index(None, self._shelf.store, self.model, self._shelf.dimensions)
            return self._shelf.unlike(twin._shelf, twin._catch_up(db, seen))


def _one(db: apsw.Connection, statement: str, *values: object) -> int:
    """One whole number; 0 for none."""
    row = db.execute(statement, values).fetchone()
    return int(row[0] or 0) if row else 0
