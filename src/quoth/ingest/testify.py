"""Words that were read become sealed testimony, and the place where they stood an observation."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from quoth.core import ledger, rules
from quoth.core.types import Access, Document, Observation, RecordId, Scope, Span, Testimony
from quoth.ingest.passages import line_starts, lines


@dataclass(frozen=True, slots=True)
class Hearing:
    """One reading of one document: who reads, when, and what goes for all of its records."""

    access: Access
    document: Document
    """With no speaker and no session where their name is empty."""
    uri: str
    at: datetime
    said_at: datetime | None
    starts: Sequence[int]
    """`line_starts` of the document's text."""

    @property
    def scope(self) -> Scope:
        """Where the records go."""
        return self.access.home

    def record_id(self, text: str, nth: int, uri: str = "") -> RecordId:
        """The id of words of this document; `uri`: where it stood when they were first read."""
        document = self.document
        return rules.record_id(self.scope, uri or self.uri, document.session_id, text, nth, document.speaker)


def hear(access: Access, document: Document, at: datetime) -> Hearing:
    """Read a document at one moment; a time without an offset is `InvalidInput`."""
    if document.speaker == "" or document.session_id == "":
        document = replace(document, speaker=document.speaker or None, session_id=document.session_id or None)
    return Hearing(
        access=access,
        document=document,
        uri=rules.document_uri(document),
        at=at,
        said_at=rules.utc(document.said_at) if document.said_at else None,
        starts=line_starts(document.text),
    )


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
