"""The seams: what can be replaced. Every implementation is held to `tests/contract/`.

A port says what its callers may count on; adapters raise only errors of `core.errors`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol

from quoth.core.types import (
    NOW,
    Access,
    AsOf,
    Counts,
    Document,
    Embedding,
    Filing,
    Head,
    Hit,
    LedgerEntry,
    Observation,
    Passage,
    PassageId,
    Record,
    RecordId,
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
    ) -> bool:
        """Keep a record and its document; False: heard before, only the observation is new.

        A second reading at the same uri and span changes nothing and writes nothing.
        """
        ...

    def refile(self, filing: Filing) -> None:
        """Append a revision; `Conflict` unless it follows the last one."""
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

    def read(self, access: Access, as_of: AsOf = NOW) -> AbstractContextManager[ReadView]:
        """A view of one snapshot."""
        ...

    def write(self, access: Access) -> AbstractContextManager[WriteView]:
        """A view with one transaction: durable when it ends, undone when it raises."""
        ...

    def unembedded(self, access: Access, limit: int) -> list[tuple[PassageId, str]]:
        """Passages, oldest first, without a vector of the model in use, with their words."""
        ...

    def verify(self, access: Access) -> Verification:
        """Compare every record and chain of the readable scopes with the ledger."""
        ...

    def rebuild(self) -> None:
        """Throw the derived files away and make them again from the rows."""
        ...

    def close(self) -> None:
        """Fsync the head file and let go of everything; may be called twice."""
        ...
