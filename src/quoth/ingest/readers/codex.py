"""Codex: ``$CODEX_HOME/sessions/**/rollout-*.jsonl``; one document a text that was said.

Only response items count: event messages repeat their words. What Codex itself puts before the first
question (AGENTS.md, the environment), reasoning and tools are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from quoth.core.types import Document, Source
from quoth.ingest.readers.files import Problem
from quoth.ingest.readers.jsonl import Line, lines, moment, name, transcripts

_CONTEXT = (
    "# AGENTS.md instructions",
    "<user_instructions>",
    "<environment_context>",
    "<permissions instructions>",
    "<INSTRUCTIONS>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<skill>",
)
"""How texts begin that Codex writes in the name of the person."""
_ITEMS = {
    "reasoning": "thinking",
    "function_call": "tool call",
    "custom_tool_call": "tool call",
    "local_shell_call": "tool call",
    "web_search_call": "tool call",
    "function_call_output": "tool result",
    "custom_tool_call_output": "tool result",
}
_TEXTS = frozenset({"input_text", "output_text", "text"})
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z")


def read(path: Path) -> Iterator[Document | Problem]:
    """The texts of a session, or of every session below a folder."""
    return transcripts(path, _session)


def _session(path: Path) -> Iterator[Document | Problem]:
    found = _UUID.search(path.stem)
    session = found[0] if found else path.stem
    named = False
    for line in lines(path):
        if isinstance(line, Problem):
            yield line
            continue
        kind, payload = line.value.get("type"), line.value.get("payload")
        where = f"{path}:{line.number}"
        if kind == "session_meta" and isinstance(payload, dict):
            # A fork repeats the head of the session that it was forked from: the first one is its own.
            if not named and isinstance(payload.get("id"), str) and payload["id"]:
                session, named = payload["id"], True
        elif kind == "response_item" and isinstance(payload, dict):
            yield from _item(path, line, payload, session)
        elif kind == "message" and "role" in line.value:  # before there were envelopes
            yield from _item(path, line, line.value, session)
        else:
            yield Problem(where, f"line of type {name(kind)}")


def _item(path: Path, line: Line, payload: dict[str, object], session: str) -> Iterator[Document | Problem]:
    where = f"{path}:{line.number}"
    kind, role = payload.get("type", "message"), payload.get("role")
    if kind != "message" or role not in ("user", "assistant"):
        what = f"message of {name(role)}" if kind == "message" else f"item {name(kind)}"
        yield Problem(where, _ITEMS.get(kind, what) if isinstance(kind, str) else what)
        return
    content = payload.get("content")
    number = 0
    for block in content if isinstance(content, list) else [content]:
        text = block.get("text") if isinstance(block, dict) and block.get("type") in _TEXTS else block
        if not isinstance(text, str):
            kind = block.get("type") if isinstance(block, dict) else block
            yield Problem(where, f"block {name(kind)}")
        elif not text.strip():
            yield Problem(where, "text without words")
        elif role == "user" and text.lstrip().startswith(_CONTEXT):
            yield Problem(where, "message of the client")
        else:
            number += 1
            yield _document(path, line, text, session, number)


def _document(path: Path, line: Line, text: str, session: str, number: int) -> Document:
    payload = line.value.get("payload")
    message = payload if isinstance(payload, dict) else line.value
    person = message.get("role") == "user"
    return Document(
        text=text,
        uri=f"codex:{session}/{line.number}" + (f"#{number}" if number > 1 else ""),
        kind="turn",
        session_id=session,
        speaker="user" if person else "assistant",
        said_at=moment(line.value.get("timestamp")),
        metadata={"file": str(path), "line": str(line.number)},
        source=Source.PERSON if person else Source.ASSISTANT,
    )
