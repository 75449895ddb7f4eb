"""Small stores, filled by hand, and what recall sees in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np
import pytest

from quoth.care.correct import correct
from quoth.core.policy import Policy
from quoth.core.ports import Clock, Embedder, WriteView
from quoth.core.types import Access, Document, Filing, Grain, Outcome, Plan, Recollection, Record, RecordId
from quoth.ingest.index import embed_pending
from quoth.ingest.remember import remember, say
from quoth.recall.evidence import Evidence, gather
from quoth.recall.plan import plan
from quoth.recall.recall import recall
from quoth.store.sqlite import SqliteStore


@dataclass
class Talk:
    """One store in memory; without an embedder it is found by words alone."""

    store: SqliteStore
    access: Access
    clock: Clock
    embedder: Embedder | None
    policy: Policy = field(default_factory=Policy)
    said: int = 0

    def keep(self, *documents: Document) -> list[RecordId]:
        """Remember these, with vectors where there is an embedder."""
        receipt = remember(self.store, self.access, self.clock, self.policy, documents)
        if self.embedder is not None:
            embed_pending(self.store, self.access, self.embedder, self.policy)
        return [each.record_id for each in receipt.outcomes if each.record_id]

    def say(
        self, *turns: tuple[str | None, str], session: str = "talk", at: datetime | None = None
    ) -> list[RecordId]:
        """Turns of a conversation: (speaker, words)."""
        documents = []
        for speaker, text in turns:
            self.said += 1
            documents.append(Document(text, f"t/{self.said}", "turn", session, speaker, at))
        return self.keep(*documents)

    def note(self, *texts: str, kind: str = "note") -> list[RecordId]:
        """Notes that nobody speaks."""
        documents = []
        for text in texts:
            self.said += 1
            documents.append(Document(text, f"n/{self.said}", kind))
        return self.keep(*documents)

    def correct(self, id: str, text: str, at: datetime | None = None) -> RecordId:
        """Put other words in the place of a record's."""

        def saying(view: WriteView, document: Document, old: Record, note: str) -> Outcome:
            parts = {"access": self.access, "clock": self.clock, "policy": self.policy}
            return say(view, **parts, document=document, old=old, note=note)  # type: ignore[arg-type]

        receipt = correct(self.store, self.access, self.clock, saying, id, text, "it changed", at)
        if self.embedder is not None:
            embed_pending(self.store, self.access, self.embedder, self.policy)
        assert receipt.outcomes[0].record_id
        return receipt.outcomes[0].record_id

    def refile(self, id: RecordId, **changes: Any) -> Filing:
        """Append a revision."""
        with self.store.write(self.access) as view:
            last = view.get(id).filing
            filing = replace(last, revision=last.revision + 1, filed_at=self.clock.now(), **changes)
            view.refile(filing)
        return filing

    def plan(self, question: str, grain: Grain | None = None) -> Plan:
        """How a question is understood here."""
        with self.store.read(self.access) as view:
            return plan(question, view, self.policy.recall, grain)

    def evidence(self, question: str, grain: Grain | None = None) -> dict[str, dict[str, float]]:
        """words of a candidate -> its features."""
        found = self.gathered(question, grain)
        with self.store.read(self.access) as view:
            records = view.passages(found.passage.tolist())
        texts = [record.testimony.text[each.span.start : each.span.end] for record, each in records]
        return {
            text: {name: float(column[at]) for name, column in found.features.items()}
            for at, text in enumerate(texts)
        }

    def gathered(self, question: str, grain: Grain | None = None) -> Evidence:
        """The whole evidence for a question."""
        with self.store.read(self.access) as view:
            asked = plan(question, view, self.policy.recall, grain)
            query = None
            if self.embedder is not None and view.model() and asked.dense_text.strip():
                query = self.embedder.embed([asked.dense_text], "query")[0]
            return gather(view, asked, query, self.policy.recall, self.policy.lexical)

    def ask(self, question: str, **more: Any) -> Recollection:
        """What recall says."""
        return recall(self.store, self.access, self.embedder, self.clock, self.policy, question, **more)

    def told(self, question: str, **more: Any) -> list[tuple[str, str]]:
        """The words of the passages of an answer, and how each stands."""
        return [(each.text, each.standing.value) for each in self.ask(question, **more).passages]

    def texts(self, question: str, **more: Any) -> list[str]:
        """The words of the passages of an answer."""
        return [each.text for each in self.ask(question, **more).passages]


@pytest.fixture
def talk(access: Access, clock: Clock, embedder: Embedder) -> Iterator[Talk]:
    """An empty store with an embedder."""
    with closing(SqliteStore(None, clock=clock, embedder_name=embedder.name, policy=Policy())) as store:
        yield Talk(store, access, clock, embedder)


@pytest.fixture
def words(talk: Talk) -> Talk:
    """An empty store without an embedder."""
    return replace(talk, embedder=None)


FEATURES = (
    "bm25 cosine subject previous next session_max session_bm25 length question date_session date_event "
    "when how_long first_person second_person people dialogue maxsim known_words asked about about_other"
)


def made_evidence(count: int, **columns: Any) -> Evidence:
    """Evidence from these features; what is not given is 0, records are passages, nobody is asked for."""
    own = {name: columns.pop(name) for name in FEATURES.split() if name in columns}
    features = {name: np.asarray(own.get(name, np.zeros(count)), np.float32) for name in FEATURES.split()}
    given = {
        "passage": np.arange(1, count + 1),
        "record": np.arange(1, count + 1),
        "features": features,
        "lexical_rank": [],
        "dense_rank": [],
    }
    return Evidence(**{name: columns.pop(name, value) for name, value in given.items()}, **columns)


@pytest.fixture
def make_evidence() -> Any:
    """`made_evidence`, for tests."""
    return made_evidence
