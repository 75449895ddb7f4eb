"""Times, memory and disk, each beside its target; the work itself is in `work.py`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench import report, stats
from bench.run import Say
from bench.synthetic import SCOPES, Conversations

TARGETS = {
    ("minilm", 10_000): 10,
    ("minilm", 100_000): 25,
    ("minilm", 1_000_000): 75,
    ("static", 10_000): 4,
    ("static", 100_000): 18,
    ("static", 1_000_000): 65,
}
"""p50 of a warm recall in one scope, milliseconds; p95 under 2.5 times that."""
TARGET_ONE_PERCENT = 18
SHARES = {
    "bench:all": "in a scope of N",
    "bench:ten": "in a scope of N/10 beside it",
    "bench:one": "in a scope of N/100 beside it",
}


@dataclass(frozen=True, slots=True)
class Speed:
    """One file of `configs/` with `kind = "speed"`."""

    name: str
    embedder: str = "minilm"
    sizes: tuple[int, ...] = (10_000, 100_000, 1_000_000)
    questions: int = 200
    k: int = 5
    seed: int = 0
    words_passages: int = 50_000
    vector_passages: int = 1_500
    singles: int = 200
    fresh: int = 9
    note: str = ""
    plain: Mapping[str, object] = field(default_factory=dict)


def is_speed(path: Path) -> bool:
    """Whether a config is one of these."""
    return tomllib.loads(path.read_text()).get("kind") == "speed"


def load(path: Path) -> Speed:
    """A config file."""
    found = tomllib.loads(path.read_text())
    plain = {"name": path.stem, **found}
    found.pop("kind")
    return Speed(path.stem, **{**found, "sizes": tuple(found["sizes"])}, plain=plain)


def _do(name: str, **given: object) -> dict:
    """One piece of work in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.work", name, json.dumps(given)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{name} failed:\n{done.stderr[-4000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def _line(work: str, target: str, measured: str, **numbers: object) -> dict[str, object]:
    return {"work": work, "target": target, "measured": measured, "numbers": numbers}


def _percentiles(times: list[float]) -> dict[str, float]:
    return {
        "n": len(times),
        "p50": round(stats.percentile(times, 50), 3),
        "p95": round(stats.percentile(times, 95), 3),
    }


def recalls(config: Speed, folder: Path, say: Say) -> list[dict[str, object]]:
    """Every size and scope; memory and disk on the way."""
    lines = []
    for size in config.sizes:
        store = folder / f"store-{size}"
        filled = _filled(config, store, size)
        files = {str(f.relative_to(store)): f.stat().st_size for f in sorted(store.rglob("*")) if f.is_file()}
        each = sum(files.values()) / filled["passages"]
        say(f"{size}: {filled['passages']} passages, {each:.0f} bytes each, {filled['words_per_s']:.0f}/s")
        lines.append(
            _line(f"disk a passage, N = {size:,}", "≤ 3.5 kB", f"{each / 1000:.2f} kB", **filled, files=files)
        )
        for scope in SCOPES:
            found = _do(
                "recall",
                store=str(store),
                embedder=config.embedder,
                passages=size,
                seed=config.seed,
                scope=scope,
                questions=config.questions,
                k=config.k,
            )
            times = _percentiles(found.pop("ms"))
            aim = TARGETS.get((config.embedder, size)) if scope == "bench:all" else None
            target = f"p50 {aim} ms, p95 < {2.5 * aim:g} ms" if aim else ""
            if scope == "bench:one" and size == 1_000_000 and config.embedder == "minilm":
                target = f"p50 {TARGET_ONE_PERCENT} ms"
            shown = f"p50 {times['p50']:.1f} ms, p95 {times['p95']:.1f} ms"
            say(f"{size} {scope}: {shown}, found {found['found']:.2f}, own {found['memory']['own']:.0f} MiB")
            work = f"recall, warm, {config.embedder}, N = {size:,}, {SHARES[scope]}"
            lines.append(_line(work, target, shown, **times, **found))
            if scope == "bench:all":
                ram = found["memory"]
                shown = f"{ram['own']:.0f} MiB own, {ram['mapped']:.0f} MiB mapped"
                target = "≤ 1,536 MiB own" if size == 1_000_000 else ""
                lines.append(_line(f"memory while serving N = {size:,}", target, shown, **ram))
    return lines


