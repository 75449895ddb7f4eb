"""What is learned: fusion weights, the person guard, the floor. Pure functions over evidence matrices."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bench.systems import WEIGHTS

Array = NDArray[np.float64]

COLUMNS = (*WEIGHTS, "people", "dialogue", "first_person", "asked", "about", "about_other", "known_words")
"""What is kept of `Recalled.evidence`; a feature that is not there counts 0."""
AT = {name: place for place, name in enumerate(COLUMNS)}
NAMES = tuple(name for names in WEIGHTS.values() for name in names)
NOT_NEGATIVE = ("people_previous", "people_next", "people_session_max", "people_session_bm25")
"""Context may only help: without this the fit learns that planted turns do not suit their hosts."""
WORLD_WEIGHTS = {"locomo": 1.0, "planted": 1.0, "pooled": 0.5, "facts": 0.5}
L2 = 1e-3
KEPT = 0.95
MARGINS = ("top", "first_person", "about", "maxsim")
SUPPORT = ("known_words", "cosine", "maxsim", "score", "people", "fact")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with the evidence of its candidates, shape (n, len(COLUMNS))."""

    world: str
    question: str
    category: str
    group: str
    fold: int
    evidence: NDArray[np.float32]
    uris: tuple[frozenset[str], ...]
    sessions: tuple[frozenset[str], ...]
    gold: tuple[str, ...]
    gold_sessions: tuple[str, ...]
    one_name: bool
    ms: float

    def right(self) -> NDArray[np.bool_]:
        """Which candidates answer."""
        return np.array([not uris.isdisjoint(self.gold) for uris in self.uris], bool)

    def column(self, name: str) -> NDArray[np.float32]:
        """One feature of every candidate."""
        return self.evidence[:, AT[name]]


def design(asked: Asked, without: Collection[str] = ()) -> tuple[Array, list[str]]:
    """The matrix whose product with the weights is the score, and the weights' names."""
    gate, dialogue = asked.column("people"), asked.column("dialogue")
    columns, names = [], []
    for feature, weights in WEIGHTS.items():
        if feature in without:
            continue
        value = asked.column(feature).astype(float)
        for name in weights:
            factor = gate if name.startswith("people_") else np.ones_like(gate)
            if name in ("people_previous", "people_next"):
                factor = factor * dialogue
            columns.append(value * factor)
            names.append(name)
    return np.stack(columns, 1), names


def fusion(rows: Sequence[Asked], without: Collection[str] = ()) -> dict[str, float]:
    """Listwise softmax with every answering candidate equally right; weights on the raw scale."""
    used = [(row, row.right()) for row in rows]
    used = [(row, right) for row, right in used if right.any() and not right.all()]
    counts = {world: sum(row.world == world for row, _ in used) for world in WORLD_WEIGHTS}
    matrices = [design(row, without) for row, _ in used]
    names = matrices[0][1]
    matrix = np.concatenate([each for each, _ in matrices])
    scale = matrix.std(0) + 1e-6
    matrix = matrix / scale
    sizes = np.array([len(right) for _, right in used])
    starts = np.cumsum(sizes) - sizes
    target = np.concatenate([right / right.sum() for _, right in used])
    share = np.array([WORLD_WEIGHTS[row.world] / counts[row.world] for row, _ in used])
    each = np.repeat(share / share.sum(), sizes)

    def loss(weights: Array) -> tuple[float, Array]:
        score = matrix @ weights
        score -= np.repeat(np.maximum.reduceat(score, starts), sizes)
        chance = np.exp(score)
        chance /= np.repeat(np.add.reduceat(chance, starts), sizes)
        value = -(each * target * np.log(chance + 1e-12)).sum() + L2 * weights @ weights
        return value, matrix.T @ (each * (chance - target)) + 2 * L2 * weights

    bounds = [(0, None) if name in NOT_NEGATIVE else (None, None) for name in names]
    found = minimize(
        loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500}
    )
    learned = dict(zip(names, found.x / scale, strict=True))
    return {name: float(learned.get(name, 0.0)) for name in NAMES}


def score(asked: Asked, weights: Mapping[str, float]) -> Array:
    """The fused score of every candidate."""
    matrix, names = design(asked)
    return matrix @ np.array([weights[name] for name in names])


def logistic(matrix: Array, target: Array, share: Array | None = None) -> tuple[Array, float]:
    """Weights and bias, for raw columns, of a logistic regression on standardised ones."""
    middle, scale = matrix.mean(0), matrix.std(0) + 1e-6
    columns = (matrix - middle) / scale
    each = np.ones(len(target)) if share is None else share
    each = each / each.sum()

    def loss(found: Array) -> tuple[float, Array]:
        z = columns @ found[:-1] + found[-1]
        value = (each * np.logaddexp(0, -(2 * target - 1) * z)).sum() + L2 * found[:-1] @ found[:-1]
        slope = each * (1 / (1 + np.exp(-z)) - target)
        return value, np.r_[columns.T @ slope + 2 * L2 * found[:-1], slope.sum()]

    found = minimize(loss, np.zeros(matrix.shape[1] + 1), jac=True, method="L-BFGS-B").x
    weights = found[:-1] / scale
    return weights, float(found[-1] - weights @ middle)


def margins(asked: Asked, weights: Mapping[str, float]) -> Array | None:
    """Four margins between the asked person's passages and the others'; nothing unless one is named."""
    mine = asked.column("asked") > 0
    if not asked.one_name or not mine.any():
        return None
    value = score(asked, weights) - weights["subject"] * asked.column("subject")
    maxsim = asked.column("maxsim").astype(float)
    first = asked.column("first_person") > 0

    def best(values: Array, among: NDArray[np.bool_]) -> float:
        return float(values[among].max() if among.any() else values.min())

    def top(among: NDArray[np.bool_]) -> float:
        return float(np.sort(value[among])[-3:].mean() if among.any() else value.min())

    return np.array(
        [
            top(mine) - top(~mine),
            best(value, mine & first) - best(value, ~mine & first),
            best(value, asked.column("about") > 0) - best(value, asked.column("about_other") > 0),
            best(maxsim, mine) - best(maxsim, ~mine),
        ]
    )


def support(asked: Asked, weights: Mapping[str, float]) -> Array:
    """What speaks for an answer being here at all: the best of each evidence, and what kind of store it is.

    The best score leaves out who speaks: a question about nobody would lose by it.
    """
    if not len(asked.uris):
        return np.zeros(len(SUPPORT))
    value = score(asked, weights) - weights["subject"] * asked.column("subject")
    fact = 1 - float(asked.column("dialogue").mean())
    best = [float(asked.column(name).max()) for name in ("known_words", "cosine", "maxsim")]
    return np.array([*best, float(value.max()), float(asked.column("people").mean()) * (1 - fact), fact])


def threshold(scores: Sequence[float], kept: float = KEPT) -> float:
    """The largest threshold that keeps this share of these scores."""
    ordered = np.sort(np.asarray(scores, float))
    return float(ordered[int(np.floor((1 - kept) * len(ordered)))])
