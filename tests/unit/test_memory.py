"""`Memory` binds and delegates; what `quoth.open` makes of it."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import quoth
from quoth import app
from quoth.core.errors import InferenceUnavailable
from quoth.core.types import ActorKind, Authority, Embedding
from quoth.inference.hashed import HashEmbedder
from quoth.memory import Memory
from quoth.surfaces.cli import group

ROOT = Path(__file__).parents[2]
OF_SURFACES = {"where", "settings", "demo"}
"""Commands that the composition root or the surface does itself."""
OF_OPTIONS = {"verify_adopt", "verify_explain", "verify_resolve"}
"""Verbs for which an option of a command stands."""


class Away:
    """An embedder that does not answer."""

    name, dimensions, cheap = "away@1", 8, True

    def embed(self, texts: Sequence[str], role: Literal["query", "passage"]) -> list[Embedding]:
        """Never."""
        raise InferenceUnavailable("the model is away")


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A memory of words only, in memory."""
    return quoth.open(":memory:", actor="ana", scope="user:ana", embedder="none")


def test_every_command_is_a_verb() -> None:
    """The verbs of `Memory` are the commands of the command line, one method each."""
    commands = set()
    for name, command in group.commands.items():
        inner = getattr(command, "commands", {})
        alone = not inner or command.invoke_without_command
        commands |= {*([name] if alone else []), *(f"{name}_{each}" for each in inner)}
    verbs = {name for name in vars(Memory) if not name.startswith("_")}
    wanted = {"import_" if name == "import" else name for name in commands - OF_SURFACES}
    assert wanted == verbs - {"close", "explain"} - OF_OPTIONS


def test_every_verb_says_what_it_does() -> None:
    """Each verb of `Memory` has a docstring."""
    assert [] == [name for name, verb in vars(Memory).items() if name[0] != "_" and not inspect.getdoc(verb)]


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    """`quoth.absent` fails as it does in every module."""
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        getattr(quoth, "absent")  # noqa: B009


def test_importing_quoth_opens_nothing(tmp_path: Path) -> None:
    """Importing `quoth` reads no setting, no environment, no file but code, and loads nothing heavy."""
    program = """
import os, sys
opened, heavy = [], {"numpy", "apsw", "click", "onnxruntime", "tokenizers", "mcp", "platformdirs", "tomllib"}
code = (".py", ".pyc")
def hook(event, args):
    if event == "open" and isinstance(args[0], str) and not args[0].endswith(code) and ".pyc." not in args[0]:
        opened.append(args[0])
    if event.startswith(("socket.", "subprocess.")):
        opened.append(event)
class Trap(dict):
    def __getitem__(self, key): opened.append(f"environment {key}"); raise KeyError(key)
    def get(self, key, default=None): opened.append(f"environment {key}"); return default
    def __iter__(self): opened.append("environment"); return iter(())
sys.addaudithook(hook)
os.environ = Trap()
import quoth
print(opened, sorted(heavy & set(sys.modules)))
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert "[] []" == ran.stdout.strip()


def test_the_caller_is_the_owner(memory: Memory) -> None:
    """Who opens a memory acts as its owner, and only in the scope that was named."""
    access = memory._parts.access
    assert ("ana", ActorKind.HUMAN, Authority.OWNER) == (
        access.actor.id,
        access.actor.kind,
        access.actor.authority,
    )
    assert (frozenset({"user:ana"}), frozenset({"user:ana"})) == (access.reads, access.writes)


def test_watching_and_importing_are_jobs(memory: Memory) -> None:
    """What nobody looks at one by one has the authority of a job."""
    jobs = (memory._parts.watching, memory._parts.importing)
    assert [("ana", ActorKind.JOB, Authority.JOB)] * 2 == [
        (each.actor.id, each.actor.kind, each.actor.authority) for each in jobs
    ]
    assert ["watch", "import"] == [each.surface for each in jobs]


def test_without_an_actor_it_is_the_user_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operating system's user acts, also where it has no name."""
    monkeypatch.setattr("getpass.getuser", lambda: "maria")
    with quoth.open(":memory:", embedder="none") as one:
        assert "maria" == one._parts.access.actor.id
    monkeypatch.setattr("getpass.getuser", lambda: (_ for _ in ()).throw(KeyError("uid")))
    with quoth.open(":memory:", embedder="none") as two:
        assert f"uid-{os.getuid()}" == two._parts.access.actor.id


