"""A new record meets what is there: what cannot be true beside it waits for a person, with a question."""

from __future__ import annotations

from collections.abc import Collection

from quoth.core import rules, statements
from quoth.core.ports import ReadView, WriteView
from quoth.core.types import (
    Conflicting,
    Filing,
    Held,
    Period,
    Record,
    RecordId,
    Status,
    Testimony,
    Waiting,
)

CORRECTED = "corrected"
"""On what a record conflicts that says again what was corrected elsewhere."""


def ask(view: WriteView, words: Testimony, uri: str, old: Record, on: str) -> Conflicting | None:
    """Put a new record into the queue that cannot be true beside a current one; both stay current.

    Nothing is asked again that a person has answered.
    """
    item = view.hold(
        Held(
            id="",
            scope=words.scope,
            kind=Waiting.CONTRADICTION,
            key="",
            reason=on,
            actor=words.actor,
            at=words.recorded_at,
            record_id=words.id,
            against=old.testimony.id,
            uri=uri,
        )
    )
    if item.answer is not None:
        return None
    return Conflicting(old.testimony.id, on, item.held.id, _question(words.id, old, on))


def _question(new: RecordId, old: Record, on: str) -> str:
    if on == CORRECTED:
        return f"record {old.testimony.id} corrected the words of {new}: which of them is true?"
    return f"records {new} and {old.testimony.id} differ in a {on}: which of them is true?"


def against(
    view: ReadView, words: Testimony, filing: Filing, but: Collection[RecordId]
) -> tuple[Record, str] | None:
    """The newest current record that speaks against these words for a time at which both would be true."""
    keys = statements.keys(words.text, words.speaker)
    if not keys:
        return None
    for old in reversed(view.alike(words.scope, keys)):
        said = old.testimony
        if said.id in but or not _together(old.filing.valid, filing.valid):
            continue
        on = statements.against(words.text, said.text, words.speaker, said.speaker)
        if on is not None:
            return old, on
    return None


def _together(one: Period, other: Period) -> bool:
    """Whether there is a moment in both."""
    return (one.end is None or other.start is None or other.start < one.end) and (
        other.end is None or one.start is None or one.start < other.end
    )


def corrected(view: ReadView, words: Testimony, but: Collection[RecordId] = ()) -> Record | None:
    """The current correction of the same words elsewhere in the scope; None where there is none."""
    for same in view.same(words.scope, words.text, Status.SUPERSEDED):
        if same.testimony.id != words.id:
            head = view.head(same.testimony.id)
            current = head.filing.status is Status.CURRENT and head.testimony.id not in but
            if current and head.testimony.uri.startswith(rules.CORRECTION):
                return head
    return None
