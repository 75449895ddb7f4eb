"""Exact search over the mapped arrays: which passages count, BM25 over all of them, cosine over all.

Nothing is approximate and nothing is pruned: a word is found by bisection in sorted blocks and by a scan of
the passages after them, so frequencies, lengths and ranks are exact for the scopes and the moment of the
view (ADR 8).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numkong
import numpy as np
from numpy.typing import NDArray

from quoth.core.policy import LexicalPolicy
from quoth.core.text import term_hash

if TYPE_CHECKING:
    from quoth.core.types import Vector

Int = NDArray[np.int64]
Float = NDArray[np.float32]

DENSE_SHARE = 0.3
"""A selection of at most this share of the store is copied together and scanned alone (measured)."""


BLOCK = 65_536
"""Passages whose words are sorted together (an argsort of 0.1 s, once); the last ones are scanned."""


@dataclass(slots=True)
class Arrays:
    """The first `n` passages of the store, as one snapshot sees them."""

    columns: NDArray[Any]
    words: NDArray[np.uint32]
    postings: NDArray[np.uint32]
    owners: NDArray[np.uint32]
    scales: Float | None
    matrix: NDArray[np.int8] | None


@dataclass(slots=True)
class Selection:
    """The passages that one access may see at one moment, with what BM25 needs to know of them."""

    n: int
    """Passages of the snapshot; the arrays below have this length or that of `ids`."""
    ids: Int
    """Positions (from 0) of the readable passages, ascending."""
    mask: NDArray[np.bool_]
    """True for each readable passage; shape (n,)."""
    small: bool
    """True where words and vectors are copies of the selection alone."""
    blocks: tuple[tuple[int, int], ...]
    """Where each sorted block begins and ends in `postings` and `owners`; none where small."""
    postings: NDArray[np.uint32]
    owners: NDArray[np.uint32]
    tail: NDArray[np.uint32]
    """Words that stand in no block, in the order of passages."""
    tail_owners: NDArray[np.uint32]
    tokens: NDArray[np.int32]
    """Length in analysed words of each passage; shape (n,)."""
    session: NDArray[np.int32]
    """Session of each passage, 0 where it cannot be read; shape (n,)."""
    mean_tokens: float
    sessions: int
    mean_session: float
    session_tokens: Float
    """Analysed words of each session, by its number."""
    matrix: NDArray[np.int8] | None
    scales: Float | None
    kept: dict[str, Any] = field(default_factory=dict)
    """What a view worked out from the selection once, by name."""


def select(arrays: Arrays, mask: NDArray[np.bool_]) -> Selection:
    """The readable part of the arrays."""
    columns, n = arrays.columns, len(arrays.columns)
    ids = np.flatnonzero(mask)
    tokens = np.ascontiguousarray(columns["tokens"])
    session = np.where(mask, columns["session"], 0)
    lengths = np.bincount(session, weights=tokens * mask, minlength=1).astype(np.float32)
    sessions = int(np.count_nonzero(np.bincount(session[ids], minlength=1)))
    small = len(ids) < DENSE_SHARE * n
    ends = columns["terms_end"]
    blocks: tuple[tuple[int, int], ...] = ()
    if small:
        tail = arrays.words[_ranges(ends[ids] - tokens[ids], tokens[ids])]
        within = ids
    else:
        edges = [0, *(int(ends[each * BLOCK - 1]) for each in range(1, n // BLOCK + 1))]
        blocks = tuple(pairwise(edges))
        tail = arrays.words[edges[-1] :]
        within = np.arange(n // BLOCK * BLOCK, n)
    matrix, scales = arrays.matrix, arrays.scales
    if small and matrix is not None and scales is not None:
        matrix, scales = np.ascontiguousarray(matrix[ids]), scales[ids]
    total = float(tokens[ids].sum())
    return Selection(
        n=n,
        ids=ids,
        mask=mask,
        small=small,
        blocks=blocks,
        postings=arrays.postings,
        owners=arrays.owners,
        tail=tail,
        tail_owners=np.repeat(within.astype(np.uint32), tokens[within]),
        tokens=tokens,
        session=session,
        mean_tokens=max(total / max(len(ids), 1), 1e-6),
        sessions=sessions,
        mean_session=max(total / max(sessions, 1), 1e-6),
        session_tokens=lengths,
        matrix=matrix,
        scales=scales,
    )


def _ranges(starts: Int, lengths: NDArray[np.int32]) -> Int:
    """The concatenation of ``range(start, start + length)``."""
    total = int(lengths.sum())
    if not total:
        return np.zeros(0, np.int64)
    before = np.cumsum(lengths) - lengths
    places: Int = np.arange(total) + np.repeat(starts - before, lengths)
    return places


def holds(arrays: Arrays, positions: Int, terms: Sequence[str]) -> NDArray[np.bool_]:
    """Whether each of these passages holds one of the words; shape (len(positions),)."""
    tokens = arrays.columns["tokens"][positions]
    words = arrays.words[_ranges(arrays.columns["terms_end"][positions] - tokens, tokens)]
    wanted = np.sort(np.array([term_hash(each) for each in terms] or [0], np.uint32))
    hit = wanted[np.minimum(np.searchsorted(wanted, words), len(wanted) - 1)] == words
    counts = np.bincount(np.repeat(np.arange(len(positions)), tokens)[hit], minlength=len(positions))
    found: NDArray[np.bool_] = counts > 0
    return found


def _owners(selection: Selection, word: np.uint32) -> NDArray[np.uint32]:
    """Positions of the readable passages in which a word stands, ascending, once for each time."""
    parts = []
    for start, end in selection.blocks:
        block = selection.postings[start:end]
        first, last = np.searchsorted(block, word), np.searchsorted(block, word, "right")
        parts.append(selection.owners[start + first : start + last])
    parts.append(selection.tail_owners[np.flatnonzero(selection.tail == word)])
    owners = np.concatenate(parts)
    return owners if selection.small else owners[selection.mask[owners]]


@dataclass(slots=True)
class Words:
    """BM25 of one question over one selection."""

    scores: Float
    """Raw BM25 of each passage of the snapshot, 0 where unreadable; shape (n,)."""
    found: Int
    """Positions with a score, ascending."""
    frequencies: dict[str, int]
    """In how many readable passages each word stands."""
    sessions: Float
    """BM25 of each session's words, divided by its ideal; by session number."""