@pytest.mark.parametrize("given", [b"bytes", 7, None, {"text": "a"}, ["a", 7], [b"a"]])
def test_what_is_no_document_is_refused(memory: Memory, given: object) -> None:
    """Only text and documents are remembered."""
    with pytest.raises(quoth.InvalidInput, match="text or a Document"):
        memory.remember(given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("text", None), ("text", b"x"), ("uri", 5), ("uri", None), ("kind", None), ("kind", [])),
        *(("session_id", 5), ("speaker", 5), ("said_at", "2020-01-01"), ("said_at", date(2020, 1, 1))),
        *(("metadata", None), ("metadata", {"a": 1}), ("metadata", {1: "a"}), ("metadata", "a")),
        *(("source", "zzz"), ("source", None), ("source", 3), ("valid", None), ("valid", (None, None))),
    ],
)
def test_a_document_of_wrong_types_is_refused(memory: Memory, field: str, value: object) -> None:
    """A field of another type is `InvalidInput` that names the field, and nothing is kept."""
    with pytest.raises(quoth.InvalidInput, match=field):
        memory.remember(quoth.Document(**{"text": "The key is with Ruth.", field: value}))  # type: ignore[arg-type]
    assert 0 == memory.status().records


def test_a_source_may_be_given_as_its_value(memory: Memory) -> None:
    """`"web"` stands for `Source.WEB`."""
    (outcome,) = memory.remember(quoth.Document("The key.", source="web")).outcomes  # type: ignore[arg-type]
    assert quoth.Source.WEB is memory.get(str(outcome.record_id)).record.testimony.source


@pytest.mark.parametrize(
    ("verb", "arguments", "more"),
    [
        *(("recall", [wrong], {}) for wrong in (None, b"x", 5, ["x"])),
        *(("recall", ["x"], {"k": wrong}) for wrong in ("3", 2.5, True, 0, -1, [1])),
        *(("recall", ["x"], {"budget": wrong}) for wrong in ("3", 2.5, True, 0)),
        *(("recall", ["x"], {"as_of": wrong}) for wrong in ("x", 5, date(2026, 1, 1))),
        *(("recall", ["x"], {"known_at": wrong}) for wrong in ("x", 5, True)),
        *(("recall", ["x"], {"since": wrong}) for wrong in ("x", 5)),
        *(("recall", ["x"], {"by": wrong}) for wrong in ("x", None)),
        *(("recall", ["x"], {"trust": wrong}) for wrong in ("x", 5)),
        *(("remember", ["x"], {name: "x"}) for name in ("said_at", "valid_from", "valid_to")),
        *(("correct", [wrong, "x"], {"because": "y"}) for wrong in (None, b"x", 5)),
        *(("correct", ["0" * 32, wrong], {"because": "y"}) for wrong in (None, b"x", 5)),
        *((verb, ["0" * 32], {"because": wrong}) for verb in ("forget", "erase") for wrong in (None, 5, " ")),
        *((verb, [wrong], {}) for verb in ("reinstate", "expire") for wrong in (None, 5)),
        ("expire", ["0" * 32], {"at": "x"}),
        *(("trust", ["0" * 32, wrong], {"because": "y"}) for wrong in ("sure", 5, None)),
        *(("facts_assert", ["a", "b", wrong], {}) for wrong in (None, 5, b"x", " ")),
        *(("facts_assert", ["a", "b", "c"], {"evidence": wrong}) for wrong in ("x", b"x", None, [5])),
        *(("facts_assert", ["a", "b", "c"], {"note": wrong}) for wrong in (None, 5)),
        *((verb, ["a", "b", "c"], {"because": 5}) for verb in ("facts_reject", "facts_lift")),
        *(("facts_history", ["a", wrong], {}) for wrong in (None, 5, " ")),
        *(("facts_get", [None, "b"], {}), ("facts_get", [5], {}), ("facts_get", ["a", 5], {})),
        *((f"review_{verb}", ["0" * 32], {"because": ""}) for verb in ("accept", "reject", "keep")),
        *((f"review_{verb}", [5], {"because": "y"}) for verb in ("accept", "reject", "keep")),
        *(("audit", [], {"since": wrong}) for wrong in ("x", 5)),
        *(("recall", ["x"], {"mode": wrong}) for wrong in (None, 5, "creative")),
        *(("recall", ["x"], {"grain": wrong}) for wrong in (5, "chapter")),
        ("recall", ["x"], {"tier": None}),
        *((verb, [wrong], {}) for verb in ("get", "history") for wrong in (None, b"x", 5)),
        *(("recent", [wrong], {}) for wrong in ("x", 1.5, None, True, 0)),
        *(("index", [], {"limit": wrong}) for wrong in ("x", 1.5, True)),
        *(("watch", [wrong], {}) for wrong in (None, 5, b"x", [5], [b"x"])),
        *(("import_", [wrong, "x"], {}) for wrong in (None, 5, "nope")),
        *(("import_", ["text", wrong], {}) for wrong in (None, 5, b"x")),
        ("explain", [None], {}),
    ],
)
def test_arguments_of_wrong_types_are_invalid_input(
    memory: Memory, verb: str, arguments: list[object], more: dict[str, object]
) -> None:
    """A wrong type is `InvalidInput` like every other argument that cannot be."""
    with pytest.raises(quoth.InvalidInput):
        getattr(memory, verb)(*arguments, **more)


