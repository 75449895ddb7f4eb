"""The vocabulary: frozen values that cross package borders.

Every datetime is aware and in UTC.
A `Span` is half-open and counts code points of a `str`; lines count from 1, both ends included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    """One text as a unit vector: shape (dimensions,), float32."""

RecordId = NewType("RecordId", str)
"""32 hexadecimal digits; the same words at the same place have the same id on every install."""

PassageId = NewType("PassageId", int)
"""A passage's number in one store, dense from 1; it has no meaning in another store."""

Scope = NewType("Scope", str)
"""Where a record lives and who may see it; made by `rules.scope`, compared exactly."""


class ActorKind(StrEnum):
    """Who acts: a person, an agent that a person runs, or a job that nobody watches."""

    HUMAN = "human"
    AGENT = "agent"
    JOB = "job"


class Authority(IntEnum):
    """How far an actor's word goes; a lift needs at least the rejecter's."""

    JOB = 0
    AGENT = 1
    PERSON = 2
    OWNER = 3


class Source(StrEnum):
    """Where the words came from."""

    PERSON = "person"
    ASSISTANT = "assistant"
    TOOL = "tool"
    WEB = "web"
    IMPORT = "import"
    DERIVED = "derived"


class Status(StrEnum):
    """What the last filing says of a record."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    HELD = "held"
    ERASED = "erased"


class Standing(StrEnum):
    """Status and valid time together, at one moment."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    NOT_YET_VALID = "not_yet_valid"
    RETRACTED = "retracted"
    HELD = "held"
    ERASED = "erased"


class Trust(StrEnum):
    """How far a record is believed."""

    ASSERTED = "asserted"
    VERIFIED = "verified"
    DOUBTFUL = "doubtful"


class Grain(StrEnum):
    """How large a unit of meaning a record is."""

    FACT = "fact"
    TURN = "turn"
    PASSAGE = "passage"


class Confidence(StrEnum):
    """How far an answer is to be believed."""

    HIGH = "high"
    MODERATE = "moderate"
    LOW = "low"
    NONE = "none"


class Result(StrEnum):
    """What became of one record of a `remember`."""

    STORED = "stored"
    DUPLICATE = "duplicate"
    HELD = "held"
    REFUSED = "refused"
    QUEUED = "queued"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who did it; from the authenticated caller, never from text."""

    id: str
    kind: ActorKind
    authority: Authority


@dataclass(frozen=True, slots=True)
class Access:
    """What one caller may read and write; opened once, nothing widens it."""

    actor: Actor
    reads: frozenset[Scope]
    writes: frozenset[Scope]
    home: Scope
    surface: str = "python"
    """The door: python, cli, mcp, http, hook, watch or import."""


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of code points, ``0 <= start < end``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Lines:
    """First and last line, from 1, both included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Period:
    """Half-open valid time ``[start, end)``; ``None`` is open."""

    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class AsOf:
    """A bitemporal address: what was true at `valid`, as known at `system`; ``None`` is now."""

    valid: datetime | None = None
    system: datetime | None = None


NOW = AsOf()


@dataclass(frozen=True, slots=True)
class Document:
    """One piece of text as a reader found it: a file, a message, a note."""

    text: str
    uri: str = ""
    """Where it stands; empty: derived from the words, so that the same words are the same document."""
    kind: str = "note"
    """note, fact, turn, text, markdown: decides how it is cut (`ingest.passages`)."""
    session_id: str | None = None
    speaker: str | None = None
    said_at: datetime | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    source: Source = Source.PERSON


