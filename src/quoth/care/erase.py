"""Erase: the words are destroyed wherever we hold them; the chain keeps an entry without content."""

from __future__ import annotations

from quoth.care import reach
from quoth.core import rules
from quoth.core.errors import InvalidInput
from quoth.core.ports import ReadView, Store
from quoth.core.types import Access, Erased, Record, RecordId, Status

HELD_IN = {
    "records": "the words of each record, who said them, and why it was filed as it was",
    "documents": "the body of every document that holds them, there replaced by blocks of the same length",
    "index": "terms, dates, statements and vectors, in the database and in the derived files",
    "events": "facts that cite them, reasons and notes that were given about them",
    "files": "free pages of the database and its write-ahead log",
}
"""Where words stand, for who asks before it happens."""


def erase(store: Store, access: Access, id: str, because: str, *, dry_run: bool) -> Erased:
    """Destroy the words of a record, and of every record of the same words in its scope, for good.

    They are refused when they come again. Again on an erased record, it cleans what could not be cleaned.
    With `dry_run` nothing is changed, and the answer says what would go.
    """
    reason = reach.said("erasing", because)
    if dry_run:
        return _preview(store, access, id)
    with reach.tried(store, access, "erase", id), store.write(access) as view:
        record = _own(view, access, id)
        erased = record.filing.status is Status.ERASED
        gone = (record.testimony.id,) if erased else view.erase(record.testimony.id, reason)
    return store.purge(access, gone)


def _preview(store: Store, access: Access, id: str) -> Erased:
    with reach.tried(store, access, "erase", id), store.read(access) as view:
        record = _own(view, access, id)
        if record.filing.status is Status.ERASED:
            raise InvalidInput(f"the words of record {record.testimony.id!r} are erased")
        same = view.same(record.testimony.scope, record.testimony.text)
        ids: dict[RecordId, None] = dict.fromkeys(
            (record.testimony.id, *(each.testimony.id for each in same))
        )
        return Erased(tuple(ids), HELD_IN, clean=False)


def _own(view: ReadView, access: Access, id: str) -> Record:
    record = reach.record(view, id)
    rules.may_write(access, record.testimony.scope)
    return record
