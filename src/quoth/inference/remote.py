"""Embedders that ask a server of the user's choice: Ollama, or anything that speaks OpenAI's protocol.

Over httpx2 and not urllib: it keeps the connection between batches, follows no redirect (a key would
go along), and comes with mcp anyway. It is imported at the first call.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit
from weakref import finalize

import numpy as np

from quoth.core.errors import InferenceUnavailable, SettingsError
from quoth.core.types import Embedding
from quoth.inference.text import well_formed

if TYPE_CHECKING:
    import httpx2
    from numpy.typing import NDArray

Role = Literal["query", "passage"]

OLLAMA_PORT = 11434
_BATCH = 32
_CONNECT_SECONDS = 5.0
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_TOO_LONG = ("context length", "context size", "context window", "too long", "too large", "maximum context")


class Ollama:
    """An Ollama server's model over ``/api/embed``; `dimensions` is 0 until the first answer.

    Texts are never cut (``truncate: false``); nomic's models get the prefixes that they were trained with.
    """

    cheap = False

    def __init__(self, model: str, url: str = "", *, timeout: float = 60.0) -> None:
        if not model:
            raise SettingsError("an Ollama embedder needs a model: 'ollama:nomic-embed-text'")
        self._model = model
        self._prefixes = _prefixes(model)
        self._line = _Line("Ollama", ollama_url(url) + "/api/embed", {}, timeout)
        self.name = _name("ollama", model)
        self.dimensions = 0

    def embed(self, texts: Sequence[str], role: Role) -> list[Embedding]:
        """One embedding a text, in order; `InferenceUnavailable` says what the server lacks."""
        made: list[Embedding] = []
        for batch in _batches(texts, self._prefixes[role]):
            payload = {"model": self._model, "input": batch, "truncate": False}
            answer = self._line.ask(payload, batch, hint=f"`ollama pull {self._model}`")
            vectors = answer.get("embeddings")
            found = vectors if isinstance(vectors, list) else []
            rows = _rows(self._line, found, len(batch), self.dimensions)
            self.dimensions = rows.shape[1]
            made += [Embedding(row) for row in rows]
        return made


class OpenAI:
    """A model over ``/v1/embeddings``, OpenAI's or a compatible server's; `dimensions` as with `Ollama`."""

    cheap = False

    def __init__(self, model: str, url: str, key: str = "", *, timeout: float = 60.0) -> None:
        if not model:
            raise SettingsError("an OpenAI embedder needs a model: 'openai:MODEL@URL'")
        if not key.isascii() or not key.isprintable():
            raise SettingsError("the key for the OpenAI embedder has characters that no header can carry")
        self._model = model
        self._prefixes = _prefixes(model)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._line = _Line("the embedding server", openai_url(url), headers, timeout)
        self.name = _name("openai", model)
        self.dimensions = 0

    def embed(self, texts: Sequence[str], role: Role) -> list[Embedding]:
        """One embedding a text, in order; `InferenceUnavailable` says what the server lacks."""
        made: list[Embedding] = []
        for batch in _batches(texts, self._prefixes[role]):
            payload = {"model": self._model, "input": batch, "encoding_format": "float"}
            answer = self._line.ask(payload, batch, hint="the name of the model and the URL")
            rows = _rows(self._line, _in_order(self._line, answer), len(batch), self.dimensions)
            self.dimensions = rows.shape[1]
            made += [Embedding(row) for row in rows]
        return made


def ollama_url(host: str) -> str:
    """What ``OLLAMA_HOST`` means to a client: it may lack a scheme or a port, or be a listening address."""
    text = host.strip().strip("\"'").strip()
    bare = "://" not in text
    if bare:
        text = f"http://{'127.0.0.1' if not text or text.startswith(':') else ''}{text}"
    parts = _split(text)
    if parts is None:
        raise SettingsError(
            f"{_shown(host)!r} is not the address of an Ollama server: say 'http://HOST:PORT'"
        )
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(parts.host, parts.host)
    port = parts.port or (OLLAMA_PORT if bare else None)
    bracketed = f"[{name}]" if ":" in name else name
    return f"{parts.scheme}://{bracketed}{f':{port}' if port else ''}{parts.path.rstrip('/')}"


def openai_url(url: str) -> str:
    """The address of ``embeddings`` below a base URL; a bare host means ``/v1``."""
    text = url.strip().rstrip("/")
    if _split(text) is None:
        raise SettingsError(
            f"{_shown(url)!r} is not the address of an OpenAI-compatible server: say 'https://HOST/v1'"
        )
    if text.endswith("/embeddings"):
        return text
    return text + ("/embeddings" if urlsplit(text).path else "/v1/embeddings")


def _shown(url: str) -> str:
    """An address for an error message: without a name and password, which it may not have."""
    return url.rpartition("@")[2]


@dataclass(frozen=True, slots=True)
class _Parts:
    scheme: str
    host: str
    port: int | None
    path: str


def _split(url: str) -> _Parts | None:
    """The parts of an http(s) address; None if it is none, or carries a password, query or fragment."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or any(c.isspace() for c in url):
        return None
    if "@" in parts.netloc or parts.query or parts.fragment:
        return None
    return _Parts(parts.scheme, parts.hostname, port, parts.path)


