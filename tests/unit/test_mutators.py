"""Nothing changes the store but the write view and a few listed places, and all of it is told."""

from __future__ import annotations

import ast
import contextlib
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import quoth
from quoth.core.types import Document

SOURCE = Path(__file__).resolve().parents[2] / "src" / "quoth"
MODULES = sorted(SOURCE.rglob("*.py"))

VERBS = "INSERT|UPDATE|DELETE|REPLACE|DROP|ALTER|CREATE|VACUUM|ATTACH|REINDEX"
CHANGES = re.compile(rf"\s*(?:WITH\b.*?\)\s*)?({VERBS})\b", re.DOTALL)
"""How a statement begins that changes a database."""

VIEW = {"chain", "deciding", "keeping", "blocking", "erasing", "writing"}
"""Modules of `quoth.store` that are the write view: each call appends its own ledger entry."""

LISTED = {
    ("store/migrations.py", "*"): "the schema, before anything else",
    ("store/sqlite.py", "SqliteStore.rebuild"): "DELETE: vectors of another model, derived",
    ("store/purge.py", "owe"): "INSERT: the mark that something is left to clean",
    ("store/purge.py", "clean"): "INSERT, DELETE: the same mark",
    ("store/purge.py", "_free"): "VACUUM: the same rows, written anew",
    ("store/mending.py", "Mending._adopt_event"): "UPDATE: where an adopted event stands; with an entry",
    ("store/mending.py", "Mending._resolve"): "UPDATE, INSERT: the name of a closed part; with an entry",
}
"""Every other place, with what it does there."""

CALLS = {"execute", "executemany", "pragma"}
"""Methods of a connection that the store uses."""
NEVER = {"executescript", "blob_open", "backup", "deserialize", "load_extension", "create_module"}
"""Methods that would change something without a statement that can be read here."""
TRICKS = {"getattr", "setattr", "delattr", "eval", "exec", "compile", "__import__", "vars", "globals"}
"""With which a call could be hidden from this test."""
PLAIN = {
    ("store/arrays.py", "getattr"): "the number of an error",
    ("store/vectors.py", "getattr"): "the arrays by their names",
}
"""Where one of these is used for something else."""


def name(module: Path) -> str:
    """The module's path below src/quoth."""
    return module.relative_to(SOURCE).as_posix()


def walked(node: ast.AST, place: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Every node of a module, with the class and function in which it stands."""
    for child in ast.iter_child_nodes(node):
        inner = place
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{place}.{child.name}".strip(".")
        yield inner, child
        yield from walked(child, inner)


def texts(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Every text of a module but its docstrings, with its place; what is put in later is `?`."""
    nodes = list(walked(tree))
    skipped = {id(each.value) for _, each in nodes if isinstance(each, ast.Expr)}
    for place, node in nodes:
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(each) for each in node.values}
            parts = (each.value if isinstance(each, ast.Constant) else "?" for each in node.values)
            yield place, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield place, node.value


def statements(tree: ast.Module) -> list[tuple[str, str]]:
    """Texts that begin as a statement that changes something, with their places."""
    return [(place, found[1]) for place, text in texts(tree) if (found := CHANGES.match(text))]


def tricks(tree: ast.Module) -> list[str]:
    """Calls with which another call could be hidden."""
    calls = [node.func for _, node in walked(tree) if isinstance(node, ast.Call)]
    return [each.id for each in calls if isinstance(each, ast.Name) and each.id in TRICKS]


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_no_statement_changes_the_store_elsewhere(module: Path) -> None:
    """A text that begins as INSERT, UPDATE, DELETE ... stands in the write view or in a listed place."""
    if name(module).startswith("store/") and module.stem in VIEW:
        return
    tree = ast.parse(module.read_text(encoding="utf-8"))
    loose = [
        f"{name(module)}:{place}: {verb}"
        for place, verb in statements(tree)
        if (name(module), "*") not in LISTED and verb not in LISTED.get((name(module), place), "")
    ]
    assert [] == loose


