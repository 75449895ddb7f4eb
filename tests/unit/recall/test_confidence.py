"""Evidence becomes a level: from raw support, not from ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from quoth.core.policy import ConfidencePolicy, PersonGuard
from quoth.core.types import Confidence
from quoth.recall.confidence import Judgement, judge

POLICY = ConfidencePolicy(words=0.5, meaning=0.5, low=0.25, moderate=0.5, high=0.75, words_only_low=0.125)
GUARD = PersonGuard()


def judged(
    evidence: Any, *, words_only: bool = False, values: Any = None, guard: PersonGuard = GUARD
) -> Judgement:
    """The judgement with round numbers as borders."""
    column = np.zeros(len(evidence.passage), np.float32) if values is None else np.asarray(values, np.float32)
    return judge(evidence, column, 2.0, POLICY, guard, words_only=words_only)


@pytest.mark.parametrize(
    ("known_words", "best_cosine", "want"),
    [
        (0.0, 0.0, Confidence.NONE),
        (0.5, 0.0, Confidence.LOW),
        (0.0, 0.499, Confidence.NONE),
        (0.5, 0.499, Confidence.LOW),
        (0.5, 0.5, Confidence.MODERATE),
        (1.0, 0.499, Confidence.MODERATE),
        (1.0, 0.5, Confidence.HIGH),
        (1.0, 1.0, Confidence.HIGH),
    ],
)
def test_levels_begin_at_their_borders(
    make_evidence: Any, known_words: float, best_cosine: float, want: Confidence
) -> None:
    """Support is the weighted sum of words and meaning; a level begins at its border, which belongs to it."""
    got = judged(make_evidence(2, known_words=known_words, best_cosine=best_cosine))
    assert (want, 0.5 * known_words + 0.5 * best_cosine) == (got.level, got.support)


@pytest.mark.parametrize(
    ("known_words", "want"),
    [
        (0.124, Confidence.NONE),
        (0.125, Confidence.LOW),
        (0.5, Confidence.MODERATE),
        (0.75, Confidence.HIGH),
    ],
)
def test_words_alone_have_their_own_floor(make_evidence: Any, known_words: float, want: Confidence) -> None:
    """Without a vector the words are all the support there is, whatever cosine stands there."""
    got = judged(make_evidence(1, known_words=known_words, best_cosine=1.0), words_only=True)
    assert (want, known_words) == (got.level, got.support)


def test_nothing_is_none(make_evidence: Any) -> None:
    """An empty pool has no support and nobody in it."""
    assert Judgement(Confidence.NONE, 0.0, None) == judged(make_evidence(0, known_words=1.0, best_cosine=1.0))


ASKED = np.array([True, False])


def test_without_a_name_nobody_is_guarded(make_evidence: Any) -> None:
    """Where no person is asked for there is no logit."""
    assert judged(make_evidence(2, known_words=1.0, best_cosine=1.0)).person is None


def test_the_guard_is_four_margins(make_evidence: Any) -> None:
    """The logit is the weighted sum of the margins between the asked person's passages and the others'."""
    evidence = make_evidence(
        2,
        known_words=1.0,
        best_cosine=1.0,
        asked=ASKED,
        about=ASKED,
        about_other=~ASKED,
        first_person=[1, 1],
        maxsim=[0.2, 0.7],
        subject=[1, 0],
    )
    got = judged(evidence, values=[5.0, 4.0])
    own, other = 5.0 - 2.0, 4.0  # the subject's weight, 2.0, is taken out of the asked one's score
    g = GUARD
    want = (g.top + g.first_person + g.about) * (own - other) + g.maxsim * (0.2 - 0.7) + g.bias
    assert want == pytest.approx(got.person, abs=1e-5)


@pytest.mark.parametrize(("bias", "want"), [(-9.0, Confidence.LOW), (9.0, Confidence.HIGH)])
def test_the_guard_lowers_but_does_not_refuse(make_evidence: Any, bias: float, want: Confidence) -> None:
    """Somebody else's words are an answer of low confidence, not none."""
    evidence = make_evidence(2, known_words=1.0, best_cosine=1.0, asked=ASKED)
    assert want is judged(evidence, guard=replace(GUARD, bias=bias)).level
