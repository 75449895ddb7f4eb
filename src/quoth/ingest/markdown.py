"""Markdown is cut into blocks: front matter, headings, paragraphs, list items, code, quotes.

A heading goes with the paragraph or code that follows it, so that "## Dentist" is found with its answer.
Two keep to themselves, so that what is inserted below them leaves the rest alone:
the title (a level 1 heading before everything else) and a heading over a list.
A list item keeps its nested items while it is short. Fenced code and tables are never cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from quoth.core.types import Span

ITEM_CHARS = 600
"""A list item up to this long keeps its nested items; a longer one is cut at them."""
FRONT_CHARS = 50_000
"""Front matter that does not end within so many code points is none."""
_DEPTH = 8
"""Nested lists below this depth stay whole."""

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})")
_BREAK = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_QUOTE = re.compile(r" {0,3}>")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)")
_ITEM_INSIDE = re.compile(r" {0,3}(?:[-*+]|1[.)])[ \t]+\S")
_END = r"(?:\r\n|\n|\r)"
_FRONT = {
    fence: re.compile(rf"{begin}[ \t]*{_END}(?:.*?{_END})??{end}(?=[ \t]*(?:[\r\n]|\Z))", re.S)
    for fence, begin, end in (("---", "---", r"(?:---|\.\.\.)"), ("+++", r"\+{3}", r"\+{3}"))
}
_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]*")


class _Kind(Enum):
    TITLE = 1
    HEADING = 2
    BODY = 3
    ITEM = 4
    BREAK = 5


@dataclass(frozen=True, slots=True)
class _Block:
    kind: _Kind
    end: int
    """The line after the last one."""
    level: int = 0


@dataclass(frozen=True, slots=True)
class _Page:
    """A text with the starts of its lines and, behind them, its length."""

    text: str
    starts: Sequence[int]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def line(self, at: int) -> str:
        return self.text[self.starts[at] : self.starts[at + 1]].rstrip("\r\n")

    def blank(self, at: int) -> bool:
        line = self.text[self.starts[at] : self.starts[at + 1]]
        return not line or line.isspace()

    def span(self, first: int, end: int) -> Span:
        start, stop = self.starts[first], self.starts[end]
        part = self.text[start:stop]
        return Span(start + len(part) - len(part.lstrip()), start + len(part.rstrip()))


def blocks(text: str, starts: Sequence[int]) -> list[Span]:
    """The blocks of a text, given the starts of its lines; they leave out nothing but white space."""
    page = _Page(text, [*starts, len(text)])
    front = front_matter(text)
    spans = [front] if front else []
    at = 0
    while front and at < len(page) and page.starts[at] < front.end:
        at += 1
    waiting: tuple[int, int] | None = None  # first line and level of a heading whose body is to come
    while at < len(page):
        if page.blank(at):
            at += 1
            continue
        block = _block(page, at, first=len(spans) == (1 if front else 0) and waiting is None)
        deeper = block.kind is _Kind.HEADING and waiting is not None and block.level > waiting[1]
        if waiting and not deeper and block.kind is not _Kind.BODY:
            spans.append(page.span(waiting[0], at))
            waiting = None
        if block.kind is _Kind.HEADING:
            waiting = (waiting[0] if waiting else at, block.level)
        elif block.kind is _Kind.ITEM:
            spans += [page.span(*each) for each in _items(page, at, block.end, 0)]
        else:
            spans.append(page.span(waiting[0] if waiting else at, block.end))
            waiting = None
        at = block.end
    if waiting:
        spans.append(page.span(waiting[0], len(page)))
    return spans


def front_matter(text: str) -> Span | None:
    """The metadata at the head of a text, fences included; None without one."""
    start = 1 if text.startswith("\ufeff") else 0
    fence = text[start : start + 3]
    if fence not in _FRONT:
        return None
    found = _FRONT[fence].match(text, start, start + FRONT_CHARS)
    return Span(0, found.end()) if found else None


def _block(page: _Page, at: int, *, first: bool) -> _Block:
    """The block that begins at a line."""
    line = page.line(at)
    heading = _HEADING.match(line)
    if heading:
        level = len(heading[1])
        return _Block(_Kind.TITLE if first and level == 1 else _Kind.HEADING, at + 1, level)
    if _BREAK.match(line):
        return _Block(_Kind.BREAK, at + 1)
    if _indent(line) >= 4:
        return _Block(_Kind.BODY, _indented(page, at))
    if _FENCE.match(line):
        return _Block(_Kind.BODY, _fenced(page, at, len(page)))
    if _ITEM.match(line):
        return _Block(_Kind.ITEM, _item(page, at, len(page)))
    if _QUOTE.match(line):
        return _Block(_Kind.BODY, _quoted(page, at))
    return _paragraph(page, at, first=first)


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4))


def _begins(line: str) -> bool:
    """True for a line that ends the paragraph before it."""
    return bool(
        _HEADING.match(line)
        or _BREAK.match(line)
        or _QUOTE.match(line)
        or _ITEM_INSIDE.match(line)
        or (_indent(line) < 4 and _FENCE.match(line))
    )


def _paragraph(page: _Page, at: int, *, first: bool) -> _Block:
    """A paragraph, a table, or a heading that is underlined."""
    end = at + 1
    while end < len(page) and not page.blank(end):
        line = page.line(end)
        underline = _UNDERLINE.match(line)
        if underline and end == at + 1:
            level = 1 if "=" in underline[1] else 2
            return _Block(_Kind.TITLE if first and level == 1 else _Kind.HEADING, end + 1, level)
        if underline:
            return _Block(_Kind.BODY, end + 1)
        if _begins(line):
            break
        end += 1
    return _Block(_Kind.BODY, end)


def _quoted(page: _Page, at: int) -> int:
    end = at + 1
    while end < len(page) and not page.blank(end):
        line = page.line(end)
        if not _QUOTE.match(line) and _begins(line):
            break
        end += 1
    return end


def _indented(page: _Page, at: int) -> int:
    """Indented code, with the blank lines inside it."""
    end = last = at + 1
    while end < len(page):
        if not page.blank(end):
            if _indent(page.line(end)) < 4:
                break
            last = end + 1
        end += 1
    return last


def _fenced(page: _Page, at: int, stop: int) -> int:
    """Fenced code up to its closing fence; without one, to the end."""
    found = _FENCE.match(page.line(at)) or _FENCE.match(_MARKER.sub("", page.line(at), count=1))
    fence = found[1] if found else "```"
    for end in range(at + 1, stop):
        line = page.line(end).strip()
        if len(line) >= len(fence) and line == fence[0] * len(line):
            return end + 1
    return stop


def _item(page: _Page, at: int, stop: int) -> int:
    """A list item with all that is indented below it."""
    line = page.line(at)
    base = _indent(line)
    end = last = at + 1
    if _FENCE.match(_MARKER.sub("", line, count=1)):
        end = last = _fenced(page, at, stop)
    while end < stop:
        if page.blank(end):
            end += 1
            continue
        line = page.line(end)
        below = _indent(line) >= base + 2
        lazy = end == last and not _begins(line) and not _ITEM.match(line)
        if not below and not lazy:
            break
        end = last = _fenced(page, end, stop) if below and _FENCE.match(line) else end + 1
    return last


def _items(page: _Page, at: int, stop: int, depth: int) -> list[tuple[int, int]]:
    """Line ranges of one item: itself whole while it is short, else its own words and each nested item."""
    if page.starts[stop] - page.starts[at] <= ITEM_CHARS or depth == _DEPTH:
        return [(at, stop)]
    ranges: list[tuple[int, int]] = []
    own, end = at, at + 1
    if _FENCE.match(_MARKER.sub("", page.line(at), count=1)):
        end = _fenced(page, at, stop)
    while end < stop:
        line = page.line(end)
        if _FENCE.match(line):
            end = _fenced(page, end, stop)
        elif _ITEM.match(line) and not page.blank(end):
            if any(not page.blank(each) for each in range(own, end)):
                ranges.append((own, end))
            own = nested = _item(page, end, stop)
            ranges += _items(page, end, nested, depth + 1)
            end = nested
        else:
            end += 1
    if any(not page.blank(each) for each in range(own, stop)):
        ranges.append((own, stop))
    return ranges
