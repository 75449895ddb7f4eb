"""The vocabulary: frozen values that cross package borders.

Every datetime is aware. `said_at` and the ends of a valid time keep the offset that they came with; all
others are in UTC.
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
class Limits:
    """What else a reader narrows a search to; all of it is a predicate in the query."""

    since: datetime | None = None
    """Said (else recorded) at this moment or later."""
    until: datetime | None = None
    """Said (else recorded) before this moment."""
    recorded: bool = False
    """`since` and `until` look at when it was recorded."""
    trust: frozenset[Trust] = frozenset(Trust)
    history: bool = False
    """Records that were superseded or have expired are found too; never rejected, held or erased ones."""


ANY = Limits()
SERVED = Limits(trust=frozenset({Trust.ASSERTED, Trust.VERIFIED}))
"""What `recall` looks at unless asked otherwise."""


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
    valid: Period = Period()
    """When it is true, where the writer says so; else from when it was said."""


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
class Fact:
    """One assertion: the value of a slot (scope, entity, attribute). What stands is a fold of these."""

    id: str
    """32 hexadecimal digits."""
    scope: Scope
    entity: str
    attribute: str
    value: str
    """As it was written; compared by `values.same`."""
    confidence: Trust
    """The ladder: asserted, then verified; never doubtful."""
    valid: Period
    evidence: tuple[RecordId, ...]
    actor: Actor
    at: datetime
    note: str = ""


class Target(StrEnum):
    """What a rejection binds."""

    VALUE = "value"
    WORDS = "words"
    ERASED = "erased"
    """Words that were erased: refused, not held, when they come again."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """A tombstone: what it names is not served again, whoever says it, until a `Lift` names it."""

    id: str
    """32 hexadecimal digits."""
    scope: Scope
    target: Target
    fingerprints: Mapping[str, str]
    """Kind of comparison -> keyed fingerprint (hex): one for words, one for each reading of a value."""
    reason: str
    actor: Actor
    at: datetime
    entity: str = ""
    attribute: str = ""
    value: str = ""
    """A rejected value as it was written; empty for words."""
    record_id: RecordId | None = None
    """The record whose words were rejected."""


@dataclass(frozen=True, slots=True)
class Lift:
    """The end of a rejection; by at least the rejecter's authority."""

    id: str
    scope: Scope
    rejection: str
    reason: str
    actor: Actor
    at: datetime


class Waiting(StrEnum):
    """Why something waits for a person."""

    REASSERTION = "reassertion"
    CONTRADICTION = "contradiction"
    STAKES = "stakes"
    DUPLICATE = "duplicate"
    SUSPICIOUS = "suspicious"
    ERASED = "erased"
    """Erased words that came again: refused; only counted, nobody has to decide."""


@dataclass(frozen=True, slots=True)
class Held:
    """Something that waits for a person: said once for each time that it came."""

    id: str
    scope: Scope
    kind: Waiting
    key: str
    """What is the same when it comes again (keyed fingerprint, hex): one item of the queue."""
    reason: str
    actor: Actor
    at: datetime
    record_id: RecordId | None = None
    """The record that waits; its words are its own."""
    against: RecordId | None = None
    """The record that it speaks against or repeats."""
    fact: Fact | None = None
    """The assertion that waits."""
    against_fact: str = ""
    """Id of the fact that it speaks against."""
    rejection: str = ""
    """Id of the rejection that binds it."""
    uri: str = ""
    """Where it was read."""


class Decision(StrEnum):
    """What a person says to something that waits."""

    ACCEPT = "accept"
    """What waits takes its place: a held record or value counts, and supersedes what it speaks against."""
    KEEP = "keep"
    """Both stay."""
    REJECT = "reject"
    """What waits is rejected, and does not come back."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was decided about an item of the queue."""

    id: str
    scope: Scope
    held: str
    """Id of the `Held` that was answered; it answers every one with the same key."""
    decision: Decision
    reason: str
    actor: Actor
    at: datetime


@dataclass(frozen=True, slots=True)
class Review:
    """One item of the queue, with how often it came and what was decided."""

    held: Held
    """As it came first; its id is the item's."""
    seen_count: int
    last_at: datetime
    answer: Answer | None
    text: str = ""
    """Its words; empty where they were erased."""
    against_text: str = ""


class Asserted(StrEnum):
    """What became of an assertion."""

    STORED = "stored"
    REPEATED = "repeated"
    """The same value again: its confidence and evidence may have grown."""
    REPLACED = "replaced"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class FactOutcome:
    """What became of an assertion, and what it met."""

    outcome: Asserted
    fact: Fact | None
    """What stands in the slot now; None for an empty slot."""
    why: str = ""
    replaced: Fact | None = None
    review: str = ""
    """Id of the item of the queue that holds it."""
    question: str = ""
    """What a person is asked, where it speaks against what stands."""


