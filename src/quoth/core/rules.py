"""What must hold, as pure functions: identity, normal form, scopes, standing, filing."""

from __future__ import annotations

import hashlib
import unicodedata
from datetime import UTC, datetime

from quoth.core.errors import AccessDenied, InvalidInput
from quoth.core.ledger import canonical
from quoth.core.text import Voice, voice
from quoth.core.types import (
    Access,
    Document,
    Filing,
    Grain,
    Period,
    RecordId,
    Scope,
    Source,
    Standing,
    Status,
    Testimony,
)

SCOPE_LENGTH = 200


def scope(text: str) -> Scope:
    """A scope from what a caller wrote: NFC, 1 to 200 code points, no control characters, not blank."""
    name = unicodedata.normalize("NFC", text)
    if not name.strip():
        raise InvalidInput("a scope must not be empty or blank")
    if len(name) > SCOPE_LENGTH:
        raise InvalidInput(f"a scope has at most {SCOPE_LENGTH} characters, this one has {len(name)}")
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in name):
        raise InvalidInput(f"a scope must not hold control characters: {name!r}")
    return Scope(name)


def may_write(access: Access, target: Scope) -> None:
    """Raise `AccessDenied` unless the caller may write to the scope."""
    if target not in access.writes:
        raise AccessDenied(f"{access.actor.id!r} may not write to scope {target!r}")


def record_id(
    where: Scope, uri: str, session_id: str | None, text: str, nth: int, speaker: str | None = None
) -> RecordId:
    """The content-addressed id of a record; an empty session or speaker is none.

    `nth` says how often the same speaker's same words stood earlier in the same document.
    """
    named = [speaker] if speaker else []
    parts = canonical("quoth.record.1", [where, uri, session_id or None, text, nth, *named])
    return RecordId(hashlib.sha256(parts).hexdigest()[:32])


def document_uri(document: Document) -> str:
    """The uri of a document; one without a name is named after its words, speaker and session."""
    if document.uri:
        return document.uri
    parts = canonical("quoth.uri.1", [document.text, document.speaker or None, document.session_id or None])
    return f"note:{hashlib.sha256(parts).hexdigest()[:16]}"


def text_digest(text: str) -> str:
    """SHA-256 (hex) of a document's words, to see whether it changed. Never leaves the store."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def grain_of(document: Document) -> Grain:
    """The grain of the records of a document, by rule.

    What somebody said is a turn; a fact is called one by its writer; all else is a passage.
    """
    if document.kind == "fact":
        return Grain.FACT
    if document.speaker or document.session_id:
        return Grain.TURN
    return Grain.PASSAGE


def source_of(document: Document) -> Source:
    """Where the words came from: a speaker that is an assistant or a tool says so itself."""
    if document.source is Source.PERSON and document.speaker:
        spoken = voice(document.speaker)
        if spoken is Voice.ASSISTANT:
            return Source.ASSISTANT
        if spoken is Voice.TOOL:
            return Source.TOOL
    return document.source


def first_filing(
    document: Document, testimony: Testimony, supersedes: RecordId | None, note: str = ""
) -> Filing:
    """The first revision of a new record: current, valid from when it was said (else recorded).

    A date that is still to come is what the words are about: they are true from when they are written.
    """
    said, recorded = testimony.said_at, testimony.recorded_at
    return Filing(
        record_id=testimony.id,
        revision=1,
        status=Status.CURRENT,
        filed_at=testimony.recorded_at,
        actor=testimony.actor,
        grain=grain_of(document),
        valid=Period(min(said, recorded) if said else recorded, None),
        supersedes=supersedes,
        note=note,
    )


def standing(status: Status, valid: Period, at: datetime) -> Standing:
    """Status and valid time together at one moment; half-open, so at the end it is expired."""
    if status is not Status.CURRENT:
        return Standing(status.value)
    if valid.end is not None and at >= valid.end:
        return Standing.EXPIRED
    if valid.start is not None and at < valid.start:
        return Standing.NOT_YET_VALID
    return Standing.CURRENT


def utc(moment: datetime) -> datetime:
    """The same moment in UTC; `InvalidInput` for a naive one."""
    if moment.tzinfo is None:
        raise InvalidInput(f"a time needs an offset: {moment.isoformat()!r}")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(f"no time in UTC for {moment.isoformat()!r}") from None


def occurrence(seen: dict[str, int], text: str) -> int:
    """How often these words stood earlier in the document; counts this one."""
    nth = seen.get(text, 0)
    seen[text] = nth + 1
    return nth


HEADINGS_WITHIN = 50_000
"""Code points that are looked back for headings; keeps long documents linear."""


def headings(document: Document, start: int) -> str:
    """The Markdown headings that a place stands under, the nearest first, without their signs.

    A line in a code block that looks like a heading counts too: it costs a word or two in ranking.
    """
    if document.kind != "markdown":
        return ""
    text = document.text
    found: list[str] = []
    level, end, limit = 7, start, max(start - HEADINGS_WITHIN, 0)
    while level > 1 and end > limit:
        at = text.rfind("\n#", limit, end) + 1
        if not at and not (limit == 0 and text.startswith("#")):
            break
        line = text[at : text.find("\n", at, end) if "\n" in text[at:end] else end]
        signs = line.partition(" ")[0]
        if len(signs) < level and not signs.strip("#"):
            level = len(signs)
            found.append(line.strip("# \t\r"))
        end = at
    return " ".join(found)