def _filled(config: Speed, store: Path, size: int) -> dict:
    """Fill a store, once: what was measured then stands beside it for the next run (QUOTH_BENCH_STORES)."""
    note = store.with_suffix(".json")
    if not note.exists():
        filled = _do("fill", store=str(store), embedder=config.embedder, passages=size, seed=config.seed)
        note.write_text(json.dumps(filled), encoding="utf-8")
    return json.loads(note.read_text(encoding="utf-8"))


def writes(config: Speed, folder: Path, stores: Path, say: Say) -> list[dict[str, object]]:
    """Bulk imports and single notes."""
    lines = []
    amount = config.words_passages
    found = _do("imported", store=str(folder / "words"), embedder="none", passages=amount, seed=config.seed)
    rate = f"{found['words_per_s']:,.0f} passages/s"
    lines.append(_line("bulk import, words findable", "≥ 5,000 passages/s", rate, **found))
    say(f"bulk import, words: {rate}")
    amount = config.vector_passages
    found = _do(
        "imported", store=str(folder / "vectors"), embedder=config.embedder, passages=amount, seed=config.seed
    )
    rate = f"{found['whole_per_s']:,.0f} passages/s"
    target = "≥ 80 passages/s" if config.embedder == "minilm" else "≥ 2,000 passages/s"
    lines.append(_line(f"bulk import, every vector, {config.embedder}", target, rate, **found))
    say(f"bulk import, vectors: {rate}")
    smallest = stores / f"store-{config.sizes[0]}"
    found = _do(
        "singles",
        store=str(smallest),
        embedder=config.embedder if config.embedder == "minilm" else "none",
        count=config.singles + 10,
        seed=config.seed,
        scope="bench:notes",
    )
    mine, bare = _percentiles(found["remember_ms"]), _percentiles(found["bare_ms"])
    ratio = mine["p50"] / bare["p50"]
    shown = f"p50 {mine['p50']:.2f} ms, bare commit {bare['p50']:.2f} ms: {ratio:.1f} times"
    lines.append(_line("durable remember of one note", "≤ 2 times", shown, remember=mine, bare=bare))
    say(f"single remember: {shown}")
    return lines


def fresh(config: Speed, stores: Path, say: Say) -> dict[str, object]:
    """`quoth recall` as a new process on the smallest store."""
    store = stores / f"store-{config.sizes[0]}"
    program = Path(sys.executable).with_name("quoth")
    command = [str(program)] if program.exists() else [sys.executable, "-m", "quoth"]
    asked = Conversations(config.sizes[0], config.seed).questions(config.fresh + 2)
    keep = {k: v for k, v in os.environ.items() if not k.startswith("QUOTH_")}
    environment = keep | {
        "QUOTH_STORE": str(store),
        "QUOTH_SCOPE": "bench:all",
        "QUOTH_EMBEDDER": config.embedder,
        "QUOTH_ACTOR": "bench",
    }
    times = []
    for each in asked:
        start = time.perf_counter()
        done = subprocess.run(
            [*command, "recall", each.text, "--json"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        times.append(1000 * (time.perf_counter() - start))
        if done.returncode:
            raise RuntimeError(f"quoth recall failed:\n{done.stderr[-2000:]}")
    numbers = _percentiles(times[2:])
    shown = f"p50 {numbers['p50']:.0f} ms wall"
    say(f"fresh process: {shown}")
    aim = 600 if config.embedder == "minilm" else 300
    work = f"quoth recall, new process, {config.embedder}, {config.sizes[0]:,} passages"
    return _line(work, f"≤ {aim} ms", shown, **numbers)


def run(path: Path, say: Say) -> Path:
    """Measure one speed config; the result folder."""
    config = load(path)
    about = report.manifest(
        config.plain,
        filled="stores are filled through a seeded embedder that bears the real one's name and dimensions, "
        "and asked through the real one; imports and single notes use the real one",
        generator="bench.synthetic: N passages in one scope, N/10 and N/100 in two more of the same store",
    )
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="quoth-speed-", dir=os.environ.get("QUOTH_BENCH_TMP")) as name:
        folder = Path(name)
        kept = os.environ.get("QUOTH_BENCH_STORES")
        stores = Path(kept) / config.embedder if kept else folder
        stores.mkdir(parents=True, exist_ok=True)
        lines = recalls(config, stores, say)
        lines += writes(config, folder, stores, say)
        lines.append(fresh(config, stores, say))
    done = {**about, "seconds": round(time.perf_counter() - start, 1), "note": config.note}
    return report.write(path.stem, done, {"speed": lines})
