"""question -> plan -> two arms -> evidence -> one order -> confidence -> Recollection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from quoth.core.errors import InferenceUnavailable, InvalidInput
from quoth.core.policy import Calibration, Policy, RecallPolicy
from quoth.core.ports import Clock, Embedder, ReadView, Store
from quoth.core.types import (
    NOW,
    SERVED,
    Access,
    AsOf,
    Confidence,
    Embedding,
    Grain,
    Limits,
    Plan,
    Recalled,
    Recollection,
    Standing,
)
from quoth.recall import abstain, confidence, fuse, narrow, serve
from quoth.recall.confidence import Judgement
from quoth.recall.contradictions import contradictions
from quoth.recall.evidence import Evidence, gather
from quoth.recall.narrow import Asked
from quoth.recall.plan import plan as plan_of

MODES = ("helpful", "strict")
TIERS = ("zero-llm",)


def recall(
    store: Store,
    access: Access,
    embedder: Embedder | None,
    clock: Clock,
    policy: Policy,
    question: str,
    settle: Callable[[int], None] = lambda pending: None,
    *,
    k: int | None = None,
    as_of: AsOf = NOW,
    limits: Limits = SERVED,
    budget: int | None = None,
    grain: Grain | None = None,
    mode: str = "helpful",
    tier: str = "zero-llm",
    notes: Sequence[str] = (),
) -> Recollection:
    """The passages that answer a question, or an abstention with its reason.

    Nothing here raises for what the question holds; `InvalidInput` for arguments that cannot be.
    `settle` is told how many passages have no vector yet, and may make them first; `notes` join the trace.
    """
    count = policy.recall.k if k is None else k
    spend = policy.recall.budget if budget is None else budget
    _check(count, spend, grain, mode, tier)
    words = question[: policy.gate.max_question]
    asked = Asked(as_of, limits, as_of.valid or clock.now())
    with _settled(store, access, asked, settle) as view:
        plan = plan_of(words, view, policy.recall, grain)
        query, degraded = _embed(embedder, plan, view, policy.recall)
        evidence = gather(view, plan, query, policy.recall, policy.lexical)
        calibration = _calibration(policy, query)
        values = fuse.scores(evidence, calibration.weights, policy.recall)
        judgement = confidence.judge(evidence, values, calibration)
        passages = serve.passages(view, evidence, values, plan, count, asked)
        within = _within(passages, spend)
        conflicts = contradictions(view, within, asked)
        abstention = abstain.why(view, words, evidence, judgement)
        notices = view.notices()
        trace = _trace(question, words, view, plan, evidence, judgement, passages, within)
    wider = partial(recall, store, access, embedder, clock, policy, question, as_of=as_of, grain=grain)
    abstention, left = abstain.left_out(store, access, asked, abstention, wider)
    withheld = abstention is not None and (mode == "strict" or not passages)
    return Recollection(
        question=question,
        passages=() if withheld else within,
        confidence=Confidence.NONE if abstention else judgement.level,
        abstention=abstention,
        conflicts=(*_person(plan, judgement, calibration), *(() if withheld else conflicts)),
        answerable=abstention is None,
        requires_review=False,
        mode=mode,
        tier=tier,
        as_of=as_of.valid,
        known_at=as_of.system,
        plan=plan,
        degraded=(*degraded, *notices),
        trace=(*(f"zone: {each}" for each in notes), *narrow.sentences(asked), *trace, *left),
    )


@contextmanager
def _settled(store: Store, access: Access, asked: Asked, settle: Callable[[int], None]) -> Iterator[ReadView]:
    """A view to search; a later one where vectors were missing."""
    with store.read(access, asked.as_of, asked.limits) as view:
        pending = view.pending()
        if not pending:
            yield view
            return
    settle(pending)
    with store.read(access, asked.as_of, asked.limits) as view:
        yield view


def _check(k: int, budget: int | None, grain: Grain | None, mode: str, tier: str) -> None:
    if k < 1:
        raise InvalidInput(f"k must be at least 1, not {k}")
    if budget is not None and budget < 1:
        raise InvalidInput(f"a budget is at least one token, not {budget}")
    if grain is not None and grain not in list(Grain):
        raise InvalidInput(f"grain must be one of {', '.join(Grain)}, not {grain!r}")
    if mode not in MODES:
        raise InvalidInput(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
    if tier not in TIERS:
        raise InvalidInput(f"tier must be one of {', '.join(TIERS)}, not {tier!r}")


def _embed(
    embedder: Embedder | None, plan: Plan, view: ReadView, policy: RecallPolicy
) -> tuple[Embedding | None, tuple[str, ...]]:
    """The question as a vector; None and the reason where words must do."""
    if embedder is None:
        return None, ("no embedder: found by words alone",)
    stored = view.model()
    if stored is not None and stored != embedder.name:
        reason = f"the store's vectors are of {stored!r}, this embedder is {embedder.name!r}"
        return None, (f"{reason}: found by words alone until `quoth index rebuild`",)
    if stored is None:
        return None, ("no vectors yet: found by words alone until `quoth index`",) if view.readable() else ()
    if not plan.dense_text.strip():
        return None, ()
    pending = view.pending()
    behind = f"{pending} passages have no vector yet and are found by words alone: quoth index"
    if pending > policy.pending_share * view.readable():
        return None, (behind,)
    try:
        query = embedder.embed([plan.dense_text], "query")[0]
    except InferenceUnavailable as error:
        return None, (f"{error}: found by words alone",)
    return query, (behind,) if pending else ()


def _calibration(policy: Policy, query: Embedding | None) -> Calibration:
    if query is None:
        return policy.recall.words_only
    return policy.recall.no_tokens if query.tokens is None else policy.recall.full


def _within(passages: tuple[Recalled, ...], budget: int | None) -> tuple[Recalled, ...]:
    """The passages whose words fit the budget (four characters a token); the first always does."""
    if budget is None:
        return passages
    kept: list[Recalled] = []
    spent = 0
    for each in passages:
        spent += -(-len(each.text) // 4)
        if kept and spent > budget:
            break
        kept.append(each)
    return tuple(kept)


def _person(plan: Plan, judgement: Judgement, calibration: Calibration) -> tuple[str, ...]:
    """Doubt about whether it is about the one asked for."""
    if judgement.person is not None and judgement.person < calibration.guard.floor:
        return (f"other_person: somebody else than {plan.names[0]} seems to have said this",)
    return ()


def _trace(
    question: str,
    words: str,
    view: ReadView,
    plan: Plan,
    evidence: Evidence,
    judgement: Judgement,
    passages: tuple[Recalled, ...],
    within: tuple[Recalled, ...],
) -> tuple[str, ...]:
    """What each stage did, in order; numbers and names of this store, never passage text."""
    folded = sum(len({seen.record_id for seen in each.observations} - {each.id}) for each in passages)
    old = sum(each.standing is not Standing.CURRENT for each in passages)
    lines = [
        f"scopes: {view.readable()} passages can be seen",
        *(("question: only its first characters were looked at",) if words != question else ()),
        f"plan: {', '.join(plan.reasons)}",
        f"arms: {len(evidence.lexical_rank)} by words, {len(evidence.dense_rank)} by meaning",
        f"pool: {len(evidence.passage)} passages",
        f"confidence: {judgement.level.value}, support {judgement.support:.3f}",
        *((f"person: logit {judgement.person:.3f}",) if judgement.person is not None else ()),
        f"answer: {len(passages)} passages",
        *((f"folded: {folded} more records say the same",) if folded else ()),
        *((f"standing: {old} passages no longer hold, behind what took their place",) if old else ()),
        *((f"budget: {len(passages) - len(within)} passages left out",) if passages != within else ()),
    ]
    return tuple(lines)
