"""One file a format: bytes on disk become documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import TypeAlias

from quoth.core.errors import InvalidInput
from quoth.core.types import Document
from quoth.ingest.readers import claude_code, codex, markdown, text
from quoth.ingest.readers.files import Problem

Reader: TypeAlias = Callable[[Path], Iterator[Document | Problem]]

FORMATS: dict[str, Reader] = {
    "claude-code": claude_code.read,
    "codex": codex.read,
    "markdown": markdown.read,
    "text": text.read,
}
"""Each format by the name that `import` takes."""

__all__ = ["FORMATS", "Problem", "Reader", "read"]


def read(format: str, path: Path) -> Iterator[Document | Problem]:
    """Documents of a file (or, for transcripts, of a folder), and what was read past.

    A format may be written in any case. An unknown one, and a file that cannot be read at all, is
    `InvalidInput`.
    """
    name = format.lower()
    if name not in FORMATS:
        near = get_close_matches(name, FORMATS, n=1)
        hint = f"did you mean {near[0]!r}? There" if near else "there"
        raise InvalidInput(f"unknown format {format!r}; {hint} are {', '.join(FORMATS)}")
    return FORMATS[name](path)
