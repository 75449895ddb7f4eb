"""Commands about what is true, and was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quoth.core.types import Erased, Filing, Recalled, Trust
from quoth.surfaces import wire
from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Command, answer, confirm, given, note, opened

if TYPE_CHECKING:
    from quoth.memory import History, Refiled


@click.command(cls=Command)
@click.argument("id")
@click.argument("text", metavar="TEXT", nargs=-1)
@click.option("--because", required=True, metavar="WHY", help="Why; it is kept with the correction.")
@click.option("--at", metavar="TIME", help="Since when the new words are true; else from now.")
def correct(id: str, text: tuple[str, ...], because: str, at: str | None) -> int:
    """Put TEXT in the place of the words of record ID.

    The old words stay in the history. `-` reads TEXT from standard input. When somebody else corrected the
    record first, the exit code is 5 and the message names the record that stands now.
    """
    words = given(text)
    with opened() as memory:
        receipt = memory.correct(id, words, because=because, at=at)
        answer(receipt, lambda: show.receipt(receipt))
    return wire.exit_code(receipt)


@click.command(cls=Command)
@click.argument("id")
@click.option("--because", required=True, metavar="WHY", help="Why; it is kept with the rejection.")
def forget(id: str, because: str) -> None:
    """Stop serving the words of record ID.

    They stay in the history, and are held for review when they come again. `quoth reinstate ID` undoes it.
    """
    with opened() as memory:
        done = memory.forget(id, because=because)
    answer(done, lambda: _refiled("forgotten", done))


@click.command(cls=Command)
@click.argument("id")
@click.option("--because", default="", metavar="WHY", help="Why.")
def reinstate(id: str, because: str) -> None:
    """Serve record ID again.

    One that was forgotten, retracted or has expired. What another record took the place of stays so.
    """
    with opened() as memory:
        done = memory.reinstate(id, because=because)
    answer(done, lambda: _refiled("served again", done))


@click.command(cls=Command)
@click.argument("id")
@click.option("--at", metavar="TIME", help="When it ceased to be true, or will; else now.")
@click.option("--because", default="", metavar="WHY", help="Why.")
def expire(id: str, at: str | None, because: str) -> None:
    """End the time in which record ID is true.

    It was true until then, and is found when that time is asked for (`quoth recall --as-of`).
    """
    with opened() as memory:
        done = memory.expire(id, at=at, because=because)
    answer(done, lambda: _refiled(f"true {show.period(done.filing.valid)}:", done))


def _refiled(what: str, done: Refiled) -> None:
    confirm(f"{what} {done.id} ({done.standing.value.replace('_', ' ')})")
    for each in done.also:
        confirm(f"{what} {each}: the same words")
    for line in done.notes:
        note(line)


@click.command(cls=Command)
@click.argument("id")
@click.argument("level", type=click.Choice([each.value for each in Trust]), default=Trust.VERIFIED.value)
@click.option("--because", required=True, metavar="WHY", help="Why; it is kept with the record.")
def trust(id: str, level: str, because: str) -> None:
    """Say how far record ID is believed: LEVEL, else verified.

    What comes from the web is doubtful, and in no answer, until somebody has made sure of it.
    """
    with opened() as memory:
        done = memory.trust(id, Trust(level), because=because)
    answer(done, lambda: _refiled(done.filing.trust.value, done))


@click.command(cls=Command)
@click.argument("id")
@click.option("--because", required=True, metavar="WHY", help="Why; it is kept, the words are not.")
@click.option("--yes", is_flag=True, help="Do it; else it is only said what would go.")
def erase(id: str, because: str, yes: bool) -> int:
    """Destroy the words of record ID for good, everywhere.

    Without --yes it says what would go, and ends with 2. The words are refused when they come again.
    Copies that were made of the store, and the files from which it was read, are not ours to clean.
    """
    with opened(one_shot=False) as memory:
        done = memory.erase(id, because=because, dry_run=not yes)
    answer(done, lambda: _erased(done, yes))
    if not yes:
        note("nothing was erased: give --yes to do it")
        return wire.NOT_DONE
    return 0 if done.clean else wire.NOT_YET


def _erased(done: Erased, did: bool) -> None:
    for each in done.records:
        confirm(f"{'erased' if did else 'would be erased:'} {each}")
    for place, what in done.places.items():
        confirm(f"  {place}: {what}")


@click.command(cls=Command)
@click.argument("id")
def history(id: str) -> None:
    """List how the record ID was kept, and its chain of corrections.

    The chain is what it superseded, itself, and what superseded it.
    """
    with opened() as memory:
        found = memory.history(id)
    answer(found, lambda: _history(found))


def _history(found: History) -> None:
    for filing in found.filings:
        show.row(*_filing(filing))
    if len(found.chain) > 1:
        click.echo("chain, oldest first:")
        for each in found.chain:
            click.echo(_link(each, each.id == found.id))


def _filing(filing: Filing) -> list[str]:
    return [
        f"{filing.revision}  {show.moment(filing.filed_at)}",
        filing.status.value,
        f"true {show.period(filing.valid)}",
        f"by {filing.actor.id} ({filing.actor.kind.value})",
        *([f"in place of {filing.supersedes}"] if filing.supersedes else []),
        *([filing.note] if filing.note else []),
    ]


def _link(each: Recalled, asked: bool) -> str:
    standing = each.standing.value.replace("_", " ")
    return f"{'>' if asked else ' '} {each.id}  {standing}  {show.beginning(each.text)}"


COMMANDS = (correct, forget, reinstate, expire, trust, erase, history)