@dataclass(frozen=True, slots=True)
class Conflicting:
    """A new record and a current one that cannot both be true, by rule."""

    record_id: RecordId
    """The one that was there."""
    on: str
    """number, negation, date or value."""
    review: str
    """Id of the item of the queue."""
    question: str


@dataclass(frozen=True, slots=True)
class Audited:
    """One line of the audit log."""

    at: datetime
    actor: Actor
    surface: str
    action: str
    scope: Scope
    subject: str
    why: str
    origin: str
    seq: int


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
    review: int = 0
    """Items of the queue that wait for a person."""


@dataclass(frozen=True, slots=True)
class Abstention:
    """A reasoned no-answer."""

    reason: str
    """empty_question, nothing_stored, nothing_found, below_floor, nothing_in_window or below_trust."""
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
    conflict: Conflicting | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """One outcome per record, in reading order."""

    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...] = ()
    """What was taken for granted: the zone of a time without an offset."""

    def count(self, outcome: Result) -> int:
        """How many records had that outcome."""
        return sum(1 for each in self.outcomes if each.outcome is outcome)


class VerifyState(StrEnum):
    """What `verify` says of one record or event."""

    SEALED = "sealed"
    """It is what the ledger says that it was, in every sealed field."""
    ALTERED = "altered"
    """It is not: something of it was changed, put in or taken out past Quoth."""
    MISSING = "missing"
    """The ledger knows it, the store does not."""
    UNSEALED = "unsealed"
    """The store has it, the ledger does not."""
    DISPUTED = "disputed"
    """What the ledger says of it stands in a part of the chain that nothing vouches for."""
    ERASED = "erased"
    """Its words were destroyed through Quoth."""
    FOREIGN = "foreign"
    """Only a chain of another install speaks for it, one that does not hold here."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One record or event that `verify` does not call sealed, and what to do."""

    id: str
    state: VerifyState
    next_action: str
    kind: str = "record"
    """record, or what the ledger calls the event: assert, reject, lift, hold, answer."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What `erase` did, place by place."""

    records: tuple[RecordId, ...]
    """Every record of these words in the scope."""
    places: Mapping[str, str]
    """Where the words could stand -> what was done there."""
    clean: bool
    """False where a place could not be cleaned yet; `places` says which, and what to do."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A part of a chain that a person closed with `verify --resolve`; it is kept as it was found."""

    origin: str
    """The chain's, with the number of the part: that is how its entries are still read."""
    scope: Scope
    entries: int
    disputed: int
    """How many of them nothing vouched for."""
    hash: str
    """What the entry that closed it commits to: the digest of every row of it."""
    found: tuple[str, ...]
    """What was wrong with it."""
    because: str
    actor: Actor | None
    """Who closed it; None for a part that is not closed yet."""
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Verification:
    """What `verify` found: counts by state, chains, and what that proves."""

    counts: Mapping[str, int]
    """Records by state."""
    events: Mapping[str, int]
    """Facts, rejections, lifts, held things and answers by state."""
    verdicts: tuple[Verdict, ...]
    heads: tuple[Head, ...]
    """Keep one of each chain elsewhere: it is the witness against whoever replaces store and head file."""
    anchored: str
    """anchored, unanchored (no witness says how long a chain was) or regressed (it is not what one saw)."""
    index: str
    """ok, behind or damaged: whether the derived files equal the rows."""
    problems: tuple[str, ...]
    resolved: tuple[Resolved, ...]
    clean: bool
    """Nothing is wrong, every chain is anchored, and what is in dispute was resolved by a person."""
    proves: str
    does_not_prove: str


@dataclass(frozen=True, slots=True)
class Adoption:
    """What `verify --adopt` seals: rows that the ledger does not know."""

    records: int
    events: int
    sample: tuple[str, ...]
    """Ids, up to ten."""
    refused: tuple[str, ...]
    """Ids of rows that do not fit their own digest: they are never sealed."""
    why: str
    done: bool
    """False while it only shows."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One ledger entry that speaks for a record or event."""

    entry: LedgerEntry
    sound: bool
    """False where it stands in a part of the chain that nothing vouches for."""
    fits: bool
    """Whether what the store holds is what it sealed."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What `verify --explain` says of one record or event; never its words."""

    id: str
    kind: str
    state: VerifyState
    held: tuple[str, ...]
    """What the store holds of it."""
    entries: tuple[Spoken, ...]
    problems: tuple[str, ...]
    """Where the chains that could speak for it are broken."""
    next_action: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """What `verify --resolve` closes."""

    segments: tuple[Resolved, ...]
    done: bool
    """False while it only shows."""


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
