"""The README's promises about what is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import apsw

import quoth

WRITER = Path(__file__).resolve().parents[1] / "fault" / "writer.py"


def _writer(folder: Path, name: str, seconds: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(WRITER), str(folder), name, str(seconds)], stdout=subprocess.PIPE, text=True
    )


def test_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    """What was acknowledged is there after `kill -9`, and the ledger is whole."""
    writer = _writer(tmp_path / "store", "van", 600)
    assert writer.stdout is not None
    lines = [writer.stdout.readline() for _ in range(20)]
    writer.kill()
    lines += writer.communicate(timeout=60)[0].splitlines(keepends=True)
    known = {line.split(" ", 1)[0] for line in lines if line.endswith("\n")}
    with quoth.open(tmp_path / "store", actor="ana", scope="user:ana", embedder="hash") as memory:
        assert set() == known - {each.id for each in memory.recent(10**9)}
        assert memory.verify().clean


def test_many_writers(tmp_path: Path) -> None:
    """Several processes write to one store at once, and nothing is lost."""
    writers = [_writer(tmp_path / "store", name, 2) for name in ("a", "b", "c")]
    with ThreadPoolExecutor(len(writers)) as readers:  # a full pipe would hold a writer back
        acknowledged = list(readers.map(lambda each: each.communicate(timeout=60)[0].splitlines(), writers))
    assert [0, 0, 0] == [writer.returncode for writer in writers]
    assert all(acknowledged)
    with quoth.open(tmp_path / "store", actor="ana", scope="user:ana", embedder="hash") as memory:
        assert sum(map(len, acknowledged)) == memory.status().records
        assert memory.verify().clean


def test_verify_finds_an_edit(tmp_path: Path) -> None:
    """A word changed in the database behind its back is found by `quoth verify`."""
    with quoth.open(tmp_path, actor="ana", scope="user:ana", embedder="hash") as memory:
        memory.remember(["We pay 30 days after delivery.", "The gate squeaks."])
        id = memory.recall("when do we pay?").passages[0].id
        assert memory.verify().clean
    with closing(apsw.Connection(str(tmp_path / "quoth.db"))) as db:
        db.execute("UPDATE record SET text = replace(text, '30', '90') WHERE id = ?", (bytes.fromhex(id),))
        assert 1 == db.changes()
    done = subprocess.run(
        [sys.executable, "-m", "quoth", "verify", "--scope", "user:ana", "--store", str(tmp_path)],
        env=os.environ | {"QUOTH_EMBEDDER": "hash"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert 70 == done.returncode
    assert id in done.stdout
    assert "altered" in done.stdout


def test_files_are_private(tmp_path: Path) -> None:
    """Only you can read the files of a store."""
    mask = os.umask(0)
    try:
        with quoth.open(tmp_path / "a" / "store", actor="ana", scope="user:ana", embedder="hash") as memory:
            memory.remember("The shed code is 4711.")
            memory.recall("what is the shed code?")
            made = [tmp_path / "a" / "store", *(tmp_path / "a" / "store").rglob("*")]
            modes = {each.relative_to(tmp_path).as_posix(): each.stat().st_mode & 0o077 for each in made}
    finally:
        os.umask(mask)
    assert len(modes) > 3
    assert {} == {name: oct(mode) for name, mode in modes.items() if mode}
