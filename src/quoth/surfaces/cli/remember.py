"""Commands by which text comes in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from quoth.core.errors import InvalidInput
from quoth.core.types import Receipt, Result
from quoth.surfaces import wire
from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Command, answer, confirm, note, opened, progress


@click.command(cls=Command)
@click.argument("text")
def remember(text: str) -> int:
    """Keep TEXT word for word; `-` reads it from standard input."""
    words = _stdin() if text == "-" else text
    with opened() as memory:
        receipt = memory.remember(words)
        answer(receipt, lambda: _receipt(receipt))
    return wire.exit_code(receipt)


def _stdin() -> str:
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
        confirm(f"{_SAID[each.outcome]} {each.record_id or ''}".rstrip() + why)


@click.command(cls=Command)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--once", is_flag=True, help="Read what is there and end.")
def watch(paths: tuple[Path, ...], once: bool) -> None:
    """Take over what changed in folders and files."""
    if not once:
        raise click.UsageError("give --once: read what is there and end", click.get_current_context())
    with opened(one_shot=False) as memory:
        with progress("reading") as tell:
            report = memory.watch(paths, progress=tell)
        answer(report, lambda: _report(report))
        _pending(memory.index_status().pending)


@click.command("import", cls=Command)
@click.argument("format")
@click.argument("path", type=click.Path(path_type=Path))
def import_(format: str, path: Path) -> int:
    """Keep the transcripts of FORMAT at PATH, a file or a folder."""
    with opened(one_shot=False) as memory:
        with progress("reading") as tell:
            report = memory.import_(format, path, progress=tell)
        answer(report, lambda: _report(report))
        _pending(memory.index_status().pending)
    return max((code for result, code in wire.OUTCOMES.items() if getattr(report, result.value)), default=0)


def _report(report: object) -> None:
    form: Any = wire.form(report)
    confirm(show.counts(form))
    for problem in form.get("problems") or []:
        note(" ".join(str(part) for part in problem.values() if part is not None))


def _pending(count: int) -> None:
    if count:
        note(f"{count} passages are found by their words; `quoth index` adds their vectors")


COMMANDS = (remember, watch, import_)
