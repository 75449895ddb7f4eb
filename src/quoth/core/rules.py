"""What must hold, as pure functions: identity, normal form, scopes, standing, filing."""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

from quoth.core import values
from quoth.core.errors import AccessDenied, InvalidInput
from quoth.core.ledger import canonical
from quoth.core.ledger import offset as offset
from quoth.core.text import Voice, normal_form, voice
from quoth.core.types import (
    Access,
    Actor,
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
    Trust,
)

SCOPE_LENGTH = 200
BLOCK = "\u2588"
"""What stands for each character of erased words in a document that is kept."""
CORRECTION = "correction:"
"""How the name of a document begins that holds a correction; the id of what it corrects follows."""


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
    """The first revision of a new record: current, and believed unless it comes from the web.

    Valid as its writer says, else from when it was said (else recorded). A date that is still to come is
    what the words are about: they are true from when they are written. `InvalidInput` for a period that
    ends before it starts.
    """
    said, recorded = testimony.said_at, testimony.recorded_at
    return Filing(
        record_id=testimony.id,
        revision=1,
        status=Status.CURRENT,
        filed_at=testimony.recorded_at,
        actor=testimony.actor,
        trust=Trust.DOUBTFUL if document.source is Source.WEB else Trust.ASSERTED,
        grain=grain_of(document),
        valid=begun(document.valid, min(said, recorded) if said else recorded),
        supersedes=supersedes,
        note=note,
    )


def begun(valid: Period, default: datetime) -> Period:
    """The period of a writer, from `default` where it has no start; from ever where it ended before."""
    given = period(valid)
    if given.start is not None or (given.end is not None and given.end <= default):
        return given
    return Period(default, given.end)


def refiled(filing: Filing, actor: Actor, at: datetime, status: Status, note: str) -> Filing:
    """The next revision of a filing."""
    return replace(filing, revision=filing.revision + 1, status=status, filed_at=at, actor=actor, note=note)


def period(valid: Period) -> Period:
    """The same period on clocks of fixed offsets; `InvalidInput` where it ends before it starts."""
    start, end = valid.start and zoned(valid.start), valid.end and zoned(valid.end)
    if start is not None and end is not None and end < start:
        raise InvalidInput(f"a valid time ends before it starts: {start.isoformat()} to {end.isoformat()}")
    return Period(start, end)


def intervals(filings: Iterable[Filing]) -> tuple[Period, ...]:
    """When a record was true, as its filings tell it, oldest first; none while it is not served at all.

    A filing that starts where the last interval is over adds one (true, not true, true again); any other
    says the last one anew. What is retracted, held or erased was never true, until it is filed again.
    """
    found: list[Period] = []
    for filing in filings:
        if filing.status not in (Status.CURRENT, Status.SUPERSEDED):
            found = []
        elif found and not _follows(found[-1], filing.valid):
            found[-1] = filing.valid
        else:
            found.append(filing.valid)
    return tuple(found)


def _follows(last: Period, later: Period) -> bool:
    if last.end is None or later.start is None or later.start < last.end:
        return False
    return last.start is None or last.start < later.start


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


def zoned(at: datetime) -> datetime:
    """The same moment on a clock of the same fixed offset; `InvalidInput` for a naive one."""
    if at.tzinfo is UTC:
        return at
    ahead = offset(at)
    return utc(at).astimezone(timezone(timedelta(seconds=ahead))) if ahead else utc(at)


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


def bare(metadata: Mapping[str, str], erased: Iterable[str]) -> dict[str, str]:
    """The metadata of a document some of whose words are erased.

    Front matter is kept as metadata too: where it went, only what the program itself keeps stays, whose
    keys begin with a control character.
    """
    front = any(each.lstrip("\ufeff").startswith(("---", "+++")) for each in erased)
    return {key: value for key, value in metadata.items() if not front or key[:1] < " "}


# --- what is the same, under a key of the scope -------------------------------------------------------


def fingerprint(key: bytes, tag: str, *parts: str) -> str:
    """A keyed fingerprint (32 hexadecimal digits); without the key nothing can be guessed from it."""
    return hmac.digest(key, canonical("quoth.fingerprint.1", [tag, *parts]), "sha256")[:16].hex()


def words_fingerprint(key: bytes, text: str) -> str:
    """The fingerprint of words: one for every way of writing them that has the same normal form."""
    return fingerprint(key, "words", normal_form(text))


_JOINTS = re.compile("[\\s_\u2010-\u2015\u2212-]+")


def slot(entity: str, attribute: str) -> tuple[str, str]:
    """What names one slot, however it is written; `InvalidInput` where a name is blank.

    Blanks, hyphens and underscores of an attribute are one: home-town is home_town.
    """
    names = normal_form(entity), _JOINTS.sub("_", normal_form(attribute)).strip("_")
    for name, what in zip(names, ("entity", "attribute"), strict=True):
        if not name:
            raise InvalidInput(f"a fact needs an {what}")
    return names


def slot_fingerprint(key: bytes, entity: str, attribute: str) -> str:
    """The fingerprint of a slot."""
    return fingerprint(key, "slot", *slot(entity, attribute))


def value_fingerprints(key: bytes, entity: str, attribute: str, value: str) -> dict[str, str]:
    """One fingerprint for each reading of a value in its slot, the narrowest kind first."""
    names = slot(entity, attribute)
    return {
        kind: fingerprint(key, f"value:{kind}", *names, reading)
        for kind, reading in values.readings(value).items()
    }


def binds(rejected: Mapping[str, str], value: Mapping[str, str]) -> bool:
    """Whether a rejection binds a value, by fingerprints: the narrowest kind that both have decides."""
    return values.agree(rejected, value)
