"""The seams: what can be replaced. Every implementation is held to `tests/contract/`.

A port says what its callers may count on; adapters raise only errors of `core.errors`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol

from quoth.core.types import (
    ANY,
    NOW,
    Access,
    Adoption,
    Answer,
    AsOf,
    Audited,
    Counts,
    Document,
    Embedding,
    Erased,
    Explanation,
    Fact,
    FactOutcome,
    Filing,
    Head,
    Held,
    Hit,
    LedgerEntry,
    Lift,
    Limits,
    Observation,
    Passage,
    PassageId,
    Record,
    RecordId,
    Rejection,
    Resolution,
    Result,
    Review,
    Scope,
    Span,
    Status,
    Testimony,
    Verification,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from quoth.core.types import Vector


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        ...


class Embedder(Protocol):
    """Turns text into vectors, without cutting it.

    Where it gives token vectors, a query has one row for each wordpiece, with the piece 0 for stop words
    and punctuation; a passage has one for each of its rarest content wordpieces (`types.Embedding`).
    Remote ones learn `dimensions` from the first answer and say 0 until then.
    """

    name: str
    """Stored beside every vector; two names never compare."""
    dimensions: int
    cheap: bool
    """True where one passage costs less than a commit, so that it is embedded with it."""

    def embed(self, texts: Sequence[str], role: Literal["query", "passage"]) -> list[Embedding]:
        """One embedding a text, in order; raises `InferenceUnavailable`, never cuts a text."""
        ...


@dataclass(frozen=True, slots=True)
class Turns:
    """Columns of passages that stand in the same sessions, in session order.

    Every array has shape (n,) and is aligned with `passage`; sorted by session, then place in it.
    A session is a conversation, or the document of a note.
    """

    passage: NDArray[np.int64]
    record: NDArray[np.int64]
    """Number of the record in this store: passages of one record share it."""
    session: NDArray[np.int64]
    speaker: NDArray[np.int64]
    """Position in `ReadView.speakers()`, 0 for none."""
    said_day: NDArray[np.int64]
    """Ordinal of the day on which it was said; 0 unknown."""
    tokens: NDArray[np.int64]
    """Analysed words, repeats included."""
    chars: NDArray[np.int64]
    flags: NDArray[np.int64]
    """Bits of `core.text.Flag`."""
    voice: NDArray[np.int64]
    """`core.text.Voice` of the speaker: none, person, user, assistant, tool."""
    grain: NDArray[np.int64]
    """0 passage, 1 turn, 2 fact."""
    lexical: NDArray[np.float32]
    """BM25, raw."""
    cosine: NDArray[np.float32]
    """Passage vector with query vector; 0 where there is none."""
    session_lexical: NDArray[np.float32]
    """BM25 of the whole session's words, divided by its ideal."""


@dataclass(frozen=True, slots=True)
class Event:
    """An interval of days that a passage speaks of, both ends included (ordinals)."""

    passage: PassageId
    first_day: int
    last_day: int


