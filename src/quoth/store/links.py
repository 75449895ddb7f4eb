"""Walks the chains of a scope: where their links hold, and what their entries say of whom.

A chain has one part, and one more for each time that a person closed it (`store.mending`). The rows of a
closed part have the chain's origin, a ``#`` and the number of the entry that closed it, which is the first
one of the next part and commits to every row before it.
An entry is sound where the beginning of its part, or what a witness saw, leads to it over whole links, and
nothing that a witness vouches for contradicts it. Of a closed part the entry that closed it says which were.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import apsw

from quoth.core import ledger
from quoth.core.acts import sealed
from quoth.core.errors import IntegrityError
from quoth.core.types import EPOCH, LedgerEntry, Resolved, Scope
from quoth.store import rows

RESOLVE = "resolve"
TOLD = 3
"""Breaks of one chain that are told one by one."""

Sight: TypeAlias = tuple[int, str, str]
"""What somebody saw of a chain: number and hash of an entry, and who saw it."""

HEAD_FILE = "its head file"

_NOT_WRITTEN = "it is not as it was written"
_GAP = "entries are missing before it"
_OTHER = "it follows another entry than the one before it"
_BACK = "its clock goes back"
_START = "the chain does not begin there"
_CLOSED = "what it closed is not what it commits to"


@dataclass(slots=True)
class _Run:
    """Entries, by place in their part, whose links hold from one to the next."""

    start: int
    stop: int
    begins: bool
    confirmed: bool = False
    contradicted: bool = False


@dataclass(slots=True)
class Part:
    """A chain, or a part of it that was closed."""

    name: str
    """What the column `origin` of its rows says."""
    count: int = 0
    breaks: list[str] = field(default_factory=list)
    sound: list[tuple[int, int]] = field(default_factory=list)
    """Places of entries, half-open, that are sound."""
    first: LedgerEntry | None = None
    last: LedgerEntry | None = None
    """The last entry that can be read."""
    closing: Resolved | None = None
    """How it was closed; None for the part that grows."""
    clock: int = 0
    """The clock of the last sound entry."""

    def holds(self, place: int) -> bool:
        """Whether the entry at a place is sound."""
        return any(start <= place < stop for start, stop in self.sound)

    def disputed(self) -> int:
        """How many entries are not sound."""
        return self.count - sum(stop - start for start, stop in self.sound)


@dataclass(slots=True)
class Chain:
    """Every part of the chain of one origin in one scope."""

    origin: str
    scope: Scope
    ours: bool
    parts: list[Part]
    """Oldest first; the last one grows."""
    head: tuple[Any, Any, Any] | None = None
    """Number, clock and hash as the table of heads has them."""
    anchored: str = "anchored"
    lost: list[str] = field(default_factory=list)
    """What witnesses saw that is not there."""
    counts: bool = True
    """Whether what it says counts here: another install's chain only where a witness vouches for it."""

    def broken(self) -> list[str]:
        """What is wrong with the links of the part that grows."""
        part = self.parts[-1]
        found = part.breaks[:TOLD]
        if len(part.breaks) > TOLD:
            found.append(f"and at {len(part.breaks) - TOLD} more entries")
        if not self._ends():
            found.append("it does not end at its head")
        return found

    def _ends(self) -> bool:
        last = self.parts[-1].last
        if last is None:
            return self.head is None
        return self.head is not None and self.head == (last.seq, last.hlc, bytes.fromhex(last.hash))

    def holds(self) -> bool:
        """Whether it is whole, ends at its head, and is what every witness saw."""
        return not self.broken() and not self.lost


@dataclass(slots=True)
class Word:
    """What one entry says of its subject."""

    action: str
    payload: str
    chain: Chain
    part: Part
    place: int
    seq: int
    hlc: int

    @property
    def sound(self) -> bool:
        """Whether it counts."""
        return self.part.holds(self.place)


Said: TypeAlias = dict[str, list[Word]]
"""Subject -> what the chains of a scope say of it, in order."""


