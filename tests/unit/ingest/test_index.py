"""Pending passages are embedded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from quoth.core.errors import InferenceUnavailable
from quoth.core.policy import IndexPolicy, Policy
from quoth.core.types import Access, Document, Embedding
from quoth.ingest.index import embed_pending
from quoth.ingest.remember import remember

POLICY = Policy(index=IndexPolicy(batch=4))


@pytest.fixture
def filled(store: Any, access: Access, clock: Any) -> Any:
    """A store with ten passages and no vector."""
    remember(store, access, clock, POLICY, [Document(f"note {at}") for at in range(10)])
    return store


def pending(store: Any, access: Access) -> int:
    """How many passages wait."""
    with store.read(access) as view:
        waiting: int = view.pending()
        return waiting


class Wrong:
    """An embedder that is wrong in one way."""

    cheap = False

    def __init__(self, right: Any, way: str) -> None:
        self.right, self.way = right, way
        self.name, self.dimensions = right.name, right.dimensions

    def embed(self, texts: Any, role: Literal["query", "passage"]) -> list[Embedding]:
        """Right but for one thing."""
        found: list[Embedding] = self.right.embed(texts, role)
        if self.way == "one too few":
            return found[1:]
        vector = found[0].vector
        bad = vector[1:] if self.way == "too short" else np.full_like(vector, np.nan)
        return [replace(found[0], vector=bad), *found[1:]]


def test_pending_passages_are_embedded_in_batches(filled: Any, access: Access, embedder: Any) -> None:
    """All are embedded, oldest first, and progress is told."""
    told: list[tuple[int, int]] = []
    assert embed_pending(filled, access, embedder, POLICY, None, lambda *step: told.append(step)) == 10
    assert told == [(4, 10), (8, 10), (10, 10)]
    assert pending(filled, access) == 0
    assert embed_pending(filled, access, embedder, POLICY) == 0


def test_it_goes_on_where_it_stopped(filled: Any, access: Access, embedder: Any) -> None:
    """A limit embeds so many; the next call takes the rest."""
    assert embed_pending(filled, access, embedder, POLICY, 5) == 5
    assert pending(filled, access) == 5
    assert embed_pending(filled, access, embedder, POLICY, 0) == 0
    assert embed_pending(filled, access, embedder, POLICY, None) == 5


@pytest.mark.parametrize("way", ["one too few", "too short", "not a number"])
def test_wrong_vectors_are_refused_as_a_batch(filled: Any, access: Access, embedder: Any, way: str) -> None:
    """Vectors of the wrong number or form are an error, and none of the batch is kept (field case 34)."""
    with pytest.raises(InferenceUnavailable, match=embedder.name):
        embed_pending(filled, access, Wrong(embedder, way), POLICY)
    assert pending(filled, access) == 10


@pytest.mark.loopback
def test_a_rebuild_drops_nothing_where_the_embedder_is_away(tmp_path: Path) -> None:
    """`index_rebuild` asks the new embedder first: where it does not answer, the old vectors stay."""
    import quoth

    with quoth.open(tmp_path, embedder="hash", actor="ana", scope="a") as memory:
        memory.remember("one heron")
    dead = "ollama:nothing@http://127.0.0.1:9"
    with (
        quoth.open(tmp_path, embedder=dead, actor="ana", scope="a") as memory,
        pytest.raises(quoth.Unavailable),
    ):
        memory.index_rebuild()
    with quoth.open(tmp_path, embedder="hash", actor="ana", scope="a") as memory:
        assert 0 == memory.index_status().pending
