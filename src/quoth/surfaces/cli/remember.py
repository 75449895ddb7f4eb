"""Commands by which text comes in."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quoth.core.errors import InvalidInput
from quoth.core.types import Receipt, Result
from quoth.surfaces import wire
from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Command, answer, confirm, fail, note, opened, progress

if TYPE_CHECKING:
    from quoth.memory import ImportReport, WatchReport


@click.command(cls=Command)
@click.argument("text")
def remember(text: str) -> int:
    """Keep TEXT word for word; `-` reads it from standard input."""
    words = _stdin() if text == "-" else text
    with opened(create=True) as memory:
        receipt = memory.remember(words)
        answer(receipt, lambda: _receipt(receipt))
    return wire.exit_code(receipt)


def _stdin() -> str:
    if sys.stdin is None:
        raise InvalidInput("standard input is closed: there is nothing to read")
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"standard input is not UTF-8 (byte {error.start})") from None


_SAID = {
    Result.STORED: "kept",
    Result.DUPLICATE: "known already",
    Result.HELD: "held for review",
    Result.REFUSED: "refused",
    Result.QUEUED: "queued, not yet kept",
}


def _receipt(receipt: Receipt) -> None:
    for each in receipt.outcomes:
        why = f": {each.why}" if each.why else ""
        line = f"{_SAID[each.outcome]} {each.record_id or ''}".rstrip() + why
        if each.outcome in wire.OUTCOMES:
            fail(line)
        else:
            confirm(line)


@click.command(cls=Command)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--once", is_flag=True, help="Read what is there and end.")
def watch(paths: tuple[Path, ...], once: bool) -> None:
    """Take over what changed in folders and files."""
    if not once:
        raise click.UsageError("give --once: read what is there and end", click.get_current_context())
    with opened(one_shot=False, create=True) as memory:
        with progress("reading") as tell:
            report = memory.watch(paths, progress=tell)
        answer(report, lambda: _watched(report))
    _pending()


def _watched(report: WatchReport) -> None:
    form = wire.form(report)
    assert isinstance(form, dict)
    confirm(f"files: {show.counts(form)}")
    _past(report.skipped)
    for problem in report.problems:
        note(problem)


@click.command("import", cls=Command)
@click.argument("format")
@click.argument("path", type=click.Path(path_type=Path))
def import_(format: str, path: Path) -> int:
    """Keep the transcripts of FORMAT at PATH, a file or a folder."""
    with opened(one_shot=False, create=True) as memory:
        with progress("reading") as tell:
            report = memory.import_(format, path, progress=tell)
        found = wire.counts(report.receipt)
        form = {"counts": found, "skipped": report.skipped, "problems": report.problems}
        answer(form, lambda: _imported(report, found))
    _pending()
    return wire.exit_code(report.receipt)


def _imported(report: ImportReport, found: Mapping[str, int]) -> None:
    confirm(f"records: {show.counts(found)}")
    _past(report.skipped)
    for problem in report.problems:
        note(f"{problem.where}: {problem.what}")


def _past(skipped: Mapping[str, int]) -> None:
    if skipped:
        confirm(f"read past: {show.counts(skipped)}")


def _pending() -> None:
    """Say how many vectors are left to make, after the memory has made a few by itself."""
    with opened() as memory:
        left = memory.index_status().pending
    if left:
        note(f"{left} passages are found by their words only, until `quoth index` has made their vectors")


COMMANDS = (remember, watch, import_)