def idf(n: int, df: int) -> float:
    """Inverse document frequency, never negative (Robertson and Sparck Jones, with the plus one)."""
    return math.log(1 + (n - df + 0.5) / (df + 0.5))


def lexical(selection: Selection, terms: Sequence[str], policy: LexicalPolicy) -> Words:
    """BM25 with a length floor, of passages and of whole sessions (docs/explanation/retrieval.md)."""
    k1, b = policy.k1, policy.b
    scores = np.zeros(selection.n, np.float32)
    touched = np.zeros(selection.n, np.bool_)
    by_session = np.zeros(len(selection.session_tokens), np.float32)
    frequencies: dict[str, int] = {}
    session_ideal = 0.0
    session_norm = k1 * (1 - b + b * selection.session_tokens / selection.mean_session)
    for term, count in Counter(terms).items():
        owners = _owners(selection, np.uint32(term_hash(term)))
        starts = np.flatnonzero(np.diff(owners, prepend=np.uint32(0xFFFFFFFF)))
        found = owners[starts].astype(np.int64)
        frequencies[term] = len(found)
        if not len(found):
            continue
        tf = np.diff(starts, append=len(owners)).astype(np.float32)
        length = np.maximum(selection.tokens[found], policy.floor).astype(np.float32)
        norm = k1 * (1 - b + b * length / np.float32(selection.mean_tokens))
        weight = idf(len(selection.ids), len(found))
        scores[found] += count * weight * tf * (k1 + 1) / (tf + norm)
        touched[found] = True
        session_tf = np.bincount(selection.session[found], tf, len(by_session)).astype(np.float32)
        weight = idf(selection.sessions, int(np.count_nonzero(session_tf)))
        by_session += count * weight * session_tf * (k1 + 1) / (session_tf + session_norm)
        session_ideal += count * weight * (k1 + 1)
    return Words(scores, np.flatnonzero(touched), frequencies, by_session / max(session_ideal, 1e-6))


def cosine(selection: Selection, vector: Vector) -> Float:
    """Cosine of every passage of the snapshot with a unit vector; 0 where unreadable or without one."""
    scores = np.zeros(selection.n, np.float32)
    if selection.matrix is None or selection.scales is None or not len(selection.matrix):
        return scores
    scale = max(float(np.abs(vector).max()), 1e-9) / 127
    query = np.round(vector / scale).astype(np.int8).reshape(1, -1)
    dots = np.asarray(numkong.cdist(query, selection.matrix, metric="dot")).reshape(-1)
    values: Float = (dots * (selection.scales * np.float32(scale))).astype(np.float32)
    if selection.small:
        scores[selection.ids] = values
        return scores
    values *= selection.mask
    return values


def top(scores: Float, k: int, among: Int | None = None) -> Int:
    """Positions of the `k` highest positive scores, best first, ties by position.

    A sampled threshold spares the partition of a million scores.
    """
    if k < 1:
        return np.zeros(0, np.int64)
    if among is None:
        floor = 0.0
        if len(scores) > 64 * k:
            step = len(scores) // (16 * k)
            sample = scores[::step]
            floor = max(float(np.partition(sample, -min(32, len(sample)))[-min(32, len(sample))]), 0.0)
        among = np.flatnonzero(scores > floor)
        if len(among) < k and floor > 0:
            among = np.flatnonzero(scores > 0)
    values = scores[among]
    if len(values) > 4 * k:
        cut = np.partition(values, -k)[-k]
        among = among[values >= cut]
        values = scores[among]
    return among[np.lexsort((among, -values))][:k]


def members(selection: Selection, columns: NDArray[Any], positions: Int) -> Int:
    """Readable passages of the sessions of these positions, in session order."""
    wanted = np.zeros(len(selection.session_tokens), np.bool_)
    wanted[selection.session[positions[(positions >= 0) & (positions < selection.n)]]] = True
    wanted[0] = False  # the session of what cannot be read
    found = np.flatnonzero(wanted[selection.session])
    part = columns[found]
    ordered: Int = found[np.lexsort((found, part["ordinal"], part["session"]))]
    return ordered
