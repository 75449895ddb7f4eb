"""Transcripts are remembered, with a count of what was read past."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from quoth.care.erase import erase
from quoth.care.forget import forget
from quoth.core.errors import InvalidInput
from quoth.core.policy import Policy
from quoth.core.times import Times, Zone
from quoth.core.types import Access, Result
from quoth.ingest.importing import import_transcripts

DATA = Path(__file__).parents[2] / "data" / "third_party"


def utc() -> Times:
    """Times of a caller in UTC."""
    return Times(Zone("UTC", lambda naive: naive.replace(tzinfo=UTC)))


def test_a_folder_of_transcripts_is_imported_once(store: Any, access: Access, clock: Any) -> None:
    """Every text is stored with its source; the same import again changes nothing."""
    told: list[tuple[int, int]] = []
    first = import_transcripts(
        store,
        access,
        clock,
        Policy(),
        "claude-code",
        DATA / "claude-code",
        utc(),
        lambda *step: told.append(step),
    )
    assert first.receipt.count(Result.STORED) == 16
    assert told[-1] == (16, 0)
    assert first.skipped["tool call"] == 6
    assert {each.what for each in first.problems} == {
        "line that is not an object",
        "block that is not an object",
    }
    again = import_transcripts(store, access, clock, Policy(), "claude-code", DATA / "claude-code", utc())
    assert again.receipt.count(Result.DUPLICATE) == 16
    assert again.receipt.count(Result.STORED) == 0
    assert store.verify(access).clean


def test_the_words_of_a_session_are_in_order(store: Any, access: Access, clock: Any) -> None:
    """A session can be read back as it went."""
    import_transcripts(store, access, clock, Policy(), "codex", DATA / "codex", utc())
    with store.read(access) as view:
        assert [(each.testimony.speaker, each.testimony.text) for each in view.session("abc-123")] == [
            ("user", "Add rate limiting"),
            ("assistant", "I'll add rate limiting to the API."),
        ]


def test_what_cannot_be_read_at_all_is_an_error(store: Any, access: Access, clock: Any) -> None:
    """A missing path and an unknown format are mistakes of the caller."""
    with pytest.raises(InvalidInput, match="no such file"):
        import_transcripts(store, access, clock, Policy(), "codex", Path("/missing"), utc())
    with pytest.raises(InvalidInput, match="unknown format"):
        import_transcripts(store, access, clock, Policy(), "pdf", DATA, utc())


def test_an_import_brings_nothing_back(store: Any, access: Access, clock: Any) -> None:
    """Words of a transcript that were forgotten are held with their reason, erased ones refused."""
    first = import_transcripts(store, access, clock, Policy(), "codex", DATA / "codex", utc())
    one, two = (str(each.record_id) for each in first.receipt.outcomes[:2])
    clock.advance(minutes=1)
    forget(store, access, clock, one, "wrong")
    erase(store, access, two, "private", dry_run=False)
    clock.advance(minutes=1)
    again = import_transcripts(store, access, clock, Policy(), "codex", DATA / "codex", utc())
    assert [Result.HELD, Result.REFUSED] == [each.outcome for each in again.receipt.outcomes[:2]]
    assert "wrong" in again.receipt.outcomes[0].why
    assert store.verify(access).clean
