"""The chain under random writes: it verifies, and no entry of it can be another."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from quoth.core import ledger
from quoth.core.policy import Policy
from quoth.core.types import (
    Access,
    Actor,
    ActorKind,
    Authority,
    Document,
    LedgerEntry,
    Scope,
    Status,
    VerifyState,
)
from quoth.ingest.remember import remember
from quoth.store.sqlite import SqliteStore

SCOPES = (Scope("user:ana"), Scope("project:ü"))
ACTORS = (
    Actor("ana", ActorKind.HUMAN, Authority.OWNER),
    Actor("helper", ActorKind.AGENT, Authority.AGENT),
    Actor("nightly", ActorKind.JOB, Authority.JOB),
)
PARAGRAPHS = ("One heron.", "Two herons.", "天気 \u0301", "- a\n- b", "said on 3 May 2022")


class Clock:
    """A clock that a test sets, also back."""

    time = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """The moment that was set."""
        return self.time


def who(scope: Scope, actor: Actor) -> Access:
    """The access of one actor to one scope."""
    only = frozenset({scope})
    return Access(actor, only, only, scope, surface=f"door of {actor.id}")


STEP = st.tuples(
    st.sampled_from(("note", "edit", "refile", "retire")),
    st.sampled_from(SCOPES),
    st.sampled_from(ACTORS),
    st.lists(st.sampled_from(PARAGRAPHS), min_size=1, max_size=4),
    st.sampled_from(Status),
    st.integers(-1_000, 1_000_000),
)


@settings(max_examples=40)
@given(steps=st.lists(STEP, min_size=1, max_size=20))
def test_the_chain_verifies_after_any_writes(steps: list[tuple]) -> None:
    """Notes, edits, refilings, deletions by anybody in two scopes, on a clock that goes back: all sealed.

    Each entry names the actor and the door that wrote it, and chains grow by what was done.
    """
    clock = Clock()
    with closing(SqliteStore(None, clock=clock, embedder_name=None, policy=Policy())) as store:
        lengths = dict.fromkeys(SCOPES, 0)
        for number, (verb, scope, actor, words, status, microseconds) in enumerate(steps):
            clock.time += timedelta(microseconds=microseconds)
            access = who(scope, actor)
            if verb in ("note", "edit"):
                kind, uri = ("note", f"n/{number % 3}") if verb == "note" else ("markdown", f"f/{number % 3}")
                remember(store, access, clock, Policy(), [Document("\n\n".join(words), uri, kind)])
            else:
                with store.write(access) as view:
                    if verb == "refile" and (records := list(view.records())):
                        filing = records[number % len(records)].filing
                        now = {"filed_at": clock.now(), "actor": actor, "revision": filing.revision + 1}
                        view.refile(replace(filing, status=status, **now))
                    if verb == "retire" and (uris := sorted(view.documents())):
                        view.retire(uris[0])
            with store.read(access) as view:
                entries = list(view.ledger(store.origin, scope))
            assert {(actor, access.surface)} >= {
                (each.actor, each.surface) for each in entries[lengths[scope] :]
            }
            lengths[scope] = len(entries)
        for scope in SCOPES:
            access = who(scope, ACTORS[0])
            with store.read(access) as view:
                entries = list(view.ledger(store.origin, scope))
                records = list(view.records())
            assert ledger.broken_at(entries) is None
            assert lengths[scope] == len(entries)
            result = store.verify(access)
            assert (True, len(records)) == (result.clean, result.counts[VerifyState.SEALED])


def chain(length: int) -> list[LedgerEntry]:
    """A chain that holds."""
    entries: list[LedgerEntry] = []
    for seq in range(1, length + 1):
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seq)
        entry = LedgerEntry(
            origin="here",
            scope=SCOPES[0],
            seq=seq,
            hlc=ledger.tick(at, entries[-1].hlc if entries else 0),
            at=at,
            actor=ACTORS[0],
            surface="cli",
            action="put",
            subject=f"{seq:032x}",
            payload_digest=f"{seq:064x}",
            prev=entries[-1].hash if entries else ledger.GENESIS,
            hash="",
        )
        entries.append(replace(entry, hash=ledger.entry_hash(entry)))
    return entries


CHANGES = {
    "origin": "there",
    "scope": SCOPES[1],
    "seq": 77,
    "hlc": 77,
    "at": datetime(2020, 1, 1, tzinfo=UTC),
    "actor": ACTORS[1],
    "surface": "mcp",
    "action": "refile",
    "subject": "f" * 32,
    "payload_digest": "f" * 64,
    "prev": "f" * 64,
    "hash": "f" * 64,
}


@given(place=st.integers(0, 9), field=st.sampled_from(sorted(CHANGES)), again=st.booleans())
def test_no_entry_can_be_another(place: int, field: str, again: bool) -> None:
    """Another value in any field of any entry breaks the chain there, or behind it if hashed anew."""
    entries = chain(10)
    assert ledger.broken_at(entries) is None
    changed = replace(entries[place], **{field: CHANGES[field]})
    if again and field != "hash":
        changed = replace(changed, hash=ledger.entry_hash(changed))
    entries[place] = changed
    broken = ledger.broken_at(entries)
    hidden = again and place == 9 and field not in ("seq", "prev", "hlc", "hash")
    assert hidden or broken in (place + 1, place + 2)


@given(first=st.integers(0, 9), second=st.integers(0, 9))
def test_entries_cannot_be_cut_or_exchanged(first: int, second: int) -> None:
    """An entry taken out of the middle, put in twice or exchanged with another one breaks the chain."""
    entries = chain(10)
    cut = entries[:first] + entries[first + 1 :]
    assert (first == 9) == (ledger.broken_at(cut) is None)
    assert ledger.broken_at([*entries[: first + 1], *entries[first:]]) is not None
    entries[first], entries[second] = entries[second], entries[first]
    assert (first == second) == (ledger.broken_at(entries) is None)
