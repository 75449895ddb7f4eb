"""A program that remembers one note after the other and prints each one that was acknowledged.

    python writer.py FOLDER NAME SECONDS

Notes hold enough distinct words that each is found by its own.
"""

import sys
import time

import quoth


def main(folder: str, name: str, seconds: float) -> None:
    """Write until the time is over, or until it is killed."""
    end = time.monotonic() + seconds
    with quoth.open(folder, actor=name, scope="user:ana", embedder="hash") as memory:
        number = 0
        while time.monotonic() < end:
            note = f"parcel{number} of {name} left by van{number % 7}"
            receipt = memory.remember(quoth.Document(note, uri=f"{name}/{number}"))
            assert receipt.count(quoth.Result.STORED) == 1, receipt
            sys.stdout.write(f"{receipt.outcomes[0].record_id} {note}\n")
            sys.stdout.flush()
            number += 1


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
