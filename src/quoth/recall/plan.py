"""question -> Plan: words, names of this store, explicit dates, cues. Deterministic, no model."""

from __future__ import annotations

from functools import lru_cache

from quoth.core import dates, text
from quoth.core.policy import RecallPolicy
from quoth.core.ports import ReadView
from quoth.core.types import Grain, Plan

_voice = lru_cache(maxsize=1 << 12)(text.voice)  # every speaker is asked of at every question


def plan(question: str, view: ReadView, policy: RecallPolicy, grain: Grain | None = None) -> Plan:
    """How the question is understood; only the store's own speakers are names."""
    words = text.analyse(question)
    known = set(list(dict.fromkeys(words))[: policy.max_terms])
    terms = tuple(each for each in words if each in known)
    people = [each for each in view.speakers() if each and _voice(each) is text.Voice.PERSON]
    names = text.named(question, people)
    intervals = tuple(dates.question_intervals(question, view.years()))
    reasons = [
        f"{len(known)} words"
        + (f" (the first of {len(set(words))})" if len(known) < len(set(words)) else ""),
        *(f"names {name!r}" for name in names),
        *(("explicit date",) if intervals else ()),
    ]
    return Plan(
        terms=terms,
        names=names,
        dates=intervals,
        asks_when=text.asks_when(question),
        asks_how_long=text.asks_how_long(question),
        of_assistant=text.of_assistant(question),
        dense_text=text.without_names(question, names) if names else question,
        grain=grain,
        reasons=tuple(reasons),
    )
