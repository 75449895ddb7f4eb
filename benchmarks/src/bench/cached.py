"""An embedder that remembers on disk what it made of a passage; questions are always embedded anew.

462 planted stores hold the same 450 long turns: without this their vectors would be made 462 times.
The file's name holds a fingerprint of what the real embedder makes of a few probe texts, so that another
model, or another way to store its vectors, starts a new file. Delete the folder whenever you like.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from quoth.core.types import Embedding

if TYPE_CHECKING:
    from quoth.core.ports import Embedder

_PROBES = ("When did Ana plant the pear tree?", "I baked 12 loaves, and then the oven broke down!\nWell...")


def folder() -> Path:
    """Where vectors are kept: QUOTH_BENCH_CACHE, else the user's cache folder; never the repository."""
    given = os.environ.get("QUOTH_BENCH_CACHE")
    return Path(given) if given else Path.home() / ".cache" / "quoth-bench"


def pack(made: Embedding) -> bytes:
    """A passage's embedding as bytes."""
    vector = np.asarray(made.vector, "<f4").tobytes()
    if made.tokens is None or made.pieces is None:
        return struct.pack("<ii", len(vector), -1) + vector
    tokens = np.asarray(made.tokens, np.uint8)
    head = struct.pack("<ii", len(vector), len(tokens))
    return head + vector + tokens.tobytes() + np.asarray(made.pieces, "<u2").tobytes()


def unpack(blob: bytes) -> Embedding:
    """The embedding that `pack` made these bytes of."""
    size, rows = struct.unpack_from("<ii", blob)
    vector = np.frombuffer(blob, "<f4", size // 4, 8).copy()
    if rows < 0:
        return Embedding(vector)
    width = len(vector) // 8
    tokens = np.frombuffer(blob, np.uint8, rows * width, 8 + size).reshape(rows, width).copy()
    pieces = np.frombuffer(blob, "<u2", rows, 8 + size + rows * width).copy()
    return Embedding(vector, tokens, pieces)


class Cached:
    """Bears the real embedder's name, and is taken for it."""

    def __init__(self, real: Embedder, where: Path | None = None) -> None:
        self._real = real
        self.name, self.dimensions, self.cheap = real.name, real.dimensions, real.cheap
        self.made = 0
        self.found = 0
        kept = where or folder()
        kept.mkdir(parents=True, exist_ok=True)
        file = re.sub(r"[^\w.-]+", "-", f"{real.name}-{self._fingerprint()}")
        self._file = sqlite3.connect(kept / f"{file}.db", check_same_thread=False)
        self._file.execute("PRAGMA journal_mode=WAL")
        self._file.execute("PRAGMA synchronous=NORMAL")
        self._file.execute("CREATE TABLE IF NOT EXISTS made (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
        self._near: dict[bytes, Embedding] = {}

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)

    def _fingerprint(self) -> str:
        state = hashlib.sha256(self.name.encode())
        for role in ("passage", "query"):
            for made in self._real.embed(_PROBES, role):
                state.update(np.asarray(made.vector, "<f4").tobytes())
                state.update(b"" if made.tokens is None else np.ascontiguousarray(made.tokens).tobytes())
                state.update(b"" if made.pieces is None else np.asarray(made.pieces, "<u2").tobytes())
        return state.hexdigest()[:12]

    def embed(self, texts: Sequence[str], role: Literal["query", "passage"]) -> list[Embedding]:
        """What the real embedder makes of each text, in order."""
        if role == "query":
            return self._real.embed(texts, role)
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        missing: dict[bytes, str] = {}
        for key, text in zip(keys, texts, strict=True):
            if key not in self._near and key not in missing:
                row = self._file.execute("SELECT value FROM made WHERE key = ?", (key,)).fetchone()
                if row is None:
                    missing[key] = text
                else:
                    self._near[key] = unpack(row[0])
        self.found += len(texts) - len(missing)
        if missing:
            self.made += len(missing)
            new = self._real.embed(list(missing.values()), role)
            self._near.update(zip(missing, new, strict=True))
            with self._file:
                rows = [(key, pack(made)) for key, made in zip(missing, new, strict=True)]
                self._file.executemany("INSERT OR REPLACE INTO made VALUES (?, ?)", rows)
        return [self._near[key] for key in keys]
