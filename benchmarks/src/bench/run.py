"""One runner: every case of a world is a store of its own, filled and asked through the product."""

from __future__ import annotations

import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench import metrics, product, report
from bench.datasets import Case, DataMissing, Question, World, worlds
from bench.systems import SYSTEMS, System

QUALITY = ("locomo", "facts", "pooled", "planted")
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Config:
    """One file of `configs/`."""

    name: str
    system: str
    worlds: tuple[str, ...] = QUALITY
    split: str = "dev"
    seed: int = 0
    k: int = 50
    settings: Mapping[str, object] = field(default_factory=dict)
    """On top of the system's."""

    def plain(self) -> dict[str, object]:
        """For a manifest."""
        return {
            "name": self.name,
            "system": self.system,
            "worlds": list(self.worlds),
            "split": self.split,
            "seed": self.seed,
            "k": self.k,
            "settings": dict(self.settings),
        }


def load(path: Path) -> Config:
    """A config file; unknown keys are an error."""
    found = tomllib.loads(path.read_text())
    found["worlds"] = tuple(found.get("worlds", QUALITY))
    return Config(**{"name": path.stem, **found})


def system(config: Config) -> System:
    """The system of a config with the config's settings."""
    base = SYSTEMS[config.system]
    return System(base.name, base.says, base.embedder, {**base.settings, **config.settings}, base.off)


def judged(world: World, case: Case, question: Question, answer: product.Answer) -> report.Row:
    """The ranks of what was wanted in what came back."""
    ranked = metrics.distinct([each.uris for each in answer.passages])
    sessions: tuple[int | None, ...] = ()
    if "session" in world.levels and question.gold:
        of = {text.uri: text.session for text in case.texts}
        named = metrics.distinct([frozenset(of[uri] for uri in uris if uri in of) for uris in ranked])
        sessions = tuple(metrics.gold_ranks(named, list(dict.fromkeys(of[uri] for uri in question.gold))))
    return report.Row(
        world=world.name,
        question=question.id,
        category=question.category,
        group=question.group or question.id,
        turn=tuple(metrics.gold_ranks(ranked, question.gold)),
        session=sessions,
        ms=answer.ms,
        confidence=answer.confidence,
        abstention=answer.abstention,
    )


def answers(
    world: World, under: System, model: object | None, k: int
) -> Iterator[tuple[Case, Question, product.Answer]]:
    """Every question of a world with what the product said."""
    for case in world.cases():
        with (
            tempfile.TemporaryDirectory(prefix="quoth-bench-") as folder,
            product.opened(Path(folder) / "store", under, model) as memory,
        ):
            product.fill(memory, case.texts)
            for question in case.questions:
                yield case, question, product.ask(memory, question.text, k)


def run(config: Config, data: Path | None, say: Say) -> Path | None:
    """Measure one config; the result folder, or nothing when no world has its data."""
    under = system(config)
    chosen = {name: worlds(data, split=config.split, seed=config.seed)[name] for name in config.worlds}
    model = product.embedder(under)
    about = report.manifest(
        config.plain(),
        system=under.says,
        datasets=report.digests(chosen.values(), config.split),
        embedder={
            "name": getattr(model, "name", None),
            "note": "passage vectors come from a cache outside the repository; questions are embedded",
        },
        worlds={name: world.says for name, world in chosen.items()},
    )
    start = time.perf_counter()
    rows: list[report.Row] = []
    skipped: dict[str, str] = {}
    for name, world in chosen.items():
        begun = time.perf_counter()
        try:
            new = [judged(world, *each) for each in answers(world, under, model, config.k)]
        except DataMissing as missing:
            skipped[name] = str(missing)
            say(str(missing))
            continue
        rows += new
        say(f"{name}: {len(new)} questions in {time.perf_counter() - begun:.0f} s")
    if not rows:
        return None
    return report.write(
        config.name,
        {**about, "seconds": round(time.perf_counter() - start, 1), "skipped": skipped},
        report.summarise(rows),
        rows,
    )
