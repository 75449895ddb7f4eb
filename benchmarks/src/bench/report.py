"""Result folders: written once, never edited.

`results/<date>-<config>-<shortsha>/` holds `manifest.json` (what ran, on what), `per_query.jsonl` (one line a
question: ids and ranks, never words) and `summary.json` (n, estimate, 95 % interval).
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from bench import metrics, stats
from bench.datasets import ROOT, World, register

RESULTS = ROOT / "results"
PACKAGES = ("quoth", "numpy", "scipy", "onnxruntime", "tokenizers", "apsw-sqlite3mc", "numkong", "wordllama")


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one question."""

    world: str
    question: str
    category: str
    group: str
    turn: tuple[int | None, ...]
    """Rank of each gold text; `None`: not returned."""
    session: tuple[int | None, ...]
    """Rank of each gold session, by its best text; empty where sessions are not ranked."""
    ms: float
    confidence: str = ""
    abstention: str = ""

    def line(self) -> str:
        """One line of `per_query.jsonl`."""
        kept = {key: value for key, value in asdict(self).items() if value not in ("", (), None)}
        if self.group == self.question:
            kept.pop("group")
        return json.dumps(kept | {"ms": round(self.ms, 2)}, separators=(",", ":"))


def row(line: str) -> Row:
    """The row of one line."""
    found = json.loads(line)
    return Row(
        world=found["world"],
        question=found["question"],
        category=found.get("category", ""),
        group=found.get("group", found["question"]),
        turn=tuple(found.get("turn", ())),
        session=tuple(found.get("session", ())),
        ms=found["ms"],
        confidence=found.get("confidence", ""),
        abstention=found.get("abstention", ""),
    )


def _measured(rows: Sequence[Row], level: str) -> dict[str, dict[str, float | int]]:
    ranks = [getattr(each, level) for each in rows]
    groups = [each.group for each in rows]
    found = {}
    for name, metric in metrics.METRICS.items():
        values = [metric(each) for each in ranks]
        rate = name in metrics.RATES
        estimate = stats.wilson(round(sum(values)), len(values)) if rate else stats.bootstrap(values, groups)
        found[name] = estimate.rounded()
    return found


def summarise(rows: Sequence[Row]) -> dict[str, object]:
    """Every world of these rows: ranking, refusals and times."""
    found: dict[str, object] = {}
    for world in dict.fromkeys(each.world for each in rows):
        mine = [each for each in rows if each.world == world]
        asked = [each for each in mine if each.turn]
        entry: dict[str, object] = {"questions": len(mine)}
        for level in ("turn", "session"):
            ranked = [each for each in asked if getattr(each, level)]
            if ranked:
                entry[level] = _measured(ranked, level)
        kinds = [kind for kind in dict.fromkeys(each.category for each in asked) if kind]
        if len(kinds) > 1:
            entry["categories"] = {
                kind: _measured([each for each in asked if each.category == kind], "turn")
                for kind in sorted(kinds)
            }
        refused = sum(bool(each.abstention) for each in mine)
        entry["refused"] = stats.wilson(refused, len(mine)).rounded()
        levels = [each.confidence for each in mine if each.confidence]
        entry["confidence"] = {name: levels.count(name) for name in sorted(set(levels))}
        times = [each.ms for each in mine]
        entry["recall_ms"] = {
            "p50": round(stats.percentile(times, 50), 2),
            "p95": round(stats.percentile(times, 95), 2),
        }
        found[world] = entry
    return found


def compare(system: Sequence[Row], baseline: Sequence[Row]) -> dict[str, object]:
    """Paired differences, world by world; refuses other questions on the other side."""
    found: dict[str, object] = {}
    mine = {(each.world, each.question): each for each in system}
    theirs = {(each.world, each.question): each for each in baseline}
    for world in dict.fromkeys(each.world for each in system):
        keys = [key for key, each in mine.items() if key[0] == world and each.turn]
        other = [key for key, each in theirs.items() if key[0] == world and each.turn]
        if not keys and not other:
            continue
        if set(keys) != set(other):
            raise ValueError(f"{world}: not the same questions ({len(keys)} and {len(other)})")
        groups = [mine[key].group for key in keys]
        entry: dict[str, object] = {}
        for level in ("turn", "session"):
            if not all(getattr(mine[key], level) for key in keys):
                continue
            entry[level] = {
                name: _rounded(
                    stats.paired(
                        [metric(getattr(mine[key], level)) for key in keys],
                        [metric(getattr(theirs[key], level)) for key in keys],
                        groups,
                    )
                )
                for name, metric in metrics.METRICS.items()
            }
        found[world] = entry
    return found


def _rounded(difference: stats.Difference) -> dict[str, float | int]:
    return {k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in asdict(difference).items()}


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _machine() -> dict[str, object]:
    cpu = Path("/proc/cpuinfo")
    names = (
        [line for line in cpu.read_text().splitlines() if line.startswith("model name")]
        if cpu.exists()
        else []
    )
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "cpu": names[0].partition(":")[2].strip() if names else platform.processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(pages / 2**30, 1),
        "load_average": [round(each, 2) for each in os.getloadavg()],
    }


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def digests(used: Iterable[World], split: str) -> dict[str, dict[str, object]]:
    """SHA-256 of every data file, and whether `datasets.toml` knows it."""
    known = {entry.get("sha256", {}).get(split) for entry in register().values() if isinstance(entry, dict)}  # type: ignore[attr-defined]
    found = {}
    for file in sorted({file for world in used for file in world.files}):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        committed = ROOT in file.parents
        found[file.name] = {"sha256": digest, "known": committed or digest in known}
    return found


def manifest(config: Mapping[str, object], **more: object) -> dict[str, object]:
    """What every run says of itself; call it before the work, so that the load is the one before."""
    plain = json.dumps(config, sort_keys=True)
    commit = _git("rev-parse", "HEAD")
    return {
        "config": dict(config),
        "config_sha256": hashlib.sha256(plain.encode()).hexdigest(),
        "commit": commit or None,
        "dirty": bool(_git("status", "--porcelain", "--", "..", ":(exclude)results")) or not commit,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": "bench " + " ".join(Path(a).name if os.sep in a else a for a in sys.argv[1:]),
        "versions": _versions(),
        "machine": _machine(),
        **more,
    }


def write(
    name: str,
    about: Mapping[str, object],
    summary: Mapping[str, object],
    rows: Sequence[Row] = (),
    where: Path | None = None,
) -> Path:
    """A new result folder; a second run on the same day and commit gets a number."""
    sha = str(about.get("commit") or "")[:7] or "nogit"
    base = (where or RESULTS) / f"{datetime.now(UTC).date()}-{name}-{sha}"
    folder, number = base, 1
    while folder.exists():
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    folder.mkdir(parents=True)
    if rows:
        (folder / "per_query.jsonl").write_text("".join(each.line() + "\n" for each in rows))
    (folder / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    finished = {"finished": datetime.now(UTC).isoformat(timespec="seconds")}
    (folder / "manifest.json").write_text(json.dumps({**about, **finished}, indent=1) + "\n")
    return folder


def rows(folder: Path) -> list[Row]:
    """The rows of a result folder."""
    return [row(line) for line in (folder / "per_query.jsonl").read_text().splitlines()]
