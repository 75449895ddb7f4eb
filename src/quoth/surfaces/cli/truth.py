"""Commands about what is true, and was."""

from __future__ import annotations

import click

from quoth.core.types import Filing
from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Command, answer, opened


@click.command(cls=Command)
@click.argument("id")
def history(id: str) -> None:
    """List how the record ID was kept over time."""
    with opened() as memory:
        filings = memory.history(id)
    answer({"id": id, "filings": filings}, lambda: _history(filings))


def _history(filings: tuple[Filing, ...]) -> None:
    for each in filings:
        parts = [
            f"{each.revision}  {each.filed_at.isoformat(timespec='seconds')}",
            each.status.value,
            f"by {each.actor.id} ({each.actor.kind.value})",
            *([f"in place of {each.supersedes}"] if each.supersedes else []),
            *([each.note] if each.note else []),
        ]
        show.row(*parts)


COMMANDS = (history,)
