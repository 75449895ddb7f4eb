"""The small embedder: a mean of fixed word vectors, numpy and a tokenizer, no network of neurons."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

import numpy as np

from quoth.core.errors import InferenceUnavailable
from quoth.core.types import Embedding
from quoth.inference.files import checked, in_package
from quoth.inference.text import units, well_formed

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

WEIGHTS_SHA256 = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
TOKENIZER_SHA256 = "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"

PACKAGE = "wordllama"
INSTALL = "in the clone, `uv tool install --force '.[static]'` or `pip install '.[static]'`"
"""How to get it; a package that is called quoth on PyPI is not ours."""
_REINSTALL = "reinstall it with `pip install --force-reinstall --no-deps wordllama==0.4.0.post1`"


@dataclass(frozen=True, slots=True)
class _Words:
    tokenizer: Tokenizer
    vectors: NDArray[np.float16]


class Static:
    """wordllama's 256 dimensions, loaded at the first `embed`; no token vectors (extra ``static``).

    `weights` and `tokenizer` name other places for the checked files.
    """

    name = "wordllama-256@" + WEIGHTS_SHA256[:8]
    dimensions = 256
    cheap = True

    def __init__(self, *, weights: Path | None = None, tokenizer: Path | None = None) -> None:
        self._weights = weights
        self._tokenizer = tokenizer
        self._lock = Lock()
        self._words: _Words | None = None

    def embed(self, texts: Sequence[str], role: Literal["query", "passage"]) -> list[Embedding]:
        """One embedding a text, in order, the same for both roles; length does not matter."""
        if not texts:
            return []
        words = self._loaded()
        sums = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            # Text by text: encode_batch starts threads, which a fork then inherits half.
            ids = words.tokenizer.encode(well_formed(text), add_special_tokens=False).ids
            sums[row] = words.vectors[ids].sum(axis=0, dtype=np.float32)
        return [Embedding(vector) for vector in units(sums)]

    def _loaded(self) -> _Words:
        if self._words is None:
            with self._lock:
                if self._words is None:
                    self._words = self._load()
        return self._words

    def _load(self) -> _Words:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise InferenceUnavailable(f"the package 'tokenizers' cannot be loaded: {INSTALL}") from error
        weights = self._weights or in_package(PACKAGE, "weights/l2_supercat_256.safetensors", remedy=INSTALL)
        tokenizer = self._tokenizer or in_package(
            PACKAGE, "tokenizers/l2_supercat_tokenizer_config.json", remedy=INSTALL
        )
        cut = Tokenizer.from_buffer(checked(tokenizer, TOKENIZER_SHA256, remedy=_REINSTALL))
        cut.no_padding()
        cut.no_truncation()
        cut.encode_special_tokens = True
        return _Words(cut, _matrix(checked(weights, WEIGHTS_SHA256, remedy=_REINSTALL)))


def _matrix(data: bytes) -> NDArray[np.float16]:
    """The only tensor of a safetensors file: length of the header, header as JSON, then the numbers."""
    start = 8 + int.from_bytes(data[:8], "little")
    tensor = json.loads(data[8:start])["embedding.weight"]
    first, last = tensor["data_offsets"]
    return np.frombuffer(data[start + first : start + last], "<f2").reshape(tensor["shape"])
