"""Days that a text speaks of: explicit dates, and relative ones counted from the day it was said.

English only, as shipped: month and weekday names, "yesterday", "last week", "3 days ago", 2023-05-08,
5/8/2023 (month first).
An interval is a pair of proleptic ordinals (`date.toordinal`), both ends included.
What is no date (31 February, month 13, year 0) is ignored; nothing here raises.
The ranking weights were fitted on these rules, so a change here asks for new weights.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from datetime import date
from typing import NamedTuple, TypeAlias

Interval: TypeAlias = tuple[int, int]
"""First and last day, as ordinals."""


def _numbered(words: str, first: int) -> dict[str, int]:
    return {word: number for number, word in enumerate(words.split(), first)}


_FULL_MONTHS = _numbered(
    "january february march april may june july august september october november december", 1
)
_MONTHS = _FULL_MONTHS | {name[:3]: i for name, i in _FULL_MONTHS.items()} | {"sept": 9}
_WEEKDAYS = _numbered("monday tuesday wednesday thursday friday saturday sunday", 0)
_NUMBERS = _numbered("one two three four five six seven eight nine ten", 1)
_NUMBERS |= {"a": 1, "an": 1, "couple": 2, "few": 3, "several": 4}
_DAYS_IN = {"day": 1.0, "week": 7.0, "weekend": 7.0, "month": 30.4, "year": 365.25}
_SLACK = {"day": 0, "week": 3, "weekend": 3, "month": 15, "year": 183}
"""How many days each side "3 weeks ago" may be off."""
_LAST_DAY = date.max.toordinal()
_FARTHEST = 30_000
"""Days; "200 years ago" is history, not an event of the conversation."""
_EVENT_YEARS = range(1950, 2101)

_MONTH = "(" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + ")"
_WEEKDAY = "|".join(_WEEKDAYS)

# All patterns run on lower-cased text; [0-9], since int() takes other digits too.
_DAY_MONTH = re.compile(
    rf"\b([0-9]{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}\b\.?,?(?: ([0-9]{{4}})(?![0-9]))?"
)
_MONTH_DAY = re.compile(
    rf"\b{_MONTH}\.? ([0-9]{{1,2}})(?:st|nd|rd|th)?\b(?![0-9])(?:,? ?([0-9]{{4}})(?![0-9]))?"
)
_ISO = re.compile(r"\b((?:19|20)[0-9]{2})[/-]([0-9]{1,2})[/-]([0-9]{1,2})(?![0-9])")
_MONTH_ONLY = re.compile(
    r"\b(?:in|of|during|early|late|mid|last|since|until|by|beginning of|end of"
    # "this may help" is a verb: "this May" counts before a year and at the end of a clause.
    r"|this(?![ -]+may\b(?!\W*$|[.,;:!?)]| [0-9]{4})))[ -]+"
    rf"{_MONTH}\b,?(?: ([0-9]{{4}})(?![0-9]))?|\b{_MONTH},? ([0-9]{{4}})(?![0-9])"
)
_SLASHED = re.compile(r"\b([0-9]{1,2})/([0-9]{1,2})(?:/([0-9]{4}|[0-9]{2}))?\b")
_YEAR = re.compile(r"\b(19[5-9][0-9]|20[0-9]{2})\b")

_RELATIVE = re.compile(
    r"\b(?:(?P<yesterday>yesterday|last night)"
    r"|(?P<today>today|tonight|this (?:morning|afternoon|evening)|just now)"
    r"|(?P<tomorrow>tomorrow)"
    r"|(?P<lately>the other day|recently|a few days ago|the past few days)"
    r"|last (?P<last>week|weekend|month|year|summer|winter|fall|spring)"
    r"|this (?P<this>week|weekend|month|year)"
    r"|next (?P<next>week|weekend|month|year)"
    rf"|(?:last|this past|on) (?P<past_day>{_WEEKDAY})"
    rf"|next (?P<next_day>{_WEEKDAY})"
    rf"|(?P<count>[0-9]{{1,6}}|an?|{'|'.join(n for n in _NUMBERS if n not in ('a', 'an'))})"
    r"(?: of)? (?P<unit>day|week|weekend|month|year)s? (?:ago|back|earlier))\b"
)
_DURATION = re.compile(
    r"\b(?:for|since|past|last|over)\b.{0,18}"
    r"\b(?:[0-9]+|an?|one|two|three|four|five|six|seven|eight|nine|ten|few|many)?"
    r"\s{0,20}(?:day|week|month|year|hour)s?\b|\bsince (?:19|20)[0-9]{2}\b"
)

# Substrings without which the patterns above cannot match: a text without them costs a microsecond.
_RELATIVE_HINTS = (
    *("day", "week", "month", "year", "night", "tomorrow", "recently", "last ", "just now"),
    *("this morning", "this afternoon", "this evening"),
)
_DURATION_HINTS = ("day", "week", "month", "year", "hour", "since")
_MONTH_HINTS = tuple(dict.fromkeys(name[:3] for name in _FULL_MONTHS))
_DIGIT = re.compile(r"[0-9]")

_PART = re.compile(
    r"\b(?:(beginning|start|end|middle|(?:first|second) half|(?:first|second|third|last) week)"
    r" (?:of|(?<=[fk] )in)\b"
    rf"|(early|late|mid)[ -](?:in |of )?(?:{_MONTH}|[0-9]{{4}})\b)"
)
_PARTS = {
    "beginning": (0.0, 0.4),
    "start": (0.0, 0.4),
    "early": (0.0, 0.4),
    "first half": (0.0, 0.5),
    "end": (0.6, 1.0),
    "late": (0.6, 1.0),
    "second half": (0.5, 1.0),
    "middle": (0.3, 0.7),
    "mid": (0.3, 0.7),
    "first week": (0.0, 0.24),
    "second week": (0.24, 0.47),
    "third week": (0.47, 0.7),
    "last week": (0.75, 1.0),
}


class Mention(NamedTuple):
    """A date as it was written: `year` None where it was not; month 0: the year; day 0: the month."""

    year: int | None
    month: int
    day: int


def explicit(text: str, default_year: int | None = None) -> list[Mention]:
    """Dates written out in the text, each possible in the calendar; a missing year is `default_year`."""
    return _explicit(text.lower(), default_year)


def events(text: str, said: date) -> list[Interval]:
    """Days that a text speaks of, said on that day: relative expressions first, then explicit dates.

    A date without a year lies in the year of `said`, or in the year before where that would be more
    than two months ahead. Repeats are dropped.
    """
    lower = text.lower()
    found: list[Interval | None] = []
    if _hinted(lower, _RELATIVE_HINTS):
        found += [_resolve(match, said) for match in _RELATIVE.finditer(lower)]
    for year, month, day in _explicit(lower, None):
        if year is None:
            year = said.year if month <= said.month + 2 else said.year - 1
        if year in _EVENT_YEARS:
            found.append(_interval(year, month, day))
    inside = (each for each in found if each is not None and each[0] >= 1 and each[1] <= _LAST_DAY)
    return list(dict.fromkeys(inside))


def question_intervals(text: str, years: Sequence[int]) -> list[Interval]:
    """Days that a question names; a date without a year stands for that date in each of `years`.

    "beginning of", "late", "second week of" and their like keep that part of each month or year named.
    """
    lower = text.lower()
    found: list[Interval] = []
    for year, month, day in _explicit(lower, None):
        for each in years if year is None else (year,):
            interval = _interval(each, month, day)
            if interval is not None:
                found.append(interval)
    part = _PART.search(lower) if found else None
    if part is None:
        return found
    low, high = _PARTS[part[1] or part[2]]
    return [
        (first + int((last - first) * low), first + int((last - first) * high))
        if last - first >= 27
        else (first, last)
        for first, last in found
    ]


def has_date(text: str) -> bool:
    """True where the text holds a date that can be resolved, or one written out."""
    lower = text.lower()
    relative = _hinted(lower, _RELATIVE_HINTS) and _RELATIVE.search(lower) is not None
    return relative or bool(_explicit(lower, None))


def has_duration(text: str) -> bool:
    """True where the text says how long: "for three years", "since 2019"."""
    lower = text.lower()
    return _hinted(lower, _DURATION_HINTS) and _DURATION.search(lower) is not None


def gap(a: Interval, b: Interval) -> int:
    """Days from one interval to the other; 0 where they meet."""
    return max(0, b[0] - a[1], a[0] - b[1])


def _hinted(lower: str, hints: tuple[str, ...]) -> bool:
    for hint in hints:  # noqa: SIM110  any() costs twice as much, and this is the hot path
        if hint in lower:
            return True
    return False


def _explicit(lower: str, default_year: int | None) -> list[Mention]:
    digits = _DIGIT.search(lower) is not None
    months = _hinted(lower, _MONTH_HINTS)
    found: list[Mention] = []
    if months and digits:
        lower = _take(_DAY_MONTH, lambda m: (m[3], _MONTHS[m[2]], m[1]), lower, found)
        lower = _take(_MONTH_DAY, lambda m: (m[3], _MONTHS[m[1]], m[2]), lower, found)
    if digits:
        lower = _take(_ISO, lambda m: (m[1], int(m[2]), m[3]), lower, found)
    if months:
        lower = _take(_MONTH_ONLY, lambda m: (m[2] or m[4], _MONTHS[m[1] or m[3]], None), lower, found)
    if digits:
        lower = _take(_SLASHED, lambda m: (_four_digits(m[3]), int(m[1]), m[2]), lower, found)
        _take(_YEAR, lambda m: (m[1], 0, None), lower, found)
    if default_year is None:
        return found
    return [each._replace(year=default_year) if each.year is None else each for each in found]


def _take(
    pattern: re.Pattern[str],
    read: Callable[[re.Match[str]], tuple[str | None, int, str | None]],
    lower: str,
    found: list[Mention],
) -> str:
    """Add what the pattern finds and blank it, so that no later pattern reads the same characters."""

    def take(match: re.Match[str]) -> str:
        year, month, day = read(match)
        mention = Mention(int(year) if year else None, month, int(day) if day else 0)
        written = day is None or mention.day > 0
        # A leap year stands for the unknown one: 29 February is possible.
        if written and _interval(2000 if year is None else int(year), mention.month, mention.day):
            found.append(mention)
        return "\0" * len(match[0])

    return pattern.sub(take, lower)


def _four_digits(year: str | None) -> str | None:
    """ "23" is 2023, "87" is 1987, as in POSIX."""
    if year is None or len(year) == 4:
        return year
    return ("20" if int(year) < 69 else "19") + year


def _interval(year: int, month: int, day: int) -> Interval | None:
    """The days of a date, a month (day 0) or a year (month 0); None where there is no such thing."""
    try:
        if month == 0:
            return date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()
        first = date(year, month, day or 1).toordinal()
        return first, first if day else first + monthrange(year, month)[1] - 1
    except (ValueError, OverflowError):
        return None


def _month_from(said: date, step: int) -> Interval | None:
    year, month = divmod(said.year * 12 + said.month - 1 + step, 12)
    return _interval(year, month + 1, 0)


def _resolve(match: re.Match[str], said: date) -> Interval | None:
    """The days that a relative expression means, counted from the day it was said."""
    day, kind = said.toordinal(), match.lastgroup or ""
    word = match[kind]
    if kind in ("yesterday", "today", "tomorrow"):
        day += {"yesterday": -1, "today": 0, "tomorrow": 1}[kind]
        return day, day
    if kind == "lately":
        return day - 7, day - 1
    if kind == "past_day":
        day -= (said.weekday() - _WEEKDAYS[word]) % 7 or 7
        return day, day
    if kind == "next_day":
        day += (_WEEKDAYS[word] - said.weekday()) % 7 or 7
        return day, day
    if kind == "unit":
        return _ago(match["count"], word, day)
    step = {"last": -1, "this": 0, "next": 1}[kind]
    monday = day - said.weekday() + 7 * step
    if word == "week":
        return monday, monday + 6
    if word == "weekend":
        # "last weekend" is the one just over, of the week before the said day's Monday.
        return monday + 5, monday + 6
    if word == "month":
        return _month_from(said, step)
    if word == "year":
        return _interval(said.year + step, 0, 0)
    return day - 300, day - 60  # last summer, winter, fall, spring


def _ago(count: str, unit: str, day: int) -> Interval | None:
    number = int(count) if count[0].isdigit() else _NUMBERS[count]
    if number * _DAYS_IN[unit] >= _FARTHEST:
        return None
    middle = day - int(number * _DAYS_IN[unit])
    return middle - _SLACK[unit], middle + _SLACK[unit]
