"""The folder of a store: which files are in it, who may read them, and how its database is opened."""

from __future__ import annotations

import os
from pathlib import Path

import apsw

from quoth.core.errors import IntegrityError, QuothError, StoreUnavailable
from quoth.store.heads import HeadFile

DATABASE = "quoth.db"
VECTORS = "vectors"

_BROKEN = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)
_CONNECT = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


FAULTS = (apsw.Error, UnicodeDecodeError)
"""What the engine raises; the second one for a column of text whose bytes are none."""


def translated(error: apsw.Error | UnicodeDecodeError, path: str) -> QuothError:
    """Our error for one of the engine's; messages name the file, never a value."""
    if isinstance(error, UnicodeDecodeError):
        return IntegrityError(f"the database {path!r} holds bytes that are no text: restore a backup")
    if isinstance(error, _BROKEN):
        return IntegrityError(
            f"the database {path!r} is damaged ({error}): restore a backup; nothing was written"
        )
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return StoreUnavailable(f"the store {path!r} is in use by another writer: try again")
    if isinstance(error, apsw.FullError):
        return StoreUnavailable(f"the disk of {path!r} is full: free some space; nothing was written")
    if isinstance(error, apsw.ReadOnlyError):
        return StoreUnavailable(f"the store {path!r} is read-only: nothing was written")
    if isinstance(error, apsw.CantOpenError) and not os.access(Path(path).parent, os.W_OK):
        return StoreUnavailable(f"the store {path!r} is read-only and cannot be opened as it is")
    if isinstance(error, apsw.CantOpenError | apsw.PermissionsError | apsw.AuthError):
        return StoreUnavailable(f"the store {path!r} cannot be opened: check that its folder is yours")
    return StoreUnavailable(f"the store {path!r} does not answer ({type(error).__name__}): {error}")


class Folder:
    """Where one store lives; `path` None keeps everything in memory."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.where = str(path / DATABASE) if path else ":memory:"
        """The database, as messages name it."""
        self.heads = HeadFile(path)
        self.vectors = path / VECTORS if path else None

    def make(self) -> None:
        """The folders with mode 0700 and an empty database file with mode 0600, where there are none.

        `IntegrityError` where the head file knows chains and the database beside it is gone or empty.
        """
        if self.path is None or self.vectors is None:
            return
        database = self.path / DATABASE
        kept = self.heads.read()
        if kept and kept.heads and (not database.exists() or database.stat().st_size == 0):
            raise IntegrityError(
                f"the database {self.where!r} is gone, but the head file beside it knows what it held: "
                "restore a backup, or remove the head file to begin anew"
            )
        if not self.path.is_dir():
            self.path.mkdir(mode=0o700, parents=True)
        if not database.exists():
            os.close(os.open(database, os.O_CREAT | os.O_RDWR, 0o600))
        if not self.vectors.is_dir() and self.writable():
            self.vectors.mkdir(mode=0o700, exist_ok=True)

    def writable(self) -> bool:
        """Whether files can be made here."""
        return self.path is None or os.access(self.path, os.W_OK)

    def identity(self) -> tuple[int, int] | None:
        """Device and inode of the database file; None in memory or where it is gone."""
        if self.path is None:
            return None
        try:
            found = (self.path / DATABASE).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _frozen(self) -> bool:
        """Whether nobody can write here and the database file is whole without its log."""
        if self.path is None or self.writable():
            return False
        log = self.path / f"{DATABASE}-wal"
        return not log.exists() or log.stat().st_size == 0

    def connect(self, busy_seconds: float) -> apsw.Connection:
        """A connection to the database that waits so long for others."""
        if self._frozen():
            # Without a folder for its side files SQLite reads such a database only as unchanging.
            name = "file:" + "".join(f"%{byte:02x}" for byte in os.fsencode(self.where)) + "?immutable=1"
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            db = apsw.Connection(name, flags=flags, statementcachesize=256)
        else:
            db = apsw.Connection(self.where, flags=_CONNECT, statementcachesize=256)
        db.set_busy_timeout(int(busy_seconds * 1000))
        if self.path is not None:
            if not db.readonly("main"):
                db.pragma("journal_mode", "wal")
            db.pragma("synchronous", "full")
        db.pragma("temp_store", "memory")
        db.pragma("cache_size", -16_000)
        db.pragma("secure_delete", 1)  # what is deleted is written over, long before `purge`
        return db
