"""One folder, several stores: two objects, several processes, another model, another version."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from quoth.core.errors import Conflict, IntegrityError, InvalidInput, QuothError, StoreUnavailable
from quoth.core.policy import DatabasePolicy, Policy
from quoth.core.types import Status
from quoth.inference.hashed import HashEmbedder
from quoth.store.migrations import MIGRATIONS
from quoth.store.sqlite import SqliteStore, translated


def found(desk: Any, store: SqliteStore, word: str) -> list[str]:
    """The words that a lexical search finds."""
    with store.read(desk.access) as view:
        hits = view.lexical([word], 99)
        return sorted(record.testimony.text for record, _ in view.passages([hit.passage for hit in hits]))


def test_two_stores_see_each_other_at_once(desk: Any) -> None:
    """Two open stores on one folder: what one has committed the other one finds by its next read."""
    both = [desk.open(), desk.open()]
    assert both[0].origin == both[1].origin
    said: list[str] = []
    for number in range(12):
        text = f"Heron number {number}."
        desk.keep(both[number % 2], {f"n/{number}": text})
        said.append(text)
        assert [sorted(said)] * 2 == [found(desk, each, "heron") for each in both]
    assert desk.answers(both[0]) == desk.answers(both[1])
    assert all(each.verify(desk.access).clean for each in both)


def test_two_stores_agree_on_refilings(desk: Any) -> None:
    """What one store retracts the other one finds no more, and of two refilings one wins."""
    one, two = desk.open(), desk.open()
    [record_id, _] = desk.keep(one, {"a": "A heron.", "b": "A second heron."})
    assert 2 == len(found(desk, two, "heron"))
    with two.read(desk.access) as view:
        filing = replace(view.get(record_id).filing, revision=2, status=Status.RETRACTED)
    with two.write(desk.access) as writer:
        writer.refile(filing)
    assert ["A second heron."] == found(desk, one, "heron") == found(desk, two, "heron")
    with pytest.raises(Conflict), one.write(desk.access) as writer:
        writer.refile(replace(filing, status=Status.HELD))
    assert one.verify(desk.access).clean


def test_threads_share_a_store(desk: Any) -> None:
    """Several threads write and search one store: nothing is lost and nothing raises."""
    store = desk.open()
    errors: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(10):
                desk.keep(store, {f"{name}/{number}": f"Heron {number} of {name}."}, embed=False)
                assert found(desk, store, name) == sorted(
                    f"Heron {each} of {name}." for each in range(number + 1)
                )
        except BaseException as error:  # noqa: BLE001 - handed to the test
            errors.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("ann", "ben", "cleo")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [] == errors
    assert 30 == len(found(desk, store, "heron"))
    assert (30, True) == (store.verify(desk.access).counts["sealed"], store.verify(desk.access).clean)


_PROCESS = """
import sys
import quoth
folder, name = sys.argv[1], sys.argv[2]
with quoth.open(folder, actor="ana", scope="user:ana", embedder="hash") as memory:
    for number in range(8):
        memory.remember(quoth.Document(f"Heron {number} of {name}.", uri=f"{name}/{number}"))
        found = [each.text for each in memory.recall(f"heron {number} of {name}", k=40).passages]
        assert f"Heron {number} of {name}." in found, found
print("done")
"""


def test_processes_share_a_folder(tmp_path: Path) -> None:
    """Three processes write and recall at once: each finds its own words, and all are kept and sealed."""
    import quoth

    folder = tmp_path / "store"
    quoth.open(folder, actor="ana", scope="user:ana", embedder="hash").close()
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _PROCESS, str(folder), name],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONWARNINGS": "error"},
        )
        for name in ("ann", "ben", "cleo")
    ]
    for each in running:
        assert ("done\n", "") == each.communicate(timeout=120)
    with quoth.open(folder, actor="ana", scope="user:ana", embedder="hash") as memory:
        assert 24 == memory.status().records
        result = memory.verify()
        assert (24, "ok", True) == (result.counts["sealed"], result.index, result.clean)


# --- models ------------------------------------------------------------------------------------------


def dense(desk: Any, store: SqliteStore, embedder: Any) -> int:
    """How many passages the dense arm finds."""
    with store.read(desk.access) as view:
        return len(view.dense(embedder.embed(["heron"], "query")[0].vector, 9))


def test_another_model_finds_by_words_alone(desk: Any) -> None:
    """Opened with another embedder: no dense hit, nothing pending, the first model's name; words work."""
    desk.filled().close()
    other = HashEmbedder(dimensions=32, seed=5)
    store = desk.open(other.name)
    with store.read(desk.access) as view:
        assert (desk.embedder.name, 0) == (view.model(), view.pending())
    assert 0 == dense(desk, store, other)
    assert [] == store.unembedded(desk.access, 9)
    assert 4 == len(found(desk, store, "heron"))
    with pytest.raises(InvalidInput), store.write(desk.access) as view:
        view.index(other.name, [(1, other.embed(["x"], "passage")[0])])


def test_rebuild_changes_the_model(desk: Any) -> None:
    """`rebuild` under another embedder drops the old vectors; the new ones may have another length.

    A store that was open meanwhile finds by words alone, and comes to no harm.
    """
    before = desk.filled()
    there = dense(desk, before, desk.embedder)
    assert there > 0
    other = HashEmbedder(dimensions=32, seed=5)
    store = desk.open(other.name)
    store.rebuild()
    with store.read(desk.access) as view:
        assert (None, 6) == (view.model(), view.pending())
    changed = replace(desk, embedder=other)
    changed.keep(store, {"more": "One more heron."})
    assert dense(desk, store, other) >= there
    assert 0 == dense(desk, before, desk.embedder)
    assert found(desk, store, "heron") == found(desk, before, "heron")
    for each in (store, before):
        result = each.verify(desk.access)
        assert ("ok", True) == (result.index, result.clean)
    before.rebuild()
    desk.keep(before, {"again": "A last heron."})
    assert dense(desk, before, desk.embedder) > there
    assert 0 == dense(desk, store, other)


