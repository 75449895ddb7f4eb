"""Evidence becomes one order."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quoth.core.policy import RecallPolicy, Weights
from quoth.recall import fuse

NAMES = [each.name for each in fields(Weights)]
DIALOGUE = ("people_previous", "people_next")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 2**32 - 1), gates=st.lists(st.sampled_from([0.0, 0.4, 1.0]), min_size=2, max_size=2)
)
def test_linear_is_a_dot_product(make_evidence: Any, seed: int, gates: list[float]) -> None:
    """A score is the dot product of weights and features; `people_` behind its gate, context behind both."""
    dice = np.random.default_rng(seed)
    columns = {name.removeprefix("people_"): dice.random(5) for name in NAMES}
    columns |= {"people": np.full(5, gates[0]), "dialogue": np.full(5, gates[1])}
    weights = Weights(**{name: float(dice.normal()) for name in NAMES})
    gate = {name: gates[0] if name.startswith("people_") else 1.0 for name in NAMES}
    gate |= {name: gates[0] * gates[1] for name in DIALOGUE}
    w = np.array([getattr(weights, name) * gate[name] for name in NAMES])
    x = np.array([columns[name.removeprefix("people_")] for name in NAMES])
    assert (w @ x).tolist() == pytest.approx(
        fuse.linear(make_evidence(5, **columns), weights).tolist(), abs=1e-4
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_weight_counts(make_evidence: Any, name: str) -> None:
    """No weight is forgotten in the sum: with all others 0, a score is weight times feature."""
    nothing = Weights(**dict.fromkeys(NAMES, 0.0))
    columns = {name.removeprefix("people_"): [0.5, 2.0], "people": [1, 1], "dialogue": [1, 1]}
    got = fuse.linear(make_evidence(2, **columns), replace(nothing, **{name: 3.0}))
    assert [1.5, 6.0] == got.tolist()


def test_order_takes_the_best_passage_of_a_record(make_evidence: Any) -> None:
    """Best first, one passage a record, ties by passage."""
    evidence = make_evidence(6, record=np.array([7, 7, 8, 9, 8, 5]))
    values = np.array([0.1, 0.9, 0.5, 0.5, 0.7, 0.5], np.float32)
    assert [1, 4, 3, 5] == fuse.order(evidence, values).tolist()


def test_an_empty_pool_has_an_order(make_evidence: Any) -> None:
    """Nothing to order is ordered too."""
    evidence = make_evidence(0)
    for fusion in ("linear", "rrf", "lexical", "dense"):
        values = fuse.scores(evidence, Weights(), RecallPolicy(fusion=fusion))
        assert ([], []) == (values.tolist(), fuse.order(evidence, values).tolist())


@pytest.mark.parametrize(
    ("fusion", "want"),
    [("lexical", [0.1, 0.9, 0.5]), ("dense", [0.3, 0.2, 0.1]), ("rrf", [1 / 61, 1 / 61 + 1 / 62, 0.0])],
)
def test_baselines(make_evidence: Any, fusion: str, want: list[float]) -> None:
    """Words alone, vectors alone, and reciprocal ranks of both."""
    evidence = make_evidence(
        3, bm25=[0.1, 0.9, 0.5], cosine=[0.3, 0.2, 0.1], lexical_rank=[2], dense_rank=[1, 2]
    )
    got = fuse.scores(evidence, Weights(), RecallPolicy(fusion=fusion))
    assert want == pytest.approx(got.tolist(), rel=1e-5)
