"""`verify` against somebody who changes the database while nobody looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from quoth.core.errors import QuothError
from quoth.core.types import Scope, Status, Verification

RECORD = "(SELECT min(no) FROM record WHERE text LIKE '%crane%')"
"""The tampered record: of a document that was edited, refiled, and observed twice."""


@pytest.fixture
def kept(desk: Any, clock: Any) -> list[str]:
    """A store with a moved, a refiled and an edited record, closed; ids of its records."""
    store = desk.filled()
    clock.advance(hours=1)
    edited = {
        "birds.md": "New.\n\nA heron stood in the reeds.\n\nA crane flew over the heron.\n\nIt froze in May."
    }
    desk.keep(store, edited)
    with store.read(desk.access) as view:
        crane = next(each for each in view.records() if "crane" in each.testimony.text)
        ids = [each.testimony.id for each in view.records()]
    clock.advance(hours=1)
    with store.write(desk.access) as writer:
        writer.refile(replace(crane.filing, revision=2, filed_at=clock.now(), pinned=True))
    assert store.verify(desk.access).clean
    store.close()
    return ids


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


SEALED_COLUMNS = {
    "record": ("text", "salt", "digest", "recorded_at", "derived_from", "id"),
    "filing": ("status", "trust", "category", "grain", "importance", "stakes", "pinned", "note"),
    "filing ": ("valid_from", "valid_to", "supersedes", "filed_at"),
    "observation": ("start", "stop", "first_line", "last_line", "seen_at"),
    "document": ("uri", "session_id", "said_at", "source"),
}
"""What the seal of a record covers, column by column; `actor`, `speaker` and `document` come below."""

OTHER = {"text": "'A crane never flew.'", "status": "'held'", "trust": "'verified'", "grain": "'fact'"}
OTHER |= {"source": "'web'", "salt": "x'00'", "digest": "x'0011'", "id": "randomblob(16)"}
OTHER |= {"stakes": "'[\"health\"]'", "derived_from": "'[\"00\"]'", "category": "'x'", "note": "'x'"}
OTHER |= {"pinned": "1 - pinned"}
OTHER |= {"supersedes": "randomblob(16)", "uri": "'elsewhere.md'", "session_id": "'s'"}

WHERE = {
    "record": f"no = {RECORD}",
    "filing": f"record = {RECORD} AND revision = (SELECT max(revision) FROM filing WHERE record = {RECORD})",
    "observation": f"record = {RECORD} AND n = (SELECT max(n) FROM observation WHERE record = {RECORD})",
    "document": f"no = (SELECT document FROM record WHERE no = {RECORD})",
}


@pytest.mark.parametrize(
    ("table", "column"),
    [(table.strip(), column) for table, columns in SEALED_COLUMNS.items() for column in columns],
)
@pytest.mark.parametrize("how", ["another value", "garbage"])
def test_a_changed_column_shows(desk: Any, kept: list[str], table: str, column: str, how: str) -> None:
    """Another value in any sealed column is altered (another id: unsealed and missing), and so is garbage."""
    value = "x'fe'" if how == "garbage" else OTHER.get(column, f"coalesce({column}, 7) + 1")
    before = desk.rows(f"SELECT {column} FROM {table} WHERE {WHERE[table]}")
    desk.sql(f"UPDATE {table} SET {column} = {value} WHERE {WHERE[table]}")
    assert before != desk.rows(f"SELECT {column} FROM {table} WHERE {WHERE[table]}") or column == "id"
    result = verified(desk)
    assert not result.clean
    states = {each.state.value for each in result.verdicts}
    if column == "id":
        assert {"unsealed", "missing"} <= states
    else:
        assert "altered" in states
    assert all(each.next_action for each in result.verdicts)


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


@pytest.mark.parametrize(
    "column", ["seq", "hlc", "at", "surface", "action", "subject", "payload", "prev", "hash"]
)
@pytest.mark.parametrize("how", ["another value", "garbage"])
def test_a_changed_entry_breaks_the_chain(desk: Any, kept: list[str], column: str, how: str) -> None:
    """Every column of a ledger entry is under its hash: what stands behind it is disputed."""
    other = {"surface": "'cli'", "action": "'refile'"} | dict.fromkeys(
        ("subject", "payload", "prev", "hash"), "randomblob(32)"
    )
    value = "x'fe'" if how == "garbage" else other.get(column, f"{column} + 100000")
    desk.sql(f"UPDATE ledger SET {column} = {value} WHERE seq = 2")
    result = verified(desk)
    assert any("broken at entry" in each for each in result.problems)
    assert not result.clean
    assert result.counts["sealed"] < len(kept)


@pytest.mark.parametrize("column", ["seq", "hash"])
def test_a_changed_head_shows(desk: Any, kept: list[str], column: str) -> None:
    """A head row that is not the end of its chain is a problem."""
    value = "seq + 1" if column == "seq" else "randomblob(32)"
    desk.sql(f"UPDATE head SET {column} = {value}")
    result = verified(desk)
    assert not result.clean
    assert any("does not end at its head" in each for each in result.problems)


def tail(desk: Any, count: int) -> None:
    """Cut the last entries off and mend the head row, as if they had never been."""
    last = "(SELECT {} FROM ledger ORDER BY seq DESC)"
    desk.sql(
        f"DELETE FROM ledger WHERE seq > (SELECT max(seq) - {count} FROM ledger)",
        f"UPDATE head SET seq = {last.format('seq')}, hash = {last.format('hash')}",
    )


UNDO = f"DELETE FROM filing WHERE record = {RECORD} AND revision = 2"


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_cut_tail_is_regressed(desk: Any, kept: list[str], count: int) -> None:
    """A chain that is shorter than its head file says is regressed, mended head row or not."""
    tail(desk, count)
    desk.sql(UNDO)
    result = verified(desk)
    assert ("regressed", False) == (result.anchored, result.clean)


def test_without_a_witness_it_says_so(desk: Any, kept: list[str]) -> None:
    """Without the head file a cut tail cannot be seen: "unanchored", never "anchored"."""
    tail(desk, 1)
    desk.sql(UNDO)
    (desk.folder / "head").unlink()
    result = verified(desk)
    assert ("unanchored", True) == (result.anchored, result.clean)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"heads": 7}', '{"heads": [["a"]]}', "\0\0"])
def test_a_torn_head_file_is_a_problem(desk: Any, kept: list[str], content: str) -> None:
    """A head file that cannot be read is no witness, and said to be a problem."""
    (desk.folder / "head").write_text(content, encoding="utf-8")
    result = verified(desk)
    assert ("unanchored", False) == (result.anchored, result.clean)


def forge(desk: Any) -> None:
    """A record that nobody remembered, copied from another one with other words."""
    desk.sql(
        f"""INSERT INTO record SELECT 1000, randomblob(16), document, session, ordinal, 'A forged crane.',
        salt, digest, recorded_at, actor, derived_from FROM record WHERE no = {RECORD}""",
        f"""INSERT INTO filing SELECT 1000, 1, status, trust, category, grain, importance, stakes, pinned,
        valid_from, valid_to, supersedes, filed_at, actor, note FROM filing
        WHERE record = {RECORD} AND revision = 1""",
        f"""INSERT INTO observation SELECT 1000, 1, document, start, stop, first_line, last_line, seen_at,
        actor FROM observation WHERE record = {RECORD} AND n = 1""",
    )


ATTACKS: dict[str, tuple[Callable[[Any], None], set[str], str]] = {
    "a forged record": (forge, {"unsealed"}, "anchored"),
    "a record taken out": (
        lambda desk: desk.sql(
            *(f"DELETE FROM {table} WHERE record = {RECORD}" for table in ("filing", "observation")),
            f"DELETE FROM passage WHERE record = {RECORD}",
            f"DELETE FROM record WHERE no = {RECORD}",
        ),
        {"missing"},
        "anchored",
    ),
    "a first filing taken out": (
        lambda desk: desk.sql(f"DELETE FROM filing WHERE record = {RECORD} AND revision = 1"),
        {"missing"},
        "anchored",
    ),
    "a later filing taken out": (lambda desk: desk.sql(UNDO), {"altered"}, "anchored"),
    "a filing put in": (
        lambda desk: desk.sql(
            f"""INSERT INTO filing SELECT record, 3, 'retracted', trust, category, grain, importance, stakes,
            pinned, valid_from, valid_to, supersedes, filed_at, actor, note FROM filing
            WHERE record = {RECORD} AND revision = 2"""
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
        lambda desk: desk.sql(
            f"""INSERT INTO observation SELECT record, 3, document, start, stop, first_line, last_line,
            seen_at + 1, actor FROM observation WHERE record = {RECORD} AND n = 2"""
        ),
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
        {"disputed", "unsealed"},
        "regressed",
    ),
    "a ledger emptied": (lambda desk: desk.sql("DELETE FROM ledger"), {"unsealed"}, "regressed"),
    "a head taken out": (lambda desk: desk.sql("DELETE FROM head"), {"unsealed"}, "regressed"),
    "a whole scope taken out": (
        lambda desk: desk.sql(
            *(
                f"DELETE FROM {table}"
                for table in (
                    "ledger",
                    "head",
                    "scope",
                    "record",
                    "filing",
                    "observation",
                    "passage",
                    "vector",
                    "document",
                )
            )
        ),
        set(),
        "regressed",
    ),
}
"""What is done, which states show it (all of these), and what the head file says."""


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
