"""Passages of one answer that cannot both be true: said, never merged."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from quoth.core import statements
from quoth.core.ports import ReadView
from quoth.core.types import Held, Recalled, RecordId, Standing, Status, Waiting
from quoth.recall.narrow import Asked

Pair: TypeAlias = "tuple[RecordId | None, RecordId | None]"
"""The newer one first."""


def contradictions(view: ReadView, passages: Sequence[Recalled], asked: Asked) -> tuple[str, ...]:
    """One sentence a pair: by rule among the passages, and what waits for a person about one of them.

    Passages that hold count; of another moment all do that are found without their history. A pair about
    which a person decided is left as it was decided.
    """
    then = asked.as_of.valid is not None and not asked.limits.history
    held = [each for each in passages if then or each.standing is Standing.CURRENT]
    shown = {each.id for each in held} | {seen.record_id for each in held for seen in each.observations}
    found: dict[Pair, str] = dict(_by_rule(held))
    for review in view.reviews(answered=bool(found), about=shown) if held else ():
        new, old = review.held.record_id, review.held.against
        waits = review.answer is None
        if waits and not _touches(view, review.held, shown):
            continue
        found = {pair: on for pair, on in found.items() if set(pair) != {new, old}}
        if waits:
            found[new, old] = f"{review.held.reason} (review {review.held.id})"
    return tuple(
        f"contradiction: {new} and {old} cannot both be true: {on}" for (new, old), on in found.items()
    )


def _by_rule(passages: Sequence[Recalled]) -> Iterator[tuple[Pair, str]]:
    """Only records that state something of the same kind are compared."""
    alike: dict[str, list[Recalled]] = {}
    for each in passages:
        for key in statements.keys(each.record.testimony.text, each.record.testimony.speaker):
            alike.setdefault(key, []).append(each)
    for group in alike.values():
        if len(group) < 2:
            continue
        newest = sorted(group, key=lambda each: (each.record.testimony.recorded_at, each.id), reverse=True)
        for new, old in combinations([each.record.testimony for each in newest], 2):
            on = statements.against(new.text, old.text, new.speaker, old.speaker)
            if on is not None:
                yield (new.id, old.id), on


def _touches(view: ReadView, held: Held, shown: Collection[RecordId]) -> bool:
    """Whether an item is a contradiction about what is shown, while both of its records are current."""
    pair = [each for each in (held.record_id, held.against) if each is not None]
    if held.kind is not Waiting.CONTRADICTION or len(pair) < 2 or not any(each in shown for each in pair):
        return False
    return all(view.knows(each) and view.get(each).filing.status is Status.CURRENT for each in pair)
