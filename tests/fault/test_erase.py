"""Erased words: searched for, byte by byte, in every file of the store."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

import quoth
from quoth.core.text import analyse, term_hash
from quoth.core.types import Erased
from quoth.inference.embedders import embedder
from quoth.memory import Memory

HERE = Path(__file__).parent
OTHER = "The gate squeaks in the wind."


def canary(name: str) -> str:
    """A word that stands nowhere else, with letters that are not ASCII."""
    return f"zw{name}qanarienvögelchen"


WORDS = f"The {canary('text')} sings at noon, and the vault opens on 2031-05-17."


def opened(folder: Path) -> Memory:
    """The store, opened as a user would."""
    return quoth.open(folder, actor="ana", scope="user:ana", embedder="hash")


# -- where it is looked for ----------------------------------------------------------------------


def forms(word: str) -> dict[str, bytes]:
    """How a word, or a text, may stand in a file."""
    return {
        "UTF-8": word.encode(),
        "UTF-16 LE": word.encode("utf-16-le"),
        "UTF-16 BE": word.encode("utf-16-be"),
        "escaped": json.dumps(word)[1:-1].encode(),
        "folded": word.casefold().encode(),
    }


def derived(text: str) -> dict[str, bytes]:
    """What the indices keep of a text: the hashes of its rare words, and its vector as bytes."""
    rare = [each for each in analyse(text) if "qanarien" in each]
    found = {f"hash of {each}": np.uint32(term_hash(each)).tobytes() for each in rare}
    made = embedder("hash").embed([text], "passage")[0].vector
    scale = max(float(np.abs(made).max()), 1e-9) / 127
    return found | {"vector": np.round(made / scale).astype(np.int8).tobytes()}


def found(folder: Path, wanted: dict[str, bytes]) -> list[str]:
    """Where any of these bytes stand: in a file as it is, or in a value that is kept compressed."""
    places = [
        f"{each.relative_to(folder)}: {name}"
        for each in sorted(folder.rglob("*"))
        if each.is_file()
        for name, raw in wanted.items()
        if raw in each.read_bytes()
    ]
    with contextlib.closing(apsw.Connection(str(folder / "quoth.db"), flags=apsw.SQLITE_OPEN_READONLY)) as db:
        for (table,) in list(db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")):
            for row in db.execute(f"SELECT * FROM {table}"):
                values = [value for value in row if isinstance(value, bytes | str)]
                plain = [
                    each.encode("utf-8", "surrogatepass") if isinstance(each, str) else each
                    for each in values
                ]
                whole = b"\0".join([*plain, *map(unpacked, plain)])
                places += [f"table {table}: {name}" for name, raw in wanted.items() if raw in whole]
    return places


def unpacked(raw: bytes) -> bytes:
    """What is compressed, as it was; nothing for what is not."""
    try:
        return zlib.decompress(raw)
    except zlib.error:
        return b""


# -- where it is put -----------------------------------------------------------------------------


@dataclass
class Case:
    """One way in which words come into a store."""

    put: Callable[[Memory, Path], str]
    """Puts them in; the id of the record that is erased."""
    names: tuple[str, ...] = ()
    """Canaries besides the one of the words."""
    words: str = WORDS
    again: Callable[[Memory, Path], object] | None = field(default=None)
    """Says them again, as they came first."""

    def wanted(self) -> dict[str, bytes]:
        """Everything that must be found before, in one form or another, and nowhere afterwards."""
        made = derived(self.words)
        for name in ("text", *self.names):
            made |= {f"{name} in {form}": raw for form, raw in forms(canary(name)).items()}
        return made


def note(memory: Memory, _: Path) -> str:
    """A turn with everything that a document can say."""
    said = quoth.Document(
        WORDS,
        uri=f"talk:{canary('uri')}",
        kind="turn",
        session_id=canary("session"),
        speaker=canary("speaker"),
        metadata={canary("key"): canary("value")},
    )
    return str(memory.remember(said).outcomes[0].record_id)


def file(memory: Memory, home: Path) -> str:
    """A file of which the record is all: its name goes with it."""
    path = home / f"{canary('file')}.md"
    path.write_text(f"{WORDS}\n", encoding="utf-8")
    memory.watch(path)
    return of(memory, WORDS)


FRONT = f"---\ntitle: {canary('text')}\ndate: 2031-05-17\n---"


def front(memory: Memory, home: Path) -> str:
    """Front matter, which is kept as metadata too; the rest of the file stays."""
    (home / "front.md").write_text(f"{FRONT}\n\nThe tap drips.\n", encoding="utf-8")
    memory.watch(home)
    return of(memory, FRONT)


def shared(memory: Memory, home: Path) -> str:
    """A file in which other paragraphs stay; it was edited and moved."""
    path = home / "shared.md"
    path.write_text(f"# House\n\n{WORDS}\n\nThe tap drips.\n", encoding="utf-8")
    memory.watch(home)
    path.write_text(f"# House\n\nIt rains.\n\n{WORDS}\n\nThe tap drips.\n", encoding="utf-8")
    memory.watch(home)
    path.rename(home / "moved.md")
    memory.watch(home)
    return of(memory, WORDS)


HEADING = f"# The {canary('text')} house"


def heading(memory: Memory, home: Path) -> str:
    """A heading under which other paragraphs stay: they were found by its words."""
    (home / "under.md").write_text(f"{HEADING}\n\nThe tap drips.\n\nIt rains.\n", encoding="utf-8")
    memory.watch(home)
    return of(memory, HEADING)


def reasons(memory: Memory, _: Path) -> str:
    """Every verb that takes a reason."""
    id = str(memory.remember(quoth.Document(WORDS, uri="a")).outcomes[0].record_id)
    memory.forget(id, because=canary("forget"))
    memory.reinstate(id, because=canary("reinstate"))
    memory.expire(id, because=canary("expire"))
    return id


def facts(memory: Memory, _: Path) -> str:
    """Facts that cite the record, in every field; one is held as less sure, one because it is rejected."""
    id = str(memory.remember(quoth.Document(WORDS, uri="a")).outcomes[0].record_id)
    slot = (canary("entity"), canary("attribute"))
    memory.facts_assert(*slot, canary("fact"), evidence=[id], note=canary("note"), verified=True)
    held = memory.facts_assert(*slot, canary("held"), evidence=[id], note=canary("heldnote"))
    memory.review_keep(held.review, because=canary("kept"))
    memory.facts_reject("house", "colour", "blue", because="it is red")
    memory.facts_assert("house", "colour", "blue", evidence=[id], note=canary("rejected"))
    return id


def again(memory: Memory, _: Path) -> str:
    """Rejected words that were said again, held, and refused by a person."""
    id = str(memory.remember(quoth.Document(WORDS, uri="a")).outcomes[0].record_id)
    memory.forget(id, because=canary("first"))
    memory.remember(quoth.Document(WORDS.upper(), uri=f"b:{canary('second')}", speaker=canary("who")))
    (item,) = memory.review_list()
    memory.review_reject(item.held.id, because=canary("refused"))
    return id


def of(memory: Memory, words: str) -> str:
    """The id of the record with these words."""
    return next(each.id for each in memory.recent(100) if each.text == words)


CASES = {
    "a turn": Case(note, ("uri", "session", "speaker", "key", "value"), again=note),
    "a file of its own": Case(file, ("file",), again=file),
    "front matter": Case(front, words=FRONT, again=front),
    "a file of others": Case(shared, again=shared),
    "a heading": Case(heading, words=HEADING),
    "reasons": Case(reasons, ("forget", "reinstate", "expire")),
    "facts": Case(facts, ("entity", "attribute", "fact", "note", "held", "heldnote", "kept", "rejected")),
    "said again": Case(again, ("first", "second", "who", "refused")),
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with files."""
    made = tmp_path / "notes"
    made.mkdir()
    return made


