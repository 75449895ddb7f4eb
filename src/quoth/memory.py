"""The service object: `Memory` binds the parts of one open memory to the use cases, and decides nothing.

Verbs are the commands of the command line, one method each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from quoth.care import correct, erase, facts, forget, look, review, trust
from quoth.care.facts import Facts as Facts
from quoth.care.facts import Lifted as Lifted
from quoth.care.forget import Refiled as Refiled
from quoth.care.look import AuditLog as AuditLog
from quoth.care.look import History as History
from quoth.core import arguments
from quoth.core.times import Times, Zone
from quoth.core.times import When as When
from quoth.core.types import (
    Access,
    Adoption,
    AsOf,
    Counts,
    Decision,
    Document,
    Erased,
    Explanation,
    Fact,
    FactOutcome,
    Grain,
    Head,
    Lift,
    Recalled,
    Receipt,
    Recollection,
    Rejection,
    Resolution,
    Review,
    Trust,
    Verification,
)
from quoth.core.witness import given as given_heads
from quoth.ingest import index
from quoth.ingest.given import documents as given_documents
from quoth.ingest.remember import remember, say
from quoth.recall import explain, narrow
from quoth.recall import recall as recalling

if TYPE_CHECKING:
    from quoth.core.policy import Policy
    from quoth.core.ports import Clock, Embedder, Store
    from quoth.ingest.importing import ImportReport as ImportReport
    from quoth.ingest.scan import WatchReport as WatchReport

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
    zone: Zone
    vectors: Vectors


class Memory:
    """One open memory of one caller; made by `quoth.open`, a context manager.

    Everything raises `StoreUnavailable` when the store is locked, full or gone, and `IntegrityError` when it
    is damaged. A time is a `datetime` or its ISO 8601 form (a day: its first instant); where it has no
    offset it is in the zone that is set, and the answer says so. An id may be cut to a beginning (six digits
    or more) that no other has; `NotFound` is raised for one that is not in the caller's scopes.
    """

    __slots__ = ("_parts",)

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    # -- remember -----------------------------------------------------------------------------

    def remember(
        self,
        documents: Document | str | Iterable[Document | str],
        *,
        said_at: When | None = None,
        valid_from: When | None = None,
        valid_to: When | None = None,
    ) -> Receipt:
        """Keep the words: durable, and findable by words, when this returns.

        One outcome a record, in reading order; what is refused, held or known already is an outcome
        with its reason, not an error. A `str` is a note by the caller. The same documents again change
        nothing. The times go for documents that do not say them: when it was said, and in which time
        (from the first moment until before the last) it is true.
        Raises `InvalidInput` for what is no document, and for a time that ends before it starts.
        """
        p, when = self._parts, Times(self._parts.zone)
        valid = when.period(valid_from, valid_to)
        found = given_documents(documents, when, said_at, valid)
        receipt = remember(p.store, p.access, p.clock, p.policy, found)
        return p.vectors.after(replace(receipt, notes=when.notes))

    def watch(
        self,
        paths: str | PathLike[str] | Iterable[str | PathLike[str]],
        *,
        progress: Progress | None = None,
    ) -> WatchReport:
        """Read folders and files (one or many) once, and take over what changed in them since the last time.

        An edit supersedes what changed, a deleted file's records are retracted, a renamed file keeps
        its records; words that a person rejected are held, erased ones refused.
        Raises `InvalidInput` for a path that is not there.
        """
        from quoth.ingest import watch  # readers load when something is read

        p, when = self._parts, Times(self._parts.zone)
        roots = arguments.paths(paths)
        report = watch.once(p.store, p.watching, p.clock, p.policy, roots, when, progress)
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

        p, when = self._parts, Times(self._parts.zone)
        kind, root = arguments.typed("a format", format, str), arguments.path(path)
        report = importing.import_transcripts(
            p.store, p.importing, p.clock, p.policy, kind, root, when, progress
        )
        p.vectors.after(Receipt(()))
        return report

    # -- recall -------------------------------------------------------------------------------

    def recall(
        self,
        question: str,
        *,
        k: int | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        since: When | None = None,
        until: When | None = None,
        by: str = "said",
        trust: Trust | None = None,
        history: bool = False,
        budget: int | None = None,
        grain: Grain | None = None,
        mode: str = "helpful",
        tier: str = "zero-llm",
    ) -> Recollection:
        """The passages that answer the question, best first, with a confidence, or a reasoned abstention.

        `k` passages at most (setting `recall.k`), of `budget` tokens together (setting `recall.budget`).
        `as_of` asks what was true then, `known_at` what this memory knew then. `since` and `until` (before
        it) narrow to what was said then, else recorded; `by="recorded"` looks at when it was recorded.
        `trust` is the least that is looked at: asserted, unless said otherwise. With `history`, superseded
        and expired records are found too, labelled, behind what took their place. `grain` keeps one kind of
        record. Raises `InvalidInput` for a value out of range.
        """
        p, when = self._parts, Times(self._parts.zone)
        moment = AsOf(valid=when.take("as_of", as_of), system=when.take("known_at", known_at))
        window = when.take("since", since), when.take("until", until)
        return recalling.recall(
            p.store,
            p.access,
            p.embedder,
            p.clock,
            p.policy,
            arguments.typed("a question", question, str),
            p.vectors.before,
            k=arguments.optional("k", k),
            as_of=moment,
            limits=narrow.limits(*window, by, trust, history),
            budget=arguments.optional("a budget", budget),
            grain=grain,
            mode=mode,
            tier=tier,
            notes=when.notes,
        )

    def explain(self, recollection: Recollection) -> tuple[str, ...]:
        """How an answer came about, as sentences."""
        return explain.sentences(arguments.typed("what is explained", recollection, Recollection))

    def get(self, id: str) -> Recalled:
        """One record whole, as `recall` would show it, whatever its standing."""
        p = self._parts
        return look.get(p.store, p.access, p.clock, arguments.typed("an id", id, str))

    def recent(self, n: int = 10) -> tuple[Recalled, ...]:
        """The `n` current records that were recorded last, newest first."""
        p = self._parts
        return look.recent(p.store, p.access, p.clock, arguments.positive("a number of records", n))

    # -- truth --------------------------------------------------------------------------------

    def correct(self, id: str, text: str, *, because: str, at: When | None = None) -> Receipt:
        """Put other words in the place of a record's, which stay in the history; true from `at` (now).

        Of several corrections of one record the first wins; the others raise `Conflict`, which names the
        head of the chain. New words that a person rejected are held, and supersede nothing.
        """
        p, when = self._parts, Times(self._parts.zone)
        arguments.words(id=id, text=text, because=because)
        saying = partial(say, access=p.access, clock=p.clock, policy=p.policy)
        receipt = correct.correct(p.store, p.access, p.clock, saying, id, text, because, when.take("at", at))
        return p.vectors.after(replace(receipt, notes=when.notes))

    def forget(self, id: str, *, because: str) -> Refiled:
        """Retract a record, and every other of the same words; reject these words, so that they stay away.

        They stay in the history, are held when they come again, and `reinstate` brings them back.
        """
        p = self._parts
        arguments.words(id=id, because=because)
        return forget.forget(p.store, p.access, p.clock, id, because)

    def reinstate(self, id: str, *, because: str = "") -> Refiled:
        """Serve a record again that was retracted, whose rejection is lifted, or that expired.

        Raises `AccessDenied` where somebody of more authority rejected it, `Conflict` where another took
        its place.
        """
        p = self._parts
        arguments.words(id=id, because=because)
        return forget.reinstate(p.store, p.access, p.clock, id, because)

    def expire(self, id: str, *, at: When | None = None, because: str = "") -> Refiled:
        """End the time in which a record is true; `InvalidInput` for an end before its start."""
        p, when = self._parts, Times(self._parts.zone)
        arguments.words(id=id, because=because)
        done = forget.expire(p.store, p.access, p.clock, id, when.take("at", at), because)
        return replace(done, notes=when.notes)

    def trust(self, id: str, level: Trust = Trust.VERIFIED, *, because: str) -> Refiled:
        """Say how far a record is believed; `AccessDenied` below a person."""
        p = self._parts
        arguments.words(id=id, because=because)
        return trust.trust(p.store, p.access, p.clock, id, level, because)

    def erase(self, id: str, *, because: str, dry_run: bool = False) -> Erased:
        """Destroy the words of a record, and of every other of the same words, wherever we hold them.

        For good; the chain keeps an entry without content, and the words are refused when they come again.
        With `dry_run` nothing is changed, and the answer says what would go.
        """
        p = self._parts
        arguments.words(id=id, because=because)
        return erase.erase(p.store, p.access, id, because, dry_run=dry_run)

    def history(self, id: str) -> History:
        """How a record was kept: every revision, and the chain of corrections and edits it stands in."""
        p = self._parts
        return look.history(p.store, p.access, p.clock, arguments.typed("an id", id, str))

    def facts_get(
        self,
        entity: str | None = None,
        attribute: str | None = None,
        *,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> Facts:
        """What stands of an entity, of one slot of it, or of everything; at most one value a slot."""
        p, when = self._parts, Times(self._parts.zone)
        arguments.names(entity=entity, attribute=attribute)
        moment = AsOf(valid=when.take("as_of", as_of), system=when.take("known_at", known_at))
        return replace(facts.stand(p.store, p.access, entity, attribute, moment), notes=when.notes)

    def facts_assert(
        self,
        entity: str,
        attribute: str,
        value: str,
        *,
        verified: bool = False,
        valid_from: When | None = None,
        valid_to: When | None = None,
        evidence: Iterable[str] = (),
        note: str = "",
    ) -> FactOutcome:
        """Assert the value of a slot, true from now unless it says otherwise; evidence is ids of records.

        A value that was rejected is held, whatever its confidence; one that speaks against a verified value
        too. Raises `NotFound` for evidence that cannot be read, `AccessDenied` for a verified value from
        below a person.
        """
        p, when = self._parts, Times(self._parts.zone)
        arguments.words(entity=entity, attribute=attribute, value=value, note=note)
        valid, cited = when.period(valid_from, valid_to), arguments.several("evidence", evidence)
        slot = entity, attribute, value
        outcome = facts.assert_value(
            p.store, p.access, p.clock, *slot, verified=verified, valid=valid, evidence=cited, note=note
        )
        return facts.noted(outcome, when.notes)

    def facts_reject(self, entity: str, attribute: str, value: str, *, because: str) -> Rejection:
        """Reject a value: whoever asserts it again, however sure, is held until somebody lifts it."""
        p = self._parts
        arguments.words(entity=entity, attribute=attribute, value=value, because=because)
        return facts.reject(p.store, p.access, p.clock, entity, attribute, value, because)

    def facts_lift(
        self, entity: str, attribute: str, value: str, *, because: str, again: bool = False
    ) -> Lifted:
        """End the rejections of a value; with `again` it is asserted in the same step.

        Raises `AccessDenied` below the authority of one who rejected it, `NotFound` where nobody did.
        """
        p = self._parts
        arguments.words(entity=entity, attribute=attribute, value=value, because=because)
        slot = entity, attribute, value
        return facts.lift(p.store, p.access, p.clock, *slot, because, again=again)

    def facts_history(self, entity: str, attribute: str) -> tuple[Fact | Rejection | Lift, ...]:
        """Everything that was ever said of a slot, oldest first."""
        p = self._parts
        arguments.words(entity=entity, attribute=attribute)
        return facts.history(p.store, p.access, entity, attribute)

    def facts_contradictions(self) -> tuple[Review, ...]:
        """Assertions that wait for a person: against a verified value, or of a rejected one."""
        p = self._parts
        return facts.contradictions(p.store, p.access)

    def review_list(self, *, answered: bool = False) -> tuple[Review, ...]:
        """What waits for a person, oldest first; with `answered`, what was decided too."""
        p = self._parts
        return review.waiting(p.store, p.access, answered=answered)

    def review_accept(self, id: str, *, because: str) -> Review:
        """What waits takes its place: held words or a value count again, new words supersede old ones.

        Raises `AccessDenied` below a person, and below the authority of one who rejected it.
        """
        return _decide(self._parts, id, Decision.ACCEPT, because)

    def review_reject(self, id: str, *, because: str) -> Review:
        """What waits is rejected and does not come back; who may is as for `review_accept`."""
        return _decide(self._parts, id, Decision.REJECT, because)

    def review_keep(self, id: str, *, because: str) -> Review:
        """Everything stays as it is, and is not asked again; who may is as for `review_accept`."""
        return _decide(self._parts, id, Decision.KEEP, because)

    # -- keep, prove, look --------------------------------------------------------------------

    def index(self, *, limit: int | None = None, progress: Progress | None = None) -> int:
        """Make the vectors that are pending, `limit` at most; how many were made.

        None where there is no model. May be stopped and called again.
        Raises `InferenceUnavailable` when the model does not answer.
        """
        return _embed(self._parts, arguments.optional("a limit", limit), progress)

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

    def verify(self, *, witness: str | Iterable[Head] = ()) -> Verification:
        """Compare every record, event and chain of the caller's scopes with the ledger.

        `witness` are heads that an earlier `verify` gave and that were kept elsewhere, as values or as the
        text that the command line prints: a store that was put back together with its head file is behind
        them.
        """
        return self._parts.store.verify(self._parts.access, given_heads(witness))

    def verify_adopt(self, *, witness: str | Iterable[Head] = (), yes: bool = False) -> Adoption:
        """What the ledger does not know and could seal; with `yes` it seals each with an entry of its own.

        What does not fit its own digest is never sealed. Raises `Conflict` where a chain is broken or has
        no witness, `AccessDenied` below a person.
        """
        p = self._parts
        return p.store.adopt(p.access, given_heads(witness), seal=arguments.typed("yes", yes, bool))

    def verify_explain(self, id: str) -> Explanation:
        """What is held of one record or event, which entries speak for it, and what to do; never its words.

        Raises `NotFound` for what is not in the caller's scopes.
        """
        return self._parts.store.explain(self._parts.access, arguments.typed("an id", id, str))

    def verify_resolve(self, because: str, *, yes: bool = False) -> Resolution:
        """Chains that are broken, not what their witness saw, or without one; with `yes` each begins anew.

        What was there is kept as it is, and the new part's first entry commits to all of it; what nothing
        vouches for stays in dispute. Raises `InvalidInput` where every chain holds, `AccessDenied` below a
        person.
        """
        p, reason = self._parts, arguments.typed("a reason", because, str)
        return p.store.resolve(p.access, reason, close=arguments.typed("yes", yes, bool))

    def audit(self, *, since: When | None = None) -> AuditLog:
        """Who did what, when, through which door and why: every change, and every refused attempt."""
        p, when = self._parts, Times(self._parts.zone)
        return replace(look.audit(p.store, p.access, when.take("since", since)), notes=when.notes)

    def status(self) -> Counts:
        """How much the caller can see, and how much waits for a person."""
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


def _decide(parts: Parts, id: str, decision: Decision, because: str) -> Review:
    arguments.words(id=id, because=because)
    return review.decide(parts.store, parts.access, parts.clock, id, decision, because)


def _embed(parts: Parts, limit: int | None, progress: Progress | None) -> int:
    if parts.embedder is None:
        return 0
    return index.embed_pending(parts.store, parts.access, parts.embedder, parts.policy, limit, progress)


def _name(embedder: Embedder | None) -> str | None:
    return None if embedder is None else embedder.name
