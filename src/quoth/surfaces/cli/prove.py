"""Commands that prove what is kept."""

from __future__ import annotations

import click

from quoth.core.types import Verification
from quoth.surfaces import wire
from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Command, answer, opened


@click.command(cls=Command)
def verify() -> int:
    """Compare every record with the ledger.

    Exit code 70 when something was altered or cut.
    """
    with opened() as memory:
        found = memory.verify()
    answer(found, lambda: _verification(found))
    return 0 if found.clean else wire.NOT_CLEAN


def _verification(found: Verification) -> None:
    show.row("clean" if found.clean else "NOT CLEAN", show.counts(found.counts))
    for head in found.heads:
        show.row(f"head {head.scope}", show.many(head.seq, "entry", "entries"), head.hash)
    show.row(f"ledger {found.anchored}", f"index {found.index}")
    for problem in found.problems:
        show.row(f"problem: {problem}")
    for verdict in found.verdicts:
        show.row(f"{verdict.state.value} {verdict.record_id}", verdict.next_action)
    if found.clean:
        show.row(f"proves: {found.proves}")
        show.row(f"does not prove: {found.does_not_prove}")


COMMANDS = (verify,)
