"""Pieces of work that the speed runs time, each in a process of its own: `python -m bench.work NAME JSON`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

import apsw

from bench import product
from bench.synthetic import SCOPES, Conversations
from bench.systems import SYSTEMS, System
from quoth.inference import embedders

BATCH = 1_000
"""Texts that are handed to one `remember`."""
UNDER = {"minilm": "quoth", "static": "quoth-static", "none": "quoth-words"}


def _system(embedder: str) -> System:
    return SYSTEMS[UNDER[embedder]]


def stand_in(embedder: str) -> object | None:
    """A seeded embedder that bears the real one's name and dimensions: fills large stores in minutes."""
    if embedder == "none":
        return None
    real = embedders.embedder(embedder)
    tokens = real.embed(["one"], "query")[0].tokens is not None
    return embedders.HashEmbedder(name=real.name, dimensions=real.dimensions, with_tokens=tokens)


def _batches(conversations: Conversations) -> Iterator[list]:
    texts = (product.document(text) for text in chain.from_iterable(conversations.texts()))
    while batch := list(islice(texts, BATCH)):
        yield batch


def fill(*, store: str, embedder: str, passages: int, seed: int) -> dict[str, object]:
    """A store of N passages, and N/10 and N/100 in two more scopes; vectors by the stand-in."""
    model = stand_in(embedder)
    words = vectors = 0.0
    total = 0
    for scope in SCOPES:
        with product.opened(store, _system("none"), None, scope) as memory:
            for batch in _batches(Conversations(passages, seed, scope)):
                start = time.perf_counter()
                memory.remember(batch)
                words += time.perf_counter() - start
                total += len(batch)
        with product.opened(store, _system(embedder), model, scope) as memory:
            start = time.perf_counter()
            memory.index()
            vectors += time.perf_counter() - start
    return {"passages": total, "words_per_s": total / words, "stand_in_per_s": total / max(vectors, 1e-9)}


def imported(*, store: str, embedder: str, passages: int, seed: int) -> dict[str, object]:
    """Passages a second until they are found by words, and until every vector is there."""
    model = product.embedder(_system(embedder), cached=False)
    if model is not None:
        model.embed(["warm"], "passage")
    batches = list(_batches(Conversations(passages, seed)))
    with product.opened(store, _system(embedder), model) as memory:
        start = time.perf_counter()
        for batch in batches:
            memory.remember(batch)
        words = time.perf_counter() - start
        if model is not None:
            memory.index()
        whole = time.perf_counter() - start
        left = memory.status().pending if model is not None else 0
    return {"words_per_s": passages / words, "whole_per_s": passages / whole, "pending": left}


def memory_now() -> dict[str, float]:
    """Resident memory of this process in MiB: its own pages, and pages of mapped files."""
    found = {}
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]:
        name, _, rest = line.partition(":")
        found[name] = int(rest.split()[0]) / 1024
    own = found["Anonymous"]
    return {"resident": found["Rss"], "own": own, "mapped": found["Rss"] - own}


def recall(
    *, store: str, embedder: str, passages: int, seed: int, scope: str, questions: int, k: int
) -> dict[str, object]:
    """Warm recalls in one process that does nothing else."""
    model = product.embedder(_system(embedder), cached=False)
    asked = Conversations(passages, seed, scope).questions(questions + 20)
    with product.opened(store, _system(embedder), model, scope) as memory:
        start = time.perf_counter()
        first = product.ask(memory, asked[0].text, k)
        cold = 1000 * (time.perf_counter() - start)
        for each in asked[1:20]:
            product.ask(memory, each.text, k)
        times, hits = [], 0
        for each in asked[20:]:
            answer = product.ask(memory, each.text, k)
            times.append(answer.ms)
            hits += any(each.uri in found.uris for found in answer.passages)
        ram = memory_now()
        counts = memory.status()
    return {
        "ms": times,
        "first_ms": cold,
        "degraded": [line for line in first.trace if "vector" in line],
        "found": hits / len(times),
        "memory": ram,
        "readable": counts.passages,
    }


def singles(*, store: str, embedder: str, count: int, seed: int, scope: str) -> dict[str, object]:
    """One durable note at a time, in turns with a bare one-row commit in a database beside the store."""
    model = product.embedder(_system(embedder), cached=False)
    texts = [
        f"Note {seed}-{n}: the blue crate of order {7919 * n % 100_003} stands at dock {n % 17}."
        for n in range(count)
    ]
    bare = apsw.Connection(str(Path(store).parent / "bare.db"))
    bare.execute("PRAGMA journal_mode=WAL")
    bare.execute("PRAGMA synchronous=FULL")
    bare.execute("CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, text TEXT)")
    mine, theirs = [], []
    with product.opened(store, _system(embedder), model, scope) as memory:
        for text in texts:
            start = time.perf_counter()
            memory.remember(text)
            between = time.perf_counter()
            bare.execute("INSERT INTO note (text) VALUES (?)", (text,))
            mine.append(1000 * (between - start))
            theirs.append(1000 * (time.perf_counter() - between))
    return {"remember_ms": mine[10:], "bare_ms": theirs[10:]}


WORK = {"fill": fill, "imported": imported, "recall": recall, "singles": singles}


def main() -> None:
    """Do one piece of work and print what came of it."""
    name, given = sys.argv[1:]
    print(json.dumps(WORK[name](**json.loads(given))))


if __name__ == "__main__":
    main()
