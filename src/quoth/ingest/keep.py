"""One record is put: stored, with what it conflicts with; or held or refused, and why."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from quoth.core import rules
from quoth.core.ports import ReadView, WriteView
from quoth.core.types import Filing, Outcome, RecordId, Result, Scope, Span, Status, Target, Testimony
from quoth.ingest.conflicts import CORRECTED, against, ask, corrected
from quoth.ingest.testify import Hearing, Part, observation, testimony

HEARD = "heard before"
ERASED = "these words were erased"
OUTDATED = "said before its words were corrected"


def keep(
    view: WriteView,
    hearing: Hearing,
    words: Testimony,
    filing: Filing,
    span: Span,
    passages: Sequence[Span],
    but: Collection[RecordId] = (),
) -> Outcome:
    """Put a record, new or known, and say what became of it; `but` are records that it supersedes.

    What was said before the same words were corrected elsewhere is held; what is said after is current, and
    a conflict.
    """
    correction = corrected(view, words, but) if hearing.corrections else None
    said = words.said_at
    outdated = correction is not None and said is not None and said < correction.testimony.recorded_at
    if outdated:
        filing = replace(filing, status=Status.HELD, supersedes=None, note=OUTDATED)
    met = (correction, CORRECTED) if correction else against(view, words, filing, {words.id, *but})
    result = view.put(hearing.document, words, observation(hearing, words.id, span), filing, passages)
    if result is not Result.STORED:
        return outcome(view, words.scope, words.id, words.text, result)
    conflict = ask(view, words, hearing.uri, *met) if met else None
    if outdated:
        return Outcome(words.id, Result.HELD, OUTDATED, conflict=conflict)
    return Outcome(words.id, Result.STORED, conflict=conflict)


def refuse(view: WriteView, hearing: Hearing, part: Part) -> Outcome:
    """Count erased words that came again; nothing of them is kept."""
    words = testimony(hearing, hearing.record_id(part.text, 0), part.text)
    filing = rules.first_filing(hearing.document, words, None)
    result = view.put(hearing.document, words, observation(hearing, words.id, part.span), filing, ())
    return outcome(view, words.scope, words.id, part.text, result)


def outcome(view: ReadView, scope: Scope, record_id: RecordId, text: str, result: Result) -> Outcome:
    """What a put that stored no new record came to."""
    if result is Result.REFUSED:
        return Outcome(None, result, ERASED)
    return Outcome(record_id, result, _why(view, scope, record_id, text) if result is Result.HELD else HEARD)


def _why(view: ReadView, scope: Scope, record_id: RecordId, text: str) -> str:
    """Why words are held: who rejected them, and which item of the queue waits."""
    bound = view.rejected(scope, text)
    if bound is None or bound.target is Target.ERASED:
        return "it waits for a person"
    day = bound.at.date().isoformat()
    why = f"these words were rejected by {bound.actor.id} on {day} ({bound.reason})"
    named = view.reviews(answered=True, about={record_id})
    items = (each for each in named if each.held.rejection == bound.id)
    item = next(items, None)
    if item is None:
        return why
    if item.answer is None:
        return f"{why}; `quoth review accept {item.held.id}` serves them again"
    return f"{why}, and item {item.held.id} was answered: {item.answer.decision.value}"
