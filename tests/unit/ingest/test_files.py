"""Markdown and plain text files become documents."""

from __future__ import annotations

import codecs
from datetime import UTC, datetime
from pathlib import Path

import pytest

from quoth.core.errors import InvalidInput
from quoth.core.types import Document
from quoth.ingest.passages import records
from quoth.ingest.readers import read
from quoth.ingest.readers.markdown import document

BODY = "\nThe body.\n"
ODD_HEADS = [
    "---\ntitle: a: b\n---\n",
    "---\ntitle: None\n---\n",
    "---\ntitle: [open\n---\n",
    "---\n\ttab: x\n---\n",
    "---\n- a\n- b\n---\n",
    "---\njust words\n---\n",
    "---\na: 1\na: 2\n---\n",
    "---\ndate: 2024-13-45\n---\n",
    "---\ndate: 0001-01-01T00:00:00+23:00\n---\n",
    "---\nx: !!python/object:os.system ls\n---\n",
    "---\na: &x [*x]\n---\n",
    "---\n? {a: b}\n: c\n---\n",
    "---\n%YAML 9.9\n---\n",
    "---\n---\n",
    "---\na: {{ template }}\n---\n",
    "---\nx: 1e999999999\ny: 0o9\nz: .nan\n---\n",
    "---\n" + "[" * 2_000 + "\n---\n",
]


@pytest.mark.parametrize("head", ODD_HEADS)
def test_odd_front_matter_never_costs_the_body(head: str, tmp_path: Path) -> None:
    """Whatever the head says, the text is stored as it is and the file is untouched (field case 96)."""
    path = tmp_path / "note.md"
    path.write_bytes((head + BODY).encode())
    (found,) = read("markdown", path)
    assert isinstance(found, Document)
    assert found.text == head + BODY
    assert "The body." in [found.text[span.start : span.end] for span in records(found)]
    assert path.read_bytes() == (head + BODY).encode()


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("2024-05-06", datetime(2024, 5, 6)),  # noqa: DTZ001
        ("2024-05-06T07:08:09+02:00", datetime(2024, 5, 6, 5, 8, 9, tzinfo=UTC)),
        ("2024-05-06T07:08:09Z", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ('"2024-05-06 07:08"', datetime(2024, 5, 6, 7, 8)),  # noqa: DTZ001
        ("0001-01-01", None),
        ("9999-12-31", None),
        ("last week", None),
        ("17", None),
        ("true", None),
        ("", None),
    ],
)
def test_a_date_in_the_head_is_when_it_was_said(value: str, want: datetime | None) -> None:
    """An ISO date or time in `date` is used; its zone is for the caller to say; anything else is no date."""
    assert document(f"---\ndate: {value}\n---\nx", "u").said_at == want


def test_plain_values_of_the_head_are_metadata() -> None:
    """Scalars and lists of them are kept as metadata; nested and very long values only in the text."""
    head = "---\ntags: [a, b]\ntitle: T\nempty:\nmap: {a: b}\nlong: " + "x" * 501 + "\n---\n"
    assert document(head, "u").metadata == {"tags": "a, b", "title": "T"}


def test_a_text_file_is_read_as_it_is(tmp_path: Path) -> None:
    """Line ends and white space are kept; a byte order mark is not part of the text."""
    path = tmp_path / "a.txt"
    path.write_bytes(codecs.BOM_UTF8 + "a\r\n b\r кириллица\n".encode())
    assert list(read("text", path)) == [Document("a\r\n b\r кириллица\n", uri=path.as_posix(), kind="text")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_marked_encodings_are_read(encoding: str, tmp_path: Path) -> None:
    """UTF-16 and UTF-32 with a byte order mark are text."""
    path = tmp_path / "a.txt"
    path.write_bytes("héllo 🎉".encode(encoding))
    (found,) = read("text", path)
    assert isinstance(found, Document)
    assert found.text == "héllo 🎉"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"caf\xe9 au lait", r"a\.md' is not UTF-8 text \(byte 3\): invalid continuation byte"),
        (codecs.BOM_UTF8 + b"a\xff", r"a\.md' is not UTF-8 text \(byte 4\)"),
        (b"abc\0", r"a\.md' is not a text file: NUL at byte 3"),
        ("ab\0".encode("utf-16"), r"a\.md' is not a text file: NUL at byte 6"),
        (codecs.BOM_UTF16_LE + b"a", r"a\.md' is not UTF-16-LE text \(byte 2\): truncated data"),
    ],
)
def test_what_is_not_text_is_refused_with_its_byte(raw: bytes, message: str, tmp_path: Path) -> None:
    """Nothing is mended: the error names the path and the byte, and no word of the file."""
    path = tmp_path / "a.md"
    path.write_bytes(raw)
    for format in ("markdown", "text"):
        with pytest.raises(InvalidInput, match=message):
            list(read(format, path))


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    """A folder where a file is wanted is refused by name."""
    with pytest.raises(InvalidInput, match="is a folder, not a file"):
        list(read("text", tmp_path))
