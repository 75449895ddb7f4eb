"""Metrics and statistics against values computed by hand and by other people's programs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bench import metrics, stats


def test_metrics_of_two_gold_texts_at_ranks_2_and_7():
    ranks = (2, 7)
    assert metrics.hit(ranks, 1) == 0
    assert metrics.hit(ranks, 2) == 1
    assert metrics.evidence_recall(ranks, 5) == 0.5
    assert metrics.all_evidence(ranks, 5) == 0
    assert metrics.all_evidence(ranks, 7) == 1
    assert metrics.reciprocal_rank(ranks) == 0.5
    best = 1 + 1 / math.log2(3)
    assert metrics.ndcg(ranks, 10) == pytest.approx((1 / math.log2(3) + 1 / 3) / best)


def test_what_was_not_returned_counts_nothing():
    assert metrics.hit((None,), 10) == 0
    assert metrics.reciprocal_rank((None, 4)) == 0.25
    assert metrics.all_evidence((None, 1), 10) == 0
    assert metrics.ndcg((None,), 10) == 0


def test_metrics_agree_with_ranx():
    ranx = pytest.importorskip("ranx")
    rng = np.random.default_rng(5)
    wanted, given, mine = {}, {}, {"ndcg@10": [], "mrr": [], "recall@10": [], "hit_rate@5": []}
    for query in range(60):
        order = rng.permutation(30).tolist()
        gold = rng.permutation(40)[: int(rng.integers(1, 5))].tolist()
        wanted[f"q{query}"] = {f"d{g}": 1 for g in gold}
        given[f"q{query}"] = {f"d{d}": 100.0 - place for place, d in enumerate(order)}
        ranks = [order.index(g) + 1 if g in order else None for g in gold]
        mine["ndcg@10"].append(metrics.ndcg(ranks, 10))
        mine["mrr"].append(metrics.reciprocal_rank(ranks))
        mine["recall@10"].append(metrics.evidence_recall(ranks, 10))
        mine["hit_rate@5"].append(metrics.hit(ranks, 5))
    theirs = ranx.evaluate(ranx.Qrels(wanted), ranx.Run(given), list(mine))
    for name, values in mine.items():
        assert float(theirs[name]) == pytest.approx(np.mean(values), abs=1e-9), name


def test_a_passage_that_stands_for_several_uris_answers_each_of_them():
    ranked = [frozenset({"a"}), frozenset({"b", "c"}), frozenset({"a"}), frozenset({"d"})]
    assert metrics.gold_ranks(metrics.distinct(ranked), ["c", "d", "e"]) == [2, 3, None]


def test_auc_counts_ties_half():
    assert metrics.auc([2, 3], [1, 2]) == 0.875
    assert metrics.auc([1, 1], [1, 1]) == 0.5


def test_wilson_interval_as_published():
    # Newcombe 1998, table I: 81 of 263, and 1 of 29.
    found = stats.wilson(81, 263)
    assert (round(found.low, 4), round(found.high, 4)) == (0.2553, 0.3662)
    found = stats.wilson(1, 29)
    assert (round(found.low, 4), round(found.high, 4)) == (0.0061, 0.1718)
    assert stats.wilson(0, 10).low == 0
    assert stats.wilson(10, 10).high == 1
    assert math.isnan(stats.wilson(0, 0).value)


def test_bootstrap_is_seeded_and_covers_the_mean():
    values = [0, 1] * 50
    first = stats.bootstrap(values, seed=3)
    assert first == stats.bootstrap(values, seed=3)
    assert first.low < 0.5 < first.high
    assert 0.35 < first.low < 0.45


def test_copies_of_a_question_are_one_draw():
    values = [0.0, 1.0] * 20
    alone = stats.bootstrap(values + values)
    copies = stats.bootstrap(values + values, [str(n % 40) for n in range(80)])
    assert copies.high - copies.low > 1.3 * (alone.high - alone.low)


def test_paired_difference_is_mcnemar_on_what_differs():
    system = [1] * 15 + [0] * 5 + [1] * 80
    baseline = [0] * 15 + [1] * 5 + [1] * 80
    found = stats.paired(system, baseline)
    assert (found.better, found.worse, found.value) == (15, 5, pytest.approx(0.1))
    assert found.p == pytest.approx(0.0413895, abs=1e-6)
    assert found.low > 0


def test_a_comparison_of_other_questions_is_refused():
    with pytest.raises(ValueError, match="same questions"):
        stats.paired([1, 0], [1])
