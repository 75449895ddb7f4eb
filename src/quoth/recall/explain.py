"""The trace of a recollection as sentences for a person."""

from __future__ import annotations

from collections.abc import Iterator

from quoth.core.types import Recalled, Recollection


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
        yield f"{place}. {each.id}: score {each.score:.3f} from {said}"
