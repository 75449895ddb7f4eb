"""What erasing leaves in the rows: a secret in every field, then a look into every cell."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any

import apsw
import pytest

from quoth.core import rules, statements
from quoth.core.policy import Policy
from quoth.core.text import term_hash
from quoth.core.types import (
    Document,
    Fact,
    Held,
    Period,
    RecordId,
    Rejection,
    Result,
    Status,
    Target,
    Trust,
    Waiting,
)
from quoth.ingest.index import embed_pending
from quoth.ingest.remember import remember
from quoth.store import migrations
from quoth.store.rows import sense

SECRET = "Canary47x"


def cells(desk: Any) -> Iterator[tuple[str, bytes]]:
    """Every value of every table as bytes, bodies unpacked."""
    for (table,) in desk.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ):
        columns = [row[0] for row in desk.rows(f"SELECT name FROM pragma_table_info('{table}')")]
        for row in desk.rows(f"SELECT * FROM {table}"):
            for name, value in zip(columns, row, strict=True):
                raw = value if isinstance(value, bytes) else str(value).encode()
                with suppress(zlib.error):
                    raw += zlib.decompress(raw)
                yield f"{table}.{name}", raw


def where(desk: Any, *words: bytes) -> set[str]:
    """The columns in which one of these stands."""
    return {name for name, raw in cells(desk) if any(each in raw for each in words)}


def fill(desk: Any, store: Any) -> RecordId:
    """One record with the secret in every field that a caller can fill."""
    secret = f"{SECRET} sings"
    metadata = {f"{SECRET} key": secret}
    document = Document(
        f"{secret} on 8 May 2023.\n\nThe port of {SECRET} is 4711.",
        f"/{SECRET}.md",
        "text",
        f"{SECRET} talk",
        f"{SECRET} Smith",
        metadata=metadata,
    )
    ids = []
    for each in (document, Document(f"# {SECRET}\n\nThe reeds.", "reeds.md", "markdown")):
        ids += keep(desk, store, each)
    now, actor, home = desk.clock.now(), desk.access.actor, desk.access.home
    with store.write(desk.access) as view:
        for record in ids[:3]:
            last = view.get(record).filing
            view.refile(
                replace(
                    last,
                    revision=2,
                    note=secret,
                    category=SECRET,
                    stakes=(SECRET,),
                    trust=Trust.DOUBTFUL,
                )
            )
            fact = Fact("", home, SECRET, record[:4], secret, Trust.ASSERTED, Period(), (record,), actor, now)
            view.assert_fact(replace(fact, note=secret))
            view.hold(
                Held("", home, Waiting.SUSPICIOUS, "", secret, actor, now, record, fact=fact, uri=secret)
            )
            view.reject(Rejection("", home, Target.WORDS, {}, secret, actor, now, record_id=record))
    return ids


def keep(desk: Any, store: Any, document: Document) -> list[RecordId]:
    """The records of a document."""
    receipt = remember(store, desk.access, desk.clock, Policy(), [document])
    embed_pending(store, desk.access, desk.embedder, Policy())
    return [each.record_id for each in receipt.outcomes if each.record_id and each.outcome is Result.STORED]


def test_no_cell_holds_what_was_erased(desk: Any) -> None:
    """Text, bodies, names, notes, reasons, facts, queue: the secret was there, and is in no cell any more."""
    store = desk.open()
    ids = fill(desk, store)
    terms = term_hash(SECRET.lower()).to_bytes(4, "little")
    named = where(desk, SECRET.encode(), SECRET.lower().encode())
    assert {
        "record.text",
        "document.body",
        "document.uri",
        "document.session_id",
        "document.metadata",
        "filing.note",
        "filing.category",
        "filing.stakes",
        "speaker.name",
        "session.name",
        "act.body",
    } <= named
    assert "passage.terms" in where(desk, terms)
    with store.write(desk.access) as view:
        for record in ids[:3]:
            view.erase(record, f"{SECRET} asked")
    left = where(desk, SECRET.encode(), SECRET.lower().encode())
    assert left <= {"act.body"}, left
    reasons = [json.loads(row[0]) for row in desk.rows("SELECT body FROM act WHERE body IS NOT NULL")]
    assert {f"{SECRET} asked"} == {each["reason"] for each in reasons}  # the caller's own, not of the words
    assert set() == where(desk, terms) - {"act.body"}
    assert [] == desk.rows("SELECT * FROM event WHERE passage IN (SELECT no FROM passage WHERE terms = x'')")
    assert [(0, 0)] == desk.rows("SELECT (SELECT count(*) FROM alike), (SELECT count(*) FROM hidden)")
    assert [(b"",)] == desk.rows("SELECT DISTINCT salt FROM act WHERE body IS NULL")
    assert [(None,)] == desk.rows("SELECT DISTINCT salt FROM record WHERE text = ''")
    with store.read(desk.access) as view:
        assert [Status.ERASED] * 3 == [view.get(each).filing.status for each in ids[:3]]
        assert ["The reeds."] == [each.testimony.text for each in view.records(Status.CURRENT)]


def test_a_vector_of_erased_words_is_empty(desk: Any) -> None:
    """Its row stays, so that numbers stay dense and nobody makes another one, and holds nothing."""
    store = desk.filled()
    with store.read(desk.access) as view:
        record = next(view.records()).testimony.id
    with store.write(desk.access) as view:
        view.erase(record, "asked for")
    zero = desk.rows("SELECT components, pieces, bits FROM vector WHERE scale = 0")
    assert 1 == len(zero)
    assert (set(), b"", b"") == (set(zero[0][0]) - {0}, zero[0][1], zero[0][2])
    assert desk.rows("SELECT count(*) FROM vector") == desk.rows("SELECT count(*) FROM passage")


def test_a_store_of_part_one_is_read(desk: Any) -> None:
    """The second migration gives each scope a key, and finds what was stated and superseded before."""
    store = desk.open()
    ids = desk.keep(store, {"n/1": "The port of the server is 8080.", "n/2": "A heron."})
    with store.write(desk.access) as view:
        last = view.get(ids[1]).filing
        view.refile(replace(last, revision=2, status=Status.SUPERSEDED))
    store.close()
    assert [(1, 1)] == desk.rows("SELECT (SELECT count(*) FROM alike), (SELECT count(*) FROM hidden)")
    desk.sql(
        "DROP TABLE hidden",
        "DROP TABLE act",
        "DROP TABLE alike",
        "ALTER TABLE scope DROP COLUMN key",
        "ALTER TABLE document DROP COLUMN said_offset",
        "ALTER TABLE filing DROP COLUMN from_offset",
        "ALTER TABLE filing DROP COLUMN to_offset",
        "PRAGMA user_version = 1",
    )
    store = desk.open()
    (key,) = desk.rows("SELECT key FROM scope")[0]
    assert 32 == len(key)
    assert sense(key, "words", "a heron") in {row[0] for row in desk.rows("SELECT key FROM hidden")}
    with store.read(desk.access) as view:
        assert [ids[1]] == [
            each.testimony.id for each in view.same(desk.access.home, "A HERON", Status.SUPERSEDED)
        ]
        assert [ids[0]] == [
            each.testimony.id
            for each in view.alike(desk.access.home, statements.keys("The port of the server is 9."))
        ]
    assert store.verify(desk.access).clean


def test_a_migration_that_fails_changes_nothing(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The step is one transaction: a store is of one version or of the next."""

    def failing(db: apsw.Connection) -> None:
        migrations.m002_truth(db)
        raise RuntimeError

    desk.folder.mkdir(parents=True)
    with closing(apsw.Connection(str(desk.folder / "quoth.db"))) as db:
        monkeypatch.setattr(migrations, "MIGRATIONS", (migrations.m001_spine, failing))
        with pytest.raises(RuntimeError):
            migrations.migrate(db)
        assert 1 == db.pragma("user_version")
        assert [] == db.execute("SELECT name FROM sqlite_schema WHERE name = 'act'").fetchall()


def test_fingerprints_of_two_stores_differ(desk: Any, other_desk: Any) -> None:
    """Each scope has a key of its own, in each store: nothing can be compared between them."""
    found = []
    for each in (desk, other_desk):
        store = each.open()
        (record,) = each.keep(store, {"n/1": "A heron."})
        now, actor, home = each.clock.now(), each.access.actor, each.access.home
        with store.write(each.access) as view:
            rejection = view.reject(
                Rejection("", home, Target.WORDS, {}, "wrong", actor, now, record_id=record)
            )
        found.append(rejection.fingerprints["words"])
        (key,) = each.rows("SELECT key FROM scope")[0]
        assert rejection.fingerprints == {"words": rules.words_fingerprint(key, "a HERON")}
    assert found[0] != found[1]
