"""Whatever the text, records and passages are slices of it that leave out nothing but white space."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quoth.core.policy import PassagePolicy
from quoth.core.types import Document, Span
from quoth.ingest.alignment import replaced
from quoth.ingest.passages import line_starts, lines, passages, records

MARKS = [
    *(
        "# ",
        "## ",
        "#",
        "- ",
        "  - ",
        "* ",
        "1. ",
        "    ",
        "\t",
        "> ",
        "```",
        "~~~",
        "---",
        "===",
        "+++",
        "...",
    ),
    *("|", "\n", "\n\n", "\r\n", "\r", " ", "\u3000", "\u2028", "\x0b", "\x1c", "\ufeff"),
    *("a", "word ", "b. ", "天気。", "e\u0301", "👩\u200d👩", "\U0001f44d\U0001f3fd", "नमस्ते", "<!-- "),
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(MARKS), max_size=60).map("".join),
    st.lists(st.sampled_from(MARKS), max_size=40).map(lambda parts: "---\n" + "".join(parts)),
    st.text(max_size=300),
)


def covered(text: str, spans: list[Span]) -> bool:
    """The spans stand in order, each without outer white space, and only white space is left out."""
    place = 0
    for span in spans:
        part = text[span.start : span.end]
        if span.start < place or not part or part != part.strip() or text[place : span.start].strip():
            return False
        place = span.end
    return not text[place:].strip()


@pytest.mark.parametrize("kind", ["note", "fact", "turn", "text", "markdown"])
@given(text=TEXTS)
def test_records_cover_the_document(kind: str, text: str) -> None:
    """Records of every kind are slices, in order, that leave out nothing but white space."""
    assert covered(text, records(Document(text, "u", kind)))


@given(text=TEXTS, longest=st.integers(1, 40))
def test_passages_cover_the_record(text: str, longest: int) -> None:
    """Passages are slices, in order, none longer than allowed, that leave out nothing but white space."""
    spans = passages(text, PassagePolicy(longest))
    assert covered(text, spans)
    assert all(span.end - span.start <= longest for span in spans)


@given(text=TEXTS)
def test_lines_count_line_ends(text: str) -> None:
    """A span's lines are those that an editor shows, which ends lines at LF, CR LF and CR."""
    starts = line_starts(text)
    for span in records(Document(text, "u", "text")):
        before, inside = text[: span.start], text[: span.end]
        want = tuple(
            1 + len(part.replace("\r\n", "\n").replace("\r", "\n").split("\n")) - 1
            for part in (before, inside)
        )
        found = lines(starts, span)
        assert want == (found.first, found.last)


@given(
    old=st.lists(st.sampled_from("abcdefgh"), max_size=12, unique=True),
    new=st.lists(st.sampled_from("abcdefgh"), max_size=12, unique=True),
)
def test_what_takes_whose_place_is_in_order_and_one_to_one(old: list[str], new: list[str]) -> None:
    """Replacements pair words that went with words that came, each at most once."""
    stays = [(old.index(each), at) for at, each in enumerate(new) if each in old]
    gone = [at for at, each in enumerate(old) if each not in new]
    fresh = [at for at, each in enumerate(new) if each not in old]
    pairs = replaced(stays, gone, fresh, old, new)
    assert set(pairs) <= set(gone)
    assert set(pairs.values()) <= set(fresh)
    assert len(set(pairs.values())) == len(pairs)
