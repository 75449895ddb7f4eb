"""An embedder without a model, for tests and for filling large stores fast."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Literal
from zlib import crc32

import numpy as np

from quoth.core.types import Embedding
from quoth.inference.text import STOP_WORDS, axis, units

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD = re.compile(r"\w+")
_PIECES = 1 << 16
_CAP = 32
_AT_ONCE = 256


class HashEmbedder:
    """A bag of hashed words: every word is a seeded vector of signs, a text the unit sum of its words.

    Texts that share words are near, others are not; nothing else is modelled.
    It can bear another embedder's `name` and `dimensions`, so that a store that belongs to that one
    takes its vectors (benchmarks say so when they do).
    """

    cheap = True

    def __init__(
        self, *, name: str = "", dimensions: int = 384, with_tokens: bool = True, seed: int = 0
    ) -> None:
        if dimensions < 8 or dimensions % 8:
            raise ValueError(f"dimensions must be a multiple of 8, not {dimensions}")
        self.name = name or f"hash-{dimensions}-{seed}"
        self.dimensions = dimensions
        self._with_tokens = with_tokens
        self._seed = seed
        # A word's row is made when it is first seen; racing threads write the same values.
        self._signs: NDArray[np.int8] = np.zeros((_PIECES, dimensions), np.int8)
        self._bits: NDArray[np.uint8] = np.zeros((_PIECES, dimensions // 8), np.uint8)
        self._made: NDArray[np.bool_] = np.zeros(_PIECES, np.bool_)

    def embed(self, texts: Sequence[str], role: Literal["query", "passage"]) -> list[Embedding]:
        """One embedding a text, in order; each depends on its text and the seed alone."""
        made: list[Embedding] = []
        for start in range(0, len(texts), _AT_ONCE):
            made += self._embed(texts[start : start + _AT_ONCE], role)
        return made

    def _embed(self, texts: Sequence[str], role: Literal["query", "passage"]) -> list[Embedding]:
        words = [_WORD.findall(text.lower()) for text in texts]
        content = [[w for w in each if w not in STOP_WORDS] or each for each in words]
        pieces = [self._pieces(each) for each in content]
        self._make(np.unique(np.fromiter(chain.from_iterable(pieces), np.int64)))
        vectors = self._vectors(pieces)
        if not self._with_tokens:
            return [Embedding(vector) for vector in vectors]
        if role == "query":
            shown = [self._pieces(each) for each in words]
            self._make(np.unique(np.fromiter(chain.from_iterable(shown), np.int64)))
            return [
                self._query(vector, each, ids)
                for vector, each, ids in zip(vectors, words, shown, strict=True)
            ]
        ids = [np.array(each[:_CAP], np.uint16) for each in pieces]
        return [Embedding(vector, self._bits[rows], rows) for vector, rows in zip(vectors, ids, strict=True)]

    def _query(self, vector: NDArray[np.float32], words: list[str], ids: list[int]) -> Embedding:
        rows = np.array(ids, np.uint16)
        tokens = self._signs[rows] / np.float32(np.sqrt(self.dimensions))
        stops = np.array([word in STOP_WORDS for word in words], np.bool_)
        return Embedding(vector, tokens.astype(np.float32), np.where(stops, 0, rows).astype(np.uint16))

    def _vectors(self, pieces: list[list[int]]) -> NDArray[np.float32]:
        vectors = np.zeros((len(pieces), self.dimensions), np.float32)
        for row, each in enumerate(pieces):
            if each:
                # A sum of signs is exact in any order; int16 is the fast type that holds 16,384 of them.
                wide = np.int16 if len(each) < 1 << 14 else np.int64
                vectors[row] = self._signs[each].sum(axis=0, dtype=wide)
            else:
                vectors[row] = axis(self.dimensions)
        return units(vectors)

    def _pieces(self, words: list[str]) -> list[int]:
        # 0 means "stop word" in a query (`core.types.Embedding`), so no word may hash to it.
        seed = self._seed
        return [crc32(word.encode("utf-8", "surrogatepass"), seed) & 0xFFFF or 1 for word in words]

    def _make(self, pieces: NDArray[np.int64]) -> None:
        for piece in pieces[~self._made[pieces]].tolist():
            digest = hashlib.shake_256(b"%d %d" % (self._seed, piece)).digest(self.dimensions // 8)
            bits = np.frombuffer(digest, np.uint8)
            self._bits[piece] = bits
            self._signs[piece] = np.unpackbits(bits).astype(np.int8) * 2 - 1
            self._made[piece] = True
