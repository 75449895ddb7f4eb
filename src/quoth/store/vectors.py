"""The derived index: columns, analysed words and int8 vectors of every passage, as mapped arrays.

`words` holds the hashes of the analysed words of every passage, one passage after the other. Once a block
of passages is whole, the same hashes stand sorted in `postings`, and in `owners` whose they are: a word is
then found in a block by bisection.
Rows in the database are the truth; these arrays are copied from them and can be thrown away.
Several processes share the files: who holds the lock appends rows that are committed, then publishes
the new counts in a state record, which is replaced whole. A reader maps the files and looks at the first
`n` passages only, `n` being what its own snapshot of the database holds.
The state record also holds a checksum of every chunk of every file, as far as its rows are published:
what a file holds must be what was written there, before it is mapped for the first time. A large store is
sampled then, and compared whole by `verify`. What differs is looked at again under the lock, because
another process may be writing; chunks about to change in place have no checksum until they are whole.
Without a writable folder the same arrays live in memory.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import struct
import zlib
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from quoth.store.arrays import CHUNK, Array, Damaged, put, remove

__all__ = ["COLUMNS", "PIECES", "Damaged", "Outdated", "Shelf", "State"]

COLUMNS = np.dtype(
    [
        ("check", "<u8"),
        ("record", "<i4"),
        ("scope", "<i4"),
        ("session", "<i4"),
        ("ordinal", "<i4"),
        ("speaker", "<i4"),
        ("said_day", "<i4"),
        ("terms_end", "<i8"),
        ("recorded", "<i8"),
        ("said", "<i8"),
        ("valid_from", "<i8"),
        ("valid_to", "<i8"),
        ("tokens", "<i4"),
        ("chars", "<i4"),
        ("flags", "<i2"),
        ("voice", "i1"),
        ("grain", "i1"),
        ("belief", "i1"),
        ("spare", "i1", (3,)),
    ]
)
"""One passage: what never changes once it is stored, its record as it was filed first. 88 bytes.