def test_every_listed_place_is_there() -> None:
    """The list only names what does something."""
    for module, place in LISTED:
        tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
        assert [each for each, _ in statements(tree) if place in ("*", each)], (module, place)


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_only_the_store_has_a_connection(module: Path) -> None:
    """No other package imports the engine or names a connection; in the store no call is hidden."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    nodes = [node for _, node in walked(tree)]
    named = {node.attr for node in nodes if isinstance(node, ast.Attribute)} | {
        text for _, text in texts(tree)
    }
    imported = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert set() == named & NEVER
    assert "sqlite3" not in imported
    if name(module).startswith("store/"):
        assert [] == [each for each in tricks(tree) if (name(module), each) not in PLAIN]
    else:
        assert set() == named & {*CALLS, "_db"}
        assert "apsw" not in imported


PLANTED = '''
"""UPDATE nothing: a docstring."""
A = "plain"
"""INSERT: what A is."""
def f(db, table):
    """DELETE is said here."""
    db.execute(f"UPDATE {table} SET a = 1")
    db.execute("""
        WITH x AS (SELECT 1) DELETE FROM record""")
    getattr(db, "exec" + "ute")("x")
'''.replace('\\"', '"')


def test_the_walk_finds_what_is_planted() -> None:
    """Statements in plain, joined and long texts, and hidden calls, are found; docstrings are not."""
    tree = ast.parse(PLANTED)
    assert [("f", "UPDATE"), ("f", "DELETE")] == statements(tree)
    assert ["getattr"] == tricks(tree)


# -- while it runs -------------------------------------------------------------------------------


class Told:
    """What the database itself reports, transaction by transaction."""

    def __init__(self, db: Any) -> None:
        self.entries = 0
        self.expected = 0
        self.wrong: list[Counter[str]] = []
        self._now: Counter[str] = Counter()
        db.preupdate_hook(self._changed, id=self)
        db.set_commit_hook(self._committed, id=self)
        db.set_rollback_hook(self._now.clear, id=self)

    def _changed(self, row: Any) -> None:
        """Count what a row says of itself; a row of the ledger is an entry, any other one needs one."""
        change = (row.op, row.table_name)
        kind = {
            ("INSERT", "ledger"): "entry",
            ("INSERT", "record"): "put",
            ("INSERT", "act"): "event",
        }.get(change)
        if change == ("INSERT", "observation") and row.new[1] > 1:
            kind = "observe"
        if change == ("INSERT", "filing") and row.new[1] > 1:
            kind = "refile"
        if change == ("UPDATE", "record") and row.old[5] and not row.new[5]:
            kind = "erase"
        if change == ("UPDATE", "act") and row.old[12] is not None and row.new[12] is None:
            kind = "erase"
        if change == ("UPDATE", "document") and row.old[3] != row.new[3]:
            kind = "retire"
        if row.op == "DELETE" and row.table_name in ("record", "filing", "observation", "act", "document"):
            kind = "a row is gone"
        if row.op != "INSERT" and row.table_name == "ledger":
            kind = "an entry was changed"
        if kind:
            self._now[kind] += 1

    def _committed(self) -> bool:
        now = self._now
        retired = 1 if now["retire"] and not now["erase"] else 0  # of all versions at once
        expected = sum(now[each] for each in ("put", "event", "observe", "refile", "erase")) + retired
        if now["entry"] != expected or now["a row is gone"] or now["an entry was changed"]:
            self.wrong.append(Counter(now))
        self.entries += now["entry"]
        self.expected += expected
        now.clear()
        return False


def test_a_change_without_an_entry_is_reported(tmp_path: Path) -> None:
    """The hooks see a row that was put in, emptied or taken out with no entry beside it."""
    with quoth.open(tmp_path / "store", actor="ana", scope="user:ana", embedder="none") as memory:
        memory.remember("The gate squeaks.")
        told = Told(memory._parts.store._db)
        for statement in (
            "UPDATE record SET text = ''",
            "DELETE FROM observation",
            "UPDATE ledger SET surface = 'x'",
            "UPDATE document SET living = 0",
            """INSERT INTO filing (record, revision, status, trust, category, grain, importance, pinned,
            filed_at, actor, note) VALUES (1, 2, '', '', '', '', 5, 0, 0, 0, '')""",
        ):
            memory._parts.store._db.execute(statement)
        assert 5 == len(told.wrong)


WORDS = ("heron", "crane", "kettle", "gate", "lamp", "boiler")


def step(memory: Any, notes: Path, chance: random.Random, ids: list[str]) -> None:
    """One verb of a memory, with whatever comes."""
    word, other, number = chance.choice(WORDS), chance.choice(WORDS), chance.randrange(9)
    id = chance.choice(ids) if ids else ""
    file = notes / f"{chance.randrange(3)}.md"
    text = f"The {word} is with the {other}, {number}."

    def kept() -> None:
        ids.extend(
            each.record_id for each in memory.remember(Document(text, uri=word)).outcomes if each.record_id
        )

    def edited() -> None:
        file.write_text(f"# {other}\n\n{text}\n\nThe {other} of {word}.\n", encoding="utf-8")
        memory.watch(notes)

    def moved() -> None:
        if file.exists():
            file.rename(notes / f"{number}-moved.md")
        memory.watch(notes)

    def gone() -> None:
        file.unlink(missing_ok=True)
        memory.watch(notes)

    def decided() -> None:
        for item in memory.review_list()[:1]:
            chance.choice((memory.review_accept, memory.review_reject, memory.review_keep))(
                item.held.id, because="so it is"
            )

    verbs = (
        kept,
        kept,
        edited,
        moved,
        gone,
        decided,
        lambda: memory.correct(id, text, because="it changed"),
        lambda: memory.forget(id, because="it is wrong"),
        lambda: memory.reinstate(id, because="it is right"),
        lambda: memory.expire(id, because="it is over"),
        lambda: memory.erase(id, because="asked to"),
        lambda: memory.facts_assert(word, "place", other),
        lambda: memory.facts_assert(word, "place", other, verified=True, evidence=[id]),
        lambda: memory.facts_reject(word, "place", other, because="it is not"),
        lambda: memory.facts_lift(word, "place", other, because="it is"),
        lambda: memory.get("0" * 32),
        lambda: memory.forget("0" * 32, because="not mine"),
        memory.index,
    )
    with contextlib.suppress(quoth.UsageError, quoth.Conflict):
        chance.choice(verbs)()


@pytest.mark.parametrize("seed", range(4))
def test_every_change_has_an_entry_of_its_own(tmp_path: Path, seed: int) -> None:
    """In each commit of a random session there are as many entries as changes that the database reports."""
    notes = tmp_path / "notes"
    notes.mkdir()
    chance, ids = random.Random(seed), list[str]()
    with quoth.open(tmp_path / "store", actor="ana", scope="user:ana", embedder="hash") as memory:
        told = Told(memory._parts.store._db)
        for _ in range(120):
            step(memory, notes, chance, ids)
        assert [] == told.wrong
        assert told.entries == told.expected
        assert told.entries > 60
        lines = memory.audit().entries
        assert told.entries == len(lines)
        assert not [each for each in lines if not each.actor.id]
        found = memory.verify()
    assert ((), True) == (found.problems, found.clean), found.verdicts
