"""The hash chain: canonical form, digests, links.

Canonical form 1 is part of the format: changing it changes every hash (ADR 3).
It is ``tag + NUL + JSON`` with sorted keys, no spaces, literal non-ASCII, UTF-8 (lone surrogates pass
through), times as integer microseconds since 1970 UTC; where times came with an offset, the offsets follow
(seconds), else nothing does. The tag separates domains: a digest of one kind can never be taken for a digest
of another.
Digests of words are salted, so that a short text cannot be guessed from the chain once it is erased.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

from quoth.core.types import EPOCH, Actor, Filing, LedgerEntry, Observation, Testimony

GENESIS = "0" * 64
"""What the first entry of a chain points to."""

_ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode
# An enum of strings is encoded as the string that it is.
_MICROSECOND = timedelta(microseconds=1)
_SECOND = timedelta(seconds=1)


def canonical(tag: str, value: object) -> bytes:
    """The bytes that are hashed for a JSON value."""
    return f"{tag}\0{_ENCODE(value)}".encode("utf-8", "surrogatepass")


def micros(moment: datetime | None) -> int | None:
    """Microseconds since 1970, exact (no floating point)."""
    return None if moment is None else (moment - EPOCH) // _MICROSECOND


def moment(value: int | None, offset: int | None = None) -> datetime | None:
    """The inverse of `micros`, on the clock that is `offset` seconds ahead of UTC."""
    if value is None:
        return None
    at = EPOCH + timedelta(microseconds=value)
    return at.astimezone(timezone(timedelta(seconds=offset))) if offset else at


def offset(moment: datetime | None) -> int | None:
    """By how many seconds a moment's own clock is ahead of UTC; None for UTC and for no moment."""
    ahead = None if moment is None or moment.tzinfo is UTC else moment.utcoffset()
    return ahead // _SECOND or None if ahead else None


def _offsets(*moments: datetime | None) -> list[int]:
    """What is sealed of the offsets: nothing where none is there, so that older seals hold."""
    ahead = [offset(each) or 0 for each in moments]
    return ahead if any(ahead) else []


def _digest(tag: str, value: object, salt: bytes = b"") -> str:
    return hashlib.sha256(salt + canonical(tag, value)).hexdigest()


def _actor(actor: Actor) -> list[object]:
    return [actor.id, actor.kind, int(actor.authority)]


def testimony_digest(testimony: Testimony) -> str:
    """Salted digest (hex) over every field of a testimony but its digest."""
    value = [
        testimony.id,
        testimony.scope,
        testimony.text,
        testimony.uri,
        testimony.session_id,
        testimony.speaker,
        micros(testimony.said_at),
        micros(testimony.recorded_at),
        _actor(testimony.actor),
        testimony.source,
        list(testimony.derived_from),
        *_offsets(testimony.said_at),
    ]
    return _digest("quoth.testimony.1", value, testimony.salt)


def seal(testimony: Testimony) -> Testimony:
    """The same testimony with its digest."""
    return replace(testimony, digest=testimony_digest(testimony))


def filing_digest(filing: Filing) -> str:
    """Digest (hex) over every field of a filing."""
    value = [
        filing.record_id,
        filing.revision,
        filing.status,
        micros(filing.filed_at),
        _actor(filing.actor),
        filing.trust,
        filing.category,
        filing.grain,
        filing.importance,
        list(filing.stakes),
        filing.pinned,
        micros(filing.valid.start),
        micros(filing.valid.end),
        filing.supersedes,
        filing.note,
        *_offsets(filing.valid.start, filing.valid.end),
    ]
    return _digest("quoth.filing.1", value)


def observation_digest(seen: Observation) -> str:
    """Digest (hex) over every field of an observation."""
    value = [
        seen.record_id,
        seen.uri,
        seen.span.start,
        seen.span.end,
        seen.lines.first,
        seen.lines.last,
        micros(seen.seen_at),
        _actor(seen.actor),
    ]
    return _digest("quoth.observation.1", value)


def payload_digest(*digests: str) -> str:
    """What an entry commits to: the digests of all that it wrote, in order."""
    return _digest("quoth.payload.1", list(digests))


def entry_hash(entry: LedgerEntry) -> str:
    """The hash (hex) of an entry over all its other fields, the previous hash among them."""
    value = [
        entry.origin,
        entry.scope,
        entry.seq,
        entry.hlc,
        micros(entry.at),
        _actor(entry.actor),
        entry.surface,
        entry.action,
        entry.subject,
        entry.payload_digest,
        entry.prev,
    ]
    return _digest("quoth.entry.1", value)


def tick(now: datetime, last: int) -> int:
    """The next hybrid logical time: the wall clock, but never behind what was seen."""
    return max((now - EPOCH) // _MICROSECOND, last + 1)


def broken_at(entries: Iterable[LedgerEntry]) -> int | None:
    """The sequence number of the first link of a whole chain that does not hold; None when all do.

    Entries must come in the order of the store, from the first one.
    """
    expected, prev, clock = 1, GENESIS, -1
    for entry in entries:
        if entry.seq != expected or entry.prev != prev or entry.hlc <= clock:
            return expected
        if entry_hash(entry) != entry.hash:
            return expected
        expected, prev, clock = expected + 1, entry.hash, entry.hlc
    return None
