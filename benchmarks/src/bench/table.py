"""Tables for the README files out of the committed results; the standard library alone.

`python src/bench/table.py --check` fails when a README says something else than the results.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
README = (ROOT.parent / "README.md", ROOT / "README.md")
_MARK = re.compile(r"(<!-- bench:([a-z]+) -->\n)(.*?)(<!-- /bench:\2 -->)", re.DOTALL)
_ROWS = (
    ("locomo", "turn", "LoCoMo, turns"),
    ("locomo", "session", "LoCoMo, sessions"),
    ("facts", "turn", "LoCoMo, atomic facts"),
    ("pooled", "turn", "LongMemEval evidence, pooled"),
    ("planted", "turn", "LongMemEval evidence, planted (S-like), turns"),
    ("planted", "session", "LongMemEval evidence, planted (S-like), sessions"),
)
Summary = Mapping[str, dict]


def latest(results: Path = RESULTS) -> dict[str, Path]:
    """The newest result folder of each config."""
    found: dict[str, tuple[str, Path]] = {}
    for manifest in sorted(results.glob("*/manifest.json")):
        about = json.loads(manifest.read_text())
        name = about["config"]["name"]
        if name not in found or about["finished"] >= found[name][0]:
            found[name] = (about["finished"], manifest.parent)
    return {name: folder for name, (_, folder) in sorted(found.items())}


def summary(folder: Path) -> Summary:
    """The numbers of a result folder."""
    return json.loads((folder / "summary.json").read_text())


def rate(estimate: Mapping[str, float]) -> str:
    """A share with its interval, in percent."""
    return f"{100 * estimate['value']:.1f} [{100 * estimate['low']:.1f}–{100 * estimate['high']:.1f}]"


def _link(folder: Path, text: str) -> str:
    return f"[{text}](benchmarks/results/{folder.name}/summary.json)"


def _grid(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    head = list(head)
    rows = [head, ["---"] * len(head), *map(list, lines)]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def quality(found: Mapping[str, Path], name: str = "quoth") -> str:
    """One system, every world."""
    if name not in found:
        return ""
    numbers = summary(found[name])
    lines = []
    for world, level, says in _ROWS:
        if world not in numbers or level not in numbers[world]:
            continue
        each = numbers[world][level]
        lines.append(
            [
                _link(found[name], says),
                str(each["R@1"]["n"]),
                *(rate(each[metric]) for metric in ("R@1", "R@5", "R@10")),
                rate(each["evidence@10"]),
                f"{each['MRR']['value']:.3f}",
            ]
        )
    return _grid(["development data", "n", "R@1", "R@5", "R@10", "evidence@10", "MRR"], lines)


def systems(found: Mapping[str, Path]) -> str:
    """R@1 / R@5 / R@10 of every system, world by world."""
    lines = []
    for name, folder in found.items():
        numbers = summary(folder)
        if not any(world in numbers for world, _, _ in _ROWS):
            continue
        cells = []
        for world, level, _ in _ROWS:
            each = numbers.get(world, {}).get(level)
            cells.append(
                "/".join(f"{100 * each[m]['value']:.1f}" for m in ("R@1", "R@5", "R@10")) if each else ""
            )
        lines.append([_link(folder, name), *cells])
    return _grid(["R@1/R@5/R@10", *(says for _, _, says in _ROWS)], lines)


def speed(found: Mapping[str, Path]) -> str:
    """What the speed runs measured, one line a piece of work."""
    lines = []
    for folder in found.values():
        for work in summary(folder).get("speed", []):
            lines.append([work["work"], work["target"], _link(folder, work["measured"])])
    return _grid(["work", "target", "measured"], lines) if lines else ""


def render(text: str, results: Path = RESULTS, *, inside: bool = False) -> str:
    """A README with its marked blocks made anew."""
    found = latest(results)
    made = {"quality": quality(found), "systems": systems(found), "speed": speed(found)}

    def block(match: re.Match[str]) -> str:
        table = made.get(match[2], "")
        return match[1] + (table.replace("](benchmarks/", "](") if inside else table) + match[4]

    return _MARK.sub(block, text)


def main(arguments: list[str]) -> int:
    """Write the blocks, or with --check compare them."""
    wrong = []
    for path in README:
        if not path.exists():
            continue
        text = path.read_text(encoding="utf-8")
        new = render(text, inside=path.parent == ROOT)
        if new != text:
            wrong.append(path.relative_to(ROOT.parent))
            if "--check" not in arguments:
                path.write_text(new, encoding="utf-8")
    for each in wrong:
        print(f"{each}: {'not what the results say' if '--check' in arguments else 'written'}")
    return int(bool(wrong) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
