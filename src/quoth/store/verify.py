"""Compares records, events and documents with the ledger, and each chain with itself and its witnesses."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import apsw

from quoth.core.errors import IntegrityError, NotFound
from quoth.core.rules import text_digest
from quoth.core.types import (
    Explanation,
    Head,
    LedgerEntry,
    Resolved,
    Scope,
    Spoken,
    Verdict,
    Verification,
    VerifyState,
)
from quoth.store import compare, rows
from quoth.store.compare import Held
from quoth.store.heads import Kept
from quoth.store.index import Index
from quoth.store.links import HEAD_FILE, Chain, Said, Sight, Word, chains

NEXT = {
    VerifyState.ALTERED: "restore it from a backup: it is not what was sealed; quoth verify --explain ID",
    VerifyState.MISSING: "restore it from a backup: the ledger knows it, the store does not",
    VerifyState.UNSEALED: "find out who wrote it past Quoth; where it is yours: quoth verify --adopt",
    VerifyState.DISPUTED: "quoth verify --explain ID, then restore the ledger from a backup, or close the "
    "broken part: quoth verify --resolve --because WHY",
    VerifyState.FOREIGN: "it is of another install whose chain does not hold here: get it from there again",
}
_TIMES = ("f.valid_from", "f.valid_to", "d.said_at")
_ID = re.compile("(?:[0-9a-f]{2})+")
_CLOSED = "nothing: the part of the chain that speaks for it was closed, and stays in dispute"

PROVES = (
    "every record, filing, observation and event is what was sealed when it was written, with who wrote it, "
    "when, where it was read and who said it; no link of a chain was edited, cut out or put in; no chain is "
    "shorter or another one than its witness saw: the head file, and heads that were given"
)
PROVES_LESS = "what is not listed as a problem fits the entries that speak for it, and no more than that"
DOES_NOT_PROVE = (
    "that the words are true; anything against somebody who can rewrite the database and the head file "
    "together, unless you keep a head elsewhere and give it with --witness; the words of a document between "
    "its records, its kind and metadata, and whether it still lives at its place; the order of the turns of "
    "a conversation; that search finds everything: terms, dates and vectors are derived; of an erased record "
    "more than that nothing is left of it and who erased it"
)
MISSED = {
    "unanchored": "that nothing was cut off a chain, and that none was replaced: there is no witness",
    "regressed": "that what is here is all that there was: a witness saw another chain",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked at: the readable scopes of one store, and who saw its chains."""

    db: apsw.Connection
    own: str
    """The install."""
    scopes: Mapping[Scope, int]
    reads: Collection[Scope]
    kept: Kept | None
    witness: Sequence[Head] = ()

    def sights(self, scope: Scope) -> dict[str, list[Sight]]:
        """What was seen of the chains of a scope, by origin."""
        found: dict[str, list[Sight]] = {}
        for (origin, name), (seq, digest) in (self.kept.heads if self.kept else {}).items():
            if name == scope:
                found.setdefault(origin, []).append((seq, digest, HEAD_FILE))
        for head in self.witness:
            if head.scope == scope:
                found.setdefault(head.origin, []).append((head.seq, head.hash, "the witness"))
        return found

    def chains(self, scope: Scope) -> tuple[list[Chain], Said]:
        """The chains of a readable scope and what they say; a scope that is gone has those that were seen."""
        kept = self.kept.since if self.kept else {}
        since = {origin: seq for (origin, name), seq in kept.items() if name == scope}
        return chains(self.db, scope, self.scopes.get(scope, 0), self.own, self.sights(scope), since)

    def readable(self) -> list[Scope]:
        """Scopes that are there, or that a witness saw."""
        kept = self.kept.heads if self.kept else {}
        seen = {scope for _, scope in kept} | {each.scope for each in self.witness}
        return sorted({*self.scopes, *(seen & set(self.reads))})


