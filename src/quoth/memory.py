"""The service object: `Memory` binds the parts of one open memory to the use cases, and decides nothing.

Verbs are the commands of the command line, one method each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from os import PathLike
from pathlib import Path
from sys import maxsize
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, SupportsIndex, TypeVar

from quoth.core import rules
from quoth.core.errors import InvalidInput
from quoth.core.types import (
    Access,
    AsOf,
    Counts,
    Document,
    Filing,
    Grain,
    Passage,
    Recalled,
    Receipt,
    Recollection,
    Record,
    RecordId,
    Span,
    Status,
    Verification,
)
from quoth.ingest import index
from quoth.ingest.given import documents as given_documents
from quoth.ingest.remember import remember
from quoth.recall import explain
from quoth.recall import recall as recalling

if TYPE_CHECKING:
    from quoth.core.policy import Policy
    from quoth.core.ports import Clock, Embedder, ReadView, Store
    from quoth.ingest.importing import ImportReport as ImportReport
    from quoth.ingest.watch import WatchReport as WatchReport

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Called with (done, total) while a long work goes on."""


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """How far the vectors are."""

    embedder: str | None
    """The model in use; None: words only."""
    stored: str | None
    """The model whose vectors are stored; another one than in use is not searched until `index_rebuild`."""
    passages: int
    pending: int
    """Passages without a vector of that model; their words are found."""


class Vectors(Protocol):
    """When vectors are made besides `index`: decided by the composition root."""

    def before(self, pending: int) -> None:
        """Called before a search where passages have no vector; never raises because a model is away."""
        ...

    def after(self, receipt: Receipt) -> Receipt:
        """Called after every write; the receipt with what was embedded at once."""
        ...

    def close(self, *, embed: bool) -> None:
        """Called before the store closes; never raises because a model is away."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What an open memory is made of; put together in `app.open`."""

    store: Store
    access: Access
    watching: Access
    """The same scopes as a job: nobody looks at each file of a watched folder."""
    importing: Access
    """The same, for imports."""
    embedder: Embedder | None
    clock: Clock
    policy: Policy
    vectors: Vectors


class Memory:
    """One open memory of one caller; made by `quoth.open`, a context manager.

    Everything raises `StoreUnavailable` when the store is locked, full or gone,
    and `IntegrityError` when it is damaged. Times are aware; results hold them in UTC.
    """

    __slots__ = ("_parts",)

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    # -- remember -----------------------------------------------------------------------------

    def remember(self, documents: Document | str | Iterable[Document | str]) -> Receipt:
        """Keep the words: durable, and findable by words, when this returns.

        One outcome a record, in reading order; what is refused, held or known already is an outcome
        with its reason, not an error. A `str` is a note by the caller. The same documents again change
        nothing. Raises `InvalidInput` for what is no document.
        """
        p = self._parts
        found = given_documents(documents)
        return p.vectors.after(remember(p.store, p.access, p.clock, p.policy, found))

    def watch(
        self,
        paths: str | PathLike[str] | Iterable[str | PathLike[str]],
        *,
        progress: Progress | None = None,
    ) -> WatchReport:
        """Read folders and files (one or many) once, and take over what changed in them since the last time.

        An edit supersedes what changed, a deleted file's records are retracted, a renamed file keeps
        its records. Raises `InvalidInput` for a path that is not there.
        """
        from quoth.ingest import watch  # readers load when something is read

        p = self._parts
        report = watch.once(p.store, p.watching, p.clock, p.policy, _paths(paths), progress)
        p.vectors.after(Receipt(()))
        return report

    def import_(
        self, format: str, path: str | PathLike[str], *, progress: Progress | None = None
    ) -> ImportReport:
        """Keep what a transcript says, or every transcript of a folder; again, only what is new.

        `format` is one of `quoth.ingest.readers.FORMATS`. What cannot be read is listed in the report.
        Raises `InvalidInput` for another format and for a path that is not there.
        """
        from quoth.ingest import importing

        p = self._parts
        report = importing.import_transcripts(
            p.store, p.importing, p.clock, p.policy, _typed("a format", format, str), _path(path), progress
        )
        p.vectors.after(Receipt(()))
        return report

    # -- recall -------------------------------------------------------------------------------

    def recall(
        self,
        question: str,
        *,
        k: int | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        budget: int | None = None,
        grain: Grain | None = None,
        mode: str = "helpful",
        tier: str = "zero-llm",
    ) -> Recollection:
        """The passages that answer the question, best first, with a confidence, or a reasoned abstention.

        `k` passages at most (setting `recall.k`), of `budget` tokens together (setting `recall.budget`).
        `as_of` asks what was true then, `known_at` what this memory knew then; both need an offset.
        `grain` keeps one kind of record. Raises `InvalidInput` for a value out of range.
        """
        p = self._parts
        asked = _typed("a question", question, str)
        moment = AsOf(valid=_utc("as_of", as_of), system=_utc("known_at", known_at))
        at_most, spend = _optional("k", k), _optional("a budget", budget)
        return recalling.recall(
            p.store,
            p.access,
            p.embedder,
            p.clock,
            p.policy,
            asked,
            p.vectors.before,
            k=at_most,
            as_of=moment,
            budget=spend,
            grain=grain,
            mode=mode,
            tier=tier,
        )

    def explain(self, recollection: Recollection) -> tuple[str, ...]:
        """How an answer came about, as sentences."""
        return explain.sentences(_typed("what is explained", recollection, Recollection))

    def get(self, id: str) -> Recalled:
        """One record whole, as `recall` would show it, whatever its standing.

        Raises `NotFound` for an id that is not in the caller's scopes.
        """
        p = self._parts
        wanted = RecordId(_typed("an id", id, str))
        with p.store.read(p.access) as view:
            return _shown(view, view.get(wanted), p.clock.now())

    def recent(self, n: int = 10) -> tuple[Recalled, ...]:
        """The `n` current records that were recorded last, newest first."""
        p = self._parts
        count = _positive(n)
        with p.store.read(p.access) as view:
            newest = islice(view.records(Status.CURRENT, newest_first=True), count)
            return tuple(_shown(view, record, p.clock.now()) for record in list(newest))

    def history(self, id: str) -> tuple[Filing, ...]:
        """Every revision of how a record is kept, oldest first; raises `NotFound` as `get` does."""
        p = self._parts
        wanted = RecordId(_typed("an id", id, str))
        with p.store.read(p.access) as view:
            return view.history(wanted)

    # -- keep, prove, look --------------------------------------------------------------------

    def index(self, *, limit: int | None = None, progress: Progress | None = None) -> int:
        """Make the vectors that are pending, `limit` at most; how many were made.

        None where there is no model. May be stopped and called again.
        Raises `InferenceUnavailable` when the model does not answer.
        """
        return _embed(self._parts, _optional("a limit", limit), progress)

    def index_status(self) -> IndexStatus:
        """How many passages have vectors, and of which model."""
        p = self._parts
        with p.store.read(p.access) as view:
            counts = view.count()
            return IndexStatus(_name(p.embedder), view.model(), counts.passages, counts.pending)

    def index_rebuild(self, *, progress: Progress | None = None) -> int:
        """Make the derived files again and every vector of another model than the one in use.

        Only the caller's scopes are embedded here. Where the model is another one now, the vectors of every
        scope of the store are dropped: other scopes are found by words, and embedded when they are next used
        (a few before each `recall`, all by `index`). May be stopped and called again: `index` goes on.
        """
        index.probe(self._parts.embedder)
        self._parts.store.rebuild()
        return self.index(progress=progress)

    def verify(self) -> Verification:
        """Compare every record and chain of the caller's scopes with the ledger."""
        return self._parts.store.verify(self._parts.access)

    def status(self) -> Counts:
        """How much the caller can see."""
        p = self._parts
        with p.store.read(p.access) as view:
            return view.count()

    def close(self) -> None:
        """Make a few pending vectors and let go of the store; may be called twice."""
        self._parts.vectors.close(embed=True)
        self._parts.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._parts.vectors.close(embed=kind is None)
        self._parts.store.close()


