"""Records made by hand, past `ingest`: what a store promises holds for whoever calls it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from quoth.core import ledger, rules
from quoth.core.ports import Clock, Embedder, Store
from quoth.core.types import (
    Access,
    Document,
    Filing,
    LedgerEntry,
    Lines,
    Observation,
    PassageId,
    RecordId,
    Scope,
    Span,
    Status,
    Testimony,
)

if TYPE_CHECKING:
    from quoth.core.types import Vector


class Given(NamedTuple):
    """The arguments of `WriteView.put`."""

    document: Document
    testimony: Testimony
    seen: Observation
    filing: Filing
    passages: Sequence[Span]

    @property
    def id(self) -> RecordId:
        """The record's."""
        return self.testimony.id


@dataclass
class Hand:
    """One writer; `access` and `clock` may be changed between two calls."""

    store: Store
    access: Access
    clock: Clock
    embedder: Embedder

    def given(
        self,
        text: str,
        uri: str = "",
        *,
        session: str | None = None,
        speaker: str | None = None,
        said_at: datetime | None = None,
        whole: str | None = None,
        start: int | None = None,
        kind: str = "note",
        scope: str | None = None,
        passages: Sequence[Span] | None = None,
        **filing: Any,
    ) -> Given:
        """What a caller would put; `whole` is the document that the words stand in."""
        place = self.access.home if scope is None else Scope(scope)
        document = Document(whole or text, uri, kind, session, speaker, said_at)
        at = document.text.index(text) if start is None else start
        uri = rules.document_uri(document)
        now = self.clock.now()
        record_id = rules.record_id(place, uri, session, text, 0)
        testimony = ledger.seal(
            Testimony(
                id=record_id,
                scope=place,
                text=text,
                digest="",
                salt=b"a fixed salt 016",
                uri=uri,
                session_id=session,
                speaker=speaker,
                said_at=said_at,
                recorded_at=now,
                actor=self.access.actor,
                source=rules.source_of(document),
            )
        )
        line = 1 + document.text.count("\n", 0, at)
        lines = Lines(line, line + text.count("\n"))
        seen = Observation(record_id, uri, Span(at, at + len(text)), lines, now, self.access.actor)
        first = replace(rules.first_filing(document, testimony, None), **filing)
        return Given(document, testimony, seen, first, passages or [Span(0, len(text))])

    def put(self, text: str, uri: str = "", **more: Any) -> RecordId:
        """Keep one record in a transaction of its own."""
        given = self.given(text, uri, **more)
        with self.store.write(self.access) as view:
            view.put(*given)
        return given.id

    def next_filing(self, record_id: RecordId, status: Status | None = None, **changes: Any) -> Filing:
        """The revision that would follow now."""
        with self.store.read(self.access) as view:
            last = view.get(record_id).filing
        now = {"filed_at": self.clock.now(), "actor": self.access.actor, "revision": last.revision + 1}
        return replace(last, status=status or last.status, **(now | changes))

    def refile(self, record_id: RecordId, status: Status | None = None, **changes: Any) -> Filing:
        """Append a revision in a transaction of its own."""
        filing = self.next_filing(record_id, status, **changes)
        with self.store.write(self.access) as view:
            view.refile(filing)
        return filing

    def embed(self, limit: int = 10_000) -> int:
        """Give vectors to what has none; how many that were."""
        batch = self.store.unembedded(self.access, limit)
        made = self.embedder.embed([text for _, text in batch], "passage")
        with self.store.write(self.access) as view:
            view.index(self.embedder.name, zip((each for each, _ in batch), made, strict=True))
        return len(batch)

    def embed_all(self) -> None:
        """Give vectors to every record, also to those that cannot be read now; one passage a record."""
        with self.store.read(self.access) as view:
            texts = [each.testimony.text for each in view.records()]
        made = self.embedder.embed(texts, "passage")
        with self.store.write(self.access) as view:
            view.index(self.embedder.name, ((PassageId(at), each) for at, each in enumerate(made, 1)))

    def vector(self, question: str) -> Vector:
        """A question as this store's vectors see it."""
        return self.embedder.embed([question], "query")[0].vector

    def passage(self, word: str) -> PassageId:
        """The best passage for a word."""
        with self.store.read(self.access) as view:
            return view.lexical([word], 1)[0].passage

    def entries(self, scope: str | None = None, after: int = 0) -> list[LedgerEntry]:
        """This install's chain of one scope."""
        with self.store.read(self.access) as view:
            return list(view.ledger(self.store.origin, Scope(scope or self.access.home), after))


@pytest.fixture
def hand(store: Store, access: Access, clock: Clock, embedder: Embedder) -> Hand:
    """A writer of the person's own scope."""
    return Hand(store, access, clock, embedder)


@pytest.fixture
def other_hand(hand: Hand, foreign: Access) -> Hand:
    """A writer of somebody else's scope in the same store."""
    return replace(hand, access=foreign)


@pytest.fixture
def make_hand(store: Store, clock: Clock, embedder: Embedder) -> Callable[[Access], Hand]:
    """A writer with another access to the same store."""
    return lambda access: Hand(store, access, clock, embedder)
