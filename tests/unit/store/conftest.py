"""Stores on disk that a test can open, damage and open again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from quoth.core.policy import DatabasePolicy, Policy
from quoth.core.ports import Clock, Embedder
from quoth.core.types import Access, AsOf, Document, RecordId
from quoth.ingest.index import embed_pending
from quoth.ingest.remember import remember
from quoth.store.sqlite import SqliteStore

NOTES = {
    "birds.md": "A heron stood in the reeds.\n\nA crane flew over the heron.\n\nThe pond froze in May 2023.",
    "house.md": "The boiler has the number X-47/11.\n\nThe heron on the wall is of copper.",
    "note": "Ein Reiher, 天気, a heron and a kettle.",
}
QUESTIONS = ("heron", "crane", "boiler X-47/11", "天気", "kettle copper wall", "pond in May 2023")


@dataclass
class Desk:
    """A folder with a store, and what a test does to it."""

    folder: Path
    access: Access
    clock: Clock
    embedder: Embedder
    opened: list[SqliteStore]

    def open(self, name: str | None = "", policy: Policy | None = None) -> SqliteStore:
        """The store, opened once more."""
        store = SqliteStore(
            self.folder,
            clock=self.clock,
            embedder_name=self.embedder.name if name == "" else name,
            policy=policy or Policy(),
        )
        self.opened.append(store)
        return store

    def keep(self, store: SqliteStore, notes: dict[str, str], *, embed: bool = True) -> list[RecordId]:
        """Remember these documents, with their vectors."""
        documents = [
            Document(text, uri, "markdown" if uri.endswith(".md") else "note") for uri, text in notes.items()
        ]
        receipt = remember(store, self.access, self.clock, Policy(), documents)
        if embed:
            embed_pending(store, self.access, self.embedder, Policy())
        return [each.record_id for each in receipt.outcomes if each.record_id]

    def filled(self, notes: dict[str, str] | None = None) -> SqliteStore:
        """A new store with notes."""
        store = self.open()
        self.keep(store, notes or NOTES)
        return store

    def answers(self, store: SqliteStore, as_of: AsOf | None = None) -> list[object]:
        """All that the derived files have a part in, for a few questions."""
        from quoth.core.text import analyse

        found: list[object] = []
        with store.read(self.access, as_of or AsOf()) as view:
            for question in QUESTIONS:
                terms = analyse(question)
                query = self.embedder.embed([question], "query")[0]
                pieces = [] if query.pieces is None else query.pieces.tolist()
                hits = [*view.lexical(terms, 9), *view.dense(query.vector, 9)]
                turns = view.turns([hit.passage for hit in hits], terms, query.vector)
                found += [hits, view.frequencies(terms), view.wordpieces(pieces), view.pending()]
                found += [view.years(), list(view.speakers())]
                found += [getattr(turns, name).tolist() for name in turns.__slots__]
        return found

    def sql(self, *statements: str, values: tuple[Any, ...] = ()) -> None:
        """Change rows behind the store's back."""
        db = apsw.Connection(str(self.folder / "quoth.db"))
        try:
            for each in statements:
                db.execute(each, values if "?" in each else ())
        finally:
            db.close()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query gives behind the store's back."""
        db = apsw.Connection(str(self.folder / "quoth.db"))
        try:
            return db.execute(query).fetchall()
        finally:
            db.close()


@pytest.fixture
def desk(tmp_path: Path, access: Access, clock: Clock, embedder: Embedder) -> Iterator[Desk]:
    """A folder in which no store is yet."""
    made = Desk(tmp_path / "store", access, clock, embedder, [])
    yield made
    for each in made.opened:
        each.close()


@pytest.fixture
def other_desk(desk: Desk, tmp_path: Path) -> Iterator[Desk]:
    """A second folder."""
    made = replace(desk, folder=tmp_path / "other", opened=[])
    yield made
    for each in made.opened:
        each.close()


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> int:
    """Sorted blocks of three passages, so that a few notes fill some of them."""
    for module in ("index", "scan"):
        monkeypatch.setattr(f"quoth.store.{module}.BLOCK", 3)
    return 3


@pytest.fixture
def eager_head() -> Policy:
    """A policy that writes the head file after every commit."""
    return Policy(database=DatabasePolicy(head_seconds=0.0))