def test_without_an_embedder_nothing_waits(desk: Any) -> None:
    """A store opened without an embedder has no pending passage, and keeps the vectors of others."""
    store = desk.filled()
    there = dense(desk, store, desk.embedder)
    words = desk.open(None)
    desk.keep(words, {"more": "One more heron."}, embed=False)
    assert [] == words.unembedded(desk.access, 9)
    assert (0, 5) == (dense(desk, words, desk.embedder), len(found(desk, words, "heron")))
    assert there == dense(desk, store, desk.embedder)
    assert ["One more heron."] == [text for _, text in store.unembedded(desk.access, 9)]


# --- opening and failing -----------------------------------------------------------------------------


def test_a_newer_schema_is_refused(desk: Any) -> None:
    """A store of a newer version is not touched: `StoreUnavailable` names both versions."""
    desk.filled().close()
    desk.sql(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    before = (desk.folder / "quoth.db").read_bytes()
    with pytest.raises(StoreUnavailable, match=f"schema {len(MIGRATIONS) + 1}"):
        desk.open()
    assert before == (desk.folder / "quoth.db").read_bytes()


@pytest.mark.parametrize(
    "content", [b"not a database at all, not at all" * 99, b"SQLite format 3\0" + b"\1" * 999]
)
def test_what_is_no_database_is_refused(desk: Any, content: bytes) -> None:
    """A database file that is none is `IntegrityError`, and not a byte of it is changed."""
    desk.folder.mkdir(mode=0o700)
    (desk.folder / "quoth.db").write_bytes(content)
    with pytest.raises(IntegrityError):
        desk.open()
    assert content == (desk.folder / "quoth.db").read_bytes()


def test_a_locked_store_is_unavailable(desk: Any) -> None:
    """A writer that waits too long gets `StoreUnavailable`; readers do not wait, and nothing is lost."""
    store = desk.open(policy=Policy(database=DatabasePolicy(busy_seconds=0.05)))
    desk.keep(store, {"a": "A heron."})
    other = apsw.Connection(str(desk.folder / "quoth.db"))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="in use"):
        desk.keep(store, {"b": "A crane."})
    assert ["A heron."] == found(desk, store, "heron")
    other.execute("ROLLBACK")
    other.close()
    desk.keep(store, {"b": "A crane."})
    assert ["A crane."] == found(desk, store, "crane")


def test_a_closed_store_is_unavailable(desk: Any) -> None:
    """After `close`, reads and writes are `StoreUnavailable`, on disk as in memory."""
    in_memory = SqliteStore(None, clock=desk.clock, embedder_name=None, policy=Policy())
    for store in (desk.filled(), in_memory):
        store.close()
        for use in (store.read, store.write):
            with pytest.raises(StoreUnavailable), use(desk.access):
                pass


def test_a_head_that_cannot_be_written_loses_nothing(desk: Any, eager_head: Policy) -> None:
    """No room for the head file: the write is kept and acknowledged; closing says what is missing."""
    store = desk.open(policy=eager_head)
    desk.keep(store, {"a": "A heron."})
    (desk.folder / "head").unlink()
    (desk.folder / "head").mkdir()
    desk.keep(store, {"b": "A second heron."})
    assert 2 == len(found(desk, store, "heron"))
    result = store.verify(desk.access)
    assert ("unanchored", False) == (result.anchored, result.clean)
    with pytest.raises(StoreUnavailable, match="head file"):
        store.close()


CLASSES = sorted(
    (each for each in vars(apsw).values() if isinstance(each, type) and issubclass(each, apsw.Error)),
    key=lambda each: each.__name__,
)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_error_of_the_engine_is_translated(kind: type[apsw.Error]) -> None:
    """Whatever apsw raises becomes an error of our tree that names the file."""
    error = translated(kind("told by the engine"), "/somewhere/quoth.db")
    assert isinstance(error, QuothError)
    assert "'/somewhere/quoth.db'" in str(error)
    damaged = kind in (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)
    assert (IntegrityError if damaged else StoreUnavailable) is type(error)


def test_the_engine_has_errors() -> None:
    """The walk above met the whole tree of the engine."""
    assert {"BusyError", "CorruptError", "FullError", "IOError", "ReadOnlyError"} <= {
        each.__name__ for each in CLASSES
    }
    assert len(CLASSES) > 30


@pytest.mark.parametrize(
    "kind", [apsw.FullError, apsw.IOError, apsw.CorruptError, apsw.BusyError], ids=lambda kind: kind.__name__
)
def test_errors_inside_a_view_are_translated(desk: Any, kind: type[apsw.Error]) -> None:
    """What the engine raises while a view is used leaves `read` and `write` as ours, and undone."""
    store = desk.filled()
    with pytest.raises(QuothError), store.read(desk.access):
        raise kind("inside")

    def broken_off() -> None:
        with store.write(desk.access) as view:
            view.retire("note")
            raise kind("inside")

    with pytest.raises(QuothError):
        broken_off()
    with store.read(desk.access) as view:
        assert "note" in view.documents()
