"""question -> plan -> two arms -> evidence -> one order -> confidence -> Recollection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from quoth.core.errors import InferenceUnavailable, InvalidInput
from quoth.core.policy import Calibration, Policy, RecallPolicy
from quoth.core.ports import Clock, Embedder, ReadView, Store
from quoth.core.rules import standing
from quoth.core.text import normal_form
from quoth.core.types import (
    NOW,
    Abstention,
    Access,
    AsOf,
    Confidence,
    Embedding,
    Grain,
    PassageId,
    Plan,
    Recalled,
    Recollection,
    Status,
)
from quoth.recall import confidence, fuse
from quoth.recall.confidence import Judgement
from quoth.recall.evidence import Column, Evidence, gather
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
    budget: int | None = None,
    grain: Grain | None = None,
    mode: str = "helpful",
    tier: str = "zero-llm",
) -> Recollection:
    """The passages that answer a question, or an abstention with its reason.

    Nothing here raises for what the question holds; `InvalidInput` for arguments that cannot be.
    `settle` is told how many passages have no vector yet, and may make them first.
    """
    count = policy.recall.k if k is None else k
    spend = policy.recall.budget if budget is None else budget
    _check(count, spend, grain, mode, tier)
    asked = question[: policy.gate.max_question]
    moment = as_of.valid or clock.now()
    with _settled(store, access, as_of, settle) as view:
        plan = plan_of(asked, view, policy.recall, grain)
        query, degraded = _embed(embedder, plan, view, policy.recall)
        evidence = gather(view, plan, query, policy.recall, policy.lexical)
        calibration = _calibration(policy, query)
        values = fuse.scores(evidence, calibration.weights, policy.recall)
        judgement = confidence.judge(evidence, values, calibration)
        chosen = fuse.order(evidence, values)
        passages = _passages(view, evidence, values, chosen, count, moment)
        abstention = _abstention(view, asked, evidence, judgement)
        withheld = abstention is not None and (mode == "strict" or not passages)
        within = _within(passages, spend)
        return Recollection(
            question=question,
            passages=() if withheld else within,
            confidence=Confidence.NONE if abstention else judgement.level,
            abstention=abstention,
            conflicts=_conflicts(plan, judgement, calibration),
            answerable=abstention is None,
            requires_review=False,
            mode=mode,
            tier=tier,
            as_of=as_of.valid,
            known_at=as_of.system,
            plan=plan,
            degraded=(*degraded, *view.notices()),
            trace=_trace(question, asked, view, plan, evidence, judgement, passages, within),
        )


@contextmanager
def _settled(store: Store, access: Access, as_of: AsOf, settle: Callable[[int], None]) -> Iterator[ReadView]:
    """A view to search; a later one where vectors were missing."""
    with store.read(access, as_of) as view:
        pending = view.pending()
        if not pending:
            yield view
            return
    settle(pending)
    with store.read(access, as_of) as view:
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


def _passages(
    view: ReadView, evidence: Evidence, values: Column, chosen: NDArray[np.int64], k: int, moment: datetime
) -> tuple[Recalled, ...]:
    """The best `k`, each with where its words stand; equal words are one passage with every source."""
    found: dict[str, Recalled] = {}
    for start in range(0, len(chosen), k):
        places = chosen[start : start + k]
        rows = view.passages([PassageId(each) for each in evidence.passage[places].tolist()])
        for at, (record, passage) in zip(places.tolist(), rows, strict=True):
            if len(found) == k:
                return tuple(found.values())
            text = record.testimony.text[passage.span.start : passage.span.end]
            seen = view.observations(record.testimony.id)
            form = normal_form(text)
            if form in found:
                same = found[form]
                found[form] = replace(same, observations=(*same.observations, *seen))
                continue
            current = record.filing.status is Status.CURRENT
            found[form] = Recalled(
                record=record,
                passage=passage,
                text=text,
                score=float(values[at]),
                evidence={name: float(column[at]) for name, column in evidence.features.items()},
                standing=standing(record.filing.status, record.filing.valid, moment),
                superseded_by=None if current else view.superseder(record.testimony.id),
                observations=seen,
            )
    return tuple(found.values())


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


def _abstention(view: ReadView, question: str, evidence: Evidence, judgement: Judgement) -> Abstention | None:
    """Why there is no answer; None where there is one."""
    if not question.strip():
        return Abstention("empty_question", "the question is empty")
    if not view.readable():
        return Abstention("nothing_stored", "nothing is stored in the scopes that you can read")
    if not len(evidence.passage):
        return Abstention("nothing_found", "no passage shares a word or a meaning with the question")
    if judgement.level is Confidence.NONE:
        detail = "the nearest passages do not support an answer"
        return Abstention("below_floor", detail)
    return None


def _conflicts(plan: Plan, judgement: Judgement, calibration: Calibration) -> tuple[str, ...]:
    """What speaks against the answer."""
    if judgement.person is not None and judgement.person < calibration.guard.floor:
        return (f"other_person: somebody else than {plan.names[0]} seems to have said this",)
    return ()


def _trace(
    question: str,
    asked: str,
    view: ReadView,
    plan: Plan,
    evidence: Evidence,
    judgement: Judgement,
    passages: tuple[Recalled, ...],
    within: tuple[Recalled, ...],
) -> tuple[str, ...]:
    """What each stage did, in order; numbers and names of this store, never passage text."""
    lines = [
        f"scopes: {view.readable()} passages can be seen",
        *(("question: only its first characters were looked at",) if asked != question else ()),
        f"plan: {', '.join(plan.reasons)}",
        f"arms: {len(evidence.lexical_rank)} by words, {len(evidence.dense_rank)} by meaning",
        f"pool: {len(evidence.passage)} passages",
        f"confidence: {judgement.level.value}, support {judgement.support:.3f}",
        *((f"person: logit {judgement.person:.3f}",) if judgement.person is not None else ()),
        f"answer: {len(passages)} passages",
        *((f"budget: {len(passages) - len(within)} passages left out",) if passages != within else ()),
    ]
    return tuple(lines)
