"""Candidates and the features of each (docs/explanation/retrieval.md).

Three lists of `pool` passages each: by BM25, by cosine, and by both with session, date and subject; the
third is taken over the sessions of the first two and those whose dates match.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numkong
import numpy as np
from numpy.typing import NDArray

from quoth.core.dates import gap
from quoth.core.policy import LexicalPolicy, RecallPolicy
from quoth.core.ports import Event, ReadView, Turns
from quoth.core.text import Flag, Voice, analyse
from quoth.core.types import Embedding, Grain, Hit, PassageId, Plan

Column = NDArray[np.float32]

SLACK_SESSION = 20
"""Days after which ``exp(-days / 5)`` is below .02."""
SLACK_EVENT = 12
"""Days after which ``exp(-days / 3)`` is below .02."""

GRAINS = {Grain.PASSAGE: 0, Grain.TURN: 1, Grain.FACT: 2}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The pool, aligned arrays of shape (n,)."""

    passage: NDArray[np.int64]
    record: NDArray[np.int64]
    features: dict[str, Column]
    lexical_rank: Sequence[PassageId]
    dense_rank: Sequence[PassageId]


def gather(
    view: ReadView, plan: Plan, query: Embedding | None, policy: RecallPolicy, lexical: LexicalPolicy
) -> Evidence:
    """Candidates from the whole readable store, with their features."""
    vector = None if query is None else query.vector
    words = view.lexical(plan.terms, policy.pool)
    near = view.dense(vector, policy.pool) if vector is not None else []
    events = view.dated(plan.dates, SLACK_EVENT) if plan.dates else []
    turns = view.turns(_seeds(view, plan, [*words, *near], events, policy), plan.terms, vector)

    ideal, whole_ideal = _ideals(view, plan, lexical)
    bm25 = turns.lexical / np.float32(ideal)
    share = policy.context_bm25 + policy.context_cosine
    x = ((policy.context_bm25 * bm25 + policy.context_cosine * turns.cosine) / share).astype(np.float32)
    previous, following, session_max = _context(turns, x)
    date_session = _date_session(turns, plan)
    date_event = _date_event(turns, plan, _by_passage(events))
    subject = _subject(view, turns, plan)

    wide = x + policy.pool_session * session_max + policy.pool_subject * subject
    wide = wide + policy.pool_date * np.maximum(date_session, date_event)
    chosen = _union(turns, words, near, wide, _allowed(turns, plan), policy.pool)
    pool = _part(turns, chosen)
    gate, dialogue = _gates(view, pool, policy)
    features = {
        "bm25": bm25[chosen],
        "known_words": pool.lexical / np.float32(whole_ideal),
        "cosine": pool.cosine,
        "subject": subject[chosen],
        "previous": previous[chosen],
        "next": following[chosen],
        "session_max": session_max[chosen],
        "session_bm25": pool.session_lexical,
        "length": np.log1p(pool.tokens).astype(np.float32),
        "question": _flag(pool, Flag.QUESTION),
        "date_session": date_session[chosen],
        "date_event": date_event[chosen],
        "when": _flag(pool, Flag.HAS_DATE) * plan.asks_when,
        "how_long": _flag(pool, Flag.HAS_DURATION) * plan.asks_how_long,
        "first_person": _flag(pool, Flag.FIRST_PERSON),
        "second_person": _flag(pool, Flag.SECOND_PERSON),
        "people": gate,
        "dialogue": dialogue,
        "maxsim": _maxsim(view, pool.passage, query, policy),
        **_whose(view, pool, plan),
    }
    return Evidence(
        passage=pool.passage,
        record=pool.record,
        features=features,
        lexical_rank=[hit.passage for hit in words],
        dense_rank=[hit.passage for hit in near],
    )


def _part(turns: Turns, at: NDArray[np.int64]) -> Turns:
    """The same columns at these places."""
    return Turns(**{each.name: getattr(turns, each.name)[at] for each in fields(turns)})


def _seeds(
    view: ReadView, plan: Plan, hits: Sequence[Hit], events: Sequence[Event], policy: RecallPolicy
) -> list[PassageId]:
    """One passage or more of each session that the third list is taken over."""
    said = view.said(plan.dates, SLACK_SESSION)[: policy.dated_sessions] if plan.dates else []
    dated = [event.passage for event in events[: 4 * policy.dated_sessions]]
    return list(dict.fromkeys((*(hit.passage for hit in hits), *dated, *said)))


def _flag(turns: Turns, flag: Flag) -> Column:
    return ((turns.flags & int(flag)) > 0).astype(np.float32)


