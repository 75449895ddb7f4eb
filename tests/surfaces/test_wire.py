"""The one JSON form, and the one table of statuses."""

from __future__ import annotations

import importlib
import json
import pkgutil
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from enum import IntEnum
from pathlib import Path

import pytest

import quoth
from quoth.core.types import (
    Actor,
    ActorKind,
    Authority,
    Filing,
    Lines,
    Observation,
    Outcome,
    Passage,
    Period,
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
from quoth.core.types import Testimony as Sealed
from quoth.surfaces import wire

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
ANA = Actor("ana", ActorKind.HUMAN, Authority.OWNER)
ID = RecordId("a" * 32)


def recalled(text: str = "One.\nTwo.\nThree.", span: Span | None = None, seen: int = 1) -> Recalled:
    """A passage of a note that begins at line 12."""
    testimony = Sealed(
        id=ID,
        scope=Scope("s"),
        text=text,
        digest="d",
        salt=b"salt",
        uri="notes/a.md",
        session_id=None,
        speaker="Ana",
        said_at=None,
        recorded_at=NOON,
        actor=ANA,
        source=Source.PERSON,
    )
    filing = Filing(ID, 1, Status.CURRENT, NOON, ANA, valid=Period(NOON, None), stakes=("health",))
    at = span or Span(0, len(text))
    place = Observation(ID, "notes/b.md", Span(0, len(text)), Lines(12, 14), NOON, ANA)
    return Recalled(
        record=Record(testimony, filing),
        passage=Passage(ID, at),
        text=text[at.start : at.end],
        score=0.8123456789,
        evidence={"bm25": 0.7, "cosine": float("nan")},
        standing=Standing.CURRENT,
        superseded_by=None,
        observations=(place,) * seen,
    )


def test_a_passage_has_the_form_of_the_design() -> None:
    """A passage is one flat object with words, place, times, standing and evidence."""
    assert {
        "id": ID,
        "text": "One.\nTwo.\nThree.",
        "uri": "notes/b.md",
        "lines": [12, 14],
        "span": [0, 16],
        "session_id": None,
        "speaker": "Ana",
        "said_at": None,
        "recorded_at": "2026-03-02T12:00:00+00:00",
        "valid": ["2026-03-02T12:00:00+00:00", None],
        "standing": "current",
        "superseded_by": None,
        "source": "person",
        "trust": "asserted",
        "grain": "passage",
        "observations": 1,
        "sources": [{"id": ID, "uri": "notes/b.md", "lines": [12, 14]}],
        "importance": 5,
        "stakes": ["health"],
        "score": 0.812346,
        "evidence": {"bm25": 0.7, "cosine": None},
    } == wire.form(recalled())


@pytest.mark.parametrize(
    ("span", "want"),
    [(Span(0, 4), [12, 12]), (Span(5, 9), [13, 13]), (Span(0, 5), [12, 12]), (Span(5, 16), [13, 14])],
)
def test_a_slice_names_its_own_lines(span: Span, want: list[int]) -> None:
    """The lines are those of the slice, not of the whole record."""
    assert want == wire.form(recalled(span=span))["lines"]  # type: ignore[call-overload,index]


def test_a_passage_never_read_has_no_lines() -> None:
    """Without an observation there are no lines, and the place is the record's own."""
    form = wire.form(recalled(seen=0))
    assert (None, "notes/a.md") == (form["lines"], form["uri"])  # type: ignore[call-overload,index]


def test_a_passage_stands_where_its_own_record_does() -> None:
    """Other records of the same words are its sources, each with its lines; place and lines are its own."""
    found = recalled(span=Span(5, 9))
    twin = Observation(RecordId("b" * 32), "notes/c.md", Span(0, 4), Lines(7, 7), NOON, ANA)
    moved = replace(found.observations[0], uri="notes/d.md", lines=Lines(2, 4))
    form = wire.form(replace(found, observations=(*found.observations, moved, twin, twin)))
    assert ("notes/d.md", [3, 3], 4) == (form["uri"], form["lines"], form["observations"])  # type: ignore[call-overload,index]
    assert [
        {"id": ID, "uri": "notes/b.md", "lines": [13, 13]},
        {"id": ID, "uri": "notes/d.md", "lines": [3, 3]},
        {"id": "b" * 32, "uri": "notes/c.md", "lines": [7, 7]},
    ] == form["sources"]  # type: ignore[call-overload,index]


def test_the_salt_is_never_sent() -> None:
    """What is sealed beside the words has no JSON form by itself."""
    found = recalled()
    for value in (found.record, found.record.testimony, found.passage, b"bytes", object()):
        with pytest.raises(TypeError):
            wire.form(value)
    assert "salt" not in wire.text(found)


class Level(IntEnum):
    """Numbers with names."""

    ONE = 1


@dataclass(frozen=True)
class Holder:
    """A value that only this test knows."""

    items: tuple[object, ...]
    names: frozenset[str]


def test_every_kind_of_value_has_a_plain_form() -> None:
    """Tuples are lists, sets are sorted, enums are their values, paths are text, booleans stay booleans."""
    value = Holder((True, 1, 1.5, None, "é", Level.ONE, Standing.HELD, Path("a/b")), frozenset({"b", "a"}))
    want = {"items": [True, 1, 1.5, None, "é", 1, "held", "a/b"], "names": ["a", "b"]}
    assert want == wire.form(value)
    assert json.dumps(want, ensure_ascii=False) == wire.text(value)


def test_times_keep_their_offset() -> None:
    """A time is sent with its offset."""
    assert "2026-03-02T12:00:00+02:00" == wire.form(NOON.replace(tzinfo=timezone(timedelta(hours=2))))


def errors() -> list[type[quoth.QuothError]]:
    """Every subclass of `QuothError` in the package."""
    for module in pkgutil.walk_packages(quoth.__path__, "quoth."):
        if module.name != "quoth.__main__":
            importlib.import_module(module.name)

    def below(kind: type[quoth.QuothError]) -> list[type[quoth.QuothError]]:
        return [kind, *(each for child in kind.__subclasses__() for each in below(child))]

    return [each for each in below(quoth.QuothError) if each.__module__.startswith("quoth.")]


WANTED = {
    "QuothError": (1, 500),
    "UsageError": (2, 400),
    "InvalidInput": (2, 400),
    "SettingsError": (2, 400),
    "NotFound": (4, 404),
    "AccessDenied": (3, 403),
    "Conflict": (5, 409),
    "IntegrityError": (70, 500),
    "Unavailable": (75, 503),
    "StoreUnavailable": (75, 503),
    "InferenceUnavailable": (75, 503),
}


def test_every_error_has_a_status() -> None:
    """Each error of the tree has the exit code and the HTTP status of the design."""
    found = {kind.__name__: wire.status(kind("x")) for kind in errors()}
    assert WANTED == {name: (status.exit, status.http) for name, status in found.items()}


def test_a_new_error_has_the_status_of_its_parent() -> None:
    """The table is looked up along the MRO."""

    class Newer(quoth.Conflict):
        """One that nobody listed."""

    assert wire.status(quoth.Conflict("x")) == wire.status(Newer("x"))


def test_of_several_outcomes_the_highest_code_wins() -> None:
    """Duplicates and queued writes are done; held is 7, refused is 8, and 8 wins."""
    one = Outcome(None, Result.STORED)

    def code(*results: Result) -> int:
        return wire.exit_code(Receipt(tuple(replace(one, outcome=each) for each in results)))

    assert [0, 0, 7, 8, 8] == [
        code(),
        code(Result.STORED, Result.DUPLICATE, Result.QUEUED),
        code(Result.HELD, Result.STORED),
        code(Result.REFUSED),
        code(Result.REFUSED, Result.HELD, Result.STORED),
    ]
