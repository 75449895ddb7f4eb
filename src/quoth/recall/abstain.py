"""Why there is no answer, and whether the limits of the question are to blame."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from quoth.core.ports import ReadView, Store
from quoth.core.types import Abstention, Access, Confidence, Limits, Recollection, Trust
from quoth.recall import narrow
from quoth.recall.confidence import Judgement
from quoth.recall.evidence import Evidence
from quoth.recall.narrow import TRUSTED, Asked


class Wider(Protocol):
    """The same question within other limits."""

    def __call__(self, *, limits: Limits) -> Recollection:
        """What comes then."""
        ...


def why(view: ReadView, question: str, evidence: Evidence, judgement: Judgement) -> Abstention | None:
    """Why there is no answer; None where there is one."""
    if not question.strip():
        return Abstention("empty_question", "the question is empty")
    if not view.readable():
        return Abstention("nothing_stored", "nothing is stored in the scopes that you can read")
    if not len(evidence.passage):
        return Abstention("nothing_found", "no passage shares a word or a meaning with the question")
    if judgement.level is Confidence.NONE:
        return Abstention("below_floor", "the nearest passages do not support an answer")
    return None


def left_out(
    store: Store, access: Access, asked: Asked, found: Abstention | None, wider: Wider
) -> tuple[Abstention | None, tuple[str, ...]]:
    """The same abstention, or that what answers was left out and how to see it; and what the trace says.

    Looked at only where there is no answer: an answer does not pay for it.
    """
    limits = asked.limits
    if found is None or found.reason == "empty_question":
        return found, ()
    if found.reason == "nothing_stored" and asked.windowed:
        with store.read(access, asked.as_of, replace(limits, since=None, until=None)) as view:
            if view.readable():
                detail = f"nothing that can be read here was {narrow.window(limits)}"
                found = Abstention("nothing_in_window", detail)
    said: list[str] = []
    for least, trusted in TRUSTED.items():
        if more := trusted - limits.trust:
            with store.read(access, asked.as_of, replace(limits, trust=more)) as view:
                count = view.readable()
            if not count:
                continue
            names = " and ".join(each.value for each in Trust if each in more)
            said.append(f"trust: {count} {names} passages were left out")
            if wider(limits=replace(limits, trust=trusted)).answerable:
                return _below_trust(names, least), tuple(said)
            if found.reason in ("nothing_stored", "nothing_in_window"):
                detail = f"nothing else than {names} passages can be read here, and they do not answer this"
                found = Abstention("nothing_found", detail)
    return found, tuple(said)


def _below_trust(names: str, least: Trust) -> Abstention:
    detail = f"only {names} passages answer this, and they are left out: trust {least.value} shows them"
    return Abstention("below_trust", detail)