@dataclass(frozen=True, slots=True)
class Testimony:
    """Immutable words and where they come from; sealed, provenance too."""

    id: RecordId
    scope: Scope
    text: str
    digest: str
    """Salted SHA-256 (hex) over every other field: `ledger.testimony_digest`."""
    salt: bytes
    uri: str
    session_id: str | None
    speaker: str | None
    said_at: datetime | None
    recorded_at: datetime
    actor: Actor
    source: Source
    derived_from: tuple[RecordId, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """Where and when the words of a record were read."""

    record_id: RecordId
    uri: str
    span: Span
    lines: Lines
    seen_at: datetime
    actor: Actor


@dataclass(frozen=True, slots=True)
class Passage:
    """What the indices hold: a slice of a record's text, usually all of it."""

    record_id: RecordId
    span: Span


@dataclass(frozen=True, slots=True)
class Filing:
    """One revision of how a record is kept; revisions only grow, the last one counts."""

    record_id: RecordId
    revision: int
    status: Status
    filed_at: datetime
    actor: Actor
    trust: Trust = Trust.ASSERTED
    category: str = ""
    grain: Grain = Grain.PASSAGE
    importance: int = 5
    """1 (passing) to 10 (vital)."""
    stakes: tuple[str, ...] = ()
    pinned: bool = False
    valid: Period = Period()
    supersedes: RecordId | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """Testimony with its current filing."""

    testimony: Testimony
    filing: Filing


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One link of the chain of (origin, scope)."""

    origin: str
    scope: Scope
    seq: int
    hlc: int
    """Hybrid logical clock: microseconds since 1970, never less than the previous entry's plus one."""
    at: datetime
    actor: Actor
    surface: str
    action: str
    subject: str
    payload_digest: str
    prev: str
    hash: str


@dataclass(frozen=True, slots=True)
class Head:
    """The last link of one chain."""

    origin: str
    scope: Scope
    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage that one arm found; the score is that arm's own."""

    passage: PassageId
    score: float


@dataclass(frozen=True, slots=True)
class Embedding:
    """What an embedder gives for one text.

    `vector` is a unit vector, float32 (dimensions,).
    `tokens` is None where the model has no token vectors; for the role ``query`` it is float32
    (n, dimensions), unit rows; for the role ``passage`` it is uint8 (n, dimensions / 8): one sign bit
    a dimension of the at most 32 rarest content tokens.
    `pieces` are the wordpiece ids of these rows, uint16 (n,); in a query the id of a stop word or of
    punctuation is given as 0, which is no wordpiece: recall weighs these rows alike, without a vocabulary.
    """

    vector: Vector
    tokens: NDArray[np.float32] | NDArray[np.uint8] | None = None
    pieces: NDArray[np.uint16] | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """How much one access can see."""

    documents: int
    records: int
    passages: int
    current: int
    held: int
    pending: int
    """Passages without a vector of the model in use."""
    bytes: int
    """Bytes on disk of the whole store."""


@dataclass(frozen=True, slots=True)
class Abstention:
    """A reasoned no-answer."""

    reason: str
    """empty_question, nothing_stored, nothing_found or below_floor."""
    detail: str


@dataclass(frozen=True, slots=True)
class Plan:
    """How a question was understood; deterministic."""

    terms: tuple[str, ...]
    """Analysed query words with repeats, in order (`core.text.analyse`)."""
    names: tuple[str, ...] = ()
    """Speakers of this store that the question names."""
    dates: tuple[tuple[int, int], ...] = ()
    """Explicit dates as inclusive intervals of proleptic ordinals (`date.toordinal`)."""
    asks_when: bool = False
    asks_how_long: bool = False
    of_assistant: bool = False
    """The question asks what the assistant said."""
    dense_text: str = ""
    """What is embedded: the question without the names of people in this store."""
    grain: Grain | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled:
    """One passage of an answer."""

    record: Record
    passage: Passage
    text: str
    """The slice: ``record.testimony.text[passage.span.start:passage.span.end]``."""
    score: float
    evidence: Mapping[str, float]
    standing: Standing
    superseded_by: RecordId | None
    observations: tuple[Observation, ...]

    @property
    def id(self) -> RecordId:
        """The id of the record that the passage is a slice of."""
        return self.record.testimony.id


@dataclass(frozen=True, slots=True)
class Recollection:
    """What `recall` returns, whatever the arguments."""

    question: str
    passages: tuple[Recalled, ...]
    confidence: Confidence
    abstention: Abstention | None
    conflicts: tuple[str, ...]
    answerable: bool
    requires_review: bool
    mode: str
    tier: str
    as_of: datetime | None
    known_at: datetime | None
    plan: Plan
    degraded: tuple[str, ...]
    trace: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one record."""

    record_id: RecordId | None
    outcome: Result
    why: str = ""
    indexed: bool = False
    """True when its vectors are stored too; words are findable either way."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """One outcome per record, in reading order."""

    outcomes: tuple[Outcome, ...]

    def count(self, outcome: Result) -> int:
        """How many records had that outcome."""
        return sum(1 for each in self.outcomes if each.outcome is outcome)


class VerifyState(StrEnum):
    """What `verify` says of one record."""

    SEALED = "sealed"
    ALTERED = "altered"
    MISSING = "missing"
    UNSEALED = "unsealed"
    DISPUTED = "disputed"
    ERASED = "erased"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One record that `verify` does not call sealed, and what to do."""

    record_id: str
    state: VerifyState
    next_action: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What `verify` found: counts by state, chains, and what that proves."""

    counts: Mapping[str, int]
    verdicts: tuple[Verdict, ...]
    heads: tuple[Head, ...]
    anchored: str
    """anchored, unanchored (no witness) or regressed (the database is behind its head file)."""
    index: str
    """ok, behind or damaged: whether the derived files equal the rows."""
    problems: tuple[str, ...]
    clean: bool
    proves: str
    does_not_prove: str


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
