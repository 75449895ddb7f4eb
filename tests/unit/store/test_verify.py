"""`verify` against somebody who changes the database while nobody looks."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quoth.core.errors import IntegrityError, QuothError
from quoth.core.policy import Policy
from quoth.core.types import Document, Fact, Period, RecordId, Scope, Status, Trust, Verification
from quoth.ingest.remember import remember

RECORD = "(SELECT min(no) FROM record WHERE text LIKE '%crane%')"
"""The tampered record: of a document that was edited, refiled, and observed twice."""


@pytest.fixture
def kept(desk: Any, clock: Any) -> list[str]:
    """A store with a moved, a refiled and an edited record, a turn and a fact, closed; ids of its records."""
    store = desk.filled()
    clock.advance(hours=1)
    edited = {
        "birds.md": "New.\n\nA heron stood in the reeds.\n\nA crane flew over the heron.\n\nIt froze in May."
    }
    desk.keep(store, edited)
    said = Document("The key is with me.", "talk:1", "turn", "s1", "Ruth", clock.now())
    remember(store, desk.access, clock, Policy(), [said])
    with store.read(desk.access) as view:
        crane = next(each for each in view.records() if "crane" in each.testimony.text)
        ids = [each.testimony.id for each in view.records()]
    clock.advance(hours=1)
    with store.write(desk.access) as writer:
        writer.assert_fact(fact(desk, clock, (crane.testimony.id,)))
        writer.refile(replace(crane.filing, revision=2, filed_at=clock.now(), pinned=True))
    assert store.verify(desk.access).clean
    store.close()
    return ids


def fact(desk: Any, clock: Any, evidence: tuple[RecordId, ...] = (), value: str = "grey") -> Fact:
    """An assertion."""
    actor, scope = desk.access.actor, desk.access.home
    period = Period(clock.now(), None)
    return Fact("", scope, "crane", "colour", value, Trust.ASSERTED, period, evidence, actor, clock.now())


def verified(desk: Any) -> Verification:
    """What a fresh process says of the tampered folder."""
    with_store = desk.open()
    result: Verification = with_store.verify(desk.access)
    with_store.close()
    return result


def test_an_honest_store_is_sealed(desk: Any, kept: list[str]) -> None:
    """Whatever was written through the store is sealed, anchored, and in step with its index."""
    result = verified(desk)
    assert ((), (), True, "anchored", "ok") == (
        result.verdicts,
        result.problems,
        result.clean,
        result.anchored,
        result.index,
    )
    assert len(kept) == result.counts["sealed"] == sum(result.counts.values())


SEALED = {
    "record": "id document text salt digest recorded_at derived_from actor",
    "filing": "record revision status trust category grain importance stakes pinned valid_from valid_to "
    "from_offset to_offset supersedes filed_at actor note",
    "observation": "record n document start stop first_line last_line seen_at actor",
    "document": "scope uri session_id speaker said_at said_offset source digest body",
    "ledger": "origin scope seq hlc at actor surface action subject payload prev hash",
    "head": "origin scope seq hlc hash",
    "act": "id scope origin seq hlc kind about at actor salt digest body",
    "actor": "id kind authority",
    "scope": "name key",
    "speaker": "name",
    "refiled": "record revision",
}
"""Every column whose change `verify` must show."""

OTHERS = {
    "record": "no session ordinal",
    "document": "no living session kind metadata recorded_at actor",
    "act": "no",
    "actor": "no",
    "scope": "no",
    "speaker": "no voice",
    "refiled": "no",
    "session": "no scope name",
    "meta": "key value",
    "passage": "no record start stop flags terms",
    "event": "first last passage",
    "model": "no name dimensions",
    "vector": "no model passage scale components pieces bits",
    "alike": "key record",
    "hidden": "scope key record",
}
"""Every other column: numbers of rows, and what is derived; the output says that it is not proved."""

LAST = f"record = {RECORD} AND {{0}} = (SELECT max({{0}}) FROM {{1}} WHERE record = {RECORD})"
WHERE = {
    "record": f"no = {RECORD}",
    "filing": LAST.format("revision", "filing"),
    "observation": LAST.format("n", "observation"),
    "document": f"no = (SELECT document FROM record WHERE no = {RECORD})",
    "ledger": "seq = 2",
    "head": "1",
    "act": "kind = 'assert'",
    "actor": "id = 'ana'",
    "scope": "name = 'user:ana'",
    "speaker": "name = 'Ruth'",
    "refiled": "no = 1",
}
"""The row of each table that is changed."""


def test_every_column_is_sealed_or_said_not_to_be(desk: Any, kept: list[str]) -> None:
    """The two lists name every column that there is."""
    have = {
        (table, row[1])
        for (table,) in desk.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
        for row in desk.rows(f"PRAGMA table_info({table})")
        if not table.startswith("sqlite_")
    }
    told = {(table, each) for part in (SEALED, OTHERS) for table in part for each in part[table].split()}
    assert have == told


CHANGES = {
    "another value": "CASE typeof({0}) WHEN 'integer' THEN {0} + 1 WHEN 'null' THEN 7 "
    "WHEN 'blob' THEN CAST({0} || 'x' AS BLOB) ELSE {0} || 'x' END",
    "less": "CASE typeof({0}) WHEN 'integer' THEN {0} - 1 WHEN 'null' THEN 'x' "
    "WHEN 'blob' THEN substr({0}, 2) ELSE substr({0}, 2) END",
    "garbage": "x'fe'",
    "nothing": "''",
    "a number": "12345678901",
}


@pytest.mark.parametrize(
    ("table", "column"), [(table, column) for table, names in SEALED.items() for column in names.split()]
)
def test_a_changed_column_shows(desk: Any, kept: list[str], tmp_path: Path, table: str, column: str) -> None:
    """Another value in any sealed column, of its type or of another one, never verifies clean."""
    shown = f"SELECT quote({column}) FROM {table} ORDER BY 1"
    before, pristine = desk.rows(shown), shutil.copytree(desk.folder, tmp_path / "pristine")
    changed = 0
    for value in CHANGES.values():
        desk.sql(f"UPDATE OR REPLACE {table} SET {column} = {value.format(column)} WHERE {WHERE[table]}")
        if before != desk.rows(shown):
            changed += 1
            assert shows(desk), value
        shutil.rmtree(desk.folder)
        shutil.copytree(pristine, desk.folder)
    assert changed >= 3


def shows(desk: Any) -> bool:
    """Whether a fresh process sees that something is wrong, and says what to do."""
    try:
        result = verified(desk)
    except IntegrityError:
        return True  # refused at the door
    told = bool(result.problems or result.verdicts)
    return not result.clean and told and all(each.next_action for each in result.verdicts)


@pytest.mark.parametrize(
    ("table", "column"),
    [
        *(("record", each) for each in ["text", "salt", "digest", "recorded_at", "derived_from"]),
        *(("filing", each) for each in SEALED["filing"].split()[2:] if each != "to_offset"),  # of no time
        *(("document", each) for each in ["uri", "session_id", "said_at", "source"]),
        *(("observation", each) for each in ["start", "stop", "first_line", "last_line", "seen_at"]),
    ],
)
def test_a_changed_field_of_a_record_is_altered(desk: Any, kept: list[str], table: str, column: str) -> None:
    """Words, provenance, filings and observations: the record itself is named, and as altered."""
    change = CHANGES["another value"].format(column)
    desk.sql(f"UPDATE {table} SET {column} = {change} WHERE {WHERE[table]}")
    assert "altered" in {each.state.value for each in verified(desk).verdicts}


@pytest.mark.parametrize(
    ("table", "column"),
    [("record", "actor"), ("filing", "actor"), ("observation", "actor"), ("document", "speaker")],
)
def test_another_person_shows(desk: Any, kept: list[str], table: str, column: str) -> None:
    """Words put into somebody else's mouth are altered."""
    made = {
        "actor": "INSERT INTO actor VALUES (99, 'mallory', 'human', 3)",
        "speaker": "INSERT INTO speaker VALUES (99, 'Mallory', 1)",
    }
    desk.sql(made[column], f"UPDATE {table} SET {column} = 99 WHERE {WHERE[table]}")
    assert {"altered"} == {each.state.value for each in verified(desk).verdicts}


