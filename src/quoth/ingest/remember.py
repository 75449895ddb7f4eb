"""documents -> gate -> records -> ONE transaction (id, testimony, filing, put) -> one outcome a record.

Vectors come after the commit (`ingest.index`); words are findable without them.

What a second reading means depends on the kind. A note, fact or turn is a thing said once: other words at
the same uri, by another speaker or at another time, are another record, and all are kept. A markdown or
text document with a uri is a living file: other words at the same uri are an edit (`ingest.revise`).
The same words again change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quoth.core import rules
from quoth.core.policy import Policy
from quoth.core.ports import Clock, Store, WriteView
from quoth.core.types import Access, Document, Outcome, Receipt, Record, RecordId, Result
from quoth.ingest import gate
from quoth.ingest.passages import indexed, records
from quoth.ingest.revise import revise
from quoth.ingest.testify import Hearing, hear, home, observation, testimony

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
            kept = [outcome for each in batch for outcome in _keep(view, access, clock, policy, each)]
        outcomes += kept
    return Receipt(tuple(outcomes))


def weight(document: Document) -> int:
    """About how many records a document has."""
    return 1 if document.kind in gate.WHOLE_KINDS else 1 + len(document.text) // CHARS_PER_RECORD


def _batches(documents: Iterable[Document], policy: Policy) -> Iterator[list[_Judged]]:
    batch: list[_Judged] = []
    size = 0
    for document in documents:
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
    view: WriteView, access: Access, clock: Clock, policy: Policy, judged: _Judged
) -> Iterable[Outcome]:
    """Keep one document inside a transaction."""
    if judged.refusal:
        return (Outcome(None, Result.REFUSED, judged.refusal),)
    document = judged.document
    if document.uri and document.kind in gate.FILE_KINDS:
        return revise(view, access, clock, policy, document).outcomes
    return _say(view, hear(access, document, clock.now()), policy)


def _say(view: WriteView, hearing: Hearing, policy: Policy) -> list[Outcome]:
    """Keep every record of a document that is never edited."""
    document = hearing.document
    outcomes: list[Outcome] = []
    seen: dict[str, int] = {}
    for span in records(document):
        text = document.text[span.start : span.end]
        record_id, known = _occurrence(view, hearing, text, seen)
        place = observation(hearing, record_id, span)
        if known:
            last = view.observations(record_id)[-1]
            if (last.uri, last.span, last.lines) != (place.uri, place.span, place.lines):
                view.put(document, known.testimony, place, known.filing, ())
            outcomes.append(Outcome(record_id, Result.DUPLICATE, "heard before"))
            continue
        words = testimony(hearing, record_id, text)
        filing = rules.first_filing(document, words, None)
        view.put(document, words, place, filing, indexed(text, policy.passages))
        outcomes.append(Outcome(record_id, Result.STORED))
    return outcomes


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
