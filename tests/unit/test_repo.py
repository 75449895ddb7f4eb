"""What the repository promises about itself: sizes, names, borders that no other tool checks."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import quoth
from quoth.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "quoth"
MODULES = sorted(SOURCE.rglob("*.py"))

FILE_LINES, FUNCTION_LINES = 400, 60
LONGER_FILES = {
    "core/ports.py": 450,
    "core/types.py": 780,
    "memory.py": 510,
}
"""Exceptions: the vocabulary is one file, so are the seams, and the service object is one class."""
LONGER_FUNCTIONS: dict[str, int] = {}
"""`file:function` -> lines; they only shrink."""
NO_NAMES = {"utils", "util", "common", "helpers", "helper", "manager", "engine", "base", "misc"}


def name(module: Path) -> str:
    """The module's path below src/quoth."""
    return module.relative_to(SOURCE).as_posix()


@cache
def tree(module: Path) -> ast.Module:
    """The module, parsed."""
    return ast.parse(module.read_text(encoding="utf-8"))


def tracked() -> list[Path]:
    """Files that are in the repository, or would be with `git add`; every file where there is no git."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        hidden = {".venv", ".git", "__pycache__"}
        found = [each for each in ROOT.rglob("*") if not hidden & set(each.relative_to(ROOT).parts)]
    else:
        found = [ROOT / each for each in listed.stdout.split("\0") if each]
    return [each for each in found if each.is_file() and not each.is_symlink()]


def test_files_are_short() -> None:
    """No module has more than 400 lines, but for the exceptions that are listed."""
    lines = {name(each): len(each.read_text(encoding="utf-8").splitlines()) for each in MODULES}
    assert {} == {file: n for file, n in lines.items() if n > LONGER_FILES.get(file, FILE_LINES)}


def test_functions_are_short() -> None:
    """No function has more than 60 lines, but for the exceptions that are listed."""
    long = {
        f"{name(module)}:{node.name}": length
        for module in MODULES
        for node in ast.walk(tree(module))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or 0) - node.lineno + 1) > FUNCTION_LINES
    }
    assert {} == {key: n for key, n in long.items() if n > LONGER_FUNCTIONS.get(key, FUNCTION_LINES)}


def test_modules_say_what_they_are_for() -> None:
    """Every module begins with a sentence, and every public function and class has one."""
    silent = [name(each) for each in MODULES if not ast.get_docstring(tree(each))]
    for module in MODULES:
        for node in tree(module).body:
            public = isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
            if public and not ast.get_docstring(node):
                silent.append(f"{name(module)}:{node.name}")
    assert [] == silent


def test_modules_have_names() -> None:
    """No module is called utils, common, helpers, manager, engine or base."""
    assert [] == [name(each) for each in MODULES if each.stem in NO_NAMES or each.parent.name in NO_NAMES]


def test_public_names_are_sorted() -> None:
    """`quoth.__all__` is sorted, complete, and every name of it is there."""
    assert sorted(quoth.__all__) == quoth.__all__
    assert [] == [each for each in quoth.__all__ if not hasattr(quoth, each)]
    assert set(quoth.__all__) == set(dir(quoth))


def test_memory_decides_nothing() -> None:
    """`Memory` binds and delegates: it has no `if`, `for`, `while`, `try` or `match`."""
    kinds = (ast.If, ast.IfExp, ast.For, ast.While, ast.Try, ast.Match)
    memory = next(
        node
        for node in tree(SOURCE / "memory.py").body
        if isinstance(node, ast.ClassDef) and node.name == "Memory"
    )
    assert [] == [(type(node).__name__, node.lineno) for node in ast.walk(memory) if isinstance(node, kinds)]


@cache
def attributes_read() -> frozenset[str]:
    """Names of attributes that code reads, outside the modules that define the settings."""
    return frozenset(
        node.attr
        for module in MODULES
        if name(module) not in ("settings.py", "core/policy.py")
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    )


def _leaves(kind: type[Any], value: object) -> Iterator[tuple[str, str]]:
    for field in fields(kind):
        inner = getattr(value, field.name)
        if is_dataclass(inner) and not isinstance(inner, type):
            yield from _leaves(type(inner), inner)
        else:
            yield kind.__name__, field.name


@pytest.mark.parametrize(("owner", "setting"), sorted(set(_leaves(Settings, Settings()))))
def test_every_setting_has_a_reader(owner: str, setting: str) -> None:
    """Every setting is read somewhere outside settings.py and policy.py."""
    assert setting in attributes_read(), f"nobody reads {owner}.{setting}"


def test_no_machine_is_named() -> None:
    """No file of the repository names a path of the machine that it was written on."""
    # Put together here, so that this file does not find itself.
    named = re.compile("|".join([r"(?:^|[^\w.])/" + r"work/[\w.]", r"/root" + "/", r"\.lib" + "rary"]))
    found = []
    for file in tracked():
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [
            f"{file.relative_to(ROOT)}:{at}"
            for at, line in enumerate(text.splitlines(), 1)
            if named.search(line)
        ]
    assert [] == found


def test_files_that_run_can_run() -> None:
    """The scripts of the README are executable and begin with a line that says by what."""
    for each in ("script/demo", "script/test", "script/campaign", "script/claims", ".ci/run"):
        assert os.access(ROOT / each, os.X_OK), each
        assert (ROOT / each).read_text(encoding="utf-8").startswith("#!/usr/bin/env "), each


def test_scripts_parse() -> None:
    """Every shell script is read by bash without a complaint."""
    for each in ("script/setup.sh", "script/demo", "script/test", "script/campaign", ".ci/run"):
        done = subprocess.run(["bash", "-n", str(ROOT / each)], capture_output=True, text=True, check=False)
        assert (0, "") == (done.returncode, done.stderr)


def test_versions_agree() -> None:
    """pyproject.toml and CITATION.cff name the same version."""
    written = re.search(
        r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert written is not None
    assert cited is not None
    assert written[1] == cited[1]


def test_the_index_leads_somewhere() -> None:
    """Every path that CONTRIBUTING and AGENTS name is there."""
    named = set()
    for page in ("CONTRIBUTING.md", "AGENTS.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        named |= set(re.findall(r"`\.?/?((?:src|tests|script|benchmarks|changelog\.d|docs)/?[\w./-]*)", text))
    assert len(named) > 20
    assert [] == sorted(each for each in named if not (ROOT / each).exists())