def chains(
    db: apsw.Connection,
    scope: Scope,
    no: int,
    own: str,
    sights: Mapping[str, Sequence[Sight]],
    since: Mapping[str, int],
) -> tuple[list[Chain], Said]:
    """The chains of one scope, and what they say.

    `own` is this install; `sights` are what witnesses saw, by origin; `since` says for a chain from which
    entry on its head file was there.
    """
    said: Said = {}
    found = []
    heads: dict[str, tuple[Any, Any, Any]] = {
        row[0]: row[1:]
        for row in db.execute("SELECT origin, seq, hlc, hash FROM head WHERE scope = ?", (no,))
    }
    names = {row[0] for row in db.execute("SELECT DISTINCT origin FROM ledger WHERE scope = ?", (no,))}
    closed = {name for name in names if isinstance(name, str) and "#" in name}
    for origin in sorted({*names, *heads, *sights} - closed, key=str):
        chain = Chain(str(origin), scope, origin == own, [], heads.get(origin))
        chain.parts = [Part(name) for name in _parts(db, origin, no)]
        closed -= {part.name for part in chain.parts}
        _read(db, chain, no, sights.get(origin, ()), since.get(origin, 0), said)
        found.append(chain)
    for name in sorted(closed):
        chain = Chain(name, scope, ours=False, parts=[Part(name)])
        _read(db, chain, no, (), 0, said)
        found.append(chain)
    return found, said


def _parts(db: apsw.Connection, origin: Any, no: int) -> list[Any]:  # noqa: ANN401 - whatever stands there
    """Names of the parts of a chain, oldest first."""
    names, before = [origin], None
    while True:
        row = db.execute(
            "SELECT seq, action FROM ledger WHERE origin = ? AND scope = ? ORDER BY seq LIMIT 1",
            (names[0], no),
        ).fetchone()
        if row is None or row[1] != RESOLVE or not isinstance(row[0], int):
            return names
        if before is not None and row[0] >= before:
            return names
        before = row[0]
        names.insert(0, part_name(origin, before))


def part_name(origin: str, seq: int) -> str:
    """The name of the part that entry `seq` closed."""
    return f"{origin}#{seq}"


def commitment(db: apsw.Connection, name: str, no: int) -> str:
    """The digest (hex) of every row of a part, whatever stands in it: what a `resolve` entry follows."""
    columns = "l.seq l.hlc l.at a.id a.kind a.authority l.surface l.action l.subject l.payload l.prev l.hash"
    line = " || ',' || ".join(f"typeof({each}) || ':' || hex({each})" for each in columns.split())
    digest = hashlib.sha256(b"quoth.segment.1\0")
    for (row,) in db.execute(
        f"""SELECT {line} FROM ledger l LEFT JOIN actor a ON a.no = l.actor
        WHERE l.origin = ? AND l.scope = ? ORDER BY l.seq""",
        (name, no),
    ):
        digest.update(row.encode() + b"\n")
    return digest.hexdigest()


def _read(
    db: apsw.Connection, chain: Chain, no: int, sights: Sequence[Sight], since: int, said: Said
) -> None:
    """Walk every part, oldest first, and hold it against what witnesses saw."""
    wanted: dict[int, set[str]] = {}
    for seq, digest, _ in sights:
        wanted.setdefault(seq, set()).add(digest)
    seen: dict[int, str] = {}
    for place, part in enumerate(chain.parts):
        before = chain.parts[place - 1] if place else None
        start = commitment(db, before.name, no) if before else ledger.GENESIS
        _walk(_rows(db, part.name, no), chain, part, (before is None, start), wanted, seen, said)
    _close(db, chain, no)
    last = chain.parts[-1].last
    for seq, digest, by in sights:
        if seq and seen.get(seq) != digest:
            short = last is None or last.seq < seq
            chain.lost.append(f"is behind {by}" if short else f"is another one than {by} saw at entry {seq}")
    there = last is not None or chain.head is not None
    if chain.lost:
        chain.anchored = "regressed"
    elif there and not any(seq >= since and (not since or by != HEAD_FILE) for seq, _, by in sights):
        chain.anchored = "unanchored"
    chain.counts = chain.ours or (chain.anchored == "anchored" and chain.holds())


def _rows(db: apsw.Connection, name: Any, no: int) -> Iterator[Any]:  # noqa: ANN401
    return iter(db.execute(f"{rows.LEDGER} WHERE l.origin = ? AND l.scope = ? ORDER BY l.seq", (name, no)))


def _entry(row: tuple[Any, ...], origin: str) -> tuple[LedgerEntry | None, bool]:
    """The entry of a row, and whether it is as it was written."""
    try:
        entry = rows.ledger_entry((origin, *row[1:]))
        return entry, ledger.entry_hash(entry) == entry.hash
    except (IntegrityError, TypeError, ValueError):  # a value of another type cannot be hashed
        return None, False


