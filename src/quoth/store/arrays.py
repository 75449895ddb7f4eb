"""One array in a file that grows: mapped for readers, with a checksum of every chunk of it."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import zlib
from array import array
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHUNK = 1 << 16
"""Bytes that share a checksum."""

_SLACK = 16 << 20


class Damaged(Exception):
    """A derived file does not hold what its state record says."""

    def __init__(self, reason: str, files: tuple[str, ...] = ()) -> None:
        """`files` are those that differ from what was written."""
        super().__init__(reason)
        self.files = files


def remove(path: Path) -> None:
    """Remove whatever is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def put(handle: int, data: bytes, at: int) -> None:
    """Write all of it."""
    rest = memoryview(data)
    while rest:
        done = os.pwrite(handle, rest, at)
        if not done:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        rest, at = rest[done:], at + done


def _reserve(handle: int, size: int) -> None:
    """Make a file longer, with room for it: reading a mapped hole on a full disk would end the process."""
    now = os.fstat(handle).st_size
    if size <= now:
        return
    try:
        os.posix_fallocate(handle, now, size - now)
    except (AttributeError, OSError) as error:
        if getattr(error, "errno", None) not in (None, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
            raise
        for at in range(now, size, 1 << 20):
            put(handle, bytes(min(1 << 20, size - at)), at)


class Array:
    """One growing array of fixed-size rows, in a file or (without one) in memory."""

    def __init__(self, dtype: np.dtype, shape: tuple[int, ...], path: Path | None) -> None:
        """`shape` is that of one row."""
        self.dtype = dtype
        self.shape = shape
        self.stride = dtype.itemsize * int(np.prod(shape, dtype=int))
        self.path = path
        self.rows = 0
        """Rows that count: the next one is appended behind them."""
        self.sums = array("I")
        self._memory: NDArray[Any] = np.zeros((0, *shape), dtype)

    def _size(self) -> int:
        """Length of the file; `Damaged` where there is none."""
        assert self.path is not None
        try:
            found = self.path.stat()
        except OSError as error:
            raise Damaged(f"{self.path.name}: {error.strerror}") from error
        if not stat.S_ISREG(found.st_mode):
            raise Damaged(f"{self.path.name} is no file")
        return found.st_size

    def view(self, count: int) -> NDArray[Any]:
        """The first `count` rows; `Damaged` when the file is shorter."""
        if count <= len(self._memory):
            return self._memory[:count]
        if self.path is None:
            raise Damaged("memory")
        rows = self._size() // self.stride
        if rows < count:
            raise Damaged(f"{self.path.name} is too short")
        try:
            mapped = np.memmap(self.path, self.dtype, "r", shape=(rows, *self.shape))
        except (OSError, ValueError) as error:
            raise Damaged(f"{self.path.name} cannot be mapped") from error
        self._memory = mapped.view(np.ndarray)  # the subclass makes every access slow
        return self._memory[:count]

    def sound(self, step: int) -> bool:
        """Whether every so manieth chunk, and the last one, is what was written. Nothing is mapped."""
        end = self.rows * self.stride
        if len(self.sums) != -(-end // CHUNK):
            return False
        if self.path is None or not end:
            return True
        if self._size() < end:
            return False
        try:
            with self.path.open("rb", buffering=0) as file:
                return all(
                    self._sum(file.fileno(), chunk) == self.sums[chunk]
                    for chunk in {*range(0, len(self.sums), step), len(self.sums) - 1}
                    if self.sums[chunk]
                )
        except OSError as error:
            raise Damaged(f"{self.path.name}: {error.strerror}") from error

    def _sum(self, handle: int, chunk: int) -> int:
        """The checksum of what the file holds there, up to the last row that counts."""
        size = min(CHUNK, self.rows * self.stride - chunk * CHUNK)
        return zlib.crc32(os.pread(handle, size, chunk * CHUNK))

    def append(self, rows: NDArray[Any]) -> None:
        """Put rows behind the last one, whatever stands there."""
        if self.path is None:
            end = self.rows + len(rows)
            if end > len(self._memory):
                grown = np.zeros((max(end, int(self.rows * 1.5)), *self.shape), self.dtype)
                grown[: self.rows] = self._memory[: self.rows]
                self._memory = grown
            self._memory[self.rows : end] = rows
            self.rows = end
            return
        data, at = np.ascontiguousarray(rows, self.dtype).tobytes(), self.rows * self.stride
        self.reserve(self.rows + len(rows), data)
        for start in range(at - at % CHUNK, at + len(data), CHUNK):
            part = memoryview(data)[max(start - at, 0) : start + CHUNK - at]
            if start >= at:
                self.sums.append(zlib.crc32(part))
            elif self.sums[-1]:
                self.sums[-1] = zlib.crc32(part, self.sums[-1])

    def reserve(self, rows: int, data: bytes = b"") -> None:
        """Let so many rows count: those of `data` behind the last one, then zeros in a new file."""
        if self.path is not None:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                size, at = rows * self.stride, self.rows * self.stride
                if size > os.fstat(handle).st_size:
                    _reserve(handle, size + min(at // 8, _SLACK))
                put(handle, data, at)
            finally:
                os.close(handle)
        elif rows > len(self._memory):
            self._memory = np.zeros((rows, *self.shape), self.dtype)
        self.rows = rows

    def _touched(self, at: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.unique(np.concatenate((at * self.stride, at * self.stride + self.stride - 1)) // CHUNK)

    def unsettle(self, at: NDArray[np.int64]) -> None:
        """Have no checksum where these rows stand: they are about to be written over."""
        if self.path is not None:
            for chunk in self._touched(at).tolist():
                self.sums[chunk] = 0

    def scatter(self, at: NDArray[np.int64], rows: NDArray[Any]) -> None:
        """Write each row over the one at its place; runs of neighbours are written together."""
        order = np.argsort(at, kind="stable")
        at, rows = at[order], np.ascontiguousarray(rows[order], self.dtype)
        if self.path is None:
            self._memory[at] = rows
            return
        handle = os.open(self.path, os.O_RDWR)
        try:
            for part in np.split(np.arange(len(at)), np.flatnonzero(np.diff(at) != 1) + 1):
                if len(part):
                    put(handle, rows[part].tobytes(), int(at[part[0]]) * self.stride)
            for chunk in self._touched(at).tolist():
                self.sums[chunk] = self._sum(handle, chunk)
        finally:
            os.close(handle)

    def forget(self) -> None:
        """Let go of the map (in memory: of the rows)."""
        self._memory = np.zeros((0, *self.shape), self.dtype)

    def renew(self) -> None:
        """Begin with a new file, so that readers keep the map of the old one."""
        self.forget()
        self.rows, self.sums = 0, array("I")
        if self.path is not None:
            remove(self.path)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
