"""Takes erased words out of documents: blocks where others use them, nothing left where nobody does."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from quoth.core import rules
from quoth.core.text import Flag
from quoth.core.types import Document, Record
from quoth.store import rows
from quoth.store.keeping import Keeping, before_of, terms_of
from quoth.store.search import listed


@dataclass(frozen=True, slots=True)
class _Version:
    """One version of a document in which erased words may stand."""

    no: int
    uri: str
    kind: str
    session: int
    body: str


class Blocking(Keeping):
    """The part of a write view that empties documents."""

    def _forget_documents(self, scope: int, records: dict[int, Record]) -> None:
        """Block the words wherever they stand; what only these records used loses its names too."""
        ours = listed(records)
        versions = self._versions(scope, ours)
        numbers = listed(each.no for each in versions)
        read = self._read_in(numbers, ours)
        used = {each for each, others in read.items() if others}
        living = {each.uri for each in versions if each.no in used}
        others = self._others(numbers, ours)
        texts = sorted({each.testimony.text for each in records.values()}, key=len, reverse=True)
        name = f"erased:{next(iter(records.values())).testimony.id}"
        for each in versions:
            own = each.no not in used and (each.no in read or each.uri not in living)
            blocked = _blocked(each.body, texts, others.get(_lineage(each.session, each.uri), ()))
            if own:
                blocked = "".join(char if char.isspace() else rules.BLOCK for char in blocked)
                self._disown(each, ours, "" if each.uri in living else name)
            if blocked != each.body:
                self._store_body(each, blocked)
                self._bare(each, texts)
                if each.kind == "markdown" and any(text.startswith("#") for text in texts):
                    self._headings(each, blocked, ours)
        self._db.execute(
            "DELETE FROM session WHERE scope = ? AND 2 * no NOT IN (SELECT session FROM document)", (scope,)
        )
        self._db.execute("DELETE FROM speaker WHERE name <> '' AND no NOT IN (SELECT speaker FROM document)")

    def _versions(self, scope: int, ours: str) -> list[_Version]:
        """Every version of the documents in which these records were ever read, under all their names."""
        read = """SELECT document FROM record WHERE no IN (SELECT value FROM json_each(?1))
            UNION SELECT document FROM observation WHERE record IN (SELECT value FROM json_each(?1))"""
        found: list[Any] = self._db.execute(
            f"""SELECT no, uri, kind, session, body FROM document WHERE scope = ?2 AND (
            uri IN (SELECT uri FROM document WHERE no IN ({read}))
            OR session IN (SELECT session FROM document WHERE no IN ({read}))) ORDER BY no""",
            (ours, scope),
        ).fetchall()
        return [_Version(row[0], row[1], row[2], row[3], self._body(row[0], row[3], row[4])) for row in found]

    def _read_in(self, documents: str, but: str) -> dict[int, bool]:
        """Documents in which records were read -> whether words of others than these are left there."""
        found: Any = self._db.execute(
            """SELECT d, max(other) FROM (
                SELECT document AS d, text <> '' AND no NOT IN (SELECT value FROM json_each(?2)) AS other
                FROM record WHERE document IN (SELECT value FROM json_each(?1)) UNION ALL
                SELECT o.document, r.text <> '' AND r.no NOT IN (SELECT value FROM json_each(?2))
                FROM observation o JOIN record r ON r.no = o.record
                WHERE o.document IN (SELECT value FROM json_each(?1))) GROUP BY d""",
            (documents, but),
        )
        return {number: bool(other) for number, other in found}

    def _others(self, documents: str, but: str) -> dict[int | str, list[tuple[int, int, str]]]:
        """Where the words of other records stood in these documents, under any name and in any version."""
        found: dict[int | str, list[tuple[int, int, str]]] = {}
        rows_: Any = self._db.execute(
            """SELECT DISTINCT d.session, d.uri, o.start, o.stop, r.text FROM observation o
            JOIN record r ON r.no = o.record JOIN document d ON d.no = o.document
            WHERE o.document IN (SELECT value FROM json_each(?))
            AND o.record NOT IN (SELECT value FROM json_each(?)) AND r.text <> ''""",
            (documents, but),
        )
        for session, uri, *place in rows_:
            found.setdefault(_lineage(session, uri), []).append(tuple(place))
        return found

    def _store_body(self, version: _Version, text: str) -> None:
        body = zlib.compress(text.encode("utf-8", "surrogatepass"))
        digest = bytes.fromhex(rules.text_digest(text))
        self._db.execute("UPDATE document SET body = ?, digest = ? WHERE no = ?", (body, digest, version.no))

    def _bare(self, version: _Version, texts: Sequence[str]) -> None:
        """Take what was kept as metadata of erased front matter."""
        row: Any = self._db.execute("SELECT metadata FROM document WHERE no = ?", (version.no,)).fetchone()
        known = json.loads(row[0] or "{}")
        left = rules.bare(known, texts)
        if left != known:
            kept = json.dumps(left, ensure_ascii=False) if left else None
            self._db.execute("UPDATE document SET metadata = ? WHERE no = ?", (kept, version.no))

    def _disown(self, version: _Version, ours: str, name: str) -> None:
        """Take what only erased records used: who spoke, in which conversation, and where it stood."""
        session = 2 * version.no + 1 if version.session % 2 == 0 else version.session
        self._db.execute(
            """UPDATE document SET session_id = NULL, metadata = NULL, speaker = ?, session = ?
            WHERE no = ?""",
            (self._speaker(None), session, version.no),
        )
        self._db.execute(
            """UPDATE record SET session = ? WHERE document = ?
            AND (text = '' OR no IN (SELECT value FROM json_each(?)))""",
            (session, version.no, ours),
        )
        if name:
            self._db.execute("UPDATE document SET uri = ?, living = 0 WHERE no = ?", (name, version.no))

    def _headings(self, version: _Version, text: str, but: str) -> None:
        """Index the passages of other records without the heading that was erased above them."""
        document = Document(text, version.uri, version.kind)
        last, known = self._last
        found: list[Any] = self._db.execute(
            f"""SELECT p.no, p.start, p.stop, o.start, {rows.TESTIMONY}, {rows.FILING}
            FROM passage p JOIN record r ON r.no = p.record {rows.JOINED}
            JOIN observation o ON o.record = r.no AND o.n = 1
            WHERE {last} AND r.document = ? AND r.no NOT IN (SELECT value FROM json_each(?))
            AND r.text <> ''""",
            (*known, version.no, but),
        ).fetchall()
        for no, start, stop, place, *row in found:
            record = rows.record(tuple(row))
            words, under = record.testimony, rules.headings(document, place)
            slice_ = words.text[start:stop]
            terms = terms_of(before_of(words, record.filing.grain, under) + slice_)
            marks = self._one("SELECT flags FROM passage WHERE no = ?", no)
            self._db.execute("UPDATE passage SET terms = ? WHERE no = ?", (terms, no))
            self._db.execute("DELETE FROM event WHERE passage = ?", (no,))
            if under or marks & Flag.HAS_DATE:
                said = (words.said_at or words.recorded_at).date()
                self._events(no, f"{under} {slice_}" if under else slice_, said)


def _lineage(session: int, uri: str) -> int | str:
    """What the versions of one document share: a file keeps its number when it is moved."""
    return session if session % 2 else uri


def _blocked(body: str, texts: Sequence[str], others: Collection[tuple[int, int, str]]) -> str:
    """The text with blocks for each of these words, but where they stand within words of others."""
    if not any(text in body for text in texts):
        return body
    taken = bytearray(len(body))
    for start, stop, text in others:
        if body[start:stop] == text:
            taken[start:stop] = b"\1" * (stop - start)
    for text in texts:
        at = body.find(text)
        while at >= 0:
            end = at + len(text)
            if any(taken[at:end]):
                at = body.find(text, at + 1)
                continue
            body = body[:at] + rules.BLOCK * len(text) + body[end:]
            at = body.find(text, end)
    return body
