"""Scopes are walls: generated from the methods of the ports, so that a new method cannot be forgotten.

Each method of `ReadView` and `WriteView` has a recipe here; a method without one fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from quoth.core import statements
from quoth.core.errors import AccessDenied, NotFound, QuothError
from quoth.core.ports import Embedder, ReadView, Store, WriteView
from quoth.core.types import (
    Access,
    Actor,
    ActorKind,
    Authority,
    Counts,
    PassageId,
    RecordId,
    Rejection,
    Scope,
    Status,
)

if TYPE_CHECKING:
    from quoth.core.types import Vector

SAID = datetime(2023, 5, 8, 12, tzinfo=UTC)
DAY = SAID.date().toordinal()
FORGOTTEN, FORGOTTEN_TOO = "A heron that I made up.", "Another one."
STATED = "The port of the pond is 8080."
WORDS = "The heron stands in the reeds, I said on 8 May 2023."


def methods(protocol: type) -> set[str]:
    """The methods that a protocol itself declares."""
    return {name for name, value in vars(protocol).items() if callable(value) and not name.startswith("_")}


@dataclass(frozen=True)
class Target:
    """Everything that somebody could know of another person's store."""

    origin: str
    scope: Scope
    record: RecordId
    old: RecordId
    passage: PassageId
    pieces: list[int]
    vector: Vector
    rejection: Rejection
    """Of the words of `forgotten`; binds."""
    item: str
    """Waits for an answer."""


@pytest.fixture
def target(hand: Any, store: Store, embedder: Embedder) -> Target:
    """One superseded record, one current one with a vector, one that waits for its vector."""
    more: dict[str, Any] = {"session": "talk", "speaker": "Zora", "said_at": SAID, "kind": "turn"}
    old = hand.put("The heron stood in the pond.", "birds/1", **more)
    record = hand.put(WORDS, "birds/2", supersedes=old, **more)
    hand.put(STATED, "birds/6")
    hand.embed()
    hand.put("The heron flew away.", "birds/3", **more)
    hand.refile(old, Status.SUPERSEDED)
    hand.reject(hand.put(FORGOTTEN, "birds/4", status=Status.RETRACTED))
    rejection = hand.reject(hand.put(FORGOTTEN_TOO, "birds/5", status=Status.RETRACTED))
    hand.lift(hand.reject("4711", "shed code"))
    hand.reject("1234", "shed code")
    hand.say("8128")
    made = embedder.embed([WORDS], "passage")[0]
    assert made.pieces is not None
    return Target(
        origin=store.origin,
        scope=hand.access.home,
        record=record,
        old=old,
        passage=hand.passage("reed"),
        pieces=[int(each) for each in made.pieces],
        vector=hand.vector(WORDS),
        rejection=rejection,
        item=hand.hold(record_id=record).held.id,
    )


