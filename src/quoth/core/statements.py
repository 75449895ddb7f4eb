"""When two short records speak against each other, and when they say the same.

What they state is read in `core.clauses`; here is what they share and on what they differ.
Nothing here raises, whatever the code points.
"""

from __future__ import annotations

import re
from functools import lru_cache

from quoth.core import english as en
from quoth.core import values
from quoth.core.clauses import MARKS, Statement, day_of, statements
from quoth.core.text import analyse


@lru_cache(maxsize=1)  # of one record it is asked when it is compared, and when it is put
def keys(text: str, speaker: str | None = None) -> tuple[str, ...]:
    """What a record states something about; records that share a key can speak against each other."""
    return tuple(dict.fromkeys(each.key for each in statements(text, speaker)))


def against(new: str, old: str, new_speaker: str | None = None, old_speaker: str | None = None) -> str | None:
    """On what two records speak against each other: number, date, negation or value; else None."""
    before = statements(old, old_speaker)
    for one in statements(new, new_speaker):
        for other in before:
            if one.key == other.key and (on := _differ(one, other)):
                return on
    return None


# --- two statements -----------------------------------------------------------------------------------


def _differ(one: Statement, other: Statement) -> str | None:
    if not one.value or not other.value or one.negated != other.negated:
        same = values.same(one.value, other.value)
        return "negation" if one.negated != other.negated and same else None
    return None if one.negated else _values_differ(one.value, other.value)


def _values_differ(one: str, other: str) -> str | None:
    """On what two values of one slot differ; None where one may only say more than the other."""
    first, second = values.readings(one), values.readings(other)
    if values.agree(first, second):
        return None
    day, other_day = day_of(one), day_of(other)
    if day and other_day:
        return "date" if any(a != b for a, b in zip(day, other_day, strict=True) if a and b) else None
    kind = next(kind for kind in values.KINDS if kind in first and kind in second)
    a, b = first[kind], second[kind]
    if kind == "number":
        return "number" if a.partition(" ")[2] == b.partition(" ")[2] else None
    if kind == "version":
        return None if f"{a}.".startswith(f"{b}.") or f"{b}.".startswith(f"{a}.") else "value"
    if kind == "text":
        return None if len(first) + len(second) > 2 or _says_more(a, b) else "value"
    return "date" if kind == "date" else "value"


_PIECES = re.compile(r"[\s.,]+")


def _says_more(one: str, other: str) -> bool:
    """Whether one text holds the other (Berlin Mitte), is its initials, or is a country around it."""
    first, second = set(_PIECES.split(one)), set(_PIECES.split(other))
    if first <= second or second <= first or (one in en.COUNTRIES) != (other in en.COUNTRIES):
        return True
    return one.replace(".", "") == _initials(other) or other.replace(".", "") == _initials(one)


def _initials(text: str) -> str:
    return "".join(each[0] for each in text.split())


# --- near-duplicates ----------------------------------------------------------------------------------

_SIGNED = re.compile(r"(?<![0-9A-Za-z])[-+\u2212][0-9][0-9.,]*")


def near(text: str) -> tuple[str, ...] | None:
    """What near-duplicates share; None below four words of content.

    Analysed words in their order, numbers with their signs, and whatever else changes what is said: "not",
    "from" and "to", who speaks of whom, and when. Articles and the like do not count.
    """
    shared: list[str] = []
    content = 0
    for word in text.replace("\u2019", "'").split():
        bare = word.strip(MARKS + ":?").casefold()
        if bare in en.CONTRACTIONS or bare in en.TELLING:
            shared += (each for each in en.CONTRACTIONS.get(bare, (bare,)) if each in en.TELLING)
        elif terms := analyse(word):
            content += 1
            shared += _SIGNED.findall(word) + terms
    return tuple(shared) if content >= 4 else None
