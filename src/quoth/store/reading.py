"""What one access may see at one moment: the read view."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import apsw
import numpy as np

from quoth.core.errors import IntegrityError, InvalidInput, NotFound
from quoth.core.ledger import moment
from quoth.core.policy import LexicalPolicy
from quoth.core.ports import Event, Turns
from quoth.core.types import (
    Counts,
    Document,
    Filing,
    Head,
    Hit,
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
from quoth.store import rows, scan
from quoth.store.index import FAR, Index, Moment, snapshot
from quoth.store.scan import Arrays, Selection, Words

if TYPE_CHECKING:
    from quoth.core.types import Vector

T = TypeVar("T")


class Reading:
    """Implements `core.ports.ReadView` over one connection inside one transaction."""

    def __init__(
        self,
        db: apsw.Connection,
        index: Index,
        scopes: Mapping[Scope, int],
        *,
        valid: int,
        past: bool,
        system: int | None,
        lexical: LexicalPolicy,
        model: str | None,
        embedder: str | None,
    ) -> None:
        """`scopes` maps each readable scope that exists to its number; times are microseconds."""
        self._db = db
        self._index = index
        self._scopes = dict(scopes)
        self._moment = Moment(frozenset(scopes.values()), valid, past, system)
        self._policy = lexical
        self._model = model
        self._embedder = embedder
        self._snapshot = snapshot(db)
        self._words: dict[tuple[str, ...], Words] = {}
        self._cosines: dict[bytes, scan.Float] = {}

    # -- small things -------------------------------------------------------------------------

    def _one(self, statement: str, *values: object) -> int:
        row = self._db.execute(statement, values).fetchone()
        return int(row[0] or 0) if row else 0

    @property
    def _in_scopes(self) -> str:
        """Scope numbers as SQL; they are whole numbers of ours, never text of a caller."""
        return ",".join(str(no) for no in sorted(self._moment.scopes)) or "-1"

    @property
    def _last(self) -> tuple[str, tuple[object, ...]]:
        """The predicate that picks the filing that counts at this moment, and its values."""
        if self._moment.system is None:
            return rows.LAST, ()
        return f"{rows.LAST_KNOWN} AND r.recorded_at <= ?", (self._moment.system, self._moment.system)

    @property
    def _known_until(self) -> int:
        """Until when what was written counts (microseconds)."""
        return FAR if self._moment.system is None else self._moment.system

    @cached_property
    def _selected(self) -> tuple[Selection, Arrays]:
        return self._index.select(self._db, self._moment, self._snapshot)

    def model(self) -> str | None:
        """The model whose vectors are stored; None before the first one."""
        return self._model

    def notices(self) -> tuple[str, ...]:
        """What happened to the derived index while it was opened."""
        return tuple(dict.fromkeys(self._index.notices))

    # -- records ------------------------------------------------------------------------------

    def get(self, record_id: RecordId) -> Record:
        """See the port."""
        found = next(self._records("r.id = ?", (_raw(record_id),)), None)
        if found is None:
            raise NotFound(f"no record {record_id!r} in the readable scopes")
        return found

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
            WHERE {last} AND f.supersedes = ? AND d.scope IN ({self._in_scopes})
            ORDER BY f.filed_at DESC, f.record DESC LIMIT 1"""
        row = self._db.execute(statement, (*known, _raw(record_id))).fetchone()
        return RecordId(row[0].hex()) if row else None

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
        found: list[tuple[Record, Passage]] = []
        for each in ids:
            row = self._db.execute("SELECT record, start, stop FROM passage WHERE no = ?", (each,)).fetchone()
            record = next(self._records("r.no = ?", (row[0],)), None) if row else None
            if row is None or record is None:
                raise NotFound(f"no passage {each!r} in the readable scopes")
            found.append((record, Passage(record.testimony.id, Span(row[1], row[2]))))
        return found

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
            f"""SELECT d.no, d.session, d.body, d.kind, d.session_id, sp.name, d.said_at, d.metadata, d.source
            FROM document d JOIN speaker sp ON sp.no = d.speaker
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
            said_at=moment(row[6]),
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
        rows_ = self._db.execute(
            f"""SELECT uri, digest, living, max(no) FROM document WHERE scope IN ({self._in_scopes})
            AND uri >= ? AND (? IS NULL OR uri < ?) GROUP BY uri""",
            (prefix, end, end),
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

    # -- search -------------------------------------------------------------------------------

    def _lexical(self, terms: Sequence[str]) -> Words:
        key = tuple(terms)
        if key not in self._words:
            selection, _ = self._selected
            self._words[key] = scan.lexical(selection, key, self._policy)
        return self._words[key]

    def _cosine(self, vector: Vector) -> scan.Float:
        key = vector.tobytes()
        if key not in self._cosines:
            matrix = self._selected[0].matrix
            if matrix is not None and vector.shape != matrix.shape[1:]:
                raise InvalidInput(
                    f"a vector of {vector.size} dimensions, the store's have {matrix.shape[1]}"
                )
            self._cosines[key] = scan.cosine(self._selected[0], vector)
        return self._cosines[key]

    def lexical(self, terms: Sequence[str], k: int) -> list[Hit]:
        """See the port."""
        words = self._lexical(terms)
        return _hits(words.scores, scan.top(words.scores, k, words.found))

    def dense(self, vector: Vector, k: int) -> list[Hit]:
        """See the port; nothing when the stored vectors are another model's."""
        if self._model is None or self._model != self._embedder:
            return []
        scores = self._cosine(vector)
        return _hits(scores, scan.top(scores, k))

    def turns(self, passages: Sequence[PassageId], terms: Sequence[str], vector: Vector | None) -> Turns:
        """See the port."""
        selection, arrays = self._selected
        at = scan.members(selection, arrays.columns, np.asarray(passages, np.int64) - 1)
        part = arrays.columns[at]
        words = self._lexical(terms)
        cosine = np.zeros(len(at), np.float32)
        if vector is not None and self._model is not None and self._model == self._embedder:
            cosine = self._cosine(vector)[at]

        def column(name: str) -> Any:  # noqa: ANN401 - a field of a structured array
            return part[name].astype(np.int64)

        return Turns(
            passage=at + 1,
            record=column("record"),
            session=column("session"),
            speaker=column("speaker"),
            said_day=column("said_day"),
            tokens=column("tokens"),
            chars=column("chars"),
            flags=column("flags"),
            voice=column("voice"),
            grain=column("grain"),
            lexical=words.scores[at],
            cosine=cosine,
            session_lexical=words.sessions[part["session"]],
        )

    def dated(self, days: Sequence[tuple[int, int]], slack: int) -> list[Event]:
        """See the port."""
        selection, _ = self._selected
        found = set()
        for first, last in days:
            for row in self._db.execute(
                "SELECT passage, first, last FROM event WHERE first <= ? AND last >= ? AND passage <= ?",
                (last + slack, first - slack, self._snapshot.passages),
            ):
                if selection.mask[row[0] - 1]:
                    found.add(row)
        return [Event(PassageId(passage), first, last) for passage, first, last in sorted(found)]

    def said(self, days: Sequence[tuple[int, int]], slack: int) -> list[PassageId]:
        """See the port."""
        selection, arrays = self._selected
        day = arrays.columns["said_day"]
        near = np.zeros(len(day), np.bool_)
        for first, last in days:
            near |= (day >= first - slack) & (day <= last + slack)
        at = np.flatnonzero(near & selection.mask & (day > 0))
        one: dict[int, int] = {}
        for place, session in zip(at.tolist(), selection.session[at].tolist(), strict=True):
            one.setdefault(session, place)
        return [PassageId(each + 1) for each in one.values()]

    def token_bits(self, passages: Sequence[PassageId]) -> list[bytes]:
        """See the port."""
        numbers = ",".join(str(int(each)) for each in passages)
        found = dict(
            self._db.execute(
                f"SELECT passage, bits FROM vector WHERE model = ? AND passage IN ({numbers})",
                (self._index.model,),
                can_cache=False,
            )
        )
        selection, _ = self._selected
        readable = {each for each in passages if 0 < each <= selection.n and selection.mask[each - 1]}
        return [found.get(each, b"") if each in readable else b"" for each in passages]

    def holds(self, passages: Sequence[PassageId], terms: Sequence[str]) -> list[bool]:
        """See the port."""
        selection, arrays = self._selected
        at = np.asarray(passages, np.int64) - 1
        there = (at >= 0) & (at < selection.n)
        there[there] = selection.mask[at[there]]
        found = there.copy()
        found[there] = scan.holds(arrays, at[there], terms)
        return [bool(each) for each in found]

    def wordpieces(self, ids: Sequence[int]) -> Mapping[int, int]:
        """See the port."""
        if not self._index.model:
            return dict.fromkeys(ids, 0)
        return self._index.piece_frequencies(self._db, self._moment.scopes, list(ids), self._snapshot)

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """See the port."""
        return self._lexical(terms).frequencies

    def readable(self) -> int:
        """How many passages this view can see."""
        return len(self._selected[0].ids)

    def _kept(self, name: str, make: Callable[[], T]) -> T:
        """What follows from the selection alone is worked out once and kept with it."""
        kept = self._selected[0].kept
        if name not in kept:
            kept[name] = make()
        value: T = kept[name]
        return value

    def speakers(self) -> Sequence[str]:
        """See the port."""
        return self._kept("speakers", self._speakers)

    def _speakers(self) -> list[str]:
        selection, arrays = self._selected
        present = np.flatnonzero(np.bincount(arrays.columns["speaker"][selection.ids], minlength=1))
        names = [""] * (int(present.max(initial=0)) + 1)
        for no in present.tolist():
            row = self._db.execute("SELECT name FROM speaker WHERE no = ?", (no,)).fetchone()
            names[no] = row[0] if row else ""
        return names

    def years(self) -> Sequence[int]:
        """See the port."""
        return self._kept("years", self._years)

    def _years(self) -> list[int]:
        selection, arrays = self._selected
        days = np.flatnonzero(np.bincount(arrays.columns["said_day"][selection.ids], minlength=1)[1:]) + 1
        return sorted({date.fromordinal(day).year for day in days.tolist()})

    def mean_words(self) -> float:
        """See the port."""
        return self._selected[0].mean_tokens

    def median_chars(self) -> float:
        """See the port."""
        selection, arrays = self._selected
        chars = arrays.columns["chars"]
        return self._kept(
            "median", lambda: float(np.median(chars[selection.ids])) if len(selection.ids) else 0.0
        )

    def pending(self) -> int:
        """See the port."""
        return len(self.without_vectors())

    def without_vectors(self) -> scan.Int:
        """Positions (from 0) of readable passages that the embedder in use still has to see."""
        selection, arrays = self._selected
        if self._embedder is None or self._model not in (None, self._embedder):
            return np.zeros(0, np.int64)
        scales = arrays.scales
        if scales is None:
            return selection.ids
        return self._kept("pending", lambda: selection.ids[scales[selection.ids] == 0])

    def unembedded(self, limit: int) -> list[tuple[PassageId, str]]:
        """The first passages without a vector of the model in use, and their words."""
        found = []
        for at in self.without_vectors()[:limit]:
            row = self._db.execute(
                """SELECT substr(r.text, p.start + 1, p.stop - p.start) FROM passage p
                JOIN record r ON r.no = p.record WHERE p.no = ?""",
                (int(at) + 1,),
            ).fetchone()
            found.append((PassageId(int(at) + 1), str(row[0]) if row else ""))
        return found

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
        )

    def ledger(self, origin: str, scope: Scope, after: int = 0) -> Iterator[LedgerEntry]:
        """See the port."""
        statement = f"{rows.LEDGER} WHERE l.origin = ? AND l.scope = ? AND l.seq > ? ORDER BY l.seq"
        for row in self._db.execute(statement, (origin, self._scopes.get(scope, -1), after)):
            yield rows.ledger_entry(row)

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


def _hits(scores: scan.Float, at: scan.Int) -> list[Hit]:
    return [Hit(PassageId(int(each) + 1), float(scores[each])) for each in at]
