"""One transaction: every change appends its own ledger entry. There is no other write."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

import numpy as np

from quoth.core import ledger
from quoth.core.errors import Conflict, InvalidInput, NotFound
from quoth.core.types import Embedding, Filing, PassageId, Status
from quoth.store.erasing import Erasing


class Writing(Erasing):
    """Implements `core.ports.WriteView`: what changes in how records are kept, and vectors."""

    def refile(self, filing: Filing) -> None:
        """See the port."""
        record = self.get(filing.record_id)
        words = record.testimony
        scope = self._scope(words.scope)
        if filing.revision != record.filing.revision + 1:
            have = record.filing.revision
            raise Conflict(
                f"record {filing.record_id!r} is at revision {have}, not {filing.revision - 1}: read it"
            )
        if Status.ERASED in (record.filing.status, filing.status):
            raise Conflict(f"record {filing.record_id!r} is erased, or would be: only `erase` does that")
        if filing.status is not Status.CURRENT:
            self._hide(scope, self._record_no(words.id), words.text)
        elif self._rejection(scope, words.text) is not None:
            raise Conflict(f"the words of record {filing.record_id!r} are rejected: lift that first")
        digest = self._refile(self._record_no(words.id), filing)
        self._append(words.scope, "refile", words.id, filing.filed_at, ledger.payload_digest(digest))

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
            """INSERT INTO document (no, scope, uri, living, session, digest, body, kind, session_id,
            speaker, said_at, said_offset, source, metadata, recorded_at, actor)
            SELECT ?, scope, ?, 1, session, digest, ?, kind, session_id, speaker, said_at, said_offset,
            source, metadata, recorded_at, actor FROM document WHERE no = ?""",
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
            if not self._has_words(passage):
                continue  # erased while its vector was made
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

    def _has_words(self, passage: PassageId) -> bool:
        """Whether a passage still has its words; `NotFound` outside the readable scopes."""
        row = self._db.execute(
            f"""SELECT p.stop FROM passage p JOIN record r ON r.no = p.record
            JOIN document d ON d.no = r.document WHERE p.no = ? AND d.scope IN ({self._in_scopes})""",
            (passage,),
        ).fetchone()
        if row is None:
            raise NotFound(f"no passage {passage!r} in the readable scopes")
        return bool(row[0])

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
