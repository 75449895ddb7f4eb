"""A living document is read again: what stays is left alone, what changed superseded, what went retracted.

document -> records -> same words? -> the same record, whatever moved around it
                    -> new words in the place of words that went -> supersedes them
                    -> words that stood here before -> their record, current again
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from quoth.core import rules
from quoth.core.errors import NotFound
from quoth.core.policy import Policy
from quoth.core.ports import Clock, ReadView, WriteView
from quoth.core.types import (
    Access,
    Document,
    Filing,
    Outcome,
    Period,
    Record,
    RecordId,
    Result,
    Span,
    Status,
)
from quoth.ingest.alignment import replaced
from quoth.ingest.keep import keep, outcome, refuse
from quoth.ingest.passages import indexed
from quoth.ingest.testify import Hearing, Part, hear, observation, testimony

REPLACED = "replaced in the document"
GONE = "no longer in the document"
DELETED = "the document is gone"
EMPTIED = "the document is empty"
NO_FILE = "what stands in the document's place is no file"
NO_TEXT = "the document is no longer text"
OVERWRITTEN = "another document took its name"
RETURNED = "in the document again"

_OURS = frozenset({REPLACED, GONE, DELETED, EMPTIED, NO_FILE, NO_TEXT, OVERWRITTEN})
"""Notes of filings that only say what a document held; what a person filed is never undone by a file."""


@dataclass(frozen=True, slots=True)
class Revision:
    """What a second reading of a document changed; one outcome a record that stands in it now."""

    outcomes: tuple[Outcome, ...]
    superseded: int
    retracted: int


@dataclass(slots=True)
class _Place:
    """One record's words in the document as it is now. Erased ones have no id: they are no record."""

    part: Part
    nth: int
    id: RecordId | None = None
    known: Record | None = None
    """The record that these words are, where there is one."""
    fresh: bool = False
    """New here, or here again: may take the place of another record."""

    @property
    def text(self) -> str:
        """The words."""
        return self.part.text


@dataclass(slots=True)
class _Reading:
    """The document as it was and as it is."""

    hearing: Hearing
    current: list[Record]
    places: list[_Place]
    lineage: tuple[str, ...]
    """The names under which the document's words were first read: its own, then older ones."""
    taken: set[RecordId] = field(default_factory=set)


def revise(view: WriteView, access: Access, clock: Clock, policy: Policy, document: Document) -> Revision:
    """File one reading of a document whose words may have changed since the last one.

    A record's words decide what it is, not its place: inserting or moving paragraphs touches no other
    record. A paragraph whose words return is refiled as current, valid from now on; the valid time of what
    goes ends now, and that of what takes its place begins. Words that a person superseded, retracted or
    rejected stay so, however often the document repeats them, and erased ones are refused. Nothing here
    lays a rejection.
    """
    reading = _read(view, access, clock, document)
    _recognise(reading)
    _look_up(view, reading)
    fresh = [at for at, place in enumerate(reading.places) if place.fresh]
    was = {record.testimony.id: at for at, record in enumerate(reading.current)}
    stays = [(was[place.id], at) for at, place in enumerate(reading.places) if place.id in was]
    gone = sorted(set(was.values()) - {before for before, _ in stays})
    pairs = replaced(
        stays,
        gone,
        fresh,
        [record.testimony.text for record in reading.current],
        [place.text for place in reading.places],
    )
    before = {new: reading.current[old].testimony.id for old, new in pairs.items()}
    but = {reading.current[at].testimony.id for at in gone}
    outcomes = [_file(view, reading, policy, at, before, but) for at in range(len(reading.places))]
    pairs = {old: new for old, new in pairs.items() if outcomes[new].outcome is Result.STORED}
    for at in gone:
        status, note = (Status.SUPERSEDED, REPLACED) if at in pairs else (Status.RETRACTED, GONE)
        view.refile(_ended(reading.current[at].filing, access, reading.hearing.at, status, note))
    return Revision(tuple(outcomes), superseded=len(pairs), retracted=len(gone) - len(pairs))


def retire(view: WriteView, access: Access, clock: Clock, uri: str, note: str = DELETED) -> int:
    """Retract what a document held that is no longer there; how many records that were.

    The document may come back: then its records are current again.
    """
    now = clock.now()
    records_ = _current(view, uri)
    for record in records_:
        view.refile(_ended(record.filing, access, now, Status.RETRACTED, note))
    view.retire(uri)
    return len(records_)


def _read(view: WriteView, access: Access, clock: Clock, document: Document) -> _Reading:
    hearing = hear(view, access, document, clock.now())
    uri = hearing.uri
    seen: dict[str, int] = {}
    places = [_Place(part, rules.occurrence(seen, part.text)) for part in hearing.parts]
    current = _current(view, uri)
    older = dict.fromkeys(record.testimony.uri for record in current)
    older.pop(uri, None)
    return _Reading(hearing, current, places, (uri, *older))


def _current(view: ReadView, uri: str) -> list[Record]:
    """Current records that stand in a document; none where it is gone or has moved away."""
    return view.document_records(uri) if uri in view.documents(uri) else []


