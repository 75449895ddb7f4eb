"""The remote embedders against a real server on 127.0.0.1 that speaks both protocols."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from quoth.core.errors import InferenceUnavailable, SettingsError
from quoth.inference.remote import Ollama, OpenAI, ollama_url, openai_url

pytestmark = pytest.mark.loopback

WIDTH = 16


def vector(text: str) -> list[float]:
    """What the server makes of a text: not of length one, so that the client must make it so."""
    rng = np.random.default_rng(list(text.encode("utf-8", "surrogatepass")))
    return [float(each) * 3 for each in rng.standard_normal(WIDTH)]


class FakeServer:
    """Ollama's and OpenAI's embedding protocols, with faults on demand."""

    def __init__(self) -> None:
        self.fault = ""
        self.seen: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.url = ""

    def answer(self, path: str, asked: dict[str, Any]) -> tuple[int, bytes]:
        """Status and body."""
        texts: list[str] = asked["input"]
        made = [vector(text) for text in texts]
        if self.fault == "500":
            return 500, json.dumps({"error": "llama runner has terminated"}).encode()
        if self.fault == "echo":
            return 500, json.dumps({"error": f"cannot embed {texts[0]}"}).encode()
        if self.fault == "long":
            return 400, json.dumps({"error": "the input length exceeds the context length"}).encode()
        if self.fault == "slow":
            time.sleep(0.5)
        if self.fault == "html":
            return 200, b"<html>Welcome</html>"
        if self.fault == "list":
            return 200, b"[]"
        if self.fault == "empty":
            return 200, b"{}"
        if self.fault.isdigit():
            return int(self.fault), b""
        if asked["model"] == "unknown":
            return 404, json.dumps({"error": 'model "unknown" not found, try pulling it first'}).encode()
        if self.fault == "few":
            made.pop()
        if self.fault == "ragged":
            made[0] = made[0][:-1]
        if self.fault == "zero":
            made[0] = [0.0] * WIDTH
        if self.fault == "words":
            return 200, json.dumps({"embeddings": ["no"] * len(made)}).encode()
        if path == "/api/embed":
            return 200, json.dumps({"model": asked["model"], "embeddings": made}).encode()
        rows: list[dict[str, Any]] = [{"index": n, "embedding": row} for n, row in enumerate(made)]
        if self.fault == "base64":
            for row in rows:
                row["embedding"] = base64.b64encode(np.array(row["embedding"], "<f4").tobytes()).decode()
        if self.fault == "twice":
            rows[0]["index"] = 1
        if self.fault == "unnumbered":
            rows = [{"embedding": row} for row in made]
        else:
            rows.reverse()
        return 200, json.dumps({"data": rows}).encode()


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """A server in a thread; closed with the test."""
    fake = FakeServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            fake.seen.append(asked)
            fake.keys.append(self.headers.get("Authorization"))
            status, body = fake.answer(self.path, asked)
            if self.path not in ("/api/embed", "/v1/embeddings"):
                status, body = 404, b"page not found"
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            if status == 429:
                self.send_header("Retry-After", "7")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except BrokenPipeError:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    fake.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield fake
    http.shutdown()
    http.server_close()
    thread.join()


def near(text: str) -> list[float]:
    """The unit vector of what the server says of a text."""
    row = np.array(vector(text))
    return [float(each) for each in row / np.linalg.norm(row)]


# --- Ollama --------------------------------------------------------------------------------------


def test_ollama_is_asked_with_prefixes_and_without_truncation(server: FakeServer) -> None:
    """nomic's models get their prefixes; truncation is off; vectors come back as units, in order."""
    asked = Ollama("nomic-embed-text", server.url)
    assert (
        asked.name,
        asked.dimensions,
        asked.cheap,
    ) == ("ollama:nomic-embed-text+search-prefixes", 0, False)
    passages = asked.embed(["one", "two"], "passage")
    question = asked.embed(["three"], "query")[0]
    assert near("search_document: two") == pytest.approx(passages[1].vector.tolist(), abs=1e-6)
    assert near("search_query: three") == pytest.approx(question.vector.tolist(), abs=1e-6)
    assert server.seen[1] == {
        "model": "nomic-embed-text",
        "input": ["search_query: three"],
        "truncate": False,
    }
    assert asked.dimensions == WIDTH
    assert question.tokens is None


