"""Somebody at rest: what was cut, rolled back, replaced or rewritten, and what is done about it."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

import quoth
from quoth.core import ledger
from quoth.core.types import Head, LedgerEntry
from quoth.core.witness import heads as heads_of
from quoth.core.witness import line
from quoth.store import rows

SEED = 20_261_130
Run = Callable[..., subprocess.CompletedProcess[str]]


def opened(folder: Path) -> Any:
    """The store, opened as a user would."""
    return quoth.open(folder, actor="ana", scope="user:ana", embedder="none")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A closed store with notes, a correction, a fact and a rejection."""
    with opened(tmp_path / "store") as memory:
        id = memory.remember("The shed code is 4711.").outcomes[0].record_id
        memory.remember(["The gate squeaks.", "The lamp is off."])
        memory.correct(id, "The shed code is 4712.", because="it was changed")
        memory.facts_assert("lamp", "state", "off")
        memory.facts_reject("lamp", "state", "on", because="it is broken")
        assert memory.verify().clean
    return tmp_path / "store"


def sql(folder: Path, *statements: str) -> None:
    """Change rows behind the store's back."""
    with apsw.Connection(str(folder / "quoth.db")) as db:
        for each in statements:
            db.execute(each)
    db.close()


def verdict(folder: Path, witness: Any = ()) -> tuple[str, bool]:
    """What a fresh process would say."""
    with opened(folder) as memory:
        found = memory.verify(witness=witness)
    return found.anchored, found.clean


MEND = """INSERT OR REPLACE INTO head SELECT origin, scope, seq, hlc, hash FROM ledger
    WHERE seq = (SELECT max(seq) FROM ledger)"""
"""Make the head row agree with what is left."""


def test_every_cut_shows(folder: Path, tmp_path: Path) -> None:
    """Of the last lines of the chain 1, 2, ... or all are cut, head row mended: seen with the head file."""
    with opened(folder) as memory:
        kept = memory.verify().heads
    count = kept[0].seq
    assert count > 5
    for cut in range(1, count + 1):
        copy = shutil.copytree(folder, tmp_path / f"cut{cut}")
        sql(copy, f"DELETE FROM ledger WHERE seq > {count - cut}", "DELETE FROM head", MEND)
        assert ("regressed", False) == verdict(copy)
        (copy / "head").unlink()
        assert ("unanchored", False) == verdict(copy) or cut == count
        assert ("regressed", False) == verdict(copy, kept)


def test_a_deleted_head_file_never_turns_into_a_new_one_unseen(folder: Path) -> None:
    """Cut, the head file deleted, and then more is written: it says so until a person resolves it."""
    sql(folder, "DELETE FROM ledger WHERE seq > 5", "DELETE FROM head", MEND)
    (folder / "head").unlink()
    for note in ("One more.", "And another."):
        with opened(folder) as memory:
            memory.remember(note)
        assert (folder / "head").exists()
        assert ("unanchored", False) == verdict(folder)
    with opened(folder) as memory:
        memory.verify_resolve("I lost the head file", yes=True)
        found = memory.verify()
    assert ("anchored", ()) == (found.anchored, found.problems)


def test_a_whole_rollback_shows_to_a_witness(folder: Path, tmp_path: Path) -> None:
    """Store and head file are put back together: unseen here, as is said, and seen by a kept head."""
    older = shutil.copytree(folder, tmp_path / "older")
    with opened(folder) as memory:
        memory.remember("The vault is in the cellar.")
        kept = memory.verify().heads
    shutil.rmtree(folder)
    shutil.copytree(older, folder)
    with opened(folder) as memory:
        found = memory.verify()
        assert ("anchored", True) == (found.anchored, found.clean)
        assert "--witness" in found.does_not_prove
        assert kept[0].seq > found.heads[0].seq
    assert ("regressed", False) == verdict(folder, kept)
    assert ("regressed", False) == verdict(folder, "\n".join(map(line, kept)))


def test_an_older_database_beside_its_head_file_is_regressed(folder: Path, tmp_path: Path) -> None:
    """Only the database is put back."""
    older = shutil.copytree(folder, tmp_path / "older")
    with opened(folder) as memory:
        memory.remember("The vault is in the cellar.")
    shutil.copy(older / "quoth.db", folder / "quoth.db")
    assert ("regressed", False) == verdict(folder)