def _shown(view: ReadView, record: Record, now: datetime) -> Recalled:
    """A whole record in the form in which `recall` gives its passages."""
    testimony, filing = record.testimony, record.filing
    return Recalled(
        record=record,
        passage=Passage(testimony.id, Span(0, len(testimony.text))),
        text=testimony.text,
        score=0.0,
        evidence={},
        standing=rules.standing(filing.status, filing.valid, now),
        superseded_by=view.superseder(testimony.id),
        observations=view.observations(testimony.id),
    )


def _typed(name: str, value: T, *kinds: type) -> T:
    """An argument that has one of these types; `InvalidInput` otherwise, which never quotes it."""
    if not isinstance(value, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise InvalidInput(f"{name} is {wanted}, not {type(value).__name__}")
    return value


def _whole(name: str, value: int) -> int:
    """An argument that is a whole number (one of numpy too); truth is none."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise InvalidInput(f"{name} is a whole number, not {type(value).__name__}")
    return value.__index__()


def _optional(name: str, value: int | None) -> int | None:
    return None if value is None else _whole(name, value)


def _utc(name: str, moment: datetime | None) -> datetime | None:
    return None if moment is None else rules.utc(_typed(name, moment, datetime))


def _path(given: str | PathLike[str]) -> Path:
    try:
        return Path(_typed("a path", given, str, PathLike))
    except TypeError:  # a path of bytes
        raise InvalidInput("a path is str or PathLike of str, not of bytes") from None


def _paths(given: str | PathLike[str] | Iterable[str | PathLike[str]]) -> list[Path]:
    many = [given] if isinstance(given, str | PathLike | bytes) else _typed("paths", given, Iterable)
    return [_path(each) for each in many]


def _embed(parts: Parts, limit: int | None, progress: Progress | None) -> int:
    if parts.embedder is None:
        return 0
    return index.embed_pending(parts.store, parts.access, parts.embedder, parts.policy, limit, progress)


def _name(embedder: Embedder | None) -> str | None:
    return None if embedder is None else embedder.name


def _positive(n: int) -> int:
    count = _whole("a number of records", n)
    if count < 1:
        raise InvalidInput(f"a number of records is at least 1, not {count}")
    return min(count, maxsize)
