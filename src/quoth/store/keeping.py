"""Writes records: their words, the document in which they stand, where they were seen, what they say."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from quoth.core import dates, ledger, rules, statements
from quoth.core.text import Flag, Voice, analyse, flags, normal_form, term_hash, voice
from quoth.core.types import (
    Document,
    Filing,
    Grain,
    Held,
    Observation,
    Rejection,
    Result,
    Span,
    Status,
    Target,
    Testimony,
    Waiting,
)
from quoth.store import rows
from quoth.store.deciding import Deciding

REJECTED = "rejected words"
"""The note of a record that is held because its words are under a rejection."""

_LIVING = frozenset({"markdown", "text"})
"""Kinds of documents whose newest version counts, whatever changed in it."""


class Keeping(Deciding):
    """The part of a write view that keeps records."""

    _document: tuple[Document, tuple[object, ...], int, int] | None = None
    """The document that was kept last, what its records share, its number and its session's."""

    # -- the writes ---------------------------------------------------------------------------

    def put(
        self,
        document: Document,
        testimony: Testimony,
        seen: Observation,
        filing: Filing,
        passages: Sequence[Span],
    ) -> Result:
        """See the port."""
        scope = self._scope(testimony.scope)
        bound = self._rejection(scope, testimony.text)
        if bound is not None and bound.target is Target.ERASED:
            self._come_again(bound, testimony, seen, document)
            return Result.REFUSED
        if known := self._record_no(testimony.id):
            self._observe(known, document, testimony, scope, seen)
            if bound is None:
                return Result.DUPLICATE
            self._come_again(bound, testimony, seen, document)
            return Result.HELD
        if bound is not None:
            filing = replace(filing, status=Status.HELD, note=REJECTED)
        number, session = self._keep(document, testimony, scope, whole=document.text == testimony.text)
        record = self._record(testimony, seen, number, session)
        digest = self._file(record, filing)
        self._seen(record, 1, number, seen)
        self._passages(record, testimony, filing, passages, rules.headings(document, seen.span.start))
        self._says(scope, record, testimony, filing)
        payload = ledger.payload_digest(testimony.digest, digest, ledger.observation_digest(seen))
        self._append(testimony.scope, "put", testimony.id, testimony.recorded_at, payload)
        if bound is None:
            return Result.STORED
        self._come_again(bound, testimony, seen, document)
        return Result.HELD

    def _come_again(
        self, bound: Rejection, testimony: Testimony, seen: Observation, document: Document
    ) -> None:
        """Count that rejected words came again; a file that still holds them is counted once."""
        erased = bound.target is Target.ERASED
        key = bound.fingerprints["words"]
        held = Held(
            id="",
            scope=testimony.scope,
            kind=Waiting.ERASED if erased else Waiting.REASSERTION,
            key=key,
            reason="erased words" if erased else REJECTED,
            actor=self._access.actor,
            at=self._now,
            record_id=None if erased else testimony.id,
            rejection=bound.id,
            uri=seen.uri,
        )
        if document.kind in _LIVING:
            scope = str(self._numbers[testimony.scope])
            for each in self._acts(("hold",), "x.about = ?", bytes.fromhex(key), scopes=scope):
                if isinstance(each, Held) and (each.uri, each.rejection) == (held.uri, held.rejection):
                    return
        self._say(self._stamped(held), key)

    def _says(self, scope: int, record: int, testimony: Testimony, filing: Filing) -> None:
        """Make a record findable by what it states, and by its words where it is not current."""
        for each in statements.keys(testimony.text, testimony.speaker):
            made = rows.sense(self._key(scope), "statement", each)
            self._db.execute("INSERT INTO alike VALUES (?, ?) ON CONFLICT DO NOTHING", (made, record))
        if filing.status is not Status.CURRENT:
            self._hide(scope, record, testimony.text)

    def _hide(self, scope: int, record: int, text: str) -> None:
        """Make a record findable by its words (`same`), for as long as it is not current."""
        made = rows.sense(self._key(scope), "words", normal_form(text))
        self._db.execute("INSERT INTO hidden VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (scope, made, record))
        self._hides[scope] = True

    def _keep(self, document: Document, testimony: Testimony, scope: int, *, whole: bool) -> tuple[int, int]:
        """The numbers of this version of the document, which is kept whole, and of its session.

        What its records share stands there, so that one with another time or speaker is another version.
        `whole`: the record that is put now is all of it, and its words need no second copy.
        """
        shared = (
            testimony.session_id,
            self._speaker(testimony.speaker),
            ledger.micros(testimony.said_at),
            ledger.offset(testimony.said_at),
            testimony.source,
        )
        key = (scope, testimony.uri, *shared)
        if self._document and self._document[0] is document and self._document[1] == key:
            return self._document[2:]
        digest = bytes.fromhex(rules.text_digest(document.text))
        row = self._db.execute(
            """SELECT no, session, living, digest, session_id, speaker, said_at, said_offset, source
            FROM document WHERE scope = ? AND uri = ? ORDER BY no DESC LIMIT 1""",
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
            """INSERT INTO document (no, scope, uri, living, session, digest, body, kind, session_id, speaker,
            said_at, said_offset, source, metadata, recorded_at, actor)
            VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
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
                ledger.offset(testimony.said_at),
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
        before = before_of(testimony, filing.grain, under)
        said = (testimony.said_at or testimony.recorded_at).date()
        for span in passages:
            text = testimony.text[span.start : span.end]
            marks = flags(text)
            self._db.execute(
                "INSERT INTO passage (record, start, stop, flags, terms) VALUES (?, ?, ?, ?, ?)",
                (record, span.start, span.end, int(marks), terms_of(before + text)),
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
    ) -> None:
        """Add an observation unless the last one says the same."""
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
            said_at=None if document.said_at is None else rules.zoned(document.said_at),
            source=rules.source_of(document),
        )
        moved = last != [seen.uri, seen.span.start, seen.span.end, seen.lines.first]
        if moved or document.kind in _LIVING:
            number, _ = self._keep(document, read, scope, whole=False)
        if moved:
            self._seen(record, n + 1, number, seen)
            payload = ledger.payload_digest(ledger.observation_digest(seen))
            self._append(testimony.scope, "observe", testimony.id, seen.seen_at, payload)


def before_of(testimony: Testimony, grain: Grain, under: str) -> str:
    """What the words of a passage are found by beside themselves: who speaks, or the headings above."""
    if grain is Grain.TURN and voice(testimony.speaker) is Voice.PERSON:
        return f"{testimony.speaker}: "
    return f"{under} " if under else ""


def terms_of(text: str) -> bytes:
    """The analysed words of a passage, as its row holds them."""
    return array("I", list(map(term_hash, analyse(text)))).tobytes()
