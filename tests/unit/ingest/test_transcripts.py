"""What the transcript readers make of real files; expected values were written by hand."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from quoth.core.errors import InvalidInput
from quoth.core.types import Document, Source
from quoth.ingest.readers import FORMATS, Problem, read

DATA = Path(__file__).parents[2] / "data" / "third_party"
CLAUDE, CODEX = DATA / "claude-code", DATA / "codex"
SAMPLES = [("claude-code", each) for each in sorted(CLAUDE.iterdir())] + [
    ("codex", each) for each in sorted(CODEX.iterdir())
]


def documents(format: str, path: Path) -> list[Document]:
    """The documents that a reader yields."""
    return [each for each in read(format, path) if isinstance(each, Document)]


def skipped(format: str, path: Path) -> Counter[str]:
    """What a reader passes over, by class."""
    return Counter(each.what for each in read(format, path) if isinstance(each, Problem))


def line(**fields: object) -> str:
    """One line of a Claude Code transcript."""
    message = {"role": fields.get("type", "user"), "content": fields.pop("content", "Hello")}
    return json.dumps({"type": "user", "uuid": "u1", "sessionId": "s", "message": message} | fields)


def test_a_session_without_ids_is_named_after_file_and_line() -> None:
    """Sessions without sessionId use the file's stem, messages without uuid their line."""
    path = CLAUDE / "agentsview-valid_session.jsonl"
    found = documents("claude-code", path)
    assert [(each.speaker, each.text, each.uri) for each in found] == [
        ("user", "Fix the login bug", "claude-code:agentsview-valid_session/line-1"),
        ("assistant", "Looking at the auth module...", "claude-code:agentsview-valid_session/line-2"),
        ("user", "That looks right", "claude-code:agentsview-valid_session/line-3"),
        ("assistant", "Applied the fix.", "claude-code:agentsview-valid_session/line-4"),
    ]
    first = found[0]
    assert first.session_id == "agentsview-valid_session"
    assert first.said_at == datetime(2024, 1, 1, 10, tzinfo=UTC)
    assert (first.kind, first.source) == ("turn", Source.PERSON)
    assert found[1].source is Source.ASSISTANT
    assert first.metadata == {"file": str(path), "line": "1", "cwd": "/Users/alice/code/my-app"}
    assert skipped("claude-code", path) == {"tool call": 1}


def test_the_edge_cases_of_claude_code() -> None:
    """Wrappers, tools, broken messages and things that are no message are counted; words are kept."""
    path = CLAUDE / "claude-code-log-edge_cases.jsonl"
    found = documents("claude-code", path)
    assert [each.uri for each in found] == [
        "claude-code:edge_cases/edge_001",
        "claude-code:edge_cases/edge_002",
        "claude-code:edge_cases/edge_003",
        "claude-code:edge_cases/edge_009",
        "claude-code:edge_cases/edge_011",
    ]
    assert [each.speaker for each in found] == ["user", "assistant", "user", "assistant", "user"]
    assert found[3].text == (
        "I see the long Lorem ipsum text wraps nicely! Long text handling is important for readability. "
        "The CSS should handle word wrapping automatically."
    )
    assert found[4].text == (
        "Testing special characters: café, naïve, résumé, 中文, العربية, русский, "
        "🎉 emojis 🚀 and symbols ∑∆√π∞"
    )
    assert found[4].said_at == datetime(2025, 6, 14, 11, 3, 30, tzinfo=UTC)
    assert skipped("claude-code", path) == {
        "tool call": 3,
        "tool result": 1,
        "message of the client": 3,
        "message without content": 2,
        "line that is not an object": 3,
        "line of type NoneType": 1,
        "block that is not an object": 1,
        "line of type 'summary'": 1,
    }


def test_a_representative_session_of_claude_code() -> None:
    """Every text of both sides is kept, in order."""
    path = CLAUDE / "claude-code-log-representative.jsonl"
    found = documents("claude-code", path)
    want = [
        ("msg_001", "Hello Claude! Can you help me understand how Python decorators work?"),
        ("msg_002", "I'd be happy to help you understand Python decorators! A decorator is a design "),
        ("msg_003", "Great! Can you also show me how to create a decorator that takes parameters?"),
        ("msg_006", "Perfect! I've created an example of a parameterized decorator. Here's how it wor"),
        ("msg_007", "Can you run that example to show the output?"),
        ("msg_010", "Perfect! As you can see, the `@repeat(3)` decorator successfully made the `greet"),
        ("msg_011", "This is really helpful! Let me try to implement a timing decorator myself. Can y"),
    ]
    assert [each for each, _ in want] == [each.uri.rpartition("/")[2] for each in found]
    assert all(each.text.startswith(start) for each, (_, start) in zip(found, want, strict=True))
    assert skipped("claude-code", path) == {"tool call": 2, "tool result": 2, "line of type 'summary'": 1}


