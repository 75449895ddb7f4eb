"""The schema, as the list of functions that made it. The last one's place is the schema version."""

from __future__ import annotations

from collections.abc import Callable
from secrets import token_bytes, token_hex
from typing import Any

import apsw

from quoth.core import statements
from quoth.core.errors import StoreUnavailable
from quoth.core.text import normal_form
from quoth.store.rows import sense


def m001_spine(db: apsw.Connection) -> None:
    """Documents, records, filings, observations, passages, vectors and the ledger.

    Times are microseconds since 1970 (`core.ledger.micros`), ids and hashes raw bytes.
    What a record shares with its document (place, speaker, time) stands there once. The table `refiled`
    lists filings after the first one in the order in which they came. The number of a session is twice
    that of a conversation, or one more than twice that of the first version of a document without one.
    There is one b-tree for each thing that is looked up and no more: each costs a page of every commit.
    """
    for statement in (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
        "CREATE TABLE scope (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
        "CREATE TABLE speaker (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, voice INT NOT NULL)",
        """CREATE TABLE actor (no INTEGER PRIMARY KEY, id TEXT NOT NULL, kind TEXT NOT NULL,
            authority INT NOT NULL, UNIQUE (id, kind, authority))""",
        """CREATE TABLE session (no INTEGER PRIMARY KEY, scope INT NOT NULL, name TEXT NOT NULL,
            UNIQUE (scope, name))""",
        """CREATE TABLE document (no INTEGER PRIMARY KEY, scope INT NOT NULL, uri TEXT NOT NULL,
            living INT NOT NULL, session INT NOT NULL, digest BLOB NOT NULL, body BLOB, kind TEXT NOT NULL,
            session_id TEXT, speaker INT NOT NULL, said_at INT, source TEXT NOT NULL, metadata TEXT,
            recorded_at INT NOT NULL, actor INT NOT NULL)""",
        "CREATE INDEX document_uri ON document (scope, uri, no)",
        """CREATE TABLE record (no INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, document INT NOT NULL,
            session INT NOT NULL, ordinal INT NOT NULL, text TEXT NOT NULL, salt BLOB, digest BLOB NOT NULL,
            recorded_at INT NOT NULL, actor INT NOT NULL, derived_from TEXT)""",
        "CREATE INDEX record_session ON record (session, ordinal)",
        """CREATE TABLE filing (record INT NOT NULL, revision INT NOT NULL,
            status TEXT NOT NULL, trust TEXT NOT NULL, category TEXT NOT NULL, grain TEXT NOT NULL,
            importance INT NOT NULL, stakes TEXT, pinned INT NOT NULL, valid_from INT, valid_to INT,
            supersedes BLOB, filed_at INT NOT NULL, actor INT NOT NULL, note TEXT NOT NULL,
            PRIMARY KEY (record, revision)) WITHOUT ROWID""",
        "CREATE INDEX filing_supersedes ON filing (supersedes) WHERE supersedes IS NOT NULL",
        "CREATE TABLE refiled (no INTEGER PRIMARY KEY, record INT NOT NULL, revision INT NOT NULL)",
        """CREATE TABLE observation (record INT NOT NULL, n INT NOT NULL, document INT NOT NULL,
            start INT NOT NULL, stop INT NOT NULL, first_line INT NOT NULL, last_line INT NOT NULL,
            seen_at INT NOT NULL, actor INT NOT NULL, PRIMARY KEY (record, n)) WITHOUT ROWID""",
        """CREATE TABLE passage (no INTEGER PRIMARY KEY, record INT NOT NULL, start INT NOT NULL,
            stop INT NOT NULL, flags INT NOT NULL, terms BLOB NOT NULL)""",
        """CREATE TABLE event (first INT NOT NULL, last INT NOT NULL, passage INT NOT NULL,
            PRIMARY KEY (first, last, passage)) WITHOUT ROWID""",
        """CREATE TABLE model (no INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
            dimensions INT NOT NULL)""",
        """CREATE TABLE vector (no INTEGER PRIMARY KEY, model INT NOT NULL, passage INT NOT NULL,
            scale REAL NOT NULL, components BLOB NOT NULL, pieces BLOB NOT NULL, bits BLOB NOT NULL,
            UNIQUE (model, passage))""",
        """CREATE TABLE ledger (origin TEXT NOT NULL, scope INT NOT NULL, seq INT NOT NULL,
            hlc INT NOT NULL, at INT NOT NULL, actor INT NOT NULL, surface TEXT NOT NULL,
            action TEXT NOT NULL, subject BLOB NOT NULL, payload BLOB NOT NULL, prev BLOB NOT NULL,
            hash BLOB NOT NULL, PRIMARY KEY (origin, scope, seq)) WITHOUT ROWID""",
        """CREATE TABLE head (origin TEXT NOT NULL, scope INT NOT NULL, seq INT NOT NULL, hlc INT NOT NULL,
            hash BLOB NOT NULL, PRIMARY KEY (origin, scope)) WITHOUT ROWID""",
    ):
        db.execute(statement)
    db.execute("INSERT INTO meta VALUES ('store', ?), ('origin', ?)", (token_hex(16), token_hex(8)))


