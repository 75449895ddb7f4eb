"""Words that were read become sealed testimony, and the place where they stood an observation."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from quoth.core import ledger, rules
from quoth.core.types import Access, Document, Observation, RecordId, Scope, Span, Testimony
from quoth.ingest.passages import lines


@dataclass(frozen=True, slots=True)
class Hearing:
    """One reading of one document: who reads, when, and what goes for all of its records."""

    access: Access
    document: Document
    uri: str
    at: datetime
    said_at: datetime | None
    starts: Sequence[int]
    """`line_starts` of the document's text."""

    @property
    def scope(self) -> Scope:
        """Where the records go."""
        return self.access.home


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