`said` is when it was said, else recorded; `belief` a bit of `periods.BELIEF`, 0 where it was not true.
"""

PIECES = 32
"""Wordpiece ids kept for a passage (docs/explanation/retrieval.md)."""

WHOLE = 64 << 20
"""Bytes that are checked when a store is first looked at (60 ms); of more only every second, third ..."""

_PAGE = 4096
_FILES = ("columns", "words", "postings", "owners", "pieces", "scales", "matrix")
_DENSE = ("pieces", "scales", "matrix")
_STATE = struct.Struct("<8s16sIIiqqqq7I")
_MAGIC = b"QUOTHIX1"
_VERSION = 3


class Outdated(Damaged):
    """The derived files are whole, but another version of Quoth made them."""


@dataclass(frozen=True, slots=True)
class State:
    """What the files hold."""

    generation: int = 0
    """Another number after each rebuild: maps of older files must go."""
    model: int = 0
    passages: int = 0
    terms: int = 0
    sorted: int = 0
    """Words of whole blocks, which are in `postings` too."""
    vectors: int = 0
    """Last row of the table `vector` that was copied."""
    sums: tuple[bytes, ...] = (b"",) * len(_FILES)
    """CRC-32 of each chunk of each file; 0 where there is none."""

    def pack(self, store: bytes) -> bytes:
        """The state record with its checksum."""
        counts = (self.generation, self.model, self.passages, self.terms, self.sorted, self.vectors)
        lengths = (len(each) for each in self.sums)
        body = _STATE.pack(_MAGIC, store, _VERSION, *counts, *lengths) + b"".join(self.sums)
        return body + zlib.crc32(body).to_bytes(4, "little")

    @classmethod
    def unpack(cls, raw: bytes, store: bytes) -> State:
        """The inverse of `pack`, whatever follows; `Damaged` unless it is whole and of this store."""
        if len(raw) < _STATE.size:
            raise Damaged("state record")
        magic, owner, version, *numbers = _STATE.unpack_from(raw)
        counts, lengths = numbers[:6], numbers[6:]
        end = _STATE.size + sum(lengths)
        if zlib.crc32(raw[:end]).to_bytes(4, "little") != raw[end : end + 4]:
            raise Damaged("state record")
        if (magic, owner) != (_MAGIC, store):
            raise Damaged("state record of another store")
        if version != _VERSION:
            raise Outdated("state record of another version")
        sums, at = [], _STATE.size
        for length in lengths:
            sums.append(raw[at : at + length])
            at += length
        return replace(cls(*counts), sums=tuple(sums))


class Shelf:
    """The arrays of one store and the record of what they hold."""

    def __init__(self, folder: Path | None, store: str, model: int, dimensions: int) -> None:
        """`folder` None keeps everything in memory; `model` 0 keeps no vectors."""
        self.folder = folder
        self.store = store
        self.model = model
        self.dimensions = dimensions
        self._store = bytes.fromhex(store)
        self._state = State()
        self._raw = b""
        self._trusted: int | None = None
        self._whole = False

        def rows(name: str, dtype: str | np.dtype, *shape: int) -> Array:
            return Array(np.dtype(dtype), shape, folder / name if folder else None)

        self.columns = rows("columns", COLUMNS)
        self.words = rows("words", "<u4")
        self.postings = rows("postings", "<u4")
        self.owners = rows("owners", "<u4")
        self.pieces = rows("pieces", "<u2", PIECES)
        self.scales = rows("scales", "<f4")
        self.matrix = rows("matrix", "i1", max(dimensions, 1))

    def used(self) -> bool:
        """Whether something was written here before."""
        return self.folder is not None and any((self.folder / each).exists() for each in ("state", "columns"))

    def unlike(self, other: Shelf, state: State) -> list[str]:
        """Names of the arrays that differ from those of another shelf, as far as that one goes.

        Vectors that only this shelf has are later ones: another process embeds while this one looks.
        """
        names = []
        there = np.flatnonzero(other.scales.view(state.passages)) if state.model else ()
        for name, count in zip(_FILES, self._counts(state), strict=True):
            mine, true = getattr(self, name).view(count), getattr(other, name).view(count)
            if name in _DENSE and len(there) < count:
                mine, true = mine[there], true[there]
            if mine.tobytes() != true.tobytes():
                names.append(name)
        if names:
            self.doubt()
        return names

    def arrays(self) -> tuple[Array, ...]:
        """Every array."""
        return tuple(getattr(self, name) for name in _FILES)

    def dense(self) -> tuple[Array, ...]:
        """The arrays that hold vectors."""
        return tuple(getattr(self, name) for name in _DENSE)

    def _counts(self, state: State) -> tuple[int, ...]:
        """Rows of each array that count; none of the vectors of another model."""
        dense = state.passages if self.model and state.model == self.model else 0
        return (state.passages, state.terms, state.sorted, state.sorted, dense, dense, dense)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from appending; released by the system if this one dies."""
        if self.folder is None:
            yield
            return
        path = self.folder / "lock"
        if path.is_dir():
            remove(path)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            self._raw = b""  # what was not published is forgotten
            yield
        finally:
            os.close(handle)

    def state(self) -> State:
        """What the files hold now, mapped; `Damaged` when they contradict it."""
        if self.folder is None:
            self._take(self._state)
            return self._state
        path = self.folder / "state"
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                raise Damaged("state record is no file")
            raw = path.read_bytes()
        except OSError as error:
            raise Damaged(f"state record: {error.strerror}") from error
        if raw == self._raw != b"":
            return self._state
        state = State.unpack(raw, self._store)
        if state.generation != self._state.generation:
            self.forget()
        self._take(state)
        if self._trusted != state.generation:
            self._check()
            self._trusted, self._whole = state.generation, False
        self.map(state)
        self._raw = raw
        return state

    def _take(self, state: State) -> None:
        self._state = state
        for each, count, sums in zip(self.arrays(), self._counts(state), state.sums, strict=True):
            each.rows = count
            each.sums = array("I", sums if count else b"")

    def _check(self) -> None:
        """`Damaged` where a file does not hold what was written; of a large store a sample is read."""
        size = sum(each.rows * each.stride for each in self.arrays())
        step = 1 if self._whole else max(1, -(-size // WHOLE))
        if names := tuple(name for name in _FILES if not getattr(self, name).sound(step)):
            raise Damaged(f"{', '.join(names)} not as written", names)

    def damaged(self) -> list[str]:
        """Names of the files that do not hold what was written; all of them are read."""
        self.doubt()
        try:
            with self.locked():
                self.state()
        except Damaged as damage:
            return list(damage.files)
        except OSError:
            pass  # said by who reads next
        return []

    def doubt(self) -> None:
        """Check all of the files when they are looked at next."""
        self._trusted, self._raw, self._whole = None, b"", True

    def map(self, state: State) -> State:
        """Map what counts, so that it stays even if another process makes new files."""
        for each, count in zip(self.arrays(), self._counts(state), strict=True):
            each.view(count)
        return state

    def publish(self, state: State) -> None:
        """Say what the files hold; only after the rows are written."""
        if self.folder is None:
            self._state = state
            return
        state = replace(state, sums=tuple(each.sums.tobytes() for each in self.arrays()))
        raw = state.pack(self._store)
        long = len(raw) > _PAGE  # a shorter one is written whole even if the process is killed
        path = self.folder / ("state.new" if long else "state")
        handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            put(handle, raw, 0)
        finally:
            os.close(handle)
        if long:
            path.replace(self.folder / "state")  # a millisecond on some disks
        self._state, self._raw = state, raw

    def forget(self) -> None:
        """Let go of every map."""
        self._raw = b""
        for each in self.arrays():
            each.forget()

    def blank(self, state: State) -> State:
        """New files without a vector, for the model of this shelf; the others stay."""
        state = replace(state, generation=secrets.randbits(32), model=0, vectors=0)
        self.publish(state)  # from here on nobody looks at the old ones
        self._trusted = state.generation
        for each in self.dense():
            each.renew()
            if self.model:
                each.reserve(state.passages)
                each.sums = array("I", bytes(4 * -(-each.rows * each.stride // CHUNK)))
        return replace(state, model=self.model)

    def clear(self) -> None:
        """Throw everything away, whatever it is."""
        if self.folder is not None:
            for name in ("state", "state.new"):
                remove(self.folder / name)
        for each in self.arrays():
            each.renew()
        state = State(generation=secrets.randbits(32))
        self.publish(state)
        self._trusted, self._whole = state.generation, False