def filled(folder: Path, case: Case, home: Path) -> str:
    """A store with the case in it, and with words that stay; the id of what is erased."""
    with opened(folder) as memory:
        memory.remember(quoth.Document(OTHER, uri="other"))
        id = case.put(memory, home)
        memory.index()
        before = memory.verify()
        assert ((), True) == (before.problems, before.clean)
    return id


def is_clean(folder: Path, wanted: dict[str, bytes], done: Erased | None = None) -> None:
    """Nothing of it is anywhere, the chain verifies, and the rest is as it was."""
    assert [] == found(folder, wanted)
    with opened(folder) as memory:
        result = memory.verify()
        assert ((), True) == (result.problems, result.clean), result.verdicts
        assert result.counts["erased"] >= 1
        assert OTHER == memory.recall("what squeaks in the wind?").passages[0].text
        assert not any("qanarien" in each.text for each in memory.recent(100))
        shown = json.dumps(repr(memory.audit()))
        assert "qanarien" not in shown
    assert [] == found(folder, wanted)
    if done is not None:
        assert done.clean, done.places


# -- the tests -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_no_byte_of_erased_words_stays(tmp_path: Path, home: Path, name: str) -> None:
    """The words, their place and speaker, reasons and facts, hashes and vectors are in no file any more."""
    case, folder = CASES[name], tmp_path / "store"
    id = filled(folder, case, home)
    there = " ".join(found(folder, case.wanted()))
    assert [] == [each for each in ("text", *case.names) if f": {each} in" not in there]
    assert ": hash of" in there
    assert ": vector" in there or name == "a heading"  # which has no passage of its own
    with opened(folder) as memory:
        done = memory.erase(id, because="asked to")
        assert id in done.records
    is_clean(folder, case.wanted(), done)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.again])
