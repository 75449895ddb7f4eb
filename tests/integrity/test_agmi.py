"""The suite `agmi` (PyPI `agent-memory-integrity`, MIT) against Quoth: edits of files, attacks by its API.

Its two adapters stand here; `benchmarks/scripts/agmi_row.py` writes the row that is published.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import quoth
from quoth.core.types import Head

agmi = pytest.importorskip("agmi", reason="the package agent-memory-integrity is not installed")

from agmi.adapters.base import MemoryAdapter, Record  # noqa: E402
from agmi.adapters.semantic_base import MemoryItem, Retrieved, SemanticMemoryAdapter  # noqa: E402
from agmi.attacks.at_rest import AT_REST_ATTACKS_WITH_SNAPSHOT  # noqa: E402
from agmi.attacks.memory_specific import ALL_MEMORY_ATTACKS  # noqa: E402
from agmi.signing import KEYRING  # noqa: E402

MINE, OTHER = "user:first", "user:second"
WORDS = "The harbour master wrote line {} of the {} log."
ROWS = """SELECT r.no, hex(r.id), r.text, hex(r.digest), hex(r.salt), d.source, sc.name FROM record r
    JOIN document d ON d.no = r.document JOIN scope sc ON sc.no = d.scope WHERE sc.name = ? ORDER BY r.no"""
COLUMNS = ("no", "id", "text", "digest", "salt", "source", "owner")


class QuothFiles(MemoryAdapter):
    """A store on disk, edited behind its back; the kept head is what `verify` prints, held elsewhere."""

    name = "Quoth, verify with a kept head"
    detection_point = "audit"
    supports_replay = supports_metadata = supports_snapshot = True

    def setup(self) -> None:
        """An empty store."""
        self.folder = Path(tempfile.mkdtemp(prefix="quoth-agmi-"))
        self.store = self.folder / "store"
        self.witness: list[Head] = []
        self.copies: list[Path] = []

    def teardown(self) -> None:
        """Away with it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def _memory(self, scope: str = MINE) -> Iterator[quoth.Memory]:
        with quoth.open(self.store, actor="ana", scope=scope, embedder="none") as memory:
            yield memory

    def _write(self, scope: str, texts: list[str]) -> None:
        with self._memory(scope) as memory:
            memory.remember(texts)
            self.witness = [*self.witness, *memory.verify().heads]

    def seed(self, n: int) -> None:
        """Through the public API; the head is written down afterwards, as an operator would."""
        self._write(MINE, [WORDS.format(each, "first") for each in range(n)])

    def seed_other(self, n: int) -> None:
        """The same in another scope."""
        self._write(OTHER, [WORDS.format(each, "second") for each in range(n)])

    @contextmanager
    def _rows(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.store / "quoth.db")) as db:
            yield db
            db.commit()

    def _read(self, scope: str) -> list[Record]:
        with self._rows() as db:
            rows = db.execute(ROWS, (scope,)).fetchall()
        return [Record(at, dict(zip(COLUMNS, row, strict=True))) for at, row in enumerate(rows)]

    def read_all_raw(self) -> list[Record]:
        """Rows of the first scope."""
        return self._read(MINE)

    def read_other_raw(self) -> list[Record]:
        """Rows of the second scope."""
        return self._read(OTHER)

    def identity_of(self, record: Record) -> str:
        """The row's own number."""
        return str(record.fields["no"])

    def payload_of(self, record: Record) -> str:
        """The words."""
        return str(record.fields["text"])

    def owner_of(self, record: Record) -> str | None:
        """The scope."""
        return str(record.fields["owner"])

    def mutate_payload(self, record: Record) -> Record:
        """Other words."""
        record.fields["text"] = record.fields["text"].replace("harbour master", "harbour thief")
        return record

    def forge_record(self, template: Record) -> Record:
        """One more row that looks like the last one."""
        return self.mutate_payload(Record(template.seq + 1, {**template.fields, "no": None}))

    def _fill(self, number: int, fields: Mapping[str, Any]) -> None:
        with self._rows() as db:
            db.execute(
                "UPDATE record SET text = ?, digest = ?, salt = ? WHERE no = ?",
                (fields["text"], bytes.fromhex(fields["digest"]), bytes.fromhex(fields["salt"]), number),
            )

    def write_raw(self, record: Record) -> None:
        """Put content into a slot; behind the last one, put in all the rows that a record has."""
        rows = self.read_all_raw()
        if record.seq < len(rows):
            self._fill(rows[record.seq].fields["no"], record.fields)
            return
        with self._rows() as db:
            last = rows[-1].fields["no"]
            (new,) = db.execute("SELECT max(no) + 1 FROM record").fetchone()
            for table, key in (("record", "no"), ("filing", "record"), ("observation", "record")):
                names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
                values = [
                    "?" if name == key else "randomblob(16)" if name == "id" else name for name in names
                ]
                db.execute(
                    f"INSERT INTO {table} SELECT {', '.join(values)} FROM {table} WHERE {key} = ?",
                    (new, last),
                )
            db.execute(
                "INSERT INTO passage (record, start, stop, flags, terms) "
                "SELECT ?, start, stop, flags, terms FROM passage WHERE record = ?",
                (new, last),
            )
        self._fill(new, record.fields)

    def delete_raw(self, seq: int) -> None:
        """Every row of the record."""
        number = self.read_all_raw()[seq].fields["no"]
        with self._rows() as db:
            for table in ("filing", "observation", "passage"):
                db.execute(f"DELETE FROM {table} WHERE record = ?", (number,))
            db.execute("DELETE FROM record WHERE no = ?", (number,))

    def replay_onto(self, victim_seq: int, donor: Record) -> None:
        """The donor's words, digest and salt in the victim's row."""
        self._fill(self.read_all_raw()[victim_seq].fields["no"], donor.fields)

    def read_meta(self, seq: int) -> dict:
        """Where the words came from."""
        return {"source": self.read_all_raw()[seq].fields["source"]}

    def write_meta(self, seq: int, meta: dict) -> None:
        """Another source, in the row that says so."""
        with self._rows() as db:
            db.execute(
                "UPDATE document SET source = ? WHERE no = (SELECT document FROM record WHERE no = ?)",
                ("tool", self.read_all_raw()[seq].fields["no"]),
            )

    def snapshot_store(self) -> object:
        """A copy of the whole folder, head file and derived files included."""
        copy = self.folder / f"copy-{len(self.copies)}"
        shutil.copytree(self.store, copy)
        self.copies.append(copy)
        return copy

    def restore_store(self, token: object) -> None:
        """Put the copy back, all of it."""
        shutil.rmtree(self.store)
        shutil.copytree(str(token), self.store)

    def append_genuine(self) -> None:
        """One more note."""
        self._write(MINE, [WORDS.format("one more", "first")])

    def reload(self) -> None:
        """Every call opens the store anew."""

    def verify(self) -> bool:
        """What `quoth verify --witness` says."""
        with self._memory() as memory:
            found = memory.verify(witness=self.witness)
        self.verify_detail = "; ".join([*found.problems, *(each.state.value for each in found.verdicts)])
        return found.clean


