"""The README's promise about scopes."""

from __future__ import annotations

from pathlib import Path

import pytest

import quoth

OURS = "Ana keeps the spare key at Ruth's, behind the blue vase."


def test_foreign_scope_sees_nothing(tmp_path: Path) -> None:
    """What a scope holds is not seen from another one: not by its words, not by its id, not in a count."""
    with quoth.open(tmp_path, actor="ben", scope="user:ben", embedder="hash") as ben:
        ben.remember(["The ferry leaves at seven.", "The ferry is blue and the key turns left."])
        alone = ben.recall("where is the spare key?")
        counted = ben.status()
    with quoth.open(tmp_path, actor="ana", scope="user:ana", embedder="hash") as ana:
        secret = ana.remember([OURS, *(f"Key number {number} is spare." for number in range(50))]).outcomes[0]
        assert secret.record_id is not None
        assert OURS == ana.recall("is the key at Ruth's, behind the blue vase?").passages[0].text
    with quoth.open(tmp_path, actor="ben", scope="user:ben", embedder="hash") as ben:
        beside = ben.recall("where is the spare key?")
        assert [each.text for each in alone.passages] == [each.text for each in beside.passages]
        assert [each.evidence for each in alone.passages] == [each.evidence for each in beside.passages]
        assert (counted.records, counted.passages) == (ben.status().records, ben.status().passages)
        assert {"user:ben"} == {head.scope for head in ben.verify().heads}
        assert 2 == len(ben.recent(100))
        for ask in (ben.get, ben.history):
            with pytest.raises(quoth.NotFound) as foreign:
                ask(secret.record_id)
            with pytest.raises(quoth.NotFound) as absent:
                ask("0" * 32)
            assert str(foreign.value).replace(secret.record_id, "?") == str(absent.value).replace(
                "0" * 32, "?"
            )
    with quoth.open(tmp_path, actor="cid", scope="User:ana", embedder="hash") as other:
        abstention = other.recall("where is the spare key?").abstention
        assert abstention is not None
        assert "nothing_stored" == abstention.reason