def _walk(
    entries: Iterator[Any],
    chain: Chain,
    part: Part,
    start: tuple[bool, str],
    wanted: Mapping[int, set[str]],
    seen: dict[int, str],
    said: Said,
) -> None:
    """Take in the entries of one part; `start` is whether it is the first one, and what it follows."""
    runs: list[_Run] = []
    run: _Run | None = None
    last: LedgerEntry | None = None
    for place, row in enumerate(entries):
        part.count += 1
        entry, whole = _entry(row, chain.origin)
        if entry is not None:
            part.first = part.first or entry
            said.setdefault(entry.subject, []).append(
                Word(entry.action, entry.payload_digest, chain, part, place, entry.seq, entry.hlc)
            )
        if entry is None or not whole:
            part.breaks.append(_told(row, _NOT_WRITTEN))
            run = last = None
            continue
        why = _begins(entry, *start) if not place else _follows(entry, last) if last else ""
        if why:
            part.breaks.append(_told(row, why))
            if run is not None and why == _OTHER:
                run.contradicted = True
        if why or run is None:
            run = _Run(place, place, begins=not place and not why)
            runs.append(run)
        run.stop = place + 1
        if entry.seq in wanted:
            seen[entry.seq] = entry.hash
            run.confirmed = run.confirmed or entry.hash in wanted[entry.seq]
        part.last = last = entry
        if run.begins or run.confirmed:
            part.clock = max(part.clock, entry.hlc)
    part.sound = [
        (each.start, each.stop) for each in runs if each.confirmed or (each.begins and not each.contradicted)
    ]


def _told(row: tuple[Any, ...], why: str) -> str:
    number = row[2] if isinstance(row[2], int) else "without a number"
    return f"broken at entry {number}: {why}"


def _begins(entry: LedgerEntry, first: bool, follows: str) -> str:
    if first:
        return "" if (entry.seq, entry.prev) == (1, follows) else _START
    return "" if entry.prev == follows else _CLOSED


def _follows(entry: LedgerEntry, last: LedgerEntry) -> str:
    if entry.seq != last.seq + 1:
        return _GAP
    if entry.prev != last.hash:
        return _OTHER
    return "" if entry.hlc > last.hlc else _BACK


def _close(db: apsw.Connection, chain: Chain, no: int) -> None:
    """Say of every closed part what the entry that closed it said, or a later one that closed another.

    Newest first: whether an entry is sound is known once it is known how its own part was closed.
    """
    told: dict[str, Resolved] = {}
    sound: dict[str, list[tuple[int, int]]] = {}
    for part, before in zip(reversed(chain.parts), reversed([None, *chain.parts[:-1]]), strict=True):
        if part is not chain.parts[-1]:
            bare = Resolved(part.name, chain.scope, part.count, part.count, "", (), "", None, None)
            part.closing, part.sound = told.get(part.name, bare), sound.get(part.name, [])
        if before is None or part.first is None or not part.holds(0):
            continue
        for each, places in _told_by(db, chain, part.first, no):
            if each.origin == before.name or each.origin not in told:
                told[each.origin], sound[each.origin] = each, places


def _told_by(
    db: apsw.Connection, chain: Chain, entry: LedgerEntry, no: int
) -> Iterator[tuple[Resolved, list[tuple[int, int]]]]:
    """What a `resolve` entry says of the closed parts that are as it says, with what is sound in each."""
    row: Any = db.execute(
        "SELECT salt, digest, at, body FROM act WHERE id = ? AND scope = ?",
        (bytes.fromhex(entry.subject), no),
    ).fetchone()
    try:
        salt, digest, at, body = row
        moment = ledger.moment(at) or EPOCH
        seal = sealed(RESOLVE, entry.subject, chain.scope, moment, entry.actor, body, salt)
        if seal != digest.hex() or ledger.payload_digest(seal) != entry.payload_digest:
            return
        for each in json.loads(body)["parts"]:
            if commitment(db, each["part"], no) == each["hash"]:
                resolved = Resolved(
                    origin=each["part"],
                    scope=chain.scope,
                    entries=each["entries"],
                    disputed=each["disputed"],
                    hash=each["hash"],
                    found=tuple(each["found"]),
                    because=each["because"],
                    actor=entry.actor,
                    at=entry.at,
                )
                yield resolved, [(start, stop) for start, stop in each["sound"]]
    except (TypeError, ValueError, KeyError, AttributeError):
        return
