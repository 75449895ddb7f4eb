"""Commands that look around: what is here, where it lies, how it is set, what it can do."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from quoth.core.errors import InvalidInput
from quoth.core.types import Counts, Recollection
from quoth.surfaces.cli import show
from quoth.surfaces.cli.door import Command, answer, common, confirm, opened, progress

if TYPE_CHECKING:
    from quoth.app import Setting, Where
    from quoth.memory import Memory


@click.command(cls=Command)
def status() -> None:
    """Say how much the scope holds."""
    with opened() as memory:
        found = memory.status()
    answer(found, lambda: _status(found))


def _status(found: Counts) -> None:
    show.row(f"{found.records} records", f"{found.current} current", f"{found.held} held for review")
    show.row(
        f"{found.documents} documents", f"{found.passages} passages", f"{found.pending} without a vector"
    )
    show.row(show.size(found.bytes))


@click.command(cls=Command)
def where() -> None:
    """Say where the store lies, in which scope you act, as whom."""
    from quoth import app

    said = common()
    found = app.where(said.store, actor=said.actor, scope=said.scope)
    answer(found, lambda: _where(found))


def _where(found: Where) -> None:
    show.row(f"store     {found.store}" + ("" if found.exists else " (not made yet)"))
    show.row(f"settings  {found.settings}")
    if found.project_settings:
        show.row(f"project   {found.project_settings}")
    held = "" if found.records is None else f" ({show.many(found.records, 'record')})"
    show.row(f"scope     {found.scope}{held}")
    show.row(f"actor     {found.actor}")
    show.row(f"embedder  {found.embedder}")
    if found.problem:
        show.row(f"problem   {found.problem}")


@click.command(cls=Command)
def settings() -> None:
    """List every setting, and what set it."""
    from quoth import app

    said = common()
    found = app.configured(said.store, actor=said.actor, scope=said.scope)
    answer({"settings": found}, lambda: _settings(found))


def _settings(found: tuple[Setting, ...]) -> None:
    for each in found:
        show.row(f"{each.key} = {each.value!r}", each.layer)


@click.command(cls=Command)
@click.option(
    "--examples", type=click.Path(path_type=Path), metavar="DIR", help="A folder with notes and transcripts."
)
def demo(examples: Path | None) -> None:
    """Remember example notes and ask three questions.

    In a temporary store, which is gone afterwards.
    """
    from quoth import app

    folder = examples or _examples()
    if not (folder / "questions.txt").is_file():
        raise InvalidInput(f"no examples in {str(folder)!r}: run this in a clone, or give --examples DIR")
    questions = (folder / "questions.txt").read_text(encoding="utf-8").splitlines()
    with (
        TemporaryDirectory(prefix="quoth-demo-") as temporary,
        app.open(temporary, actor=common().actor, scope="demo", surface="cli") as memory,
    ):
        _remember(memory, folder)
        answers = [memory.recall(question, k=2, mode="strict") for question in questions if question.strip()]
    answer({"answers": answers}, lambda: _answers(answers))


def _examples() -> Path:
    here = Path("examples")
    return here if here.is_dir() else Path(__file__).parents[4] / "examples"


def _remember(memory: Memory, folder: Path) -> None:
    memory.watch([folder / "notes"])
    for transcript in sorted((folder / "transcripts").iterdir()):
        memory.import_(transcript.stem, transcript)
    with progress("vectors") as tell:
        memory.index(progress=tell)
    if not common().json:
        found = memory.status()
        documents, records = show.many(found.documents, "document"), show.many(found.records, "record")
        confirm(f"Remembered {documents} of {folder} as {records}.")


def _answers(answers: list[Recollection]) -> None:
    for found in answers:
        click.echo()
        click.secho(f"? {found.question}", bold=True)
        click.echo()
        show.recollection(found)


COMMANDS = (status, where, settings, demo)
