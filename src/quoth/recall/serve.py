"""One order -> the passages of an answer: the same words once, and old words behind what replaced them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from quoth.core import rules
from quoth.core.ports import ReadView
from quoth.core.statements import near
from quoth.core.text import STOP_WORDS, analyse, normal_form
from quoth.core.types import (
    Passage,
    PassageId,
    Period,
    Plan,
    Recalled,
    Record,
    RecordId,
    Span,
    Standing,
)
from quoth.recall import fuse
from quoth.recall.evidence import Column, Evidence
from quoth.recall.narrow import Asked

Mark: TypeAlias = "tuple[str | None, Standing]"
"""What parts equal words: whose they are, where they are about who speaks, and how they stand."""


@dataclass(slots=True, eq=False)
class _Words:
    """Words that are served once, with every record of the pool that says them."""

    record: Record
    passage: Passage
    text: str
    standing: Standing
    score: float
    evidence: dict[str, float]
    sources: list[RecordId]
    """Its own record first, then the others by rank."""


class _Folded:
    """Passages by rank; equal normal forms are one, and so are near-duplicates (`statements.near`)."""

    def __init__(self) -> None:
        self.found: list[_Words] = []
        self._forms: dict[tuple[str, Mark], _Words] = {}
        self._near: list[tuple[Mark, str, frozenset[str]]] = []
        """The mark, the words in lower case and the plain words of each that was found."""

    def take(self, words: _Words, mark: Mark, k: int) -> None:
        """A passage: another source of words that were found, else words of its own while there are not `k`.

        To read words for the first time is dear: only those are compared that hold each other's plain ones.
        """
        form, lowered = (normal_form(words.text), mark), words.text.lower()
        plain = _plain(lowered)
        same = self._forms.get(form) or self._like(words.text, mark, lowered, plain)
        if same is not None:
            same.sources += words.sources
        elif len(self.found) < k:
            self.found.append(words)
            self._forms[form] = words
            self._near.append((mark, lowered, plain))

    def _like(self, text: str, mark: Mark, lowered: str, plain: frozenset[str]) -> _Words | None:
        for words, (other, there, theirs) in zip(self.found, self._near, strict=True):
            held = all(each in lowered for each in theirs) and all(each in there for each in plain)
            if held and other == mark and (shared := near(text)) and near(words.text) == shared:
                return words
        return None

    def tells(self, common: Collection[str]) -> tuple[list[str], list[str]]:
        """Two analysed words of each that whoever says the same says too: long ones, best no common ones."""
        first, second = [], []
        for _, lowered, plain in self._near:
            words = sorted(
                plain or set(analyse(lowered)), key=lambda each: (each in common, -len(each), each)
            )
            first += words[:1]
            second += words[1:2] or words[:1]
        return first, second


_ENDS = ("al", "bl", "e", "ed", "er", "i", "ic", "ing", "ion", "ism", "ist", "ll", "nt", "or", "s", "ul", "y")


def _plain(lowered: str) -> frozenset[str]:
    """Words that stemming leaves alone, so that their analysed form is known without it: it is slow.

    No English suffix ends as they do. Each begins every word that has the same stem.
    """
    words = (each.strip(",.;:!?()\"'*_`") for each in lowered.split())
    return frozenset(
        each
        for each in words
        if each not in STOP_WORDS and each.isascii() and each.isalnum() and not each.endswith(_ENDS)
    )


def passages(
    view: ReadView, evidence: Evidence, values: Column, plan: Plan, k: int, asked: Asked
) -> tuple[Recalled, ...]:
    """The best `k`, each with every place where its words stand.

    What no longer holds comes after what does, and never without what replaced it, where that may be shown.
    """
    found = _folded(view, evidence, values, plan, k, asked)
    if asked.limits.history:
        found = _placed(view, found, k, asked)
    return tuple(_recalled(view, each) for each in found)


def _folded(
    view: ReadView, evidence: Evidence, values: Column, plan: Plan, k: int, asked: Asked
) -> list[_Words]:
    """The best `k` words; the rest of the pool is looked through for other records of the same words."""
    ranked, read, folded = fuse.order(evidence, values), 0, _Folded()
    while read < len(ranked) and len(folded.found) < k:
        places = ranked[read : read + k]
        read += len(places)
        _take(view, evidence, values, places, folded, k, asked)
    places = ranked[read:]
    for tells in folded.tells(frozenset(plan.terms)) if len(places) else ():
        holds = view.holds([PassageId(each) for each in evidence.passage[places].tolist()], tells)
        places = places[np.array(holds, np.bool_)]
    _take(view, evidence, values, places, folded, k, asked)
    return folded.found


def _take(
    view: ReadView,
    evidence: Evidence,
    values: Column,
    places: NDArray[np.int64],
    folded: _Folded,
    k: int,
    asked: Asked,
) -> None:
    """Read these places of the pool."""
    if not len(places):
        return
    features = evidence.features
    speaks = features["first_person"] + features["second_person"] > 0
    rows = view.passages([PassageId(each) for each in evidence.passage[places].tolist()])
    columns = np.array([column[places] for column in features.values()]).T.tolist()
    for at, found, (record, passage) in zip(places.tolist(), columns, rows, strict=True):
        words = _Words(
            record=record,
            passage=passage,
            text=record.testimony.text[passage.span.start : passage.span.end],
            standing=_standing(view, record, asked),
            score=float(values[at]),
            evidence=dict(zip(features, found, strict=True)),
            sources=[record.testimony.id],
        )
        folded.take(words, (record.testimony.speaker if speaks[at] else None, words.standing), k)


def _standing(view: ReadView, record: Record, asked: Asked) -> Standing:
    """How a record stands at the moment; what was found has begun, whatever the clock or the last filing say.

    One that was true, then not, and is to be true again may have held at the moment, or between its times.
    """
    found = rules.standing(record.filing.status, record.filing.valid, asked.moment)
    if found is not Standing.NOT_YET_VALID:
        return found
    periods = rules.intervals(view.history(record.testimony.id)) if asked.limits.history else ()
    over = any(each.end is not None and each.end <= asked.moment for each in periods)
    return Standing.EXPIRED if over and not _was_true(periods, asked) else Standing.CURRENT


def _was_true(periods: Sequence[Period], asked: Asked) -> bool:
    """Whether the moment lies in a period that has an end."""
    return any(
        (each.start is None or each.start <= asked.moment)
        and each.end is not None
        and asked.moment < each.end
        for each in periods
    )


def _placed(view: ReadView, found: list[_Words], k: int, asked: Asked) -> list[_Words]:
    """What holds first; before what was superseded, the end of its chain, fetched where it was not found."""
    placed: list[_Words] = []
    for each in found:
        before = _replacement(view, each, found, asked)
        placed += [words for words in (before, each) if words is not None and words not in placed]
    return sorted(placed[:k], key=lambda each: not _holds(view, each, asked))


def _holds(view: ReadView, words: _Words, asked: Asked) -> bool:
    """Whether words hold at the moment; what was superseded may have held then."""
    if words.standing is Standing.SUPERSEDED and asked.as_of.valid is not None:
        return _was_true(rules.intervals(view.history(words.record.testimony.id)), asked)
    return words.standing is Standing.CURRENT


def _replacement(view: ReadView, words: _Words, found: list[_Words], asked: Asked) -> _Words | None:
    """What stands in the place of superseded words, where it may be shown.

    Limits of time and grain do not hide it: old words without it would mislead. Trust does.
    """
    if words.standing is not Standing.SUPERSEDED:
        return None
    head = view.head(words.record.testimony.id)
    testimony = head.testimony
    if there := next((each for each in found if testimony.id in each.sources), None):
        return there if there is not words else None
    standing = rules.standing(head.filing.status, head.filing.valid, asked.moment)
    shown = standing in (Standing.CURRENT, Standing.EXPIRED) and head.filing.trust in asked.limits.trust
    whole = Passage(testimony.id, Span(0, len(testimony.text)))
    own = [testimony.id]
    return _Words(head, whole, testimony.text, standing, words.score, {}, own) if shown else None


def _recalled(view: ReadView, words: _Words) -> Recalled:
    record = words.record.testimony.id
    head = view.head(record).testimony.id if words.standing is Standing.SUPERSEDED else record
    return Recalled(
        record=words.record,
        passage=words.passage,
        text=words.text,
        score=words.score,
        evidence=words.evidence,
        standing=words.standing,
        superseded_by=None if head == record else head,
        observations=tuple(seen for each in words.sources for seen in view.observations(each)),
    )
