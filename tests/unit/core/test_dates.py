"""Days that a text speaks of."""

from __future__ import annotations

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quoth.core import dates
from quoth.core.dates import Mention

SAID = date(2023, 5, 8)
"""A Monday."""
WORDS = """
1 2 3 29 30 31 99 1999 2023 2024 0000 9999 13 may march feb september in on of last this next early late week
weekend month year day days ago friday yesterday recently beginning / - , . few a for since
"""
PIECES = st.sampled_from(WORDS.split())
DATE_LIKE = st.lists(PIECES, max_size=12).map(" ".join) | st.lists(PIECES, max_size=12).map("".join)
ANY = st.text(st.characters(), max_size=200) | DATE_LIKE


def days(first: str, last: str = "") -> tuple[int, int]:
    """An interval from ISO dates."""
    return date.fromisoformat(first).toordinal(), date.fromisoformat(last or first).toordinal()


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("on 8 May, 2023 we", [Mention(2023, 5, 8)]),
        ("the 2nd of March", [Mention(None, 3, 2)]),
        ("Sept. 3rd 2021", [Mention(2021, 9, 3)]),
        ("May 8 and June 9, 2022", [Mention(None, 5, 8), Mention(2022, 6, 9)]),
        ("2023-05-08 2023/05/09", [Mention(2023, 5, 8), Mention(2023, 5, 9)]),
        ("2023-05-08T10:00", [Mention(2023, 5, 8)]),
        ("1999-12-31", [Mention(1999, 12, 31)]),
        ("in July", [Mention(None, 7, 0)]),
        ("December 2022", [Mention(2022, 12, 0)]),
        ("this May.", [Mention(None, 5, 0)]),
        ("this May 2024", [Mention(2024, 5, 0)]),
        ("this may be it", []),
        ("back in 1987", [Mention(1987, 0, 0)]),
        ("5/8/2023, 5/8/99, 5/8", [Mention(2023, 5, 8), Mention(1999, 5, 8), Mention(None, 5, 8)]),
        ("29 February", [Mention(None, 2, 29)]),
        ("29 February 2023, 31 April, 0 May, 45 May", []),
        ("2023-13-45 2023-02-31 24/7 13/13 0/0", []),
        ("8 May 0000", []),
        ("8 May 20231", [Mention(None, 5, 8)]),
        ("1234567 19 20 1800 2999", []),
        ("you may go, march on", []),
    ],
)
def test_written_dates_are_read(text: str, want: list[Mention]) -> None:
    """Days, months and years in their usual spellings are read once each; what is no date is ignored."""
    assert dates.explicit(text) == want
    assert dates.has_date(text) == bool(want)


def test_a_missing_year_can_be_given() -> None:
    """The default year stands only where none was written."""
    assert dates.explicit("8 May, 9 May 2020", 2023) == [Mention(2023, 5, 8), Mention(2020, 5, 9)]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Yesterday", days("2023-05-07")),
        ("last night", days("2023-05-07")),
        ("this morning", days("2023-05-08")),
        ("tomorrow", days("2023-05-09")),
        ("recently", days("2023-05-01", "2023-05-07")),
        ("last week", days("2023-05-01", "2023-05-07")),
        ("last weekend", days("2023-05-06", "2023-05-07")),
        ("last month", days("2023-04-01", "2023-04-30")),
        ("last year", days("2022-01-01", "2022-12-31")),
        ("last summer", days("2022-07-12", "2023-03-09")),
        ("this week", days("2023-05-08", "2023-05-14")),
        ("this weekend", days("2023-05-13", "2023-05-14")),
        ("this month", days("2023-05-01", "2023-05-31")),
        ("this year", days("2023-01-01", "2023-12-31")),
        ("next week", days("2023-05-15", "2023-05-21")),
        ("next weekend", days("2023-05-20", "2023-05-21")),
        ("next month", days("2023-06-01", "2023-06-30")),
        ("next year", days("2024-01-01", "2024-12-31")),
        ("last Friday", days("2023-05-05")),
        ("on Monday", days("2023-05-01")),
        ("next Monday", days("2023-05-15")),
        ("3 days ago", days("2023-05-05")),
        ("two weeks ago", days("2023-04-21", "2023-04-27")),
        ("a couple of months back", days("2023-02-22", "2023-03-24")),
        ("an hour and a year ago", days("2021-11-06", "2022-11-07")),
        ("in March", days("2023-03-01", "2023-03-31")),
        ("on 4 July", days("2023-07-04")),
        ("on 25 December", days("2022-12-25")),
        ("in 2020", days("2020-01-01", "2020-12-31")),
    ],
)
def test_events_are_counted_from_the_day_they_were_told(text: str, want: tuple[int, int]) -> None:
    """Each expression means its days, seen from Monday 8 May 2023; a bare date is near that day."""
    assert dates.events(f"So, {text}, you know", SAID) == [want]
    assert dates.has_date(text)


