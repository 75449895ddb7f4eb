"""Ranking metrics from the ranks of the gold texts.

A rank counts from 1; `None` is a gold text that was not returned at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Ranks = Sequence[int | None]


def hit(ranks: Ranks, k: int) -> float:
    """1 if any gold text stands in the first `k`, else 0."""
    return float(any(rank is not None and rank <= k for rank in ranks))


def evidence_recall(ranks: Ranks, k: int) -> float:
    """Share of the gold texts that stand in the first `k`."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def all_evidence(ranks: Ranks, k: int) -> float:
    """1 if every gold text stands in the first `k`, else 0."""
    return float(all(rank is not None and rank <= k for rank in ranks))


def reciprocal_rank(ranks: Ranks) -> float:
    """1 / rank of the first gold text; 0 if none was returned."""
    return max((1 / rank for rank in ranks if rank is not None), default=0.0)


def ndcg(ranks: Ranks, k: int) -> float:
    """Discounted gain of the gold texts in the first `k`, divided by the best possible one."""
    gain = sum(1 / math.log2(1 + rank) for rank in ranks if rank is not None and rank <= k)
    best = sum(1 / math.log2(2 + place) for place in range(min(len(ranks), k)))
    return gain / best


def auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """How often a positive scores above a negative; a tie counts half."""
    scores = np.concatenate([np.asarray(positive, float), np.asarray(negative, float)])
    _, where, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    middle = ends - (counts - 1) / 2
    n = len(positive)
    return float((middle[where[:n]].sum() - n * (n + 1) / 2) / (n * len(negative)))


METRICS = {
    "R@1": lambda ranks: hit(ranks, 1),
    "R@5": lambda ranks: hit(ranks, 5),
    "R@10": lambda ranks: hit(ranks, 10),
    "evidence@10": lambda ranks: evidence_recall(ranks, 10),
    "all@10": lambda ranks: all_evidence(ranks, 10),
    "MRR": reciprocal_rank,
    "nDCG@10": lambda ranks: ndcg(ranks, 10),
}
"""What a summary holds for each question that has gold."""

RATES = ("R@1", "R@5", "R@10", "all@10")
"""Metrics that are 0 or 1 for one question: they get a Wilson interval, the others a bootstrap."""


def gold_ranks(ranked: Sequence[frozenset[str]], gold: Sequence[str]) -> list[int | None]:
    """The rank of each gold uri; a returned passage may stand for several uris with the same words."""
    first: dict[str, int] = {}
    for rank, uris in enumerate(ranked, 1):
        for uri in uris:
            first.setdefault(uri, rank)
    return [first.get(uri) for uri in gold]


def distinct(ranked: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """The same ranking with each further passage of a text that was already named left out."""
    seen: set[str] = set()
    kept = []
    for uris in ranked:
        if not uris <= seen:
            kept.append(uris)
        seen |= uris
    return kept