READS: dict[str, Callable[[Any, Target], Any]] = {
    "get": lambda view, t: view.get(t.record),
    "begins": lambda view, t: view.begins(t.record[:6]),
    "knows": lambda view, t: view.knows(t.record),
    "history": lambda view, t: view.history(t.record),
    "superseder": lambda view, t: view.superseder(t.old),
    "head": lambda view, t: view.head(t.old),
    "same": lambda view, t: [*view.same(t.scope, WORDS), *view.same(t.scope, FORGOTTEN, Status.RETRACTED)],
    "alike": lambda view, t: view.alike(t.scope, statements.keys(STATED)),
    "rejections": lambda view, t: [*view.rejections(), *view.rejections(lifted=True)],
    "lifts": lambda view, t: view.lifts(),
    "rejected": lambda view, t: view.rejected(t.scope, FORGOTTEN),
    "facts": lambda view, t: [*view.facts(), *view.facts("shed"), *view.facts("shed", "code")],
    "fact_events": lambda view, t: view.fact_events("shed", "code"),
    "reviews": lambda view, t: [*view.reviews(), *view.reviews(answered=True)],
    "audit": lambda view, t: list(view.audit()),
    "records": lambda view, t: [*view.records(), *view.records(Status.SUPERSEDED, newest_first=True)],
    "lexical": lambda view, t: view.lexical(["heron", "reed"], 10),
    "dense": lambda view, t: view.dense(t.vector, 10),
    "dated": lambda view, t: view.dated([(DAY, DAY)], 3),
    "said": lambda view, t: view.said([(DAY, DAY)], 3),
    "turns": lambda view, t: view.turns([t.passage], ["heron"], t.vector).passage.tolist(),
    "token_bits": lambda view, t: b"".join(view.token_bits([t.passage])),
    "holds": lambda view, t: any(view.holds([t.passage], ["heron", "reed"])),
    "wordpieces": lambda view, t: [each for each in view.wordpieces(t.pieces).values() if each],
    "frequencies": lambda view, t: [each for each in view.frequencies(["heron", "reed"]).values() if each],
    "passages": lambda view, t: view.passages([t.passage]),
    "speakers": lambda view, t: [each for each in view.speakers() if each],
    "years": lambda view, t: list(view.years()),
    "mean_words": lambda view, t: view.mean_words() > 0.01,
    "median_chars": lambda view, t: view.median_chars(),
    "readable": lambda view, t: view.readable(),
    "pending": lambda view, t: view.pending(),
    "document": lambda view, t: view.document("birds/2"),
    "documents": lambda view, t: view.documents("birds/"),
    "document_records": lambda view, t: view.document_records("birds/2"),
    "neighbours": lambda view, t: view.neighbours(t.record, 3),
    "session": lambda view, t: list(view.session("talk")),
    "observations": lambda view, t: view.observations(t.record),
    "count": lambda view, t: replace(view.count(), bytes=0) != Counts(0, 0, 0, 0, 0, 0, 0),
    "ledger": lambda view, t: list(view.ledger(t.origin, t.scope)),
    "heads": lambda view, t: view.heads(),
}
"""What each method is asked for; its answer is true where the target may be seen."""

OF_THE_STORE = {"model", "notices"}
"""What belongs to no scope: which model the vectors are of, and the state of the derived index."""


def test_every_read_has_a_recipe() -> None:
    """Every method of `ReadView` is in `READS` (or belongs to no scope): add the new one there."""
    assert set() == methods(ReadView) - set(READS) - OF_THE_STORE


CASES = sorted(set(READS) & methods(ReadView))


@pytest.mark.parametrize("method", CASES)
def test_a_foreign_scope_sees_nothing(
    store: Store, target: Target, foreign: Access, access: Access, method: str
) -> None:
    """With ids, uris and numbers of another scope in hand, every read says nothing or `NotFound`.

    Check that the method's query is filtered by the readable scopes of the view.
    """
    for who in (foreign, replace(foreign, reads=frozenset()), replace(foreign, actor=access.actor)):
        with store.read(who) as view:
            try:
                seen = READS[method](view, target)
            except NotFound:
                seen = None
            assert not seen, f"{method} shows {seen!r}"
    with store.read(access) as view:
        assert READS[method](view, target), f"{method} shows its owner nothing: the recipe proves nothing"


ERRORS = ("get", "history", "head", "passages", "neighbours")


@pytest.mark.parametrize("method", ERRORS)
def test_foreign_and_absent_are_one_answer(
    store: Store, target: Target, foreign: Access, method: str
) -> None:
    """What is not mine is refused in the words in which what does not exist is refused.

    Check that the message is made of what the caller gave, not of what the store found.
    """
    absent = replace(target, record=RecordId("0" * 32), old=RecordId("1" * 32), passage=PassageId(10_000))
    with store.read(foreign) as view:
        messages = []
        for each in (target, absent):
            with pytest.raises(NotFound) as caught:
                READS[method](view, each)
            said = str(caught.value).replace(each.record, "ID").replace(each.old, "ID")
            messages.append(said.replace(str(each.passage), "NO"))
    assert messages[0] == messages[1]