def m002_truth(db: apsw.Connection) -> None:
    """Facts, rejections and the queue as events; offsets of times; what records say, for comparison.

    `act` holds one event each: facts asserted, rejections, lifts, things held and answers. Its body is JSON,
    salted and sealed by its ledger entry; an erased one has neither body nor salt. `about` is a keyed
    fingerprint: of a slot, of rejected words, or of an item of the queue. `alike` maps keyed hashes of what
    a record states (`core.statements`) to the record, `hidden` that of its normal form, once it was filed as
    anything but current. Offsets are seconds, and absent for UTC. The key of a scope is what its
    fingerprints are made with.
    """
    for statement in (
        "ALTER TABLE scope ADD COLUMN key BLOB",
        "ALTER TABLE document ADD COLUMN said_offset INT",
        "ALTER TABLE filing ADD COLUMN from_offset INT",
        "ALTER TABLE filing ADD COLUMN to_offset INT",
        """CREATE TABLE act (no INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, scope INT NOT NULL,
            origin TEXT NOT NULL, seq INT NOT NULL, hlc INT NOT NULL, kind TEXT NOT NULL, about BLOB NOT NULL,
            at INT NOT NULL, actor INT NOT NULL, salt BLOB NOT NULL, digest BLOB NOT NULL, body TEXT)""",
        "CREATE INDEX act_about ON act (scope, kind, about)",
        "CREATE INDEX act_record ON act (json_extract(body, '$.record')) WHERE kind = 'hold'",
        "CREATE INDEX act_against ON act (json_extract(body, '$.against')) WHERE kind = 'hold'",
        "CREATE TABLE alike (key INT NOT NULL, record INT NOT NULL, PRIMARY KEY (key, record)) WITHOUT ROWID",
        """CREATE TABLE hidden (scope INT NOT NULL, key INT NOT NULL, record INT NOT NULL,
            PRIMARY KEY (scope, key, record)) WITHOUT ROWID""",
    ):
        db.execute(statement)
    for (no,) in list(db.execute("SELECT no FROM scope")):
        db.execute("UPDATE scope SET key = ? WHERE no = ?", (token_bytes(32), no))
    known: list[Any] = db.execute(
        """SELECT r.no, r.text, sp.name, sc.no, sc.key, f.status FROM record r
        JOIN document d ON d.no = r.document JOIN speaker sp ON sp.no = d.speaker
        JOIN scope sc ON sc.no = d.scope JOIN filing f ON f.record = r.no
        AND f.revision = (SELECT max(revision) FROM filing WHERE record = r.no)
        WHERE typeof(r.text) = 'text'"""
    ).fetchall()
    for no, text, speaker, scope, key, status in known:
        for each in statements.keys(text, speaker or None):
            made = (sense(key, "statement", each), no)
            db.execute("INSERT INTO alike VALUES (?, ?) ON CONFLICT DO NOTHING", made)
        if status != "current":
            form = sense(key, "words", normal_form(text))
            db.execute("INSERT INTO hidden VALUES (?, ?, ?)", (scope, form, no))


MIGRATIONS: tuple[Callable[[apsw.Connection], None], ...] = (m001_spine, m002_truth)


def migrate(db: apsw.Connection) -> None:
    """Bring a database to this version, one transaction a step; refuse one from a newer version."""
    version = int(db.pragma("user_version") or 0)
    if version > len(MIGRATIONS):
        raise StoreUnavailable(
            f"the store has schema {version}, this Quoth reads up to {len(MIGRATIONS)}: upgrade Quoth"
        )
    while version < len(MIGRATIONS):
        db.execute("BEGIN IMMEDIATE")
        try:
            version = int(db.pragma("user_version") or 0)
            if version < len(MIGRATIONS):
                MIGRATIONS[version](db)
                db.pragma("user_version", version + 1)
                version += 1
            db.execute("COMMIT")
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")
