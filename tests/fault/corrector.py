"""A program that corrects one record in several threads at once, when a file appears; prints what came of it.

    python corrector.py FOLDER NAME ID SIGNAL THREADS

A line each: ``stored`` and the new record's id, or ``conflict`` and the id that the conflict names.
"""

import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import quoth


def main(folder: str, name: str, id: str, signal: str, threads: int) -> None:
    """Wait for the others, then correct."""
    with quoth.open(folder, actor=name, scope="user:ana", embedder="none") as memory:

        def correct(number: int) -> str:
            while not Path(signal).exists():
                time.sleep(0.001)
            try:
                text = f"The code is {name}{number}."
                receipt = memory.correct(id, text, because=f"{name} knows")
                return f"stored {receipt.outcomes[0].record_id}\n"
            except quoth.Conflict as error:
                return f"conflict {re.findall('[0-9a-f]{32}', str(error))[-1]}\n"

        sys.stdout.write("ready\n")
        sys.stdout.flush()
        with ThreadPoolExecutor(threads) as pool:
            sys.stdout.writelines(pool.map(correct, range(threads)))


if __name__ == "__main__":
    main(*sys.argv[1:5], int(sys.argv[5]))
