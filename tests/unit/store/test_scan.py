"""The k best of many scores, and the selection of the readable ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quoth.store.scan import idf, top


def plain(scores: list[float], k: int) -> list[int]:
    """The oracle: sort everything."""
    return sorted((at for at, score in enumerate(scores) if score > 0), key=lambda at: (-scores[at], at))[:k]


@given(
    scores=st.lists(st.sampled_from([0.0, -1.0, 0.25, 0.5, 0.5000001, 1.0, 3.0]), max_size=300),
    k=st.integers(-1, 20),
)
def test_top_sorts_like_a_plain_sort(scores: list[float], k: int) -> None:
    """Positive scores alone, best first, ties by position, for any k."""
    column = np.array(scores, np.float32)
    want = plain(column.tolist(), max(k, 0))
    assert want == top(column, k).tolist()
    assert want == top(column, k, np.flatnonzero(column > 0)).tolist()


@pytest.mark.parametrize("values", [3, 40, 100_000])
@pytest.mark.parametrize("k", [1, 5, 50])
def test_top_of_many(values: int, k: int) -> None:
    """Where the threshold is sampled the answer is the same, however many scores are equal."""
    dice = np.random.default_rng(3)
    column = (dice.integers(0, values, 20_000) / values).astype(np.float32)
    assert plain(column.tolist(), k) == top(column, k).tolist()


def test_top_of_few_good_ones() -> None:
    """Fewer positive scores than k among very many zeros are all found."""
    column = np.zeros(50_000, np.float32)
    column[[7, 30_000, 49_999]] = (0.5, 0.5, 0.9)
    assert [49_999, 7, 30_000] == top(column, 50).tolist()


@given(n=st.integers(1, 10**7), share=st.floats(0, 1))
def test_idf_is_never_negative(n: int, share: float) -> None:
    """A rarer word weighs more, and one that stands everywhere weighs nearly nothing, but never less."""
    df = int(n * share)
    assert idf(n, df) > 0
    assert idf(n, min(df + 1, n)) <= idf(n, df)
