"""The trace of a recollection as sentences for a person."""

from __future__ import annotations

from collections.abc import Iterator

from quoth.core.types import Recalled, Recollection, Standing, Trust


def sentences(recollection: Recollection) -> tuple[str, ...]:
    """What each stage did, then why each passage stands where it stands."""
    return (
        *recollection.trace,
        *(f"degraded: {each}" for each in recollection.degraded),
        *(f"conflict: {each}" for each in recollection.conflicts),
        *_passages(recollection.passages),
    )


def _passages(passages: tuple[Recalled, ...]) -> Iterator[str]:
    for place, each in enumerate(passages, 1):
        evidence = {name: value for name, value in each.evidence.items() if abs(value) >= 0.005}
        said = ", ".join(f"{name} {value:.2f}" for name, value in evidence.items())
        # What was not found by the question itself has no evidence.
        why = (
            f"score {each.score:.3f} from {said}" if each.evidence else "it took the place of what was found"
        )
        yield f"{place}. {each.id}: {why}{_kept(each)}"


def _kept(each: Recalled) -> str:
    """How it stands and is believed, and which other records say the same."""
    replaced = f" by {each.superseded_by}" if each.superseded_by else ""
    others = dict.fromkeys(seen.record_id for seen in each.observations if seen.record_id != each.id)
    parts = (
        *([each.standing.value + replaced] if each.standing is not Standing.CURRENT else []),
        *([each.record.filing.trust.value] if each.record.filing.trust is not Trust.ASSERTED else []),
        *([f"also said by {', '.join(others)}"] if others else []),
    )
    return "".join(f"; {part}" for part in parts)
