"""The committed set through the product: a smoke test, and floors under which no change may go."""

from __future__ import annotations

import pytest

from bench import datasets, metrics, product
from bench.run import answers, judged
from bench.systems import SYSTEMS


def measured(system):
    world = datasets.worlds()["tiny"]
    under = SYSTEMS[system]
    model = product.embedder(under)
    return [judged(world, *each) for each in answers(world, under, model, 10)]


@pytest.mark.product
@pytest.mark.parametrize(
    ("system", "first", "five"), [("quoth", 0.85, 0.95), ("quoth-words", 0.7, 0.85), ("bm25", 0.7, 0.85)]
)
def test_the_tiny_set_stays_above_its_floors(system, first, five, tmp_path, monkeypatch):
    monkeypatch.setenv("QUOTH_BENCH_CACHE", str(tmp_path))
    rows = measured(system)
    asked = [row.turn for row in rows if row.turn]
    assert len(asked) == 21
    assert sum(metrics.hit(ranks, 1) for ranks in asked) / 21 >= first
    assert sum(metrics.hit(ranks, 5) for ranks in asked) / 21 >= five


@pytest.mark.product
def test_what_is_not_there_is_not_answered(tmp_path, monkeypatch):
    monkeypatch.setenv("QUOTH_BENCH_CACHE", str(tmp_path))
    rows = [row for row in measured("quoth") if row.category == "off-topic"]
    assert len(rows) == 3
    assert all(row.abstention == "below_floor" for row in rows)
