"""How text is cut."""

from __future__ import annotations

import time

import pytest

from quoth.core.policy import PassagePolicy
from quoth.core.types import Document, Lines, Span
from quoth.ingest.markdown import front_matter
from quoth.ingest.passages import indexed, line_starts, lines, passages, records

NOTE = """---
title: x
---

# Title

First para
second line

## Dentist

Dr. Okafor.

## Shopping
- milk
- eggs
  - big
  - small

    more eggs

After the list.
```py
a

b
```
---
| a | b |
|---|---|
| 1 | 2 |

> quote
> more
lazy

1. one
2. two

Setext
------
body

## A
### B
#### C
text of C

## D
"""


def cut(text: str, kind: str = "markdown") -> list[str]:
    """The words of each record."""
    return [text[span.start : span.end] for span in records(Document(text, "u", kind))]


def pieces(text: str, longest: int) -> list[str]:
    """The words of each passage."""
    return [text[span.start : span.end] for span in passages(text, PassagePolicy(longest))]


def test_markdown_is_cut_into_blocks() -> None:
    """Front matter, title, headings with their body, list items, code, tables and quotes are records."""
    assert cut(NOTE) == [
        "---\ntitle: x\n---",
        "# Title",
        "First para\nsecond line",
        "## Dentist\n\nDr. Okafor.",
        "## Shopping",
        "- milk",
        "- eggs\n  - big\n  - small\n\n    more eggs",
        "After the list.",
        "```py\na\n\nb\n```",
        "---",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "> quote\n> more\nlazy",
        "1. one",
        "2. two",
        "Setext\n------\nbody",
        "## A\n### B\n#### C\ntext of C",
        "## D",
    ]


@pytest.mark.parametrize("inserted", ["New.\n\n", "# Heading\n\nNew.\n\n", "- new\n\n", "```\nnew\n```\n"])
@pytest.mark.parametrize("place", ["First para", "| a |", "> quote", "After"])
def test_an_inserted_block_leaves_the_others_alone(inserted: str, place: str) -> None:
    """A block inserted before another one adds records and changes none."""
    before = cut(NOTE)
    after = cut(NOTE.replace(place, inserted + place, 1))
    assert [each for each in after if each in before] == before


def test_a_block_inserted_on_top_leaves_the_others_alone() -> None:
    """A paragraph above everything, or right below the title, changes no other record."""
    body = "# Title\n\nOne.\n\n## Two\n\nThree.\n"
    assert cut("New.\n\n" + body)[1:] in (cut(body), ["# Title\n\nOne.", "## Two\n\nThree."])
    assert cut(body.replace("One.", "New.\n\nOne.")) == ["# Title", "New.", "One.", "## Two\n\nThree."]


def test_a_long_list_item_is_cut_at_its_nested_items() -> None:
    """A long item is its own words and each nested item; a short one stays whole."""
    long = "x" * 400
    assert cut(f"- a {long}\n  - b {long}\n    - c\n  - d\n\n  tail\n- e") == [
        f"- a {long}",
        f"- b {long}\n    - c",
        "- d",
        "tail",
        "- e",
    ]


def test_code_that_is_never_closed_goes_to_the_end() -> None:
    """A fence without an end takes the rest of the text, as in every renderer."""
    assert cut("a\n\n```\nb\n\n# c\n") == ["a", "```\nb\n\n# c"]


def test_code_inside_a_list_item_is_whole() -> None:
    """A fence in an item may hold blank lines and things that look like items."""
    assert cut("- a\n  ```\n  x\n\n  - y\n  ```\n- b") == ["- a\n  ```\n  x\n\n  - y\n  ```", "- b"]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("---\na: b\n---\nx", "---\na: b\n---"),
        ("\ufeff---\r\na: b\r\n---\r\nx", "\ufeff---\r\na: b\r\n---"),
        ("---\n---\n", "---\n---"),
        ("---\na: b\n...", "---\na: b\n..."),
        ("+++\na = 1\n+++\n", "+++\na = 1\n+++"),
        ("---\na: b\n", None),
        ("--- \na\n--- \n", "--- \na\n---"),
        ("----\na\n---\n", None),
        ("a\n---\nb\n---\n", None),
        ("", None),
    ],
)
def test_front_matter_is_what_stands_between_fences_at_the_head(text: str, want: str | None) -> None:
    """Front matter begins in the first line and has an end, or there is none."""
    found = front_matter(text)
    assert want == (text[found.start : found.end] if found else None)