def test_the_web_export_of_claude_code() -> None:
    """An export with `loglines` gives its texts; thinking, tools and the summary are counted."""
    path = CLAUDE / "simonw-web-session.json"
    want = [
        ("user", "line-1", "Create a simple Python function to add two numbers"),
        ("assistant", "line-2", "I'll create a simple Python function for you. Le"),
        ("assistant", "line-4", "I've created the `add` function. Now let me run "),
        ("assistant", "line-6", "All tests pass. Let me update the todo list and "),
        ("assistant", "line-10", "Committed! Now pushing to remote."),
        ("user", "line-12", "Now edit the file to add a subtract function"),
        ("assistant", "line-17", "Added the subtract function. Let me verify with "),
        ("user", "line-19", "Run the tests again"),
        ("assistant", "line-22", "There's a test failure. I need to check the test"),
        ("user", "line-23", "Fix the issue and commit"),
        ("assistant", "line-28", "Done! The subtract function is now working and c"),
        ("user", "line-30", "Add a multiply function too"),
        ("assistant", "line-33", "Added multiply function!"),
    ]
    found = documents("claude-code", path)
    assert [each[:2] for each in want] == [(each.speaker, each.uri.rpartition("/")[2]) for each in found]
    assert all(each.text.startswith(start) for each, (_, _, start) in zip(found, want, strict=True))
    assert skipped("claude-code", path) == {
        "thinking": 1,
        "tool call": 12,
        "tool result": 12,
        "summary of a compacted session": 1,
    }


def test_sessions_of_codex() -> None:
    """Response items with words are kept; the session is the one that the file names."""
    path = CODEX / "agentsview-standard_session.jsonl"
    first, second = documents("codex", path)
    assert first == Document(
        text="Add rate limiting",
        uri="codex:abc-123/2",
        kind="turn",
        session_id="abc-123",
        speaker="user",
        said_at=datetime(2024, 1, 1, 10, 0, 1, tzinfo=UTC),
        metadata={"file": str(path), "line": "2"},
        source=Source.PERSON,
    )
    assert second.text == "I'll add rate limiting to the API."
    assert (second.speaker, second.source) == ("assistant", Source.ASSISTANT)
    path = CODEX / "agentsview-function_calls.jsonl"
    assert [each.text for each in documents("codex", path)] == ["Run the tests"]
    assert skipped("codex", path) == {"tool call": 2}


def test_codex_context_and_repeats_are_left_out(tmp_path: Path) -> None:
    """AGENTS.md, the environment, developer messages, reasoning and event messages are counted."""
    path = tmp_path / "rollout-2025-11-01T00-00-00-01234567-89ab-cdef-0123-456789abcdef.jsonl"

    def item(role: str, *texts: str) -> dict[str, object]:
        content = [{"type": "input_text", "text": text} for text in texts]
        return {"type": "response_item", "payload": {"type": "message", "role": role, "content": content}}

    lines: list[dict[str, object]] = [
        {"type": "turn_context", "payload": {}},
        item("developer", "Be brief."),
        item("user", "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>"),
        item("user", "<environment_context>\n</environment_context>"),
        item("user", "What is it?", "And why?"),
        {"type": "event_msg", "payload": {"type": "user_message", "message": "What is it?"}},
        {"type": "response_item", "payload": {"type": "reasoning", "summary": []}},
        item("assistant", "This."),
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    session = "01234567-89ab-cdef-0123-456789abcdef"
    assert [
        (f"codex:{session}/5", "What is it?"),
        (f"codex:{session}/5#2", "And why?"),
        (f"codex:{session}/8", "This."),
    ] == [(each.uri, each.text) for each in documents("codex", path)]
    assert skipped("codex", path) == {
        "line of type 'turn_context'": 1,
        "message of 'developer'": 1,
        "message of the client": 2,
        "line of type 'event_msg'": 1,
        "thinking": 1,
    }


def test_text_blocks_of_one_message_are_documents_of_their_own(tmp_path: Path) -> None:
    """Words are never joined: each text block is a slice of what came in."""
    path = tmp_path / "s.jsonl"
    content = [{"type": "text", "text": " one\n"}, {"type": "image"}, {"type": "text", "text": "two"}]
    path.write_text(line(content=content), encoding="utf-8")
    assert [(each.uri, each.text) for each in documents("claude-code", path)] == [
        ("claude-code:s/u1", " one\n"),
        ("claude-code:s/u1#2", "two"),
    ]


def test_reminders_around_words_are_left_out(tmp_path: Path) -> None:
    """What the client puts before and after a person's words goes; what they quote in the middle stays."""
    path = tmp_path / "s.jsonl"
    reminder = "<system-reminder>\nx\n</system-reminder>"
    texts = [
        f"{reminder}\nMine.",
        f"Mine. {reminder}\n{reminder}\n",
        f"{reminder}{reminder}",
        f"a {reminder} b",
        "<system-reminder> open",
    ]
    path.write_text(
        "\n".join(line(uuid=str(at), content=text) for at, text in enumerate(texts)), encoding="utf-8"
    )
    found = [each.text for each in documents("claude-code", path)]
    assert found == ["\nMine.", "Mine. ", f"a {reminder} b", "<system-reminder> open"]
    assert all(each in text for each, text in zip(found, [*texts[:2], *texts[3:]], strict=True))


def test_a_message_that_comes_twice_counts_once(tmp_path: Path) -> None:
    """Resumed sessions repeat messages, also in another file."""
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(line() + "\n" + line() + "\n", encoding="utf-8")
    assert len(documents("claude-code", tmp_path)) == 1
    assert skipped("claude-code", tmp_path) == {"message that was read before": 3}


def test_a_subagents_task_is_not_a_persons_word(tmp_path: Path) -> None:
    """In a side chain the user is the agent."""
    path = tmp_path / "agent-1.jsonl"
    path.write_text(line(isSidechain=True), encoding="utf-8")
    (found,) = documents("claude-code", path)
    assert (found.speaker, found.source) == ("assistant", Source.ASSISTANT)


@pytest.mark.parametrize("stamp", [None, 17, "yesterday", "2025-01-01T00:00:00", "9999-12-31T23:59:59-23:00"])
def test_a_time_that_is_none_leaves_the_words(tmp_path: Path, stamp: object) -> None:
    """A missing, odd or naive time stamp costs the time, not the message (field case 64)."""
    path = tmp_path / "s.jsonl"
    path.write_text(line(timestamp=stamp), encoding="utf-8")
    assert [each.said_at for each in documents("claude-code", path)] == [None]


def test_lines_that_make_no_sense_are_counted(tmp_path: Path) -> None:
    """Bad JSON, bad UTF-8, NUL, depth without end and a half-written last line cost one line each."""
    path = tmp_path / "s.jsonl"
    lines = [
        b"{oops",
        b'{"a": "\xff"}',
        b"\xef\xbb\xbf" + line().encode(),
        b"[" * 100_000,
        b"",
        b'{"type": "us',
    ]
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(lines))
    assert len(documents("claude-code", path)) == 1
    assert skipped("claude-code", path) == {
        "line that is not JSON": 2,
        "line that is not text": 1,
        "half-written last line": 1,
    }