def verification(asked: Asked, index: Index) -> Verification:
    """What `verify` says of the readable scopes."""
    problems = [f"the database file is damaged: {row[0]}" for row in _damage(asked.db)]
    if asked.kept is not None and not asked.kept.readable:
        problems.append("the head file cannot be read")
    counts: dict[str, Counter[VerifyState]] = {"record": Counter(), "event": Counter()}
    verdicts: list[tuple[Verdict, bool]] = []
    heads: list[Head] = []
    resolved: list[Resolved] = []
    states = set()
    for scope in asked.readable():
        found, said = asked.chains(scope)
        no = asked.scopes.get(scope, 0)
        for chain in found:
            problems += told(chain)
            states.add(chain.anchored)
            resolved += [part.closing for part in chain.parts if part.closing is not None]
            heads += _heads(chain)
        for what, each in _held(asked.db, scope, no, said):
            counts[what][each.state] += 1
            if each.state is not VerifyState.SEALED:
                verdicts.append(_verdict(each, said))
        problems += _documents(asked.db, scope, no)
        problems += _shape(asked.db, scope, no)
    damaged = _damaged(asked.db, index, problems)
    anchored = next((each for each in ("regressed", "unanchored") if each in states), "anchored")
    clean = not problems and all(settled for _, settled in verdicts) and anchored == "anchored"
    return Verification(
        counts={state.value: counts["record"][state] for state in VerifyState},
        events={state.value: counts["event"][state] for state in VerifyState},
        verdicts=tuple(verdict for verdict, _ in verdicts),
        heads=tuple(heads),
        anchored=anchored,
        index="damaged" if damaged else "ok",
        problems=tuple(problems),
        resolved=tuple(resolved),
        clean=clean,
        proves=PROVES if clean else PROVES_LESS,
        does_not_prove="; ".join((*([MISSED[anchored]] if anchored in MISSED else []), DOES_NOT_PROVE)),
    )


def _heads(chain: Chain) -> Iterator[Head]:
    last = chain.parts[-1].last
    if last is not None:
        yield Head(chain.origin, chain.scope, last.seq, last.hash)


def told(chain: Chain) -> Iterator[str]:
    """What is wrong with a chain, in words for a person."""
    name = f"the chain of {chain.origin!r} in {chain.scope!r}"
    for each in (*chain.broken(), *chain.lost):
        yield f"{name} {'is ' if each.startswith('broken') else ''}{each.removeprefix('it ')}"
    if chain.anchored == "unanchored":
        yield f"{name} has no witness: its head file is gone, or was begun after it; " + (
            "compare a head that you kept with --witness, or quoth verify --resolve --because WHY"
        )
    if not chain.counts:
        yield f"{name} is of another install, and does not hold here"
    for part in chain.parts:
        if part.closing is not None and part.closing.actor is None:
            yield f"{name} has a closed part of which nothing is known"


def _held(db: apsw.Connection, scope: Scope, no: int, said: Said) -> Iterator[tuple[str, Held]]:
    for each in compare.records(db, no, said):
        yield "record", each
    for each in compare.events(db, scope, no, said):
        yield "event", each


def _verdict(held: Held, said: Said) -> tuple[Verdict, bool]:
    """The verdict, and whether nobody has to do anything about it."""
    words = said.get(held.id, ())
    closed = held.state is VerifyState.DISPUTED and all(each.sound or _closed(each) for each in words)
    action = _CLOSED if closed else NEXT.get(held.state, "").replace("ID", held.id)
    return Verdict(held.id, held.state, action, held.kind), closed or held.state is VerifyState.ERASED


def _closed(word: Word) -> bool:
    return word.part.closing is not None and word.part.closing.actor is not None


def _damaged(db: apsw.Connection, index: Index, problems: list[str]) -> list[str]:
    """Names of derived files that differ from the rows; adds to the problems."""
    try:
        damaged = index.differences(db)
    except IntegrityError as error:
        problems.append(f"the derived files cannot be made: {error}")
        return []
    problems += [f"the derived file {name!r} differs from the rows: quoth index rebuild" for name in damaged]
    return damaged


def _damage(db: apsw.Connection) -> Iterator[tuple[Any, ...]]:
    return (row for row in db.execute("PRAGMA quick_check") if row[0] != "ok")


def _documents(db: apsw.Connection, scope: Scope, no: int) -> Iterator[str]:
    """Documents whose text is not the one that was kept, or does not hold its records where they stood."""

    @lru_cache(maxsize=16)
    def text(document: int) -> str | None:
        """None for a text that cannot be had."""
        body: Any = db.execute("SELECT body FROM document WHERE no = ?", (document,)).fetchall()[0][0]
        reader = zlib.decompressobj()
        try:
            words = reader.decompress(body).decode("utf-8", "surrogatepass")
        except (zlib.error, TypeError, ValueError):
            return None
        return words if reader.eof and not reader.unused_data else None

    unlike = {}
    for number, uri, digest in db.execute(
        "SELECT no, uri, digest FROM document WHERE scope = ? AND body IS NOT NULL ORDER BY no", (no,)
    ):
        words = text(number)
        if words is None or bytes.fromhex(text_digest(words)) != digest:
            unlike[number] = uri
    for number, uri, start, stop, words in db.execute(
        """SELECT d.no, d.uri, o.start, o.stop, r.text FROM record r JOIN observation o ON o.record = r.no
        JOIN document d ON d.no = o.document WHERE d.scope = ? AND d.body IS NOT NULL
        AND NOT (r.text = '' AND r.salt IS NULL) ORDER BY r.no, o.n""",
        (no,),
    ):
        whole = isinstance(start, int) and isinstance(stop, int)
        if number not in unlike and not (whole and (text(number) or "")[start:stop] == words):
            unlike[number] = uri
    for uri in dict.fromkeys(unlike.values()):
        yield f"the text of document {uri!r} in {scope!r} is not the one that its records were read in"


