"""What narrows a search is exact, is said, and fails closed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from quoth.core.errors import InvalidInput
from quoth.core.types import SERVED, AsOf, Document, Limits, Trust
from quoth.recall.narrow import Asked, limits, sentences, window

MAY = datetime(2023, 5, 8, 12, tzinfo=UTC)
NAIVE = MAY.replace(tzinfo=None)
JUNE = datetime(2023, 6, 8, 12, tzinfo=timezone(timedelta(hours=2)))
BOTH = "The ferry leaves at noon.", "The ferry leaves at one."


def test_what_is_doubtful_is_not_looked_at_unless_asked_for() -> None:
    """Without a word asserted and verified passages are served; each degree is the least that is."""
    assert SERVED == limits(None, None, "said", None, False)
    asked = {each: limits(None, None, "said", each, False).trust for each in Trust}
    assert SERVED.trust == asked[Trust.ASSERTED]
    assert frozenset({Trust.VERIFIED}) == asked[Trust.VERIFIED]
    assert frozenset(Trust) == asked[Trust.DOUBTFUL]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"by": "heard"}, "by must be one of said, recorded, not 'heard'"),
        ({"trust": "blind"}, "trust must be one of asserted, verified, doubtful, not 'blind'"),
        ({"since": JUNE, "until": MAY}, "since must be before until"),
        ({"since": MAY, "until": MAY}, "since must be before until"),
        ({"since": MAY, "until": MAY.astimezone(JUNE.tzinfo)}, "since must be before until"),
        ({"since": NAIVE, "until": MAY}, "a time needs an offset"),
    ],
)
def test_limits_that_cannot_be_are_refused(wrong: dict[str, Any], says: str) -> None:
    """A limit that makes no sense is an error, never a search without it."""
    given = {"since": None, "until": None, "by": "said", "trust": None, "history": False} | wrong
    with pytest.raises(InvalidInput, match=says):
        limits(**given)


def test_a_time_without_an_offset_narrows_nothing(talk: Any) -> None:
    """A naive time that comes this far is an error too."""
    for wrong in (
        {"limits": Limits(since=NAIVE)},
        {"limits": Limits(until=NAIVE)},
        {"as_of": AsOf(valid=NAIVE)},
        {"as_of": AsOf(system=NAIVE)},
    ):
        with pytest.raises(InvalidInput, match="a time needs an offset"):
            talk.ask("Where is the heron?", **wrong)


def test_the_window_is_said_in_words() -> None:
    """On which axis, from when, until before when."""
    assert (
        "said (else recorded) from 2023-05-08T12:00:00+00:00 and before 2023-06-08T12:00:00+02:00"
        == window(Limits(MAY, JUNE))
    )
    assert "recorded before 2023-06-08T12:00:00+02:00" == window(Limits(None, JUNE, recorded=True))


def test_the_trace_says_what_was_asked_on_which_axis(talk: Any) -> None:
    """Valid time, system time, window, trust and history are told, times with the offset that they had."""
    asked = Asked(AsOf(JUNE, MAY), Limits(MAY, JUNE, False, SERVED.trust, True), JUNE)
    told = (
        "as of: what was true at 2023-06-08T12:00:00+02:00 (valid time)",
        "known at: what was known at 2023-05-08T12:00:00+00:00 (system time)",
        "window: said (else recorded) from 2023-05-08T12:00:00+00:00 and before 2023-06-08T12:00:00+02:00",
        "trust: asserted, verified",
        "history: what was superseded or has expired too",
    )
    assert told == sentences(asked)
    got = talk.ask("Where is the heron?", as_of=asked.as_of, limits=asked.limits, notes=("it was noon",))
    assert ("zone: it was noon", *told) == got.trace[:6]
    assert (JUNE, JUNE.utcoffset(), MAY) == (got.as_of, got.as_of.utcoffset(), got.known_at)
    assert ("trust: asserted, verified",) == talk.ask("Where is the heron?").trace[:1]


@pytest.mark.parametrize(
    ("since", "until", "want"),
    [
        (None, None, {0, 1}),
        (MAY, None, {0, 1}),
        (MAY + timedelta(microseconds=1), None, {1}),
        (None, MAY, set()),
        (None, MAY + timedelta(microseconds=1), {0}),
        (MAY, JUNE, {0}),
        (JUNE, None, {1}),
        (JUNE, JUNE + timedelta(days=1), {1}),
        (JUNE + timedelta(seconds=1), None, set()),
    ],
)
def test_a_window_is_half_open(
    talk: Any, since: datetime | None, until: datetime | None, want: set[int]
) -> None:
    """What was said at its start is in it, what was said at its end is not."""
    talk.keep(Document(BOTH[0], said_at=MAY), Document(BOTH[1], said_at=JUNE))
    got = talk.texts("When does the ferry leave?", limits=limits(since, until, "said", None, False))
    assert {BOTH[each] for each in want} == set(got)


def test_a_window_looks_at_when_it_was_said_or_when_it_was_recorded(talk: Any, clock: Any) -> None:
    """Said means said, else recorded; recorded means that alone."""
    now = clock.now()
    talk.keep(Document(BOTH[0], said_at=MAY), Document(BOTH[1]))
    for by, since, want in (
        ("said", None, {*BOTH}),
        ("said", now, {BOTH[1]}),
        ("recorded", now, {*BOTH}),
        ("recorded", now + timedelta(seconds=1), set()),
    ):
        assert want == set(
            talk.texts("When does the ferry leave?", limits=limits(since, None, by, None, False))
        )
