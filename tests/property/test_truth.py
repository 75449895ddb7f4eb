"""Whatever is done to a memory, in whatever order: what is rejected is not served, what is erased is gone."""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import quoth
from quoth.core.errors import QuothError
from quoth.core.text import normal_form
from quoth.core.types import Filing, Head, Review, Standing

TEXTS = (
    "The harbour gate opens at seven.",
    "the HARBOUR gate opens at  seven",
    "The harbour gate opens at nine.",
    "The ferry is allowed to leave in fog.",
    "The ferry is not allowed to leave in fog.",
    "Mira keeps the lighthouse log.",
)
PLACES = ("", "notes/quay", "notes/pier")
ENTITIES, ATTRIBUTES, VALUES = ("Mira", "mira "), ("port", "home town"), ("8080", "8,080", "9090", "Varna")
STEP = timedelta(hours=5)


class Clock:
    """A clock that only goes on when it is told."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        """The moment."""
        return self.time


class Truth(RuleBasedStateMachine):
    """One person, one store on disk, few words: everything meets everything."""

    @initialize()
    def begin(self) -> None:
        """An empty store."""
        self.folder = Path(tempfile.mkdtemp(prefix="quoth-truth-"))
        self.clock = Clock()
        self.memory = quoth.open(
            self.folder / "store", actor="mira", scope="quay", embedder="none", clock=self.clock
        )
        self.ids: list[str] = []
        self.filings: dict[str, tuple[Filing, ...]] = {}
        self.erased: set[str] = set()
        self.heads: tuple[Head, ...] = ()
        self.moments = [self.clock.time]

    def teardown(self) -> None:
        """Away with it."""
        if hasattr(self, "memory"):
            self.memory.close()
            shutil.rmtree(self.folder)

    def _forward(self) -> None:
        self.clock.time += STEP
        self.moments.append(self.clock.time)

    def _id(self, at: int) -> str:
        return self.ids[at % len(self.ids)]

    def _tried(self, verb: str, *given: object, **named: object) -> None:
        """Do something that may be refused with an error of ours, and with no other."""
        self._forward()
        try:
            receipt = getattr(self.memory, verb)(*given, **named)
        except QuothError:
            return
        for outcome in getattr(receipt, "outcomes", ()):
            if outcome.record_id and outcome.record_id not in self.ids:
                self.ids.append(outcome.record_id)

    @rule(text=st.sampled_from(TEXTS), uri=st.sampled_from(PLACES))
    def remember(self, text: str, uri: str) -> None:
        """Say something."""
        self._tried("remember", quoth.Document(text, uri=uri))

    @precondition(lambda self: self.ids)
    @rule(at=st.integers(0, 20), text=st.sampled_from(TEXTS))
    def correct(self, at: int, text: str) -> None:
        """Say it otherwise."""
        self._tried("correct", self._id(at), text, because="it was wrong")

    @precondition(lambda self: self.ids)
    @rule(at=st.integers(0, 20), verb=st.sampled_from(("forget", "reinstate", "expire")))
    def file(self, at: int, verb: str) -> None:
        """Take it back, bring it back, end it."""
        self._tried(verb, self._id(at), because="as it is")

    @precondition(lambda self: self.ids)
    @rule(at=st.integers(0, 20))
    def erase(self, at: int) -> None:
        """Destroy its words, and those of every record that says the same."""
        wanted = self._id(at)
        words = self.memory.get(wanted).text
        self._tried("erase", wanted, because="a person asked for it")
        if self.memory.get(wanted).standing is Standing.ERASED and words:
            self.erased.add(normal_form(words))

    @rule(
        entity=st.sampled_from(ENTITIES),
        attribute=st.sampled_from(ATTRIBUTES),
        value=st.sampled_from(VALUES),
        verb=st.sampled_from(("assert", "assert", "reject", "lift")),
        verified=st.booleans(),
    )
    def fact(self, entity: str, attribute: str, value: str, verb: str, verified: bool) -> None:
        """Assert a value, reject it, lift the rejection."""
        named: dict[str, object] = {"verified": verified} if verb == "assert" else {"because": "as it is"}
        self._tried(f"facts_{verb}", entity, attribute, value, **named)

    @rule(at=st.integers(0, 20), verb=st.sampled_from(("accept", "reject", "keep")))
    def answer(self, at: int, verb: str) -> None:
        """Answer something that waits."""
        waiting = self.memory.review_list()
        if waiting:
            self._tried(f"review_{verb}", waiting[at % len(waiting)].held.id, because="looked at")

    @invariant()
    def the_chain_holds(self) -> None:
        """`verify` is clean, and knows the heads that it gave before."""
        if hasattr(self, "memory"):
            found = self.memory.verify(witness=self.heads)
            assert found.clean, found
            self.heads = found.heads

    @invariant()
    def filings_only_grow(self) -> None:
        """What was filed stays as it was filed; an erased record keeps no notes."""
        for each in getattr(self, "ids", ()):
            now = self.memory.history(each).filings
            was = self.filings.get(each, ())
            if self.memory.get(each).standing is not Standing.ERASED:
                assert was == now[: len(was)]
            assert len(was) <= len(now)
            self.filings[each] = now

    @invariant()
    def no_rejected_value_stands(self) -> None:
        """No value under a rejection that was not lifted is a fact."""
        if not hasattr(self, "memory"):
            return
        for fact in self.memory.facts_get("Mira").facts:
            lifted = set()
            bound = []
            for event in self.memory.facts_history(fact.entity, fact.attribute):
                if isinstance(event, quoth.Lift):
                    lifted.add(event.rejection)
                elif isinstance(event, quoth.Rejection):
                    bound.append(event)
            rejected = {each.value.replace(",", "") for each in bound if each.id not in lifted}
            assert fact.value.replace(",", "") not in rejected

    @invariant()
    def no_erased_word_can_be_read(self) -> None:
        """Not by a question at any moment, by id, in the queue, in the audit log, nor in a file."""
        if not getattr(self, "erased", None):
            return
        shown = [self.memory.get(each).text for each in self.ids]
        for moment in (None, *self.moments[-8:]):
            for known in (None, moment):
                found = self.memory.recall(
                    "harbour ferry lighthouse", k=20, as_of=moment, known_at=known, history=moment is None
                )
                shown += [each.text for each in found.passages]
        shown += [text for item in self.memory.review_list(answered=True) for text in _texts(item)]
        assert not self.erased & {normal_form(each) for each in shown}
        gone = [each.lower().encode() for each in TEXTS if normal_form(each) in self.erased]
        for file in (each for each in self.folder.rglob("*") if each.is_file()):
            data = file.read_bytes().lower()
            assert not [words for words in gone if words in data], file.name

    @invariant()
    def rejected_words_are_not_served(self) -> None:
        """Every passage of an answer is of a record that is current."""
        if hasattr(self, "memory"):
            for each in self.memory.recall("harbour ferry lighthouse", k=20).passages:
                assert each.standing is Standing.CURRENT


def _texts(item: Review) -> tuple[str, str]:
    return item.text, item.against_text


TestTruth = Truth.TestCase
TestTruth.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
