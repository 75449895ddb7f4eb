"""The embedded store: one SQLite file in WAL mode is the truth, mapped arrays beside it are derived.

Writers take BEGIN IMMEDIATE and commit with ``synchronous=FULL``; readers see one snapshot.
Several processes may open the same folder.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from quoth.core import ledger, rules
from quoth.core.errors import IntegrityError, QuothError, StoreUnavailable
from quoth.core.policy import Policy
from quoth.core.ports import Clock
from quoth.core.types import NOW, Access, AsOf, PassageId, Scope, Verification
from quoth.store import verify
from quoth.store.index import Index
from quoth.store.migrations import migrate
from quoth.store.reading import Reading
from quoth.store.writing import Writing

log = logging.getLogger(__name__)

DATABASE = "quoth.db"

_BROKEN = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)
_CONNECT = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


def translated(error: apsw.Error, path: str) -> QuothError:
    """Our error for one of the engine's; messages name the file, never a value."""
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


class SqliteStore:
    """Implements `core.ports.Store`. Safe to use from several threads."""

    def __init__(
        self,
        folder: Path | None,
        *,
        clock: Clock,
        embedder_name: str | None,
        policy: Policy,
    ) -> None:
        """`folder` None keeps everything in memory; raises `StoreUnavailable` or `IntegrityError`."""
        self.folder = folder
        self._clock = clock
        self._embedder = embedder_name
        self._policy = policy
        self._lock = threading.RLock()
        self._readers: list[apsw.Connection] = []
        self._head_written = 0.0
        self._head_dirty = False
        self._closed = False
        self._index_lock = threading.Lock()
        self._index: Index | None = None
        self._where = str(folder / DATABASE) if folder else ":memory:"
        try:
            self._refuse_a_lost_database()
            self._make_folder()
            self._db = self._connect()
            self._file = self._identity()
            migrate(self._db)
            self.origin = self._meta("origin")
            self._id = self._meta("store")
        except apsw.Error as error:
            raise translated(error, self._where) from error
        except OSError as error:
            raise StoreUnavailable(f"the store {self._where!r} cannot be opened: {error.strerror}") from error

    def _refuse_a_lost_database(self) -> None:
        """Raise where the head file knows chains and the database beside it is gone or empty."""
        if self.folder is None:
            return
        path = self.folder / DATABASE
        if self._head_file() and (not path.exists() or path.stat().st_size == 0):
            raise IntegrityError(
                f"the database {self._where!r} is gone, but the head file beside it knows what it held: "
                "restore a backup, or remove the head file to begin anew"
            )

    def _identity(self) -> tuple[int, int] | None:
        """Device and inode of the database file; None in memory or where it is gone."""
        if self.folder is None:
            return None
        try:
            found = (self.folder / DATABASE).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _same_file(self) -> None:
        """Raise where the database was deleted or replaced under us: what is written would be lost."""
        if self._identity() != self._file:
            raise StoreUnavailable(f"the store {self._where!r} was deleted or replaced while it was open")

    def _make_folder(self) -> None:
        """The folders with mode 0700 and an empty database file with mode 0600, where there are none."""
        if self.folder is None:
            return
        if not self.folder.is_dir():
            self.folder.mkdir(mode=0o700, parents=True)
        path = self.folder / DATABASE
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        vectors = self.folder / "vectors"
        if not vectors.is_dir() and os.access(self.folder, os.W_OK):
            vectors.mkdir(mode=0o700, exist_ok=True)

    def _frozen(self) -> bool:
        """Whether nobody can write here and the database file is whole without its log."""
        if self.folder is None or os.access(self.folder, os.W_OK):
            return False
        log = self.folder / f"{DATABASE}-wal"
        return not log.exists() or log.stat().st_size == 0

    def _connect(self) -> apsw.Connection:
        if self._frozen():
            # Without a folder for its side files SQLite reads such a database only as unchanging.
            name = "file:" + "".join(f"%{byte:02x}" for byte in os.fsencode(self._where)) + "?immutable=1"
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            db = apsw.Connection(name, flags=flags, statementcachesize=256)
        else:
            db = apsw.Connection(self._where, flags=_CONNECT, statementcachesize=256)
        db.set_busy_timeout(int(self._policy.database.busy_seconds * 1000))
        if self.folder is not None:
            if not db.readonly("main"):
                db.pragma("journal_mode", "wal")
            db.pragma("synchronous", "full")
        db.pragma("temp_store", "memory")
        db.pragma("cache_size", -16_000)
        return db

    def _meta(self, key: str, db: apsw.Connection | None = None) -> str:
        row = (db or self._db).execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    # -- views --------------------------------------------------------------------------------

    def _indexed(self, db: apsw.Connection, model: str) -> Index:
        """The arrays for the model whose vectors the store holds."""
        row = db.execute("SELECT no, dimensions FROM model WHERE name = ?", (model,)).fetchone() or (0, 0)
        with self._index_lock:
            if self._index is None or self._index.model != row[0]:
                folder = self.folder / "vectors" if self.folder else None
                notices = self._index.notices if self._index else []
                self._index = Index(folder, self._id, row[0], row[1])
                self._index.notices = notices
            return self._index

    def _reading(self, db: apsw.Connection, access: Access, as_of: AsOf) -> dict[str, Any]:
        model = self._meta("model", db)
        names = json.dumps(sorted(access.reads), ensure_ascii=False)
        known = db.execute(
            "SELECT name, no FROM scope WHERE name IN (SELECT value FROM json_each(?))", (names,)
        )
        newest = db.execute("SELECT recorded_at FROM record ORDER BY no DESC LIMIT 1").fetchone() or (0,)
        now = max(ledger.micros(self._clock.now()) or 0, newest[0])  # where the clock was set back
        return {
            "db": db,
            "index": self._indexed(db, model),
            "scopes": {Scope(name): no for name, no in known},
            "valid": now if as_of.valid is None else ledger.micros(rules.utc(as_of.valid)),
            "past": as_of.valid is not None,
            "system": None if as_of.system is None else ledger.micros(rules.utc(as_of.system)),
            "lexical": self._policy.lexical,
            "model": model or None,
            "embedder": self._embedder,
        }

    @contextmanager
    def read(self, access: Access, as_of: AsOf = NOW) -> Iterator[Reading]:
        """See the port."""
        with self._reader() as db:
            try:
                yield Reading(**self._reading(db, access, as_of))
            except apsw.Error as error:
                raise translated(error, self._where) from error

    @contextmanager
    def _reader(self) -> Iterator[apsw.Connection]:
        """A connection inside a read transaction; the only one, under the lock, in memory."""
        if self.folder is None:
            with self._lock:
                yield self._db
            return
        if self._closed:
            raise StoreUnavailable(f"the store {self._where!r} is closed")
        self._same_file()
        try:
            db = self._readers.pop()
        except IndexError:
            try:
                db = self._connect()
            except apsw.Error as error:
                raise translated(error, self._where) from error
        try:
            db.execute("BEGIN")
            yield db
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")
            self._readers.append(db)

    @contextmanager
    def write(self, access: Access) -> Iterator[Writing]:
        """See the port."""
        with self._lock:
            if self._closed:
                raise StoreUnavailable(f"the store {self._where!r} is closed")
            try:
                self._db.execute("BEGIN IMMEDIATE")
                view = Writing(access, self.origin, self._clock.now(), **self._reading(self._db, access, NOW))
                yield view
                grew = view.finish()
                self._same_file()
                self._db.execute("COMMIT")
            except apsw.Error as error:
                raise translated(error, self._where) from error
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            if grew:
                self._head_dirty = True
                if time.monotonic() - self._head_written >= self._policy.database.head_seconds:
                    try:
                        self._write_head()
                    except (OSError, apsw.Error) as error:  # committed; `verify` and `close` try again
                        log.warning("the head file cannot be written yet: %s", type(error).__name__)

    def unembedded(self, access: Access, limit: int) -> list[tuple[PassageId, str]]:
        """See the port."""
        with self.read(access) as view:
            return view.unembedded(limit)

    # -- the head file ------------------------------------------------------------------------

    def _write_head(self) -> None:
        """Say outside the database how long every chain is; it may lag, never lead.

        What the file says of a chain that is not in the database any more stays: it is the only witness.
        """
        if self.folder is None:
            return
        heads = {
            (row[0], row[1]): (row[2], row[3].hex())
            for row in self._db.execute(
                "SELECT h.origin, sc.name, h.seq, h.hash FROM head h JOIN scope sc ON sc.no = h.scope"
            )
        }
        for origin, scope, seq, digest in self._head_file() or ():
            if not self._has_entry(origin, scope, seq, digest):
                heads[(origin, scope)] = (seq, digest)
        content = {"version": 1, "heads": [[*key, *value] for key, value in sorted(heads.items())]}
        draft = self.folder / f"head.{secrets.token_hex(8)}"
        try:
            with open(draft, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(json.dumps(content, ensure_ascii=False).encode())
                file.flush()
                os.fsync(file.fileno())
            draft.rename(self.folder / "head")
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        self._head_written = time.monotonic()
        self._head_dirty = False

    def _has_entry(self, origin: str, scope: str, seq: int, digest: str) -> bool:
        row = self._db.execute(
            """SELECT hash FROM ledger WHERE origin = ? AND seq = ?
            AND scope = (SELECT no FROM scope WHERE name = ?)""",
            (origin, seq, scope),
        ).fetchone()
        return row is not None and row[0].hex() == digest

    def _flush_head(self) -> None:
        if self._head_dirty:
            try:
                self._write_head()
            except OSError as error:
                raise StoreUnavailable(
                    f"the head file of {self._where!r} cannot be written: {error.strerror}"
                ) from error

    # -- the whole ----------------------------------------------------------------------------

    def verify(self, access: Access) -> Verification:
        """See the port."""
        with self._lock:
            self._flush_head()
        head_file = self._head_file()  # before the snapshot, which then cannot be older
        with self._reader() as db:
            try:
                reading = self._reading(db, access, NOW)
                index: Index = reading["index"]
                return verify.verification(db, index, reading["scopes"], access.reads, head_file)
            except apsw.Error as error:
                raise translated(error, self._where) from error
            except UnicodeDecodeError as error:
                raise IntegrityError(f"the database {self._where!r} holds bytes that are no text") from error

    def _head_file(self) -> list[tuple[str, str, int, str]] | None:
        """What the head file says; None without one, an empty list where it cannot be read."""
        if self.folder is None or not (self.folder / "head").exists():
            return None
        try:
            content = json.loads((self.folder / "head").read_text(encoding="utf-8"))
            return [(str(a), str(b), int(c), str(d)) for a, b, c, d in content["heads"]]
        except (OSError, ValueError, KeyError, TypeError):
            return []

    def rebuild(self) -> None:
        """See the port: the arrays are copied again; vectors of another model are dropped first."""
        with self._lock:
            try:
                if self._embedder and self._meta("model") not in ("", self._embedder):
                    self._db.execute("BEGIN IMMEDIATE")
                    self._db.execute("DELETE FROM vector")
                    self._db.execute("DELETE FROM model")
                    self._db.execute("DELETE FROM meta WHERE key = 'model'")
                    self._db.execute("COMMIT")
                    self._index = None
                index = self._indexed(self._db, self._meta("model"))
                index.rebuild(self._db)
            except apsw.Error as error:
                raise translated(error, self._where) from error
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def close(self) -> None:
        """See the port."""
        with self._lock:
            if self._closed:
                return
            try:
                self._flush_head()
            finally:
                self._closed = True
                for db in (*self._readers, self._db):
                    db.close()
                if self._index is not None:
                    self._index.close()