class ReadView(Protocol):
    """What one access may see at one moment; the only way to read."""

    def get(self, record_id: RecordId) -> Record:
        """One record with its filing at this moment; `NotFound` outside the scopes."""
        ...

    def begins(self, beginning: str) -> tuple[RecordId, ...]:
        """Ids of records that begin with these hexadecimal digits, at most a hundred, in order."""
        ...

    def knows(self, record_id: RecordId) -> bool:
        """Whether `get` would find a record; far cheaper where it would not."""
        ...

    def history(self, record_id: RecordId) -> tuple[Filing, ...]:
        """Every revision of a record, oldest first."""
        ...

    def superseder(self, record_id: RecordId) -> RecordId | None:
        """The record that was filed in the place of this one."""
        ...

    def records(self, status: Status | None = None, newest_first: bool = False) -> Iterator[Record]:
        """Every record, in order of recording; of one status where given."""
        ...

    def lexical(self, terms: Sequence[str], k: int) -> list[Hit]:
        """The `k` best passages by BM25 with a length floor; ties by passage number."""
        ...

    def dense(self, vector: Vector, k: int) -> list[Hit]:
        """The `k` best passages by cosine; ties by passage number."""
        ...

    def dated(self, days: Sequence[tuple[int, int]], slack: int) -> list[Event]:
        """Events that lie at most `slack` days from one of the intervals (ordinals)."""
        ...

    def said(self, days: Sequence[tuple[int, int]], slack: int) -> list[PassageId]:
        """One passage of every session with a turn said at most `slack` days from an interval."""
        ...

    def turns(self, passages: Sequence[PassageId], terms: Sequence[str], vector: Vector | None) -> Turns:
        """Every readable passage of the sessions in which these stand, with its evidence."""
        ...

    def token_bits(self, passages: Sequence[PassageId]) -> list[bytes]:
        """Sign bits of the token vectors of each passage, row after row; empty where there are none."""
        ...

    def holds(self, passages: Sequence[PassageId], terms: Sequence[str]) -> list[bool]:
        """Whether each passage holds one of these analysed words; False for one that cannot be read."""
        ...

    def wordpieces(self, ids: Sequence[int]) -> Mapping[int, int]:
        """In how many readable passages each wordpiece stands."""
        ...

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """In how many readable passages each analysed word stands."""
        ...

    def passages(self, ids: Sequence[PassageId]) -> list[tuple[Record, Passage]]:
        """The records and slices of these passages, in the same order; `NotFound` outside the scopes."""
        ...

    def speakers(self) -> Sequence[str]:
        """Speakers of the store; position 0 is the empty name. Foreign names are empty too."""
        ...

    def years(self) -> Sequence[int]:
        """Years in which something readable was said, ascending."""
        ...

    def mean_words(self) -> float:
        """Mean number of analysed words of the readable passages, repeats included; never 0."""
        ...

    def median_chars(self) -> float:
        """Median length of the readable passages, in code points."""
        ...

    def readable(self) -> int:
        """How many passages this view can see."""
        ...

    def pending(self) -> int:
        """Readable passages that have no vector of this model yet; 0 where another model is stored."""
        ...

    def model(self) -> str | None:
        """The model whose vectors are stored; None before the first one."""
        ...

    def notices(self) -> tuple[str, ...]:
        """What happened to the derived index since the store was opened, in words for a person."""
        ...

    def document(self, uri: str) -> Document:
        """The last version of a document; `NotFound` outside the scopes."""
        ...

    def documents(self, prefix: str = "") -> Mapping[str, str]:
        """uri -> digest (hex) of the last version of each living document whose uri starts so."""
        ...

    def document_records(self, uri: str) -> list[Record]:
        """Current records of the last version of a document, in reading order."""
        ...

    def neighbours(self, record_id: RecordId, n: int) -> list[Record]:
        """Up to `n` records on each side in the same session, in order, this one included."""
        ...

    def session(self, session_id: str) -> Iterator[Record]:
        """The records of a session, in order."""
        ...

    def observations(self, record_id: RecordId) -> tuple[Observation, ...]:
        """Where and when a record's words were read, oldest first."""
        ...

    def head(self, record_id: RecordId) -> Record:
        """The end of the chain of corrections in which a record stands; itself where nothing replaced it."""
        ...

    def same(self, scope: Scope, text: str, status: Status | None = None) -> tuple[Record, ...]:
        """Records of a scope whose words have this normal form, oldest first; of one status where given.

        Looks at every text of the scope, but for a status other than current, which is as fast as `get`.
        """
        ...

    def alike(self, scope: Scope, keys: Sequence[str]) -> tuple[Record, ...]:
        """Current records of a scope that say something of the same kind (`statements.keys`)."""
        ...

    def rejections(self, lifted: bool = False) -> tuple[Rejection, ...]:
        """Rejections that bind at this moment, oldest first; with `lifted`, all that were ever laid."""
        ...

    def lifts(self) -> tuple[Lift, ...]:
        """Every lift, oldest first."""
        ...

    def rejected(self, scope: Scope, text: str) -> Rejection | None:
        """The rejection that binds these words in a scope, erased words too."""
        ...

    def facts(self, entity: str | None = None, attribute: str | None = None) -> tuple[Fact, ...]:
        """What stands at this moment: at most one fact a slot, in order of slots.

        Its evidence is that of every assertion of the value, its valid time what is left of it.
        """
        ...

    def fact_events(self, entity: str, attribute: str) -> tuple[Fact | Rejection | Lift, ...]:
        """Everything that was ever said of a slot, oldest first."""
        ...

    def reviews(
        self, answered: bool = False, about: Collection[RecordId] | None = None
    ) -> tuple[Review, ...]:
        """What waits for a person, oldest first; with `answered`, what was decided too.

        `about` keeps the items that name one of these records.
        """
        ...

    def audit(self, since: datetime | None = None) -> Iterator[Audited]:
        """Who did what, when, through which door and why, oldest first: one line a ledger entry."""
        ...

    def count(self) -> Counts:
        """How much can be seen."""
        ...

    def ledger(self, origin: str, scope: Scope, after: int = 0) -> Iterator[LedgerEntry]:
        """Entries of one chain with ``seq > after``, in order."""
        ...

    def heads(self) -> tuple[Head, ...]:
        """Heads of the chains of the readable scopes."""
        ...


