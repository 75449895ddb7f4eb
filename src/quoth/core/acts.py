"""Events as they are kept: facts, rejections, lifts, things held and answers.

A row has the id, scope, time and actor of an event in columns; all else is its body: JSON with sorted keys.
The digest seals both, salted, so that nothing can be guessed of a body that was erased.
A time in a body is a pair: microseconds since 1970, and the seconds by which its clock is ahead of UTC.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeAlias

from quoth.core.ledger import canonical, micros, moment, offset
from quoth.core.types import (
    EPOCH,
    Actor,
    ActorKind,
    Answer,
    Authority,
    Decision,
    Fact,
    Held,
    Lift,
    Period,
    RecordId,
    Rejection,
    Scope,
    Target,
    Trust,
    Waiting,
)

Act: TypeAlias = Fact | Rejection | Lift | Held | Answer
"""One event."""

_ACTIONS: Mapping[type[Act], str] = {
    Fact: "assert",
    Rejection: "reject",
    Lift: "lift",
    Held: "hold",
    Answer: "answer",
}


def action(act: Act) -> str:
    """What the ledger calls an event, and the kind of its row: assert, reject, lift, hold or answer."""
    return _ACTIONS[type(act)]


def act_body(act: Act) -> str:
    """What the columns of an event do not hold, as JSON of ASCII, so that any text can be kept."""
    return json.dumps(_parts(act), sort_keys=True, separators=(",", ":"))


def act_digest(act: Act, salt: bytes) -> str:
    """Salted digest (hex) over every field of an event."""
    return sealed(action(act), act.id, act.scope, act.at, act.actor, act_body(act), salt)


def sealed(kind: str, id: str, scope: Scope, at: datetime, actor: Actor, body: str, salt: bytes) -> str:
    """The digest of an event by its columns, without a look into its body."""
    value = [kind, id, scope, micros(at), _actor(actor), body]
    return hashlib.sha256(salt + canonical("quoth.act.1", value)).hexdigest()


def act_of(kind: str, act_id: str, scope: Scope, at: datetime, actor: Actor, body: str) -> Act:
    """The event of a row. `ValueError`, `TypeError` or `KeyError` for one that Quoth never writes."""
    parts = json.loads(body)
    match kind:
        case "assert":
            return _fact(act_id, scope, at, actor, parts)
        case "reject":
            return _rejection(act_id, scope, at, actor, parts)
        case "lift":
            return Lift(act_id, scope, parts["rejection"], parts["reason"], actor, at)
        case "hold":
            return _held(act_id, scope, at, actor, parts)
        case "answer":
            decision = Decision(parts["decision"])
            return Answer(act_id, scope, parts["held"], decision, parts["reason"], actor, at)
    raise ValueError(f"no kind of event: {kind!r}")


def _parts(act: Act) -> dict[str, object]:
    match act:
        case Fact():
            return {
                "entity": act.entity,
                "attribute": act.attribute,
                "value": act.value,
                "confidence": act.confidence,
                "valid": [_pair(act.valid.start), _pair(act.valid.end)],
                "evidence": list(act.evidence),
                "note": act.note,
            }
        case Rejection():
            return {
                "target": act.target,
                "fingerprints": dict(act.fingerprints),
                "reason": act.reason,
                "entity": act.entity,
                "attribute": act.attribute,
                "value": act.value,
                "record": act.record_id,
            }
        case Lift():
            return {"rejection": act.rejection, "reason": act.reason}
        case Held():
            return {
                "kind": act.kind,
                "key": act.key,
                "reason": act.reason,
                "record": act.record_id,
                "against": act.against,
                "fact": None if act.fact is None else _inner(act.fact),
                "against_fact": act.against_fact,
                "rejection": act.rejection,
                "uri": act.uri,
            }
        case Answer():
            return {"held": act.held, "decision": act.decision, "reason": act.reason}


def _fact(act_id: str, scope: Scope, at: datetime, actor: Actor, parts: dict[str, Any]) -> Fact:
    start, end = parts["valid"]
    return Fact(
        id=act_id,
        scope=scope,
        entity=parts["entity"],
        attribute=parts["attribute"],
        value=parts["value"],
        confidence=Trust(parts["confidence"]),
        valid=Period(_time(start), _time(end)),
        evidence=tuple(RecordId(each) for each in parts["evidence"]),
        actor=actor,
        at=at,
        note=parts["note"],
    )


def _rejection(act_id: str, scope: Scope, at: datetime, actor: Actor, parts: dict[str, Any]) -> Rejection:
    return Rejection(
        id=act_id,
        scope=scope,
        target=Target(parts["target"]),
        fingerprints=parts["fingerprints"],
        reason=parts["reason"],
        actor=actor,
        at=at,
        entity=parts["entity"],
        attribute=parts["attribute"],
        value=parts["value"],
        record_id=parts["record"],
    )


def _held(act_id: str, scope: Scope, at: datetime, actor: Actor, parts: dict[str, Any]) -> Held:
    fact = parts["fact"]
    return Held(
        id=act_id,
        scope=scope,
        kind=Waiting(parts["kind"]),
        key=parts["key"],
        reason=parts["reason"],
        actor=actor,
        at=at,
        record_id=parts["record"],
        against=parts["against"],
        fact=None if fact is None else _fact_within(scope, fact),
        against_fact=parts["against_fact"],
        rejection=parts["rejection"],
        uri=parts["uri"],
    )


def _inner(fact: Fact) -> dict[str, object]:
    """A fact within another event: it has no columns of its own, and the scope of that event."""
    return _parts(fact) | {"id": fact.id, "at": _pair(fact.at), "actor": _actor(fact.actor)}


def _fact_within(scope: Scope, parts: dict[str, Any]) -> Fact:
    name, kind, authority = parts["actor"]
    actor = Actor(name, ActorKind(kind), Authority(authority))
    return _fact(parts["id"], scope, _time(parts["at"]) or EPOCH, actor, parts)


def _actor(actor: Actor) -> list[object]:
    return [actor.id, actor.kind, int(actor.authority)]


def _pair(at: datetime | None) -> list[int | None] | None:
    return None if at is None else [micros(at), offset(at) or 0]


def _time(pair: list[int] | None) -> datetime | None:
    return None if pair is None else moment(*pair)
