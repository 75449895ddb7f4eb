"""A user's program: type-checked, never run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import assert_type

import quoth


def diary(folder: Path) -> str | None:
    """Everything that a program of part 1 does, with the types that it gets."""
    with quoth.open(folder, actor="ana", scope="user:ana", embedder="none") as memory:
        assert_type(memory, quoth.Memory)
        receipt = memory.remember([quoth.Document("Tuesday.", said_at=datetime.now(UTC)), "Friday."])
        assert_type(receipt, quoth.Receipt)
        kept: int = receipt.count(quoth.Result.STORED)
        memory.watch([folder, "notes"], progress=lambda done, total: None)
        memory.import_("claude-code", folder / "session.jsonl")
        found = memory.recall("when?", k=kept, grain=quoth.Grain.TURN, as_of=datetime.now(UTC))
        assert_type(found, quoth.Recollection)
        assert_type(found.confidence, quoth.Confidence)
        if found.abstention is not None:
            return found.abstention.reason
        for passage in found.passages:
            assert_type(passage.text, str)
            assert_type(passage.record.testimony.said_at, datetime | None)
            assert_type(passage.standing, quoth.Standing)
        assert_type(memory.explain(found), tuple[str, ...])
        assert_type(memory.get(found.passages[0].id), quoth.Recalled)
        assert_type(memory.recent(3), tuple[quoth.Recalled, ...])
        assert_type(memory.history(found.passages[0].id), tuple[quoth.Filing, ...])
        assert_type(memory.status(), quoth.Counts)
        assert_type(memory.verify(), quoth.Verification)
        assert_type(memory.index(limit=10), int)
        try:
            memory.get("0" * 32)
        except quoth.NotFound as error:
            return str(error)
        except (quoth.Unavailable, quoth.QuothError):
            raise
    return quoth.__version__


memory = quoth.open()
memory.recall("when?", limit=3)  # type: ignore[call-arg]
memory.remember(b"bytes")  # type: ignore[arg-type]
quoth.Document("words").text = "other words"  # type: ignore[misc]