def test_other_models_have_no_prefixes(server: FakeServer) -> None:
    """A model without a known prefix rule gets the words as they are, and its name says so."""
    asked = Ollama("bge-m3", server.url)
    asked.embed(["one"], "query")
    assert asked.name == "ollama:bge-m3"
    assert server.seen[0]["input"] == ["one"]


def test_many_texts_go_in_batches(server: FakeServer) -> None:
    """Many texts go in several requests and come back in order; none, none."""
    texts = [f"text {n}" for n in range(70)]
    asked = Ollama("m", server.url)
    assert asked.embed([], "passage") == []
    made = asked.embed(texts, "passage")
    assert [len(each["input"]) for each in server.seen] == [32, 32, 6]
    assert near("text 69") == pytest.approx(made[69].vector.tolist(), abs=1e-6)


def test_empty_and_broken_texts_are_sent_as_something(server: FakeServer) -> None:
    """An empty text goes as a full stop, a lone surrogate as U+FFFD: servers take neither."""
    made = Ollama("m", server.url).embed(["", " \n", "a\ud800"], "passage")
    assert server.seen[0]["input"] == [".", ".", "a\ufffd"]
    assert len(made) == 3


@pytest.mark.parametrize("kind", ["ollama", "openai"])
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("few", "returned 1 vectors for 2 texts"),
        ("empty", "returned 0 vectors for 2 texts"),
        ("ragged", "dimensions"),
        ("zero", "no direction"),
        ("500", "HTTP 500.*: 'llama runner has terminated'"),
        ("long", "too long.*longest of 2 has 9 characters.*longer context"),
        ("413", "too long"),
        ("html", "does not answer in JSON"),
        ("list", "JSON object"),
        ("302", "HTTP 302"),
        ("401", "OPENAI_API_KEY"),
        ("429", "Retry-After '7'"),
        ("503", "HTTP 503"),
    ],
)
def test_every_fault_is_inference_unavailable(server: FakeServer, kind: str, fault: str, said: str) -> None:
    """Whatever a server does wrong is InferenceUnavailable and says what; no vector is made up."""
    server.fault = fault
    asked = Ollama("m", server.url) if kind == "ollama" else OpenAI("m", server.url)
    with pytest.raises(InferenceUnavailable, match=said):
        asked.embed(["text one.", "text"], "passage")


def test_vectors_that_are_words_are_refused(server: FakeServer) -> None:
    """A vector that is no row of numbers is refused."""
    server.fault = "words"
    with pytest.raises(InferenceUnavailable, match="dimensions"):
        Ollama("m", server.url).embed(["one"], "passage")


def test_other_dimensions_than_before_are_refused(server: FakeServer) -> None:
    """A server that changes its dimensions between calls is refused."""
    asked = Ollama("m", server.url)
    asked.embed(["one"], "passage")
    server.fault = "ragged"
    with pytest.raises(InferenceUnavailable, match=r"\[15, 16\] dimensions"):
        asked.embed(["one"], "passage")


def test_an_unknown_model_says_how_to_get_it(server: FakeServer) -> None:
    """Ollama's 404 tells to pull the model."""
    with pytest.raises(InferenceUnavailable, match="ollama pull unknown"):
        Ollama("unknown", server.url).embed(["one"], "passage")


def test_a_slow_server_is_given_up(server: FakeServer) -> None:
    """A server that does not answer in time is InferenceUnavailable, and the time is named."""
    server.fault = "slow"
    with pytest.raises(InferenceUnavailable, match=r"within 0\.1 s"):
        Ollama("m", server.url, timeout=0.1).embed(["one"], "passage")


def test_a_server_that_is_not_there_is_named(server: FakeServer) -> None:
    """A refused connection names the address."""
    with pytest.raises(InferenceUnavailable, match=r"127\.0\.0\.1:1/api/embed.*is it running"):
        Ollama("m", "http://127.0.0.1:1").embed(["one"], "passage")


