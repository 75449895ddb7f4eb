"""Which new records stand in the place of which old ones."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

_WORD = re.compile(r"\w+")
_CELLS = 10_000
"""Comparisons in one gap; larger gaps are paired in order."""


def replaced(
    stays: Sequence[tuple[int, int]],
    gone: Iterable[int],
    fresh: Iterable[int],
    old: Sequence[str],
    new: Sequence[str],
) -> dict[int, int]:
    """Old position -> the new position that took its place.

    `stays` pairs the positions of records that are in both readings; they cut both into gaps.
    What went from a gap is paired with what came into it: in order, and the likest first where one
    side has more. What moved elsewhere (out of order) is no landmark.
    """
    anchors = _in_order(stays)
    before, after = [each[0] for each in anchors], [each[1] for each in anchors]
    went: dict[int, list[int]] = {}
    came: dict[int, list[int]] = {}
    for at in sorted(gone):
        went.setdefault(bisect_right(before, at), []).append(at)
    for at in sorted(fresh):
        came.setdefault(bisect_right(after, at), []).append(at)
    pairs: dict[int, int] = {}
    for gap, olds in went.items():
        pairs.update(_pair(olds, came.get(gap, []), old, new))
    return pairs


def _in_order(stays: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of the pairs that rises on both sides."""
    ordered = sorted(stays, key=lambda pair: pair[1])
    tails: list[int] = []  # smallest last old position of a rising run of each length
    last: list[int] = []  # where in `ordered` that run ends
    link: list[int] = []
    for at, (before, _) in enumerate(ordered):
        length = bisect_left(tails, before)
        link.append(last[length - 1] if length else -1)
        tails[length : length + 1] = [before]
        last[length : length + 1] = [at]
    chain: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        chain.append(ordered[at])
        at = link[at]
    return chain[::-1]


def _pair(olds: Sequence[int], news: Sequence[int], old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Pair as many as possible in order, so that what is paired shares most words."""
    if len(olds) * len(news) > _CELLS or len(olds) == len(news) == 1:
        return dict(zip(olds, news, strict=False))
    words = [words_of(old[at]) for at in olds], [words_of(new[at]) for at in news]
    width = len(news)
    best = [[0.0] * (width + 1) for _ in range(len(olds) + 1)]
    for i in range(len(olds) - 1, -1, -1):
        for j in range(width - 1, -1, -1):
            here = 1 + likeness(words[0][i], words[1][j]) + best[i + 1][j + 1]
            best[i][j] = max(here, best[i + 1][j], best[i][j + 1])
    pairs: dict[int, int] = {}
    i = j = 0
    while i < len(olds) and j < width:
        if best[i][j] == 1 + likeness(words[0][i], words[1][j]) + best[i + 1][j + 1]:
            pairs[olds[i]] = news[j]
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def words_of(text: str) -> frozenset[str]:
    """The different words of a text, whatever their case."""
    return frozenset(_WORD.findall(text.casefold()))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Shared words, 0 to 1."""
    together = len(one) + len(other)
    return 2 * len(one & other) / together if together else 0.0
