"""Compares what the store holds of records and events with what the chains say of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

import apsw

from quoth.core import ledger, rules
from quoth.core.acts import act_of, sealed
from quoth.core.errors import IntegrityError
from quoth.core.types import (
    EPOCH,
    Actor,
    Answer,
    Fact,
    Filing,
    Lift,
    Observation,
    RecordId,
    Rejection,
    Scope,
    Status,
    Target,
    Testimony,
    VerifyState,
)
from quoth.core.types import (
    Held as Waits,
)
from quoth.store import rows
from quoth.store.links import Said, Word

RECORD = "record"
_STARTS = ("put", "adopt")
_OF_RECORDS = frozenset({"put", "observe", "refile", "adopt", "erase"})
EVENTS = frozenset({"assert", "reject", "lift", "hold", "answer", "refused", "resolve"})
"""Actions that have a row of the table `act` each."""

_FILED = len(rows.TESTIMONY.split(","))
"""Columns of a row before those of its filing."""

Key = tuple[str, str]
"""Action and payload of an entry."""


@dataclass(slots=True)
class Held:
    """What the store holds of one record or event, as far as it can be read."""

    id: str
    kind: str
    state: VerifyState
    keys: tuple[Key, ...] = ()
    """The entries that must speak for it, made from what is stored."""
    fits: bool = False
    """Whether it fits its own digest."""
    testimony: Testimony | None = None
    filings: tuple[Filing, ...] = ()
    observations: tuple[Observation, ...] = ()


def records(db: apsw.Connection, no: int, said: Said, only: str = "") -> Iterator[Held]:
    """Every record of a scope, in order, then those that only the ledger knows; `only` one id."""
    expected = {
        subject
        for subject, words in said.items()
        if only in ("", subject) and any(each.action in _STARTS for each in words)
    }
    if expected:
        expected -= {_id(row[0]) for row in db.execute("SELECT id FROM act WHERE scope = ?", (no,))}
    where, values = ("AND r.id = ?", (no, bytes.fromhex(only))) if only else ("", (no,))
    seen = _observations(db, where, values)
    ahead = next(seen, None)
    statement = f"{rows.RECORD} WHERE d.scope = ? {where} ORDER BY r.no, f.revision"
    statement = statement.replace("SELECT ", "SELECT r.no, ", 1)
    for number, group in groupby(db.execute(statement, values), itemgetter(0)):
        while ahead is not None and ahead[0] < number:
            ahead = next(seen, None)
        mine: list[Any] = []
        while ahead is not None and ahead[0] == number:
            mine.append(ahead[1:])
            ahead = next(seen, None)
        held = _record([row[1:] for row in group], mine, said)
        expected.discard(held.id)
        yield held
    for lost in sorted(expected):
        words = [each for each in said[lost] if each.action in _STARTS]
        if any(each.chain.counts for each in words):
            sure = any(each.sound for each in words)
            yield Held(lost, RECORD, VerifyState.MISSING if sure else VerifyState.DISPUTED)


def _observations(db: apsw.Connection, where: str, values: tuple[object, ...]) -> Iterator[Any]:
    statement = rows.OBSERVATION.replace("SELECT ", "SELECT o.record, o.n, ", 1)
    return iter(
        db.execute(
            f"""{statement} JOIN record r ON r.no = o.record JOIN document rd ON rd.no = r.document
            WHERE rd.scope = ? {where} ORDER BY o.record, o.n""",
            values,
        )
    )


def _record(group: list[Any], seen: list[Any], said: Said) -> Held:
    """One record with all its filings and observations."""
    id = RecordId(_id(group[0][0]))
    words = [each for each in said.get(id, ()) if each.action in _OF_RECORDS]
    held = Held(id, RECORD, VerifyState.ALTERED)
    try:
        held.testimony = testimony = rows.testimony(group[0][:_FILED])
        held.filings = filings = tuple(rows.filing(id, row[_FILED:]) for row in group)
        held.observations = observations = tuple(rows.observation(id, row[1:]) for row in seen)
        digest = ledger.testimony_digest(testimony)
        held.fits = digest == testimony.digest and [row[0] for row in seen] == [*range(1, len(seen) + 1)]
        held.keys = _keys(
            digest,
            [ledger.filing_digest(each) for each in filings],
            [ledger.observation_digest(each) for each in observations],
            words,
        )
    except (IntegrityError, TypeError, ValueError):  # values of other types cannot be hashed
        held.fits = False
    held.state = _judged(held, words)
    return held


def _id(raw: object) -> str:
    """An id as we write it; of what is none, something to name it by."""
    return raw.hex() if isinstance(raw, bytes) else repr(raw)


def _keys(testimony: str, filings: list[str], seen: list[str], words: Sequence[Word]) -> tuple[Key, ...]:
    """The entries that a record must have, as they would be from what is stored.

    What was adopted begins with all that was there then: that is what no later entry added.
    """
    after = _since_adopted(words)
    if after is None:
        first, at, on = "put", 1, 1
        payload = ledger.payload_digest(testimony, filings[0], seen[0] if seen else "")
    else:
        counted = Counter(each.action for each in after)
        first = "adopt"
        at = max(len(filings) - counted["refile"], 0)
        on = max(len(seen) - counted["observe"], 0)
        payload = adopted(testimony, filings[:at], seen[:on])
    return (
        (first, payload),
        *(("observe", ledger.payload_digest(each)) for each in seen[on:]),
        *(("refile", ledger.payload_digest(each)) for each in filings[at:]),
    )


def adopted(testimony: str, filings: Sequence[str], seen: Sequence[str]) -> str:
    """The payload of the entry that adopts a record, from the digests of all that it has."""
    return ledger.payload_digest(testimony, *filings, *seen)


def _since_adopted(words: Sequence[Word]) -> Sequence[Word] | None:
    """The entries after the last one that adopted a record; None where none did."""
    for place in range(len(words) - 1, -1, -1):
        if words[place].action == "adopt":
            return words[place + 1 :]
    return None


def _judged(held: Held, words: Sequence[Word]) -> VerifyState:
    """What the entries for a record and what is stored of it say together."""
    ours = [each for each in words if each.chain.counts]
    actions = {each.action for each in ours}
    if actions.isdisjoint(_STARTS):
        return VerifyState.FOREIGN if len(ours) < len(words) else VerifyState.UNSEALED
    if "erase" in actions and any(each.action == "erase" and each.sound for each in ours):
        return VerifyState.ERASED if _gone(held, ours) else VerifyState.ALTERED
    if "adopt" in actions:
        ours = ours[-len(_since_adopted(ours) or ()) - 1 :]
    if not held.fits:
        return VerifyState.ALTERED
    sure = [(each.action, each.payload) for each in ours if each.sound]
    if len(sure) == len(ours):
        return VerifyState.SEALED if sorted(sure) == sorted(held.keys) else VerifyState.ALTERED
    return VerifyState.DISPUTED if Counter(sure) <= Counter(held.keys) else VerifyState.ALTERED


def _gone(held: Held, words: Sequence[Word]) -> bool:
    """Whether nothing of an erased record's words is left in its rows, and it was erased as it says."""
    if held.testimony is None or not held.filings:
        return False
    said, last = held.testimony, held.filings[-1]
    needed = {
        ("erase", ledger.payload_digest(said.id, said.digest)),
        ("refile", ledger.payload_digest(ledger.filing_digest(last))),
    }
    told = {(each.action, each.payload) for each in words}
    return not said.text and not said.salt and last.status is Status.ERASED and needed <= told


