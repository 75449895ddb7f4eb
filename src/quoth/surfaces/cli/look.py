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
    records, documents = show.many(found.records, "record"), show.many(found.documents, "document")
    show.row(records, f"{found.current} current", f"{found.held} held", f"{found.review} to review")
    show.row(documents, show.many(found.passages, "passage"), f"{found.pending} without a vector")
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
@click.option("--all", "every", is_flag=True, help="Also those that are rarely changed.")
def settings(every: bool) -> None:
    """List the settings, and what set each.

    The common ones and those that were changed; with --all or --json every one.
    """
    from quoth import app

    said = common()
    found = app.configured(said.store, actor=said.actor, scope=said.scope)
    answer({"settings": found}, lambda: _settings(found, every))


COMMON = ("store", "scope", "actor", "embedder", "recall.k", "recall.budget")


def _settings(found: tuple[Setting, ...], every: bool) -> None:
    shown = [each for each in found if every or each.key in COMMON or each.layer != "default"]
    for each in shown:
        show.row(f"{each.key} = {'none' if each.value is None else repr(each.value)}", each.layer)
    if len(shown) < len(found):
        confirm(f"and {len(found) - len(shown)} more with their defaults: quoth settings --all")


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
    if folder is None:
        raise InvalidInput("there are no examples here: run this in a clone, or give --examples DIR")
    if not _has_examples(folder):
        raise InvalidInput(f"no questions.txt, notes and transcripts are in {str(folder)!r}")
    questions = (folder / "questions.txt").read_text(encoding="utf-8").splitlines()
    with (
        TemporaryDirectory(prefix="quoth-demo-") as temporary,
        app.open(temporary, actor=common().actor, scope="demo", surface="cli") as memory,
    ):
        _remember(memory, folder)
        answers = [memory.recall(question, k=2, mode="strict") for question in questions if question.strip()]
    answer({"answers": answers}, lambda: _answers(answers))


def _examples() -> Path | None:
    """Those of the clone in which this is run, or from which it is run."""
    places = (Path("examples"), Path(__file__).parents[4] / "examples")
    return next((each for each in places if _has_examples(each)), None)


def _has_examples(folder: Path) -> bool:
    return (folder / "questions.txt").is_file() and all(
        (folder / each).is_dir() for each in ("notes", "transcripts")
    )


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
