"""Many who correct one record at the same moment: one wins, the others are told who did."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import quoth

CORRECTOR = Path(__file__).parent / "corrector.py"
WRONG = "The code is wrong."


def check(folder: Path, id: str, told: list[tuple[str, str]]) -> None:
    """One stored, every conflict names it, and the chain has two links."""
    winners = [head for what, head in told if what == "stored"]
    assert 1 == len(winners), told
    assert [("conflict", winners[0])] * (len(told) - 1) == sorted(
        each for each in told if each[0] != "stored"
    )
    with quoth.open(folder, actor="ana", scope="user:ana", embedder="none") as memory:
        assert [id, winners[0]] == [each.id for each in memory.history(id).chain]
        assert (2, 1) == (memory.status().records, memory.status().current)
        assert (quoth.Standing.SUPERSEDED, winners[0]) == (
            memory.get(id).standing,
            memory.get(id).superseded_by,
        )
        assert memory.verify().clean


def remembered(folder: Path) -> str:
    """The id of the record that is to be corrected."""
    with quoth.open(folder, actor="ana", scope="user:ana", embedder="none") as memory:
        return str(memory.remember(WRONG).outcomes[0].record_id)


def test_of_fifty_threads_one_wins(tmp_path: Path) -> None:
    """Fifty threads of one process correct one record: exactly one does, the others name the head."""
    id, together = remembered(tmp_path), Barrier(50)
    with quoth.open(tmp_path, actor="ana", scope="user:ana", embedder="none") as memory:

        def correct(number: int) -> tuple[str, str]:
            together.wait()
            try:
                receipt = memory.correct(id, f"The code is {number}.", because="I know")
                return "stored", str(receipt.outcomes[0].record_id)
            except quoth.Conflict as error:
                return "conflict", re.findall("[0-9a-f]{32}", str(error))[-1]

        with ThreadPoolExecutor(50) as threads:
            told = list(threads.map(correct, range(50)))
    check(tmp_path, id, told)


def test_of_fifty_corrections_in_processes_one_wins(tmp_path: Path, campaign: bool) -> None:
    """Processes of ten threads each correct one record at once: exactly one correction is kept."""
    folder, signal = tmp_path / "store", tmp_path / "now"
    for number in range(20 if campaign else 1):
        signal.unlink(missing_ok=True)
        id = remembered(folder / str(number))
        processes = [
            subprocess.Popen(
                [sys.executable, str(CORRECTOR), str(folder / str(number)), name, id, str(signal), "10"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for name in "abcde"
        ]
        assert ["ready\n"] * 5 == [each.stdout.readline() for each in processes if each.stdout]
        signal.touch()
        told = []
        for each in processes:
            out, err = each.communicate(timeout=120)
            assert (0, "") == (each.returncode, err)
            told += [(what, head) for what, head in map(str.split, out.splitlines())]
        assert 50 == len(told)
        check(folder / str(number), id, told)


def test_an_answer_and_a_correction_meet(tmp_path: Path) -> None:
    """Two answers to one item of the queue: one counts, the other is a conflict."""
    with quoth.open(tmp_path, actor="ana", scope="user:ana", embedder="none") as memory:
        memory.remember(quoth.Document("The shed code is 4711.", uri="a"))
        memory.remember(quoth.Document("The shed code is 8128.", uri="b"))
        (item,) = memory.review_list()

        def answer(number: int) -> str:
            verb = memory.review_accept if number % 2 else memory.review_reject
            try:
                verb(item.held.id, because="I know")
            except quoth.Conflict:
                return "conflict"
            return "answered"

        with ThreadPoolExecutor(8) as threads:
            told = sorted(threads.map(answer, range(8)))
        assert ["answered", *["conflict"] * 7] == told
        assert memory.verify().clean
