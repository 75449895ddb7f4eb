"""Which documents have another name now."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quoth.ingest.moves import PASSING, Move, matched, runs


def test_a_name_that_is_gone_is_preferred_then_one_that_is_alike() -> None:
    """Of several documents with the same words each goes to one place."""
    offered = {"x/a": "1", "x/b": "1", "c": "1", "d": "2"}
    wanted = {"y/b": "1", "y/e": "1", "z": "3"}
    assert matched(wanted, offered, {"x/a", "x/b"}, set()) == {"x/b": "y/b", "x/a": "y/e"}
    assert matched({"e": "1"}, {"c": "1", "x/e": "1"}, {"c"}, set()) == {"c": "e"}


def test_a_new_name_goes_first() -> None:
    """What is known under its name already may have been copied to."""
    assert matched({"a": "1", "b": "1"}, {"c": "1"}, {"c"}, {"a"}) == {"c": "b"}


def test_a_chain_begins_at_its_end_and_a_ring_goes_aside() -> None:
    """No name is taken while it is in use."""
    assert list(runs({"a": "b", "b": "c"})) == [[Move("b", "c"), Move("a", "b")]]
    assert list(runs({"a": "b", "b": "a"})) == [
        [Move("a", "a" + PASSING), Move("b", "a"), Move("a" + PASSING, "b")]
    ]
    assert list(runs({})) == []


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)))
def test_every_document_arrives(places: list[int], stays: set[int]) -> None:
    """Whatever chains and rings there are: names are free when they are taken, and all ends well."""
    moves = {str(at): str(new) for at, new in enumerate(places) if at != new and at not in stays}
    there = {name: name for name in moves}
    for run in runs(moves):
        for move in run:
            assert move.new not in there
            there[move.new] = there.pop(move.old)
    assert {new: old for old, new in moves.items()} == there
