"""The command line of the benchmarks."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from bench import datasets, table

DATA = click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    envvar="QUOTH_BENCH_DATA",
    help="Folder with the development data (datasets.toml); also QUOTH_BENCH_DATA.",
)


def _say(line: str) -> None:
    click.echo(line, err=True)


@click.group()
def main() -> None:
    """Measure Quoth through quoth.open, as a user would."""


@main.command()
@click.argument("configs", nargs=-1, required=True, type=click.Path(path_type=Path))
@DATA
def run(configs: tuple[Path, ...], data: Path | None) -> None:
    """Run CONFIGS (files, or names in configs/) and write a result folder each."""
    from bench import run as running
    from bench import speed

    for given in configs:
        path = given if given.suffix == ".toml" else datasets.ROOT / "configs" / f"{given}.toml"
        if not path.is_file():
            raise click.UsageError(f"there is no config {given}")
        written = (
            speed.run(path, _say) if speed.is_speed(path) else running.run(running.load(path), data, _say)
        )
        click.echo(f"{path.stem}: {written.relative_to(datasets.ROOT) if written else 'nothing measured'}")


@main.command()
@DATA
@click.option("--split", default="dev", show_default=True)
def worlds(data: Path | None, split: str) -> None:
    """List the worlds with their numbers of stores, texts and questions."""
    for world in datasets.worlds(data, split=split).values():
        try:
            cases = list(world.cases())
        except datasets.DataMissing as missing:
            click.echo(f"{world.name}: {missing}")
            continue
        texts = sum(len(case.texts) for case in cases)
        asked = [question for case in cases for question in case.questions]
        kinds = sorted({question.category for question in asked if question.category})
        counts = ", ".join(f"{sum(q.category == kind for q in asked)} {kind}" for kind in kinds)
        click.echo(
            f"{world.name}: {len(asked)} questions, {len(cases)} stores, {texts} texts"
            + (f" ({counts})" if counts else "")
        )


@main.command(name="table")
@click.option("--check", is_flag=True, help="Change nothing; fail when a README says something else.")
def tables(check: bool) -> None:
    """Write the tables of README.md and benchmarks/README.md out of the committed results."""
    sys.exit(table.main(["--check"] if check else []))


@main.command()
@click.argument("system")
@click.argument("baseline")
def compare(system: str, baseline: str) -> None:
    """Compare the newest results of two configs on the same questions; writes a result folder."""
    from bench import report

    found = table.latest()
    mine, other = found[system], found[baseline]
    name = f"{system}-against-{baseline}"
    about = report.manifest({"name": name, "system": mine.name, "baseline": other.name})
    written = report.write(name, about, {"difference": report.compare(report.rows(mine), report.rows(other))})
    click.echo(f"{name}: {written.relative_to(datasets.ROOT)}")


@main.command()
@DATA
@click.option(
    "--embedder", type=click.Choice(["minilm", "static", "none"]), default="minilm", show_default=True
)
@click.option("--set", "changed", multiple=True, metavar="KEY=NUMBER", help="Another value of a setting.")
@click.option("--split", default="dev", show_default=True)
@click.option("--ablate/--no-ablate", help="Also fit without each feature, one after the other.")
@click.option("--again", is_flag=True, help="Ask the product again instead of using the kept evidence.")
def fit(
    data: Path | None, embedder: str, changed: tuple[str, ...], split: str, ablate: bool, again: bool
) -> None:
    """Learn the fusion weights, the wrong-person guard and the floor; writes a result folder."""
    from bench import fit as fitting

    written, weights = fitting.run(
        data,
        embedder=embedder,
        settings={key: json.loads(value) for key, _, value in (each.partition("=") for each in changed)},
        split=split,
        ablate=ablate,
        again=again,
        say=_say,
    )
    click.echo(json.dumps(weights, indent=1))
    click.echo(f"fit: {written.relative_to(datasets.ROOT)}")


@main.command()
@click.argument("config", default="speed", type=click.Path(path_type=Path))
def speed(config: Path) -> None:
    """Measure times, memory and disk (a config of kind speed)."""
    from bench import speed as speeding

    path = config if config.suffix == ".toml" else datasets.ROOT / "configs" / f"{config}.toml"
    written = speeding.run(path, _say)
    click.echo(f"{path.stem}: {written.relative_to(datasets.ROOT)}")