def test_numbers_may_be_large_or_of_numpy(memory: Memory) -> None:
    """A number beyond everything is everything, and numpy's whole numbers are whole numbers."""
    memory.remember(["The key is red.", "The key is blue."])
    assert [2, 1] == [len(memory.recent(10**20)), len(memory.recent(np.int64(1)))]  # type: ignore[arg-type]
    assert 2 == len(memory.recall("key", k=10**20, budget=10**20).passages)


def test_text_and_documents_are_remembered_alike(memory: Memory) -> None:
    """A string is a note; one or many may be given, also from a generator."""
    one = memory.remember("The key is with Ruth.")
    many = memory.remember(each for each in ("The key is with Ruth.", quoth.Document("The lamp is off.")))
    assert [quoth.Result.STORED] == [each.outcome for each in one.outcomes]
    assert [quoth.Result.DUPLICATE, quoth.Result.STORED] == [each.outcome for each in many.outcomes]


def test_one_path_may_be_watched_or_many(memory: Memory, tmp_path: Path) -> None:
    """`watch` takes a path, or several."""
    (tmp_path / "a.md").write_text("The lamp is off.\n")
    (tmp_path / "b.md").write_text("The key is with Ruth.\n")
    assert 1 == memory.watch(str(tmp_path / "a.md")).stored
    assert 1 == memory.watch([tmp_path / "a.md", str(tmp_path / "b.md")]).stored
    assert [2, 2] == [memory.status().records, memory.watch(tmp_path).unchanged]


def test_get_gives_the_whole_record(memory: Memory) -> None:
    """`get` gives the words with their place, standing and observations."""
    (outcome,) = memory.remember(quoth.Document("One.\n\nTwo.", uri="note:1")).outcomes
    found = memory.get(str(outcome.record_id))
    assert ("One.\n\nTwo.", quoth.Standing.CURRENT) == (found.text, found.standing)
    assert ["note:1"] == [each.uri for each in found.observations]
    assert [1] == [each.revision for each in memory.history(found.id).filings]


@pytest.mark.parametrize("verb", ["get", "history"])
@pytest.mark.parametrize("id", ["0" * 32, "", "no such", "'; DROP TABLE record; --", "\0", "é" * 5000])
def test_an_unknown_id_is_not_found(memory: Memory, verb: str, id: str) -> None:
    """An id that is not there is `NotFound`, whatever it holds."""
    with pytest.raises(quoth.NotFound):
        getattr(memory, verb)(id)


def test_the_queue_is_counted(memory: Memory) -> None:
    """`status` says how many records are held, and how many items wait for a person."""
    receipt = memory.remember(quoth.Document("The tap drips.", uri="a"))
    memory.forget(str(receipt.outcomes[0].record_id), because="it was mended")
    memory.remember(quoth.Document("The tap drips.", uri="b"))
    assert (2, 0, 1, 1) == (
        memory.status().records,
        memory.status().current,
        memory.status().held,
        memory.status().review,
    )
    memory.review_keep(memory.review_list()[0].held.id, because="it may wait")
    assert (1, 0) == (memory.status().held, memory.status().review)


