"""evidence -> HIGH, MODERATE, LOW, NONE: is there an answer here, and is it about the one asked for?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quoth.core.policy import ConfidencePolicy, PersonGuard
from quoth.core.types import Confidence
from quoth.recall.evidence import Column, Evidence


@dataclass(frozen=True, slots=True)
class Judgement:
    """How far the answer is to be believed, and the numbers behind it."""

    level: Confidence
    support: float
    """0 to about 1: calibrated on the development split (`ConfidencePolicy`)."""
    person: float | None
    """Logit of "it is about the one asked for"; None unless one person is named."""


def judge(
    evidence: Evidence,
    values: Column,
    subject_weight: float,
    policy: ConfidencePolicy,
    guard: PersonGuard,
    *,
    words_only: bool,
) -> Judgement:
    """The level from the raw evidence of the best passages, never from the rank of a blend."""
    if not len(evidence.passage):
        return Judgement(Confidence.NONE, 0.0, None)
    person = _person(evidence, values, subject_weight, guard)
    if words_only:
        support = evidence.known_words
        floor = policy.words_only_low
    else:
        support = policy.words * evidence.known_words + policy.meaning * evidence.best_cosine
        floor = policy.low
    if support < floor:
        return Judgement(Confidence.NONE, support, person)
    if support < policy.moderate or (person is not None and person < guard.floor):
        return Judgement(Confidence.LOW, support, person)
    level = Confidence.HIGH if support >= policy.high else Confidence.MODERATE
    return Judgement(level, support, person)


def _person(evidence: Evidence, values: Column, subject_weight: float, guard: PersonGuard) -> float | None:
    """Four margins between the asked person's passages and the others' (retrieval-2.md Q5)."""
    asked = evidence.asked
    if not asked.any():
        return None
    y = values - subject_weight * evidence.features["subject"]
    maxsim = evidence.features["maxsim"]
    first = evidence.features["first_person"] > 0
    margins = (
        guard.top * (_mean_of_top(y, asked) - _mean_of_top(y, ~asked))
        + guard.first_person * (_best(y, asked & first) - _best(y, ~asked & first))
        + guard.about * (_best(y, evidence.about) - _best(y, evidence.about_other))
        + guard.maxsim * (_best(maxsim, asked) - _best(maxsim, ~asked))
    )
    return float(margins + guard.bias)


def _best(values: Column, among: NDArray[np.bool_]) -> float:
    return float(values[among].max() if among.any() else values.min())


def _mean_of_top(values: Column, among: NDArray[np.bool_], k: int = 3) -> float:
    return float(np.sort(values[among])[-k:].mean() if among.any() else values.min())
