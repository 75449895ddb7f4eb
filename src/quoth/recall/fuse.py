"""evidence -> one order: the linear fusion, and the plain baselines beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quoth.core.policy import RecallPolicy, Weights
from quoth.core.types import PassageId
from quoth.recall.evidence import Column, Evidence


def scores(evidence: Evidence, weights: Weights, policy: RecallPolicy) -> Column:
    """One score a candidate, larger is better; shape (n,)."""
    if policy.fusion == "rrf":
        return rrf([evidence.lexical_rank, evidence.dense_rank], evidence.passage, policy.rrf)
    if policy.fusion in ("lexical", "dense"):
        return evidence.features["bm25" if policy.fusion == "lexical" else "cosine"]
    return linear(evidence, weights)


def linear(evidence: Evidence, weights: Weights) -> Column:
    """Weighted features, context behind the gates (docs/explanation/retrieval.md)."""
    f = evidence.features
    g, d = f["people"], f["dialogue"]
    plain = (
        weights.bm25 * f["bm25"]
        + weights.cosine * f["cosine"]
        + weights.subject * f["subject"]
        + weights.maxsim * f["maxsim"]
        + weights.date_session * f["date_session"]
        + weights.date_event * f["date_event"]
        + weights.when * f["when"]
        + weights.how_long * f["how_long"]
    )
    people = (
        weights.people_bm25 * f["bm25"]
        + weights.people_maxsim * f["maxsim"]
        + weights.people_previous * d * f["previous"]
        + weights.people_next * d * f["next"]
        + weights.people_session_max * f["session_max"]
        + weights.people_session_bm25 * f["session_bm25"]
        + weights.people_length * f["length"]
        + weights.people_question * f["question"]
    )
    return np.asarray(plain + g * people, np.float32)


def rrf(ranks: Sequence[Sequence[PassageId]], passages: NDArray[np.int64], constant: int) -> Column:
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): the sum of ``1 / (constant + rank)``."""
    total: dict[int, float] = {}
    for rank in ranks:
        for place, passage in enumerate(rank, 1):
            total[passage] = total.get(passage, 0.0) + 1 / (constant + place)
    return np.array([total.get(int(each), 0.0) for each in passages], np.float32)


def order(evidence: Evidence, values: Column) -> NDArray[np.int64]:
    """Places of the best passage of each record, best first; ties by passage."""
    ranked = np.lexsort((evidence.passage, -values))
    first: dict[int, int] = {}
    for place, record in zip(ranked.tolist(), evidence.record[ranked].tolist(), strict=True):
        first.setdefault(record, place)
    return np.fromiter(first.values(), np.int64, len(first))
