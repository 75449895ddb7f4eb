"""Times as a caller writes them: strict ISO 8601; one without an offset is in the zone that is set."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from quoth.core import rules
from quoth.core.errors import InvalidInput
from quoth.core.types import Period

When: TypeAlias = datetime | str
"""A moment, or its ISO 8601 form: ``2026-03-01`` is the first instant of that day."""

EXAMPLES = "2026-03-01 or 2026-03-01T09:30+01:00"
_FORM = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?)?"
)
"""The extended form of ISO 8601, as `datetime.isoformat` writes it."""


@dataclass(frozen=True, slots=True)
class Zone:
    """Where a time without an offset is taken to be."""

    name: str
    """As it is set: an IANA name, or `local`."""
    place: Callable[[datetime], datetime]
    """The moment at which clocks show a naive time there."""


@dataclass(slots=True)
class Times:
    """The times of one call: every one gets an offset, and those that had none are noted."""

    zone: Zone
    _placed: dict[str, str] = field(default_factory=dict)

    def take(self, name: str, given: When | None) -> datetime | None:
        """A time with its offset; `InvalidInput`, which names the argument, for what is no time."""
        if given is None:
            return None
        if not isinstance(given, datetime | str):
            raise InvalidInput(f"{name} is a time, not {type(given).__name__}")
        found = _read(name, given) if isinstance(given, str) else given
        if found.utcoffset() is not None:
            return rules.zoned(found)
        try:
            placed = rules.zoned(self.zone.place(found))
        except (OverflowError, ValueError, OSError):
            raise InvalidInput(f"{name}: no time in UTC for {found.isoformat()!r}") from None
        written = given if isinstance(given, str) else given.isoformat()
        self._placed[written] = placed.isoformat()
        return placed

    def period(self, start: When | None, end: When | None) -> Period:
        """A valid time; `InvalidInput` where it ends before it starts."""
        return rules.period(Period(self.take("the start", start), self.take("the end", end)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was taken for granted, in a sentence."""
        if not self._placed:
            return ()
        here = "this machine's zone" if self.zone.name == "local" else f"the zone {self.zone.name}"
        written, placed = next(iter(self._placed.items()))
        more = f", and {len(self._placed) - 1} more" if len(self._placed) > 1 else ""
        return (f"without an offset a time is in {here}: {written} is {placed}{more}",)


def _read(name: str, text: str) -> datetime:
    try:
        if _FORM.fullmatch(text):
            return datetime.fromisoformat(text)
    except ValueError:
        pass
    raise InvalidInput(f"{name}: {text!r} is no time such as {EXAMPLES}")