def test_erased_words_do_not_come_back(tmp_path: Path, home: Path, name: str) -> None:
    """The same words from the same place are refused, however often they come."""
    case, folder = CASES[name], tmp_path / "store"
    id = filled(folder, case, home)
    with opened(folder) as memory:
        memory.erase(id, because="asked to")
        for _ in range(2):
            with contextlib.suppress(StopIteration):  # there is no record to name
                assert case.again is not None
                assert "None" == case.again(memory, home)
        assert [] == [each for each in memory.recent(100) if "qanarien" in each.text]
        answers = memory.recall(f"what does the {canary('text')} do?").passages
        assert not any("qanarien" in each.text for each in answers)
        assert memory.verify().clean
    texts = forms(canary("text")) | derived(case.words)
    assert [] == found(folder, texts)


READER = """
import sys, time, apsw
db = apsw.Connection(sys.argv[1])
db.execute("BEGIN")
db.execute("SELECT count(*) FROM record").fetchall()
print("reading", flush=True)
sys.stdin.readline()
"""


@contextlib.contextmanager
def reader(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that reads an old snapshot, until the end of the block."""
    made = subprocess.Popen(
        [sys.executable, "-c", READER, str(folder / "quoth.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert made.stdout is not None
    assert "reading\n" == made.stdout.readline()
    try:
        yield made
    finally:
        made.communicate("\n", timeout=60)


@pytest.mark.parametrize("later", ["open", "verify", "erase", "close"])
def test_a_reader_in_the_way_is_told_and_waited_for(tmp_path: Path, home: Path, later: str) -> None:
    """While another process reads the old log it cannot be emptied: it is said, and done later."""
    case, folder = CASES["a turn"], tmp_path / "store"
    id = filled(folder, case, home)
    memory = opened(folder)
    with reader(folder):
        done = memory.erase(id, because="asked to")
        assert (False, True) == (done.clean, "not emptied yet" in done.places["write-ahead log"])
        assert memory.verify().clean
        assert not memory.recall(f"what does the {canary('text')} do?").passages
        if later == "open":
            memory.close()
    if later == "open":
        opened(folder).close()
    elif later == "verify":
        memory.verify()
    elif later == "erase":
        assert memory.erase(id, because="asked to").clean
    memory.close()
    is_clean(folder, case.wanted())


def test_an_idle_process_is_not_in_the_way(tmp_path: Path, home: Path) -> None:
    """A memory that is open elsewhere, and searched before, does not keep words from being erased."""
    case, folder = CASES["a turn"], tmp_path / "store"
    id = filled(folder, case, home)
    with opened(folder) as other:
        assert WORDS == other.recall(f"what does the {canary('text')} do?").passages[0].text
        with opened(folder) as memory:
            done = memory.erase(id, because="asked to")
        is_clean(folder, case.wanted(), done)
        assert not other.recall(f"what does the {canary('text')} do?").passages
        assert "" == other.get(id).text


KILLED = """
import os, signal, sys, quoth
from quoth.store import purge, sqlite
memory = quoth.open(sys.argv[1], actor="ana", scope="user:ana", embedder="hash")
step = sys.argv[3]
def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
if step == "rows": sqlite.SqliteStore.purge = die
if step == "files": purge._free = die
if step == "pages": purge._log = die
memory.erase(sys.argv[2], because="asked to")
"""


@pytest.mark.parametrize("step", ["rows", "files", "pages"])
@pytest.mark.parametrize("then", ["open", "verify"])
def test_a_killed_erasure_is_finished(tmp_path: Path, home: Path, step: str, then: str) -> None:
    """`kill -9` after any step of it: whoever opens the store next goes on, and nothing stays."""
    case, folder = CASES["a turn"], tmp_path / "store"
    id = filled(folder, case, home)
    other = opened(folder) if then == "verify" else None
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder), id, step], capture_output=True, text=True, check=False
    )
    assert -9 == done.returncode, done.stderr
    if other is not None:
        assert other.verify().clean
        assert [] == found(folder, case.wanted())
        other.close()
    else:
        opened(folder).close()
    is_clean(folder, case.wanted())


def test_a_record_can_be_erased_from_a_large_store(tmp_path: Path, home: Path, monkeypatch: Any) -> None:
    """A database beyond the limit is written anew through a file, with the same result."""
    monkeypatch.setattr("quoth.store.purge.LARGE", 0)
    case, folder = CASES["a turn"], tmp_path / "store"
    id = filled(folder, case, home)
    with opened(folder) as memory:
        done = memory.erase(id, because="asked to")
    is_clean(folder, case.wanted(), done)


def test_files_that_are_not_ours_are_named(tmp_path: Path, home: Path) -> None:
    """A copy that somebody made in the folder is neither touched nor passed over in silence."""
    case, folder = CASES["a turn"], tmp_path / "store"
    id = filled(folder, case, home)
    (folder / "quoth.db.bak").write_bytes((folder / "quoth.db").read_bytes())
    with opened(folder) as memory:
        done = memory.erase(id, because="asked to")
    assert "quoth.db.bak" in done.places["other files"]
    (folder / "quoth.db.bak").unlink()
    is_clean(folder, case.wanted(), done)


def test_an_erasure_that_is_undone_erases_nothing(tmp_path: Path, home: Path) -> None:
    """Where the transaction fails, the words are as they were and nothing is owed."""
    folder = tmp_path / "store"
    id = filled(folder, CASES["a turn"], home)
    with opened(folder) as memory:
        store, access = memory._parts.store, memory._parts.access
        with contextlib.suppress(ZeroDivisionError), store.write(access) as view:
            view.erase(memory.get(id).id, "asked to")
            _ = 1 / 0
        assert WORDS == memory.get(id).text
        assert memory.verify().clean
