"""How a caller narrows a search: when it was said, how far it is believed, what no longer holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from quoth.core import rules
from quoth.core.errors import InvalidInput
from quoth.core.types import SERVED, AsOf, Limits, Trust

AXES = ("said", "recorded")

TRUSTED: dict[Trust, frozenset[Trust]] = {
    Trust.VERIFIED: frozenset({Trust.VERIFIED}),
    Trust.ASSERTED: SERVED.trust,
    Trust.DOUBTFUL: frozenset(Trust),
}
"""What is looked at, by the least trust that is asked for; the strictest first."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Of which moment and within which limits an answer is wanted."""

    as_of: AsOf
    limits: Limits
    moment: datetime
    """The valid time that counts: the one asked for, else now."""

    @property
    def windowed(self) -> bool:
        """Whether it matters when something was said or recorded."""
        return self.limits.since is not None or self.limits.until is not None


def limits(
    since: datetime | None, until: datetime | None, by: str, trust: Trust | None, history: bool
) -> Limits:
    """The limits of a search; `InvalidInput` for what cannot be, never a search without them."""
    if by not in AXES:
        raise InvalidInput(f"by must be one of {', '.join(AXES)}, not {by!r}")
    if trust is not None and trust not in list(Trust):
        raise InvalidInput(f"trust must be one of {', '.join(Trust)}, not {trust!r}")
    if since is not None and until is not None and rules.utc(since) >= rules.utc(until):
        raise InvalidInput(
            f"since must be before until: {since.isoformat()} is not before {until.isoformat()}"
        )
    return Limits(since, until, by == "recorded", TRUSTED[Trust(trust or Trust.ASSERTED)], history)


def window(limits: Limits) -> str:
    """The window in words: on which axis, from when, until before when."""
    axis = "recorded" if limits.recorded else "said (else recorded)"
    since = f" from {limits.since.isoformat()}" if limits.since else ""
    until = f" before {limits.until.isoformat()}" if limits.until else ""
    return axis + since + (" and" if since and until else "") + until


def sentences(asked: Asked) -> tuple[str, ...]:
    """What was asked for beside the question; times have the offset that they came with."""
    as_of, narrowed = asked.as_of, asked.limits
    return (
        *((f"as of: what was true at {as_of.valid.isoformat()} (valid time)",) if as_of.valid else ()),
        *((f"known at: what was known at {as_of.system.isoformat()} (system time)",) if as_of.system else ()),
        *((f"window: {window(narrowed)}",) if asked.windowed else ()),
        f"trust: {', '.join(each.value for each in Trust if each in narrowed.trust)}",
        *(("history: what was superseded or has expired too",) if narrowed.history else ()),
    )
