"""The audit log of any store, and what else a view tells of records besides themselves.

A test that fails says in its docstring what an implementer should look at.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from quoth.core import statements
from quoth.core.ports import Store
from quoth.core.text import normal_form
from quoth.core.types import (
    Access,
    Actor,
    ActorKind,
    AsOf,
    Authority,
    Decision,
    Period,
    RecordId,
    Scope,
    Status,
    Trust,
)

AGENT = Actor("helper-7", ActorKind.AGENT, Authority.AGENT)


def test_every_entry_is_a_line(hand: Any, restart: Callable[[], Store]) -> None:
    """Who did what, when, through which door and why: the note of each filing, the reason of each event.

    Check that the n-th `refile` of a record is its revision n + 1.
    """
    hand.access = replace(hand.access, surface="cli")
    record = hand.put("The code is 4711.", "n/1", note="told me")
    hand.clock.advance(hours=1)
    agent = hand.by(AGENT)
    agent.refile(record, Status.HELD, note="odd")
    hand.refile(record, Status.CURRENT, note="not odd")
    hand.say("4711", "shed code", note="by eye")
    rejection = hand.reject("4711", "shed code", "it changed")
    hand.lift(rejection)
    item = hand.hold(record_id=record).held.id
    hand.answer(item, Decision.KEEP)
    with hand.store.write(hand.access) as view:
        view.refused("forget", "0" * 32, "not found")
        view.retire("n/1")
    hand.refile(record, Status.RETRACTED, note="gone")
    hand.store = restart()
    with hand.store.read(hand.access) as view:
        lines = list(view.audit())
    assert [
        ("put", "told me"),
        ("refile", "odd"),
        ("refile", "not odd"),
        ("assert", "by eye"),
        ("reject", "it changed"),
        ("lift", "it was right"),
        ("hold", "look at it"),
        ("answer", "I know"),
        ("refused", "forget: not found"),
        ("retire", ""),
        ("refile", "gone"),
    ] == [(each.action, each.why) for each in lines]
    assert {(hand.store.origin, hand.access.home, "cli")} == {
        (each.origin, each.scope, each.surface) for each in lines
    }
    assert [each.seq for each in hand.entries()] == [each.seq for each in lines]
    assert [record] * 3 == [each.subject for each in lines[:3]]
    assert (rejection.id, "0" * 32) == (lines[4].subject, lines[8].subject)
    assert [AGENT] == [each.actor for each in lines if each.actor != hand.access.actor]
    assert lines[0].at + timedelta(hours=1) == lines[1].at


def test_the_audit_from_a_moment_on(hand: Any) -> None:
    """`since` is inclusive, and leaves out nothing of what came before for the reasons of what follows."""
    record = hand.put("The code is 4711.", note="a")
    hand.refile(record, note="b")
    since = hand.clock.advance(hours=1)
    hand.refile(record, note="c")
    with hand.store.read(hand.access) as view:
        assert ["c"] == [each.why for each in view.audit(since)]
        assert [] == list(view.audit(since + timedelta(microseconds=1)))
    with hand.store.read(hand.access, AsOf(system=since - timedelta(microseconds=1))) as view:
        assert ["a", "b"] == [each.why for each in view.audit()]


def test_the_audit_tells_no_erased_words(hand: Any) -> None:
    """Notes and reasons that were given about an erased record are not in the log; its lines stay."""
    record = hand.put("The code is 4711.", "n/1", note="secret one")
    hand.refile(record, Status.RETRACTED, note="secret two")
    hand.reject(record, reason="secret three")
    hand.erase(record, "asked for")
    with hand.store.read(hand.access) as view:
        lines = list(view.audit())
    assert not any("secret" in each.why for each in lines)
    assert [("put", ""), ("refile", ""), ("reject", "")] == [(each.action, each.why) for each in lines[:3]]
    assert ("reject", "asked for") in [(each.action, each.why) for each in lines]
    assert [record] == [each.subject for each in lines if each.action == "erase" and each.subject == record]


def test_a_refused_attempt_is_noted_at_home(
    make_hand: Callable[[Access], Any], access: Access, foreign: Access
) -> None:
    """It stands in the chain of the one who tried, and not in the chain of the one who was tried on."""
    mine, theirs = make_hand(access), make_hand(foreign)
    record = theirs.put("The code is 4711.")
    before = theirs.entries()
    with mine.store.write(access) as view:
        view.refused("erase", record, "not found")
        view.refused("get", "", "not found")
    assert before == theirs.entries()
    with mine.store.read(access) as view:
        assert [("refused", record), ("refused", "")] == [
            (each.action, each.subject) for each in view.audit()
        ]
    assert mine.store.verify(access).clean


# --- records that say the same ------------------------------------------------------------------------


def test_the_same_words_are_found(hand: Any) -> None:
    """`same` equals a comparison of normal forms with every record, whatever is asked for.

    Check what a filter in the query may leave out: texts of ASCII and others, capitals, blanks, NUL.
    """
    dice = random.Random(7)
    words = ["Straße", "strasse", "Zoë", "Zoe\u0308", "heron", "HERON", "ﬁsh", "fish", "①", "1", "“a”", "a."]
    blanks = [" ", "  ", "\n", "\u00a0", "\t", "\u3000"]
    texts = ["\u00e9\0x", "a\0b", "A\0B"]
    for _ in range(150):
        chosen = [dice.choice(words) for _ in range(dice.randint(1, 3))]
        texts.append(dice.choice(blanks).join(chosen) + dice.choice(["", ".", "!", " "]))
    for number, text in enumerate(texts):
        hand.put(text, f"n/{number}", status=dice.choice([Status.CURRENT, Status.SUPERSEDED, Status.HELD]))
    with hand.store.read(hand.access) as view:
        records = list(view.records())
        for text in [*texts, "nothing", "", " "]:
            same = [each for each in records if normal_form(each.testimony.text) == normal_form(text)]
            same = same if text.strip() else []
            assert tuple(same) == view.same(hand.access.home, unicodedata.normalize("NFD", text))
            for status in Status:
                want = tuple(each for each in same if each.filing.status is status)
                assert want == view.same(hand.access.home, text, status)


def test_words_that_were_refiled_are_found_by_status(hand: Any) -> None:
    """A record that is superseded later, or current again, is found under the status that it has then."""
    record = hand.put("A heron.", "n/1")
    start = hand.clock.now()
    hand.clock.advance(hours=1)
    hand.refile(record, Status.SUPERSEDED)

    def found(status: Status, at: datetime | None = None) -> list[RecordId]:
        with hand.store.read(hand.access, AsOf(system=at)) as view:
            return [each.testimony.id for each in view.same(hand.access.home, "a  HERON", status)]

    assert ([record], []) == (found(Status.SUPERSEDED), found(Status.CURRENT))
    assert ([], [record]) == (found(Status.SUPERSEDED, start), found(Status.CURRENT, start))
    hand.refile(record, Status.CURRENT)
    assert ([], [record]) == (found(Status.SUPERSEDED), found(Status.CURRENT))


def test_what_states_the_same_is_found(hand: Any, other_hand: Any) -> None:
    """`alike` gives the current records of a scope with one of these keys, and no others."""
    text = "The port of the server is 8080."
    keys = statements.keys(text)
    first = hand.put(text, "n/1")
    second = hand.put("The port of the server is 9090!", "n/2")
    hand.put("The port of the printer is 9100.", "n/3")
    hand.put("The port of the server is 1.", "n/4", status=Status.HELD)
    other_hand.put(text, "n/5")
    start = hand.clock.now()
    hand.clock.advance(hours=1)

    def found(at: datetime | None = None) -> list[RecordId]:
        with hand.store.read(hand.access, AsOf(system=at)) as view:
            assert () == view.alike(hand.access.home, ())
            assert () == view.alike(other_hand.access.home, keys)
            return [each.testimony.id for each in view.alike(hand.access.home, ("no such key", *keys))]

    assert [first, second] == found()
    hand.refile(first, Status.SUPERSEDED)
    assert ([second], [first, second]) == (found(), found(start))


def test_the_head_of_a_chain(hand: Any) -> None:
    """Each record of a chain of corrections leads to its last one; a circle ends, and a twig is its own."""
    ids = [hand.put("Version 0.", "n/0")]
    for number in range(1, 4):
        ids.append(hand.put(f"Version {number}.", f"n/{number}", supersedes=ids[-1]))
        hand.refile(ids[-2], Status.SUPERSEDED)
    held = hand.put("Version x.", "n/x", supersedes=ids[-1], status=Status.HELD)
    with hand.store.read(hand.access) as view:
        assert [ids[-1]] * 4 == [view.head(each).testimony.id for each in ids]
        assert held == view.head(held).testimony.id
    hand.refile(ids[0], Status.CURRENT, supersedes=ids[-1])
    hand.refile(ids[-1], Status.SUPERSEDED)
    with hand.store.read(hand.access) as view:
        assert [ids[0]] * 4 == [view.head(each).testimony.id for each in ids]
    hand.refile(ids[0], Status.SUPERSEDED)
    with hand.store.read(hand.access) as view:
        assert all(view.head(each).testimony.id in ids for each in ids)


# --- times -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hours", [-11, 0, 2, 5.75])
def test_times_keep_their_offset(hand: Any, restart: Callable[[], Store], hours: float) -> None:
    """When it was said and the ends of its valid time come back on the clock on which they were told."""
    zone = timezone(timedelta(hours=hours))
    said = datetime(2023, 5, 8, 1, 30, tzinfo=zone)
    valid = Period(said, said + timedelta(days=9))
    record = hand.put("A heron.", "n/1", said_at=said, valid=valid)
    hand.refile(record, trust=Trust.VERIFIED)
    hand.store = restart()
    with hand.store.read(hand.access) as view:
        found = view.get(record)
        told = [
            found.testimony.said_at,
            found.filing.valid.start,
            view.history(record)[0].valid.end,
            view.document("n/1").said_at,
        ]
    assert [said, said, said + timedelta(days=9), said] == told
    assert {timedelta(hours=hours)} == {each and each.utcoffset() for each in told}
    assert hand.store.verify(hand.access).clean


def test_one_moment_on_two_clocks(hand: Any) -> None:
    """Two records of one text, said at one moment on different clocks, keep each their own."""
    at = datetime(2023, 5, 8, 12, tzinfo=UTC)
    zone = timezone(timedelta(hours=2))
    whole = "A heron. A crane."
    first = hand.put("A heron.", "n/1", said_at=at, whole=whole)
    second = hand.put("A crane.", "n/1", said_at=at.astimezone(zone), whole=whole)
    with hand.store.read(hand.access) as view:
        told = [view.get(each).testimony.said_at for each in (first, second)]
    assert [timedelta(0), timedelta(hours=2)] == [each and each.utcoffset() for each in told]
    assert hand.store.verify(hand.access).clean


def test_a_scope_that_is_not_there_says_nothing(hand: Any) -> None:
    """Asking for a scope that nobody wrote to is no error."""
    with hand.store.read(hand.access) as view:
        nowhere = Scope("nowhere")
        assert ((), (), None) == (
            view.same(nowhere, "a"),
            view.alike(nowhere, ["a"]),
            view.rejected(nowhere, "a"),
        )
        assert ((), ()) == (view.facts("a", "b"), view.fact_events("a", "b"))
