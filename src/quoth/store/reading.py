"""What one access may see at one moment: the read view."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from quoth.core import rules
from quoth.core.errors import IntegrityError, NotFound
from quoth.core.ledger import micros, moment
from quoth.core.text import normal_form
from quoth.core.types import (
    Audited,
    Counts,
    Document,
    Filing,
    Head,
    LedgerEntry,
    Observation,
    Passage,
    PassageId,
    Record,
    RecordId,
    Scope,
    Source,
    Span,
    Status,
)
from quoth.store import rows
from quoth.store.acts import Acts
from quoth.store.search import listed


class Reading(Acts):
    """Implements `core.ports.ReadView`: the records and documents of what can be searched."""

    # -- records ------------------------------------------------------------------------------

    def get(self, record_id: RecordId) -> Record:
        """See the port."""
        found = next(self._records("r.id = ?", (_raw(record_id),)), None)
        if found is None:
            raise NotFound(f"no record {record_id!r} in the readable scopes")
        return found

    def begins(self, beginning: str) -> tuple[RecordId, ...]:
        """See the port."""
        first, last = bytes.fromhex(beginning.ljust(32, "0")), bytes.fromhex(beginning.ljust(32, "f"))
        found = self._db.execute(
            f"""SELECT r.id FROM record r JOIN document d ON d.no = r.document
            WHERE r.id BETWEEN ? AND ? AND d.scope IN ({self._in_scopes}) ORDER BY r.id LIMIT 100""",
            (first, last),
        )
        return tuple(RecordId(row[0].hex()) for row in found)

    def knows(self, record_id: RecordId) -> bool:
        """See the port."""
        if not self._one("SELECT no FROM record WHERE id = ?", _raw(record_id)):
            return False
        return next(self._records("r.id = ?", (_raw(record_id),)), None) is not None

    def _records(
        self, where: str, values: tuple[object, ...] = (), order: str = "r.no", limit: int = -1
    ) -> Iterator[Record]:
        last, known = self._last
        # The subquery of `last` comes first in the statement, so its values come first.
        statement = (
            f"{rows.RECORD} WHERE {last} AND d.scope IN ({self._in_scopes}) AND {where} "
            f"ORDER BY {order} LIMIT {limit}"
        )
        for row in self._db.execute(statement, (*known, *values)):
            yield rows.record(row)

    def history(self, record_id: RecordId) -> tuple[Filing, ...]:
        """See the port."""
        self.get(record_id)
        statement = f"""SELECT {rows.FILING} FROM filing f JOIN actor fa ON fa.no = f.actor
            WHERE f.record = (SELECT no FROM record WHERE id = ?) AND f.filed_at <= ? ORDER BY f.revision"""
        filed = self._db.execute(statement, (_raw(record_id), self._known_until))
        return tuple(rows.filing(record_id, row) for row in filed)

    def superseder(self, record_id: RecordId) -> RecordId | None:
        """See the port."""
        if self.get(record_id).filing.status is Status.CURRENT:
            return None
        last, known = self._last
        statement = f"""SELECT r.id FROM filing f JOIN record r ON r.no = f.record
            JOIN document d ON d.no = r.document
            WHERE {last} AND f.supersedes = ? AND f.status <> 'held' AND d.scope IN ({self._in_scopes})
            ORDER BY f.filed_at DESC, f.record DESC LIMIT 1"""
        row = self._db.execute(statement, (*known, _raw(record_id))).fetchone()
        return RecordId(row[0].hex()) if row else None

    def head(self, record_id: RecordId) -> Record:
        """See the port."""
        last, seen = record_id, {record_id}
        while (after := self.superseder(last)) is not None and after not in seen:
            seen.add(after)
            last = after
        return self.get(last)

    def same(self, scope: Scope, text: str, status: Status | None = None) -> tuple[Record, ...]:
        """See the port."""
        number = self._scopes.get(scope)
        if number is None:
            return ()
        past = status not in (None, Status.CURRENT)
        if past and not self._hides_any(number):
            return ()
        form = normal_form(text)
        if past:
            made = rows.sense(self._key(number), "words", form)
            found = self._db.execute("SELECT record FROM hidden WHERE scope = ? AND key = ?", (number, made))
            numbers = [row[0] for row in found]
        else:
            numbers = self._with_form(number, form)
        return tuple(
            each
            for each in self._numbered(number, numbers)
            if status in (None, each.filing.status) and normal_form(each.testimony.text) == form
        )

    def _hides_any(self, scope: int) -> bool:
        """Whether any record of a scope was ever filed as anything but current."""
        if scope not in self._hides:
            self._hides[scope] = bool(self._one("SELECT 1 FROM hidden WHERE scope = ? LIMIT 1", scope))
        return self._hides[scope]

    def _numbered(self, scope: int, numbers: Sequence[Any], where: str = "1") -> Iterator[Record]:
        """Records of a scope by their numbers; without a look where there are none."""
        if not numbers:
            return iter(())
        chosen = f"d.scope = ? AND r.no IN (SELECT value FROM json_each(?)) AND {where}"
        return self._records(chosen, (scope, listed(numbers)))

    def _with_form(self, scope: int, form: str) -> list[Any]:
        """Numbers of the records whose words have a normal form: a look at every text of a scope.

        A text of ASCII holds every word of its normal form as it stands, but for capitals; any other text
        (which has more bytes than characters) may have it.
        """
        if not form:
            return []
        word = max(form.split(), key=len) if form.isascii() else ""
        found = self._db.execute(
            """SELECT r.no, r.text FROM record r JOIN document d ON d.no = r.document WHERE d.scope = ?
            AND (length(CAST(r.text AS BLOB)) > length(r.text) OR (? <> '' AND instr(lower(r.text), ?)))""",
            (scope, word, word),
        )
        return [row[0] for row in found if normal_form(str(row[1])) == form]

    def alike(self, scope: Scope, keys: Sequence[str]) -> tuple[Record, ...]:
        """See the port."""
        number = self._scopes.get(scope)
        if number is None:
            return ()
        found: list[Any] = []
        for each in keys:
            made = (rows.sense(self._key(number), "statement", each),)
            found += (row[0] for row in self._db.execute("SELECT record FROM alike WHERE key = ?", made))
        return tuple(self._numbered(number, found, "f.status = 'current'"))

    def records(self, status: Status | None = None, newest_first: bool = False) -> Iterator[Record]:
        """See the port."""
        order = "r.no DESC" if newest_first else "r.no"
        if status is None:
            return self._records("1", order=order)
        return self._records("f.status = ?", (status.value,), order)

    def observations(self, record_id: RecordId) -> tuple[Observation, ...]:
        """See the port."""
        statement = f"""{rows.OBSERVATION} WHERE o.record = (SELECT no FROM record WHERE id = ?)
            AND d.scope IN ({self._in_scopes}) AND o.seen_at <= ? ORDER BY o.n"""
        seen = self._db.execute(statement, (_raw(record_id), self._known_until))
        return tuple(rows.observation(record_id, row) for row in seen)

    def passages(self, ids: Sequence[PassageId]) -> list[tuple[Record, Passage]]:
        """See the port."""
        last, known = self._last
        statement = f"""SELECT p.no, p.start, p.stop, {rows.TESTIMONY}, {rows.FILING}
            FROM passage p JOIN record r ON r.no = p.record {rows.JOINED}
            WHERE {last} AND d.scope IN ({self._in_scopes}) AND p.no IN (SELECT value FROM json_each(?))"""
        found = {}
        for no, start, stop, *row in self._db.execute(statement, (*known, listed(ids))):
            record = rows.record(tuple(row))
            found[no] = (record, Passage(record.testimony.id, Span(start, stop)))
        if lost := [each for each in ids if each not in found]:
            raise NotFound(f"no passage {lost[0]!r} in the readable scopes")
        return [found[each] for each in ids]

    def neighbours(self, record_id: RecordId, n: int) -> list[Record]:
        """See the port."""
        self.get(record_id)
        row = self._db.execute(
            "SELECT session, ordinal, no FROM record WHERE id = ?", (_raw(record_id),)
        ).fetchone()
        session, ordinal, no = row or (0, 0, 0)
        before = list(
            self._records(
                "r.session = ? AND (r.ordinal, r.no) < (?, ?)",
                (session, ordinal, no),
                "r.ordinal DESC, r.no DESC",
                n,
            )
        )
        after = self._records(
            "r.session = ? AND (r.ordinal, r.no) >= (?, ?)",
            (session, ordinal, no),
            "r.ordinal, r.no",
            n + 1,
        )
        return [*reversed(before), *after]

    def session(self, session_id: str) -> Iterator[Record]:
        """See the port."""
        where = f"r.session IN (SELECT 2 * no FROM session WHERE name = ? AND scope IN ({self._in_scopes}))"
        return self._records(where, (session_id,), "r.ordinal, r.no")

    # -- documents ----------------------------------------------------------------------------

    def document(self, uri: str) -> Document:
        """See the port."""
        row = self._db.execute(
            f"""SELECT d.no, d.session, d.body, d.kind, d.session_id, sp.name, d.said_at, d.metadata,
            d.source, d.said_offset FROM document d JOIN speaker sp ON sp.no = d.speaker
            WHERE d.scope IN ({self._in_scopes}) AND d.uri = ? ORDER BY d.no DESC LIMIT 1""",
            (uri,),
        ).fetchone()
        if row is None:
            raise NotFound(f"no document {uri!r} in the readable scopes")
        return Document(
            text=self._body(*row[:3]),
            uri=uri,
            kind=row[3],
            session_id=row[4],
            speaker=row[5] or None,
            said_at=moment(row[6], row[9]),
            metadata=json.loads(row[7] or "{}"),
            source=Source(row[8]),
        )

    def _body(self, document: int, session: int, body: bytes | None) -> str:
        """The words of a document; one that is a single record has no other copy of them."""
        if body is not None:
            try:
                return zlib.decompress(body).decode("utf-8", "surrogatepass")
            except (zlib.error, TypeError, ValueError) as error:
                raise IntegrityError(f"the text of document no. {document} is damaged") from error
        row = self._db.execute(
            "SELECT text FROM record WHERE session = ? AND document = ?", (session, document)
        ).fetchone()
        return str(row[0]) if row else ""

    def documents(self, prefix: str = "") -> Mapping[str, str]:
        """See the port."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1) if prefix and ord(prefix[-1]) < 0x10FFFF else None
        # A bound that is no part of the statement would make the database read every name after the prefix.
        below = "" if end is None else "AND uri < ?"
        rows_ = self._db.execute(
            f"""SELECT uri, digest, living, max(no) FROM document WHERE scope IN ({self._in_scopes})
            AND uri >= ? {below} GROUP BY uri""",
            (prefix,) if end is None else (prefix, end),
        )
        return {uri: digest.hex() for uri, digest, living, _ in rows_ if living}

    def document_records(self, uri: str) -> list[Record]:
        """See the port."""
        sessions = f"SELECT session FROM document WHERE scope IN ({self._in_scopes}) AND uri = ?"
        placed = []
        for record in self._records(f"f.status = 'current' AND r.session IN ({sessions})", (uri,)):
            last = self.observations(record.testimony.id)[-1]
            if last.uri == uri:
                placed.append((last.span.start, record.testimony.id, record))
        return [record for _, _, record in sorted(placed, key=lambda each: each[:2])]

    # -- the whole ----------------------------------------------------------------------------

    def count(self) -> Counts:
        """See the port."""
        scopes = self._in_scopes
        documents = self._one(
            f"SELECT count(DISTINCT uri) FROM document WHERE scope IN ({scopes}) AND living"
        )
        last, known = self._last
        by_status = dict(
            self._db.execute(
                f"""SELECT f.status, count(*) FROM record r JOIN document d ON d.no = r.document
                JOIN filing f ON f.record = r.no WHERE {last} AND d.scope IN ({scopes}) GROUP BY f.status""",
                known,
            )
        )
        size = self._one("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        return Counts(
            documents=documents,
            records=sum(by_status.values()),
            passages=self.readable(),
            current=by_status.get("current", 0),
            held=by_status.get("held", 0),
            pending=self.pending(),
            bytes=size,
            review=len(self.reviews()),
        )

    def ledger(self, origin: str, scope: Scope, after: int = 0) -> Iterator[LedgerEntry]:
        """See the port."""
        statement = f"{rows.LEDGER} WHERE l.origin = ? AND l.scope = ? AND l.seq > ? ORDER BY l.seq"
        for row in self._db.execute(statement, (origin, self._scopes.get(scope, -1), after)):
            yield rows.ledger_entry(row)

    def audit(self, since: datetime | None = None) -> Iterator[Audited]:
        """See the port."""
        first = None if since is None else micros(rules.utc(since))
        revisions: Counter[str] = Counter()
        statement = f"""{rows.LEDGER} WHERE l.scope IN ({self._in_scopes}) AND l.at <= ?
            ORDER BY l.hlc, l.origin, l.seq"""
        for row in self._db.execute(statement, (self._known_until,)):
            try:
                entry = rows.ledger_entry(row)
            except IntegrityError:
                if "#" in str(row[0]):  # a part that was closed with its damage: `verify` names it
                    continue
                raise
            if entry.action in ("put", "refile"):
                revisions[entry.subject] += 1
            if first is not None and (micros(entry.at) or 0) < first:
                continue
            subject, why = self._why(entry, revisions[entry.subject])
            yield Audited(
                at=entry.at,
                actor=entry.actor,
                surface=entry.surface,
                action=entry.action,
                scope=entry.scope,
                subject=subject,
                why=why,
                origin=entry.origin,
                seq=entry.seq,
            )

    def _why(self, entry: LedgerEntry, revision: int) -> tuple[str, str]:
        """What an entry is about, and why: the note of its filing, the reason of its event."""
        raw = bytes.fromhex(entry.subject)
        if entry.action in ("put", "refile"):
            note = self._db.execute(
                """SELECT f.note FROM filing f JOIN record r ON r.no = f.record
                WHERE r.id = ? AND f.revision = ?""",
                (raw, revision),
            ).fetchone()
            return entry.subject, str(note[0]) if note else ""
        row = self._db.execute("SELECT body FROM act WHERE id = ? AND body IS NOT NULL", (raw,)).fetchone()
        body = json.loads(str(row[0])) if row else {}
        why = str(body.get("reason") or body.get("note") or "")
        if entry.action == "refused":
            return str(body.get("subject", "")), f"{body.get('action', '')}: {why}"
        return entry.subject, why

    def heads(self) -> tuple[Head, ...]:
        """See the port."""
        statement = f"""SELECT h.origin, sc.name, h.seq, h.hash FROM head h JOIN scope sc ON sc.no = h.scope
            WHERE h.scope IN ({self._in_scopes}) ORDER BY sc.name, h.origin"""
        return tuple(Head(row[0], Scope(row[1]), row[2], row[3].hex()) for row in self._db.execute(statement))


def _raw(record_id: RecordId) -> bytes:
    """The bytes of an id; one that is written otherwise than ours is no id (one record, one name)."""
    try:
        raw = bytes.fromhex(record_id)
    except ValueError:
        raw = b""
    if raw.hex() != record_id:
        raise NotFound(f"no record {record_id!r} in the readable scopes")
    return raw