def test_a_head_file_of_another_store_is_regressed(folder: Path, tmp_path: Path) -> None:
    """A head file that was exchanged speaks of a chain that is not here."""
    with opened(tmp_path / "other") as memory:
        memory.remember("Something else.")
    shutil.copy(tmp_path / "other" / "head", folder / "head")
    anchored, clean = verdict(folder)
    assert (False, False) == (anchored == "anchored", clean)


def rewrite(folder: Path) -> list[Head]:
    """Forge a note and compute every seal and link again, as somebody can who has our code; the new heads."""
    db = apsw.Connection(str(folder / "quoth.db"))
    forged = "The shed code is 0000."
    statement = f"{rows.RECORD} WHERE r.text LIKE 'The shed code is 4711%' AND f.revision = 1"
    record = rows.record(db.execute(statement).fetchone())
    words = ledger.seal(replace(record.testimony, text=forged))
    raw = bytes.fromhex(words.id)
    where = "JOIN record r ON r.no = o.record WHERE r.id = ?"
    seen = rows.observation(words.id, db.execute(f"{rows.OBSERVATION} {where}", (raw,)).fetchone())
    filed = ledger.filing_digest(record.filing)
    put = ledger.payload_digest(words.digest, filed, ledger.observation_digest(seen))
    digest = bytes.fromhex(words.digest)
    db.execute("UPDATE record SET text = ?, digest = ? WHERE id = ?", (forged, digest, raw))
    prev = ledger.GENESIS
    entries = [rows.ledger_entry(row) for row in db.execute(f"{rows.LEDGER} ORDER BY l.seq")]
    for each in entries:
        payload = put if (each.action, each.subject) == ("put", words.id) else each.payload_digest
        fresh: LedgerEntry = replace(each, prev=prev, payload_digest=payload)
        prev = ledger.entry_hash(fresh)
        db.execute(
            "UPDATE ledger SET payload = ?, prev = ?, hash = ? WHERE seq = ?",
            (bytes.fromhex(payload), bytes.fromhex(fresh.prev), bytes.fromhex(prev), each.seq),
        )
    db.execute("UPDATE head SET hash = ?", (bytes.fromhex(prev),))
    db.close()
    return [Head(entries[-1].origin, entries[-1].scope, entries[-1].seq, prev)]


def test_a_chain_that_was_written_anew_shows(folder: Path) -> None:
    """Every hash fits: the head file knows another one; and where it was rewritten too, a kept head does."""
    with opened(folder) as memory:
        kept = memory.verify().heads
    made = rewrite(folder)
    assert ("regressed", False) == verdict(folder)
    content = {"version": 1, "heads": [[each.origin, each.scope, each.seq, each.hash] for each in made]}
    (folder / "head").write_text(json.dumps(content), encoding="utf-8")
    assert ("anchored", True) == verdict(folder)  # which is what `does_not_prove` says
    assert ("regressed", False) == verdict(folder, kept)


def test_a_flipped_byte_is_never_believed(folder: Path, tmp_path: Path, campaign: bool) -> None:
    """Any byte of the database: it is refused, or not clean, or what it holds is what it held."""

    def held(store: Path) -> tuple[bool, object]:
        with opened(store) as memory:
            found = memory.verify()
            if not found.clean:
                return False, None
            every = memory.recent(100)
            return True, [(each.text, each.record, each.observations) for each in every], memory.facts_get()

    want = held(folder)
    assert want[0]
    raw = bytearray((folder / "quoth.db").read_bytes())
    used = [place for place, byte in enumerate(raw) if byte]
    moments = random.Random(SEED)
    seen = 0
    for _ in range(600 if campaign else 60):
        place, bit = moments.choice(used), 1 << moments.randrange(8)
        copy = shutil.copytree(folder, tmp_path / "flipped")
        raw[place] ^= bit
        (copy / "quoth.db").write_bytes(raw)
        raw[place] ^= bit
        try:
            got = held(copy)
        except quoth.QuothError:
            got = (False, None)
        seen += not got[0]
        assert not got[0] or got == want, (place, bit)
        shutil.rmtree(copy)
    assert seen > 5


# -- the command line ----------------------------------------------------------------------------


@pytest.fixture
def quoth_run(quoth_cli: Run, folder: Path) -> Run:
    """The command line on this store."""
    who = ("--scope", "user:ana", "--actor", "ana")
    return lambda *args: quoth_cli(*args, *who, env={"QUOTH_EMBEDDER": "none"})


