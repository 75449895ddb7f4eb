"""Search in what one access may see at one moment."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import apsw
import numpy as np

from quoth.core.errors import InvalidInput
from quoth.core.policy import LexicalPolicy
from quoth.core.ports import Event, Turns
from quoth.core.types import (
    Hit,
    PassageId,
    Scope,
)
from quoth.store import rows, scan
from quoth.store.index import Index, snapshot
from quoth.store.periods import FAR, Moment
from quoth.store.scan import Arrays, Selection, Words

if TYPE_CHECKING:
    from quoth.core.types import Vector

T = TypeVar("T")


class Searching:
    """The searching half of a read view, over one connection inside one transaction."""

    def __init__(
        self,
        db: apsw.Connection,
        index: Index,
        scopes: Mapping[Scope, int],
        *,
        moment: Moment,
        lexical: LexicalPolicy,
        model: str | None,
        embedder: str | None,
    ) -> None:
        """`scopes` maps each readable scope that exists to its number; `moment` is what may be found."""
        self._db = db
        self._index = index
        self._scopes = dict(scopes)
        self._moment = moment
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
        found = dict(
            self._db.execute(
                """SELECT passage, bits FROM vector
                WHERE model = ? AND passage IN (SELECT value FROM json_each(?))""",
                (self._index.model, listed(passages)),
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


def listed(ids: Iterable[int]) -> str:
    """Numbers as one value of a statement, which thus stays prepared whatever their count."""
    return json.dumps([int(each) for each in ids])


def _hits(scores: scan.Float, at: scan.Int) -> list[Hit]:
    return [Hit(PassageId(int(each) + 1), float(scores[each])) for each in at]
