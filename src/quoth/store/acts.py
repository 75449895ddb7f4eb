"""What was asserted, rejected, held and answered, as one access may see it at one moment.

Every event is a row of table `act`; what stands is folded from them whenever it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from quoth.core import ledger, rules
from quoth.core.acts import Act
from quoth.core.facts import Bound, Event, ended, fold
from quoth.core.text import normal_form
from quoth.core.types import (
    EPOCH,
    Answer,
    Decision,
    Fact,
    Held,
    Lift,
    RecordId,
    Rejection,
    Review,
    Scope,
    Target,
    Waiting,
)
from quoth.store import rows
from quoth.store.search import Searching

A = TypeVar("A", Fact, Rejection, Lift, Held, Answer)

SAID = ("assert", "reject", "lift")
"""Kinds of events that say what stands in a slot, and which words are rejected."""
WAITS = ("hold", "answer")
"""Kinds of events that make the queue."""


@dataclass(slots=True)
class Item:
    """One item of the queue: everything with one kind and key, until it is accepted."""

    first: Held
    last: Held
    ids: set[str]
    answer: Answer | None = None

    def add(self, held: Held) -> None:
        """It came again."""
        self.last = held
        self.ids.add(held.id)


class Acts(Searching):
    """The part of a read view that folds events."""

    def __init__(self, **searching: Any) -> None:  # noqa: ANN401
        """What `Searching` takes."""
        super().__init__(**searching)
        self._keys: dict[int, bytes] = {}
        self._rejects: dict[int, bool] = {}
        """Scope -> whether anything was ever rejected there."""
        self._hides: dict[int, bool] = {}
        """Scope -> whether any record was ever filed there as anything but current."""
        self._bound: dict[tuple[int, str], Rejection | None] = {}
        """Words of a scope -> the rejection that binds them, as far as this view was asked."""

    def _acts(
        self, kinds: Collection[str], where: str = "1", *values: object, scopes: str | None = None
    ) -> Iterator[Act]:
        """Events of these kinds (and of the readable scopes, unless others are named), in their order."""
        listed = ", ".join(f"'{each}'" for each in kinds)
        statement = f"""{rows.ACT} WHERE x.scope IN ({self._in_scopes if scopes is None else scopes})
            AND x.kind IN ({listed}) AND {where} AND x.at <= ? AND x.body IS NOT NULL
            ORDER BY x.hlc, x.origin, x.seq"""
        for row in self._db.execute(statement, (*values, self._known_until)):
            yield rows.act(row)

    def _key(self, scope: int) -> bytes:
        """The key of a scope, with which its fingerprints are made."""
        if scope not in self._keys:
            row = self._db.execute("SELECT key FROM scope WHERE no = ?", (scope,)).fetchone()
            self._keys[scope] = bytes(row[0]) if row else b""
        return self._keys[scope]

    # -- rejections ---------------------------------------------------------------------------

    def rejections(self, lifted: bool = False) -> tuple[Rejection, ...]:
        """See the port."""
        events = list(self._acts(("reject", "lift")))
        laid = of_kind(Rejection, events)
        if lifted:
            return tuple(laid)
        gone = ended([*laid, *of_kind(Lift, events)])
        return tuple(each for each in laid if each.id not in gone)

    def lifts(self) -> tuple[Lift, ...]:
        """See the port."""
        return tuple(of_kind(Lift, self._acts(("lift",))))

    def rejected(self, scope: Scope, text: str) -> Rejection | None:
        """See the port."""
        number = self._scopes.get(scope)
        return None if number is None else self._rejection(number, text)

    def _rejection(self, scope: int, text: str) -> Rejection | None:
        """The rejection that binds words: that they were erased before all, then by most authority."""
        if scope not in self._rejects:
            statement = "SELECT 1 FROM act WHERE scope = ? AND kind = 'reject' LIMIT 1"
            self._rejects[scope] = bool(self._one(statement, scope))
        if not self._rejects[scope]:
            return None
        if (scope, text) not in self._bound:
            about = bytes.fromhex(rules.words_fingerprint(self._key(scope), text))
            binding = self._binding(scope, about)
            self._bound[scope, text] = max(
                binding, key=lambda each: (each.target is Target.ERASED, each.actor.authority), default=None
            )
        return self._bound[scope, text]

    def _binding(self, scope: int, about: bytes) -> list[Rejection]:
        """Rejections of words (by their fingerprint) that nobody lifted."""
        events = list(self._acts(("reject", "lift"), "x.about = ?", about, scopes=str(scope)))
        laid, lifts = of_kind(Rejection, events), of_kind(Lift, events)
        gone = ended([*laid, *lifts])
        return [each for each in laid if each.id not in gone]

    # -- facts --------------------------------------------------------------------------------

    def facts(self, entity: str | None = None, attribute: str | None = None) -> tuple[Fact, ...]:
        """See the port."""
        if entity is not None and attribute is not None:
            slots = [self._slot(number, entity, attribute) for number in self._scopes.values()]
        else:
            slots = self._slots(entity, attribute)
        at = ledger.moment(self._moment.valid) or EPOCH
        found = []
        for number, events in slots:
            if (fact := fold(events, at, bound=self._binds(number))) is not None:
                found.append((rules.slot(fact.entity, fact.attribute), fact.scope, fact))
        return tuple(fact for _, _, fact in sorted(found, key=lambda each: each[:2]))

    def _slot(self, scope: int, entity: str, attribute: str) -> tuple[int, list[Event]]:
        """A scope, and everything that was ever said of one slot in it."""
        about = bytes.fromhex(rules.slot_fingerprint(self._key(scope), entity, attribute))
        return scope, list(events_of(self._acts(SAID, "x.about = ?", about, scopes=str(scope))))

    def _slots(self, entity: str | None, attribute: str | None) -> list[tuple[int, list[Event]]]:
        """The same for every slot of an entity or attribute, or for all."""
        listed: dict[tuple[Scope, str, str], list[Event]] = {}
        named: dict[str, tuple[Scope, str, str]] = {}
        want = (entity and normal_form(entity), attribute and rules.slot("-", attribute)[1])
        for event in events_of(self._acts(SAID)):
            if isinstance(event, Lift):
                slot = named.get(event.rejection)
            elif isinstance(event, Rejection) and event.target is not Target.VALUE:
                slot = None
            else:
                slot = (event.scope, *rules.slot(event.entity, event.attribute))
                named[event.id] = slot
            if slot and all(not each or each == name for each, name in zip(want, slot[1:], strict=True)):
                listed.setdefault(slot, []).append(event)
        return [(self._scopes[slot[0]], events) for slot, events in listed.items()]

    def _binds(self, scope: int) -> Bound:
        """Whether a rejection binds a value, by fingerprints."""
        key = self._key(scope)

        @lru_cache(maxsize=256)
        def prints(entity: str, attribute: str, value: str) -> dict[str, str]:
            return rules.value_fingerprints(key, entity, attribute, value)

        def bound(rejection: Rejection, value: str) -> bool:
            made = prints(rejection.entity, rejection.attribute, value)
            return rules.binds(rejection.fingerprints, made)

        return bound

    def fact_events(self, entity: str, attribute: str) -> tuple[Fact | Rejection | Lift, ...]:
        """See the port."""
        if not self._scopes:
            return ()
        slots = [rules.slot_fingerprint(self._key(no), entity, attribute) for no in self._scopes.values()]
        marks = ", ".join("?" * len(slots))
        values = (bytes.fromhex(each) for each in slots)
        return tuple(events_of(self._acts(SAID, f"x.about IN ({marks})", *values)))

    # -- the queue ----------------------------------------------------------------------------

    def reviews(
        self, answered: bool = False, about: Collection[RecordId] | None = None
    ) -> tuple[Review, ...]:
        """See the port; erased words that came again are shown with what was decided."""
        items = queue(self._acts(WAITS) if about is None else self._waiting(about))
        return tuple(
            self._review(each)
            for each in items
            if answered or (each.answer is None and each.first.kind is not Waiting.ERASED)
        )

    def _waiting(self, records: Collection[RecordId]) -> Iterator[Act]:
        """Everything of the items that name one of these records (two indices, whatever waits besides)."""
        named = json.dumps(sorted(records))
        keys = {
            row[0]
            for side in ("record", "against")
            for row in self._db.execute(
                f"""SELECT about FROM act WHERE kind = 'hold' AND scope IN ({self._in_scopes})
                AND json_extract(body, '$.{side}') IN (SELECT value FROM json_each(?))""",
                (named,),
            )
        }
        marks = ", ".join("?" * len(keys))
        return self._acts(WAITS, f"x.about IN ({marks})", *sorted(keys)) if keys else iter(())

    def _review(self, item: Item) -> Review:
        held = item.first
        against = of_kind(Fact, self._acts(("assert",), "x.id = ?", _raw_id(held.against_fact)))
        return Review(
            held=held,
            seen_count=len(item.ids),
            last_at=item.last.at,
            answer=item.answer,
            text=_stated(held.fact) if held.fact else self._words_of(held.record_id),
            against_text=_stated(against[0]) if against else self._words_of(held.against),
        )

    def _words_of(self, record: RecordId | None) -> str:
        """The words of a record; none where there is none, or where they were erased."""
        if record is None:
            return ""
        row = self._db.execute(
            f"""SELECT r.text FROM record r JOIN document d ON d.no = r.document
            WHERE r.id = ? AND d.scope IN ({self._in_scopes})""",
            (_raw_id(record),),
        ).fetchone()
        return str(row[0]) if row else ""


def of_kind(kind: type[A], events: Iterable[Act]) -> list[A]:
    """The events of one kind."""
    return [each for each in events if isinstance(each, kind)]


def events_of(events: Iterable[Act]) -> Iterator[Event]:
    """What was said of facts and words, without the queue."""
    return (each for each in events if not isinstance(each, Held | Answer))


def queue(events: Iterable[Act]) -> list[Item]:
    """The items of the queue, in the order in which each came first.

    What comes again after an answer stays answered; what was accepted is over, and asks anew.
    """
    items: list[Item] = []
    last: dict[tuple[Scope, Waiting, str], Item] = {}
    of: dict[str, Item] = {}
    for event in events:
        if isinstance(event, Held):
            item = last.get((event.scope, event.kind, event.key))
            if item is None or (item.answer and item.answer.decision is Decision.ACCEPT):
                item = last[event.scope, event.kind, event.key] = Item(event, event, set())
                items.append(item)
            item.add(event)
            of[event.id] = item
        elif isinstance(event, Answer) and event.held in of:
            of[event.held].answer = event
    return items


def _stated(fact: Fact) -> str:
    """A value with its slot, for a person to read."""
    return f"{fact.entity} {fact.attribute}: {fact.value}"


def _raw_id(act_id: str) -> bytes:
    """The bytes of an id of ours; none for what is no id."""
    try:
        return bytes.fromhex(act_id)
    except ValueError:
        return b""
