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
@click.argument("text", metavar="TEXT", nargs=-1)
def remember(text: tuple[str, ...]) -> int:
    """Keep TEXT word for word; `-` reads it from standard input.

    Put TEXT in quotes: several words without them are joined by single blanks.
    """
    if not text:
        message = "give TEXT in quotes, or `-` to read it from standard input"
        raise click.UsageError(message, click.get_current_context())
    words = _stdin() if text == ("-",) else " ".join(text)
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
@click.option("--once", is_flag=True, help="Look once and end; this version does nothing else.")
def watch(paths: tuple[Path, ...], once: bool) -> None:
    """Take over what changed in folders and files.

    This version looks once, and --once must be given; run it again for what changed since.
    """
    if not once:
        message = "give --once: this version looks once and ends"
        raise click.UsageError(message, click.get_current_context())
    with opened(one_shot=False, create=True) as memory:
        with progress("reading") as tell:
            report = memory.watch(paths, progress=tell)
        answer(report, lambda: _watched(report))
    _pending()


def _watched(report: WatchReport) -> None:
    files = {each: getattr(report, each) for each in ("unchanged", "new", "edited", "moved", "deleted")}
    records = {each: getattr(report, each) for each in ("stored", "superseded", "retracted")}
    confirm(f"{show.many(report.files, 'file')} read: {show.counts(files)}")
    confirm(f"records: {show.counts(records)}")
    _past(report.skipped)
    for problem in report.problems:
        note(problem)


@click.command("import", cls=Command)
@click.argument("format")
@click.argument("path", type=click.Path(path_type=Path))
def import_(format: str, path: Path) -> int:
    """Keep the transcripts of FORMAT at PATH, a file or a folder.

    FORMAT is claude-code or codex; or markdown or text, for one file that is not watched.
    """
    with opened(one_shot=False, create=True) as memory:
        with progress("reading") as tell:
            report = memory.import_(format, path, progress=tell)
        found = wire.counts(report.receipt)
        form = {"counts": found, "skipped": report.skipped, "problems": report.problems}
        answer(form, lambda: _imported(report, found, path))
    _pending()
    return wire.exit_code(report.receipt)


def _imported(report: ImportReport, found: Mapping[str, int], path: Path) -> None:
    confirm(f"records: {show.counts(found)}")
    if not found and not report.skipped:
        what = "no transcript (a file that ends in .jsonl)" if path.is_dir() else "nothing to keep"
        note(f"{what} is in {path}")
    _past(report.skipped)
    for problem in report.problems:
        note(f"{problem.where}: {problem.what}")


def _past(skipped: Mapping[str, int]) -> None:
    if skipped:
        confirm(f"read past: {', '.join(show.some(*each) for each in skipped.items())}")


def _pending() -> None:
    """Say how many vectors are left to make, after the memory has made a few by itself."""
    with opened() as memory:
        left = memory.index_status().pending
    if left:
        are, their = ("is", "its vector") if left == 1 else ("are", "their vectors")
        found = f"{show.many(left, 'passage')} {are} found by words only"
        note(f"{found}, until `quoth index` has made {their}")


COMMANDS = (remember, watch, import_)
