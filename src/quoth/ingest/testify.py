"""Words that were read become sealed testimony, and the place where they stood an observation."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from quoth.core import ledger, rules
from quoth.core.ports import ReadView
from quoth.core.types import Access, Document, Observation, RecordId, Scope, Span, Target, Testimony
from quoth.ingest.passages import line_starts, lines, records


@dataclass(frozen=True, slots=True)
class Part:
    """The words of one record, as they were read."""

    span: Span
    text: str
    erased: bool
    """They were erased before, and nothing of them may be kept."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """One reading of one document: who reads, when, and what goes for all of its records."""

    access: Access
    document: Document
    """With blocks for erased words, and no speaker and no session where their name is empty."""
    uri: str
    at: datetime
    said_at: datetime | None
    starts: Sequence[int]
    """`line_starts` of the text that was read."""
    parts: tuple[Part, ...]
    """The records of the document, in order."""
    corrections: bool
    """Whether any words of the scope were corrected, so that it has to be looked for these."""

    @property
    def scope(self) -> Scope:
        """Where the records go."""
        return self.access.home

    def record_id(self, text: str, nth: int, uri: str = "") -> RecordId:
        """The id of words of this document; `uri`: where it stood when they were first read."""
        document = self.document
        return rules.record_id(self.scope, uri or self.uri, document.session_id, text, nth, document.speaker)


def hear(
    view: ReadView, access: Access, document: Document, at: datetime, corrections: bool | None = None
) -> Hearing:
    """Read a document at one moment; a time without an offset is `InvalidInput`.

    `corrections` is what the scope holds (`corrected_any`), where the caller has looked.
    """
    if document.speaker == "" or document.session_id == "":
        document = replace(document, speaker=document.speaker or None, session_id=document.session_id or None)
    read = parts(view, access.home, document)
    starts = line_starts(document.text)
    if erased := [each.text for each in read if each.erased]:
        metadata = rules.bare(document.metadata, erased)
        document = replace(document, text=blocked(document.text, read), metadata=metadata)
    return Hearing(
        access=access,
        document=document,
        uri=rules.document_uri(document),
        at=at,
        said_at=rules.zoned(document.said_at) if document.said_at else None,
        starts=starts,
        parts=read,
        corrections=corrected_any(view) if corrections is None else corrections,
    )


def corrected_any(view: ReadView) -> bool:
    """Whether any words were ever corrected in the readable scopes."""
    return bool(view.documents(rules.CORRECTION))


def parts(view: ReadView, scope: Scope, document: Document) -> tuple[Part, ...]:
    """The records of a document, each with whether its words were erased from the scope."""
    found = []
    for span in records(document):
        text = document.text[span.start : span.end]
        bound = view.rejected(scope, text)
        found.append(Part(span, text, bound is not None and bound.target is Target.ERASED))
    return tuple(found)


def blocked(text: str, read: Sequence[Part]) -> str:
    """The text with a block for each character of erased words, so that every other place stays the same."""
    for part in read:
        if part.erased:
            start, end = part.span.start, part.span.end
            text = text[:start] + rules.BLOCK * (end - start) + text[end:]
    return text


def home(access: Access) -> Access:
    """The same caller, who sees no further than the scope that is written to.

    What is read again is compared with what this scope holds, never with the same file in another one.
    """
    return replace(access, reads=access.reads & {access.home})


def testimony(hearing: Hearing, record_id: RecordId, text: str) -> Testimony:
    """Sealed testimony of one record."""
    document = hearing.document
    return ledger.seal(
        Testimony(
            id=record_id,
            scope=hearing.access.home,
            text=text,
            digest="",
            salt=secrets.token_bytes(16),
            uri=hearing.uri,
            session_id=document.session_id,
            speaker=document.speaker,
            said_at=hearing.said_at,
            recorded_at=hearing.at,
            actor=hearing.access.actor,
            source=rules.source_of(document),
        )
    )


def observation(hearing: Hearing, record_id: RecordId, span: Span) -> Observation:
    """Where one record was read."""
    where = lines(hearing.starts, span)
    return Observation(record_id, hearing.uri, span, where, hearing.at, hearing.access.actor)
