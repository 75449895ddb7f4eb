"""What a caller hands over, as documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from quoth.core.errors import InvalidInput
from quoth.core.times import Times, When
from quoth.core.types import Document, Period, Source

_FIELDS: Mapping[str, tuple[type, ...]] = {
    "text": (str,),
    "uri": (str,),
    "kind": (str,),
    "session_id": (str, type(None)),
    "speaker": (str, type(None)),
    "said_at": (datetime, type(None)),
    "metadata": (Mapping,),
    "source": (str,),
    "valid": (Period,),
}


def documents(
    given: Document | str | Iterable[Document | str],
    times: Times,
    said_at: When | None = None,
    valid: Period = Period(),  # noqa: B008 (frozen)
) -> Iterator[Document]:
    """The documents in what was given; a `str` is a note. Raises `InvalidInput` for anything else.

    The value of a `Source` may stand for it. `said_at` and `valid` go for documents that do not say them.
    """
    said = times.take("said_at", said_at)
    if isinstance(given, Document | str):
        given = (given,)
    if not isinstance(given, Iterable) or isinstance(given, bytes | bytearray | dict):
        raise InvalidInput(f"what is remembered is text or a Document, not {type(given).__name__}")
    for each in given:
        if isinstance(each, str):
            yield Document(each, said_at=said, valid=valid)
        elif isinstance(each, Document):
            document = placed(_checked(each), times)
            if said or valid != Period():
                own = document.valid != Period()
                document = replace(
                    document, said_at=document.said_at or said, valid=document.valid if own else valid
                )
            yield document
        else:
            raise InvalidInput(f"what is remembered is text or a Document, not {type(each).__name__}")


def placed(document: Document, times: Times) -> Document:
    """The document, each time of which has an offset."""
    given = document.valid
    if document.said_at is None and given == Period():
        return document
    said, period = times.take("said_at", document.said_at), times.period(given.start, given.end)
    if said is document.said_at and period == given:
        return document
    return replace(document, said_at=said, valid=period)


def _checked(document: Document) -> Document:
    """The document, every field of which has its type; messages name fields and types, never words."""
    for name, kinds in _FIELDS.items():
        value = getattr(document, name)
        if not isinstance(value, kinds):
            wanted = " or ".join("None" if kind is type(None) else kind.__name__ for kind in kinds)
            raise InvalidInput(f"a document's {name} is {wanted}, not {type(value).__name__}")
    for part in (*document.metadata, *document.metadata.values()):
        if not isinstance(part, str):
            raise InvalidInput(f"a document's metadata holds str only, not {type(part).__name__}")
    if isinstance(document.source, Source):
        return document
    try:
        return replace(document, source=Source(document.source))
    except ValueError:
        names = ", ".join(Source)
        raise InvalidInput(f"a document's source is one of {names}, not {document.source!r}") from None
