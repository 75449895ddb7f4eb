"""One transaction: names become numbers, and every change appends its own ledger entry."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from quoth.core import acts, ledger, rules
from quoth.core.errors import InvalidInput
from quoth.core.text import voice
from quoth.core.types import Access, Actor, Filing, LedgerEntry, RecordId, Scope
from quoth.store.reading import Reading


@dataclass(slots=True)
class _Chain:
    """The growing end of one chain inside this transaction."""

    seq: int
    hlc: int
    hash: str


class Chained(Reading):
    """A view that can write. Searches see what was committed before it began."""

    def __init__(self, access: Access, origin: str, now: datetime, **reading: Any) -> None:  # noqa: ANN401
        """`now` is when the transaction began; `reading` is what `Reading` takes."""
        super().__init__(**reading)
        self._now = now
        self._access = access
        self._origin = origin
        self._numbers: dict[Scope, int] = {}
        self._chains: dict[Scope, _Chain] = {}
        self._actors: dict[int, tuple[Actor, int]] = {}
        self._speakers_no: dict[str, int] = {}
        self._conversations: dict[tuple[int, str], int] = {}
        self._ordinals: dict[int, int] = {}

    # -- names become numbers -----------------------------------------------------------------

    def _number(self, find: str, make: str, values: tuple[object, ...]) -> int:
        row = self._db.execute(find, values[: find.count("?")]).fetchone()
        if row is not None:
            return int(row[0])
        self._db.execute(make, values)
        return self._db.last_insert_rowid()

    def _scope(self, scope: Scope) -> int:
        rules.may_write(self._access, scope)
        if scope not in self._numbers:
            number = self._scopes.get(scope) or self._number(
                "SELECT no FROM scope WHERE name = ?",
                "INSERT INTO scope (name, key) VALUES (?, ?)",
                (scope, secrets.token_bytes(32)),
            )
            if scope in self._access.reads and scope not in self._scopes:
                self._scopes[scope] = number
                self._moment = replace(self._moment, scopes=self._moment.scopes | {number})
            self._numbers[scope] = number
        return self._numbers[scope]

    def _actor(self, actor: Actor) -> int:
        known = self._actors.get(id(actor))  # by identity: hashing one costs more than all the rest here
        if known is None or known[0] is not actor:
            number = self._number(
                "SELECT no FROM actor WHERE id = ? AND kind = ? AND authority = ?",
                "INSERT INTO actor (id, kind, authority) VALUES (?, ?, ?)",
                (actor.id, actor.kind.value, int(actor.authority)),
            )
            known = self._actors[id(actor)] = (actor, number)
        return known[1]

    def _speaker(self, name: str | None) -> int:
        key = name or ""
        if key not in self._speakers_no:
            self._speakers_no[key] = self._number(
                "SELECT no FROM speaker WHERE name = ?",
                "INSERT INTO speaker (name, voice) VALUES (?, ?)",
                (key, int(voice(name))),
            )
        return self._speakers_no[key]

    def _conversation(self, scope: int, name: str) -> int:
        """The number of a conversation."""
        key = (scope, name)
        if key not in self._conversations:
            self._conversations[key] = 2 * self._number(
                "SELECT no FROM session WHERE scope = ? AND name = ?",
                "INSERT INTO session (scope, name) VALUES (?, ?)",
                key,
            )
        return self._conversations[key]

    def _ordinal(self, session: int) -> int:
        """The next place in a conversation."""
        if session not in self._ordinals:
            self._ordinals[session] = self._one(
                "SELECT max(ordinal) + 1 FROM record WHERE session = ?", session
            )
        self._ordinals[session] += 1
        return self._ordinals[session] - 1

    def _record_no(self, record_id: RecordId) -> int:
        """The number of a record; 0 where there is none."""
        return self._one("SELECT no FROM record WHERE id = ?", bytes.fromhex(record_id))

    # -- filings and the chain ----------------------------------------------------------------

    def _file(self, record: int, filing: Filing) -> str:
        """Insert one revision; its digest."""
        valid = filing.valid
        if valid.start is not None and valid.end is not None and valid.end < valid.start:
            raise InvalidInput(f"valid time ends before it starts: {valid.start} to {valid.end}")
        self._db.execute(
            """INSERT INTO filing (record, revision, status, trust, category, grain, importance, stakes,
            pinned, valid_from, valid_to, from_offset, to_offset, supersedes, filed_at, actor, note)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                record,
                filing.revision,
                filing.status,
                filing.trust,
                filing.category,
                filing.grain,
                filing.importance,
                json.dumps(filing.stakes) if filing.stakes else None,
                filing.pinned,
                ledger.micros(valid.start),
                ledger.micros(valid.end),
                ledger.offset(valid.start),
                ledger.offset(valid.end),
                bytes.fromhex(filing.supersedes) if filing.supersedes else None,
                ledger.micros(filing.filed_at),
                self._actor(filing.actor),
                filing.note,
            ),
        )
        return ledger.filing_digest(filing)

    def _refile(self, record: int, filing: Filing) -> str:
        """Insert a later revision; its digest."""
        digest = self._file(record, filing)
        self._db.execute("INSERT INTO refiled (record, revision) VALUES (?, ?)", (record, filing.revision))
        return digest

    def _append(self, scope: Scope, action: str, subject: str, at: datetime, payload: str) -> LedgerEntry:
        """Append an entry to the chain of a scope; what was appended."""
        number = self._scope(scope)
        chain = self._chains.get(scope)
        if chain is None:
            row = self._db.execute(
                "SELECT seq, hlc, hash FROM head WHERE origin = ? AND scope = ?",
                (self._origin, number),
            ).fetchone()
            chain = _Chain(row[0], row[1], row[2].hex()) if row else _Chain(0, 0, ledger.GENESIS)
            self._chains[scope] = chain
        entry = LedgerEntry(
            origin=self._origin,
            scope=scope,
            seq=chain.seq + 1,
            hlc=ledger.tick(at, chain.hlc),
            at=at,
            actor=self._access.actor,
            surface=self._access.surface,
            action=action,
            subject=subject,
            payload_digest=payload,
            prev=chain.hash,
            hash="",
        )
        digest = ledger.entry_hash(entry)
        self._db.execute(
            "INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                entry.origin,
                number,
                entry.seq,
                entry.hlc,
                ledger.micros(at),
                self._actor(entry.actor),
                entry.surface,
                action,
                bytes.fromhex(subject),
                bytes.fromhex(payload),
                bytes.fromhex(entry.prev),
                bytes.fromhex(digest),
            ),
        )
        chain.seq, chain.hlc, chain.hash = entry.seq, entry.hlc, digest
        return entry

    def _event(self, kind: str, act_id: str, scope: Scope, about: str, body: str) -> None:
        """Keep an event of this moment and this actor; `about` (hex) is what it is found by."""
        number, actor, salt = self._scope(scope), self._access.actor, secrets.token_bytes(16)
        digest = acts.sealed(kind, act_id, scope, self._now, actor, body, salt)
        entry = self._append(scope, kind, act_id, self._now, ledger.payload_digest(digest))
        self._db.execute(
            """INSERT INTO act (id, scope, origin, seq, hlc, kind, about, at, actor, salt, digest, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                bytes.fromhex(act_id),
                number,
                entry.origin,
                entry.seq,
                entry.hlc,
                kind,
                bytes.fromhex(about),
                ledger.micros(self._now),
                self._actor(actor),
                salt,
                bytes.fromhex(digest),
                body,
            ),
        )

    def finish(self) -> bool:
        """Write the heads; whether a chain grew."""
        for scope, chain in self._chains.items():
            self._db.execute(
                """INSERT INTO head VALUES (?, ?, ?, ?, ?) ON CONFLICT (origin, scope)
                DO UPDATE SET seq = excluded.seq, hlc = excluded.hlc, hash = excluded.hash""",
                (self._origin, self._numbers[scope], chain.seq, chain.hlc, bytes.fromhex(chain.hash)),
            )
        return bool(self._chains)