def test_text_is_cut_at_blank_lines() -> None:
    """Plain text is cut into paragraphs, whatever the line ends."""
    assert cut("a\nb\n\n c\r\n \t\r\nd\r\re\n\n\n", "text") == ["a\nb", "c", "d", "e"]


def test_a_note_is_one_record() -> None:
    """A note, fact or turn is its whole text but for outer white space."""
    for kind in ("note", "fact", "turn"):
        assert cut(" \n# a\n\nb\n", kind) == ["# a\n\nb"]


def test_a_long_record_is_split_at_the_best_boundary() -> None:
    """Paragraph before sentence before word before code point."""
    assert pieces("aaaa bbbb.\n\ncccc. dddd", 16) == ["aaaa bbbb.", "cccc. dddd"]
    assert pieces("aaaa bb. cccc dddd", 12) == ["aaaa bb.", "cccc dddd"]
    assert pieces("今日は雨。明日は晴れ", 7) == ["今日は雨。", "明日は晴れ"]
    assert pieces("aaaa bbbb cccc", 12) == ["aaaa bbbb", "cccc"]
    assert pieces("aaaabbbbcccc", 5) == ["aaaab", "bbbcc", "cc"]


def test_a_hard_cut_splits_no_character() -> None:
    """Combining marks and joined emoji stay with what they belong to."""
    assert pieces("abce\u0301fg", 4) == ["abc", "e\u0301fg"]
    assert pieces("ab👩\u200d👧cd", 4) == ["ab", "👩\u200d👧c", "d"]
    assert pieces("abc\U0001f44d\U0001f3fdd", 4) == ["abc", "\U0001f44d\U0001f3fdd"]


def test_a_sequence_longer_than_a_passage_is_cut_all_the_same() -> None:
    """No run of marks makes a passage longer than allowed."""
    assert all(len(each) <= 5 for each in pieces("a" + "\u0301" * 100, 5))


def test_the_end_of_a_long_line_is_in_a_passage() -> None:
    """A needle at the end of 200 kB without a line end is in the last passage (field case 36)."""
    text = "filler words " * 16_000 + "the needle is here"
    found = pieces(text, 1_500)
    assert "needle" in found[-1]
    assert "".join("".join(found).split()) == "".join(text.split())


def test_a_rule_has_no_passage() -> None:
    """A record that is only a rule is kept, and is in no index."""
    assert indexed("---", PassagePolicy()) == []
    assert indexed("👍", PassagePolicy()) == [Span(0, 1)]


def test_lines_count_from_one_and_include_both_ends() -> None:
    """Lines end at LF, CR LF and CR, and nowhere else."""
    text = "a\nb\r\nc\rd\u2028e"
    starts = line_starts(text)
    assert starts == [0, 2, 5, 7]
    assert [Lines(1, 1), Lines(2, 3), Lines(4, 4)] == [
        lines(starts, Span(*each)) for each in ((0, 2), (2, 6), (7, 10))
    ]


@pytest.mark.parametrize(
    "unit", ["x", "word ", " ", "a\n", "- x\n", "- ", "```", "\u0301", "# a\n", "> x\n", "e. "]
)
def test_cutting_takes_linear_time(unit: str) -> None:
    """300 kB of anything are cut in seconds, also where they are one line."""
    text = unit * (300_000 // len(unit))
    began = time.process_time()
    for kind in ("markdown", "text"):
        records(Document(text, "u", kind))
    passages(text, PassagePolicy())
    assert time.process_time() - began < 10
