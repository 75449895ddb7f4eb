"""Cleans what lies outside the rows of erased records: derived files, free pages, the write-ahead log.

The transaction that erases the rows leaves a mark in the database; each step that is done changes it, so
that whoever opens the store after a crash, or once a reader is gone, goes on where this stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from quoth.core.errors import IntegrityError
from quoth.store.folder import DATABASE, VECTORS
from quoth.store.heads import NAME, HeadFile
from quoth.store.index import Index

MARK = "purge"
"""Key in `meta` while something is left to clean; its value says what."""
FILES = "files"
"""Everything: rows were erased."""
LOG = "log"
"""Only the write-ahead log: another process read from it."""

LARGE = 1 << 30
"""Bytes of a database above which its new copy is made in the system's folder for temporary files (unlinked
before it is written), no longer in memory."""

DERIVED, FREE, WAL = "derived files", "free pages", "write-ahead log"
HEAD, OTHERS = "head file", "other files"
_LATER = "done when the store is next opened or verified"


def owe(db: apsw.Connection) -> None:
    """Leave the mark; in the transaction that erases."""
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (MARK, FILES))


def owed(db: apsw.Connection) -> str:
    """What is left to clean: `FILES`, `LOG` or nothing."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (MARK,)).fetchone()
    return str(row[0]) if row else ""


def clean(
    db: apsw.Connection, folder: Path, index: Index, heads: HeadFile, *, patience: float, everything: bool
) -> tuple[dict[str, str], bool]:
    """Clean each place; what was done there, and whether nothing is left to do.

    Waits for other processes at most `patience` seconds in each place. Never raises because of them.
    """
    said: dict[str, str] = {}
    with _patient(db, patience):
        if everything or owed(db) == FILES:
            done = [_derived(db, index, said), _free(db, folder, said)]
            if not all(done):
                _log(db, said)
                said |= _rest(folder, heads)
                return said, False
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (MARK, LOG))
        finished = _log(db, said)
        if finished:
            db.execute("DELETE FROM meta WHERE key = ?", (MARK,))
            _checkpoint(db)
    return said | _rest(folder, heads), finished


@contextmanager
def _patient(db: apsw.Connection, seconds: float) -> Iterator[None]:
    """Wait so long for others, and no longer."""
    before = int(db.pragma("busy_timeout") or 0)
    db.set_busy_timeout(int(seconds * 1000))
    try:
        yield
    finally:
        db.set_busy_timeout(before)


def _derived(db: apsw.Connection, index: Index, said: dict[str, str]) -> bool:
    try:
        index.rebuild(db)
    except (IntegrityError, OSError) as error:
        said[DERIVED] = f"not made again yet ({type(error).__name__}): quoth index rebuild"
        return False
    if index.notices:  # of this very step: it forgets older ones
        said[DERIVED] = f"not made again yet: {index.notices[-1]}"
        return False
    said[DERIVED] = "made again from what is left: the word hashes and vectors are gone"
    return True


def _free(db: apsw.Connection, folder: Path, said: dict[str, str]) -> bool:
    """Write the database anew: nothing of what was deleted or moved stays in a page."""
    large = (folder / DATABASE).stat().st_size > LARGE
    db.pragma("temp_store", "file" if large else "memory")
    try:
        db.execute("VACUUM")
    except (apsw.BusyError, apsw.LockedError):
        said[FREE] = f"not cleaned yet: another process writes; {_LATER}"
        return False
    except apsw.FullError:
        said[FREE] = "not cleaned yet: no room to write the database anew; free some and run quoth verify"
        return False
    finally:
        db.pragma("temp_store", "memory")
    said[FREE] = "the database was written anew without them"
    return True


def _checkpoint(db: apsw.Connection) -> bool:
    """Whether the log is empty now."""
    try:
        row = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except (apsw.BusyError, apsw.LockedError):
        return False
    return row is not None and not row[0]


def _log(db: apsw.Connection, said: dict[str, str]) -> bool:
    if _checkpoint(db):
        said[WAL] = "emptied"
        return True
    said[WAL] = f"not emptied yet: another process reads from it; {_LATER}"
    return False


def _rest(folder: Path, heads: HeadFile) -> dict[str, str]:
    """What else is in the folder: drafts of ours, and files that we do not know."""
    drafts = heads.sweep()
    said = {HEAD: "holds no words" + (f"; {drafts} drafts removed" if drafts else "")}
    ours = {NAME, VECTORS, DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"}
    others = sorted(
        each.name
        for each in folder.iterdir()
        if each.name not in ours and not each.name.startswith(f"{NAME}.")
    )
    if others:
        said[OTHERS] = f"not ours, not looked at: {', '.join(map(repr, others[:5]))}"
    return said
