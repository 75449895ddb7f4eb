"""Our reciprocal rank fusion against ranx's and against the formula."""

from __future__ import annotations

import random
import warnings
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quoth.core.types import PassageId
from quoth.recall.fuse import rrf

CONSTANT = 60


@pytest.fixture(scope="module")
def ranx() -> ModuleType:
    """ranx, whose compiler warns of itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("ranx", reason="ranx cannot be imported here", exc_type=ImportError)


def ranks(seed: int) -> list[list[PassageId]]:
    """Two to four lists of passages that overlap in part, as arms give them."""
    dice = random.Random(seed)
    universe = [PassageId(each) for each in range(1, 60)]
    return [dice.sample(universe, dice.randint(0 if at else 1, 50)) for at in range(dice.randint(2, 4))]


@pytest.mark.filterwarnings("ignore")
def test_scores_equal_ranx(ranx: ModuleType) -> None:
    """For random lists every fused score equals that of `ranx.fuse(method="rrf")`."""
    for seed in range(25):
        lists = [each for each in ranks(seed) if each]
        runs = [
            ranx.Run({"q": {str(passage): 1.0 / (place + 1) for place, passage in enumerate(each)}})
            for each in lists
        ]
        if len(runs) < 2:
            continue
        fused = ranx.fuse(runs=runs, method="rrf", params={"k": CONSTANT}).to_dict()["q"]
        passages = np.array(sorted({passage for each in lists for passage in each}), np.int64)
        ours = rrf(lists, passages, CONSTANT)
        assert len(fused) == len(passages)
        for passage, score in zip(passages.tolist(), ours.tolist(), strict=True):
            assert fused[str(passage)] == pytest.approx(score, rel=1e-5)


@given(
    lists=st.lists(st.lists(st.integers(1, 30), unique=True, max_size=20), max_size=4),
    constant=st.integers(1, 100),
)
def test_scores_equal_the_formula(lists: list[list[int]], constant: int) -> None:
    """The sum of 1 / (constant + rank) over the lists in which a passage stands; 0 where it does not."""
    passages = np.arange(1, 31)
    want = [
        sum(1 / (constant + each.index(passage) + 1) for each in lists if passage in each)
        for passage in passages.tolist()
    ]
    got = rrf([[PassageId(each) for each in one] for one in lists], passages, constant)
    assert want == pytest.approx(got.tolist(), rel=1e-5)
    assert got.dtype == np.float32


def test_agreement_wins() -> None:
    """A passage that both lists have below the top beats one that a single list has at the top."""
    both, single = PassageId(1), PassageId(2)
    lists = [[single, both], [PassageId(3), both]]
    got = rrf(lists, np.array([both, single]), CONSTANT)
    assert got[0] > got[1]
