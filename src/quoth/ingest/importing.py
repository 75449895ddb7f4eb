"""path -> reader -> remember, with a count of what was read past."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from quoth.core.policy import Policy
from quoth.core.ports import Clock, Store
from quoth.core.times import Times
from quoth.core.types import Access, Document, Receipt
from quoth.ingest.given import placed
from quoth.ingest.readers import Problem, read
from quoth.ingest.remember import remember

SHOWN = 100
"""Problems of one import that are listed; all are counted."""

_BROKEN = ("not ", "cut off", "half-written", "cannot be read")
"""What the name of a problem holds where something is wrong, not just not for memory."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import brought."""

    receipt: Receipt
    skipped: Mapping[str, int]
    """What was read past, by class."""
    problems: tuple[Problem, ...]
    """The first of those that are wrong."""


def import_transcripts(
    store: Store,
    access: Access,
    clock: Clock,
    policy: Policy,
    format: str,
    path: Path,
    times: Times,
    progress: Callable[[int, int], None] | None = None,
) -> ImportReport:
    """Remember what a file or folder of a format holds; the same import twice changes nothing.

    `progress` gets (texts read, 0): how many there are is known at the end.
    """
    skipped: Counter[str] = Counter()
    problems: list[Problem] = []

    def documents() -> Iterator[Document]:
        done = 0
        for each in read(format, path):
            if isinstance(each, Document):
                done += 1
                if progress:
                    progress(done, 0)
                yield placed(each, times)
                continue
            skipped[each.what.replace("of type NoneType", "without a type")] += 1
            if len(problems) < SHOWN and any(part in each.what for part in _BROKEN):
                problems.append(each)

    receipt = replace(remember(store, access, clock, policy, documents()), notes=times.notes)
    return ImportReport(receipt, dict(sorted(skipped.items())), tuple(problems))
