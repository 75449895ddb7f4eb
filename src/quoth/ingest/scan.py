"""What one look at the folders knows, has found so far, and reports in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from quoth.core.policy import Policy
from quoth.core.ports import Clock, Store
from quoth.core.times import Times
from quoth.core.types import Access, Document, Outcome
from quoth.ingest.presence import Disks


@dataclass(frozen=True, slots=True)
class WatchReport:
    """What one look at the folders found and did."""

    files: int
    """Read."""
    unchanged: int
    new: int
    edited: int
    moved: int
    deleted: int
    skipped: Mapping[str, int]
    """By reason: hidden, ignored, symlink, binary, not_text, too_large, empty, unreadable, refused,
    erased."""
    stored: int
    superseded: int
    retracted: int
    held: int
    refused: int
    """Records, of erased words."""
    outcomes: tuple[Outcome, ...]
    """Of records that wait for somebody: held, refused, or in conflict with what is there."""
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """What was taken for granted: the zone of a time without an offset."""


@dataclass(slots=True)
class Scan:
    """What is known and found so far."""

    store: Store
    access: Access
    clock: Clock
    policy: Policy
    times: Times
    known: dict[str, str] = field(default_factory=dict)
    """uri -> digest of what the store holds below the roots."""
    unsure: set[str] = field(default_factory=set)
    """The part of it about which its root says nothing."""
    gone: dict[str, str] = field(default_factory=dict)
    """The part of it that is no longer there -> what its filings will say."""
    files: dict[str, Path] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    """uri -> digest of what is new there."""
    disks: Disks = field(default_factory=Disks)
    left: set[str] = field(default_factory=set)
    skipped: Counter[str] = field(default_factory=Counter)
    count: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    erased: bool = False
    """Whether words were erased from the scope, so that a document may hold less than its file."""
    batch: list[Document] = field(default_factory=list)
    weight: int = 0

    def report(self) -> WatchReport:
        """What it came to."""
        counted = self.count
        return WatchReport(
            files=counted["files"],
            unchanged=counted["unchanged"],
            new=counted["new"],
            edited=counted["edited"],
            moved=counted["moved"],
            deleted=counted["deleted"],
            skipped=dict(sorted(self.skipped.items())),
            stored=counted["stored"],
            superseded=counted["superseded"],
            retracted=counted["retracted"],
            held=counted["held"],
            refused=counted["refused"],
            outcomes=tuple(self.outcomes),
            problems=tuple(self.problems),
            notes=self.times.notes,
        )
