"""The derived index: columns, analysed words and int8 vectors of every passage, as mapped arrays.

`words` holds the hashes of the analysed words of every passage, one passage after the other. Once a block
of passages is whole, the same hashes stand sorted in `postings`, and in `owners` whose they are: a word is
then found in a block by bisection.
Rows in the database are the truth; these arrays are copied from them and can be thrown away.
Several processes share the files: who holds the lock appends rows that are committed, then publishes
the new counts in one small state record with a checksum. A reader maps the files and looks at the first
`n` passages only, `n` being what its own snapshot of the database holds.
Without a writable folder the same arrays live in memory.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        ("valid_from", "<i8"),
        ("valid_to", "<i8"),
        ("tokens", "<i4"),
        ("chars", "<i4"),
        ("flags", "<i2"),
        ("voice", "i1"),
        ("grain", "i1"),
        ("current", "i1"),
        ("spare", "i1", (3,)),
    ]
)
"""One passage: what never changes once it is stored. 80 bytes."""

PIECES = 32
"""Wordpiece ids kept for a passage (retrieval-2.md Q2: cap 32)."""

_STATE = struct.Struct("<8s16sIIiqqqq")
_MAGIC = b"QUOTHIX1"


class Damaged(Exception):
    """A derived file does not hold what its state record says."""


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

    def pack(self, store: bytes) -> bytes:
        """The state record with its checksum."""
        body = _STATE.pack(
            _MAGIC,
            store,
            1,
            self.generation,
            self.model,
            self.passages,
            self.terms,
            self.sorted,
            self.vectors,
        )
        return body + zlib.crc32(body).to_bytes(4, "little")

    @classmethod
    def unpack(cls, raw: bytes, store: bytes) -> State:
        """The inverse of `pack`; `Damaged` unless it is whole and of this store."""
        body = raw[: _STATE.size]
        if len(raw) != _STATE.size + 4 or zlib.crc32(body).to_bytes(4, "little") != raw[_STATE.size :]:
            raise Damaged("state record")
        magic, owner, version, *counts = _STATE.unpack(body)
        if (magic, owner, version) != (_MAGIC, store, 1):
            raise Damaged("state record of another store")
        return cls(*counts)


class Array:
    """One growing array of fixed-size rows, in a file or (without one) in memory."""

    def __init__(self, dtype: np.dtype, shape: tuple[int, ...], path: Path | None) -> None:
        """`shape` is that of one row."""
        self.dtype = dtype
        self.shape = shape
        self.stride = dtype.itemsize * int(np.prod(shape, dtype=int))
        self.path = path
        self._memory: NDArray[Any] = np.zeros((0, *shape), dtype)

    def view(self, count: int) -> NDArray[Any]:
        """The first `count` rows; `Damaged` when the file is shorter."""
        if count <= len(self._memory):
            return self._memory[:count]
        if self.path is None:
            raise Damaged("memory")
        try:
            rows = self.path.stat().st_size // self.stride
        except FileNotFoundError:
            rows = 0
        if rows < count:
            raise Damaged(self.path.name)
        mapped = np.memmap(self.path, self.dtype, "r", shape=(rows, *self.shape))
        self._memory = mapped.view(np.ndarray)  # the subclass makes every access slow
        return self._memory[:count]

    def write(self, at: int, rows: NDArray[Any]) -> None:
        """Put rows at a place, growing as needed; gaps read as zeros."""
        if self.path is not None:
            with self.path.open("r+b") as file:
                grown = (at + len(rows)) * self.stride
                if os.fstat(file.fileno()).st_size < grown:
                    os.ftruncate(file.fileno(), max(grown, int(at * 1.25) * self.stride))
                os.pwrite(file.fileno(), np.ascontiguousarray(rows, self.dtype).tobytes(), at * self.stride)
            return
        if at + len(rows) > len(self._memory):
            grown_rows = np.zeros((max(at + len(rows), int(at * 1.5)), *self.shape), self.dtype)
            grown_rows[: len(self._memory)] = self._memory
            self._memory = grown_rows
        self._memory[at : at + len(rows)] = rows

    def scatter(self, at: NDArray[np.int64], rows: NDArray[Any]) -> None:
        """Put each row at its own place; runs of neighbours are written together."""
        order = np.argsort(at, kind="stable")
        at, rows = at[order], rows[order]
        for part in np.split(np.arange(len(at)), np.flatnonzero(np.diff(at) != 1) + 1):
            if len(part):
                self.write(int(at[part[0]]), rows[part])

    def forget(self) -> None:
        """Let go of the map (in memory: of the rows)."""
        self._memory = np.zeros((0, *self.shape), self.dtype)


class Shelf:
    """The arrays of one store and the record of what they hold."""

    def __init__(self, folder: Path | None, store: str, dimensions: int) -> None:
        """`folder` None keeps everything in memory."""
        self.folder = folder
        self.store = store
        self.dimensions = dimensions
        self._store = bytes.fromhex(store)
        self._state = State()

        def array(name: str, dtype: str | np.dtype, *shape: int) -> Array:
            return Array(np.dtype(dtype), shape, folder / name if folder else None)

        self.columns = array("columns", COLUMNS)
        self.words = array("words", "<u4")
        self.postings = array("postings", "<u4")
        self.owners = array("owners", "<u4")
        self.pieces = array("pieces", "<u2", PIECES)
        self.scales = array("scales", "<f4")
        self.matrix = array("matrix", "i1", max(dimensions, 1))

    def used(self) -> bool:
        """Whether something was written here before."""
        return self.folder is not None and any((self.folder / each).exists() for each in ("state", "columns"))

    def unlike(self, other: Shelf, state: State) -> list[str]:
        """Names of the arrays that differ from those of another shelf, as far as that one goes.

        Vectors that only this shelf has are later ones: another process embeds while this one looks.
        """
        names = []
        there = np.flatnonzero(other.scales.view(state.passages)) if state.model else ()
        for name in ("columns", "words", "postings", "owners", "pieces", "scales", "matrix"):
            if name in ("pieces", "scales", "matrix") and not state.model:
                continue
            count = {"words": state.terms, "postings": state.sorted, "owners": state.sorted}.get(
                name, state.passages
            )
            mine, true = getattr(self, name).view(count), getattr(other, name).view(count)
            if name in ("pieces", "scales", "matrix") and len(there) < count:
                mine, true = mine[there], true[there]
            if mine.tobytes() != true.tobytes():
                names.append(name)
        return names

    def arrays(self) -> tuple[Array, ...]:
        """Every array."""
        return (
            self.columns,
            self.words,
            self.postings,
            self.owners,
            self.pieces,
            self.scales,
            self.matrix,
        )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from appending; released by the system if this one dies."""
        if self.folder is None:
            yield
            return
        handle = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def state(self) -> State:
        """What the files hold now; `Damaged` when they contradict it."""
        if self.folder is None:
            return self._state
        try:
            raw = (self.folder / "state").read_bytes()
        except FileNotFoundError as error:
            raise Damaged("state record is absent") from error
        state = State.unpack(raw, self._store)
        if state.generation != self._state.generation:
            for each in self.arrays():
                each.forget()
        self._state = state
        self.columns.view(state.passages)
        self.words.view(state.terms)
        self.postings.view(state.sorted)
        self.owners.view(state.sorted)
        if state.model:
            for each in (self.pieces, self.scales, self.matrix):
                each.view(state.passages)
        return state

    def publish(self, state: State) -> None:
        """Say what the files hold; only after the rows are written."""
        self._state = state
        if self.folder is None:
            return
        handle = os.open(self.folder / "state", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            os.pwrite(handle, state.pack(self._store), 0)
        finally:
            os.close(handle)

    def clear(self) -> None:
        """Throw everything away. The files are new ones, so that readers keep their maps."""
        for each in self.arrays():
            each.forget()
            if each.path is not None:
                each.path.unlink(missing_ok=True)
                each.path.touch(mode=0o600)
        self.publish(State(generation=secrets.randbits(32)))
