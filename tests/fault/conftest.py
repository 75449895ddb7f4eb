"""How long the fault tests run, and where the long form writes what it saw."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

Note = Callable[..., None]


@pytest.fixture
def campaign(request: pytest.FixtureRequest) -> bool:
    """True in the long form (script/campaign)."""
    return bool(request.config.getoption("--campaign"))


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Note:
    """Keep numbers of this test in `$QUOTH_TEST_RESULTS/summary.json`, where that is set."""

    def keep(**numbers: object) -> None:
        folder = os.environ.get("QUOTH_TEST_RESULTS")
        if folder:
            file = Path(folder) / "summary.json"
            known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
            known[request.node.name] = numbers
            file.write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")

    return keep
