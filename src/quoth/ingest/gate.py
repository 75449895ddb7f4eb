"""May this be remembered at all?"""

from __future__ import annotations

from quoth.core.errors import InvalidInput
from quoth.core.policy import GatePolicy
from quoth.core.types import Document

WHOLE_KINDS = frozenset({"note", "fact", "turn"})
"""Kinds that are one record, whatever they hold."""
FILE_KINDS = frozenset({"markdown", "text"})
"""Kinds that are cut into records, and edited in place."""


def refusal(document: Document, policy: GatePolicy) -> str | None:
    """The reason why a document is refused; None when it may come in.

    A text that could not be given back byte for byte (NUL, lone surrogates) is refused rather than mended.
    An unknown kind is a mistake of the caller: `InvalidInput`.
    """
    if document.kind not in WHOLE_KINDS and document.kind not in FILE_KINDS:
        raise InvalidInput(f"unknown kind of document: {document.kind!r}")
    text = document.text
    if len(text) > policy.max_document:
        return f"too large: {len(text)} characters, at most {policy.max_document}"
    if not text or text.isspace():
        return "empty"
    flaw = _flaw(text)
    if flaw:
        return flaw
    names = (("uri", document.uri), ("session", document.session_id), ("speaker", document.speaker))
    for name, value in names:
        if value and _flaw(value):
            return f"its {name} {_flaw(value)}"
    for key, value in document.metadata.items():
        if _flaw(key) or _flaw(value):
            return f"its metadata {_flaw(key) or _flaw(value)}"
    return None


def _flaw(text: str) -> str | None:
    """What keeps a text from being stored as it is."""
    if "\0" in text:
        return "holds NUL characters"
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return "holds lone surrogates"
    return None
