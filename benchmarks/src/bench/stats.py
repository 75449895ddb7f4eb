"""Intervals and paired tests; seeded, so that a result can be computed again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, norm

DRAWS = 10_000
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval."""

    n: int
    value: float
    low: float
    high: float

    def rounded(self) -> dict[str, float | int]:
        """For a summary."""
        return {
            "n": self.n,
            "value": round(self.value, 4),
            "low": round(self.low, 4),
            "high": round(self.high, 4),
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """System minus baseline on the same questions."""

    n: int
    value: float
    low: float
    high: float
    better: int
    worse: int
    p: float
    """Exact sign test over the questions that differ (McNemar's test where the metric is 0 or 1)."""


def wilson(successes: int, n: int, confidence: float = CONFIDENCE) -> Estimate:
    """A rate with its Wilson score interval."""
    if n == 0:
        return Estimate(0, math.nan, math.nan, math.nan)
    z = float(norm.ppf(0.5 + confidence / 2))
    rate = successes / n
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return Estimate(n, rate, low, high)


def _by_group(values: NDArray[np.float64], groups: Sequence[str] | None) -> tuple[NDArray, NDArray]:
    """Sums and counts of each group: copies of one question are one draw."""
    if groups is None:
        return values, np.ones(len(values))
    _, where = np.unique(np.asarray(groups), return_inverse=True)
    return np.bincount(where, weights=values), np.bincount(where).astype(float)


def bootstrap(
    values: Sequence[float], groups: Sequence[str] | None = None, *, seed: int = 0, draws: int = DRAWS
) -> Estimate:
    """A mean with its percentile interval over questions, each group drawn whole."""
    numbers = np.asarray(values, float)
    if len(numbers) == 0:
        return Estimate(0, math.nan, math.nan, math.nan)
    sums, counts = _by_group(numbers, groups)
    rng = np.random.default_rng(seed)
    means = np.empty(draws)
    for start in range(0, draws, 500):
        pick = rng.integers(0, len(sums), (min(500, draws - start), len(sums)))
        means[start : start + len(pick)] = sums[pick].sum(1) / counts[pick].sum(1)
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Estimate(len(numbers), float(numbers.mean()), float(low), float(high))


def paired(
    system: Sequence[float],
    baseline: Sequence[float],
    groups: Sequence[str] | None = None,
    *,
    seed: int = 0,
    draws: int = DRAWS,
) -> Difference:
    """System minus baseline, question by question; refuses lists of unequal length."""
    if len(system) != len(baseline):
        raise ValueError("a comparison needs the same questions on both sides")
    gain = np.asarray(system, float) - np.asarray(baseline, float)
    spread = bootstrap(gain, groups, seed=seed, draws=draws)
    sums, _ = _by_group(gain, groups)
    better, worse = int((sums > 1e-12).sum()), int((sums < -1e-12).sum())
    p = float(binomtest(better, better + worse).pvalue) if better + worse else 1.0
    return Difference(len(gain), spread.value, spread.low, spread.high, better, worse, p)


def percentile(values: Sequence[float], share: float) -> float:
    """A percentile by linear interpolation; not a number for nothing."""
    return float(np.percentile(np.asarray(values, float), share)) if len(values) else math.nan
