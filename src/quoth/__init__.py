"""Quoth, the memory that quotes: a local-first, verbatim memory layer for AI agents.

    with quoth.open() as memory:
        memory.remember("Ana's dentist is Dr. Okafor, Tuesdays.")
        print(memory.recall("who is Ana's dentist?").passages[0].text)

Importing it reads no setting and opens nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from quoth.core.errors import (
    AccessDenied,
    Conflict,
    InferenceUnavailable,
    IntegrityError,
    InvalidInput,
    NotFound,
    QuothError,
    SettingsError,
    StoreUnavailable,
    Unavailable,
    UsageError,
)
from quoth.core.types import (
    Abstention,
    Actor,
    ActorKind,
    Answer,
    Asserted,
    Audited,
    Authority,
    Confidence,
    Conflicting,
    Counts,
    Decision,
    Document,
    Erased,
    Fact,
    FactOutcome,
    Filing,
    Grain,
    Held,
    Lift,
    Lines,
    Observation,
    Outcome,
    Passage,
    Period,
    Plan,
    Recalled,
    Receipt,
    Recollection,
    Record,
    Rejection,
    Result,
    Review,
    Source,
    Span,
    Standing,
    Status,
    Target,
    Testimony,
    Trust,
    Verification,
    VerifyState,
    Waiting,
)

if TYPE_CHECKING:
    from quoth.app import open
    from quoth.memory import Memory

    __version__: str

__all__ = [
    "Abstention",
    "AccessDenied",
    "Actor",
    "ActorKind",
    "Answer",
    "Asserted",
    "Audited",
    "Authority",
    "Confidence",
    "Conflict",
    "Conflicting",
    "Counts",
    "Decision",
    "Document",
    "Erased",
    "Fact",
    "FactOutcome",
    "Filing",
    "Grain",
    "Held",
    "InferenceUnavailable",
    "IntegrityError",
    "InvalidInput",
    "Lift",
    "Lines",
    "Memory",
    "NotFound",
    "Observation",
    "Outcome",
    "Passage",
    "Period",
    "Plan",
    "QuothError",
    "Recalled",
    "Receipt",
    "Recollection",
    "Record",
    "Rejection",
    "Result",
    "Review",
    "SettingsError",
    "Source",
    "Span",
    "Standing",
    "Status",
    "StoreUnavailable",
    "Target",
    "Testimony",
    "Trust",
    "Unavailable",
    "UsageError",
    "Verification",
    "VerifyState",
    "Waiting",
    "__version__",
    "open",
]

_LATER = {"Memory": "quoth.memory", "open": "quoth.app"}


def __getattr__(name: str) -> object:
    """What is heavy is imported when it is first asked for."""
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    if name == "__version__":
        return import_module("importlib.metadata").version("quoth")
    raise AttributeError(f"module 'quoth' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
