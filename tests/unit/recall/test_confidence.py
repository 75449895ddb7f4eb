"""Evidence becomes a level: from raw support, not from ranks."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from quoth.core.policy import Calibration, PersonGuard, Support, Weights
from quoth.core.types import Confidence
from quoth.recall.confidence import Judgement, judge

NOTHING = Support(**dict.fromkeys((each.name for each in fields(Support)), 0.0))
PLAIN = Calibration(
    weights=Weights(subject=2.0),
    guard=PersonGuard(floor=0.0),
    support=replace(NOTHING, known_words=1.0, cosine=1.0, low=0.25, moderate=0.5, high=0.75),
)
"""Support is words plus meaning, with round numbers as borders."""


def judged(evidence: Any, calibration: Calibration = PLAIN, values: Any = None) -> Judgement:
    """The judgement of a pool; its scores are 0 where none are given."""
    column = np.zeros(len(evidence.passage)) if values is None else np.asarray(values)
    return judge(evidence, column.astype(np.float32), calibration)


@pytest.mark.parametrize(
    ("known_words", "cosine", "want"),
    [
        (0.0, 0.0, Confidence.NONE),
        (0.125, 0.0625, Confidence.NONE),
        (0.125, 0.125, Confidence.LOW),
        (0.0, 0.4375, Confidence.LOW),
        (0.25, 0.25, Confidence.MODERATE),
        (0.5, 0.1875, Confidence.MODERATE),
        (0.25, 0.5, Confidence.HIGH),
        (1.0, 1.0, Confidence.HIGH),
    ],
)
def test_levels_begin_at_their_borders(
    make_evidence: Any, known_words: float, cosine: float, want: Confidence
) -> None:
    """A level begins at its border, which belongs to it; the best passage of each evidence counts."""
    evidence = make_evidence(2, known_words=[0.0, known_words], cosine=[cosine, 0.0])
    got = judged(evidence)
    assert (want, known_words + cosine) == (got.level, got.support)


@pytest.mark.parametrize(
    ("name", "columns", "want"),
    [
        ("known_words", {"known_words": [0.25, 0.5]}, 0.5),
        ("cosine", {"cosine": [0.5, 0.25]}, 0.5),
        ("maxsim", {"maxsim": [0.25, 0.5]}, 0.5),
        ("people", {"people": [1, 0], "dialogue": [1, 1]}, 0.5),
        ("fact", {"dialogue": [1, 0]}, 0.5),
        ("bias", {"dialogue": [1, 1]}, 1.0),
    ],
)
def test_every_evidence_counts(make_evidence: Any, name: str, columns: dict[str, Any], want: float) -> None:
    """With all other numbers 0, support is the number times its evidence."""
    calibration = replace(PLAIN, support=replace(NOTHING, **{name: 3.0}))
    assert 3.0 * want == pytest.approx(judged(make_evidence(2, **columns), calibration).support)


def test_the_score_counts_without_who_speaks(make_evidence: Any) -> None:
    """The best fused score is taken as if nobody were the subject."""
    calibration = replace(PLAIN, support=replace(NOTHING, score=1.0))
    evidence = make_evidence(2, subject=[1, 0], dialogue=[1, 1])
    assert 4.0 == judged(evidence, calibration, [5.0, 4.0]).support


def test_nothing_is_none(make_evidence: Any) -> None:
    """An empty pool has no support and nobody in it."""
    assert Judgement(Confidence.NONE, float("-inf"), None) == judged(make_evidence(0))


SURE = {"known_words": [1, 1], "cosine": [1, 1]}


def test_without_a_name_nobody_is_guarded(make_evidence: Any) -> None:
    """Where no person is asked for there is no logit."""
    assert judged(make_evidence(2, **SURE)).person is None


def test_the_guard_is_four_margins(make_evidence: Any) -> None:
    """The logit is the weighted sum of the margins between the asked person's passages and the others'."""
    evidence = make_evidence(
        2,
        **SURE,
        asked=[1, 0],
        about=[1, 0],
        about_other=[0, 1],
        first_person=[1, 1],
        maxsim=[0.2, 0.7],
        subject=[1, 0],
    )
    own, other = 5.0 - 2.0, 4.0  # the subject's weight, 2.0, is taken out of the asked one's score
    g = PLAIN.guard
    want = (g.top + g.first_person + g.about) * (own - other) + g.maxsim * (0.2 - 0.7) + g.bias
    assert want == pytest.approx(judged(evidence, values=[5.0, 4.0]).person, abs=1e-5)


@pytest.mark.parametrize(("bias", "want"), [(-9.0, Confidence.LOW), (9.0, Confidence.HIGH)])
def test_the_guard_lowers_but_does_not_refuse(make_evidence: Any, bias: float, want: Confidence) -> None:
    """Somebody else's words are an answer of low confidence, not none."""
    calibration = replace(PLAIN, guard=replace(PLAIN.guard, bias=bias))
    assert want is judged(make_evidence(2, **SURE, asked=[1, 0]), calibration).level
