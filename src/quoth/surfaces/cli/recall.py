"""Commands by which passages come out."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import click

from quoth.core.types import Grain
from quoth.surfaces import wire
from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Command, answer, opened


def moment(context: click.Context, parameter: click.Parameter, text: str | None) -> datetime | None:
    """A time as ISO 8601: a day alone means its end, a time without an offset is this machine's."""
    if text is None:
        return None
    try:
        try:
            day = date.fromisoformat(text)
        except ValueError:
            found = datetime.fromisoformat(text)
        else:
            found = datetime.combine(day, time()) + timedelta(days=1, microseconds=-1)
        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"{text!r} is no time such as 2026-03-01 or 2026-03-01T09:30+01:00", context, parameter
        ) from None


@click.command(cls=Command)
@click.argument("question", metavar="QUESTION", nargs=-1, required=True)
@click.option("-k", type=click.IntRange(min=1), metavar="N", help="At most N passages.")
@click.option("--as-of", callback=moment, metavar="TIME", help="What was true then; a day means its end.")
@click.option("--known-at", callback=moment, metavar="TIME", help="What this memory knew then.")
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
    as_of: datetime | None,
    known_at: datetime | None,
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
    """Print the record ID whole, with where it was read."""
    with opened() as memory:
        found = memory.get(id)
    answer(found, lambda: show.record(found))


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
