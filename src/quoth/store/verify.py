"""Compares every record with the ledger and every chain with itself and with the head file."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import apsw

from quoth.core import ledger
from quoth.core.errors import IntegrityError
from quoth.core.rules import text_digest
from quoth.core.types import Head, LedgerEntry, RecordId, Scope, Verdict, Verification, VerifyState
from quoth.store import rows
from quoth.store.index import Index

NEXT = {
    VerifyState.ALTERED: "restore this record from a backup: its words or filings are not what was sealed",
    VerifyState.MISSING: "restore this record from a backup: the ledger knows it, the store does not",
    VerifyState.UNSEALED: "find out who wrote it past Quoth: the ledger does not know it",
    VerifyState.DISPUTED: "restore the ledger from a backup: the record stands behind a broken link",
}

PROVES = (
    "every record, filing and observation is what was sealed when it was written, and no link of a chain "
    "was edited, cut out or put in; with the head file, that no chain is shorter than it was"
)
DOES_NOT_PROVE = (
    "that the words are true, nor anything against somebody who can rewrite the database and the head file "
    "together: keep a head elsewhere to see that"
)


@dataclass(slots=True)
class _Sealed:
    """What the chains of one scope say of its records."""

    entries: dict[str, list[str]] = field(default_factory=dict)
    """Record id -> ``action:payload`` of each of its entries, in order."""
    disputed: set[str] = field(default_factory=set)
    """Records with an entry behind a broken link."""

    def add(self, entries: list[LedgerEntry], broken: int | None) -> None:
        """Take the entries of one chain."""
        for place, each in enumerate(entries, 1):
            if each.action in ("put", "observe", "refile"):
                found = self.entries.setdefault(each.subject, [])
                found.append(f"{each.action}:{each.payload_digest}")
                if broken is not None and place >= broken:
                    self.disputed.add(each.subject)


def verification(
    db: apsw.Connection,
    index: Index,
    scopes: Mapping[Scope, int],
    reads: Collection[Scope],
    head_file: list[tuple[str, str, int, str]] | None,
) -> Verification:
    """What `verify` says of the readable scopes."""
    problems = [f"the database file is damaged: {row[0]}" for row in _damage(db)]
    counts: Counter[str] = Counter()
    verdicts: list[Verdict] = []
    heads: list[Head] = []
    known = {(head[0], head[1]): head for head in head_file or []}
    anchored = "anchored" if head_file else "unanchored"
    if head_file == []:
        problems.append("the head file cannot be read")
    for scope, no in sorted(scopes.items()):
        chains: list[Any] = db.execute(
            "SELECT origin, seq, hash FROM head WHERE scope = ? ORDER BY origin", (no,)
        ).fetchall()
        sealed = _Sealed()
        for origin, seq, digest in chains:
            entries, broken = _chain(db, origin, no)
            if broken is not None:
                problems.append(f"the chain of {origin!r} in {scope!r} is broken at entry {broken}")
            if len(entries) != seq or (entries and entries[-1].hash != digest.hex()):
                problems.append(f"the chain of {origin!r} in {scope!r} does not end at its head")
            sealed.add(entries, broken)
            heads.append(Head(origin, scope, seq, digest.hex()))
            witness = known.pop((origin, scope), None)
            if witness and not _holds(entries, witness):
                anchored = "regressed"
                problems.append(f"the chain of {origin!r} in {scope!r} is behind its head file")
        for verdict in _records(db, no, sealed):
            counts[verdict.state.value] += 1
            if verdict.state is not VerifyState.SEALED:
                verdicts.append(verdict)
        problems += _documents(db, scope, no)
    if [head for head in known.values() if head[1] in reads]:
        anchored = "regressed"
        problems.append("a chain that the head file knows is gone")
    try:
        damaged = index.differences(db)
    except IntegrityError as error:
        damaged = []
        problems.append(f"the derived files cannot be made: {error}")
    problems += [f"the derived file {name!r} differs from the rows: quoth index rebuild" for name in damaged]
    return Verification(
        counts={state.value: counts[state.value] for state in VerifyState},
        verdicts=tuple(verdicts),
        heads=tuple(heads),
        anchored=anchored,
        index="damaged" if damaged else "ok",
        problems=tuple(problems),
        clean=not problems and not verdicts,
        proves=PROVES,
        does_not_prove=DOES_NOT_PROVE,
    )


def _chain(db: apsw.Connection, origin: str, scope: int) -> tuple[list[LedgerEntry], int | None]:
    """The entries of a chain and where it breaks; none and 1 where a value has a type that is not ours."""
    try:
        entries = list(_entries(db, origin, scope))
        return entries, ledger.broken_at(entries)
    except (IntegrityError, TypeError, ValueError):
        return [], 1


def _damage(db: apsw.Connection) -> Iterator[tuple[Any, ...]]:
    return (row for row in db.execute("PRAGMA quick_check") if row[0] != "ok")


def _entries(db: apsw.Connection, origin: str, scope: int) -> Iterator[LedgerEntry]:
    statement = f"{rows.LEDGER} WHERE l.origin = ? AND l.scope = ? ORDER BY l.seq"
    return (rows.ledger_entry(row) for row in db.execute(statement, (origin, scope)))


def _holds(entries: list[LedgerEntry], witness: tuple[str, str, int, str]) -> bool:
    """Whether the chain still has the entry that the head file saw last."""
    return len(entries) >= witness[2] and (not witness[2] or entries[witness[2] - 1].hash == witness[3])


def _records(db: apsw.Connection, scope: int, sealed: _Sealed) -> Iterator[Verdict]:
    """One verdict a record; what it needs must be in the ledger, and nothing of its may be left there."""
    expected = {
        subject for subject, keys in sealed.entries.items() if any(key.startswith("put:") for key in keys)
    }
    statement = f"{rows.RECORD} WHERE f.revision = 1 AND d.scope = ? ORDER BY r.no"
    for row in db.execute(statement, (scope,)):
        subject = RecordId(row[0].hex())
        if subject not in expected:
            state = VerifyState.UNSEALED
        elif not _whole(db, row, sealed.entries[subject]):
            state = VerifyState.ALTERED
        else:
            state = VerifyState.DISPUTED if subject in sealed.disputed else VerifyState.SEALED
        expected.discard(subject)
        yield Verdict(subject, state, NEXT.get(state, ""))
    for lost in sorted(expected):
        yield Verdict(lost, VerifyState.MISSING, NEXT[VerifyState.MISSING])


def _whole(db: apsw.Connection, row: tuple[Any, ...], entries: list[str]) -> bool:
    """Whether a record with all its filings and observations is what its entries sealed, no more, no less."""
    try:
        record = rows.record(row)
        digest = ledger.testimony_digest(record.testimony)
        keys = _keys(db, record.testimony.id, digest, ledger.filing_digest(record.filing))
        return digest == record.testimony.digest and sorted(entries) == sorted(keys)
    except (IntegrityError, TypeError, ValueError):  # values of other types cannot be hashed
        return False


def _keys(db: apsw.Connection, subject: RecordId, testimony: str, filing: str) -> Iterator[str]:
    """The ledger entries that this record must have, as they would be from what is stored."""
    raw = (bytes.fromhex(subject),)
    where = "= (SELECT no FROM record WHERE id = ?)"
    seen = [
        ledger.observation_digest(rows.observation(subject, row))
        for row in db.execute(f"{rows.OBSERVATION} WHERE o.record {where} ORDER BY o.n", raw)
    ]
    yield f"put:{ledger.payload_digest(testimony, filing, seen[0] if seen else '')}"
    for each in seen[1:]:
        yield f"observe:{ledger.payload_digest(each)}"
    later = f"""SELECT {rows.FILING} FROM filing f JOIN actor fa ON fa.no = f.actor
        WHERE f.revision > 1 AND f.record {where} ORDER BY f.revision"""
    for row in db.execute(later, raw):
        yield f"refile:{ledger.payload_digest(ledger.filing_digest(rows.filing(subject, row)))}"


def _documents(db: apsw.Connection, scope: Scope, no: int) -> Iterator[str]:
    """Documents whose text is not the one that was kept, or does not hold its records where they stood."""

    @lru_cache(maxsize=16)
    def text(document: int) -> str | None:
        """None for a text that cannot be had."""
        body: Any = db.execute("SELECT body FROM document WHERE no = ?", (document,)).fetchall()[0][0]
        try:
            return zlib.decompress(body).decode("utf-8", "surrogatepass")
        except (zlib.error, TypeError, ValueError):
            return None

    unlike = {}
    for number, uri, digest in db.execute(
        "SELECT no, uri, digest FROM document WHERE scope = ? AND body IS NOT NULL ORDER BY no", (no,)
    ):
        words = text(number)
        if words is None or bytes.fromhex(text_digest(words)) != digest:
            unlike[number] = uri
    for number, uri, start, stop, words in db.execute(
        """SELECT d.no, d.uri, o.start, o.stop, r.text FROM record r JOIN observation o ON o.record = r.no
        JOIN document d ON d.no = o.document WHERE d.scope = ? AND d.body IS NOT NULL ORDER BY r.no, o.n""",
        (no,),
    ):
        whole = isinstance(start, int) and isinstance(stop, int)
        if number not in unlike and not (whole and (text(number) or "")[start:stop] == words):
            unlike[number] = uri
    for uri in dict.fromkeys(unlike.values()):
        yield f"the text of document {uri!r} in {scope!r} is not the one that its records were read in"
