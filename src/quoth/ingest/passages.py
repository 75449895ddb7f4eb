"""Documents become records, records become passages: slices, in order, with not a character changed."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence

from quoth.core.policy import PassagePolicy
from quoth.core.types import Document, Lines, Span
from quoth.ingest import markdown
from quoth.ingest.gate import WHOLE_KINDS

_LINE_END = re.compile(r"\r\n|\n|\r")
_WORD = re.compile(r"\S")
_BLANK_LINES = re.compile(r"(?:\r\n|\n|\r)[^\S\r\n]*(?:\r\n|\n|\r)\s*")
_SENTENCE = re.compile(r"""[.!?…]["'”’»)\]]*(?=\s)|[。！？｡।॥؟۔]["'”’»）」』]*""")
_HEADING = re.compile(r"(?:#{1,6}[ \t][^\r\n]*\s*)+\Z")
_RULE = re.compile(r"[-*_\s]*\Z")
_JOINER = "\u200d"
_LONGEST_CLUSTER = 32
"""Code points that a hard cut goes back at most to keep a character whole."""


def records(document: Document) -> list[Span]:
    """Cut a document into citable units; together they leave out nothing but white space.

    note, fact, turn: the whole text. text: paragraphs. markdown: `quoth.ingest.markdown.blocks`.
    """
    if document.kind in WHOLE_KINDS:
        return _trimmed(document.text, 0, len(document.text))
    if document.kind == "markdown":
        return markdown.blocks(document.text, line_starts(document.text))
    return _paragraphs(document.text)


def passages(text: str, policy: PassagePolicy) -> list[Span]:
    """Cut a record for the indices: whole if it fits, else at a paragraph, sentence, word or code point."""
    if len(text) <= policy.max_chars:
        return _trimmed(text, 0, len(text))
    limit = max(policy.max_chars, 1)
    spans: list[Span] = []
    start = _next_word(text, 0)
    while start < len(text):
        cut = len(text) if len(text) - start <= limit else _cut(text, start, limit)
        spans.append(Span(start, start + len(text[start:cut].rstrip())))
        start = _next_word(text, cut)
    return spans


def indexed(text: str, policy: PassagePolicy, *, heads: bool = False) -> list[Span]:
    """The passages of a record; a rule (``---``) has words for nobody to look for, and gets none.

    Nor does a Markdown heading alone where it `heads` other records: they are found by its words too
    (`rules.headings`), and answer what it only names.
    """
    return [] if _RULE.match(text) or (heads and _HEADING.match(text)) else passages(text, policy)


def line_starts(text: str) -> list[int]:
    """Where each line begins; lines end with LF, CR LF or CR."""
    if "\n" not in text and "\r" not in text:
        return [0]
    return [0, *(found.end() for found in _LINE_END.finditer(text))]


def lines(starts: Sequence[int], span: Span) -> Lines:
    """The lines of a span, given `line_starts` of its text."""
    return Lines(bisect_right(starts, span.start), bisect_right(starts, max(span.end - 1, span.start)))


def _trimmed(text: str, start: int, end: int) -> list[Span]:
    """The span without outer white space; none when nothing is left."""
    part = text[start:end]
    first = len(part) - len(part.lstrip())
    last = len(part.rstrip())
    return [Span(start + first, start + last)] if first < last else []


def _paragraphs(text: str) -> list[Span]:
    spans: list[Span] = []
    start = 0
    for gap in _BLANK_LINES.finditer(text):
        spans += _trimmed(text, start, gap.start())
        start = gap.end()
    return spans + _trimmed(text, start, len(text))


def _next_word(text: str, start: int) -> int:
    found = _WORD.search(text, start)
    return found.start() if found else len(text)


def _cut(text: str, start: int, limit: int) -> int:
    """Where a piece that begins at `start` ends: the best boundary at most `limit` further on."""
    hard = start + limit
    floor = start + limit // 3
    best = 0
    for pattern in (_BLANK_LINES, _SENTENCE):
        for found in pattern.finditer(text, floor, hard):
            best = found.start() if pattern is _BLANK_LINES else found.end()
        if best > start:
            return best
    if text[hard].isspace() or text[hard - 1].isspace():
        return hard
    words = text[start:hard].rsplit(None, 1)
    if len(words) > 1:
        return start + len(words[0])
    return _between_characters(text, start, hard)


def _between_characters(text: str, start: int, hard: int) -> int:
    """The last place up to `hard` that splits no combining sequence, joined emoji or surrogate pair."""
    for at in range(hard, max(start, hard - _LONGEST_CLUSTER), -1):
        if not _joins(text[at]) and text[at - 1] != _JOINER:
            return at
    return hard


def _joins(char: str) -> bool:
    """True for a code point that belongs to the one before it."""
    return (
        unicodedata.category(char) in ("Mn", "Mc", "Me")
        or char == _JOINER
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\udc00" <= char <= "\udfff"
    )
