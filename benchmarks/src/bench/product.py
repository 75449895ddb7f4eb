"""The product as a user meets it: open, remember, index, recall."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import quoth
from bench.cached import Cached
from bench.datasets import Text
from bench.systems import System
from quoth.core.types import Source
from quoth.inference import embedders

SCOPE = "bench"


@dataclass(frozen=True, slots=True)
class Found:
    """One returned passage."""

    uris: frozenset[str]
    """Its place, and every other place of the same words."""
    text: str
    speaker: str
    score: float
    evidence: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one recall gave, and how long it took."""

    passages: list[Found]
    confidence: str
    abstention: str
    names: tuple[str, ...]
    """People of the store that the question names."""
    conflicts: tuple[str, ...]
    trace: tuple[str, ...]
    ms: float


def document(text: Text) -> quoth.Document:
    """A text as the product takes it."""
    return quoth.Document(
        text.text,
        uri=text.uri,
        kind=text.kind,
        session_id=text.session or None,
        speaker=text.speaker or None,
        said_at=text.said_at,
        source=Source.ASSISTANT if text.speaker == "assistant" else Source.PERSON,
    )


def embedder(system: System, *, cached: bool = True) -> Cached | object | None:
    """The system's embedder; `cached`: passages are looked up in the cache first."""
    if system.embedder == "none":
        return None
    real = embedders.embedder(system.embedder)
    return Cached(real) if cached else real


@contextmanager
def opened(
    folder: Path | str, system: System, model: object | None, scope: str = SCOPE
) -> Iterator[quoth.Memory]:
    """A memory under this system's settings, whatever the environment says."""
    with quoth.open(
        folder,
        actor="bench",
        scope=scope,
        embedder="none" if model is None else model,
        settings=system.all_settings(),
    ) as memory:
        yield memory


def fill(memory: quoth.Memory, texts: Iterable[Text]) -> None:
    """Keep every text and make every vector."""
    memory.remember([document(each) for each in texts])
    memory.index()


def ask(memory: quoth.Memory, question: str, k: int) -> Answer:
    """One question, timed."""
    start = time.perf_counter()
    found = memory.recall(question, k=k)
    ms = 1000 * (time.perf_counter() - start)
    passages = [
        Found(
            uris=frozenset({each.record.testimony.uri, *(seen.uri for seen in each.observations)}),
            text=each.text,
            speaker=each.record.testimony.speaker or "",
            score=each.score,
            evidence=each.evidence,
        )
        for each in found.passages
    ]
    refused = found.abstention.reason if found.abstention else ""
    return Answer(
        passages, str(found.confidence), refused, found.plan.names, found.conflicts, found.trace, ms
    )
