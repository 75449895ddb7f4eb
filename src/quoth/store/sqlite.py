"""The embedded store: one SQLite file in WAL mode is the truth, mapped arrays beside it are derived.

Writers take BEGIN IMMEDIATE and commit with ``synchronous=FULL``; readers see one snapshot.
Several processes may open the same folder.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import apsw

from quoth.core import ledger
from quoth.core.errors import InvalidInput, StoreUnavailable
from quoth.core.policy import Policy
from quoth.core.ports import Clock
from quoth.core.types import (
    ANY,
    NOW,
    Access,
    Adoption,
    AsOf,
    Erased,
    Explanation,
    Head,
    Limits,
    PassageId,
    RecordId,
    Resolution,
    Scope,
    Verification,
)
from quoth.store import mending, purge, verify
from quoth.store.chain import Chained
from quoth.store.folder import FAULTS, Folder, translated
from quoth.store.heads import Key, grown
from quoth.store.index import Index
from quoth.store.mending import Mending
from quoth.store.migrations import migrate
from quoth.store.periods import moment
from quoth.store.reading import Reading
from quoth.store.verify import Asked
from quoth.store.writing import Writing

log = logging.getLogger(__name__)

PATIENCE = 2.0
"""Seconds for which cleaning waits for other processes; where nobody asked for it, it does not wait."""

V = TypeVar("V", bound=Chained)


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
        self._folder = Folder(folder)
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
        self._where = self._folder.where
        try:
            self._folder.make()
            self._db = self._connect()
            self._file = self._folder.identity()
            migrate(self._db)
            self.origin = self._meta("origin")
            self._id = self._meta("store")
            if self._folder.writable() and not self._db.execute("SELECT 1 FROM head LIMIT 1").fetchone():
                self._folder.heads.begin()
            self._clean_later()
        except FAULTS as error:
            raise translated(error, self._where) from error
        except OSError as error:
            raise StoreUnavailable(f"the store {self._where!r} cannot be opened: {error.strerror}") from error

    @property
    def folder(self) -> Path | None:
        """Where it lives; None in memory."""
        return self._folder.path

    def _same_file(self) -> None:
        """Raise where the database was deleted or replaced under us: what is written would be lost."""
        if self._folder.identity() != self._file:
            raise StoreUnavailable(f"the store {self._where!r} was deleted or replaced while it was open")

    def _connect(self) -> apsw.Connection:
        return self._folder.connect(self._policy.database.busy_seconds)

    def _meta(self, key: str, db: apsw.Connection | None = None) -> str:
        row = (db or self._db).execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    # -- views --------------------------------------------------------------------------------

    def _indexed(self, db: apsw.Connection, model: str) -> Index:
        """The arrays for the model whose vectors the store holds."""
        row = db.execute("SELECT no, dimensions FROM model WHERE name = ?", (model,)).fetchone() or (0, 0)
        with self._index_lock:
            if self._index is None or self._index.model != row[0]:
                notices = self._index.notices if self._index else []
                self._index = Index(self._folder.vectors, self._id, row[0], row[1])
                self._index.notices = notices
            return self._index

    def _reading(
        self, db: apsw.Connection, access: Access, as_of: AsOf, limits: Limits = ANY
    ) -> dict[str, Any]:
        model = self._meta("model", db)
        scopes: dict[Scope, int] = {}
        now = ledger.micros(self._clock.now()) or 0
        for name in sorted(access.reads):
            row = db.execute("SELECT no FROM scope WHERE name = ?", (name,)).fetchone()
            if row is not None:
                scopes[name] = row[0]
                now = max(now, self._newest(db, row[0]))
        return {
            "db": db,
            "index": self._indexed(db, model),
            "scopes": scopes,
            "moment": moment(frozenset(scopes.values()), as_of, limits, now),
            "lexical": self._policy.lexical,
            "model": model or None,
            "embedder": self._embedder,
        }

    def _newest(self, db: apsw.Connection, scope: int) -> int:
        """When something was last written in a scope: no view is before that, though a clock be set back."""
        row = db.execute(
            "SELECT hlc FROM head WHERE origin = ? AND scope = ?", (self.origin, scope)
        ).fetchone()
        return row[0] if row and isinstance(row[0], int) else 0

    @contextmanager
    def read(self, access: Access, as_of: AsOf = NOW, limits: Limits = ANY) -> Iterator[Reading]:
        """See the port."""
        with self._reader() as db:
            try:
                yield Reading(**self._reading(db, access, as_of, limits))
            except FAULTS as error:
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
            except FAULTS as error:
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
        with self._transaction(access, Writing) as view:
            yield view

    @contextmanager
    def _transaction(self, access: Access, kind: type[V]) -> Iterator[V]:
        """A view that writes: durable when it ends, undone when it raises."""
        with self._lock:
            if self._closed:
                raise StoreUnavailable(f"the store {self._where!r} is closed")
            try:
                self._db.execute("BEGIN IMMEDIATE")
                view = kind(access, self.origin, self._clock.now(), **self._reading(self._db, access, NOW))
                yield view
                grew = view.finish()
                self._same_file()
                self._db.execute("COMMIT")
            except FAULTS as error:
                raise translated(error, self._where) from error
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            if grew:
                self._head_dirty = True
                if time.monotonic() - self._head_written >= self._policy.database.head_seconds:
                    self._try_head()

    def unembedded(self, access: Access, limit: int) -> list[tuple[PassageId, str]]:
        """See the port."""
        with self.read(access) as view:
            return view.unembedded(limit)

    # -- the head file ------------------------------------------------------------------------

    def _write_head(self, resolved: Collection[Key] = ()) -> None:
        """Say outside the database how long every chain is."""
        kept = grown(self._folder.heads.read(), self._db, self.origin, resolved)
        self._folder.heads.write(kept)
        self._head_written = time.monotonic()
        self._head_dirty = False

    def _try_head(self) -> None:
        try:
            self._write_head()
        except (OSError, *FAULTS) as error:  # committed; `verify` and `close` try again
            log.warning("the head file cannot be written yet: %s", type(error).__name__)

    def _flush_head(self, resolved: Collection[Key] = ()) -> None:
        if self._head_dirty or resolved:
            try:
                self._write_head(resolved)
            except OSError as error:
                raise StoreUnavailable(
                    f"the head file of {self._where!r} cannot be written: {error.strerror}"
                ) from error

    # -- proof --------------------------------------------------------------------------------

    def verify(self, access: Access, witness: Sequence[Head] = ()) -> Verification:
        """See the port."""
        with self._lock:
            self._clean_later()
            self._see_heads()
        with self._asked(access, witness) as asked:
            index = self._indexed(asked.db, self._meta("model", asked.db))
            return verify.verification(asked, index)

    def explain(self, access: Access, subject: str) -> Explanation:
        """See the port."""
        with self._asked(access) as asked:
            return verify.explanation(asked, subject)

    def adopt(self, access: Access, witness: Sequence[Head] = (), *, seal: bool) -> Adoption:
        """See the port."""
        mending.person(access)
        with self._lock:
            self._see_heads()
        if not seal:
            with self._asked(access, witness) as asked:
                return mending.adoption(mending.unknown(asked, access), done=False)
        with self._transaction(access, Mending) as view, self._asked(access, witness, self._db) as asked:
            found = mending.unknown(asked, access)
            view.adopt(found)
            return mending.adoption(found, done=True)

    def resolve(self, access: Access, because: str, *, close: bool) -> Resolution:
        """See the port."""
        mending.person(access)
        reason = mending.reason(because)
        if not close:
            with self._asked(access) as asked:
                return mending.resolution(asked, mending.broken(asked, access), reason)
        with self._lock:
            with self._transaction(access, Mending) as view, self._asked(access, (), self._db) as asked:
                found = mending.broken(asked, access)
                closed = view.resolve(asked, found, reason)
            self._flush_head({(each.chain.origin, each.chain.scope) for each in found})
            return Resolution(closed, done=True)

    @contextmanager
    def _asked(
        self, access: Access, witness: Sequence[Head] = (), db: apsw.Connection | None = None
    ) -> Iterator[Asked]:
        """What is compared, in one snapshot; in that of a connection that is writing where one is given."""
        if witness and not any(each.scope in access.reads for each in witness):
            raise InvalidInput("the witness speaks of no scope that can be read here: name its scope")
        kept = self._folder.heads.read()  # before the snapshot, which then cannot be older
        with self._reader() if db is None else nullcontext(db) as reading:
            try:
                known = reading.execute("SELECT name, no FROM scope WHERE typeof(name) = 'text'")
                scopes = {Scope(name): no for name, no in known if name in access.reads}
                yield Asked(reading, self.origin, scopes, access.reads, kept, tuple(witness))
            except FAULTS as error:
                raise translated(error, self._where) from error

    def _see_heads(self) -> None:
        """Bring the head file up to date where it is there: a process that was killed may have lagged.

        Where it is gone nothing is written here: that is for `verify` to say.
        """
        kept = self._folder.heads.read()
        if self._folder.writable() and kept is not None and kept.readable:
            self._head_dirty = True
            self._flush_head()

    # -- the whole ----------------------------------------------------------------------------

    def purge(self, access: Access, records: Sequence[RecordId]) -> Erased:
        """See the port."""
        gone = tuple(dict.fromkeys(records))
        rows = {"records": f"{len(gone)} erased: words, salt, place, speaker and notes"}
        if self.folder is None:
            self.rebuild()
            return Erased(gone, rows | {"memory": "nothing of this store is on a disk"}, clean=True)
        with self._lock:
            places, done = self._clean(self.folder, PATIENCE, everything=True)
        return Erased(gone, rows | places, clean=done)

    def _clean(self, folder: Path, patience: float, *, everything: bool) -> tuple[dict[str, str], bool]:
        try:
            index = self._indexed(self._db, self._meta("model"))
            heads = self._folder.heads
            return purge.clean(self._db, folder, index, heads, patience=patience, everything=everything)
        except FAULTS as error:
            raise translated(error, self._where) from error

    def _clean_later(self) -> None:
        """Go on with what an erasure could not clean, where nobody is in the way."""
        if self.folder is not None and not self._db.readonly("main") and purge.owed(self._db):
            _, done = self._clean(self.folder, 0.0, everything=False)
            if not done:
                log.warning(
                    "erased words still stand in the log or in free pages: another process is at work"
                )

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
            except FAULTS as error:
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
                self._clean_later()
                self._flush_head()
            finally:
                self._closed = True
                for db in (*self._readers, self._db):
                    db.close()
                if self._index is not None:
                    self._index.close()
