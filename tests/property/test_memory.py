"""Recall under any text, and a store under any order of writes."""

from __future__ import annotations

import os
import string
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

import quoth
from quoth.core.policy import Policy
from quoth.core.types import (
    Access,
    Actor,
    ActorKind,
    Authority,
    Document,
    Filing,
    RecordId,
    Result,
    Scope,
    Status,
)
from quoth.inference.hashed import HashEmbedder
from quoth.ingest.index import embed_pending
from quoth.ingest.remember import remember
from quoth.recall.recall import recall
from quoth.store.sqlite import SqliteStore

ANA = Access(
    actor=Actor("ana", ActorKind.HUMAN, Authority.OWNER),
    reads=frozenset({Scope("user:ana")}),
    writes=frozenset({Scope("user:ana")}),
    home=Scope("user:ana"),
)
EMBEDDER = HashEmbedder(dimensions=64)
SAID = (
    ("Zoë", "I saw a heron by the pond on 8 May 2023, didn't you?"),
    ("Bo", "No. My boiler has the number X-47/11 and it leaks."),
    ("assistant", "You could call the plumber: she repairs boilers."),
    (None, "Ein Reiher, 天気がいい, ภาษาไทย, Приветствую, नमस्ते 🙂 e\u0301"),
)


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """The moment that was set."""
        return self.time


def filled(store: SqliteStore, clock: Clock) -> None:
    """A conversation and a note, with vectors."""
    said = [
        Document(text, f"t/{at}", "turn", "talk", speaker, clock.now())
        for at, (speaker, text) in enumerate(SAID)
    ]
    remember(store, ANA, clock, Policy(), [*said, Document("# Herons\n\nThey wade.", "h.md", "markdown")])
    embed_pending(store, ANA, EMBEDDER, Policy())


@pytest.fixture(scope="module")
def talk() -> SqliteStore:
    """A small store that questions do not change."""
    clock = Clock()
    store = SqliteStore(None, clock=clock, embedder_name=EMBEDDER.name, policy=Policy())
    filled(store, clock)
    return store


def asked(store: SqliteStore, question: str, *, dense: bool = True) -> quoth.Recollection:
    """What recall says, twice the same."""
    embedder = EMBEDDER if dense else None
    first = recall(store, ANA, embedder, Clock(), Policy(), question, k=9)
    assert first == recall(store, ANA, embedder, Clock(), Policy(), question, k=9)
    for each in first.passages:
        span = each.passage.span
        assert each.text == each.record.testimony.text[span.start : span.end]
    return first


ANY = st.text(st.characters(), max_size=60)
PIECES = (
    "heron|boiler|Zoë|Bo's|8 May 2023|X-47/11|when|how long|天気|what did you say|99999-99-99|"
    "0000-00-00|/|--|C++|'|*|(|NEAR|OR|" + "\0|\ud800"
)
MIXED = st.lists(st.sampled_from(PIECES.split("|")) | ANY, max_size=8)


@settings(max_examples=150)
@given(question=ANY | MIXED.map(" ".join) | MIXED.map("".join), dense=st.booleans())
def test_no_question_raises(talk: SqliteStore, question: str, dense: bool) -> None:
    """Any code points, in any order, NUL and lone surrogates too: an answer or a reasoned abstention."""
    got = asked(talk, question, dense=dense)
    assert question == got.question
    assert (got.abstention is None) == got.answerable
    assert got.answerable or got.confidence is quoth.Confidence.NONE


@pytest.mark.parametrize("sign", string.punctuation)
@pytest.mark.parametrize("dense", [True, False])
def test_punctuation_breaks_nothing(talk: SqliteStore, sign: str, dense: bool) -> None:
    """Each ASCII sign alone, repeated, around a word and inside of one; the words beside it are found."""
    for question in (sign, sign * 30, f"her{sign}on", f"{sign}{sign} {sign}"):
        asked(talk, question, dense=dense)
    for question in (f"{sign}heron{sign} pond", f"heron {sign} pond", f"heron{sign}{sign} pond"):
        found = [each.text for each in asked(talk, question, dense=dense).passages]
        assert any("heron by the pond" in each for each in found)


@pytest.mark.parametrize(
    "question",
    [
        "heron " * 17_000,
        "a" * 100_000,
        "\n" * 100_000,
        "é" * 100_000,
        "天" * 100_000,
        "a/" * 50_000,
        "e\u0301" * 50_000,
    ],
    ids=["words", "one word", "blanks", "accents", "han", "path", "marks"],
)
def test_a_hundred_kilobytes_break_nothing(talk: SqliteStore, question: str) -> None:
    """A question of 100 kB is answered from its beginning, and the trace says so."""
    got = asked(talk, question)
    assert "question: only its first characters were looked at" in got.trace
    assert question == got.question


