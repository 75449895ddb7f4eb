"""A program that asks while others write; ends with an error when an answer is wrong.

    python reader.py FOLDER SECONDS

Prints how often it asked.
"""

import sys
import time

import quoth


def main(folder: str, seconds: float) -> None:
    """Ask, and count, until the time is over."""
    end = time.monotonic() + seconds
    asked, seen = 0, 0
    with quoth.open(folder, actor="reader", scope="user:ana", embedder="hash") as memory:
        while time.monotonic() < end:
            records = memory.status().records
            assert records >= seen, f"{seen} records became {records}"
            for passage in memory.recall("which parcel left by van3?", k=3).passages:
                assert "parcel" in passage.text, passage.id
            seen = records
            asked += 1
    sys.stdout.write(f"{asked}\n")


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
