"""The README's promises about answers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import quoth
from quoth.core.types import Embedding, Source, Trust

NOTES = Path(__file__).resolve().parents[2] / "examples" / "notes"


@pytest.fixture(scope="module")
def example_memory() -> Iterator[quoth.Memory]:
    """The example notes, as they are shipped, with the default embedder."""
    with quoth.open(":memory:", actor="ana", scope="user:ana", embedder="minilm") as memory:
        memory.watch([NOTES])
        memory.index()
        yield memory


@pytest.mark.parametrize(
    "question",
    [
        "Which airline flies to Reykjavik on Sundays?",
        "What is the capital of Mongolia?",
        "How many goals were scored in the cup final?",
        "When did my sister adopt the parrot?",
    ],
)
def test_it_abstains(example_memory: quoth.Memory, question: str) -> None:
    """When nothing that it holds answers the question, Quoth abstains and gives the reason."""
    found = example_memory.recall(question)
    assert found.abstention is not None
    assert found.abstention.reason in ("below_floor", "nothing_found")
    assert found.abstention.detail
    assert (quoth.Confidence.NONE, False) == (found.confidence, found.answerable)
    known = example_memory.recall("What do I do when the intake queue stops draining?")
    assert (None, True) == (known.abstention, known.answerable)
    assert known.passages[0].text.startswith("## The intake queue stops draining")


def test_same_answer(tmp_path: Path) -> None:
    """The same question asked of the same store gives the same answer, in every process."""
    with quoth.open(tmp_path, actor="ana", scope="user:ana", embedder="minilm") as memory:
        memory.watch([NOTES])
    program = """
import sys, quoth
with quoth.open(sys.argv[1], actor="ana", scope="user:ana", embedder="minilm") as memory:
    memory.index()
    for question in sys.argv[2:]:
        found = memory.recall(question, k=20)
        print(found.confidence, found.abstention, found.plan, found.trace)
        for each in found.passages:
            print(each.id, each.passage, each.text, each.score.hex(), sorted(each.evidence.items()))
"""
    questions = ["what happens when a scanner shows E-1407?", "who is away in February?", "грушу"]
    answers = {
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path), *questions],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert 1 == len(answers)
    assert "Put it in the cradle" in answers.pop()


@given(question=st.text(max_size=300))
@example("")
@example(" \t\n")
@example("\0")
@example("\ud800")
@example('" OR 1=1; DROP TABLE record; --')
@example("NOT AND OR NEAR( * ^ : - \" ' % _ \\")
@example("C++ k8s tier1-test src/main.py --dry-run 6f1c4c2e-3a0e-4f57-9b7e-0f4d3f8f8a10 E-1407 C:\\repo | sh")
@example("天気" * 2_000)
@example("\u0301" * 5_000)
@example("why " * 25_000)
def test_no_question_breaks_it(example_memory: quoth.Memory, question: str) -> None:
    """No question breaks it, whatever characters it holds."""
    found = example_memory.recall(question)
    assert question == found.question
    assert found.passages or found.abstention


class Away:
    """An embedder that never answers."""

    name = "away"
    dimensions = 8
    cheap = True

    def embed(self, texts: Sequence[str], role: Literal["query", "passage"]) -> list[Embedding]:
        """Nobody is there."""
        raise quoth.InferenceUnavailable("the model does not answer")


@pytest.mark.parametrize("embedder", ["none", Away()], ids=["none", "away"])
def test_words_without_an_embedder(embedder: str | Away) -> None:
    """Without an embedder, words are still found, and the answer says what was missing."""
    with quoth.open(":memory:", actor="ana", scope="user:ana", embedder=embedder) as memory:
        receipt = memory.remember(["The shed code is 4711.", "The gate squeaks."])
        assert 2 == receipt.count(quoth.Result.STORED)
        found = memory.recall("what is the shed code?")
        assert "The shed code is 4711." == found.passages[0].text
        assert found.degraded


@pytest.fixture
def shed() -> Iterator[quoth.Memory]:
    """An empty memory that finds by words alone."""
    with quoth.open(":memory:", actor="ana", scope="user:ana", embedder="none") as memory:
        yield memory


def test_old_words_are_labelled(shed: quoth.Memory) -> None:
    """Corrected words are served only where the history is asked for, labelled, behind what replaced them."""
    first = shed.remember("The shed code is 4711.").outcomes[0].record_id
    second = shed.correct(str(first), "Ask Ruth.", because="it changed").outcomes[0].record_id
    third = shed.correct(str(second), "Ask Ben.", because="Ruth moved").outcomes[0].record_id
    assert "4711" not in " ".join(each.text for each in shed.recall("the shed code 4711?").passages)
    found = shed.recall("the shed code 4711?", history=True).passages
    assert ["Ask Ben.", "The shed code is 4711."] == [each.text for each in found]
    assert ["current", "superseded"] == [each.standing for each in found]
    assert [None, third] == [each.superseded_by for each in found]


def test_contradictions_are_named(shed: quoth.Memory) -> None:
    """Where two passages of an answer contradict each other by rule, both come, and the answer names both."""
    texts = ["The cache port is 6379.", "The cache port is 6380."]
    ids = [each.record_id for each in shed.remember(texts).outcomes]
    found = shed.recall("what is the cache port?")
    assert sorted(texts) == sorted(each.text for each in found.passages)
    [conflict] = found.conflicts
    assert all(str(each) in conflict for each in ids)
    assert "number" in conflict


def test_same_words_every_source(shed: quoth.Memory) -> None:
    """The same words from several sources are one passage with every source; another number is another."""
    shed.remember(quoth.Document(f"The shed code is {code}.", uri=uri) for uri, code in SAID)
    found = shed.recall("what is the shed code?", k=2).passages
    places = {each.text: sorted(seen.uri for seen in each.observations) for each in found}
    assert {"The shed code is 4711.": ["a", "b", "d"], "The shed code is 4712.": ["c"]} == places


SAID = [("a", 4711), ("b", 4711), ("c", 4712), ("d", 4711)]


def test_limits_hold(shed: quoth.Memory) -> None:
    """What is limited to a time or a trust is answered within it, or not at all, and says why."""
    shed.remember(
        [
            quoth.Document("The shed code was 4711.", uri="old", said_at=datetime(2024, 5, 1, tzinfo=UTC)),
            quoth.Document("The gate code was 8128.", uri="page", source=Source.WEB),
        ]
    )
    asked = "what was the shed code?"
    assert 1 == len(shed.recall(asked, since="2024-05-01", until="2024-05-02").passages)
    for since, until in ((None, "2024-05-01"), ("2024-05-02", "2025-01-01")):
        found = shed.recall(asked, since=since, until=until)
        assert ((), "nothing_in_window") == (found.passages, found.abstention and found.abstention.reason)
    doubtful = shed.recall("what was the gate code of 8128?", trust=Trust.DOUBTFUL)
    assert any("8128" in each.text for each in doubtful.passages)
    assert not any("8128" in each.text for each in shed.recall("what was the gate code of 8128?").passages)
    with pytest.raises(quoth.InvalidInput):
        shed.recall(asked, since="last week")