def _recognise(reading: _Reading) -> None:
    """Find the current records that still stand in the document: by id, then by words.

    Another speaker's words, or those of another session, are other words.
    """
    if not reading.current:
        return
    by_id = {record.testimony.id: record for record in reading.current}
    for place in _to_file(reading):
        for uri in reading.lineage:
            record = by_id.pop(reading.hearing.record_id(place.text, place.nth, uri), None)
            if record is not None:
                _is(reading, place, record)
                break
    document = reading.hearing.document
    by_words: dict[str, deque[Record]] = {}
    for record in by_id.values():
        words = record.testimony
        if (words.speaker, words.session_id) != (document.speaker, document.session_id):
            continue
        by_words.setdefault(words.text, deque()).append(record)
    for place in _to_file(reading):
        same = by_words.get(place.text)
        if place.known is None and same:
            _is(reading, place, same.popleft())


def _to_file(reading: _Reading) -> list[_Place]:
    """Places of words that may be kept."""
    return [place for place in reading.places if not place.part.erased]


def _is(reading: _Reading, place: _Place, record: Record) -> None:
    place.known, place.id = record, record.testimony.id
    reading.taken.add(record.testimony.id)


def _look_up(view: WriteView, reading: _Reading) -> None:
    """Give the other words an id: of the record that they once were here, else a new one."""
    waiting = [place for place in _to_file(reading) if place.known is None]
    heard = bool(waiting) and _heard(view, reading.hearing.uri)
    for place in waiting:
        if heard:
            _old_or_new(view, reading, place)
        else:
            place.id = reading.hearing.record_id(place.text, place.nth)
            place.fresh = True


def _old_or_new(view: WriteView, reading: _Reading, place: _Place) -> None:
    """The first id of these words that is this document's own or nobody's.

    A record that moved away with its document keeps its id; a copy at the old place is another record.
    """
    nth = place.nth
    while place.id is None:
        for uri in reading.lineage:
            record = _get(view, reading.hearing.record_id(place.text, nth, uri))
            if record is None or record.testimony.id in reading.taken:
                continue
            if view.observations(record.testimony.id)[-1].uri in reading.lineage:
                _is(reading, place, record)
                ours = record.filing.status is not Status.CURRENT and record.filing.note in _OURS
                place.fresh = ours and view.rejected(reading.hearing.scope, place.text) is None
                return
        new = reading.hearing.record_id(place.text, nth)
        if new not in reading.taken and _get(view, new) is None:
            place.id, place.fresh = new, True
        nth += 1
    reading.taken.add(place.id)


def _heard(view: ReadView, uri: str) -> bool:
    """True when any version of the document was ever kept."""
    try:
        view.document(uri)
    except NotFound:
        return False
    return True


def _get(view: ReadView, record_id: RecordId) -> Record | None:
    try:
        return view.get(record_id)
    except NotFound:
        return None


def _file(
    view: WriteView,
    reading: _Reading,
    policy: Policy,
    at: int,
    before: Mapping[int, RecordId],
    but: Collection[RecordId],
) -> Outcome:
    """File one record of the document as it is now.

    `before`: place -> the record whose place it takes; `but`: the records that are gone from the document.
    """
    place, hearing = reading.places[at], reading.hearing
    if place.part.erased:
        return refuse(view, hearing, place.part)
    if place.id is None:
        raise AssertionError("a place without an id")
    if place.known is None:
        words = testimony(hearing, place.id, place.text)
        free = view.rejected(hearing.scope, place.text) is None  # what is held takes nobody's place
        filing = rules.first_filing(hearing.document, words, before.get(at) if free else None)
        if filing.supersedes:
            filing = replace(filing, valid=Period(hearing.at, None))
        heads = hearing.document.kind == "markdown" and at + 1 < len(reading.places)
        spans: Sequence[Span] = indexed(place.text, policy.passages, heads=heads)
        return keep(view, hearing, words, filing, place.part.span, spans, but)
    seen = observation(hearing, place.id, place.part.span)
    result = view.put(hearing.document, place.known.testimony, seen, place.known.filing, ())
    if not place.fresh:
        if place.known.filing.status is Status.HELD:
            result = Result.HELD
        return outcome(view, hearing.scope, place.id, place.text, result)
    again = _again(view, place.known.filing, hearing)
    view.refile(replace(again, supersedes=before.get(at, again.supersedes)))
    return Outcome(place.id, Result.STORED, RETURNED)


def _ended(filing: Filing, access: Access, at: datetime, status: Status, note: str) -> Filing:
    """The next revision of a filing whose words are no longer there; its valid time ends with it."""
    start, end = filing.valid.start, filing.valid.end
    now = at if start is None else max(at, start)
    valid = Period(start, now if end is None else min(end, now))
    return replace(rules.refiled(filing, access.actor, at, status, note), valid=valid)


def _again(view: ReadView, filing: Filing, hearing: Hearing) -> Filing:
    """The next revision of a filing whose words are there again, valid from now on.

    An end that somebody set while it was current stays what it was.
    """
    held = [each.valid for each in view.history(filing.record_id) if each.status is Status.CURRENT]
    last = held[-1] if held else Period()
    ended = last.end is not None and last.end <= hearing.at
    valid = last if ended else Period(hearing.at, last.end)
    again = rules.refiled(filing, hearing.access.actor, hearing.at, Status.CURRENT, RETURNED)
    return replace(again, valid=valid)