class QuothAnswers(SemanticMemoryAdapter):
    """The default answer; who writes is known by their key, not by what they say of themselves.

    A write with the user's key comes in as that person's. Any other write is what came from outside: it is
    kept, as words of the web, and filed as doubtful.
    """

    name = "Quoth, default recall"

    def __init__(self, embedder: str = "minilm") -> None:
        self.embedder = embedder
        self.folder: Path | None = None

    def reset(self) -> None:
        """A new store."""
        self.close()
        self.folder = Path(tempfile.mkdtemp(prefix="quoth-agmi-"))

    def close(self) -> None:
        """Away with it."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def _memory(self, user: str) -> Iterator[quoth.Memory]:
        with quoth.open(self.folder, actor=user, scope=f"user:{user}", embedder=self.embedder) as memory:
            yield memory

    def add_memory(self, item: MemoryItem) -> None:
        """Through `remember`; the tag that a pipeline sets is a person's act, which needs the key too."""
        genuine = KEYRING.verify(item.user_id, item.source, item.text, item.signature)
        source = quoth.Source.PERSON if genuine else quoth.Source.WEB
        with self._memory(item.user_id) as memory:
            document = quoth.Document(item.text, metadata=item.metadata, source=source)
            receipt = memory.remember(document)
            if genuine and item.metadata.get("trust") == "verified":
                memory.trust(receipt.outcomes[0].record_id, "verified", because="the pipeline checked it")

    def _ask(self, query: str, user: str, k: int, trust: str | None) -> list[Retrieved]:
        with self._memory(user) as memory:
            found = memory.recall(query, k=k, trust=trust).passages
        return [Retrieved(each.text, user, each.score) for each in found]

    def retrieve(self, query: str, user_id: str, k: int = 5) -> list[Retrieved]:
        """What `recall` gives by default."""
        return self._ask(query, user_id, k, None)

    def retrieve_where(self, query: str, user_id: str, where: dict, k: int = 5) -> list[Retrieved]:
        """The filter on trust."""
        return self._ask(query, user_id, k, where["trust"])

    def measured_on(self) -> str:
        """For the row."""
        return f"quoth {quoth.__version__}, embedder {self.embedder}, default recall"


@pytest.mark.parametrize("attack", AT_REST_ATTACKS_WITH_SNAPSHOT, ids=lambda each: each.name)
def test_no_edit_of_the_files_goes_unseen(attack: type) -> None:
    """Each of the nine edits of the files is reported by `verify` with a kept head."""
    found = attack().run(QuothFiles())
    assert (found.status, found.error, found.guard) == ("safe", None, None), found.detail


@pytest.mark.parametrize("attack", ALL_MEMORY_ATTACKS, ids=lambda each: each.name)
def test_what_comes_from_outside_stays_out_of_the_default_answer(attack: type) -> None:
    """In none of the six attacks does a write without the user's key come into the default answer."""
    adapter = QuothAnswers("hash")
    found = attack().run(adapter)
    adapter.close()
    assert found.error is None
    outside = {name: won for name, won in found.channels.items() if name != "agent-laundered"}
    assert {name: [False] * 5 for name in outside} == outside
