"""Commands that keep the store in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Group, answer, confirm, note, opened, progress

if TYPE_CHECKING:
    from quoth.memory import IndexStatus


OTHER = "`quoth index --scope NAME`"


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
            found = memory.index_status()
        answer({"embedded": made}, lambda: confirm(_made(made, found)))
        _another(found)


def _made(made: int, found: IndexStatus) -> str:
    """What came of it, also where there was nothing to do."""
    if made:
        return f"{show.many(made, 'vector')} made"
    if found.embedder is None:
        return "nothing to make: there is no embedder, words are found by themselves"
    if found.pending or (found.stored and found.stored != found.embedder):
        return "no vectors made"
    has = "has a vector" if found.passages == 1 else "have vectors"
    return f"nothing pending: {show.many(found.passages, 'passage')} {has}"


@index.command()
def status() -> None:
    """Say how many passages have vectors, and of which model."""
    with opened() as memory:
        found = memory.index_status()
    model = found.embedder or "none: words only"
    answer(
        found,
        lambda: show.row(
            show.many(found.passages, "passage"), f"{found.pending} without a vector", f"model {model}"
        ),
    )
    _another(found)


def _another(found: IndexStatus) -> None:
    if found.stored and found.embedder and found.stored != found.embedder:
        note(f"the vectors are of {found.stored!r} and not searched: `quoth index rebuild` makes new ones")


@index.command()
def rebuild() -> None:
    """Make the derived files again, and vectors with the model in use.

    It may be stopped: `quoth index` goes on. With another model than before, only this scope is
    embedded here, and every other scope of the store when it is next used: a few passages before each
    recall, all by `quoth index --scope NAME`.
    """
    with opened(one_shot=False) as memory, progress("vectors") as tell:
        before = memory.index_status()
        made = memory.index_rebuild(progress=tell)
    answer({"embedded": made}, lambda: confirm(f"rebuilt; {show.many(made, 'vector')} made"))
    if before.stored and before.embedder and before.stored != before.embedder:
        note(f"any other scope of this store is embedded when it is next used, or by {OTHER}")


COMMANDS = (index,)
