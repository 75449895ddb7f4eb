"""Which documents have another name now, and in which order they can be given it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

PASSING = "#passing"
"""What is put behind the name of a document of a ring, for the moment in which all names are taken."""


@dataclass(frozen=True, slots=True)
class Move:
    """One document gets another name."""

    old: str
    new: str


def matched(
    wanted: Mapping[str, str], offered: Mapping[str, str], gone: Collection[str], known: Collection[str]
) -> dict[str, str]:
    """Old name -> new name, for names (with the digest of their words) that want a document and have one.

    A new name goes first, then one that other words had. Of several documents with the same
    words it takes one whose name is gone, then one that is called alike.
    """
    same: dict[str, list[str]] = {}
    for name, digest in offered.items():
        same.setdefault(digest, []).append(name)
    moves: dict[str, str] = {}
    for new, digest in sorted(wanted.items(), key=lambda each: (each[0] in known, each[0])):
        found = same.get(digest)
        if found:
            last = PurePosixPath(new).name
            old = min(found, key=lambda each: (each not in gone, PurePosixPath(each).name != last, each))
            found.remove(old)
            moves[old] = new
    return moves


def runs(moves: Mapping[str, str]) -> Iterator[list[Move]]:
    """The moves in parts that belong together, each in an order in which every name is free when it is taken.

    A chain begins at its end. A ring needs one name more: its first document waits there for the last.
    """
    comes_from = {new: old for old, new in moves.items()}
    for end in sorted(new for new in comes_from if new not in moves):
        run, new = [], end
        while new in comes_from:
            run.append(Move(comes_from.pop(new), new))
            new = run[-1].old
        yield run
    while comes_from:
        first = new = min(comes_from)
        aside = first + PASSING
        run = [Move(first, aside)]
        while comes_from[new] != first:
            run.append(Move(comes_from.pop(new), new))
            new = run[-1].old
        del comes_from[new]
        yield [*run, Move(aside, new)]