def test_an_edit_of_front_matter_dates_is_in_the_zone(tmp_path: Path) -> None:
    """A note's own date without an offset is in the zone that is set, and the report says so."""
    (tmp_path / "a.md").write_text("---\ndate: 2026-03-01\n---\n\nThe tap drips.\n")
    with quoth.open(":memory:", embedder="none", settings={"zone": "Asia/Tokyo"}) as one:
        report = one.watch(tmp_path / "a.md")
        assert "Asia/Tokyo" in report.notes[0]
        said = one.recent(1)[0].record.testimony.said_at
        assert said is not None
        assert "2026-03-01T00:00:00+09:00" == said.isoformat()


def test_recent_is_newest_first(memory: Memory) -> None:
    """`recent` lists what was recorded last, at most as many as were asked for."""
    for text in ("first", "second", "third"):
        memory.remember(text)
    assert ["third", "second"] == [each.text for each in memory.recent(2)]
    with pytest.raises(quoth.InvalidInput):
        memory.recent(0)


@pytest.mark.parametrize("given", [datetime(2026, 3, 1), "2026-03-01", "2026-03-01T00:00"])  # noqa: DTZ001
def test_a_time_without_an_offset_is_in_the_zone(given: datetime | str) -> None:
    """A naive time, in each form, is in the zone that is set, and every answer says so."""
    want = datetime(2026, 2, 28, 15, tzinfo=UTC)
    with quoth.open(":memory:", embedder="none", settings={"zone": "Asia/Tokyo"}) as one:
        found = one.recall("key?", as_of=given, known_at=given)
        assert (want, want) == (found.as_of, found.known_at)
        receipt = one.remember("The key is with Ruth.", said_at=given, valid_from=given)
        id = str(receipt.outcomes[0].record_id)
        record = one.get(id).record
        assert (want, want) == (record.testimony.said_at, record.filing.valid.start)
        later = "2030-01-01T00:00+00:00"
        said = [
            *(each for each in found.trace if each.startswith("zone: ")),
            *receipt.notes,
            *one.correct(id, "The key is with Rita.", because="moved", at=given).notes,
            *one.facts_get(as_of=given).notes,
            *one.audit(since=given).notes,
            one.facts_assert("ana", "city", "Lisbon", valid_from=given, valid_to=later).why,
            *one.remember(quoth.Document("The lamp is off.", said_at=datetime(2026, 3, 1))).notes,  # noqa: DTZ001
        ]
        assert [True] * 7 == ["Asia/Tokyo" in each for each in said]
        assert () == one.remember("The tap drips.", said_at="2026-03-01T00:00Z").notes


def test_the_answer_says_when_a_record_expires(memory: Memory) -> None:
    """An end without an offset is noted too."""
    id = str(memory.remember("The tap drips.", valid_from="2026-01-01").outcomes[0].record_id)
    assert "this machine's zone" in memory.expire(id, at="2026-03-01").notes[0]


def test_offsets_are_kept(tmp_path: Path) -> None:
    """What was said at a time with an offset is given back with it, also after the store was closed."""
    said = "2026-03-01T09:30:00+05:30"
    with quoth.open(tmp_path, embedder="none") as one:
        receipt = one.remember("The tap drips.", said_at=said, valid_to="2026-04-01T00:00:00-03:00")
    with quoth.open(tmp_path, embedder="none") as two:
        record = two.get(str(receipt.outcomes[0].record_id)).record
        assert record.testimony.said_at is not None
        assert record.filing.valid.end is not None
        assert (said, said) == (
            record.testimony.said_at.isoformat(),
            record.filing.valid.start and record.filing.valid.start.isoformat(),
        )
        assert "2026-04-01T00:00:00-03:00" == record.filing.valid.end.isoformat()
        assert two.verify().clean


def test_a_document_s_own_times_count(memory: Memory) -> None:
    """The times that `remember` is given go for documents that do not say theirs."""
    own = quoth.Document("A.", said_at=datetime(2025, 1, 1, tzinfo=UTC))
    receipt = memory.remember([own, "B."], said_at="2026-01-01T00:00Z", valid_to="2027-01-01T00:00Z")
    found = [memory.get(str(each.record_id)).record for each in receipt.outcomes]
    assert [2025, 2026] == [each.testimony.said_at.year for each in found if each.testimony.said_at]
    assert [2027, 2027] == [each.filing.valid.end.year for each in found if each.filing.valid.end]