@given(texts=st.lists(ANY | st.sampled_from([text for _, text in SAID]), max_size=5), question=ANY)
def test_a_passage_is_a_slice_of_what_was_given(texts: list[str], question: str) -> None:
    """Each passage of an answer stands in its document where its observation says, byte for byte."""
    given_ = {f"n/{at}": text for at, text in enumerate(texts)}
    with quoth.open(":memory:", actor="ana", scope="user:ana", embedder="hash") as memory:
        memory.remember([Document(text, uri, "text") for uri, text in given_.items()])
        for each in memory.recall(question or "heron", k=50).passages:
            own = [seen for seen in each.observations if seen.record_id == each.id]
            assert own
            for seen in own:
                start = seen.span.start + each.passage.span.start
                there = given_[seen.uri][start : start + len(each.text)]
                assert each.text.encode("utf-8", "surrogatepass") == there.encode("utf-8", "surrogatepass")


_ASK = """
import sys
import quoth
with quoth.open(sys.argv[1], actor="ana", scope="user:ana", embedder="hash") as memory:
    for question in ("what leaks?", "when did Zoë see the heron?", "天気", "who wades in 2023?", "X-47/11"):
        got = memory.recall(question, k=9)
        print(repr((got.plan, got.confidence, got.conflicts, got.trace, got.abstention)))
        for each in got.passages:
            print(each.id, repr(each.score), sorted(each.evidence.items()))
"""


def test_every_process_gives_the_same_answer(tmp_path: Path) -> None:
    """The same questions in three processes, whatever their hash seed: the same scores and evidence."""
    folder = tmp_path / "store"
    with quoth.open(folder, actor="ana", scope="user:ana", embedder="hash") as memory:
        memory.remember([Document(text, f"t/{at}", "turn", "s", who) for at, (who, text) in enumerate(SAID)])
    answers = []
    for seed in ("0", "1", "4711"):
        done = subprocess.run(
            [sys.executable, "-c", _ASK, str(folder)],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=True,
        )
        answers.append(done.stdout)
    assert "X-47/11" in answers[0]
    assert 1 == len(set(answers))


# --- any order of writes -----------------------------------------------------------------------------

KEYS = [f"mark{number}x" for number in range(40)]


class Remembering(RuleBasedStateMachine):
    """A store, and beside it what was done to it."""

    records = Bundle("records")

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.store = SqliteStore(None, clock=self.clock, embedder_name=EMBEDDER.name, policy=Policy())
        self.filings: dict[RecordId, list[Filing]] = {}
        self.words: dict[RecordId, str] = {}
        self.served: dict[RecordId, bool] = {}

    def teardown(self) -> None:
        """Close the store."""
        self.store.close()

    def _remember(self, key: str, expected: Result) -> RecordId:
        document = Document(f"The {key} stands by the pond.", f"n/{key}")
        self.clock.time += timedelta(seconds=1)
        [outcome] = remember(self.store, ANA, self.clock, Policy(), [document]).outcomes
        assert expected is outcome.outcome
        assert outcome.record_id is not None
        return outcome.record_id

    @rule(target=records, key=st.sampled_from(KEYS))
    def remember(self, key: str) -> RecordId:
        """New words are stored, known ones are heard again: whatever became of them."""
        known = key in self.words.values()
        record = self._remember(key, Result.DUPLICATE if known else Result.STORED)
        if not known:
            with self.store.read(ANA) as view:
                self.filings[record] = list(view.history(record))
            self.words[record], self.served[record] = key, True
        return record

    @rule(record=records, status=st.sampled_from([Status.RETRACTED, Status.CURRENT, Status.HELD]))
    def refile(self, record: RecordId, status: Status) -> None:
        """Another status is appended."""
        self.clock.time += timedelta(seconds=1)
        last = self.filings[record][-1]
        filing = replace(last, revision=last.revision + 1, status=status, filed_at=self.clock.now())
        with self.store.write(ANA) as view:
            view.refile(filing)
        self.filings[record].append(filing)
        self.served[record] = status is Status.CURRENT

    @rule(record=consumes(records))
    def a_stale_refiling_fails(self, record: RecordId) -> None:
        """A revision that does not follow is refused."""
        stale = self.filings[record][0]
        with pytest.raises(quoth.Conflict), self.store.write(ANA) as view:
            view.refile(stale)

    @rule()
    def embed(self) -> None:
        """What is pending gets its vectors."""
        embed_pending(self.store, ANA, EMBEDDER, Policy())

    @rule(record=records)
    def search(self, record: RecordId) -> None:
        """What is served is found by its own word, what is retracted never."""
        got = asked(self.store, f"where does the {self.words[record]} stand?")
        found = {each.id for each in got.passages}
        assert found <= {each for each, served in self.served.items() if served}
        assert self.served[record] == (record in found)

    @invariant()
    def filings_only_grew(self) -> None:
        """Every filing that was ever made is there as it was."""
        with self.store.read(ANA) as view:
            for record, filings in self.filings.items():
                assert tuple(filings) == view.history(record)
            assert len(self.filings) == len(list(view.records()))
            assert sum(self.served.values()) == view.readable()

    @invariant()
    def the_chain_verifies(self) -> None:
        """Everything is sealed."""
        result = self.store.verify(ANA)
        assert (True, len(self.filings)) == (result.clean, result.counts["sealed"])


TestRemembering = Remembering.TestCase
TestRemembering.settings = settings(max_examples=25, stateful_step_count=20)