@pytest.mark.parametrize("column", SEALED["ledger"].split()[3:])
def test_a_changed_entry_is_named(desk: Any, kept: list[str], column: str) -> None:
    """A ledger entry that was changed is named; only what it speaks for is in dispute."""
    desk.sql(f"UPDATE ledger SET {column} = {CHANGES['another value'].format(column)} WHERE seq = 2")
    result = verified(desk)
    assert any("broken at entry" in each for each in result.problems)
    assert len(kept) - 2 <= result.counts["sealed"] < len(kept)


def tail(desk: Any, count: int) -> None:
    """Cut the last entries off and mend the head row, as if they had never been."""
    last = "(SELECT {} FROM ledger ORDER BY seq DESC)"
    desk.sql(
        f"DELETE FROM ledger WHERE seq > (SELECT max(seq) - {count} FROM ledger)",
        f"UPDATE head SET seq = {last.format('seq')}, hlc = {last.format('hlc')}, "
        f"hash = {last.format('hash')}",
    )


UNDO = (f"DELETE FROM filing WHERE record = {RECORD} AND revision = 2", "DELETE FROM refiled WHERE no = 1")


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_cut_tail_is_regressed(desk: Any, kept: list[str], count: int) -> None:
    """A chain that is shorter than its head file says is regressed, mended head row or not."""
    tail(desk, count)
    desk.sql(*UNDO)
    result = verified(desk)
    assert ("regressed", False) == (result.anchored, result.clean)


