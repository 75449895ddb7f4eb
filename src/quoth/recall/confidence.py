"""evidence -> HIGH, MODERATE, LOW, NONE: is there an answer here, and is it about the one asked for?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quoth.core.policy import Calibration, PersonGuard
from quoth.core.policy import Support as SupportPolicy
from quoth.core.types import Confidence
from quoth.recall.evidence import Column, Evidence


@dataclass(frozen=True, slots=True)
class Judgement:
    """How far the answer is to be believed, and the numbers behind it."""

    level: Confidence
    support: float
    """Logit of "the answer is here" (`policy.Support`)."""
    person: float | None
    """Logit of "it is about the one asked for"; None unless one person is named who spoke."""


def judge(evidence: Evidence, values: Column, calibration: Calibration) -> Judgement:
    """The level from the raw evidence of the best passages, never from the rank of a blend.

    `values` are the fused scores of the pool. Doubt about the person makes an answer LOW, not NONE.
    """
    if not len(evidence.passage):
        return Judgement(Confidence.NONE, float("-inf"), None)
    unsaid = values - calibration.weights.subject * evidence.features["subject"]
    support = _support(evidence, unsaid, calibration.support)
    person = _person(evidence, unsaid, calibration.guard)
    return Judgement(_level(support, person, calibration), support, person)


def _level(support: float, person: float | None, calibration: Calibration) -> Confidence:
    borders = calibration.support
    if support < borders.low:
        return Confidence.NONE
    if support < borders.moderate or (person is not None and person < calibration.guard.floor):
        return Confidence.LOW
    return Confidence.HIGH if support >= borders.high else Confidence.MODERATE


def _support(evidence: Evidence, unsaid: Column, policy: SupportPolicy) -> float:
    """The best of each evidence, and what kind of store it is; `unsaid`: scores without who speaks."""
    features = evidence.features
    fact = 1 - float(features["dialogue"].mean())
    return float(
        policy.known_words * features["known_words"].max()
        + policy.cosine * features["cosine"].max()
        + policy.maxsim * features["maxsim"].max()
        + policy.score * unsaid.max()
        + policy.people * features["people"].mean() * (1 - fact)
        + policy.fact * fact
        + policy.bias
    )


def _person(evidence: Evidence, unsaid: Column, guard: PersonGuard) -> float | None:
    """Four margins between the asked person's passages and the others' (docs/explanation/retrieval.md)."""
    asked, about, about_other, first = (
        evidence.features[name] > 0 for name in ("asked", "about", "about_other", "first_person")
    )
    if not asked.any():
        return None
    maxsim = evidence.features["maxsim"]
    margins = (
        guard.top * (_mean_of_top(unsaid, asked) - _mean_of_top(unsaid, ~asked))
        + guard.first_person * (_best(unsaid, asked & first) - _best(unsaid, ~asked & first))
        + guard.about * (_best(unsaid, about) - _best(unsaid, about_other))
        + guard.maxsim * (_best(maxsim, asked) - _best(maxsim, ~asked))
    )
    return float(margins + guard.bias)


def _best(values: Column, among: NDArray[np.bool_]) -> float:
    return float(values[among].max() if among.any() else values.min())


def _mean_of_top(values: Column, among: NDArray[np.bool_], k: int = 3) -> float:
    return float(np.sort(values[among])[-k:].mean() if among.any() else values.min())
