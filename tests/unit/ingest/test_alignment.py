"""Which records take the place of which."""

from __future__ import annotations

import time

import pytest

from quoth.ingest.alignment import replaced


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        (["a", "b", "c"], ["a", "x", "c"], {"b": "x"}),
        (["a", "b"], ["n", "a", "b"], {}),
        (["a", "b"], ["a"], {}),
        (["a", "b"], ["x", "y"], {"a": "x", "b": "y"}),
        (["a", "b", "c"], ["c", "a", "x"], {"b": "x"}),
        (["one two", "z"], ["new thing", "one two three", "z"], {"one two": "one two three"}),
        (["gone thing", "one two", "z"], ["one two three", "z"], {"one two": "one two three"}),
        (["a b", "c d", "e f"], ["c d x", "e f x", "g h"], {"c d": "c d x", "e f": "e f x"}),
    ],
)
def test_replacements_stand_in_the_same_gap(old: list[str], new: list[str], want: dict[str, str]) -> None:
    """Words that went are paired with words that came between the same neighbours, the likest first."""
    stays = [(old.index(each), at) for at, each in enumerate(new) if each in old]
    gone = [at for at, each in enumerate(old) if each not in new]
    fresh = [at for at, each in enumerate(new) if each not in old]
    pairs = replaced(stays, gone, fresh, old, new)
    assert want == {old[before]: new[after] for before, after in pairs.items()}


def test_large_documents_are_aligned_fast() -> None:
    """20,000 records in reverse order, and a gap of 5,000 by 5,000, take no quadratic time."""
    texts = [str(at) for at in range(20_000)]
    began = time.process_time()
    replaced([(19_999 - at, at) for at in range(20_000)], [], [], texts, texts)
    replaced([], range(5_000), range(5_000), texts, texts)
    assert time.process_time() - began < 5
