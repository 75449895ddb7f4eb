"""Commands by which text comes in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quoth.core.types import Receipt
from quoth.surfaces import wire
from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Command, answer, confirm, given, note, opened, progress

if TYPE_CHECKING:
    from quoth.memory import ImportReport, WatchReport


@click.command(cls=Command)
@click.argument("text", metavar="TEXT", nargs=-1)
@click.option("--said-at", metavar="TIME", help="When it was said.")
@click.option("--from", "valid_from", metavar="TIME", help="Since when it is true; else since it was said.")
@click.option("--to", "valid_to", metavar="TIME", help="Until when it is true; then no longer.")
def remember(text: tuple[str, ...], said_at: str | None, valid_from: str | None, valid_to: str | None) -> int:
    """Keep TEXT word for word; `-` reads it from standard input.

    Put TEXT in quotes: several words without them are joined by single blanks.
    A TIME is 2026-03-01 (its first moment) or 2026-03-01T09:30+01:00; without an offset it is in the zone
    that is set.
    """
    words = given(text)
    with opened(create=True) as memory:
        receipt = memory.remember(words, said_at=said_at, valid_from=valid_from, valid_to=valid_to)
        answer(receipt, lambda: show.receipt(receipt))
    return wire.exit_code(receipt)


@click.command(cls=Command)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--once", is_flag=True, help="Look once and end; this version does nothing else.")
def watch(paths: tuple[Path, ...], once: bool) -> int:
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
    return wire.exit_code(Receipt(report.outcomes))


def _watched(report: WatchReport) -> None:
    files = {each: getattr(report, each) for each in ("unchanged", "new", "edited", "moved", "deleted")}
    changed = ("stored", "superseded", "retracted", "held", "refused")
    records = {each: getattr(report, each) for each in changed}
    confirm(f"{show.many(report.files, 'file')} read: {show.counts(files)}")
    confirm(f"records: {show.counts(records)}")
    _past(report.skipped)
    show.waiting(report.outcomes)
    for problem in (*report.problems, *report.notes):
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
        form = {
            "counts": found,
            "skipped": report.skipped,
            "outcomes": wire.concerning(report.receipt.outcomes),
            "problems": report.problems,
            "notes": report.receipt.notes,
        }
        answer(form, lambda: _imported(report, found, path))
    _pending()
    return wire.exit_code(report.receipt)


def _imported(report: ImportReport, found: Mapping[str, int], path: Path) -> None:
    confirm(f"records: {show.counts(found)}")
    if not found and not report.skipped:
        what = "no transcript (a file that ends in .jsonl)" if path.is_dir() else "nothing to keep"
        note(f"{what} is in {path}")
    _past(report.skipped)
    show.waiting(report.receipt.outcomes)
    for problem in report.problems:
        note(f"{problem.where}: {problem.what}")
    for line in report.receipt.notes:
        note(line)


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
