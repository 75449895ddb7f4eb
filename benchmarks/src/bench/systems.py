"""What can be measured: a name, an embedder and settings; every one of them is the product itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

WEIGHTS = {
    "bm25": ("bm25", "people_bm25"),
    "cosine": ("cosine",),
    "subject": ("subject",),
    "maxsim": ("maxsim", "people_maxsim"),
    "date_session": ("date_session",),
    "date_event": ("date_event",),
    "when": ("when",),
    "how_long": ("how_long",),
    "previous": ("people_previous",),
    "next": ("people_next",),
    "session_max": ("people_session_max",),
    "session_bm25": ("people_session_bm25",),
    "length": ("people_length",),
    "question": ("people_question",),
}
"""Evidence of a candidate, as `Recalled.evidence` names it, and the weights of the policy that use it."""

POLICY = {"minilm": "full", "static": "no_tokens", "none": "words_only"}
"""Which weights of the policy an embedder uses."""


@dataclass(frozen=True, slots=True)
class System:
    """One configuration of the product."""

    name: str
    says: str
    embedder: str = "minilm"
    settings: Mapping[str, object] = field(default_factory=dict)
    """Settings by their dotted key, as `quoth settings` prints them."""
    off: tuple[str, ...] = ()
    """Features whose weights are set to nothing."""

    def all_settings(self) -> dict[str, object]:
        """The settings with the weights of what is off."""
        group = f"recall.{POLICY[self.embedder]}.weights"
        return {**self.settings, **{f"{group}.{w}": 0.0 for each in self.off for w in WEIGHTS[each]}}


OFF = {
    "maxsim": ("maxsim",),
    "dates": ("date_session", "date_event"),
    "date-event": ("date_event",),
    "when": ("when", "how_long"),
    "subject": ("subject",),
    "neighbours": ("previous", "next"),
    "session": ("session_max", "session_bm25"),
    "session-bm25": ("session_bm25",),
    "session-max": ("session_max",),
    "form": ("length", "question"),
    "cosine": ("cosine",),
    "bm25": ("bm25",),
    "context": ("previous", "next", "session_max", "session_bm25", "length", "question"),
}
"""Ablations by name: the features that are taken away."""

SYSTEMS = {
    each.name: each
    for each in (
        System("quoth", "as shipped (MiniLM)"),
        System("quoth-static", "the small embedder", "static"),
        System("quoth-words", "no embedder: words, context and dates", "none"),
        System("rrf", "BM25 and MiniLM by reciprocal rank fusion", "minilm", {"recall.fusion": "rrf"}),
        System("bm25", "our BM25 alone", "minilm", {"recall.fusion": "lexical"}),
        System("dense", "MiniLM passage vectors alone", "minilm", {"recall.fusion": "dense"}),
        *(System(f"quoth-no-{name}", f"without {name}", off=off) for name, off in OFF.items()),
    )
}
"""The table of systems under test."""
