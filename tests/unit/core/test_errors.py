"""The error tree: what is wrong, and whether the same call may work later."""

from __future__ import annotations

import pytest

import quoth
from quoth.core import errors
from quoth.core.errors import QuothError, Unavailable, UsageError

TREE = {
    "UsageError": "QuothError",
    "InvalidInput": "UsageError",
    "SettingsError": "UsageError",
    "NotFound": "UsageError",
    "AccessDenied": "QuothError",
    "Conflict": "QuothError",
    "IntegrityError": "QuothError",
    "Unavailable": "QuothError",
    "StoreUnavailable": "Unavailable",
    "InferenceUnavailable": "Unavailable",
}
CLASSES = {
    name: each
    for name, each in vars(errors).items()
    if isinstance(each, type) and issubclass(each, Exception)
}


def test_the_tree_is_the_documented_one() -> None:
    """Every error of the module stands in the tree of its docstring, below the one it says."""
    assert {*TREE, "QuothError"} == set(CLASSES)
    for name, parent in TREE.items():
        assert CLASSES[parent] in CLASSES[name].__bases__
        assert name in (errors.__doc__ or "")
    assert (Exception,) == QuothError.__bases__


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_error_is_one_of_ours(name: str) -> None:
    """One `except QuothError` catches all; each is public, and says in a sentence what it means."""
    assert issubclass(CLASSES[name], QuothError)
    assert CLASSES[name] is getattr(quoth, name)
    assert (CLASSES[name].__doc__ or "").strip().endswith(".")
    assert "why" in str(CLASSES[name]("why"))


def test_wrong_calls_are_value_errors() -> None:
    """Who knows Python only catches wrong calls as `ValueError`; nothing else is one."""
    assert {"UsageError", "InvalidInput", "SettingsError", "NotFound"} == {
        name for name, each in CLASSES.items() if issubclass(each, ValueError)
    }
    assert issubclass(UsageError, ValueError)


def test_what_may_work_later_is_unavailable() -> None:
    """Only what is away, locked or full is worth another try with the same call."""
    assert {"Unavailable", "StoreUnavailable", "InferenceUnavailable"} == {
        name for name, each in CLASSES.items() if issubclass(each, Unavailable)
    }
