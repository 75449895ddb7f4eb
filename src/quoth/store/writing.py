"""One transaction: every change appends its own ledger entry. There is no other write."""

from __future__ import annotations

import hashlib
import json
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

import numpy as np

from quoth.core import dates, ledger, rules
from quoth.core.errors import Conflict, InvalidInput, NotFound
from quoth.core.text import Flag, Voice, analyse, flags, term_hash, voice
from quoth.core.types import (
    Access,
    Actor,
    Document,
    Embedding,
    Filing,
    Grain,
    LedgerEntry,
    Observation,
    PassageId,
    RecordId,
    Scope,
    Span,
    Testimony,
)
from quoth.store.reading import Reading

_LIVING = frozenset({"markdown", "text"})
"""Kinds of documents whose newest version counts, whatever changed in it."""


@dataclass(slots=True)
class _Chain:
    """The growing end of one chain inside this transaction."""

    seq: int
    hlc: int
    hash: str


class Writing(Reading):
    """Implements `core.ports.WriteView`. Reads see what was committed before it began."""

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
        self._document: tuple[Document, tuple[object, ...], int, int] | None = None

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
                "SELECT no FROM scope WHERE name = ?", "INSERT INTO scope (name) VALUES (?)", (scope,)
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

    # -- the writes ---------------------------------------------------------------------------

    def put(
        self,
        document: Document,
        testimony: Testimony,
        seen: Observation,
        filing: Filing,
        passages: Sequence[Span],
    ) -> bool:
        """See the port."""
        scope = self._scope(testimony.scope)
        known = self._record_no(testimony.id)
        if known:
            return self._observe(known, document, testimony, scope, seen)
        number, session = self._keep(document, testimony, scope, whole=document.text == testimony.text)
        record = self._record(testimony, seen, number, session)
        digest = self._file(record, filing)
        self._seen(record, 1, number, seen)
        self._passages(record, testimony, filing, passages, rules.headings(document, seen.span.start))
        payload = ledger.payload_digest(testimony.digest, digest, ledger.observation_digest(seen))
        self._append(testimony.scope, "put", testimony.id, testimony.recorded_at, payload)
        return True

    def _record_no(self, record_id: RecordId) -> int:
        """The number of a record; 0 where there is none."""
        return self._one("SELECT no FROM record WHERE id = ?", bytes.fromhex(record_id))

    def _keep(self, document: Document, testimony: Testimony, scope: int, *, whole: bool) -> tuple[int, int]:
        """The numbers of this version of the document, which is kept whole, and of its session.

        What its records share stands there, so that one with another time or speaker is another version.
        `whole`: the record that is put now is all of it, and its words need no second copy.
        """
        shared = (
            testimony.session_id,
            self._speaker(testimony.speaker),
            ledger.micros(testimony.said_at),
            testimony.source,
        )
        key = (scope, testimony.uri, *shared)
        if self._document and self._document[0] is document and self._document[1] == key:
            return self._document[2:]
        digest = bytes.fromhex(rules.text_digest(document.text))
        row = self._db.execute(
            """SELECT no, session, living, digest, session_id, speaker, said_at, source FROM document
            WHERE scope = ? AND uri = ? ORDER BY no DESC LIMIT 1""",
            (scope, testimony.uri),
        ).fetchone()
        if row is not None and row[2] and row[3:] == (digest, *shared):
            number, session = int(row[0]), int(row[1])
        else:
            number = self._one("SELECT max(no) + 1 FROM document") or 1
            session = int(row[1]) if row else 2 * number + 1
            if document.session_id:
                session = self._conversation(scope, document.session_id)
            body = None if whole else zlib.compress(document.text.encode("utf-8", "surrogatepass"))
            self._insert_document(document, testimony, (number, scope, session, digest, body))
        self._document = (document, key, number, session)
        return number, session

    def _insert_document(
        self, document: Document, testimony: Testimony, row: tuple[int, int, int, bytes, bytes | None]
    ) -> None:
        number, scope, session, digest, body = row
        self._db.execute(
            "INSERT INTO document VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                number,
                scope,
                testimony.uri,
                session,
                digest,
                body,
                document.kind,
                testimony.session_id,
                self._speaker(testimony.speaker),
                ledger.micros(testimony.said_at),
                testimony.source,
                json.dumps(dict(document.metadata), ensure_ascii=False) if document.metadata else None,
                ledger.micros(testimony.recorded_at),
                self._actor(testimony.actor),
            ),
        )

    def _record(self, testimony: Testimony, seen: Observation, document: int, session: int) -> int:
        self._db.execute(
            """INSERT INTO record (id, document, session, ordinal, text, salt, digest, recorded_at,
            actor, derived_from) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                bytes.fromhex(testimony.id),
                document,
                session,
                seen.span.start if session % 2 else self._ordinal(session),
                testimony.text,
                testimony.salt,
                bytes.fromhex(testimony.digest),
                ledger.micros(testimony.recorded_at),
                self._actor(testimony.actor),
                json.dumps(testimony.derived_from) if testimony.derived_from else None,
            ),
        )
        return self._db.last_insert_rowid()

    def _passages(
        self, record: int, testimony: Testimony, filing: Filing, passages: Sequence[Span], under: str
    ) -> None:
        """Index the passages of a record: found by its words, by who speaks and by the headings above."""
        turn = filing.grain is Grain.TURN and voice(testimony.speaker) is Voice.PERSON
        before = f"{testimony.speaker}: " if turn else f"{under} " if under else ""
        said = (testimony.said_at or testimony.recorded_at).date()
        for span in passages:
            text = testimony.text[span.start : span.end]
            terms = list(map(term_hash, analyse(before + text)))
            marks = flags(text)
            self._db.execute(
                "INSERT INTO passage (record, start, stop, flags, terms) VALUES (?, ?, ?, ?, ?)",
                (record, span.start, span.end, int(marks), array("I", terms).tobytes()),
            )
            if under or marks & Flag.HAS_DATE:
                self._events(self._db.last_insert_rowid(), f"{under} {text}" if under else text, said)

    def _events(self, passage: int, text: str, said: date) -> None:
        for first, last in set(dates.events(text, said)):
            self._db.execute("INSERT INTO event VALUES (?, ?, ?)", (first, last, passage))

    def _seen(self, record: int, n: int, document: int, seen: Observation) -> None:
        self._db.execute(
            "INSERT INTO observation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                record,
                n,
                document,
                seen.span.start,
                seen.span.end,
                seen.lines.first,
                seen.lines.last,
                ledger.micros(seen.seen_at),
                self._actor(seen.actor),
            ),
        )

    def _observe(
        self, record: int, document: Document, testimony: Testimony, scope: int, seen: Observation
    ) -> bool:
        """Add an observation unless the last one says the same; always False."""
        n, *last = self._db.execute(
            """SELECT o.n, d.uri, o.start, o.stop, o.first_line FROM observation o
            JOIN document d ON d.no = o.document WHERE o.record = ? ORDER BY o.n DESC LIMIT 1""",
            (record,),
        ).fetchone() or (0,)
        read = replace(
            testimony,
            uri=seen.uri,
            session_id=document.session_id,
            speaker=document.speaker,
            said_at=None if document.said_at is None else rules.utc(document.said_at),
            source=rules.source_of(document),
        )
        moved = last != [seen.uri, seen.span.start, seen.span.end, seen.lines.first]
        if moved or document.kind in _LIVING:
            number, _ = self._keep(document, read, scope, whole=False)
        if moved:
            self._seen(record, n + 1, number, seen)
            payload = ledger.payload_digest(ledger.observation_digest(seen))
            self._append(testimony.scope, "observe", testimony.id, seen.seen_at, payload)
        return False

    def refile(self, filing: Filing) -> None:
        """See the port."""
        record = self.get(filing.record_id)
        self._scope(record.testimony.scope)
        if filing.revision != record.filing.revision + 1:
            have = record.filing.revision
            raise Conflict(
                f"record {filing.record_id!r} is at revision {have}, not {filing.revision - 1}: read it"
            )
        number = self._record_no(filing.record_id)
        digest = self._file(number, filing)
        self._db.execute("INSERT INTO refiled (record, revision) VALUES (?, ?)", (number, filing.revision))
        self._append(
            record.testimony.scope, "refile", filing.record_id, filing.filed_at, ledger.payload_digest(digest)
        )

    def _file(self, record: int, filing: Filing) -> str:
        """Insert one revision; its digest."""
        valid = filing.valid
        if valid.start is not None and valid.end is not None and valid.end < valid.start:
            raise InvalidInput(f"valid time ends before it starts: {valid.start} to {valid.end}")
        self._db.execute(
            """INSERT INTO filing (record, revision, status, trust, category, grain, importance, stakes,
            pinned, valid_from, valid_to, supersedes, filed_at, actor, note)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
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
                bytes.fromhex(filing.supersedes) if filing.supersedes else None,
                ledger.micros(filing.filed_at),
                self._actor(filing.actor),
                filing.note,
            ),
        )
        return ledger.filing_digest(filing)

    def move(self, old_uri: str, new_uri: str, seen_at: datetime) -> None:
        """See the port."""
        row = self._db.execute(
            f"""SELECT no, scope FROM document WHERE scope IN ({self._in_scopes}) AND uri = ? AND living
            ORDER BY no DESC LIMIT 1""",
            (old_uri,),
        ).fetchone()
        if row is None:
            raise NotFound(f"no document {old_uri!r} in the readable scopes")
        records = self.document_records(old_uri)
        number = self._one("SELECT max(no) + 1 FROM document")
        self._db.execute(
            """INSERT INTO document SELECT ?, scope, ?, 1, session, digest, ?, kind, session_id, speaker,
            said_at, source, metadata, recorded_at, actor FROM document WHERE no = ?""",
            (
                number,
                new_uri,
                zlib.compress(self.document(old_uri).text.encode("utf-8", "surrogatepass")),
                row[0],
            ),
        )
        for record in records:
            earlier = self.observations(record.testimony.id)
            seen = replace(earlier[-1], uri=new_uri, seen_at=seen_at, actor=self._access.actor)
            self._seen(self._record_no(record.testimony.id), len(earlier) + 1, number, seen)
            payload = ledger.payload_digest(ledger.observation_digest(seen))
            self._append(record.testimony.scope, "observe", record.testimony.id, seen_at, payload)
        self._end(old_uri, row[1], "move", new_uri, seen_at)

    def retire(self, uri: str) -> None:
        """See the port."""
        row = self._db.execute(
            f"SELECT scope FROM document WHERE scope IN ({self._in_scopes}) AND uri = ? AND living LIMIT 1",
            (uri,),
        ).fetchone()
        if row is None:
            raise NotFound(f"no document {uri!r} in the readable scopes")
        self._end(uri, row[0], "retire", "", self._now)

    def _end(self, uri: str, scope: int, action: str, to: str, at: datetime) -> None:
        """Nothing lives under a name any more."""
        name = next(each for each, no in self._scopes.items() if no == scope)
        self._scope(name)
        self._db.execute("UPDATE document SET living = 0 WHERE scope = ? AND uri = ?", (scope, uri))
        subject = hashlib.sha256(uri.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        self._append(name, action, subject, at, ledger.payload_digest(uri, to))

    def index(self, model: str, embeddings: Iterable[tuple[PassageId, Embedding]]) -> None:
        """See the port."""
        for passage, embedding in embeddings:
            self._readable(passage)
            no = self._model_no(model, len(embedding.vector))
            scale = max(float(np.abs(embedding.vector).max()), 1e-9) / 127
            components = np.round(embedding.vector / scale).astype(np.int8).tobytes()
            pieces = b"" if embedding.pieces is None else embedding.pieces.astype("<u2").tobytes()
            bits = b"" if embedding.tokens is None else embedding.tokens.tobytes()
            self._db.execute(
                """INSERT INTO vector (model, passage, scale, components, pieces, bits)
                VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING""",
                (no, passage, scale, components, pieces, bits),
            )

    def _readable(self, passage: PassageId) -> None:
        if not self._one(
            f"""SELECT 1 FROM passage p JOIN record r ON r.no = p.record JOIN document d ON d.no = r.document
            WHERE p.no = ? AND d.scope IN ({self._in_scopes})""",
            passage,
        ):
            raise NotFound(f"no passage {passage!r} in the readable scopes")

    def _model_no(self, model: str, dimensions: int) -> int:
        """The number of the model in use; the first one that writes vectors sets it for the store."""
        if self._model is None:
            self._db.execute("INSERT INTO model (name, dimensions) VALUES (?, ?)", (model, dimensions))
            self._db.execute("INSERT INTO meta VALUES ('model', ?)", (model,))
            self._model = model
        row = self._db.execute("SELECT no, dimensions FROM model WHERE name = ?", (model,)).fetchone()
        if self._model != model or row is None:
            raise InvalidInput(
                f"the store's vectors are of {self._model!r}, not of {model!r}: quoth index rebuild"
            )
        if row[1] != dimensions:
            raise InvalidInput(f"{model!r} has {row[1]} dimensions, not {dimensions}")
        return int(row[0])

    # -- the chain ----------------------------------------------------------------------------

    def _append(self, scope: Scope, action: str, subject: str, at: datetime, payload: str) -> None:
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

    def finish(self) -> bool:
        """Write the heads; whether a chain grew."""
        for scope, chain in self._chains.items():
            self._db.execute(
                """INSERT INTO head VALUES (?, ?, ?, ?, ?) ON CONFLICT (origin, scope)
                DO UPDATE SET seq = excluded.seq, hlc = excluded.hlc, hash = excluded.hash""",
                (self._origin, self._numbers[scope], chain.seq, chain.hlc, bytes.fromhex(chain.hash)),
            )
        return bool(self._chains)
