"""What every embedder promises, whatever makes its vectors; a new one is one line in `EMBEDDERS`.

A test that fails says in its docstring what to look at.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quoth.core.ports import Embedder
from quoth.inference.embedders import HashEmbedder, MiniLM, Static
from quoth.inference.remote import Role

EMBEDDERS: dict[str, Callable[[], Embedder]] = {"hash": HashEmbedder, "minilm": MiniLM, "static": Static}
NEEDS = {"static": "wordllama"}
ROLES: tuple[Role, ...] = get_args(Role)
TEXTS = (
    "We opened the greenhouse today and the lemons smelled lovely.",
    "the of and",
    "Ich hätte gern ein Bier, bitte! Приветствую тебя, мир. 天気がいいですね 🙂",
    "?!",
    "kubectl rollout restart deploy/api --namespace tier1-test",
)

_made: dict[str, Embedder] = {}


@pytest.fixture(params=EMBEDDERS)
def subject(request: pytest.FixtureRequest) -> Embedder:
    """Each embedder, loaded once."""
    kind: str = request.param
    if kind in NEEDS and importlib.util.find_spec(NEEDS[kind]) is None:
        pytest.skip(f"the extra {kind!r} is not installed")
    return _made.setdefault(kind, EMBEDDERS[kind]())


@pytest.mark.parametrize("role", ROLES)
def test_there_is_one_unit_vector_for_each_text(subject: Embedder, role: Role) -> None:
    """There is one unit vector, float32, for each text, in order: check the reordering after batches."""
    together = subject.embed(TEXTS, role)
    assert len(TEXTS) == len(together)
    for text, made in zip(TEXTS, together, strict=True):
        assert (subject.dimensions,) == made.vector.shape
        assert np.float32 == made.vector.dtype
        assert pytest.approx(float(np.linalg.norm(made.vector)), abs=1e-5) == 1
        alone = subject.embed([text], role)[0]
        assert pytest.approx(float(alone.vector @ made.vector), abs=1e-5) == 1


@pytest.mark.parametrize("role", ROLES)
def test_the_same_text_gives_the_same_embedding(subject: Embedder, role: Role) -> None:
    """The same call gives the same bytes: check seeds, threads and sets that are iterated."""
    for first, second in zip(subject.embed(TEXTS, role), subject.embed(TEXTS, role), strict=True):
        assert first.vector.tobytes() == second.vector.tobytes()
        assert (first.tokens is None) == (second.tokens is None)
        if first.tokens is not None and second.tokens is not None:
            assert first.tokens.tobytes() == second.tokens.tobytes()


def test_no_texts_give_no_embeddings(subject: Embedder) -> None:
    """No texts give no embeddings."""
    assert subject.embed([], "passage") == []


def test_token_vectors_have_the_shape_of_their_role(subject: Embedder) -> None:
    """Query tokens are unit rows, passage tokens at most 32 rows of bits, or both are None."""
    query = subject.embed(["When was the support group?"], "query")[0]
    passage = subject.embed(["A support group. " * 40], "passage")[0]
    if query.tokens is None:
        assert passage.tokens is None
        assert query.pieces is None
        assert passage.pieces is None
        return
    assert query.pieces is not None
    assert passage.tokens is not None
    assert passage.pieces is not None
    assert np.float32 == query.tokens.dtype
    assert (len(query.pieces), subject.dimensions) == query.tokens.shape
    assert np.allclose(1, np.linalg.norm(query.tokens, axis=1), atol=1e-5)
    assert np.uint8 == passage.tokens.dtype
    assert (len(passage.pieces), subject.dimensions // 8) == passage.tokens.shape
    assert 0 < len(passage.pieces) <= 32
    assert np.uint16 == query.pieces.dtype == passage.pieces.dtype
    assert passage.pieces.all(), "0 is no wordpiece of a passage"


def test_stop_words_of_a_query_have_the_piece_0(subject: Embedder) -> None:
    """A query's stop words have the piece 0, its other words the piece that passages have."""
    query = subject.embed(["the group"], "query")[0]
    passage = subject.embed(["the group"], "passage")[0]
    if query.pieces is None or passage.pieces is None:
        assert query.pieces is passage.pieces is None
        return
    assert [0, *passage.pieces.tolist()] == query.pieces.tolist()


def test_an_empty_text_has_a_vector(subject: Embedder) -> None:
    """An empty or blank text has a unit vector, so that nothing divides by zero, and no token."""
    for role in ROLES:
        for made in subject.embed(["", " \n\t"], role):
            assert pytest.approx(float(np.linalg.norm(made.vector)), abs=1e-5) == 1
            assert made.tokens is None or len(made.tokens) == 0


def test_nothing_of_a_long_text_is_cut(subject: Embedder) -> None:
    """The end of 60 kB on one line is in the vector: check truncation of the tokenizer and the window."""
    filler = ("understanding international communication requirements " * 1200)[:60_000]
    fact = "My passport number is in the violin case. " * 40
    plain, told = subject.embed([filler, filler + fact], "passage")
    near = subject.embed(["passport in the violin case"], "query")[0].vector
    assert float(near @ told.vector) > float(near @ plain.vector) + 0.005


def test_a_long_word_is_not_lost(subject: Embedder) -> None:
    """Long runs without a space differ by their end."""
    one, other = subject.embed(["x" * 500 + "violin", "x" * 500 + "passport"], "passage")
    assert one.vector.tobytes() != other.vector.tobytes()


@settings(max_examples=40)
@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_any_code_points_have_a_vector(text: str) -> None:
    """NUL, lone surrogates, private use, combining marks: any text has a unit vector in both roles."""
    for kind, make in EMBEDDERS.items():
        if kind in NEEDS and importlib.util.find_spec(NEEDS[kind]) is None:
            continue
        subject = _made.setdefault(kind, make())
        for role in ROLES:
            made = subject.embed([text], role)[0]
            assert pytest.approx(float(np.linalg.norm(made.vector)), abs=1e-5) == 1


def test_lone_surrogates_are_taken(subject: Embedder) -> None:
    """Lone surrogates, NUL and the tokenizer's own special tokens are text like any other."""
    for text in ("a\ud800b", "\udfff", "a\x00b", "[CLS] [SEP] [PAD] </s>", "e\u0301\u0301", "\U0010ffff"):
        for role in ROLES:
            assert np.isfinite(subject.embed([text], role)[0].vector).all()
