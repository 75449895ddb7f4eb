"""What a caller hands over, as documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quoth.core.errors import InvalidInput
from quoth.core.types import Document


def documents(given: Document | str | Iterable[Document | str]) -> Iterator[Document]:
    """The documents in what was given; a `str` is a note. Raises `InvalidInput` for anything else."""
    if isinstance(given, Document | str):
        given = (given,)
    if not isinstance(given, Iterable) or isinstance(given, bytes | bytearray | dict):
        raise InvalidInput(f"what is remembered is text or a Document, not {type(given).__name__}")
    for each in given:
        if isinstance(each, str):
            yield Document(each)
        elif isinstance(each, Document):
            yield each
        else:
            raise InvalidInput(f"what is remembered is text or a Document, not {type(each).__name__}")
