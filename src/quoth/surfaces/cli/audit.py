"""The command that tells who did what."""

from __future__ import annotations

import click

from quoth.core.types import Audited
from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Command, answer, note, opened


@click.command(cls=Command)
@click.option("--since", metavar="TIME", help="From this moment on.")
def audit(since: str | None) -> None:
    """List who did what, when, through which door and why.

    Every change, and every attempt at what is not there or not allowed; oldest first.
    """
    with opened() as memory:
        found = memory.audit(since=since)
    answer(found, lambda: _lines(found.entries))
    for line in found.notes:
        note(line)


def _lines(entries: tuple[Audited, ...]) -> None:
    for each in entries:
        show.row(
            show.moment(each.at),
            f"{each.actor.id} ({each.actor.kind.value})",
            each.surface,
            each.action,
            *([each.subject] if each.subject else []),
            *([each.why] if each.why else []),
        )


COMMANDS = (audit,)