@pytest.mark.parametrize("later", [False, True])
def test_without_a_witness_it_says_so(desk: Any, kept: list[str], later: bool) -> None:
    """Without the head file a cut tail cannot be seen: unanchored, never clean, also once one is begun."""
    tail(desk, 1)
    desk.sql(*UNDO)
    (desk.folder / "head").unlink()
    if later:
        store = desk.open()
        desk.keep(store, {"note": "Another one."})
        store.close()
        assert (desk.folder / "head").exists()
    result = verified(desk)
    assert ("unanchored", False) == (result.anchored, result.clean)
    assert {"sealed"} == {name for name, count in result.counts.items() if count}
    assert "no witness" in result.does_not_prove


@pytest.mark.parametrize("content", ["", "{", "[]", '{"heads": 7}', '{"heads": [["a"]]}', "\0\0"])
def test_a_torn_head_file_is_a_problem(desk: Any, kept: list[str], content: str) -> None:
    """A head file that cannot be read is no witness, and said to be a problem."""
    (desk.folder / "head").write_text(content, encoding="utf-8")
    result = verified(desk)
    assert ("unanchored", False) == (result.anchored, result.clean)


def copied(table: str, where: str, **changed: str) -> str:
    """A statement that inserts a row like another one, with other values in some columns."""
    names = SEALED[table].split() + OTHERS.get(table, "").split()
    return f"""INSERT INTO {table} ({", ".join(names)}) SELECT
        {", ".join(changed.get(each, each) for each in names)} FROM {table} WHERE {where}"""


def forge(desk: Any) -> None:
    """A record that nobody remembered, copied from another one with other words."""
    desk.sql(
        copied("record", WHERE["record"], no="1000", id="randomblob(16)", text="'A forged crane.'"),
        copied("filing", f"record = {RECORD} AND revision = 1", record="1000"),
        copied("observation", f"record = {RECORD} AND n = 1", record="1000"),
        "INSERT INTO passage SELECT max(no) + 1, 1000, 0, 16, 0, x'' FROM passage",
    )


