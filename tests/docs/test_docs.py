"""Every block of the docs that can run, runs; every link leads somewhere.

`python` blocks run in a fresh process. `console` blocks run line by line in a shell, and what they print is
compared: an inline ``...`` stands for any text, a line ``...`` for any lines. The blocks of one page
share a folder, a home and a store, in order.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "changelog.d/README.md"])
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def name(page: Path) -> str:
    """The page's path in the repository."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[tuple[str, str]]:
    """(language, text) of every block that can run."""
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [(language, text) for language, text in found if language in ("python", "console")]


def commands(block: str) -> Iterator[tuple[str, str]]:
    """(command, what it must print); a command goes on in lines that begin with ``> ``."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        more = next((at for at, line in enumerate(lines[1:], 1) if not line.startswith("> ")), len(lines))
        yield "\n".join([lines[0], *(line[2:] for line in lines[1:more])]), "\n".join(lines[more:]).strip()


def pattern(expected: str) -> re.Pattern[str]:
    """What must be printed, as a regular expression."""
    lines = [
        r"(?:.*\n)*?"
        if line.strip() == "..."
        else re.escape(line.rstrip()).replace(r"\.\.\.", ".*?") + r"[ ]*\n"
        for line in expected.splitlines()
    ]
    return re.compile("".join(lines))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a copy of the examples, and `quoth` on the path."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "quoth"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m quoth "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "examples").symlink_to(ROOT / "examples")
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=name)
def test_every_block_runs(page: Path, place: Path) -> None:
    """What a page shows is what happens."""
    env = os.environ | {"PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    for language, text in blocks(page):
        if language == "python":
            done = _run([sys.executable, "-c", text], place, env)
            assert 0 == done.returncode, f"{text}\n{done.stdout}"
            continue
        for command, expected in commands(text):
            done = _run(["bash", "-c", command], place, env)
            assert done.returncode in (0, 6), f"$ {command}\n{done.stdout}"
            printed = "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())
            assert pattern(expected).fullmatch(printed), f"$ {command}\n{printed}\n--- is not ---\n{expected}"


def _run(command: list[str], place: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=place / "work",
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    """A link inside the repository leads to a file, and its fragment to a heading or a test."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    broken = []
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (fragment and not _has(file, fragment)):
            broken.append(target)
    assert [] == broken


def _has(file: Path, fragment: str) -> bool:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return f"def {fragment}(" in text
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return fragment in {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


def test_the_matcher_is_strict() -> None:
    """The comparison fails on other words, on missing lines and on lines too many."""
    assert pattern("one ... three\n...\nend").fullmatch("one two three\nx\ny\nend\n")
    assert pattern("...").fullmatch("")
    for printed in ("one two\nend\n", "one two three\n", "one two three\nend\nmore\n"):
        assert not pattern("one ... three\n...\nend").fullmatch(printed)
