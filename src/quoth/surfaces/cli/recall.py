"""Commands by which passages come out."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import click

from quoth.core.types import Grain, Trust
from quoth.surfaces import wire
from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Command, answer, opened


def end(context: click.Context, parameter: click.Parameter, text: str | None) -> datetime | str | None:
    """A time; a day alone means its last moment."""
    day = _day(text)
    return text if day is None else datetime.combine(day, time.max)


def after(context: click.Context, parameter: click.Parameter, text: str | None) -> datetime | str | None:
    """A time before which something was; a day alone is within."""
    day = _day(text)
    try:
        return text if day is None else datetime.combine(day, time()) + timedelta(days=1)
    except OverflowError:
        raise click.BadParameter(f"nothing comes after {text!r}", context, parameter) from None


def _day(text: str | None) -> date | None:
    """A day alone, in the form of ISO 8601 that a memory reads; it reads all others itself."""
    try:
        return date.fromisoformat(text) if text and len(text) == 10 and text[7] == "-" else None
    except ValueError:
        return None


@click.command(cls=Command)
@click.argument("question", metavar="QUESTION", nargs=-1, required=True)
@click.option("-k", type=click.IntRange(min=1), metavar="N", help="At most N passages.")
@click.option("--as-of", callback=end, metavar="TIME", help="What was true then; a day means its end.")
@click.option("--known-at", callback=end, metavar="TIME", help="What this memory knew then.")
@click.option("--since", metavar="TIME", help="Only what was said (else recorded) then or later.")
@click.option("--until", callback=after, metavar="TIME", help="Only what was said before; a day is within.")
@click.option(
    "--by",
    type=click.Choice(["said", "recorded"]),
    default="said",
    show_default=True,
    help="What --since and --until look at.",
)
@click.option(
    "--trust",
    type=click.Choice([each.value for each in Trust]),
    default=Trust.ASSERTED.value,
    show_default=True,
    help="The least that is looked at: verified, only that; doubtful, that too.",
)
@click.option("--history", is_flag=True, help="Also what was superseded or has expired, labelled.")
@click.option("--grain", type=click.Choice([each.value for each in Grain]), help="Records of one kind.")
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="At most so many tokens.")
@click.option(
    "--mode",
    type=click.Choice(["strict", "helpful"]),
    default="helpful",
    show_default=True,
    help="What comes with an abstention: nothing, or the nearest passages.",
)
@click.option(
    "--tier", type=click.Choice(["zero-llm"]), default="zero-llm", show_default=True, help="Models."
)
@click.option("--explain", is_flag=True, help="Say how the answer came about.")
@click.option("--fail-empty", is_flag=True, help="Exit with 6 when there is no answer.")
def recall(
    question: tuple[str, ...],
    k: int | None,
    as_of: datetime | str | None,
    known_at: datetime | str | None,
    since: str | None,
    until: datetime | str | None,
    by: str,
    trust: str,
    history: bool,
    grain: str | None,
    budget: int | None,
    mode: str,
    tier: str,
    explain: bool,
    fail_empty: bool,
) -> int:
    """Quote the passages that answer QUESTION, or say why not."""
    with opened() as memory:
        found = memory.recall(
            " ".join(question),
            k=k,
            as_of=as_of,
            known_at=known_at,
            since=since,
            until=until,
            by=by,
            trust=Trust(trust),
            history=history,
            grain=None if grain is None else Grain(grain),
            budget=budget,
            mode=mode,
            tier=tier,
        )
        answer(found, lambda: show.recollection(found))
        if explain:
            show.explanation(memory.explain(found))
    empty = found.abstention is not None or not found.passages
    return wire.NOTHING_FOUND if fail_empty and empty else 0


@click.command(cls=Command)
@click.argument("id")
def get(id: str) -> None:
    """Print the record ID whole, with where it was read.

    One that was superseded stands below what took its place.
    """
    with opened() as memory:
        found = memory.get(id)
        head = memory.history(id).chain[-1] if found.superseded_by else None
    answer(found, lambda: show.record(found, head))


@click.command(cls=Command)
@click.option(
    "-n", type=click.IntRange(min=1), default=10, metavar="N", show_default=True, help="At most so many."
)
def recent(n: int) -> None:
    """List what was recorded last."""
    with opened() as memory:
        found = memory.recent(n)
    answer({"records": found}, lambda: show.listing(found))


COMMANDS = (recall, get, recent)