def test_a_server_that_repeats_words_is_not_quoted(server: FakeServer) -> None:
    """Errors hold no passage text, even where the server's message does."""
    server.fault = "echo"
    with pytest.raises(InferenceUnavailable) as caught:
        Ollama("m", server.url).embed(["the safe's number is 4711"], "passage")
    assert "4711" not in str(caught.value)
    assert "HTTP 500" in str(caught.value)


def test_a_proxy_of_the_environment_does_not_carry_local_words(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server on this machine is asked directly, whatever HTTP_PROXY says."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    assert len(Ollama("m", server.url).embed(["one"], "passage")) == 1


# --- OpenAI --------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["", "base64", "unnumbered"])
def test_openai_vectors_are_sorted_by_index(server: FakeServer, form: str) -> None:
    """Vectors in any order, as numbers or as base64, go to their texts; the key goes along."""
    server.fault = form
    asked = OpenAI("text-embedding-3-small", f"{server.url}/v1", "sk-1")
    made = asked.embed(["one", "two"], "passage")
    assert near("one") == pytest.approx(made[0].vector.tolist(), abs=1e-6)
    assert near("two") == pytest.approx(made[1].vector.tolist(), abs=1e-6)
    assert server.seen[0] == {
        "model": "text-embedding-3-small",
        "input": ["one", "two"],
        "encoding_format": "float",
    }
    assert server.keys == ["Bearer sk-1"]
    assert (asked.name, asked.dimensions) == ("openai:text-embedding-3-small", WIDTH)


def test_openai_without_a_key_sends_none(server: FakeServer) -> None:
    """Local servers need no key, and none is sent."""
    OpenAI("m", server.url).embed(["one"], "query")
    assert server.keys == [None]


def test_wrong_numbering_is_refused(server: FakeServer) -> None:
    """Two vectors with one index are refused."""
    server.fault = "twice"
    with pytest.raises(InferenceUnavailable, match="numbers its vectors wrongly"):
        OpenAI("m", server.url).embed(["one", "two"], "passage")


def test_a_wrong_path_is_named(server: FakeServer) -> None:
    """A base URL without the protocol's path is named."""
    with pytest.raises(InferenceUnavailable, match="/wrong/embeddings' does not know"):
        OpenAI("m", f"{server.url}/wrong").embed(["one"], "passage")


def test_a_key_that_no_header_can_carry_is_a_settings_error() -> None:
    """A key with a line break or other letters is refused before anything is sent, and not repeated."""
    with pytest.raises(SettingsError) as caught:
        OpenAI("m", "http://h", "sk-geheim\n")
    assert "geheim" not in str(caught.value)


# --- addresses -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0:11434", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        (":8080", "http://127.0.0.1:8080"),
        ("box", "http://box:11434"),
        ("box:1/", "http://box:1"),
        ("http://box", "http://box"),
        ("https://box/ollama/", "https://box/ollama"),
        ("[::]:11434", "http://[::1]:11434"),
        (' "localhost:5" ', "http://localhost:5"),
    ],
)
def test_ollama_host_is_understood_as_ollama_does(said: str, meant: str) -> None:
    """OLLAMA_HOST may lack a scheme or port, or be the address that a server listens on."""
    assert meant == ollama_url(said)


@pytest.mark.parametrize(
    "said", ["ftp://box", "box:port", "http://", "http://a b", "http://h?x=1", "http://u:p@h"]
)
def test_what_is_no_address_is_a_settings_error(said: str) -> None:
    """What is no address is a SettingsError."""
    with pytest.raises(SettingsError, match="is not the address"):
        ollama_url(said)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("http://box:8000", "http://box:8000/v1/embeddings"),
        ("http://box:8000/", "http://box:8000/v1/embeddings"),
        ("https://api.openai.com/v1", "https://api.openai.com/v1/embeddings"),
        ("https://h/v1beta/openai/", "https://h/v1beta/openai/embeddings"),
        ("https://h/v1/embeddings", "https://h/v1/embeddings"),
    ],
)
def test_a_base_url_leads_to_embeddings(said: str, meant: str) -> None:
    """The base URL may be a host, a versioned base or the whole address."""
    assert meant == openai_url(said)