class WriteView(ReadView, Protocol):
    """One transaction; each call but `index` appends its own ledger entry. There is no other write."""

    def put(
        self,
        document: Document,
        testimony: Testimony,
        seen: Observation,
        filing: Filing,
        passages: Sequence[Span],
    ) -> Result:
        """Keep a record and its document: stored, or a duplicate, of which only the observation is new.

        Words under a rejection are held: kept with the status held, and put into the queue; erased words
        are refused: nothing of them is kept. A second reading of a known record at the same uri and span
        changes nothing and writes nothing, except that of held words which somebody says again: counted.
        """
        ...

    def refile(self, filing: Filing) -> None:
        """Append a revision; `Conflict` unless it follows the last one, or where its words are rejected."""
        ...

    def assert_fact(self, fact: Fact) -> FactOutcome:
        """Assert a value. Under a rejection it is held, whatever its confidence, before any rank."""
        ...

    def reject(self, rejection: Rejection) -> Rejection:
        """Lay a rejection; its fingerprints are made here, of its value or of its record's words."""
        ...

    def lift(self, lift: Lift) -> None:
        """End a rejection; `AccessDenied` below the rejecter's authority, `NotFound` where none binds."""
        ...

    def hold(self, held: Held) -> Review:
        """Put something into the queue; the item, which may have come before and may be answered."""
        ...

    def answer(self, answer: Answer) -> None:
        """Answer an item of the queue; `Conflict` where it is answered already."""
        ...

    def erase(self, record_id: RecordId, reason: str) -> tuple[RecordId, ...]:
        """Destroy the words of a record and of every record of its scope with the same normal form.

        Nothing can be read of them afterwards at any moment; the chain keeps its entries. `Store.purge`
        then cleans what lies outside the rows.
        """
        ...

    def refused(self, action: str, subject: str, reason: str) -> None:
        """Note in the caller's home chain that somebody tried what they may not."""
        ...

    def move(self, old_uri: str, new_uri: str, seen_at: datetime) -> None:
        """A document has another name: its records keep their ids and are observed there."""
        ...

    def retire(self, uri: str) -> None:
        """A document is gone from its place; its records are refiled by the caller."""
        ...

    def index(self, model: str, embeddings: Iterable[tuple[PassageId, Embedding]]) -> None:
        """Keep vectors; derived, not in the ledger."""
        ...


class Store(Protocol):
    """Where everything is kept."""

    origin: str
    """The id of this install."""

    def read(
        self, access: Access, as_of: AsOf = NOW, limits: Limits = ANY
    ) -> AbstractContextManager[ReadView]:
        """A view of one snapshot; `limits` narrow what is searched, not what is looked up by id."""
        ...

    def write(self, access: Access) -> AbstractContextManager[WriteView]:
        """A view with one transaction: durable when it ends, undone when it raises."""
        ...

    def unembedded(self, access: Access, limit: int) -> list[tuple[PassageId, str]]:
        """Passages, oldest first, without a vector of the model in use, with their words."""
        ...

    def verify(self, access: Access, witness: Sequence[Head] = ()) -> Verification:
        """Compare every record, event and chain of the readable scopes with the ledger.

        `witness` are heads that somebody kept elsewhere.
        """
        ...

    def adopt(self, access: Access, witness: Sequence[Head] = (), *, seal: bool) -> Adoption:
        """What in the writable scopes the ledger does not know; with `seal` an entry is added for each.

        Never for what does not fit its own digest. `Conflict` on a chain that is broken, or that no
        witness anchors; `AccessDenied` below a person.
        """
        ...

    def explain(self, access: Access, subject: str) -> Explanation:
        """What is held of a record or event, and every entry that speaks for it; else `NotFound`."""
        ...

    def resolve(self, access: Access, because: str, *, close: bool) -> Resolution:
        """The chains of the writable scopes that do not hold; with `close`, each begins anew.

        What was there is kept and stays readable, and the first entry of the new part commits to all of
        it. `InvalidInput` where every chain holds; `AccessDenied` below a person.
        """
        ...

    def purge(self, access: Access, records: Sequence[RecordId]) -> Erased:
        """Clean what lies outside the rows of erased records: free pages, write-ahead log, derived files.

        Never raises because another process is in the way: `Erased.places` says so, and the next `open`,
        `verify`, `purge` or `close` goes on.
        """
        ...

    def rebuild(self) -> None:
        """Throw the derived files away and make them again from the rows."""
        ...

    def close(self) -> None:
        """Fsync the head file and let go of everything; may be called twice."""
        ...
