"""How values look to a person: words exactly as they are, and a line that says where they come from."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime

import click

from quoth.core.types import (
    Abstention,
    Lines,
    Outcome,
    Period,
    Recalled,
    Receipt,
    Recollection,
    Result,
    Standing,
    Trust,
)
from quoth.surfaces import wire
from quoth.surfaces.cli.door import confirm, fail, note, visible

WIDTH = 100
"""Characters of a record in a list."""
LISTED = 10
"""Records that wait for somebody after a `watch` or an `import`; the rest is counted."""
_NOUNS = "call|result|image|link|symlink|message|line|block|item|export|file|folder|text"
_NOUN = re.compile(rf"(?<!not )\b({_NOUNS})\b")
"""Of what was read past."""


def passage(found: Recalled, *more: str) -> None:
    """One passage: its words, then its source line."""
    words(found.text)
    click.secho(source(found, *more), dim=True)


def words(text: str) -> None:
    """Words as they are, byte for byte; a terminal is shown control characters and does not obey them."""
    if sys.stdout.isatty():
        text = "\n".join(visible(line.replace("\t", "    ")) for line in text.split("\n"))
    click.echo(text, color=True)


def source(found: Recalled, *more: str) -> str:
    """Where the words come from: place, speaker, time, standing."""
    testimony = found.record.testimony
    seen = wire.own(found)
    uri = seen.uri if seen else testimony.uri
    place = _place(uri, wire.lines(found))
    said = testimony.said_at
    parts = [
        place,
        *([testimony.speaker] if testimony.speaker else []),
        f"said {day(said)}" if said else f"recorded {day(testimony.recorded_at)}",
        standing(found),
        *([trust.value] if (trust := found.record.filing.trust) is not Trust.ASSERTED else []),
        *more,
        found.id,
    ]
    others = len({each.uri for each in wire.sources(found)} - {uri})
    if others:
        parts.insert(1, f"and {others} more place{'s' if others > 1 else ''}")
    return "— " + " · ".join(visible(part) for part in parts)


def _place(uri: str, lines: Lines | None) -> str:
    if lines is None:
        return uri
    return f"{uri}:{lines.first}" + ("" if lines.first == lines.last else f"-{lines.last}")


def standing(found: Recalled) -> str:
    """How a record stands; a superseded one names what took its place."""
    label = found.standing.value.replace("_", " ")
    if found.standing is Standing.CURRENT or found.superseded_by is None:
        return label
    return f"{label} by {found.superseded_by}"


def recollection(found: Recollection) -> None:
    """An answer: the passages, or why there is none, and what it does not say by itself."""
    if found.abstention is not None:
        click.echo(f"I don't know: {visible(why_not(found, found.abstention))}")
        if found.passages:
            click.echo("\nNearest passages, not an answer:")
    for place, each in enumerate(found.passages):
        if place or found.abstention is not None:
            click.echo()
        first = not place and found.abstention is None  # once an answer
        passage(each, *([f"confidence {found.confidence.value}"] if first else []))
    if found.requires_review:
        note("this is high stakes: have a person look at the sources")
    for line in found.conflicts:
        note(f"conflict: {line}")
    taken = (each.removeprefix("zone: ") for each in found.trace if each.startswith("zone: "))
    for line in (*found.degraded, *taken):
        note(line)


def why_not(found: Recollection, abstention: Abstention) -> str:
    """Why there is no answer, with the time and the kind of record that were asked for."""
    if abstention.reason == "nothing_stored" and found.known_at:
        return f"nothing that can be read here was known at {found.known_at.isoformat(timespec='seconds')}"
    if abstention.reason == "nothing_stored" and found.as_of:
        return f"nothing that can be read here was true at {found.as_of.isoformat(timespec='seconds')}"
    if abstention.reason == "nothing_found" and found.plan.grain:
        return f"no record of the kind {found.plan.grain.value!r} is near the question"
    if abstention.reason == "below_floor":
        return "nothing here answers this"
    return abstention.detail or abstention.reason


def line(found: Recalled) -> str:
    """A record in a list: day, id, how far it is believed where that is not as usual, its first line."""
    testimony, trust = found.record.testimony, found.record.filing.trust
    believed = "" if trust is Trust.ASSERTED else f"{trust.value}  "
    when = day(testimony.said_at or testimony.recorded_at)
    return f"{when}  {found.id}  {believed}{beginning(testimony.text)}"


def beginning(text: str) -> str:
    """The beginning of the first line."""
    first = text.strip().partition("\n")[0]
    return visible(first if len(first) <= WIDTH else first[: WIDTH - 1] + "…")


def day(moment: datetime) -> str:
    """The day of a moment, in UTC."""
    return moment.date().isoformat()


def counts(values: Mapping[str, object]) -> str:
    """Numbers that are not zero, by name: `12 stored, 1 held`."""
    parts = [f"{value} {name.replace('_', ' ')}" for name, value in values.items() if _counted(value)]
    return ", ".join(parts) or "nothing"


def _counted(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value != 0


def many(count: int, one: str, more: str = "") -> str:
    """A number of things: `1 record`, `2 records`."""
    return f"{count} {one if count == 1 else more or one + 's'}"


def some(what: str, count: int) -> str:
    """A number of a class of things, in its number: `1 tool call`, `2 lines of type 'x'`, `3 binary`."""
    if count == 1:
        return f"1 {what}"
    many = _NOUN.sub(r"\1s", what, count=1)
    return f"{count} {many.replace('summary', 'summaries', 1) if many == what else many}"


def size(count: int) -> str:
    """Bytes as a person reads them."""
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def receipt(found: Receipt) -> None:
    """What became of each record, and what was taken for granted."""
    for each in found.outcomes:
        if each.outcome not in wire.OUTCOMES:
            why = f": {each.why}" if each.why else ""
            confirm(f"{_SAID[each.outcome]} {each.record_id or ''}".rstrip() + why)
        waiting((each,))
    for line in found.notes:
        note(line)


_SAID = {
    Result.STORED: "kept",
    Result.DUPLICATE: "known already",
    Result.HELD: "held for review",
    Result.REFUSED: "refused",
    Result.QUEUED: "queued, not yet kept",
}


def waiting(outcomes: Sequence[Outcome]) -> None:
    """Records that were held, refused, or conflict with what is there: why, and what answers it."""
    concerning = wire.concerning(outcomes)
    for each in concerning[:LISTED]:
        if each.outcome in wire.OUTCOMES:
            why = f": {each.why}" if each.why else ""
            fail(f"{_SAID[each.outcome]} {each.record_id or ''}".rstrip() + why)
        if each.conflict is not None:
            question(each.conflict.question, each.conflict.review)
    if len(concerning) > LISTED:
        confirm(f"and {len(concerning) - LISTED} more: quoth review list")


def question(text: str, review: str) -> None:
    """What a person is asked, and the commands that answer it."""
    confirm(f"conflict: {text}")
    confirm(f"  quoth review accept {review} --because WHY   the new one; the old one is superseded")
    confirm(f"  quoth review keep {review} --because WHY     both")
    confirm(f"  quoth review reject {review} --because WHY   not the new one")


def period(valid: Period) -> str:
    """A valid time: `from 2026-03-01T00:00:00+00:00`, `always`."""
    start = f"from {moment(valid.start)}" if valid.start else ""
    end = f"until {moment(valid.end)}" if valid.end else ""
    return " ".join(each for each in (start, end) if each) or "always"


def moment(at: datetime) -> str:
    """A time to the second, with its offset."""
    return at.isoformat(timespec="seconds")


def record(found: Recalled, head: Recalled | None = None) -> None:
    """A whole record, how far it is believed and when it is true, and every place where it was read.

    What stands in its place comes first.
    """
    if head is not None:
        passage(head)
        click.echo("\nIn the place of:\n")
    passage(found)
    filing = found.record.filing
    row(f"  trust {filing.trust.value}", f"true {period(filing.valid)}")
    for seen in found.observations:
        place = _place(seen.uri, wire.lines(found, seen))
        row(f"  read {moment(seen.seen_at)}", place)


def listing(found: tuple[Recalled, ...]) -> None:
    """Records, one a line."""
    for each in found:
        click.echo(line(each))


def explanation(sentences: tuple[str, ...]) -> None:
    """How an answer came about; on stderr, where JSON is not disturbed."""
    for each in sentences:
        click.echo(f"  {visible(each)}", err=True)


def row(*parts: str) -> None:
    """One line of facts."""
    click.echo(" · ".join(visible(part) for part in parts))
