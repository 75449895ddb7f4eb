"""Rows become values."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from hashlib import blake2b
from typing import Any, ParamSpec, TypeVar

from quoth.core.acts import Act, act_of
from quoth.core.errors import IntegrityError
from quoth.core.ledger import moment
from quoth.core.types import (
    EPOCH,
    Actor,
    ActorKind,
    Authority,
    Filing,
    Grain,
    LedgerEntry,
    Lines,
    Observation,
    Period,
    Record,
    RecordId,
    Scope,
    Source,
    Span,
    Status,
    Testimony,
    Trust,
)

P = ParamSpec("P")
T = TypeVar("T")


def _sound(make: Callable[P, T]) -> Callable[P, T]:
    """`IntegrityError` for a row that holds what Quoth never writes."""

    @wraps(make)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return make(*args, **kwargs)
        except (ValueError, TypeError, AttributeError, KeyError, OverflowError) as error:
            raise IntegrityError(
                f"a row of the store holds no {make.__name__} ({type(error).__name__}): quoth verify"
            ) from error

    return checked


TESTIMONY = """r.id, sc.name, r.text, r.digest, r.salt, d.uri, d.session_id, sp.name, d.said_at,
    r.recorded_at, a.id, a.kind, a.authority, d.source, r.derived_from, d.said_offset"""

FILED = 16
"""Where in a row of `RECORD` the columns of `FILING` begin."""

FILING = """f.revision, f.status, f.filed_at, fa.id, fa.kind, fa.authority, f.trust, f.category, f.grain,
    f.importance, f.stakes, f.pinned, f.valid_from, f.valid_to, f.supersedes, f.note,
    f.from_offset, f.to_offset"""

JOINED = """JOIN document d ON d.no = r.document JOIN scope sc ON sc.no = d.scope
    JOIN speaker sp ON sp.no = d.speaker JOIN actor a ON a.no = r.actor
    JOIN filing f ON f.record = r.no JOIN actor fa ON fa.no = f.actor"""

RECORD = f"SELECT {TESTIMONY}, {FILING} FROM record r {JOINED}"
"""One record a filing; the caller says which filing counts."""

LAST = "f.revision = (SELECT max(revision) FROM filing WHERE record = r.no)"
LAST_KNOWN = "f.revision = (SELECT max(revision) FROM filing WHERE record = r.no AND filed_at <= ?)"


def actor(row: tuple[Any, ...]) -> Actor:
    """(id, kind, authority)."""
    return Actor(row[0], ActorKind(row[1]), Authority(row[2]))


@_sound
def testimony(row: tuple[Any, ...]) -> Testimony:
    """The columns of `TESTIMONY`."""
    return Testimony(
        id=RecordId(row[0].hex()),
        scope=Scope(row[1]),
        text=row[2],
        digest=row[3].hex(),
        salt=row[4] or b"",
        uri=row[5],
        session_id=row[6],
        speaker=row[7] or None,
        said_at=moment(row[8], row[15]),
        recorded_at=moment(row[9]) or EPOCH,
        actor=actor(row[10:13]),
        source=Source(row[13]),
        derived_from=tuple(RecordId(each) for each in json.loads(row[14] or "[]")),
    )


@_sound
def filing(record: RecordId, row: tuple[Any, ...]) -> Filing:
    """The columns of `FILING`."""
    return Filing(
        record_id=record,
        revision=row[0],
        status=Status(row[1]),
        filed_at=moment(row[2]) or EPOCH,
        actor=actor(row[3:6]),
        trust=Trust(row[6]),
        category=row[7],
        grain=Grain(row[8]),
        importance=row[9],
        stakes=tuple(json.loads(row[10] or "[]")),
        pinned={0: False, 1: True}[row[11]],
        valid=Period(moment(row[12], row[16]), moment(row[13], row[17])),
        supersedes=RecordId(row[14].hex()) if row[14] else None,
        note=row[15],
    )


def record(row: tuple[Any, ...]) -> Record:
    """The columns of `RECORD`."""
    words = testimony(row[:FILED])
    return Record(words, filing(words.id, row[FILED:]))


OBSERVATION = """SELECT d.uri, o.start, o.stop, o.first_line, o.last_line, o.seen_at, a.id, a.kind,
    a.authority FROM observation o JOIN document d ON d.no = o.document JOIN actor a ON a.no = o.actor"""


@_sound
def observation(record_id: RecordId, row: tuple[Any, ...]) -> Observation:
    """The columns of `OBSERVATION`."""
    return Observation(
        record_id,
        row[0],
        Span(row[1], row[2]),
        Lines(row[3], row[4]),
        moment(row[5]) or EPOCH,
        actor(row[6:9]),
    )


LEDGER = """SELECT l.origin, sc.name, l.seq, l.hlc, l.at, a.id, a.kind, a.authority, l.surface, l.action,
    l.subject, l.payload, l.prev, l.hash FROM ledger l JOIN scope sc ON sc.no = l.scope
    JOIN actor a ON a.no = l.actor"""


@_sound
def ledger_entry(row: tuple[Any, ...]) -> LedgerEntry:
    """The columns of `LEDGER`."""
    return LedgerEntry(
        origin=row[0],
        scope=Scope(row[1]),
        seq=row[2],
        hlc=row[3],
        at=moment(row[4]) or EPOCH,
        actor=actor(row[5:8]),
        surface=row[8],
        action=row[9],
        subject=row[10].hex(),
        payload_digest=row[11].hex(),
        prev=row[12].hex(),
        hash=row[13].hex(),
    )


ACT = """SELECT x.kind, x.id, sc.name, x.at, a.id, a.kind, a.authority, x.body FROM act x
    JOIN scope sc ON sc.no = x.scope JOIN actor a ON a.no = x.actor"""


@_sound
def act(row: tuple[Any, ...]) -> Act:
    """The columns of `ACT`; one whose body was erased is none."""
    return act_of(row[0], row[1].hex(), Scope(row[2]), moment(row[3]) or EPOCH, actor(row[4:7]), row[7])


def sense(key: bytes, kind: str, text: str) -> int:
    """A number for what a record says; without the key of its scope nothing can be guessed from it.

    `kind`: statement (a key of `core.statements`, table `alike`) or words (a normal form, table `hidden`).
    """
    made = blake2b(f"{kind}\0{text}".encode("utf-8", "surrogatepass"), key=key, digest_size=8)
    return int.from_bytes(made.digest(), "big") >> 1
