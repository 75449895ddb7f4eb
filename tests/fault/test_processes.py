"""Processes that are killed, and processes that write at the same time."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import quoth

HERE = Path(__file__).parent
SEED = 20_261_130


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    """One of the programs beside this file, in a process of its own."""
    return subprocess.Popen(
        [sys.executable, str(HERE / program), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> list[str]:
    """The lines that it printed; fails with its message when it went wrong."""
    out, err = process.communicate(timeout=300)
    assert (0, "") == (process.returncode, err)
    return out.splitlines()


def all_ended(processes: list[subprocess.Popen[str]]) -> list[list[str]]:
    """The lines of each, read at the same time: a full pipe would hold a process back."""
    with ThreadPoolExecutor(len(processes)) as readers:
        return list(readers.map(ended, processes))


def acknowledged(lines: list[str]) -> dict[str, str]:
    """Record id -> note. The last line may have been cut off by a kill."""
    pairs = [line.split(" ", 1) for line in lines]
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2 and len(pair[0]) == 32}


def check(folder: Path, known: dict[str, str]) -> None:
    """Nothing acknowledged is lost, the chain is whole, and the index equals the rows."""
    with quoth.open(folder, actor="ana", scope="user:ana", embedder="hash") as memory:
        found = {each.id: each.text for each in memory.recent(10**9)}
        verification = memory.verify()
        asked = random.Random(len(known)).sample(sorted(known), min(3, len(known)))
        firsts = {id: memory.recall(known[id], k=1).passages[0].id for id in asked}
    assert {} == {id: text for id, text in known.items() if found.get(id) != text}
    assert () == verification.problems
    assert (True, "ok") == (verification.clean, verification.index)
    assert {id: id for id in asked} == firsts


def test_killed_writers_lose_nothing(tmp_path: Path, campaign: bool, note: Callable[..., None]) -> None:
    """A writer is killed at a random moment, a reader beside it: nothing acknowledged is lost."""
    rounds, folder, known = 50 if campaign else 5, tmp_path / "store", dict[str, str]()
    moments = random.Random(SEED)
    reader, asked = None, 0
    for number in range(rounds):
        writer = start("writer.py", folder, f"w{number}", 600)
        assert writer.stdout is not None
        first = writer.stdout.readline()
        if reader is None:
            reader = start("reader.py", folder, 3 if not campaign else 90)
        time.sleep(moments.uniform(0, 0.5))
        writer.kill()
        out, _ = writer.communicate(timeout=60)
        assert -9 == writer.returncode
        known |= acknowledged([first.rstrip("\n"), *out.splitlines()])
        check(folder, known)
    assert reader is not None
    asked = int(ended(reader)[0])
    assert asked > 0
    assert len(known) >= rounds
    note(seed=SEED, kills=rounds, acknowledged=len(known), lost=0, reads=asked)


def test_four_writers_share_a_store(tmp_path: Path, campaign: bool, note: Callable[..., None]) -> None:
    """Four writers at once: no error surfaces, and as many records are there as were acknowledged."""
    seconds, folder = 60 if campaign else 3, tmp_path / "store"
    with quoth.open(folder, actor="ana", scope="user:ana", embedder="hash"):
        pass
    writers = [start("writer.py", folder, f"w{number}", seconds) for number in range(4)]
    each = [acknowledged(lines) for lines in all_ended(writers)]
    known = {id: text for part in each for id, text in part.items()}
    assert sum(map(len, each)) == len(known)
    assert all(each)
    check(folder, known)
    with quoth.open(folder, actor="ana", scope="user:ana", embedder="hash") as memory:
        assert len(known) == memory.status().records
    note(seconds=seconds, writers=4, acknowledged=[len(part) for part in each])


def test_two_processes_make_the_store_at_once(tmp_path: Path) -> None:
    """Six processes open a folder that is not there yet: one makes the store, all write to it."""
    writers = [start("writer.py", tmp_path / "new" / "store", f"w{number}", 0.5) for number in range(6)]
    known = {id: text for lines in all_ended(writers) for id, text in acknowledged(lines).items()}
    check(tmp_path / "new" / "store", known)


@pytest.mark.parametrize("half", ["one", "two"])
def test_a_torn_head_file_is_no_crash(tmp_path: Path, half: str) -> None:
    """A head file that is empty or half written is reported by `verify` and stops nothing."""
    folder = tmp_path / "store"
    with quoth.open(folder, actor="ana", scope="user:ana", embedder="hash") as memory:
        memory.remember("the kettle is in the left cupboard")
    head = folder / "head"
    head.write_bytes(b"" if half == "one" else head.read_bytes()[:30])
    with quoth.open(folder, actor="ana", scope="user:ana", embedder="hash") as memory:
        assert memory.recall("where is the kettle?").passages
        verification = memory.verify()
    assert "anchored" != verification.anchored
    assert not verification.clean
