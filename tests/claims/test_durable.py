"""The README's promises about what is kept."""

from __future__ import annotations

import os
import shutil
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


def test_verify_finds_an_older_copy(tmp_path: Path) -> None:
    """A database that was lost, or replaced by an older copy, is found by `quoth verify`."""
    store, copy = tmp_path / "store", tmp_path / "copy"

    def remembered(text: str) -> None:
        with quoth.open(store, actor="ana", scope="user:ana", embedder="hash") as memory:
            memory.remember(text)

    def verified() -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "quoth", "verify", "--scope", "user:ana", "--store", str(store)],
            env=os.environ | {"QUOTH_EMBEDDER": "hash"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    remembered("The gate squeaks.")
    shutil.copytree(store, copy)
    remembered("The shed code is 4711.")
    assert 0 == verified()[0]
    for part in store.glob("quoth.db*"):
        part.unlink()
    code, said = verified()
    assert (70, True) == (code, "is gone" in said)
    shutil.copy(copy / "quoth.db", store / "quoth.db")
    code, said = verified()
    assert (70, True) == (code, "regressed" in said)


def test_damaged_derived_files(tmp_path: Path) -> None:
    """Damaged derived files (above 64 MiB: by sample) are noticed and made again; answers stay the same."""

    def answer() -> list[tuple[str, float]]:
        with quoth.open(tmp_path, actor="ana", scope="user:ana", embedder="hash") as memory:
            found = memory.recall("what is the shed code?")
            assert memory.verify().clean
            return [(each.text, each.score) for each in found.passages]

    with quoth.open(tmp_path, actor="ana", scope="user:ana", embedder="hash") as memory:
        memory.remember(["The shed code is 4711.", "The gate squeaks.", "The lamp is off."])
        memory.index()
    want = answer()
    files = [each for each in (tmp_path / "vectors").rglob("*") if each.is_file() and each.stat().st_size]
    assert len(files) > 2
    for file in files:
        whole = file.read_bytes()
        file.write_bytes(bytes(byte ^ 0xFF for byte in whole))
        assert want == answer(), file.name