def test_events_stand_in_order_without_repeats() -> None:
    """Relative expressions come first, then dates; the same days are named once."""
    want = [days("2023-05-07"), days("2023-05-01", "2023-05-07"), days("2022-03-02")]
    assert dates.events("2 March 2022, yesterday, last week, yesterday", SAID) == want


@pytest.mark.parametrize(
    "text", ["no time at all", "999999 years ago", "1234567890 days ago", "in 9999", "1800"]
)
def test_what_cannot_be_resolved_is_no_event(text: str) -> None:
    """Texts without dates and expressions out of any range give nothing."""
    assert dates.events(text, SAID) == []


@pytest.mark.parametrize("said", [date.min, date.max, date(1, 12, 31), date(9999, 1, 1)])
def test_the_ends_of_the_calendar_hold(said: date) -> None:
    """At either end of the calendar, days beyond it are left out."""
    text = "yesterday tomorrow last week next week last month next month last year next year 3 years ago"
    assert all(1 <= a <= b <= date.max.toordinal() for a, b in dates.events(text, said))


@pytest.mark.parametrize(
    ("question", "want"),
    [
        ("What happened on 8 May?", [days("2022-05-08"), days("2023-05-08")]),
        ("What happened in May 2023?", [days("2023-05-01", "2023-05-31")]),
        ("at the beginning of May 2023", [days("2023-05-01", "2023-05-13")]),
        ("late May 2023", [days("2023-05-19", "2023-05-31")]),
        ("in mid-May 2023", [days("2023-05-10", "2023-05-22")]),
        ("the second week of May 2023", [days("2023-05-08", "2023-05-15")]),
        ("the last week in May 2023", [days("2023-05-23", "2023-05-31")]),
        ("early 2023", [days("2023-01-01", "2023-05-26")]),
        ("What did she start in May 2023?", [days("2023-05-01", "2023-05-31")]),
        ("by the end of 8 May 2023", [days("2023-05-08")]),
        ("on 29 February", []),
        ("When was it?", []),
    ],
)
def test_questions_name_days(question: str, want: list[tuple[int, int]]) -> None:
    """A date without a year stands for each year of the store; parts of a month or year are cut out."""
    assert dates.question_intervals(question, [2022, 2023]) == want


def test_years_out_of_the_calendar_are_left_out() -> None:
    """A store's years that no calendar has give no interval."""
    assert dates.question_intervals("8 May", [0, -5, 10_000, 10**12, 2023]) == [days("2023-05-08")]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("for three years", True),
        ("Since 2019", True),
        ("over the past few months", True),
        ("I have a day", False),
        ("for ever", False),
        ("since then", False),
    ],
)
def test_durations_are_seen(text: str, want: bool) -> None:
    """A length of time needs its unit or the year it began."""
    assert dates.has_duration(text) is want


def test_gaps_are_days_between() -> None:
    """Intervals that meet have no gap; else it counts the days from one's end to the other's start."""
    assert dates.gap((1, 5), (5, 9)) == 0
    assert dates.gap((1, 5), (8, 9)) == dates.gap((8, 9), (1, 5)) == 3


@given(ANY, st.dates(), st.lists(st.integers(), max_size=3))
def test_any_text_is_read(text: str, said: date, years: list[int]) -> None:
    """No text, day or year raises; intervals are in order and in the calendar; reading is deterministic."""
    found = dates.events(text, said)
    asked = dates.question_intervals(text, years)
    assert all(1 <= a <= b <= date.max.toordinal() for a, b in found + asked)
    assert dates.events(text, said) == found
    assert dates.has_date(text) or not found
    assert dates.has_duration(text) in (True, False)
    assert all(0 <= month <= 12 and 0 <= day <= 31 for _, month, day in dates.explicit(text))


@pytest.mark.parametrize(
    "unit", ["5 may ", "1/2 ", "2023-02-31 ", "for ", "this may. ", "early ", "9", "in-", " "]
)
def test_long_text_takes_linear_time(unit: str) -> None:
    """Many dates, or none, cost linear time."""
    text = unit * (300_000 // len(unit))
    start = time.process_time()
    dates.events(text, SAID), dates.question_intervals(text, [2023]), dates.has_duration(text)
    assert time.process_time() - start < 10
