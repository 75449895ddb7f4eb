"""One transaction: every change appends its own ledger entry. There is no other write."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from quoth.core import dates, ledger, rules
from quoth.core.errors import Conflict, InvalidInput, NotFound
from quoth.core.text import Voice, analyse, flags, term_hash, voice
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
from quoth.store.reading import Reading, form


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
        self.index_changed = False
        self._access = access
        self._origin = origin
        self._chains: dict[Scope, _Chain] = {}
        self._actors: dict[Actor, int] = {}
        self._speakers_no: dict[str, int] = {}
        self._sessions: dict[tuple[int, str], list[int]] = {}
        self._document: tuple[Document, str, int] | None = None

    # -- names become numbers -----------------------------------------------------------------

    def _number(self, find: str, make: str, values: tuple[object, ...]) -> int:
        row = self._db.execute(find, values[: find.count("?")]).fetchone()
        if row is not None:
            return int(row[0])
        self._db.execute(make, values)
        return self._db.last_insert_rowid()

    def _scope(self, scope: Scope) -> int:
        rules.may_write(self._access, scope)
        if scope not in self._scopes:
            self._scopes[scope] = self._number(
                "SELECT no FROM scope WHERE name = ?", "INSERT INTO scope (name) VALUES (?)", (scope,)
            )
        return self._scopes[scope]

    def _actor(self, actor: Actor) -> int:
        if actor not in self._actors:
            self._actors[actor] = self._number(
                "SELECT no FROM actor WHERE id = ? AND kind = ? AND authority = ?",
                "INSERT INTO actor (id, kind, authority) VALUES (?, ?, ?)",
                (actor.id, actor.kind.value, int(actor.authority)),
            )
        return self._actors[actor]

    def _speaker(self, name: str | None) -> int:
        key = name or ""
        if key not in self._speakers_no:
            self._speakers_no[key] = self._number(
                "SELECT no FROM speaker WHERE name = ?",
                "INSERT INTO speaker (name, voice) VALUES (?, ?)",
                (key, int(voice(name))),
            )
        return self._speakers_no[key]

    def _session(self, scope: int, key: str) -> list[int]:
        """[number, turns so far], kept until the end of the transaction."""
        found = self._sessions.get((scope, key))
        if found is None:
            row = self._db.execute(
                "SELECT no, turns FROM session WHERE scope = ? AND key = ?", (scope, key)
            ).fetchone()
            if row is None:
                self._db.execute("INSERT INTO session (scope, key, turns) VALUES (?, ?, 0)", (scope, key))
                row = (self._db.last_insert_rowid(), 0)
            found = self._sessions[(scope, key)] = [int(row[0]), int(row[1])]
        return found

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
        record = self._record_no(testimony.id)
        if record:
            return self._observe(record, document, testimony, scope, seen)
        document_no = self._keep(document, testimony, scope)
        record_no = self._record(document, testimony, seen, scope, document_no)
        digest = self._file(record_no, filing)
        self._seen(record_no, document_no, seen)
        self._passages(record_no, testimony, filing, passages)
        payload = ledger.payload_digest(testimony.digest, digest, ledger.observation_digest(seen))
        self._append(testimony.scope, "put", testimony.id, testimony.recorded_at, payload)
        return True

    def _record_no(self, record_id: RecordId) -> int:
        """The number of a record; 0 where there is none."""
        return self._one("SELECT no FROM record WHERE id = ?", bytes.fromhex(record_id))

    def _keep(self, document: Document, testimony: Testimony, scope: int) -> int:
        """The number of this version of the document, which is kept whole."""
        if self._document and self._document[0] is document:
            return self._document[2]
        digest = rules.text_digest(document.text)
        uri = testimony.uri
        row = self._db.execute(
            "SELECT no, digest, living FROM document WHERE scope = ? AND uri = ? ORDER BY no DESC LIMIT 1",
            (scope, uri),
        ).fetchone()
        if row is not None and row[1].hex() == digest and row[2]:
            no = int(row[0])
        else:
            body = None
            if document.text != testimony.text:
                body = zlib.compress(document.text.encode("utf-8", "surrogatepass"), 6)
            no = self._insert_document(document, testimony, scope, bytes.fromhex(digest), body)
        self._document = (document, digest, no)
        return no

    def _insert_document(
        self, document: Document, testimony: Testimony, scope: int, digest: bytes, body: bytes | None
    ) -> int:
        self._db.execute(
            """INSERT INTO document (scope, uri, living, digest, body, kind, session_id, speaker, said_at,
            source, metadata, recorded_at, actor) VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                scope,
                testimony.uri,
                digest,
                body,
                document.kind,
                testimony.session_id,
                self._speaker(testimony.speaker),
                ledger.micros(testimony.said_at),
                testimony.source.value,
                json.dumps(dict(document.metadata), ensure_ascii=False) if document.metadata else None,
                ledger.micros(testimony.recorded_at),
                self._actor(testimony.actor),
            ),
        )
        return self._db.last_insert_rowid()

    def _record(
        self, document: Document, testimony: Testimony, seen: Observation, scope: int, document_no: int
    ) -> int:
        if document.session_id:
            session = self._session(scope, f"s:{document.session_id}")
            ordinal = session[1]
        else:
            session = self._session(scope, f"d:{testimony.uri}")
            ordinal = seen.span.start
        session[1] += 1
        self._db.execute(
            """INSERT INTO record (id, document, session, ordinal, text, salt, digest, form, recorded_at,
            actor, derived_from) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                bytes.fromhex(testimony.id),
                document_no,
                session[0],
                ordinal,
                testimony.text,
                testimony.salt,
                bytes.fromhex(testimony.digest),
                form(testimony.text),
                ledger.micros(testimony.recorded_at),
                self._actor(testimony.actor),
                json.dumps(testimony.derived_from) if testimony.derived_from else None,
            ),
        )
        return self._db.last_insert_rowid()

    def _passages(self, record: int, testimony: Testimony, filing: Filing, passages: Sequence[Span]) -> None:
        turn = filing.grain is Grain.TURN and voice(testimony.speaker) is Voice.PERSON
        speaker = f"{testimony.speaker}: " if turn else ""
        said = (testimony.said_at or testimony.recorded_at).date()
        for span in passages:
            text = testimony.text[span.start : span.end]
            terms = [term_hash(each) for each in analyse(speaker + text)]
            self._db.execute(
                "INSERT INTO passage (record, start, stop, flags, terms) VALUES (?, ?, ?, ?, ?)",
                (record, span.start, span.end, int(flags(text)), np.array(terms, "<u4").tobytes()),
            )
            self._events(self._db.last_insert_rowid(), text, said)

    def _events(self, passage: int, text: str, said: date) -> None:
        for first, last in set(dates.events(text, said)):
            self._db.execute("INSERT INTO event VALUES (?, ?, ?)", (first, last, passage))

    def _seen(self, record: int, document: int, seen: Observation) -> None:
        self._db.execute(
            """INSERT INTO observation (record, document, start, stop, first_line, last_line, seen_at, actor)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                record,
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
        last = self._db.execute(
            """SELECT d.uri, o.start, o.stop, o.first_line FROM observation o
            JOIN document d ON d.no = o.document WHERE o.record = ? ORDER BY o.no DESC LIMIT 1""",
            (record,),
        ).fetchone()
        if last != (seen.uri, seen.span.start, seen.span.end, seen.lines.first):
            self._seen(record, self._keep(document, testimony, scope), seen)
            payload = ledger.payload_digest(ledger.observation_digest(seen))
            self._append(testimony.scope, "observe", testimony.id, seen.seen_at, payload)
        return False

    def refile(self, filing: Filing) -> None:
        """See the port."""
        record = self.get(filing.record_id)
        rules.may_write(self._access, record.testimony.scope)
        if filing.revision != record.filing.revision + 1:
            have = record.filing.revision
            raise Conflict(
                f"record {filing.record_id!r} is at revision {have}, not {filing.revision - 1}: read it"
            )
        digest = self._file(self._record_no(filing.record_id), filing)
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
                filing.status.value,
                filing.trust.value,
                filing.category,
                filing.grain.value,
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
        old, scope = row
        records = self.document_records(old_uri)
        self._db.execute(
            """INSERT INTO document (scope, uri, living, digest, body, kind, session_id, speaker, said_at,
            source, metadata, recorded_at, actor)
            SELECT scope, ?, 1, digest, coalesce(body, ?), kind, session_id, speaker, said_at, source,
            metadata, recorded_at, actor FROM document WHERE no = ?""",
            (new_uri, zlib.compress(self.document(old_uri).text.encode("utf-8", "surrogatepass")), old),
        )
        new = self._db.last_insert_rowid()
        for record in records:
            self._moved(record.testimony, old_uri, new_uri, new, seen_at)
        self._end(old_uri, scope, "move", new_uri, seen_at)

    def _moved(
        self, testimony: Testimony, old_uri: str, new_uri: str, document: int, seen_at: datetime
    ) -> None:
        """Observe one record under the new name, at the place where it last stood."""
        before = [each for each in self.observations(testimony.id) if each.uri == old_uri][-1]
        seen = Observation(testimony.id, new_uri, before.span, before.lines, seen_at, self._access.actor)
        row = self._db.execute(
            "SELECT no FROM record WHERE id = ?", (bytes.fromhex(testimony.id),)
        ).fetchone()
        self._seen(row[0] if row else 0, document, seen)
        payload = ledger.payload_digest(ledger.observation_digest(seen))
        self._append(testimony.scope, "observe", testimony.id, seen_at, payload)

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
        rules.may_write(self._access, name)
        self._db.execute("UPDATE document SET living = 0 WHERE scope = ? AND uri = ?", (scope, uri))
        subject = hashlib.sha256(uri.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        self._append(name, action, subject, at, ledger.payload_digest(uri, to))

    def index(self, model: str, embeddings: Iterable[tuple[PassageId, Embedding]]) -> None:
        """See the port."""
        for passage, embedding in embeddings:
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
        self.index_changed = True

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
        chain = self._chains.get(scope)
        if chain is None:
            row = self._db.execute(
                "SELECT seq, hlc, hash FROM head WHERE origin = ? AND scope = ?",
                (self._origin, self._scopes[scope]),
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
            """INSERT INTO ledger (origin, scope, seq, hlc, at, actor, surface, action, subject, payload,
            prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                entry.origin,
                self._scopes[scope],
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
        """Write heads and session lengths; whether the chain grew."""
        for scope, chain in self._chains.items():
            self._db.execute(
                """INSERT INTO head VALUES (?, ?, ?, ?, ?) ON CONFLICT (origin, scope)
                DO UPDATE SET seq = excluded.seq, hlc = excluded.hlc, hash = excluded.hash""",
                (self._origin, self._scopes[scope], chain.seq, chain.hlc, bytes.fromhex(chain.hash)),
            )
        for (_, _), (no, turns) in self._sessions.items():
            self._db.execute("UPDATE session SET turns = ? WHERE no = ?", (turns, no))
        return bool(self._chains)