@pytest.mark.parametrize("form", ["text", "json", "pasted", "head file"])
def test_a_printed_head_is_a_witness(quoth_run: Run, folder: Path, tmp_path: Path, form: str) -> None:
    """What `verify` prints, in either form, can be kept and given back; so can the head file."""
    older = shutil.copytree(folder, tmp_path / "older")
    with opened(folder) as memory:
        memory.remember("The vault is in the cellar.")
    said = quoth_run("verify", *(["--json"] if form == "json" else [])).stdout
    kept = tmp_path / "kept"
    kept.write_bytes((folder / "head").read_bytes() if form == "head file" else said.encode())
    pasted = next(each for each in said.splitlines() if each.startswith("head ")) if form == "pasted" else ""
    witness = pasted.removeprefix("head ") or str(kept)
    ran = quoth_run("verify", "--witness", witness)
    assert (0, True) == (ran.returncode, ran.stdout.startswith("clean")), ran.stderr
    shutil.rmtree(folder)
    shutil.copytree(older, folder)
    assert 0 == quoth_run("verify").returncode
    ran = quoth_run("verify", "--witness", witness)
    assert (70, True, True) == (ran.returncode, "ledger regressed" in ran.stdout, "NOT CLEAN" in ran.stdout)


def test_a_witness_that_is_none_is_refused(quoth_run: Run, tmp_path: Path) -> None:
    """A file without a head, or half a head, ends with 2: it would prove nothing."""
    (tmp_path / "empty").write_text("no head here\n", encoding="utf-8")
    for witness in ("empty", "user:ana 3 00ff", '{"heads": 3}', '{"heads": []}'):
        ran = quoth_run("verify", "--witness", witness)
        assert 2 == ran.returncode, witness


def test_a_broken_chain_is_mended_by_hand(quoth_run: Run, folder: Path) -> None:
    """Explain, resolve with a reason, adopt: each shows before it does, and all of it is in the audit log."""
    sql(folder, "DELETE FROM ledger WHERE seq = 3", "UPDATE ledger SET payload = x'00' WHERE seq = 1")
    broken = quoth_run("verify")
    assert (70, True) == (broken.returncode, "broken at entry 1" in broken.stdout)
    assert 5 == quoth_run("verify", "--adopt", "--yes").returncode
    assert 2 == quoth_run("verify", "--resolve").returncode
    shown = quoth_run("verify", "--resolve", "--because", "a bad disk")
    assert (0, True) == (shown.returncode, "nothing was written" in shown.stdout)
    assert 70 == quoth_run("verify").returncode
    done = quoth_run("verify", "--resolve", "--because", "a bad disk", "--yes")
    assert (0, True) == (done.returncode, "closed" in done.stdout), done.stderr
    after = quoth_run("verify")
    assert (70, True) == (after.returncode, "unsealed" in after.stdout)
    assert 0 == quoth_run("verify", "--adopt").returncode
    adopted = quoth_run("verify", "--adopt", "--yes", "--json")
    assert (1, True) == (lambda it: (it["records"], it["done"]))(json.loads(adopted.stdout))
    clean = quoth_run("verify")
    assert (0, True, True) == (clean.returncode, "resolved " in clean.stdout, "a bad disk" in clean.stdout)
    told = quoth_run("verify", "--explain", json.loads(adopted.stdout)["sample"][0])
    assert (0, True) == (told.returncode, "adopt" in told.stdout)
    log = quoth_run("audit", "--json").stdout
    assert ("resolve" in log, "adopt" in log, "a bad disk" in log) == (True, True, True)


def test_options_that_do_not_go_together_are_refused(quoth_run: Run) -> None:
    """Three different things are asked one by one, and nothing is taken in silence."""
    for call in (["--adopt", "--resolve"], ["--yes"], ["--because", "x"], ["--explain", "00", "--yes"]):
        assert 2 == quoth_run("verify", *call).returncode, call


def test_a_line_is_read_as_it_is_written() -> None:
    """Scopes may hold blanks; every head survives being printed."""
    for scope in ("user:ana", "a b", "x 3 y", "天気 №1"):
        head = Head("0123456789abcdef", quoth.core.types.Scope(scope), 12, "ab" * 32)  # type: ignore[attr-defined]
        assert (head,) == heads_of(f"head {line(head)}\n") == heads_of(f"noise\n  {line(head)}  \n")
