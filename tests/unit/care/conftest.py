"""A memory that a test acts on as several people, at a time that it sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

import pytest

from quoth.care import correct, facts, forget, look, review, trust
from quoth.care.erase import erase
from quoth.care.forget import Refiled
from quoth.core.policy import Policy
from quoth.core.types import (
    Access,
    Actor,
    ActorKind,
    AsOf,
    Audited,
    Authority,
    Decision,
    Document,
    Erased,
    Fact,
    FactOutcome,
    Outcome,
    Period,
    Recalled,
    Record,
    RecordId,
    Review,
    Trust,
)
from quoth.ingest.remember import remember, say
from quoth.recall.recall import recall

PEOPLE = {
    "owner": Actor("ana", ActorKind.HUMAN, Authority.OWNER),
    "person": Actor("ben", ActorKind.HUMAN, Authority.PERSON),
    "agent": Actor("robot", ActorKind.AGENT, Authority.AGENT),
    "job": Actor("watcher", ActorKind.JOB, Authority.JOB),
}


@dataclass
class Care:
    """The use cases, with a store, a clock and somebody who acts."""

    store: Any
    access: Access
    clock: Any

    def by(self, who: str) -> Care:
        """The same memory, for somebody else."""
        return Care(self.store, replace(self.access, actor=PEOPLE[who]), self.clock)

    def to(self, access: Access) -> Care:
        """The same memory, through another access."""
        return Care(self.store, access, self.clock)

    def keep(self, *documents: str | Document) -> list[Outcome]:
        """Remember a minute later."""
        self.clock.advance(minutes=1)
        given = [Document(each) if isinstance(each, str) else each for each in documents]
        return list(remember(self.store, self.access, self.clock, Policy(), given).outcomes)

    def note(self, text: str, uri: str = "", **more: Any) -> str:
        """The id of a note that is stored now."""
        (outcome,) = self.keep(Document(text, uri, **more))
        assert ("stored", True) == (outcome.outcome.value, outcome.record_id is not None)
        return str(outcome.record_id)

    def correct(self, id: str, text: str, because: str = "wrong", at: datetime | None = None) -> Outcome:
        """Correct a minute later."""
        self.clock.advance(minutes=1)
        saying = partial(say, access=self.access, clock=self.clock, policy=Policy())
        receipt = correct.correct(self.store, self.access, self.clock, saying, id, text, because, at)
        (outcome,) = receipt.outcomes
        return outcome

    def forget(self, id: str, because: str = "wrong") -> Refiled:
        """Forget a minute later."""
        self.clock.advance(minutes=1)
        return forget.forget(self.store, self.access, self.clock, id, because)

    def reinstate(self, id: str, because: str = "") -> Refiled:
        """Reinstate a minute later."""
        self.clock.advance(minutes=1)
        return forget.reinstate(self.store, self.access, self.clock, id, because)

    def expire(self, id: str, at: datetime | None = None) -> Refiled:
        """Expire a minute later."""
        self.clock.advance(minutes=1)
        return forget.expire(self.store, self.access, self.clock, id, at)

    def trust(self, id: str, level: Trust = Trust.VERIFIED) -> Refiled:
        """Say how far it is believed, a minute later."""
        self.clock.advance(minutes=1)
        return trust.trust(self.store, self.access, self.clock, id, level, "I have seen it")

    def erase(self, id: str, because: str = "private", dry_run: bool = False) -> Erased:
        """Erase a minute later."""
        self.clock.advance(minutes=1)
        return erase(self.store, self.access, id, because, dry_run=dry_run)

    def get(self, id: str) -> Recalled:
        """One record."""
        return look.get(self.store, self.access, self.clock, id)

    def history(self, id: str) -> look.History:
        """Its filings and its chain."""
        return look.history(self.store, self.access, self.clock, id)

    def audit(self) -> list[Audited]:
        """The ledger's lines."""
        return list(look.audit(self.store, self.access, None).entries)

    def entries(self) -> int:
        """How many entries the chains have."""
        with self.store.read(self.access) as view:
            return sum(head.seq for head in view.heads())

    def record(self, id: str) -> Record:
        """Testimony and filing."""
        with self.store.read(self.access) as view:
            found: Record = view.get(RecordId(id))
            return found

    def served(self, question: str) -> list[str]:
        """Words that recall shows, whether it calls them an answer or not."""
        found = recall(self.store, self.access, None, self.clock, Policy(), question, k=20)
        return [each.text for each in found.passages]

    def put_fact(
        self, value: str, *, slot: str = "ana city", verified: bool = False, **more: Any
    ) -> FactOutcome:
        """Assert a minute later."""
        self.clock.advance(minutes=1)
        given = {"valid": Period(), "evidence": (), "note": ""} | more
        names = slot.split()
        return facts.assert_value(
            self.store, self.access, self.clock, *names, value, verified=verified, **given
        )

    def reject_fact(self, value: str, slot: str = "ana city") -> None:
        """Reject a minute later."""
        self.clock.advance(minutes=1)
        facts.reject(self.store, self.access, self.clock, *slot.split(), value, "it is wrong")

    def lift_fact(self, value: str, slot: str = "ana city", again: bool = False) -> facts.Lifted:
        """Lift a minute later."""
        self.clock.advance(minutes=1)
        return facts.lift(
            self.store, self.access, self.clock, *slot.split(), value, "it is right", again=again
        )

    def stands(self, slot: str = "ana city", as_of: AsOf = AsOf()) -> str | None:  # noqa: B008
        """The value that stands."""
        found: tuple[Fact, ...] = facts.stand(self.store, self.access, *slot.split(), as_of).facts
        return found[0].value if found else None

    def queue(self, answered: bool = False) -> list[Review]:
        """What waits."""
        return list(review.waiting(self.store, self.access, answered=answered))

    def decide(self, decision: Decision, id: str = "", because: str = "I know") -> Review:
        """Answer an item, the only one where none is named, a minute later."""
        self.clock.advance(minutes=1)
        if not id:
            (item,) = self.queue()
            id = item.held.id
        return review.decide(self.store, self.access, self.clock, id, decision, because)


@pytest.fixture
def care(store: Any, access: Access, clock: Any) -> Iterator[Care]:
    """A memory, and a check that everything in it is sealed in the end."""
    yield Care(store, access, clock)
    found = store.verify(access)
    assert found.clean, (found.problems, found.verdicts)