def _ideals(view: ReadView, plan: Plan, lexical: LexicalPolicy) -> tuple[float, float]:
    """The BM25 of a perfect passage over the known words, and of a good one over all words.

    The first is the limit that no passage reaches, ``k1 + 1`` an idf. The second is what a passage of the
    floor's length has that holds every word once: in a store of short notes the limit is far from it.
    """
    n = view.readable()
    frequencies = view.frequencies(plan.terms)
    known = unknown = 0.0
    for term in plan.terms:
        df = frequencies.get(term, 0)
        weight = math.log(1 + (n - df + 0.5) / (df + 0.5))
        known += weight if df else 0.0
        unknown += 0.0 if df else weight
    mean = view.mean_words()
    norm = lexical.k1 * (1 - lexical.b + lexical.b * max(lexical.floor, mean) / mean)
    limit = lexical.k1 + 1
    return max(known * limit, 1e-6), max((known + unknown) * limit / (1 + norm), 1e-6)


def _context(turns: Turns, x: Column) -> tuple[Column, Column, Column]:
    """x of the previous and the next passage of the session (0 at its ends), and the session's best."""
    previous, following = np.zeros_like(x), np.zeros_like(x)
    same = turns.session[1:] == turns.session[:-1]
    previous[1:] = np.where(same, x[:-1], 0)
    following[:-1] = np.where(same, x[1:], 0)
    if not len(x):
        return previous, following, np.zeros_like(x)
    edges = np.concatenate(([0], np.flatnonzero(~same) + 1, [len(x)]))
    best = np.maximum.reduceat(x, edges[:-1])
    return previous, following, np.repeat(best, edges[1:] - edges[:-1])


def _date_session(turns: Turns, plan: Plan) -> Column:
    """``exp(-g / 5)``, g the days from the asked interval to when it was said, tripled if said before."""
    if not plan.dates:
        return np.zeros(len(turns.passage), np.float32)
    day = turns.said_day
    gaps = [np.where(day < first, 3 * (first - day), np.maximum(day - last, 0)) for first, last in plan.dates]
    days = np.minimum.reduce(gaps)
    return np.where(day > 0, np.exp(-days / 5), 0).astype(np.float32)


def _by_passage(events: Sequence[Event]) -> dict[int, list[tuple[int, int]]]:
    found: dict[int, list[tuple[int, int]]] = {}
    for event in events:
        found.setdefault(event.passage, []).append((event.first_day, event.last_day))
    return found


def _date_event(turns: Turns, plan: Plan, events: dict[int, list[tuple[int, int]]]) -> Column:
    """``exp(-gap / 3)`` to the nearest event that a passage speaks of; vague events count .3."""
    column = np.zeros(len(turns.passage), np.float32)
    if not events:
        return column
    for at, passage in enumerate(turns.passage.tolist()):
        column[at] = max(
            (
                math.exp(-gap(event, asked) / 3) * (1 if event[1] - event[0] < 40 else 0.3)
                for event in events.get(passage, ())
                for asked in plan.dates
            ),
            default=0.0,
        )
    return column


def _subject(view: ReadView, turns: Turns, plan: Plan) -> Column:
    """1 where the one asked for speaks: the named person, the user, or the assistant when asked."""
    role = Voice.ASSISTANT if plan.of_assistant else Voice.USER
    column: Column = (turns.voice == int(role)).astype(np.float32)
    if len(plan.names) == 1:
        column += turns.speaker == list(view.speakers()).index(plan.names[0])
    return column


def _gates(view: ReadView, turns: Turns, policy: RecallPolicy) -> tuple[Column, Column]:
    """How much context counts (1 among people, 0 with an assistant), and whether neighbours do.

    Neighbours count in a dialogue: not for facts, and not for notes, where nobody answers the line before.
    """
    short = min(max((policy.gate_chars - view.median_chars()) / policy.gate_range, 0.0), 1.0)
    nobody = turns.voice == int(Voice.NONE)
    fact = turns.grain == GRAINS[Grain.FACT]
    gate = np.where(turns.voice == int(Voice.PERSON), 1, np.where(nobody, policy.gate_notes * short, 0))
    return np.where(fact, 1, gate).astype(np.float32), (~fact & ~nobody).astype(np.float32)


def _allowed(turns: Turns, plan: Plan) -> NDArray[np.bool_]:
    """Passages of the grain that was asked for."""
    if plan.grain is None:
        return np.ones(len(turns.passage), np.bool_)
    allowed: NDArray[np.bool_] = turns.grain == GRAINS[plan.grain]
    return allowed