def test_what_others_keep_changes_no_answer(
    hand: Any, other_hand: Any, target: Target, store: Store, embedder: Embedder
) -> None:
    """Scores, frequencies and numbers of one scope do not depend on what other scopes hold.

    Check that document frequencies, mean lengths and counts are those of the readable passages.
    """
    for number in range(6):
        other_hand.put(f"A heron and {'a reed ' * number}in park {number}.", f"park/{number}", session="talk")
    other_hand.embed()

    def seen() -> list[object]:
        with store.read(other_hand.access) as view:
            hits = [*view.lexical(["heron", "reed"], 9), *view.dense(target.vector, 9)]
            turns = view.turns([hits[0].passage], ["reed"], target.vector)
            return [
                hits,
                turns.lexical.tolist(),
                turns.session_lexical.tolist(),
                turns.cosine.tolist(),
                view.frequencies(["heron", "reed", "zora"]),
                view.wordpieces(target.pieces),
                (view.years(), view.mean_words(), view.median_chars(), view.readable(), view.pending()),
                replace(view.count(), bytes=0),
                [each.testimony.id for each in view.session("talk")],
                view.heads(),
            ]

    before = seen()
    for number in range(40):
        hand.put(f"Herons, reeds and more herons {number}.", f"more/{number}", session="talk", said_at=SAID)
    hand.embed()
    assert before == seen()


# --- writes ------------------------------------------------------------------------------------------

Write = Callable[[Any, Any, Target], Any]

WRITES: dict[str, tuple[Write, list[str]]] = {
    "put": (lambda view, hand, t: view.put(*hand.given("A new bird.", "new")), ["put"]),
    "put, heard before": (
        lambda view, hand, t: view.put(
            *hand.given(WORDS, "birds/2", session="talk", speaker="Zora", said_at=SAID, kind="turn")
        ),
        [],
    ),
    "put, another place": (
        lambda view, hand, t: view.put(
            *hand.given(WORDS, "birds/2", session="talk", speaker="Zora", said_at=SAID, whole=f"So.\n{WORDS}")
        ),
        ["observe"],
    ),
    "put, rejected": (lambda view, hand, t: view.put(*hand.given(FORGOTTEN, "new")), ["put", "hold"]),
    "put, rejected before": (
        lambda view, hand, t: view.put(*hand.given(FORGOTTEN, "birds/4")),
        ["hold"],
    ),
    "assert_fact": (lambda view, hand, t: view.assert_fact(hand.fact("4711")), ["assert"]),
    "assert_fact, as before": (lambda view, hand, t: view.assert_fact(hand.fact("8128")), []),
    "assert_fact, rejected": (lambda view, hand, t: view.assert_fact(hand.fact("1234")), ["hold"]),
    "reject": (lambda view, hand, t: view.reject(hand.rejection("8128", "shed code")), ["reject"]),
    "reject, words": (lambda view, hand, t: view.reject(hand.rejection(t.record)), ["reject"]),
    "lift": (lambda view, hand, t: view.lift(hand.lifting(t.rejection.id)), ["lift"]),
    "hold": (lambda view, hand, t: view.hold(hand.held(record_id=t.old)), ["hold"]),
    "answer": (lambda view, hand, t: view.answer(hand.answering(t.item)), ["answer"]),
    "erase": (lambda view, hand, t: view.erase(t.old, "asked for"), ["reject", "refile", "erase"]),
    "refused": (lambda view, hand, t: view.refused("get", t.record, "not found"), ["refused"]),
    "refile": (lambda view, hand, t: view.refile(hand.next_filing(t.record, Status.RETRACTED)), ["refile"]),
    "move": (
        lambda view, hand, t: view.move("birds/2", "heron.md", hand.clock.now()),
        ["observe", "move"],
    ),
    "retire": (lambda view, hand, t: view.retire("birds/2"), ["retire"]),
}
"""A call, and the actions of the ledger entries that it appends."""