def events(db: apsw.Connection, scope: Scope, no: int, said: Said, only: str = "") -> Iterator[Held]:
    """Every event of a scope, in order, then those that only the ledger knows; `only` one id."""
    expected = {
        subject
        for subject, words in said.items()
        if only in ("", subject) and any(each.action in EVENTS for each in words)
    }
    where, values = ("AND e.id = ?", (no, bytes.fromhex(only))) if only else ("", (no,))
    about = _About(db, scope, no)
    for row in db.execute(
        f"""SELECT e.id, e.kind, e.origin, e.seq, e.hlc, e.at, a.id, a.kind, a.authority, e.salt, e.digest,
        e.body, e.about FROM act e LEFT JOIN actor a ON a.no = e.actor WHERE e.scope = ? {where}
        ORDER BY e.no""",
        values,
    ):
        held = _event(row, scope, said, about)
        expected.discard(held.id)
        yield held
    for lost in sorted(expected):
        words = [each for each in said[lost] if each.action in EVENTS]
        if any(each.chain.counts for each in words):
            sure = any(each.sound for each in words)
            yield Held(lost, words[0].action, VerifyState.MISSING if sure else VerifyState.DISPUTED)


def _event(row: tuple[Any, ...], scope: Scope, said: Said, about: _About) -> Held:
    id, kind, *place = _id(row[0]), *row[1:5]
    held = Held(id, str(kind), VerifyState.ALTERED)
    words = [each for each in said.get(id, ()) if each.action in (kind, "adopt", "erase")]
    ours = [each for each in words if each.chain.counts]
    spoken = [each for each in ours if each.action != "erase"]
    if not spoken:
        held.state = VerifyState.FOREIGN if len(ours) < len(words) else VerifyState.UNSEALED
    erased = any(each.action == "erase" and each.sound for each in ours)
    try:
        salt, digest, body, found_by = row[9:13]
        seal = digest.hex()
        if body is not None or not erased:
            actor, at = rows.actor(row[6:9]), ledger.moment(row[5]) or EPOCH
            seal = sealed(kind, id, scope, at, actor, body, salt)
            held.fits = seal == digest.hex() and about.of(kind, id, at, actor, body) == found_by
        held.keys = tuple((action, ledger.payload_digest(seal)) for action in (kind, "adopt"))
        held.keys += (("erase", ledger.payload_digest(id, seal)),)
    except (IntegrityError, TypeError, ValueError, KeyError, AttributeError):
        return held
    if not spoken:
        return held
    last = spoken[-1]
    stands = [last.chain.origin, last.seq, last.hlc] == place
    if stands and all((each.action, each.payload) in held.keys for each in (last, *ours) if each.sound):
        if erased:
            held.state = VerifyState.ERASED if body is None and not salt else VerifyState.ALTERED
        elif held.fits:
            held.state = VerifyState.SEALED if last.sound else VerifyState.DISPUTED
    return held


