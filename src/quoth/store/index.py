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
from quoth.store.periods import Moment, Refiled, choose, filed
from quoth.store.scan import BLOCK, Arrays, Selection, select
from quoth.store.vectors import COLUMNS, PIECES, Damaged, Outdated, Shelf, State

log = logging.getLogger(__name__)

GRAINS = {"passage": 0, "turn": 1, "fact": 2}

SELECTIONS = 8
"""Selections that are kept, for that many scopes, limits and system times; the least used one goes."""

CHUNK = 5_000
"""Passages copied while the lock is held once: about 50 ms."""

_DAY = 86_400_000_000
_EPOCH_ORDINAL = 719_163

_PASSAGES = """
    SELECT p.no, hex(substr(r.id, 1, 8)), p.record, d.scope, r.session, r.ordinal, d.speaker, d.said_at,
           coalesce(d.said_offset, 0), r.recorded_at, f.status, f.valid_from, f.valid_to, f.trust,
           p.stop - p.start, p.flags, s.voice, f.grain, p.terms
    FROM passage p JOIN record r ON r.no = p.record JOIN document d ON d.no = r.document
        JOIN filing f ON f.record = r.no AND f.revision = 1 JOIN speaker s ON s.no = d.speaker
    WHERE p.no > ? AND p.no <= ? ORDER BY p.no"""


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
    _, check, *numbers, said, offset, recorded, status, start, end, trust = row[:14]
    chars, flags, voice, grain, terms = row[14:]
    first, last, belief = (filed([], status, start, end, trust) or [(0, 0, 0)])[0]
    return (
        int(check, 16),
        *numbers,
        0 if said is None else (said + 1_000_000 * offset) // _DAY + _EPOCH_ORDINAL,
        0,
        recorded,
        recorded if said is None else said,
        first,
        last,
        len(terms) // 4,
        chars,
        flags,
        voice,
        GRAINS[grain],
        belief,
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
        self._cache: dict[Moment, _Cached] = {}
        self._refiled = Refiled()
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
        except Outdated:
            reason = ""
        except Damaged as damage:
            reason = str(damage)
        if reason and self._shelf.used():
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
                words.append(row[-1])
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
        """What a view may see, kept until something changes or its valid time crosses an edge."""
        with self._lock:
            arrays, state = self.arrays(db, seen)
            held = (state.generation, seen.passages, state.vectors, seen.filings)
            key = replace(moment, valid=0)
            cached = self._cache.pop(key, None)
            if not (cached and cached.held == held and cached.since <= moment.valid < cached.until):
                mask, since, until = choose(arrays.columns, moment, self._again(db, seen.filings))
                cached = _Cached(select(arrays, mask), held, since, until)
                self._cache = {each: kept for each, kept in self._cache.items() if kept.held == held}
            self._cache[key] = cached  # the last one used stands last
            if len(self._cache) > SELECTIONS:
                del self._cache[next(iter(self._cache))]
            return cached.selection, arrays

    def _again(self, db: apsw.Connection, upto: int) -> Refiled:
        """What was filed more than once, up to this filing; a view of what was before reads for itself."""
        if upto < self._refiled.upto:
            again = Refiled()
            again.read(db, upto)
            return again
        again, self._refiled = self._refiled, Refiled()  # nothing is half read where reading fails
        again.read(db, upto)
        self._refiled = again
        return again

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
            self._refiled = Refiled()
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
