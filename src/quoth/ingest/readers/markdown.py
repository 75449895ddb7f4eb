"""Markdown: one file, one document; front matter stays in the text and is read for date and metadata."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import MAXYEAR, MINYEAR, date, datetime, time
from pathlib import Path

from quoth.core import rules
from quoth.core.errors import InvalidInput
from quoth.core.types import Document
from quoth.ingest.markdown import front_matter
from quoth.ingest.readers.files import Problem, read_text

SHOWN = 500
"""Characters of a value, and values of a list, that are kept as metadata; the text keeps all."""
YAML_CHARS = 8_000
"""Front matter up to this long is read for metadata."""
_BRACKETS = 100
_DATES = ("date", "created")
"""Keys of front matter that say when a note was written; the first with a date counts."""


def read(path: Path) -> Iterator[Document | Problem]:
    """The file as a document; its uri is the path as given."""
    yield document(read_text(path), path.as_posix())


def document(text: str, uri: str) -> Document:
    """A document of Markdown. Front matter that makes no sense is text like any other."""
    head = front_matter(text)
    values = _values(text[head.start : head.end]) if head else {}
    said = next((moment for moment in (_moment(values.get(key)) for key in _DATES) if moment), None)
    metadata = {key: shown for key, value in values.items() if not _ours(key) and (shown := _shown(value))}
    return Document(text, uri, kind="markdown", said_at=said, metadata=metadata)


def _values(head: str) -> dict[str, object]:
    """What a YAML head says; nothing when it does not parse, whatever is wrong with it."""
    lines = head.lstrip("\ufeff").splitlines()
    if lines[0].startswith("+++") or len(head) > YAML_CHARS or head.count("[") + head.count("{") > _BRACKETS:
        return {}  # TOML; or longer or deeper than anybody writes, which takes the parser minutes
    # Only a file with front matter pays for the import.
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        value = YAML(typ="safe", pure=True).load("\n".join(lines[1:-1]))
    except (YAMLError, ValueError, ArithmeticError, TypeError, LookupError, AttributeError, RecursionError):
        return {}
    return {str(key): each for key, each in value.items()} if isinstance(value, dict) else {}


def _ours(key: str) -> bool:
    """True for a key that begins like those that the program itself keeps beside a document."""
    return "" < key[:1] < " "


def _moment(value: object) -> datetime | None:
    """An ISO date or time; where it has no offset, the caller says which zone is meant."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, datetime):
        try:
            value = rules.zoned(value) if value.tzinfo else value
        except InvalidInput:
            return None
    elif isinstance(value, date):
        value = datetime.combine(value, time())
    # In the first year and the last one a zone may lead out of the calendar.
    return value if isinstance(value, datetime) and MINYEAR < value.year < MAXYEAR else None


def _shown(value: object) -> str:
    """A plain value, or a list of them, as text; what is nested is left to the text itself."""
    if isinstance(value, list):
        plain = [each for each in value[:SHOWN] if not isinstance(each, list | dict)]
        return ", ".join(shown for each in plain if (shown := _shown(each)))
    shown = "" if value is None or isinstance(value, dict) else str(value)
    return shown if len(shown) <= SHOWN else ""
