"""The mapped arrays themselves: checksums, crashes between two writes, and disks without room."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quoth.store import vectors
from quoth.store.arrays import CHUNK
from quoth.store.vectors import Damaged, Shelf, State

STORE = "00" * 16
ROWS = 3 * CHUNK // 4


def shelf(folder: Path | None) -> Shelf:
    """The shelf of one store."""
    return Shelf(folder, STORE, 1, 4)


def filled(folder: Path | None) -> Shelf:
    """A shelf with vectors over several chunks."""
    made = shelf(folder)
    made.clear()
    made.columns.append(np.zeros(ROWS, vectors.COLUMNS))
    for each in made.dense():
        each.append(np.zeros((ROWS, *each.shape), each.dtype))
    made.publish(State(generation=5, model=1, passages=ROWS))
    return made


@pytest.mark.parametrize("on_disk", [True, False])
def test_an_array_grows_and_scatters(tmp_path: Path, on_disk: bool) -> None:
    """Rows written anywhere are read back, and more rows than there are are `Damaged`."""
    made = shelf(tmp_path if on_disk else None)
    made.clear()
    made.matrix.append(np.zeros((2, 4), np.int8))
    made.matrix.append(np.full((5, 4), 5, np.int8))
    made.matrix.scatter(np.array([6, 0, 5]), np.arange(12, dtype=np.int8).reshape(3, 4))
    want = [[4, 5, 6, 7], [0] * 4, [5] * 4, [5] * 4, [5] * 4, [8, 9, 10, 11], [0, 1, 2, 3]]
    assert want == made.matrix.view(7).tolist()
    with pytest.raises(Damaged):
        made.matrix.view(1_000)


def test_every_chunk_is_checked(tmp_path: Path) -> None:
    """One byte changed in any chunk of any file is found, when the file is first looked at."""
    filled(tmp_path)
    assert ROWS == shelf(tmp_path).state().passages
    for name, stride in {"columns": 80, "pieces": 64, "scales": 4, "matrix": 4}.items():
        for at in (0, CHUNK, ROWS * stride - 1):
            with (tmp_path / name).open("r+b") as file:
                os.pwrite(file.fileno(), b"\7", at)
                with pytest.raises(Damaged) as error:
                    shelf(tmp_path).state()
                assert (name,) == error.value.files
                os.pwrite(file.fileno(), b"\0", at)
    shelf(tmp_path).state()


def test_a_large_store_is_sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more than `WHOLE` bytes the first and the last chunk are read, and all of them for `verify`."""
    filled(tmp_path)
    monkeypatch.setattr(vectors, "WHOLE", 10)
    for at, seen in ((0, True), (CHUNK, False), (ROWS * 4 - 1, True)):
        with (tmp_path / "matrix").open("r+b") as file:
            os.pwrite(file.fileno(), b"\7", at)
            if seen:
                with pytest.raises(Damaged):
                    shelf(tmp_path).state()
            else:
                shelf(tmp_path).state()
            assert ["matrix"] == shelf(tmp_path).damaged()
            os.pwrite(file.fileno(), b"\0", at)


def test_rows_that_were_not_published_do_not_count(tmp_path: Path) -> None:
    """A process that dies between appending and publishing leaves no damage; the next one writes over it."""
    made = filled(tmp_path)
    made.columns.append(np.full(99, 1, vectors.COLUMNS))
    made.matrix.append(np.full((99, 4), 3, np.int8))
    later = shelf(tmp_path)
    assert [] == later.damaged()
    with later.locked():
        assert ROWS == later.state().passages
        later.columns.append(np.zeros(2, vectors.COLUMNS))
        for each in later.dense():
            each.append(np.full((2, *each.shape), 4, each.dtype))
        later.publish(State(generation=5, model=1, passages=ROWS + 2))
    assert [[0] * 4, [4] * 4, [4] * 4] == shelf_rows(tmp_path, ROWS + 2)[-3:]


def shelf_rows(folder: Path, count: int) -> list[Any]:
    """The vectors that a new process reads."""
    made = shelf(folder)
    assert count == made.state().passages
    return list(made.matrix.view(count).tolist())


