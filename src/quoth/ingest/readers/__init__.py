"""One file a format: bytes on disk become documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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

    An unknown format, and a file that cannot be read at all, is `InvalidInput`.
    """
    if format not in FORMATS:
        raise InvalidInput(f"unknown format {format!r}; there are {', '.join(FORMATS)}")
    return FORMATS[format](path)
