"""The vocabulary: frozen values."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import pytest

from quoth.core import policy, types
from quoth.core.types import (
    NOW,
    Actor,
    ActorKind,
    AsOf,
    Authority,
    Document,
    Filing,
    Outcome,
    Passage,
    Recalled,
    Receipt,
    Record,
    RecordId,
    Result,
    Scope,
    Source,
    Span,
    Standing,
    Status,
)

VALUES = sorted(
    (
        each
        for module in (types, policy)
        for each in vars(module).values()
        if isinstance(each, type) and is_dataclass(each)
    ),
    key=lambda each: each.__name__,
)


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_values_are_frozen_and_slotted(kind: Any) -> None:
    """No value of the vocabulary can be changed or given a new attribute."""
    made = object.__new__(kind)
    assert not hasattr(made, "__dict__")
    for each in fields(kind):
        with pytest.raises(FrozenInstanceError):
            setattr(made, each.name, None)


def test_there_are_values() -> None:
    """The walk above met the vocabulary."""
    assert {"Access", "Document", "Filing", "Policy", "Recollection", "Testimony"} <= {
        each.__name__ for each in VALUES
    }


def test_every_status_is_a_standing() -> None:
    """What a filing says can be said of a record at a moment."""
    assert {each.value for each in Status} <= {each.value for each in Standing}
    assert {"expired", "not_yet_valid"} == {each.value for each in Standing} - {each.value for each in Status}


def test_authority_is_ordered() -> None:
    """An owner goes before a person, a person before an agent, an agent before a job."""
    assert [Authority.JOB, Authority.AGENT, Authority.PERSON, Authority.OWNER] == sorted(Authority)
    assert [0, 1, 2, 3] == [int(each) for each in sorted(Authority)]


def test_enums_are_lower_case_words() -> None:
    """What is stored and shown of an enum is its own name in lower case."""
    kinds = [each for each in vars(types).values() if isinstance(each, type) and issubclass(each, Enum)]
    for kind in kinds:
        for each in kind:
            assert each.value in (each.name.lower(), getattr(each, "value", None))
            assert not isinstance(each.value, str) or each.value == each.name.lower()


def test_now_is_no_address() -> None:
    """The default moment has neither time."""
    assert (AsOf(None, None), None, None) == (NOW, NOW.valid, NOW.system)


def test_a_receipt_counts() -> None:
    """Outcomes are counted by what became of the record."""
    receipt = Receipt(
        (
            Outcome(RecordId("a"), Result.STORED),
            Outcome(None, Result.REFUSED, "empty"),
            Outcome(RecordId("b"), Result.STORED, indexed=True),
        )
    )
    got = {each: receipt.count(each) for each in Result}
    assert {Result.STORED: 2, Result.REFUSED: 1} == {each: n for each, n in got.items() if n}


def test_a_recalled_passage_has_the_id_of_its_record() -> None:
    """`id` is the record's, of which the passage is a slice."""
    at = datetime(2024, 1, 1, tzinfo=UTC)
    ana = Actor("ana", ActorKind.HUMAN, Authority.OWNER)
    record_id = RecordId("0" * 32)
    words = types.Testimony(
        record_id, Scope("s"), "xyz", "", b"", "u", None, None, None, at, ana, Source.PERSON
    )
    record = Record(words, Filing(record_id, 1, Status.CURRENT, at, ana))
    found = Recalled(record, Passage(record_id, Span(0, 3)), "xyz", 1.0, {}, Standing.CURRENT, None, ())
    assert record_id == found.id


def test_documents_share_no_metadata() -> None:
    """Two documents without metadata do not share one mapping."""
    assert Document("a").metadata is not Document("b").metadata
