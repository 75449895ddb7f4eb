"""Plain text: one file, one document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from quoth.core.types import Document
from quoth.ingest.readers.files import Problem, read_text


def read(path: Path) -> Iterator[Document | Problem]:
    """The file as a document; its uri is the path as given."""
    yield document(read_text(path), path.as_posix())


def document(text: str, uri: str) -> Document:
    """A document of plain text."""
    return Document(text, uri, kind="text")
