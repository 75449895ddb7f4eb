"""The numbers, each with its origin. Use cases take a policy as an argument."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """What may come in."""

    max_document: int = 20_000_000
    """Code points of one document; larger ones are refused. Keeps one write below a second or so."""
    max_question: int = 10_000
    """Code points of a question that are looked at; the rest is ignored and the trace says so."""


@dataclass(frozen=True, slots=True)
class PassagePolicy:
    """How text is cut for the indices."""

    max_chars: int = 1_500
    """Code points of a passage; a longer record is split, never cut. Set on the development split."""


@dataclass(frozen=True, slots=True)
class LexicalPolicy:
    """BM25 with a length floor (retrieval.md, recipe 1)."""

    k1: float = 0.9
    """Term saturation; retrieval.md section 2, BM25 details."""
    b: float = 0.75
    """Length normalisation; retrieval.md section 2, BM25 details."""
    floor: int = 25
    """Passages count as at least this many words long: stops one-liners winning."""


@dataclass(frozen=True, slots=True)
class IndexPolicy:
    """When vectors are made."""

    inline: int = 48
    """Pending passages that a `recall` embeds before it searches; more are left to `quoth index`."""
    on_close: int = 256
    """Pending passages that are embedded when a memory is closed."""
    batch: int = 256
    """Passages per transaction while embedding."""


@dataclass(frozen=True, slots=True)
class StorePolicy:
    """How the database is used."""

    busy_seconds: float = 30.0
    """How long a writer waits for others before `StoreUnavailable`."""
    head_seconds: float = 1.0
    """The head file is written at most this often; always on close and verify (design section 5)."""


@dataclass(frozen=True, slots=True)
class Policy:
    """All of them."""

    gate: GatePolicy = field(default_factory=GatePolicy)
    passages: PassagePolicy = field(default_factory=PassagePolicy)
    lexical: LexicalPolicy = field(default_factory=LexicalPolicy)
    index: IndexPolicy = field(default_factory=IndexPolicy)
    store: StorePolicy = field(default_factory=StorePolicy)