OF_RECORD = ("filing", "observation", "passage", "refiled")
ATTACKS: dict[str, tuple[Callable[[Any], None], set[str], str]] = {
    "a forged record": (forge, {"unsealed"}, "anchored"),
    "a record taken out": (
        lambda desk: desk.sql(
            *(f"DELETE FROM {table} WHERE record = {RECORD}" for table in OF_RECORD),
            f"DELETE FROM record WHERE no = {RECORD}",
        ),
        {"missing"},
        "anchored",
    ),
    "a first filing taken out": (
        lambda desk: desk.sql(f"DELETE FROM filing WHERE record = {RECORD} AND revision = 1"),
        {"altered"},
        "anchored",
    ),
    "a later filing taken out": (lambda desk: desk.sql(*UNDO), {"altered"}, "anchored"),
    "a later filing taken from the list": (lambda desk: desk.sql("DELETE FROM refiled"), set(), "anchored"),
    "a later filing listed twice": (
        lambda desk: desk.sql("INSERT INTO refiled (record, revision) SELECT record, revision FROM refiled"),
        set(),
        "anchored",
    ),
    "a passage taken out": (
        lambda desk: desk.sql(f"DELETE FROM passage WHERE record = {RECORD}"),
        set(),
        "anchored",
    ),
    "a filing put in": (
        lambda desk: desk.sql(
            copied("filing", WHERE["filing"], revision="3", status="'retracted'"),
            f"INSERT INTO refiled (record, revision) VALUES ({RECORD}, 3)",
        ),
        {"altered"},
        "anchored",
    ),
    "an observation taken out": (
        lambda desk: desk.sql(f"DELETE FROM observation WHERE record = {RECORD} AND n = 2"),
        {"altered"},
        "anchored",
    ),
    "an observation put in": (
        lambda desk: desk.sql(copied("observation", WHERE["observation"], n="3", seen_at="seen_at + 1")),
        {"altered"},
        "anchored",
    ),
    "two records change places": (
        lambda desk: desk.sql(
            "UPDATE record SET text = (SELECT text FROM record WHERE no = 1) WHERE no = 2",
        ),
        {"altered"},
        "anchored",
    ),
    "an entry taken out of the middle": (
        lambda desk: desk.sql("DELETE FROM ledger WHERE seq = 3"),
        {"unsealed"},
        "anchored",
    ),
    "an entry of another install": (
        lambda desk: desk.sql(copied("ledger", "seq = 3", origin="'0123456789abcdef'")),
        set(),
        "anchored",
    ),
    "an entry put behind the last one": (
        lambda desk: desk.sql(copied("ledger", "seq = 3", seq="seq + 1000")),
        set(),
        "anchored",
    ),
    "a ledger emptied": (lambda desk: desk.sql("DELETE FROM ledger"), {"unsealed"}, "regressed"),
    "a head taken out": (lambda desk: desk.sql("DELETE FROM head"), set(), "anchored"),
    "ledger and head taken out": (
        lambda desk: desk.sql("DELETE FROM ledger", "DELETE FROM head"),
        {"unsealed"},
        "regressed",
    ),
    "a whole scope taken out": (
        lambda desk: desk.sql(
            *(f"DELETE FROM {table}" for table in ("ledger", "head", "scope", "act", "vector", "document")),
            *(f"DELETE FROM {table}" for table in ("record", *OF_RECORD)),
        ),
        set(),
        "regressed",
    ),
    "a fact taken out": (lambda desk: desk.sql("DELETE FROM act"), {"missing"}, "anchored"),
    "a fact put in": (
        lambda desk: desk.sql(copied("act", "1", no="1000", id="randomblob(16)")),
        {"unsealed"},
        "anchored",
    ),
    "the body of a fact taken away": (
        lambda desk: desk.sql("UPDATE act SET body = NULL, salt = x''"),
        {"altered"},
        "anchored",
    ),
    "a record that says it was erased": (
        lambda desk: desk.sql(
            f"UPDATE record SET text = '', salt = NULL WHERE no = {RECORD}",
            f"UPDATE filing SET status = 'erased' WHERE {WHERE['filing']}",
        ),
        {"altered"},
        "anchored",
    ),
}
"""What is done, which states show it (all of these), and what the witnesses say."""


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_shows(desk: Any, kept: list[str], attack: str) -> None:
    """Rows put in, taken out or exchanged at rest never verify clean."""
    do, states, anchored = ATTACKS[attack]
    do(desk)
    result = verified(desk)
    assert not result.clean
    assert anchored == result.anchored
    assert states == states & {each.state.value for each in result.verdicts}


@pytest.mark.parametrize(
    "change",
    [
        "body = x'789c0300000000010000'",
        "body = x'00'",
        "body = 7",
        "digest = randomblob(32)",
    ],
)
def test_a_changed_document_shows(desk: Any, kept: list[str], change: str) -> None:
    """A document's text that is not what was kept is a problem, though no record was touched."""
    desk.sql(f"UPDATE document SET {change} WHERE no = (SELECT max(no) FROM document WHERE uri = 'birds.md')")
    result = verified(desk)
    assert not result.clean
    assert any("'birds.md'" in each for each in result.problems)


def test_bytes_that_are_no_text_raise_ours(desk: Any, kept: list[str]) -> None:
    """Text columns with bytes that are no UTF-8: `verify` raises an error of our tree."""
    desk.sql(f"UPDATE record SET text = CAST(x'ff' AS TEXT) WHERE no = {RECORD}")
    store = desk.open()
    with pytest.raises(QuothError):
        store.verify(desk.access)


def test_only_readable_scopes_are_told(desk: Any, kept: list[str], foreign: Any) -> None:
    """Who may read nothing here hears nothing of it, neither counts nor heads."""
    desk.sql(f"UPDATE record SET text = 'x' WHERE no = {RECORD}")
    store = desk.open()
    result = store.verify(foreign)
    assert (0, (), ()) == (sum(result.counts.values()), result.verdicts, result.heads)
    both = replace(foreign, reads=frozenset({foreign.home, desk.access.home}))
    assert [Scope("user:ana")] == [each.scope for each in store.verify(both).heads]


def test_an_undone_retraction_shows(desk: Any) -> None:
    """Taking the last filing out makes a retracted record current again: altered, not clean."""
    store = desk.filled()
    with store.read(desk.access) as view:
        record = next(view.records())
    with store.write(desk.access) as writer:
        writer.refile(replace(record.filing, revision=2, status=Status.RETRACTED))
    store.close()
    desk.sql("DELETE FROM filing WHERE revision = 2", "DELETE FROM refiled")
    assert {"altered"} == {each.state.value for each in verified(desk).verdicts}
