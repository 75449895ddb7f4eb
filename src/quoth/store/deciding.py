"""Writes what was asserted, rejected, lifted, held and answered: events, each with its ledger entry.

Ids, times and actors are made here: authority comes from who is authenticated, never from arguments.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from quoth.core import acts, rules
from quoth.core.acts import Act
from quoth.core.errors import AccessDenied, Conflict, InvalidInput, NotFound
from quoth.core.facts import Judgement, judge
from quoth.core.text import normal_form
from quoth.core.types import (
    Answer,
    Asserted,
    Authority,
    Fact,
    FactOutcome,
    Held,
    Lift,
    RecordId,
    Rejection,
    Review,
    Scope,
    Status,
    Target,
    Waiting,
)
from quoth.store.acts import Item, of_kind, queue
from quoth.store.chain import Chained

_FINGERPRINT = re.compile("(?:[0-9a-f]{32})?")

T = TypeVar("T", Fact, Rejection, Lift, Held, Answer)


class Deciding(Chained):
    """The part of a write view that keeps events."""

    def _stamped(self, act: T) -> T:
        """The event with an id, the time of this transaction and who makes it."""
        return replace(act, id=secrets.token_hex(16), at=self._now, actor=self._access.actor)

    def _say(self, act: Act, about: str) -> None:
        """Keep an event; what was known of rejections is looked up again."""
        self._event(acts.action(act), act.id, act.scope, about, acts.act_body(act))
        if isinstance(act, Rejection | Lift):
            self._bound.clear()
            self._rejects.clear()

    # -- facts --------------------------------------------------------------------------------

    def assert_fact(self, fact: Fact) -> FactOutcome:
        """See the port."""
        number = self._scope(fact.scope)
        for each in fact.evidence:
            self._cited(each, fact.scope)
        fact = self._stamped(fact)
        _, events = self._slot(number, fact.entity, fact.attribute)
        judged = judge(events, fact, self._now, self._binds(number))
        if judged.outcome is Asserted.HELD:
            return self._hold_fact(number, fact, judged)
        if judged.stored:
            self._say(fact, rules.slot_fingerprint(self._key(number), fact.entity, fact.attribute))
        return FactOutcome(
            judged.outcome, judged.standing, judged.why, judged.replaced, question=judged.question
        )

    def _cited(self, record_id: RecordId, scope: Scope) -> None:
        """Raise `NotFound` unless a record can be read, stands in this scope and still has its words."""
        record = self.get(record_id)
        if record.testimony.scope != scope or record.filing.status is Status.ERASED:
            raise NotFound(f"no record {record_id!r} in the readable scopes")

    def _hold_fact(self, scope: int, fact: Fact, judged: Judgement) -> FactOutcome:
        """Put an assertion into the queue: what is the same value of the slot is one item."""

        def narrowest(value: str) -> str:
            prints = rules.value_fingerprints(self._key(scope), fact.entity, fact.attribute, value)
            return next(iter(prints.values()))

        key, kind = narrowest(fact.value), Waiting.REASSERTION
        if judged.against is not None:
            key = rules.fingerprint(self._key(scope), "against", key, narrowest(judged.against.value))
            kind = Waiting.CONTRADICTION
        review = self.hold(
            Held(
                id="",
                scope=fact.scope,
                kind=kind,
                key=key,
                reason=judged.why,
                actor=fact.actor,
                at=fact.at,
                fact=fact,
                against_fact=judged.against.id if judged.against else "",
                rejection=judged.rejection.id if judged.rejection else "",
            )
        )
        return FactOutcome(
            judged.outcome, judged.standing, judged.why, review=review.held.id, question=judged.question
        )

    # -- rejections ---------------------------------------------------------------------------

    def reject(self, rejection: Rejection) -> Rejection:
        """See the port."""
        number = self._scope(rejection.scope)
        key = self._key(number)
        if rejection.target is Target.VALUE:
            named = (rejection.entity, rejection.attribute, rejection.value)
            prints = rules.value_fingerprints(key, *named)
            if not rejection.value.strip():
                raise InvalidInput("a rejection needs a value")
            about = rules.slot_fingerprint(key, rejection.entity, rejection.attribute)
        elif rejection.target is Target.WORDS and rejection.record_id is not None:
            self._cited(rejection.record_id, rejection.scope)
            about = rules.words_fingerprint(key, self.get(rejection.record_id).testimony.text)
            prints = {"words": about}
        else:
            raise InvalidInput("what is rejected is a value of a slot or the words of a record")
        return self._reject(replace(rejection, fingerprints=prints), about)

    def _reject(self, rejection: Rejection, about: str) -> Rejection:
        rejection = self._stamped(rejection)
        self._say(rejection, about)
        return rejection

    def lift(self, lift: Lift) -> None:
        """See the port."""
        laid, about = self._found(lift.rejection, "reject", f"no rejection {lift.rejection!r} binds")
        number = self._scope(laid.scope)
        if not isinstance(laid, Rejection) or laid.scope != lift.scope:
            raise NotFound(f"no rejection {lift.rejection!r} binds")
        lifts = of_kind(Lift, self._acts(("lift",), "x.about = ?", about, scopes=str(number)))
        if any(each.rejection == laid.id for each in lifts):
            raise NotFound(f"no rejection {lift.rejection!r} binds")
        if laid.target is Target.ERASED:
            raise InvalidInput("erased words do not come back")
        if self._access.actor.authority < laid.actor.authority:
            raise AccessDenied(f"{self._access.actor.id!r} may not lift what {laid.actor.id!r} rejected")
        self._say(self._stamped(lift), about.hex())

    def _found(self, act_id: str, kind: str, absent: str) -> tuple[Act, bytes]:
        """An event of the readable scopes with what it is about, else `NotFound`."""
        raw = _raw(act_id, absent)
        act = next(self._acts((kind,), "x.id = ?", raw), None)
        if act is None:
            raise NotFound(absent)
        row = self._db.execute("SELECT about FROM act WHERE id = ?", (raw,)).fetchone()
        return act, bytes(row[0]) if row else b""

    # -- the queue ----------------------------------------------------------------------------

    def hold(self, held: Held) -> Review:
        """See the port."""
        number = self._scope(held.scope)
        for each in (held.record_id, held.against):
            if each is not None:
                self._cited(each, held.scope)
        held = self._stamped(held)
        if not _FINGERPRINT.fullmatch(held.key):
            raise InvalidInput("the key of an item is a fingerprint, or empty: then it is made")
        if not held.key:
            words = (normal_form(self._words_of(each)) for each in (held.record_id, held.against))
            parts = (held.kind.value, *words)
            held = replace(held, key=rules.fingerprint(self._key(number), "held", *parts))
        self._say(held, held.key)
        item = self._item(number, held.key, lambda each: held.id in each.ids)
        return self._review(item)

    def answer(self, answer: Answer) -> None:
        """See the port."""
        absent = f"no item {answer.held!r} in the queue of the readable scopes"
        held, about = self._found(answer.held, "hold", absent)
        number = self._scope(held.scope)
        actor = self._access.actor
        if actor.authority < Authority.PERSON:
            raise AccessDenied(f"{actor.id!r} is no person: only a person answers what is held")
        item = self._item(number, about.hex(), lambda each: held.id in each.ids)
        if item.answer is not None:
            raise Conflict(f"item {item.first.id!r} was answered: {item.answer.decision.value}")
        self._say(self._stamped(replace(answer, scope=held.scope, held=item.first.id)), about.hex())

    def _item(self, scope: int, about: str, which: Callable[[Item], bool]) -> Item:
        """The item of the queue that this is true of."""
        events = self._acts(("hold", "answer"), "x.about = ?", bytes.fromhex(about), scopes=str(scope))
        return next(each for each in queue(events) if which(each))

    def refused(self, action: str, subject: str, reason: str) -> None:
        """See the port."""
        body = json.dumps({"action": action, "reason": reason, "subject": subject})
        self._event("refused", secrets.token_hex(16), self._access.home, "", body)


def _raw(act_id: str, absent: str) -> bytes:
    """The bytes of an id of ours; `NotFound` for what is no id."""
    try:
        raw = bytes.fromhex(act_id)
    except ValueError:
        raw = b""
    if raw.hex() != act_id or not raw:
        raise NotFound(absent)
    return raw