class _About:
    """What an event is found by: a fingerprint, made again from its body and the key of its scope."""

    def __init__(self, db: apsw.Connection, scope: Scope, no: int) -> None:
        self._db = db
        self._scope = scope
        row = db.execute("SELECT key FROM scope WHERE no = ?", (no,)).fetchone()
        self._key: Any = row[0] if row else b""

    def of(self, kind: str, id: str, at: datetime, actor: Actor, body: str) -> bytes:
        """The bytes that its row must have there."""
        if kind not in ("assert", "reject", "lift", "hold", "answer"):
            return b""
        act = act_of(kind, id, self._scope, at, actor, body)
        match act:
            case Rejection() if act.target is not Target.VALUE:
                return bytes.fromhex(act.fingerprints["words"])
            case Fact() | Rejection():
                return bytes.fromhex(rules.slot_fingerprint(self._key, act.entity, act.attribute))
            case Waits():
                return bytes.fromhex(act.key)
            case Lift():
                return self._named(act.rejection)
            case Answer():
                return self._named(act.held)

    def _named(self, id: str) -> bytes:
        """What another event is found by."""
        row = self._db.execute("SELECT about FROM act WHERE id = ?", (bytes.fromhex(id),)).fetchone()
        return bytes(row[0]) if row and isinstance(row[0], bytes) else b""
