"""Python and the command line give the same values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import quoth as package
from quoth import Memory
from quoth.surfaces import wire

Ask = Callable[..., Any]
EXAMPLES = Path(__file__).parents[2] / "examples"
WHO = "what do I do when the intake queue stops draining?"


def form(value: object) -> Any:
    """What goes over the wire, as it is read there."""
    return json.loads(wire.text(value))


@pytest.fixture(params=["none", "hash"])
def memory(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """The store that the command line sees too, with the examples in it."""
    monkeypatch.setenv("QUOTH_EMBEDDER", request.param)
    with package.open() as opened:
        opened.watch([EXAMPLES / "notes"])
        opened.import_("claude-code", EXAMPLES / "transcripts" / "claude-code.jsonl")
        opened.index()
        yield opened


@pytest.mark.parametrize(
    "question", [WHO, "which airline flies to Reykjavik on Sundays?", "", "😀 'quoted\""]
)
def test_recall_agrees(memory: Memory, ask: Ask, question: str) -> None:
    """The same question has the same answer through both doors, every field of it."""
    assert form(memory.recall(question)) == ask("recall", question)


def test_recall_agrees_on_every_option(memory: Memory, ask: Ask) -> None:
    """Each option means the same through both doors."""
    grain = package.Grain.TURN
    want = memory.recall(WHO, k=2, budget=40, grain=grain, mode="strict", tier="zero-llm")
    options = ("-k", "2", "--budget", "40", "--grain", "turn", "--mode", "strict", "--tier", "zero-llm")
    assert form(want) == ask("recall", WHO, *options)


def test_looking_agrees(memory: Memory, ask: Ask) -> None:
    """Records, lists, histories, counts, the index and the proof are the same through both doors."""
    id = memory.recent(1)[0].id
    assert form(memory.get(id)) == ask("get", id)
    assert {"records": form(memory.recent(3))} == ask("recent", "-n", "3")
    assert form(memory.history(id)) == ask("history", id)
    assert form(memory.audit()) == ask("audit")
    assert form(memory.status()) == ask("status")
    assert form(memory.index_status()) == ask("index", "status")
    assert form(memory.verify()) == ask("verify")
    assert {"embedded": memory.index()} == ask("index")


def test_writing_agrees(memory: Memory, ask: Ask, tmp_path: Path) -> None:
    """What one door wrote, the other knows already."""
    words = "Ana's dentist is Dr. Okafor, Tuesdays."
    assert "stored" == ask("remember", words)["outcomes"][0]["outcome"]
    receipt = memory.remember(words)
    assert form(receipt) == ask("remember", words)
    assert form(memory.watch([EXAMPLES / "notes"])) == ask("watch", str(EXAMPLES / "notes"), "--once")
    again = memory.import_("claude-code", EXAMPLES / "transcripts")
    want = {
        "counts": wire.counts(again.receipt),
        "skipped": again.skipped,
        "outcomes": [],
        "problems": again.problems,
        "notes": (),
    }
    assert form(want) == ask("import", "claude-code", str(EXAMPLES / "transcripts"))


def test_truth_agrees(memory: Memory, ask: Ask) -> None:
    """What is corrected, forgotten, asserted and decided through one door is the same through the other."""
    why = ("--because", "I know")
    old = memory.recent(1)[0].id
    done = ask("correct", old, "Other words.", *why)["outcomes"][0]
    assert ("stored", old) == (done["outcome"], memory.history(done["id"]).chain[0].id)
    assert form(memory.history(old)) == ask("history", done["id"]) | {"id": old} | {
        "filings": form(memory.history(old).filings)
    }
    left = ask("forget", done["id"], *why)
    assert form(memory.history(done["id"]).filings[-1]) == left["filing"]
    back = memory.reinstate(done["id"])
    assert form(back.filing) == ask("history", done["id"])["filings"][-1]
    assert form(memory.erase(old, because="x", dry_run=True))["records"] == [old]
    memory.facts_assert("ana", "city", "Lisbon", verified=True)
    memory.facts_reject("ana", "city", "Porto", because="no")
    with pytest.raises(AssertionError):  # held: it ends with 7
        ask("facts", "assert", "ana", "city", "Porto")
    assert form(memory.facts_get("ana", "city")) == ask("facts", "get", "ana", "city")
    assert {"items": form(memory.review_list())} == ask("review", "list")
    assert {"items": form(memory.facts_contradictions())} == ask("facts", "contradictions")
    (item,) = memory.review_list()
    assert ask("review", "keep", item.held.id, *why) == form(memory.review_list(answered=True))[0]
    assert form(memory.status()) == ask("status")


@pytest.mark.parametrize("id", ["0" * 32, "nope"])
def test_errors_agree(memory: Memory, quoth: Ask, id: str) -> None:
    """An error that Python raises is the line and the code of the command line."""
    with pytest.raises(package.NotFound) as error:
        memory.get(id)
    ran = quoth("get", id)
    assert (4, f"quoth: {error.value}\n") == (ran.exit_code, ran.stderr)
