"""Commands that keep the store in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Group, answer, confirm, opened, progress

if TYPE_CHECKING:
    pass


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def index(context: click.Context) -> None:
    """Make the vectors that are pending.

    It may be stopped, and goes on where it was.
    """
    if context.invoked_subcommand is None:
        with opened(one_shot=False) as memory:
            with progress("vectors") as tell:
                made = memory.index(progress=tell)
            answer({"embedded": made}, lambda: confirm(f"{made} vectors made"))
            _another(memory.index_status())


@index.command()
def status() -> None:
    """Say how many passages have vectors, and of which model."""
    with opened() as memory:
        found = memory.index_status()
    model = found.embedder or "none: words only"
    answer(
        found,
        lambda: show.row(
            f"{found.passages - found.pending} of {found.passages} passages have vectors", model
        ),
    )


@index.command()
def rebuild() -> None:
    """Make the derived files again, and vectors with the model in use.

    It may be stopped: `quoth index` goes on.
    """
    with opened(one_shot=False) as memory, progress("vectors") as tell:
        made = memory.index_rebuild(progress=tell)
    answer({"embedded": made}, lambda: confirm(f"rebuilt; {made} vectors made"))


COMMANDS = (index,)