def _prefixes(model: str) -> Mapping[Role, str]:
    """What a model was trained to read before each text; no server adds it."""
    if "nomic-embed" in model:
        return {"passage": "search_document: ", "query": "search_query: "}
    return {"passage": "", "query": ""}


def _name(kind: str, model: str) -> str:
    return f"{kind}:{model}" + ("+search-prefixes" if _prefixes(model)["query"] else "")


def _batches(texts: Sequence[str], prefix: str) -> list[list[str]]:
    # Servers answer an empty text with an error or with no vector at all: a full stop stands for it.
    whole = [prefix + (well_formed(text) if text.strip() else ".") for text in texts]
    return [whole[start : start + _BATCH] for start in range(0, len(whole), _BATCH)]


class _Line:
    """One address that is asked; the connection is made at the first question and kept."""

    def __init__(self, who: str, url: str, headers: Mapping[str, str], timeout: float) -> None:
        self.who = who
        self.url = url
        self._headers = headers
        self._timeout = timeout
        self._lock = Lock()
        self._client: httpx2.Client | None = None

    def ask(self, payload: Mapping[str, object], texts: Sequence[str], *, hint: str) -> dict[str, object]:
        """The answer, a JSON object; every way to fail is `InferenceUnavailable`."""
        try:
            import httpx2
        except ImportError as error:
            raise InferenceUnavailable("httpx2 is not installed: `pip install httpx2`") from error
        try:
            response = self._connected().post(self.url, json=payload)
        except httpx2.TimeoutException as error:
            raise InferenceUnavailable(
                f"{self.who} at {self.url!r} gave no answer within {self._timeout:g} s"
            ) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise InferenceUnavailable(
                f"{self.who} at {self.url!r} cannot be reached ({type(error).__name__}): is it running?"
            ) from error
        if response.status_code != 200:
            raise InferenceUnavailable(_complaint(self, response, texts, hint))
        try:
            answer = response.json()
        except ValueError as error:
            raise InferenceUnavailable(f"{self.who} at {self.url!r} does not answer in JSON") from error
        if not isinstance(answer, dict):
            raise InferenceUnavailable(f"{self.who} at {self.url!r} does not answer with a JSON object")
        return answer

    def _connected(self) -> httpx2.Client:
        import httpx2

        with self._lock:
            if self._client is None:
                self._client = httpx2.Client(
                    headers=dict(self._headers),
                    timeout=httpx2.Timeout(self._timeout, connect=min(_CONNECT_SECONDS, self._timeout)),
                    follow_redirects=False,
                    # A proxy from the environment must not carry words that stay on this machine.
                    trust_env=urlsplit(self.url).hostname not in _LOOPBACK,
                )
                # The port has no `close`: the connection goes with the embedder.
                finalize(self, self._client.close)
            return self._client