def test_an_end_before_the_start_is_refused(memory: Memory) -> None:
    """Whatever was given in the wrong order is `InvalidInput`, and nothing is kept."""
    for document in ("A.", quoth.Document("A.", said_at=datetime(2026, 5, 1, tzinfo=UTC))):
        with pytest.raises(quoth.InvalidInput, match="ends before it starts"):
            memory.remember(document, valid_from="2026-03-02", valid_to="2026-03-01")
    with pytest.raises(quoth.InvalidInput, match="ends before it starts"):
        memory.facts_assert("ana", "city", "Lisbon", valid_from="2026-03-02", valid_to="2026-03-01")
    assert 0 == memory.status().records


def test_the_past_can_be_asked(memory: Memory) -> None:
    """`known_at` asks what was known then."""
    memory.remember("The key is with Ruth.")
    past = memory.recall("who has the key?", known_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert ((), "nothing_stored") == (past.passages, past.abstention.reason if past.abstention else None)


def test_closing_twice_is_closing_once(tmp_path: Path) -> None:
    """`close` may be called again."""
    one = quoth.open(tmp_path / "store", embedder="none")
    one.close()
    one.close()


def test_settings_are_an_argument_too(tmp_path: Path) -> None:
    """`settings` takes what stands in `quoth.toml`, and a wrong key is an error."""
    with quoth.open(":memory:", embedder="none", settings={"recall": {"k": 1}}) as one:
        one.remember(["The key is red.", "The key is blue."])
        assert 1 == len(one.recall("key").passages)
    with pytest.raises(quoth.SettingsError, match=r"recall\.q"):
        quoth.open(":memory:", settings={"recall": {"q": 1}})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scope": ""}, "blank"),
        ({"scope": "x" * 201}, "200"),
        ({"actor": "a\nb"}, "control"),
        ({"actor": "x" * 201}, "200"),
        ({"store": "postgres://host/db"}, "folder"),
        ({"store": "a\0b"}, "NUL"),
        ({"store": "~no-such-user/x"}, "home"),
        ({"store": "/tmp/" + "x" * 300}, "too long"),
        ({"store": "/tmp/\udcff"}, "UTF-8"),
        ({"store": 5}, "int"),
        ({"actor": 5}, "actor"),
        ({"scope": b"a"}, "scope"),
        ({"embedder": 5}, "Embedder"),
        ({"settings": "recall"}, "mapping"),
        ({"embedder": "minilmm"}, "minilm"),
    ],
)
def test_what_cannot_be_opened_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, str], message: str
) -> None:
    """A wrong argument of `open` is a `UsageError` and makes nothing."""
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(quoth.UsageError, match=message):
        quoth.open(**{"store": str(tmp_path / "store"), **arguments})  # type: ignore[arg-type]
    assert before == sorted(tmp_path.rglob("*"))


def test_a_file_is_no_store(tmp_path: Path) -> None:
    """A file in the place of the store's folder is named."""
    (tmp_path / "store").write_text("words")
    with pytest.raises(quoth.InvalidInput, match="is a file"):
        quoth.open(tmp_path / "store")
    assert "words" == (tmp_path / "store").read_text()


def test_a_model_that_is_away_loses_nothing() -> None:
    """Words are kept and found, and closing is quiet, when the embedder does not answer."""
    with quoth.open(":memory:", embedder=Away()) as one:
        receipt = one.remember("The key is with Ruth.")
        assert [(quoth.Result.STORED, False)] == [(each.outcome, each.indexed) for each in receipt.outcomes]
        found = one.recall("who has the key?")
        assert ["The key is with Ruth."] == [each.text for each in found.passages]
        assert found.degraded
        with pytest.raises(quoth.InferenceUnavailable):
            one.index()


def test_a_cheap_model_embeds_at_once() -> None:
    """Where an embedding costs less than a commit, it is there when `remember` returns."""
    with quoth.open(":memory:", embedder="hash") as one:
        receipt = one.remember("The key is with Ruth.")
        assert [True] == [each.indexed for each in receipt.outcomes]
        assert 0 == one.index_status().pending


