"""What a person may do about a ledger that does not hold: adopt rows that it does not know, begin it anew.

Nothing is lost by either: adopting adds an entry for each row, and a part of a chain that is closed is kept
row by row, with its damage, where it stays readable (`store.links`).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quoth.core import ledger
from quoth.core.errors import AccessDenied, Conflict, InvalidInput
from quoth.core.types import Access, Adoption, Authority, Resolution, Resolved, Scope, VerifyState
from quoth.store import compare
from quoth.store.chain import Chained
from quoth.store.compare import RECORD, Held
from quoth.store.links import RESOLVE, Chain, Part, commitment, part_name
from quoth.store.verify import Asked, told

SAMPLE = 10
"""Ids that are shown of what would be adopted."""

_WHY = "the ledger does not know them: they were written past it, or their entries are lost"


def person(access: Access) -> None:
    """Raise `AccessDenied` below a person."""
    if access.actor.authority < Authority.PERSON:
        raise AccessDenied(f"{access.actor.id!r} is no person: only a person mends the ledger")


@dataclass(frozen=True, slots=True)
class Unknown:
    """What the ledger does not know, in one scope."""

    scope: Scope
    held: tuple[Held, ...]
    """It fits its own digest."""
    refused: tuple[str, ...]
    """Ids of what does not."""


def unknown(asked: Asked, access: Access) -> list[Unknown]:
    """What could be adopted; `Conflict` where a chain is broken or has no witness: then nothing is sure."""
    found = []
    for scope in _writable(asked, access):
        if scope not in asked.scopes:
            continue
        chains, said = asked.chains(scope)
        for chain in chains:
            if chain.ours and (not chain.holds() or chain.anchored != "anchored"):
                why = next(told(chain))
                raise Conflict(
                    f"nothing is adopted: {why}; give a head that you kept with --witness, or resolve"
                )
        no = asked.scopes[scope]
        rows = (*compare.records(asked.db, no, said), *compare.events(asked.db, scope, no, said))
        loose = [each for each in rows if each.state is VerifyState.UNSEALED]
        fit = tuple(each for each in loose if each.fits)
        found.append(Unknown(scope, fit, tuple(each.id for each in loose if not each.fits)))
    return found


def adoption(found: Sequence[Unknown], *, done: bool) -> Adoption:
    """What is said of it."""
    held = [each for one in found for each in one.held]
    records = sum(each.kind == RECORD for each in held)
    return Adoption(
        records=records,
        events=len(held) - records,
        sample=tuple(each.id for each in held[:SAMPLE]),
        refused=tuple(id for one in found for id in one.refused),
        why=_WHY if held else "the ledger knows every row that it can seal",
        done=done,
    )


@dataclass(frozen=True, slots=True)
class Broken:
    """A chain of this install that does not hold."""

    chain: Chain
    no: int
    seq: int
    """The number of the entry that would close it: beyond what anybody saw of it."""


def broken(asked: Asked, access: Access) -> list[Broken]:
    """The chains that a person could close: those that are broken, not what a witness saw, or without one."""
    found = []
    for scope in _writable(asked, access):
        sights = asked.sights(scope)
        for chain in asked.chains(scope)[0]:
            if chain.ours and (not chain.holds() or chain.anchored != "anchored"):
                seen = [seq for seq, _, _ in sights.get(chain.origin, ())]
                found.append(Broken(chain, asked.scopes.get(scope, 0), _next(chain, seen)))
    if not found:
        raise InvalidInput("every chain holds and has a witness: there is nothing to resolve")
    return found


def _next(chain: Chain, seen: Sequence[int]) -> int:
    known = [0, *seen, *([chain.head[0]] if chain.head and isinstance(chain.head[0], int) else [])]
    for part in chain.parts:
        known += [each.seq for each in (part.first, part.last) if each is not None]
        known.append(part.count)
    return 1 + max(each for each in known if each < 1 << 53)  # a number beyond that is damage


def resolution(asked: Asked, found: Sequence[Broken], because: str) -> Resolution:
    """What would be closed."""
    return Resolution(tuple(_closing(asked, each, because) for each in found), done=False)


def _closing(asked: Asked, each: Broken, because: str) -> Resolved:
    part = each.chain.parts[-1]
    return Resolved(
        origin=part_name(each.chain.origin, each.seq),
        scope=each.chain.scope,
        entries=part.count,
        disputed=part.disputed(),
        hash=commitment(asked.db, part.name, each.no),
        found=tuple(told(each.chain)),
        because=because,
        actor=None,
        at=None,
    )


def _writable(asked: Asked, access: Access) -> list[Scope]:
    return [each for each in asked.readable() if each in access.writes]


class Mending(Chained):
    """One transaction that adds to a chain, and rewrites nothing but the name of a part that it closes."""

    def adopt(self, found: Sequence[Unknown]) -> None:
        """Seal each of these with an entry that names it."""
        for one in found:
            for held in one.held:
                if held.kind == RECORD:
                    self._append(one.scope, "adopt", held.id, self._now, _sealed(held))
                else:
                    self._adopt_event(one.scope, held)

    def _adopt_event(self, scope: Scope, held: Held) -> None:
        """From now on an event stands where its entry does: that is its place in the order of events."""
        entry = self._append(scope, "adopt", held.id, self._now, held.keys[0][1])
        self._db.execute(
            "UPDATE act SET origin = ?, seq = ?, hlc = ? WHERE id = ?",
            (entry.origin, entry.seq, entry.hlc, bytes.fromhex(held.id)),
        )

    def resolve(self, asked: Asked, found: Sequence[Broken], because: str) -> tuple[Resolved, ...]:
        """Close each of these chains' last part, and begin another one that commits to it."""
        return tuple(self._resolve(asked, each, because) for each in found)

    def _resolve(self, asked: Asked, each: Broken, because: str) -> Resolved:
        chain, part, no = each.chain, each.chain.parts[-1], self._scope(each.chain.scope)
        closing = _closing(asked, each, because)
        self._db.execute(
            "UPDATE ledger SET origin = ? WHERE origin = ? AND scope = ?", (closing.origin, part.name, no)
        )
        self._db.execute(
            """INSERT INTO head VALUES (?, ?, ?, ?, ?) ON CONFLICT (origin, scope)
            DO UPDATE SET seq = excluded.seq, hlc = excluded.hlc, hash = excluded.hash""",
            (chain.origin, no, each.seq - 1, part.clock, bytes.fromhex(closing.hash)),
        )
        body = {
            "head": [str(value.hex() if isinstance(value, bytes) else value) for value in chain.head or ()],
            "parts": [_told(closing, part), *self._earlier(chain, no, because)],
            "reason": because,
        }
        text = json.dumps(body, sort_keys=True, separators=(",", ":"))
        self._event(RESOLVE, secrets.token_hex(16), chain.scope, "", text)
        return closing

    def _earlier(self, chain: Chain, no: int, because: str) -> Iterator[dict[str, object]]:
        """What is said again of parts that were closed before: what closed them may be damaged now."""
        for part in chain.parts:
            if part.closing is not None:
                hash = part.closing.hash or commitment(self._db, part.name, no)
                reason = part.closing.because or because
                yield _told(replace(part.closing, hash=hash, because=reason), part)


def _told(closing: Resolved, part: Part) -> dict[str, object]:
    """What the event that closes a part says of it, and of every earlier one again."""
    return {
        "because": closing.because,
        "disputed": closing.disputed,
        "entries": closing.entries,
        "found": list(closing.found),
        "hash": closing.hash,
        "part": closing.origin,
        "sound": [list(places) for places in part.sound],
    }


def _sealed(held: Held) -> str:
    """The payload of the entry that adopts a record."""
    if held.testimony is None:
        raise AssertionError("a record that fits its own digest")
    return compare.adopted(
        held.testimony.digest,
        [ledger.filing_digest(each) for each in held.filings],
        [ledger.observation_digest(each) for each in held.observations],
    )


def reason(because: str) -> str:
    """A reason that says something, else `InvalidInput`."""
    if not because.strip():
        raise InvalidInput("closing a part of a chain needs a reason")
    return because.strip()