def test_vectors_half_written_over_are_no_damage(tmp_path: Path) -> None:
    """A process that dies while it puts vectors in their places leaves them to be copied again."""
    made = filled(tmp_path)
    state, at = made.state(), np.array([1, CHUNK // 4, 7])
    for each in made.dense():
        each.unsettle(at)
    made.publish(state)
    made.matrix.scatter(at[:2], np.full((2, 4), 9, np.int8))
    assert [0] * 4 == shelf_rows(tmp_path, ROWS)[7]
    later = shelf(tmp_path)
    with later.locked():
        state = later.state()
        for each in later.dense():
            each.scatter(at, np.full((3, *each.shape), 9, each.dtype))
        later.publish(state)
    assert [9] * 4 == shelf_rows(tmp_path, ROWS)[7]
    assert all(later.matrix.sums)


def test_a_long_state_record_is_replaced_whole(tmp_path: Path) -> None:
    """A state record longer than a page, and then a short one again."""
    made = shelf(tmp_path)
    made.clear()
    made.words.append(np.zeros(CHUNK * 300, "<u4"))
    made.publish(State(generation=1, terms=CHUNK * 300))
    assert 4096 < (tmp_path / "state").stat().st_size
    assert CHUNK * 300 == shelf(tmp_path).state().terms
    made.words.renew()
    made.publish(State(generation=2))
    assert 4096 < (tmp_path / "state").stat().st_size
    assert 2 == shelf(tmp_path).state().generation


def test_what_is_written_in_part_is_written_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short write is continued; one of nothing is a full disk."""
    real = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda handle, data, at: real(handle, data[:1000], at))
    filled(tmp_path)
    assert [] == shelf(tmp_path).damaged()
    monkeypatch.setattr(os, "pwrite", lambda *_: 0)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        filled(tmp_path)


def test_without_reservation_zeros_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file system reserves nothing, no file has a hole either."""

    def unknown(*_: int) -> None:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr(os, "posix_fallocate", unknown)
    made = filled(tmp_path)
    made.matrix.append(np.ones((ROWS, 4), np.int8))
    for each in made.arrays():
        found = (tmp_path / str(each.path)).stat()
        assert found.st_blocks * 512 >= found.st_size
    monkeypatch.delattr(os, "posix_fallocate")
    filled(tmp_path)


_FULL = """
import os, subprocess, sys
folder = sys.argv[1]
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", folder], capture_output=True).returncode:
    print("no mount")
    raise SystemExit
import quoth
def ask(memory):
    found = memory.recall("heron number 7 stood", k=20)
    return [each.text for each in found.passages], found.degraded
with quoth.open(folder + "/s", actor="ana", scope="user:ana", embedder="hash") as memory:
    notes = [f"Heron number {n} stood beside pond {n % 13}." for n in range(400)]
    memory.remember([quoth.Document(each, uri=str(n)) for n, each in enumerate(notes)])
    want = ask(memory)[0]
answers = []
for room in (0, 4096, 40_000, 100_000, 200_000):
    for each in os.listdir(folder + "/s/vectors"):
        os.unlink(folder + "/s/vectors/" + each)
    with open(folder + "/filler", "wb", buffering=0) as filler:
        try:
            while filler.write(bytes(4096)):
                pass
        except OSError:
            pass
        filler.truncate(max(0, filler.tell() - room - 80_000))
    with quoth.open(folder + "/s", actor="ana", scope="user:ana", embedder="hash") as memory:
        found, degraded = ask(memory)
        assert found == want, room
        answers.append(any("memory" in each for each in degraded))
    os.unlink(folder + "/filler")
with quoth.open(folder + "/s", actor="ana", scope="user:ana", embedder="hash") as memory:
    assert ask(memory)[0] == want
    assert memory.verify().clean
print(answers)
"""


def test_a_full_disk_is_said_and_answers_stay(tmp_path: Path) -> None:
    """On a file system without room the index is kept in memory: no signal, and the same answers."""
    command = ["unshare", "--mount", sys.executable, "-c", _FULL, str(tmp_path)]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except FileNotFoundError:
        pytest.skip("no unshare here")
    if "unshare" in found.stderr or "no mount" in found.stdout:
        pytest.skip("no file system can be mounted here")
    assert (0, "") == (found.returncode, found.stderr)
    assert found.stdout.startswith("[True, True")