def test_no_vector_no_index(tmp_path: Path) -> None:
    """A record is `indexed` only where its vectors are: not where another model's are stored."""
    with quoth.open(tmp_path, embedder="hash") as one:
        assert [True] == [each.indexed for each in one.remember("The key is with Ruth.").outcomes]
    other = HashEmbedder(dimensions=32)
    other.name = "other@1"
    with quoth.open(tmp_path, embedder=other) as two:
        assert [False] == [each.indexed for each in two.remember("The lamp is off.").outcomes]
        assert 2 == two.index_rebuild()
        assert [True] == [each.indexed for each in two.remember("The tap drips.").outcomes]


def test_other_scopes_are_embedded_when_they_are_used(tmp_path: Path) -> None:
    """Another model drops every scope's vectors; each scope makes its own again."""
    for scope in ("a", "b"):
        with quoth.open(tmp_path, scope=scope, embedder="hash") as one:
            one.remember("The key is with Ruth.")
    other = HashEmbedder(dimensions=32)
    other.name = "other@1"
    with quoth.open(tmp_path, scope="a", embedder=other) as two:
        assert (1, 0) == (two.index_rebuild(), two.index_status().pending)
    with quoth.open(tmp_path, scope="b", embedder=other) as three:
        assert 1 == three.index_status().pending
        assert ((), 0) == (three.recall("who has the key?").degraded, three.index_status().pending)


def test_without_create_nothing_is_made(tmp_path: Path) -> None:
    """A store that is not there answers as an empty one, and takes nothing."""
    with quoth.open(tmp_path / "store", embedder="none", create=False) as one:
        found = one.recall("key?")
        assert "nothing_stored" == (found.abstention.reason if found.abstention else None)
        assert (0, True, ()) == (one.status().records, one.verify().clean, one.recent())
        with pytest.raises(quoth.AccessDenied):
            one.remember("The key is with Ruth.")
    assert not (tmp_path / "store").exists()
    with quoth.open(tmp_path / "store", embedder="none") as two:
        two.remember("The key is with Ruth.")
    with quoth.open(tmp_path / "store", embedder="none", create=False) as three:
        assert 1 == three.status().records
        assert 1 == three.remember("The lamp is off.").count(quoth.Result.STORED)


class Dear:
    """The hash embedder, as if it were slow."""

    def __init__(self) -> None:
        from quoth.inference.hashed import HashEmbedder

        inner = HashEmbedder()
        self.name, self.dimensions, self.cheap, self.embed = inner.name, inner.dimensions, False, inner.embed


def test_a_search_embeds_a_few_first() -> None:
    """What little is pending gets its vectors before a search, more waits for `index`."""
    with quoth.open(":memory:", embedder=Dear(), settings={"index": {"inline": 2}}) as one:
        one.remember(["The key is red.", "The key is blue."])
        assert 2 == one.index_status().pending
        assert () == one.recall("key").degraded
        one.remember(["The lamp is red.", "The lamp is blue.", "The lamp is off."])
        assert one.recall("lamp").degraded
        assert (3, 3, 0) == (one.index_status().pending, one.index(), one.index_status().pending)


def test_closing_embeds_a_few(tmp_path: Path) -> None:
    """A memory that wrote makes a few vectors when it is closed, one that only read makes none."""
    settings = {"index": {"inline": 0, "on_close": 1}}
    with quoth.open(tmp_path, embedder=Dear(), settings=settings) as one:
        one.remember(["The key is red.", "The key is blue."])
    for pending in (1, 1):
        with quoth.open(tmp_path, embedder=Dear(), settings=settings) as two:
            assert pending == two.index_status().pending


def test_where_makes_nothing(tmp_path: Path) -> None:
    """`where` says where everything would lie, and does not make it."""
    found = app.where(tmp_path / "store", scope="user:ana", actor="ana")
    assert (False, 0, None) == (found.exists, found.records, found.problem)
    assert str(tmp_path / "store" / "quoth.db") == found.database
    assert [] == [each for each in tmp_path.iterdir() if each.name == "store"]


def test_where_survives_a_damaged_store(tmp_path: Path) -> None:
    """`where` still answers when the database cannot be read, and says why."""
    (tmp_path / "quoth.db").write_bytes(b"no database" * 1000)
    found = app.where(tmp_path)
    assert (True, None) == (found.exists, found.records)
    assert "damaged" in str(found.problem)
