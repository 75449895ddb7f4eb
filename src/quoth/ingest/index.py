"""Passages without a vector get one, after the commit that made their words findable."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from quoth.core.errors import InferenceUnavailable
from quoth.core.policy import Policy
from quoth.core.ports import Embedder, Store
from quoth.core.types import Access, Embedding


def embed_pending(
    store: Store,
    access: Access,
    embedder: Embedder,
    policy: Policy,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Embed at most `limit` pending passages, oldest first; how many were embedded.

    One transaction a batch: stopped anywhere, it goes on where it was. `progress` gets (done, total).
    Vectors of the wrong number or form are `InferenceUnavailable`, and none of their batch is kept.
    """
    with store.read(access) as view:
        total = view.pending()
    if limit is not None:
        total = min(total, limit)
    done = 0
    last = None
    while limit is None or done < limit:
        batch = store.unembedded(
            access, policy.index.batch if limit is None else min(policy.index.batch, limit - done)
        )
        if not batch:
            break
        if batch[0][0] == last:
            raise InferenceUnavailable(f"the store does not take the vectors of {embedder.name!r}")
        last = batch[0][0]
        embeddings = embedder.embed([text for _, text in batch], "passage")
        _check(embedder, embeddings, len(batch))
        with store.write(access) as writer:
            writer.index(embedder.name, zip((each for each, _ in batch), embeddings, strict=True))
        done += len(batch)
        if progress:
            progress(done, max(total, done))
    return done


def probe(embedder: Embedder | None) -> None:
    """Raise `InferenceUnavailable` where the embedder does not answer: before old vectors are dropped."""
    if embedder is not None:
        _check(embedder, embedder.embed(["probe"], "passage"), 1)


def _check(embedder: Embedder, embeddings: Sequence[Embedding], expected: int) -> None:
    if len(embeddings) != expected:
        raise InferenceUnavailable(
            f"{embedder.name!r} gave {len(embeddings)} vectors for {expected} passages: none of them is kept"
        )
    for each in embeddings:
        if each.vector.shape != (embedder.dimensions,):
            raise InferenceUnavailable(
                f"{embedder.name!r} gave a vector of shape {each.vector.shape}, not ({embedder.dimensions},)"
            )
        if not math.isfinite(float(each.vector @ each.vector)):
            raise InferenceUnavailable(f"{embedder.name!r} gave a vector that is not finite")
