"""Result folders, comparisons, tables and the cache."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bench import report, table
from bench.cached import Cached, pack, unpack
from bench.learn import AT, COLUMNS, NOT_NEGATIVE, Asked, fusion, logistic, score, threshold
from quoth.core.types import Embedding
from quoth.inference.embedders import HashEmbedder


def rows(world="locomo", hits=(1, 2, None, 1)):
    return [
        report.Row(world, f"q{n}", "ab"[n % 2], f"q{n}", (rank,), (rank,), 1.5, "high", "")
        for n, rank in enumerate(hits)
    ]


def test_a_row_survives_its_line():
    for each in rows():
        assert report.row(each.line()) == each


def test_a_summary_has_every_level_category_and_interval():
    found = report.summarise(rows())["locomo"]
    assert found["turn"]["R@1"]["value"] == 0.5
    assert found["session"]["R@5"]["value"] == 0.75
    assert set(found["categories"]) == {"a", "b"}
    assert found["confidence"] == {"high": 4}


def test_a_folder_is_written_once_and_never_over_another(tmp_path):
    about = report.manifest({"name": "x"})
    first = report.write("x", about, {}, rows(), tmp_path)
    second = report.write("x", about, {}, rows(), tmp_path)
    assert first != second
    assert report.rows(first) == rows()
    assert {"commit", "dirty", "config_sha256", "versions", "machine"} <= set(
        json.loads((first / "manifest.json").read_text())
    )


def test_a_comparison_needs_the_same_questions():
    found = report.compare(rows(), rows(hits=(2, 2, None, 1)))
    assert found["locomo"]["turn"]["R@1"]["value"] == 0.25
    with pytest.raises(ValueError, match="not the same questions"):
        report.compare(rows(), rows()[:3])


def test_a_table_is_made_of_the_newest_results(tmp_path):
    about = report.manifest({"name": "quoth"})
    report.write("quoth", about, report.summarise(rows()), rows(), tmp_path)
    text = "before\n<!-- bench:quality -->\nold\n<!-- /bench:quality -->\nafter\n"
    made = table.render(text, tmp_path)
    assert "LoCoMo, turns" in made
    assert "old" not in made
    assert "50.0 [15.0–85.0]" in made
    assert table.render(made, tmp_path) == made


def test_cached_vectors_are_those_of_the_real_embedder(tmp_path):
    real = HashEmbedder()
    texts = ["one two three", "four five", "one two three", ""]
    for _ in range(2):
        cached = Cached(real, tmp_path)
        for mine, theirs in zip(cached.embed(texts, "passage"), real.embed(texts, "passage"), strict=True):
            np.testing.assert_array_equal(mine.vector, theirs.vector)
            np.testing.assert_array_equal(mine.tokens, theirs.tokens)
            np.testing.assert_array_equal(mine.pieces, theirs.pieces)
    assert (cached.made, cached.found) == (0, 4)
    assert cached.name == real.name


def test_an_embedding_without_tokens_survives_packing():
    made = unpack(pack(Embedding(np.arange(8, dtype=np.float32))))
    assert made.tokens is None
    np.testing.assert_array_equal(made.vector, np.arange(8, dtype=np.float32))


def asked(rng, number):
    evidence = np.zeros((20, len(COLUMNS)), np.float32)
    evidence[:, : AT["people"]] = rng.random((20, AT["people"]))
    evidence[:, AT["people"]] = evidence[:, AT["dialogue"]] = 1
    right = int(np.argmax(4 * evidence[:, AT["bm25"]] - 3 * evidence[:, AT["previous"]]))
    uris = tuple(frozenset({str(n)}) for n in range(20))
    return Asked(
        "locomo", str(number), "", str(number), number % 5, evidence, uris, uris, (str(right),), (), False, 1
    )


def test_learned_weights_find_the_rule_and_context_never_hurts():
    rng = np.random.default_rng(0)
    rows = [asked(rng, n) for n in range(200)]
    weights = fusion(rows)
    assert weights["bm25"] + weights["people_bm25"] > 5 * abs(weights["cosine"])
    assert all(weights[name] >= 0 for name in NOT_NEGATIVE)
    assert weights["people_previous"] == pytest.approx(0, abs=1e-6)
    assert fusion(rows, ("bm25",))["bm25"] == 0
    right = [int(np.argmax(score(row, weights))) == int(row.gold[0]) for row in rows]
    assert np.mean(right) > 0.3


def test_logistic_separates_and_threshold_keeps():
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.normal(1, 1, 200), rng.normal(-1, 1, 200)])[:, None]
    weights, bias = logistic(x, np.r_[np.ones(200), np.zeros(200)])
    assert weights[0] > 0.5
    assert abs(bias) < 0.3
    scores = np.arange(100.0)
    assert (scores >= threshold(scores)).mean() == 0.95