def test_every_write_has_a_recipe() -> None:
    """Every method of `WriteView` but `index` is in `WRITES`: add the new one there."""
    assert {"index"} == methods(WriteView) - {name.split(",")[0] for name in WRITES}


AGENT = Actor("helper-7", ActorKind.AGENT, Authority.AGENT)
CLEO = Actor("cleo", ActorKind.HUMAN, Authority.OWNER)
OF_A_PERSON = {"lift", "answer"}
"""What an agent may not do here."""
NAMES_A_SCOPE = {"put", "assert_fact", "reject", "hold", "refused"}
"""What says itself in which scope it writes: a stranger is denied, not told that nothing is there."""


@pytest.mark.parametrize("method", WRITES)
def test_a_write_appends_its_ledger_entries(
    hand: Any, target: Target, other_hand: Any, clock: Any, method: str
) -> None:
    """The chain of the scope grows by exactly the entries that the call names, and no other chain grows.

    Check that the entry's actor and surface are those of the access, and that what changes nothing
    appends nothing.
    """
    write, want = WRITES[method]
    other_hand.put("Not concerned.")
    before, others = hand.entries(), other_hand.entries()
    clock.advance(seconds=1)
    actor = CLEO if method in OF_A_PERSON else AGENT
    hand.access = replace(hand.access, actor=actor, surface="mcp")
    with hand.store.write(hand.access) as view:
        write(view, hand, target)
    grown = hand.entries()
    new = grown[len(before) :]
    assert before == grown[: len(before)]
    assert want == [each.action for each in new]
    assert others == other_hand.entries()
    for each in new:
        assert (actor, "mcp", hand.access.home) == (each.actor, each.surface, each.scope)
        assert (hand.store.origin, clock.now()) == (each.origin, each.at)


def test_vectors_are_not_in_the_ledger(hand: Any, target: Target) -> None:
    """`index` keeps derived numbers and appends no entry."""
    before = hand.entries()
    assert 1 == hand.embed()
    assert before == hand.entries()


def denied(hand: Any, access: Access, write: Write, target: Target) -> Iterator[type[Exception]]:
    """What a write raises under another access."""
    writer = replace(hand, access=replace(access, home=hand.access.home))
    with pytest.raises(QuothError) as caught, hand.store.write(writer.access) as view:
        write(view, replace(writer, access=hand.access), target)
    yield caught.type


@pytest.mark.parametrize("method", [name for name in WRITES if "," not in name])
def test_who_may_only_read_may_not_write(hand: Any, target: Target, method: str) -> None:
    """A scope that is readable but not writable: `AccessDenied`, and nothing is written.

    Check `rules.may_write` before the first statement that changes a row.
    """
    before = hand.entries()
    reader = replace(hand.access, writes=frozenset())
    assert [AccessDenied] == list(denied(hand, reader, WRITES[method][0], target))
    assert before == hand.entries()


@pytest.mark.parametrize("method", [name for name in WRITES if "," not in name])
def test_a_stranger_may_not_write(hand: Any, target: Target, foreign: Access, method: str) -> None:
    """A foreign scope: `AccessDenied` for a new record, `NotFound` for what the caller cannot see."""
    before = hand.entries()
    want = AccessDenied if method in NAMES_A_SCOPE else NotFound
    assert [want] == list(denied(hand, foreign, WRITES[method][0], target))
    assert before == hand.entries()


def test_a_stranger_makes_no_vectors(hand: Any, other_hand: Any, target: Target, embedder: Embedder) -> None:
    """Nobody sets the vector of a passage outside the own scopes, nor of one that is not there."""
    [(waiting, _)] = hand.store.unembedded(hand.access, 9)
    wrong = embedder.embed(["something else"], "passage")[0]
    for who, passage in ((other_hand, waiting), (hand, PassageId(10_000))):
        with pytest.raises(NotFound), who.store.write(who.access) as view:
            view.index(embedder.name, [(passage, wrong)])
    assert [waiting] == [each for each, _ in hand.store.unembedded(hand.access, 9)]
