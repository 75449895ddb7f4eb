"""Commands about what waits for a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from quoth.core.types import Fact, Review
from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Group, answer, confirm, opened

if TYPE_CHECKING:
    from quoth.memory import Memory


@click.group(cls=Group)
def review() -> None:
    """Decide what waits for a person.

    Rejected words or values that came again, and what cannot be true beside what is there.
    """


@review.command("list")
@click.option("--all", "every", is_flag=True, help="Also what was decided.")
def list_(every: bool) -> None:
    """List what waits, with both texts."""
    with opened() as memory:
        found = memory.review_list(answered=every)
    answer({"items": found}, lambda: listing(found))


def listing(found: tuple[Review, ...]) -> None:
    """Items of the queue, oldest first."""
    for place, each in enumerate(found):
        if place:
            click.echo()
        item(each)
    if not found:
        confirm("nothing waits")


def item(found: Review) -> None:
    """One item: what waits, why, and what it is about."""
    held = found.held
    seen = "once" if found.seen_count == 1 else f"{found.seen_count} times"
    show.row(f"{held.kind.value} {held.id}", f"seen {seen}, last {show.moment(found.last_at)}", held.reason)
    by = f"by {held.actor.id} ({held.actor.kind.value})"
    if held.fact is not None:
        show.row(f"  new {_value(held.fact)}", by)
    elif held.record_id is not None:
        show.row(f"  new {held.record_id}", by, show.beginning(found.text))
    else:
        show.row("  words that were erased", by, held.uri)
    if held.against is not None:
        show.row(f"  old {held.against}", show.beginning(found.against_text))
    elif found.against_text:
        show.row(f"  old {show.beginning(found.against_text)}")
    if found.answer is not None:
        decided = found.answer
        show.row(f"  answered {decided.decision.value}", f"by {decided.actor.id}", decided.reason)


def _value(fact: Fact) -> str:
    return f"{fact.entity} {fact.attribute} = {fact.value} ({fact.confidence.value})"


def _decide(id: str, because: str, decide: Callable[[Memory], Callable[..., Review]]) -> None:
    with opened() as memory:
        found = decide(memory)(id, because=because)
    answer(found, lambda: item(found))


@review.command()
@click.argument("id")
@click.option("--because", required=True, metavar="WHY", help="Why; it is kept with the answer.")
def accept(id: str, because: str) -> None:
    """Let what waits take its place.

    Held words or a value count again; a new record supersedes the old one. A repeat is retired.
    """
    _decide(id, because, lambda memory: memory.review_accept)


@review.command()
@click.argument("id")
@click.option("--because", required=True, metavar="WHY", help="Why; it is kept with the answer.")
def reject(id: str, because: str) -> None:
    """Refuse what waits, so that it does not come back."""
    _decide(id, because, lambda memory: memory.review_reject)


@review.command()
@click.argument("id")
@click.option("--because", required=True, metavar="WHY", help="Why; it is kept with the answer.")
def keep(id: str, because: str) -> None:
    """Leave everything as it is, and ask no more."""
    _decide(id, because, lambda memory: memory.review_keep)


COMMANDS = (review,)
