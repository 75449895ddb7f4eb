"""The command line, in this process and in its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest
from click.testing import CliRunner, Result

from quoth.surfaces.cli import group


class Quoth(Protocol):
    """Runs a command in this process."""

    def __call__(self, *arguments: str, input: str | bytes | None = None) -> Result: ...


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store's folder, which the environment names; words only, so that no model loads."""
    monkeypatch.setenv("QUOTH_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("QUOTH_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "store"


@pytest.fixture
def quoth(folder: Path) -> Quoth:
    """The command line in this process."""

    def run(*arguments: str, input: str | bytes | None = None) -> Result:
        return CliRunner().invoke(group, list(arguments), input=input, prog_name="quoth")

    return run


@pytest.fixture
def ask(quoth: Quoth) -> Callable[..., Any]:
    """The JSON that a command answers with; it must have ended well."""

    def run(*arguments: str, input: str | bytes | None = None) -> Any:
        ran = quoth(*arguments, "--json", input=input)
        assert (0, "") == (ran.exit_code, ran.stderr), ran.output
        return json.loads(ran.stdout)

    return run


@pytest.fixture
def process(folder: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """The command line as a process of its own."""

    def run(
        *arguments: str | bytes, input: bytes = b"", **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "quoth", *arguments]
        return subprocess.run(
            command, input=input, capture_output=True, env=os.environ | environment, timeout=60
        )

    return run
