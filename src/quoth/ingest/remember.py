"""documents -> gate -> records -> ONE transaction (id, testimony, filing, put) -> one outcome a record.

Vectors come after the commit (`ingest.index`); words are findable without them.

What a second reading means depends on the kind. A note, fact or turn is a thing said once: other words at
the same uri, by another speaker or at another time, are another record, and all are kept. A markdown or
text document with a uri is a living file: other words at the same uri are an edit (`ingest.revise`).
The same words again change nothing; words that a person rejected are held, erased ones refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from quoth.core import rules
from quoth.core.policy import Policy
from quoth.core.ports import Clock, Store, WriteView
from quoth.core.types import (
    Access,
    Document,
    Outcome,
    Period,
    Receipt,
    Record,
    RecordId,
    Result,
    Standing,
)
from quoth.ingest import gate
from quoth.ingest.keep import HEARD, keep, outcome, refuse
from quoth.ingest.passages import indexed
from quoth.ingest.revise import revise
from quoth.ingest.testify import Hearing, Part, corrected_any, hear, home, observation, testimony

BATCH_RECORDS = 1_000
"""Records of a transaction, about: larger transactions are not faster (measured: 50 to 1,000)."""
CHARS_PER_RECORD = 150
"""For the size of a batch before it is cut: passages have about 130 characters."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """A document, with the reason why the gate refuses it."""

    document: Document
    refusal: str | None


def remember(
    store: Store, access: Access, clock: Clock, policy: Policy, documents: Iterable[Document]
) -> Receipt:
    """Keep documents; one outcome a record, in reading order, durable when this returns.

    A document is kept whole or not at all. Documents share transactions, about `BATCH_RECORDS` records each.
    A time without an offset is `InvalidInput`. When the store fails, its error travels and nothing is
    acknowledged; batches before it may have been kept, and are duplicates the next time.
    """
    rules.may_write(access, access.home)
    access = home(access)
    outcomes: list[Outcome] = []
    for batch in _batches(documents, policy):
        if all(each.refusal for each in batch):
            outcomes += (Outcome(None, Result.REFUSED, each.refusal or "") for each in batch)
            continue
        with store.write(access) as view:
            keeping = partial(_keep, view, access, clock, policy, corrected_any(view))
            kept = [outcome for each in batch for outcome in keeping(each)]
        outcomes += kept
    return Receipt(tuple(outcomes))


def weight(document: Document) -> int:
    """About how many records a document has."""
    return 1 if document.kind in gate.WHOLE_KINDS else 1 + len(document.text) // CHARS_PER_RECORD


def _batches(documents: Iterable[Document], policy: Policy) -> Iterator[list[_Judged]]:
    batch: list[_Judged] = []
    size = 0
    for document in documents:
        rules.period(document.valid)
        if document.said_at is not None:
            rules.utc(document.said_at)
        batch.append(_Judged(document, gate.refusal(document, policy.gate)))
        size += weight(document)
        if size >= BATCH_RECORDS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _keep(
    view: WriteView, access: Access, clock: Clock, policy: Policy, corrections: bool, judged: _Judged
) -> Iterable[Outcome]:
    """Keep one document inside a transaction; `corrections`: whether its scope holds any."""
    if judged.refusal:
        return (Outcome(None, Result.REFUSED, judged.refusal),)
    document = judged.document
    if document.uri and document.kind in gate.FILE_KINDS:
        return revise(view, access, clock, policy, document).outcomes
    return _say(view, hear(view, access, document, clock.now(), corrections), policy)


def say(
    view: WriteView,
    document: Document,
    old: Record,
    note: str,
    *,
    access: Access,
    clock: Clock,
    policy: Policy,
) -> Outcome:
    """Keep a note that takes the place of a record, kept as that one was; the caller supersedes the old one.

    Rejected words are held in the place of nobody.
    """
    refusal = gate.refusal(document, policy.gate)
    if refusal:
        return Outcome(None, Result.REFUSED, refusal)
    hearing = hear(view, replace(access, home=old.testimony.scope), document, clock.now())
    (part,) = hearing.parts
    if part.erased:
        return refuse(view, hearing, part)
    words = testimony(hearing, hearing.record_id(part.text, 0), part.text)
    free = view.rejected(words.scope, words.text) is None
    was = old.filing
    filing = replace(
        rules.first_filing(hearing.document, words, was.record_id if free else None, note),
        grain=was.grain,
        category=was.category,
        importance=was.importance,
        stakes=was.stakes,
        pinned=was.pinned,
    )
    return keep(
        view, hearing, words, filing, part.span, indexed(part.text, policy.passages), (was.record_id,)
    )


def _say(view: WriteView, hearing: Hearing, policy: Policy) -> list[Outcome]:
    """Keep every record of a document that is never edited."""
    outcomes: list[Outcome] = []
    seen: dict[str, int] = {}
    for part in hearing.parts:
        if part.erased:
            outcomes.append(refuse(view, hearing, part))
            continue
        record_id, known = _occurrence(view, hearing, part.text, seen)
        if known is not None:
            outcomes.append(_again(view, hearing, part, known))
            continue
        words = testimony(hearing, record_id, part.text)
        filing = rules.first_filing(hearing.document, words, None)
        outcomes.append(keep(view, hearing, words, filing, part.span, indexed(part.text, policy.passages)))
    return outcomes


def _again(view: WriteView, hearing: Hearing, part: Part, known: Record) -> Outcome:
    """A record that was heard before: another place is noted, and rejected words are counted again."""
    words = known.testimony
    place = observation(hearing, words.id, part.span)
    last = view.observations(words.id)[-1]
    result = Result.DUPLICATE
    moved = (last.uri, last.span, last.lines) != (place.uri, place.span, place.lines)
    if moved or view.rejected(words.scope, part.text):
        result = view.put(hearing.document, words, place, known.filing, ())
    if result is not Result.DUPLICATE:
        return outcome(view, words.scope, words.id, part.text, result)
    standing = rules.standing(known.filing.status, known.filing.valid, hearing.at)
    if standing not in (Standing.CURRENT, Standing.NOT_YET_VALID):
        return Outcome(words.id, result, f"{HEARD}; it is {standing.value.replace('_', ' ')} and stays so")
    if hearing.document.valid != Period():
        said = rules.first_filing(hearing.document, words, None).valid
        if said != known.filing.valid:
            return Outcome(words.id, result, f"{HEARD}; its valid time stays what it was")
    return Outcome(words.id, result, HEARD)


def _occurrence(
    view: WriteView, hearing: Hearing, text: str, seen: dict[str, int]
) -> tuple[RecordId, Record | None]:
    """The id of these words, and their record where they were heard before.

    The same words that the same speaker said here at another time are another occurrence.
    """
    while True:
        record_id = hearing.record_id(text, rules.occurrence(seen, text))
        if not view.knows(record_id):
            return record_id, None
        known = view.get(record_id)
        if known.testimony.said_at == hearing.said_at:
            return record_id, known
