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
    NOW,
    Access,
    Actor,
    Answer,
    AsOf,
    Decision,
    Document,
    Fact,
    FactOutcome,
    Filing,
    Held,
    LedgerEntry,
    Lift,
    Lines,
    Observation,
    PassageId,
    Period,
    RecordId,
    Rejection,
    Result,
    Review,
    Scope,
    Span,
    Status,
    Target,
    Testimony,
    Trust,
    Waiting,
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

    def tell(self, text: str, uri: str = "", **more: Any) -> Result:
        """Keep one record in a transaction of its own; what became of it."""
        with self.store.write(self.access) as view:
            return view.put(*self.given(text, uri, **more))

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

    # -- truth --------------------------------------------------------------------------------

    def by(self, actor: Actor) -> Hand:
        """The same scope, another writer."""
        return replace(self, access=replace(self.access, actor=actor))

    def fact(self, value: str, slot: str = "shed code", trust: Trust = Trust.ASSERTED, **more: Any) -> Fact:
        """A value of a slot ("entity attribute"), true from now."""
        entity, attribute = slot.split()
        now = self.clock.now()
        scope = more.pop("scope", self.access.home)
        valid = more.pop("valid", Period(now, None))
        evidence = tuple(more.pop("evidence", ()))
        return Fact(
            "", scope, entity, attribute, value, trust, valid, evidence, self.access.actor, now, **more
        )

    def say(
        self, value: str, slot: str = "shed code", trust: Trust = Trust.ASSERTED, **more: Any
    ) -> FactOutcome:
        """Assert a value in a transaction of its own."""
        with self.store.write(self.access) as view:
            return view.assert_fact(self.fact(value, slot, trust, **more))

    def stands(self, slot: str = "shed code", as_of: AsOf = NOW) -> str | None:
        """The value that stands in a slot."""
        with self.store.read(self.access, as_of) as view:
            return next((each.value for each in view.facts(*slot.split())), None)

    def rejection(self, what: str, slot: str = "", reason: str = "it is wrong") -> Rejection:
        """Of a value where a slot is named, else of the words of a record."""
        entity, attribute = slot.split() if slot else ("", "")
        return Rejection(
            id="",
            scope=self.access.home,
            target=Target.VALUE if slot else Target.WORDS,
            fingerprints={},
            reason=reason,
            actor=self.access.actor,
            at=self.clock.now(),
            entity=entity,
            attribute=attribute,
            value=what if slot else "",
            record_id=None if slot else RecordId(what),
        )

    def reject(self, what: str, slot: str = "", reason: str = "it is wrong") -> Rejection:
        """Lay a rejection in a transaction of its own."""
        with self.store.write(self.access) as view:
            return view.reject(self.rejection(what, slot, reason))

    def forget(self, record_id: RecordId) -> Rejection:
        """Retract a record and reject its words."""
        self.refile(record_id, Status.RETRACTED)
        return self.reject(record_id)

    def lifting(self, rejection: str) -> Lift:
        """The lift of a rejection."""
        return Lift("", self.access.home, rejection, "it was right", self.access.actor, self.clock.now())

    def lift(self, rejection: Rejection) -> None:
        """End a rejection in a transaction of its own."""
        with self.store.write(self.access) as view:
            view.lift(self.lifting(rejection.id))

    def held(self, kind: Waiting = Waiting.SUSPICIOUS, **more: Any) -> Held:
        """Something that waits."""
        now, actor = self.clock.now(), self.access.actor
        return Held("", self.access.home, kind, more.pop("key", ""), "look at it", actor, now, **more)

    def hold(self, kind: Waiting = Waiting.SUSPICIOUS, **more: Any) -> Review:
        """Put something into the queue in a transaction of its own."""
        with self.store.write(self.access) as view:
            return view.hold(self.held(kind, **more))

    def answering(self, item: str, decision: Decision = Decision.ACCEPT) -> Answer:
        """The answer to an item."""
        now, actor = self.clock.now(), self.access.actor
        return Answer("", self.access.home, item, decision, "I know", actor, now)

    def answer(self, item: str, decision: Decision = Decision.ACCEPT) -> None:
        """Answer an item in a transaction of its own."""
        with self.store.write(self.access) as view:
            view.answer(self.answering(item, decision))

    def queue(self, answered: bool = False) -> tuple[Review, ...]:
        """What waits."""
        with self.store.read(self.access) as view:
            return view.reviews(answered)

    def erase(self, record_id: RecordId, reason: str = "asked for") -> tuple[RecordId, ...]:
        """Destroy words in a transaction of its own."""
        with self.store.write(self.access) as view:
            return view.erase(record_id, reason)

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
