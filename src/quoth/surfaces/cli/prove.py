"""Commands that prove what is kept."""

from __future__ import annotations

from pathlib import Path

import click

from quoth.core import witness as witnesses
from quoth.core.errors import InvalidInput
from quoth.core.types import Adoption, Explanation, Head, Resolution, Resolved, Verification
from quoth.surfaces import wire
from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Command, answer, confirm, opened


@click.command(cls=Command)
@click.option(
    "--witness",
    "kept",
    metavar="FILE|HEAD",
    multiple=True,
    help="A head that was kept elsewhere, or a file of them: what `verify` printed.",
)
@click.option("--explain", metavar="ID", help="What is held of ID, and every entry that speaks for it.")
@click.option("--adopt", is_flag=True, help="Show what the ledger does not know; with --yes seal it.")
@click.option("--resolve", is_flag=True, help="Show which chains do not hold; with --yes begin them anew.")
@click.option("--because", metavar="WHY", default="", help="Why they are begun anew; goes into the ledger.")
@click.option("--yes", is_flag=True, help="Do it, where --adopt or --resolve only show.")
def verify(
    kept: tuple[str, ...], explain: str | None, adopt: bool, resolve: bool, because: str, yes: bool
) -> int:
    """Compare every record with the ledger.

    Exit code 70 when something was altered or cut, or when no witness says how long a chain was.
    """
    if (explain is not None) + adopt + resolve > 1:
        raise InvalidInput("--explain, --adopt and --resolve are three different things: choose one")
    if (yes and not (adopt or resolve)) or (because and not resolve) or (kept and (explain or resolve)):
        raise InvalidInput(
            "--yes goes with --adopt or --resolve, --because with --resolve, --witness without"
        )
    heads = tuple(head for each in kept for head in _heads(each))
    with opened() as memory:
        if explain is not None:
            told = memory.verify_explain(explain)
            answer(told, lambda: _explanation(told))
        elif adopt:
            adopted = memory.verify_adopt(witness=heads, yes=yes)
            answer(adopted, lambda: _adoption(adopted))
        elif resolve:
            closed = memory.verify_resolve(because, yes=yes)
            answer(closed, lambda: _resolution(closed))
        else:
            found = memory.verify(witness=heads)
            answer(found, lambda: _verification(found))
            return 0 if found.clean else wire.NOT_CLEAN
    return 0


def _heads(given: str) -> tuple[Head, ...]:
    """The heads in a file, or in the argument itself."""
    path = Path(given)
    if len(given) < 4096 and path.is_file():
        return witnesses.heads(path.read_text(encoding="utf-8", errors="replace"))
    return witnesses.heads(given)


def _verification(found: Verification) -> None:
    said = "clean" if found.clean else "NOT CLEAN"
    events = [show.counts(found.events) + " in events"] if any(found.events.values()) else []
    show.row(said, show.counts(found.counts), *events)
    for head in found.heads:
        show.row(f"head {witnesses.line(head)}")
    show.row(f"ledger {found.anchored}", f"index {found.index}")
    for problem in found.problems:
        show.row(f"problem: {problem}")
    for verdict in found.verdicts:
        what = "" if verdict.kind == "record" else f"{verdict.kind} "
        show.row(f"{verdict.state.value} {what}{verdict.id}", *filter(None, [verdict.next_action]))
    for part in found.resolved:
        _part("resolved", part)
    if found.clean:
        show.row(f"proves: {found.proves}")
        show.row(f"does not prove: {found.does_not_prove}")


def _part(label: str, part: Resolved) -> None:
    """A part of a chain that was closed, or would be."""
    who = [f"by {part.actor.id}"] if part.actor else []
    when = [part.at.isoformat(timespec="seconds")] if part.at else []
    show.row(
        f"{label} {part.origin} {part.scope}",
        show.many(part.entries, "entry", "entries"),
        f"{part.disputed} in dispute",
        *who,
        *when,
        *([part.because] if part.because else []),
    )
    for line in part.found:
        show.row(f"  {line}")
    show.row(f"  all of it: {part.hash}")


def _explanation(told: Explanation) -> None:
    show.row(f"{told.state.value} {'' if told.kind == 'record' else told.kind + ' '}{told.id}")
    for line in told.held:
        show.row(f"held: {line}")
    for each in told.entries:
        entry = each.entry
        show.row(
            f"entry {entry.seq} {entry.action}",
            entry.at.isoformat(timespec="seconds"),
            f"by {entry.actor.id}",
            "fits" if each.fits else "does not fit",
            "sound" if each.sound else "in dispute",
            f"chain {entry.origin}",
        )
    for problem in told.problems:
        show.row(f"problem: {problem}")
    show.row(f"next: {told.next_action}")


def _adoption(adopted: Adoption) -> None:
    counted = f"{show.many(adopted.records, 'record')}, {show.many(adopted.events, 'event')}"
    show.row("sealed" if adopted.done else "would seal", counted, adopted.why)
    for id in adopted.sample:
        show.row(f"  {id}")
    for id in adopted.refused:
        show.row(f"never sealed {id}", "it does not fit its own digest: restore it from a backup")
    if adopted.records + adopted.events and not adopted.done:
        confirm("nothing was written: look at each with --explain, then add --yes")


def _resolution(closed: Resolution) -> None:
    for part in closed.segments:
        _part("closed" if closed.done else "would close", part)
    if not closed.done:
        confirm("nothing was written: to begin these chains anew add --yes")


COMMANDS = (verify,)