@pytest.mark.parametrize(("format", "path"), SAMPLES, ids=[path.name for _, path in SAMPLES])
def test_every_truncation_is_survived(format: str, path: Path, tmp_path: Path) -> None:
    """A file cut anywhere gives the messages before the cut and no error."""
    raw = path.read_bytes()
    whole = [(each.text, each.uri) for each in documents(format, path)]
    cut = tmp_path / path.name
    for size in range(0, len(raw), 50):
        cut.write_bytes(raw[:size])
        part = [(each.text, each.uri) for each in documents(format, cut)]
        assert part == whole[: len(part)]


def test_utf_16_with_a_mark_is_read(tmp_path: Path) -> None:
    """A transcript that was saved as UTF-16 is read like any other."""
    path = tmp_path / "s.jsonl"
    path.write_bytes((line(uuid="a") + "\r\n" + line(uuid="b") + "\r\n").encode("utf-16"))
    assert len(documents("claude-code", path)) == 2


def test_a_folder_is_read_in_order_and_links_are_not_followed(tmp_path: Path) -> None:
    """Every *.jsonl below a folder is read, by name; links and broken files are counted."""
    (tmp_path / "b").mkdir()
    for name in ("b/1.jsonl", "a.jsonl", "z.txt"):
        (tmp_path / name).write_text(line(uuid=name, content=name), encoding="utf-8")
    (tmp_path / "c.jsonl").symlink_to(tmp_path / "a.jsonl")
    (tmp_path / "d.jsonl").write_bytes(b"\0\1\2")
    assert [each.text for each in documents("claude-code", tmp_path)] == ["a.jsonl", "b/1.jsonl"]
    assert skipped("claude-code", tmp_path) == {"link": 1, "file that cannot be read": 1}


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_what_cannot_be_read_is_refused_by_name(format: str, tmp_path: Path) -> None:
    """A missing file and a binary one are errors that name path and byte."""
    with pytest.raises(InvalidInput, match=r"no such file or folder: '.*missing'"):
        list(read(format, tmp_path / "missing"))
    (tmp_path / "binary").write_bytes(b"ab\0c")
    with pytest.raises(InvalidInput, match="binary' is not a text file: NUL at byte 2"):
        list(read(format, tmp_path / "binary"))


def test_an_unknown_format_is_refused_by_name() -> None:
    """The error lists what there is."""
    with pytest.raises(InvalidInput, match="unknown format 'word'; there are claude-code, codex"):
        read("word", Path("x"))
