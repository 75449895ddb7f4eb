"""Times as a caller writes them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from quoth.core.errors import InvalidInput
from quoth.core.times import Times, When, Zone
from quoth.core.types import Period

BERLIN = Zone("Europe/Berlin", lambda naive: naive.replace(tzinfo=ZoneInfo("Europe/Berlin")))


def take(given: When) -> tuple[str, tuple[str, ...]]:
    """A time as it is taken in Berlin, and what is noted."""
    times = Times(BERLIN)
    found = times.take("at", given)
    assert found is not None
    return found.isoformat(), times.notes


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ("2026-03-01", "2026-03-01T00:00:00+01:00"),
        ("2026-07-01", "2026-07-01T00:00:00+02:00"),
        ("2026-03-01T09:30", "2026-03-01T09:30:00+01:00"),
        ("2026-03-01T09:30:15.5", "2026-03-01T09:30:15.500000+01:00"),
        ("2026-03-29T02:30", "2026-03-29T02:30:00+01:00"),  # no clock there showed this
        ("2026-10-25T02:30", "2026-10-25T02:30:00+02:00"),  # clocks showed it twice: the first time
        (datetime(2026, 3, 1, 9), "2026-03-01T09:00:00+01:00"),  # noqa: DTZ001
    ],
)
def test_a_time_without_an_offset_is_in_the_zone(given: When, want: str) -> None:
    """A naive time, or a day, which is its first instant, gets the zone's offset, and a note says so."""
    found, notes = take(given)
    assert want == found
    assert 1 == len(notes)
    assert "Europe/Berlin" in notes[0]
    assert want in notes[0]


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ("2026-03-01T09:30Z", "2026-03-01T09:30:00+00:00"),
        ("2026-03-01T09:30-05:30", "2026-03-01T09:30:00-05:30"),
        ("1880-03-01T09:30+00:53:28", "1880-03-01T09:30:00+00:53:28"),
        (datetime(2026, 3, 1, 9, tzinfo=UTC), "2026-03-01T09:00:00+00:00"),
        (datetime(2026, 7, 1, 9, tzinfo=ZoneInfo("Asia/Tokyo")), "2026-07-01T09:00:00+09:00"),
    ],
)
def test_an_offset_is_kept(given: When, want: str) -> None:
    """A time with an offset keeps it, and nothing is noted."""
    assert (want, ()) == take(given)


@pytest.mark.parametrize(
    "given",
    [
        *("", "yesterday", "2026", "2026-03", "20260301", "2026-W10-1", "2026-060", "2026-3-1", "01.03.2026"),
        *("2026-02-30", "2026-13-01", "2026-03-01 09:30", "2026-03-01T9:30", "2026-03-01T24:30", "T09:30"),
        *("2026-03-01T09:30:60", "2026-03-01T09:30+0100", "2026-03-01T09:30+1", "2026-03-01T09:30 +01:00"),
        *("2026-03-01T09:30:15,5", " 2026-03-01", "2026-03-01\n", "２０２６-03-01", "0000-01-01"),
    ],
)
def test_what_is_not_iso_8601_is_refused(given: str) -> None:
    """Only the extended form of ISO 8601 is read; the message names the argument and quotes the rest."""
    with pytest.raises(InvalidInput, match=r"at: .* is no time such as 2026-03-01"):
        take(given)


@pytest.mark.parametrize("given", [5, date(2026, 3, 1), True, b"2026-03-01"])
def test_other_types_are_refused(given: object) -> None:
    """A time is a datetime or text."""
    with pytest.raises(InvalidInput, match="at is a time"):
        take(given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given",
    ["0001-01-01", datetime(1, 1, 1), "9999-12-31T23:59-23:59", "0001-01-01T00:00+23:59"],  # noqa: DTZ001
)
def test_a_time_outside_of_the_calendar_is_refused(given: When) -> None:
    """A time that has no place in UTC is `InvalidInput`."""
    with pytest.raises(InvalidInput, match="no time in UTC"):
        take(given)


def test_nothing_given_is_nothing() -> None:
    """No time is no time, and no note."""
    times = Times(BERLIN)
    assert (None, Period(), ()) == (times.take("at", None), times.period(None, None), times.notes)


def test_many_times_are_one_note() -> None:
    """Of many times without an offset one is shown and the rest counted, each once."""
    times = Times(BERLIN)
    for day in ("2026-03-01", "2026-03-02", "2026-03-01"):
        times.take("at", day)
    (note,) = times.notes
    assert "2026-03-01 is 2026-03-01T00:00:00+01:00, and 1 more" in note


def test_this_machine_s_zone_has_no_name() -> None:
    """`local` is said in words."""
    times = Times(Zone("local", lambda naive: naive.replace(tzinfo=timezone(timedelta(hours=3)))))
    times.take("at", "2026-03-01")
    assert "this machine's zone" in times.notes[0]


def test_a_period_that_ends_before_it_starts_is_refused() -> None:
    """An end before the start is `InvalidInput`; one at the start is an empty time."""
    times = Times(BERLIN)
    with pytest.raises(InvalidInput, match="ends before it starts"):
        times.period("2026-03-02", "2026-03-01")
    empty = times.period("2026-03-02", "2026-03-02")
    assert empty.start == empty.end
