"""Which embedder a setting means."""

from __future__ import annotations

import os
from difflib import get_close_matches
from importlib.util import find_spec
from typing import TYPE_CHECKING

from quoth.core.errors import SettingsError
from quoth.inference.hashed import HashEmbedder
from quoth.inference.minilm import MiniLM
from quoth.inference.remote import Ollama, OpenAI
from quoth.inference.static import INSTALL, PACKAGE, Static

if TYPE_CHECKING:
    from quoth.core.ports import Embedder

__all__ = ["HashEmbedder", "MiniLM", "Ollama", "OpenAI", "Static", "embedder"]

_KINDS = ("minilm", "static", "hash", "ollama", "openai")


def embedder(spec: str, *, one_shot: bool = False) -> Embedder:
    """The embedder that `spec` names; nothing is loaded and nobody is asked before its first `embed`.

    ``minilm``, ``static``, ``hash`` (for tests), ``ollama:MODEL`` (at ``OLLAMA_HOST``), ``ollama:MODEL@URL``
    or ``openai:MODEL@URL`` (with ``OPENAI_API_KEY``); else, and for an extra that is not installed,
    `SettingsError`.
    """
    kind, colon, rest = spec.partition(":")
    model, at, tail = rest.partition("@http")
    url = f"http{tail}" if at else ""
    if kind == "minilm" and not colon:
        return MiniLM(one_shot=one_shot)
    if kind == "static" and not colon:
        if find_spec(PACKAGE) is None:
            raise SettingsError(f"the embedder 'static' needs the package {PACKAGE!r}: {INSTALL}")
        return Static()
    if kind == "hash" and not colon:
        return HashEmbedder()
    if kind == "ollama":
        return Ollama(model, url or os.environ.get("OLLAMA_HOST", ""))
    if kind == "openai":
        if not url:
            raise SettingsError(f"{spec!r} does not say where to send words: 'openai:MODEL@URL'")
        return OpenAI(model, url, os.environ.get("OPENAI_API_KEY", "").strip())
    near = get_close_matches(kind.strip().lower(), _KINDS, n=1)
    forms = "minilm, static, none, hash, ollama:MODEL[@URL] or openai:MODEL@URL"
    raise SettingsError(
        f"no embedder is called {spec!r}{f': did you mean {near[0]!r}?' if near else ''} ({forms})"
    )
