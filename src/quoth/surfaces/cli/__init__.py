"""The command line, one file a command group."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from pathlib import Path

import click

from quoth.core.errors import UsageError
from quoth.surfaces import wire
from quoth.surfaces.cli import audit, facts, keep, look, prove, recall, remember, review, truth
from quoth.surfaces.cli.door import Root, fail

group = Root(
    {
        "remember": remember.COMMANDS,
        "recall": recall.COMMANDS,
        "truth": (*truth.COMMANDS, *facts.COMMANDS, *review.COMMANDS),
        "keep": keep.COMMANDS,
        "prove": (*prove.COMMANDS, *audit.COMMANDS),
        "look": look.COMMANDS,
    },
    name="quoth",
    help="The memory that quotes: your notes and conversations, word for word, on this machine.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
click.version_option(package_name="quoth", message="quoth %(version)s")(group)


def main() -> None:
    """Run the command line; ends the process."""
    if sys.stderr is None:  # closed by the caller: nobody is told
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (until the process ends)
    if sys.stdout is None:
        fail("standard output is closed: give /dev/null where no answer is wanted")
        sys.exit(wire.STATUSES[UsageError].exit)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Whatever the locale says; half a surrogate is shown as an escape (in JSON, the escape it needs).
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    group.main(prog_name="quoth")