def _complaint(line: _Line, response: httpx2.Response, texts: Sequence[str], hint: str) -> str:
    status = response.status_code
    where = f"{line.who} at {line.url!r}"
    said = _said(response)
    if any(each in said.lower() for each in _TOO_LONG) or status == 413:
        longest = max(map(len, texts))
        return (
            f"{where} refuses a text as too long (HTTP {status}; the longest of {len(texts)} has {longest}"
            " characters) and Quoth cuts none: choose a model with a longer context, raise the server's"
            " (num_ctx in Ollama), or make passages shorter"
        )
    if status in (401, 403):
        return f"{where} refuses the key (HTTP {status}): set OPENAI_API_KEY"
    if status == 404:
        return f"{where} does not know that model or path (HTTP 404): check {hint}"
    if status == 429:
        wait = response.headers.get("retry-after", "unsaid")
        return f"{where} wants fewer questions (HTTP 429, Retry-After {wait!r})"
    told = f": {said!r}" if said and not _quotes(said, texts) else ""
    return f"{where} failed (HTTP {status}){told}"


def _said(response: httpx2.Response) -> str:
    """The server's own message, at most 200 characters."""
    try:
        answer = response.json()
    except ValueError:
        return ""
    error = answer.get("error") if isinstance(answer, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return message[:200] if isinstance(message, str) else ""


def _quotes(message: str, texts: Sequence[str]) -> bool:
    """Whether a message repeats words of a passage: errors never hold any."""
    runs = {message[start : start + 12] for start in range(max(len(message) - 11, 1))}
    return any(text in message or any(run in text for run in runs) for text in texts)


def _in_order(line: _Line, answer: Mapping[str, object]) -> list[object]:
    """The vectors of an OpenAI answer by their index; a server may send them in any order."""
    data = answer.get("data")
    rows = [each for each in data if isinstance(each, dict)] if isinstance(data, list) else []
    if all("index" not in row for row in rows):
        return [row.get("embedding") for row in rows]
    numbered = {row.get("index"): row.get("embedding") for row in rows}
    if numbered.keys() != set(range(len(rows))):
        raise InferenceUnavailable(f"{line.who} at {line.url!r} numbers its vectors wrongly")
    return [numbered[place] for place in range(len(rows))]


def _rows(line: _Line, found: Sequence[object], count: int, dimensions: int) -> NDArray[np.float32]:
    """Unit rows, once there is one for each text, all of the dimensions of the first answer."""
    where = f"{line.who} at {line.url!r}"
    if len(found) != count:
        raise InferenceUnavailable(f"{where} returned {len(found)} vectors for {count} texts")
    rows = [_row(each) for each in found]
    widths = {len(row) for row in rows} | ({dimensions} if dimensions else set())
    if len(widths) != 1 or 0 in widths:
        raise InferenceUnavailable(f"{where} returned vectors of {sorted(widths)} dimensions for one model")
    stacked = np.stack(rows)
    norms = np.linalg.norm(stacked, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or not norms.all():
        raise InferenceUnavailable(f"{where} returned a vector that has no direction")
    made: NDArray[np.float32] = (stacked / norms).astype(np.float32)
    return made


def _row(found: object) -> NDArray[np.float64]:
    """One vector, from a list of numbers or from the base64 of little-endian float32; empty if neither."""
    try:
        if isinstance(found, str):
            return np.frombuffer(base64.b64decode(found, validate=True), "<f4").astype(np.float64)
        row = np.array(found, np.float64)
    except (ValueError, TypeError, binascii.Error):
        return np.zeros(0)
    return row if row.ndim == 1 else np.zeros(0)