def _union(
    turns: Turns,
    words: Sequence[Hit],
    near: Sequence[Hit],
    wide: Column,
    allowed: NDArray[np.bool_],
    k: int,
) -> NDArray[np.int64]:
    """Places in `turns` of the three lists together, ascending by passage."""
    hits = np.sort(np.array([0, *(hit.passage for hit in (*words, *near))], np.int64))
    listed = hits[np.searchsorted(hits, turns.passage, "right") - 1] == turns.passage
    among = np.flatnonzero(allowed)
    if len(among) > k:  # sorting them all would be most of the work
        among = among[wide[among] >= np.partition(wide[among], -k)[-k]]
    listed[among[np.lexsort((turns.passage[among], -wide[among]))][:k]] = True
    chosen = np.flatnonzero(listed & allowed)
    return chosen[np.argsort(turns.passage[chosen], kind="stable")]


def _maxsim(
    view: ReadView, passages: NDArray[np.int64], query: Embedding | None, policy: RecallPolicy
) -> Column:
    """Late interaction: each wordpiece of the question meets its best token, weighted by rarity.

    ``sum_t idf_t max_p (t . p) / sum_t idf_t`` with p the signs of the token vector over its length.
    """
    asks = query is not None and query.pieces is not None and len(query.pieces)
    if query is None or query.tokens is None or query.pieces is None or not asks or not len(passages):
        return np.zeros(len(passages), np.float32)
    dimensions = query.tokens.shape[1]
    bits = view.token_bits([PassageId(each) for each in passages.tolist()])
    counts = np.fromiter(map(len, bits), np.int64, len(bits)) * 8 // dimensions
    if not counts.any():
        return np.zeros(len(passages), np.float32)
    known = view.wordpieces([int(each) for each in query.pieces])
    n = view.readable()
    rarity = {piece: math.log(1 + (n - min(df, n) + 0.5) / (min(df, n) + 0.5)) for piece, df in known.items()}
    weights = np.array([rarity[int(p)] if p else policy.stop_piece for p in query.pieces], np.float32)
    packed = np.frombuffer(b"".join(bits), np.uint8).reshape(-1, dimensions // 8)
    there = np.flatnonzero(counts)
    best = _nearest(packed, np.cumsum(counts)[there] - counts[there], query.tokens)
    values = (best @ weights) / weights.sum()
    column = np.full(len(passages), values.min(), np.float32)
    column[there] = values
    return column


def _nearest(
    packed: NDArray[np.uint8], starts: NDArray[np.int64], tokens: NDArray[np.float32] | NDArray[np.uint8]
) -> Column:
    """Cosine of each token of the question with the nearest sign vector of each passage; (passages, tokens).

    `packed` are the sign vectors as rows of bits, those of a passage from its start on.
    A sign vector s of ones and minus ones is ``2 * bits - 1``, so ``s . t = 2 * (bits . t) - sum(t)``;
    in int8 and outside BLAS, whose threads cost more than the work (0.13 ms against 8 ms when busy).
    """
    scale = np.maximum(np.abs(tokens).max(axis=1), 1e-9) / np.float32(127)
    small = np.round(tokens / scale[:, None]).astype(np.int8)
    bits = np.unpackbits(packed, axis=1).view(np.int8)
    dots = np.maximum.reduceat(
        np.asarray(numkong.dots_packed(bits, numkong.dots_pack(small))), starts, axis=0
    )
    cosines = (2 * dots - small.sum(axis=1, dtype=np.int32)) * (scale / np.sqrt(np.float32(tokens.shape[1])))
    column: Column = cosines.astype(np.float32)
    return column


def _whose(view: ReadView, turns: Turns, plan: Plan) -> dict[str, Column]:
    """Who speaks and of whom, for the person guard; nobody unless one person is named.

    `asked`: the named person speaks. `about`: the words are about that person, own ones, or said to or of
    that person; `about_other`: likewise about somebody else.
    """
    nobody = np.zeros(len(turns.passage), np.float32)
    if len(plan.names) != 1:
        return {"asked": nobody, "about": nobody, "about_other": nobody}
    name = plan.names[0]
    speakers = list(view.speakers())
    speaker, flags = turns.speaker, turns.flags
    asked = speaker == speakers.index(name)
    second = (flags & int(Flag.SECOND_PERSON)) > 0
    own = ((flags & int(Flag.FIRST_PERSON)) > 0) | ~second
    others = {speakers[each] for each in set(speaker[~asked].tolist())}
    about = own.copy()  # as the one who is asked for says it; for the others it is about somebody else
    about[~asked] = second[~asked] | _holds(view, turns.passage[~asked], name)
    about_other = own.copy()
    about_other[asked] = second[asked] | _holds(view, turns.passage[asked], " ".join(sorted(others)))
    return {
        "asked": asked.astype(np.float32),
        "about": about.astype(np.float32),
        "about_other": about_other.astype(np.float32),
    }


def _holds(view: ReadView, passages: NDArray[np.int64], names: str) -> NDArray[np.bool_]:
    return np.array(view.holds([PassageId(each) for each in passages.tolist()], analyse(names)), np.bool_)
