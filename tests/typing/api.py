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
        assert_type(memory.history(found.passages[0].id).filings, tuple[quoth.Filing, ...])
        truth(memory, found.passages[0].id)
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


def truth(memory: quoth.Memory, id: str) -> None:
    """Everything that corrects, takes back and decides."""
    corrected = memory.correct(id, "Wednesday.", because="misheard", at="2026-03-01")
    assert_type(corrected.outcomes[0].conflict, quoth.Conflicting | None)
    assert_type(memory.forget(id, because="private").standing, quoth.Standing)
    memory.reinstate(id)
    memory.trust(id, quoth.Trust.DOUBTFUL, because="hearsay")
    memory.expire(id, at=datetime.now(UTC), because="over")
    assert_type(memory.erase(id, because="private", dry_run=True), quoth.Erased)
    outcome = memory.facts_assert("ana", "city", "Lisbon", verified=True, evidence=[id])
    assert_type(outcome.outcome, quoth.Asserted)
    assert_type(memory.facts_reject("ana", "city", "Lisbon", because="no"), quoth.Rejection)
    assert_type(memory.facts_lift("ana", "city", "Lisbon", because="yes").lifts, tuple[quoth.Lift, ...])
    assert_type(memory.facts_get("ana").facts, tuple[quoth.Fact, ...])
    for item in (*memory.review_list(), *memory.facts_contradictions()):
        assert_type(memory.review_accept(item.held.id, because="true"), quoth.Review)
    assert_type(memory.audit(since="2026-03-01").entries, tuple[quoth.Audited, ...])


memory = quoth.open()
memory.recall("when?", limit=3)  # type: ignore[call-arg]
memory.remember(b"bytes")  # type: ignore[arg-type]
quoth.Document("words").text = "other words"  # type: ignore[misc]