def _shape(db: apsw.Connection, scope: Scope, no: int) -> Iterator[str]:
    """Rows that search reads and that no longer go with the records."""
    mine = "JOIN record r ON r.no = x.record JOIN document d ON d.no = r.document WHERE d.scope = ?"
    unlike: Any = db.execute(
        f"""SELECT count(*) FROM (SELECT x.record, x.revision FROM filing x {mine} AND x.revision > 1
            EXCEPT SELECT record, revision FROM refiled)
        UNION ALL SELECT count(*) FROM (SELECT x.record, x.revision FROM refiled x {mine}
            EXCEPT SELECT record, revision FROM filing)
        UNION ALL SELECT count(*) FROM (SELECT 1 FROM refiled x {mine} GROUP BY x.record, x.revision
            HAVING count(*) > 1)""",
        (no, no, no),
    ).fetchall()
    if any(row[0] for row in unlike):
        yield f"the list of later filings in {scope!r} is not that of the filings: restore a backup"
    offset = "({0} IS NULL OR (typeof({0}) = 'integer' AND {0} <> 0 AND {1} IS NOT NULL))".format
    offsets = " AND ".join(map(offset, ("f.from_offset", "f.to_offset", "d.said_offset"), _TIMES))
    odd: Any = db.execute(
        f"""SELECT count(*) FROM record r JOIN document d ON d.no = r.document
        JOIN filing f ON f.record = r.no WHERE d.scope = ?
        AND (f.stakes = '' OR length(f.supersedes) = 0 OR r.derived_from = '' OR NOT ({offsets}))""",
        (no,),
    ).fetchall()
    if odd[0][0]:
        yield f"{odd[0][0]} filings in {scope!r} are not written as Quoth writes them: restore a backup"
    counted: Any = db.execute("SELECT count(*), coalesce(max(no), 0) FROM passage").fetchall()
    if counted[0][0] != counted[0][1]:
        yield f"passages of {scope!r} or another scope are gone, and are not found: restore a backup"


# -- one record or event -------------------------------------------------------------------------


def explanation(asked: Asked, subject: str) -> Explanation:
    """What is held of one record or event, and every entry that speaks for it; `NotFound` without either."""
    for scope in asked.readable() if _ID.fullmatch(subject) else ():
        found, said = asked.chains(scope)
        no = asked.scopes.get(scope, 0)
        one = {subject: said[subject]} if subject in said else {}
        held = next(compare.records(asked.db, no, one, subject), None)
        held = held or next(compare.events(asked.db, scope, no, one, subject), None)
        if held is not None:
            verdict, _ = _verdict(held, one)
            return Explanation(
                id=subject,
                kind=held.kind,
                state=held.state,
                held=tuple(_facts(held)),
                entries=tuple(_spoken(asked.db, each, held) for each in one.get(subject, ())),
                problems=tuple(line for chain in found for line in told(chain)),
                next_action=verdict.next_action or "nothing",
            )
    raise NotFound(f"no record or event {subject!r} in the readable scopes")


def _spoken(db: apsw.Connection, word: Word, held: Held) -> Spoken:
    return Spoken(
        _entry(db, word), word.sound and word.chain.counts, (word.action, word.payload) in held.keys
    )


def _entry(db: apsw.Connection, word: Word) -> LedgerEntry:
    row: Any = db.execute(
        f"{rows.LEDGER} WHERE l.origin = ? AND sc.name = ? ORDER BY l.seq LIMIT 1 OFFSET ?",
        (word.part.name, word.chain.scope, word.place),
    ).fetchone()
    return rows.ledger_entry(row)


def _facts(held: Held) -> Iterator[str]:
    """What the store holds, without its words."""
    if held.state is VerifyState.MISSING or not (held.keys or held.testimony or held.fits):
        yield "nothing that can be read"
        return
    yield "it fits its own digest" if held.fits else "it does not fit its own digest"
    if held.testimony is not None:
        said = held.testimony
        yield f"recorded {said.recorded_at.isoformat()} by {said.actor.id!r} ({said.source.value})"
    for each in held.filings:
        who = f"filed {each.filed_at.isoformat()} by {each.actor.id!r}"
        yield f"revision {each.revision}: {each.status.value}, {who}"
    for seen in held.observations:
        yield f"read {seen.seen_at.isoformat()} at {seen.uri!r}, {seen.span.start} to {seen.span.end}"
