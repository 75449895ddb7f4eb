"""Adopting what the ledger does not know, explaining a verdict, closing a chain that does not hold."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from quoth.core import ledger
from quoth.core.errors import AccessDenied, Conflict, InvalidInput, NotFound
from quoth.core.types import Actor, ActorKind, Authority, Fact, Period, Scope, Trust, Verification
from quoth.store import rows

NOTES = {
    "birds.md": "A heron stood in the reeds.\n\nA crane flew over the heron.",
    "note": "The kettle is copper.",
}
CRANE = "(SELECT no FROM record WHERE text LIKE '%crane%')"
PARTS = ("filing", "observation", "passage", "refiled")


@pytest.fixture
def store(desk: Any, clock: Any) -> Any:
    """An open store with records and a fact."""
    made = desk.filled(NOTES)
    clock.advance(hours=1)
    with made.write(desk.access) as view:
        view.assert_fact(fact(desk, clock, "grey"))
    return made


def fact(desk: Any, clock: Any, value: str) -> Fact:
    """An assertion."""
    period = Period(clock.now(), None)
    scope, actor = desk.access.home, desk.access.actor
    return Fact("", scope, "crane", "colour", value, Trust.ASSERTED, period, (), actor, clock.now())


def crane(desk: Any) -> str:
    """The id of the record about the crane."""
    return str(desk.rows(f"SELECT hex(id) FROM record WHERE no = {CRANE}")[0][0]).lower()


def seen(store: Any, desk: Any) -> dict[str, int]:
    """Records by state, without the states that none has."""
    return {state: count for state, count in store.verify(desk.access).counts.items() if count}


def dump(desk: Any) -> list[object]:
    """Every row of the ledger, in any part of it, without the name of the part."""
    return desk.rows(
        """SELECT scope, quote(seq), quote(hlc), quote(at), quote(actor), quote(surface), quote(action),
        quote(subject), quote(payload), quote(prev), quote(hash) FROM ledger ORDER BY seq, hash"""
    )


# -- adopt ---------------------------------------------------------------------------------------


def forget_entries(desk: Any, where: str) -> None:
    """Take the last entries out of the ledger for good, and close what is left as it is."""
    desk.sql(f"DELETE FROM ledger WHERE {where}")
    store = desk.open()
    store.resolve(desk.access, "the ledger was cut", close=True)
    store.close()


def test_adopt_shows_before_it_seals(desk: Any, store: Any) -> None:
    """What the ledger does not know is counted and named, and nothing is written before it is asked for."""
    store.close()
    forget_entries(desk, "seq >= 3")
    again = desk.open()
    assert {"sealed": 2, "unsealed": 1} == seen(again, desk)
    before = dump(desk)
    shown = again.adopt(desk.access, seal=False)
    assert (1, 1, 2, (), False) == (shown.records, shown.events, len(shown.sample), shown.refused, shown.done)
    assert before == dump(desk)
    done = again.adopt(desk.access, seal=True)
    assert (shown.sample, True) == (done.sample, done.done)
    result = again.verify(desk.access)
    assert (True, 3, 1) == (result.clean, result.counts["sealed"], result.events["sealed"] - 1)
    assert (0, 0) == (again.adopt(desk.access, seal=True).records, again.adopt(desk.access, seal=True).events)


def test_what_was_adopted_can_be_refiled_and_altered(desk: Any, store: Any, clock: Any) -> None:
    """An adopted record goes on as any other: later filings are sealed, a change shows."""
    store.close()
    forget_entries(desk, "seq >= 2")
    again = desk.open()
    again.adopt(desk.access, seal=True)
    with again.read(desk.access) as view:
        record = view.get(crane(desk))
    clock.advance(hours=1)
    with again.write(desk.access) as view:
        view.refile(replace(record.filing, revision=2, pinned=True, filed_at=clock.now()))
    assert again.verify(desk.access).clean
    desk.sql(f"UPDATE filing SET importance = 9 WHERE record = {CRANE} AND revision = 1")
    assert {"sealed": 2, "altered": 1} == seen(again, desk)


def test_what_does_not_fit_its_own_digest_is_never_adopted(desk: Any, store: Any) -> None:
    """A forged row is named and refused; only what fits is sealed."""
    store.close()
    desk.sql(f"UPDATE record SET text = 'A stork flew over the heron.' WHERE no = {CRANE}")
    forget_entries(desk, "seq >= 2")
    again = desk.open()
    done = again.adopt(desk.access, seal=True)
    assert 1 == len(done.refused)
    assert {"sealed": 2, "unsealed": 1} == seen(again, desk)


@pytest.mark.parametrize("harm", ["cut", "broken", "no witness", "no chain"])
def test_nothing_is_adopted_on_a_chain_that_does_not_hold(desk: Any, store: Any, harm: str) -> None:
    """After a regression, on a broken chain and without a witness nothing is sure: a conflict says so."""
    store.close()
    if harm == "no witness":
        (desk.folder / "head").unlink()
    else:
        which = {"cut": "seq >= 3", "broken": "seq = 2", "no chain": "1"}[harm]
        desk.sql(f"DELETE FROM ledger WHERE {which}")
    again = desk.open()
    before = dump(desk)
    for seal in (False, True):
        with pytest.raises(Conflict, match="nothing is adopted"):
            again.adopt(desk.access, seal=seal)
    assert before == dump(desk)


def test_a_witness_that_was_kept_stands_in_for_the_head_file(desk: Any, store: Any) -> None:
    """With a head from elsewhere a store whose head file was lost verifies, and can adopt."""
    heads = store.verify(desk.access).heads
    store.close()
    (desk.folder / "head").unlink()
    again = desk.open()
    assert ("unanchored", False) == (lambda it: (it.anchored, it.clean))(again.verify(desk.access))
    assert ("anchored", True) == (lambda it: (it.anchored, it.clean))(again.verify(desk.access, heads))
    assert 0 == again.adopt(desk.access, heads, seal=True).records
    wrong = [replace(each, hash="0" * 64) for each in heads]
    assert "regressed" == again.verify(desk.access, wrong).anchored
    more = [replace(each, seq=each.seq + 1) for each in heads]
    assert "regressed" == again.verify(desk.access, more).anchored


def test_a_witness_of_another_scope_is_refused(desk: Any, store: Any) -> None:
    """Heads that speak of nothing that is looked at would prove nothing."""
    heads = [replace(each, scope=Scope("user:ben")) for each in store.verify(desk.access).heads]
    with pytest.raises(InvalidInput, match="speaks of no scope"):
        store.verify(desk.access, heads)


def test_only_a_person_mends(desk: Any, store: Any) -> None:
    """Agents and jobs may verify and explain, and neither adopt nor resolve."""
    for kind, authority in ((ActorKind.AGENT, Authority.AGENT), (ActorKind.JOB, Authority.JOB)):
        access = replace(desk.access, actor=Actor("x", kind, authority))
        assert store.verify(access).clean
        with pytest.raises(AccessDenied):
            store.adopt(access, seal=False)
        with pytest.raises(AccessDenied):
            store.resolve(access, "because", close=False)


# -- resolve -------------------------------------------------------------------------------------

HARMS = {
    "an entry was edited": ("UPDATE ledger SET payload = randomblob(32) WHERE seq = 2",),
    "an entry holds garbage": ("UPDATE ledger SET payload = 'x', at = x'00', surface = 7 WHERE seq = 2",),
    "the number is garbage": ("UPDATE ledger SET seq = x'fe' WHERE seq = 2",),
    "an entry is gone": ("DELETE FROM ledger WHERE seq = 2",),
    "the end is gone": ("DELETE FROM ledger WHERE seq > 2",),
    "the chain is gone": ("DELETE FROM ledger", "DELETE FROM head"),
    "the head is garbage": ("UPDATE head SET seq = x'00', hlc = 'x', hash = 1",),
    "every actor has another name": ("UPDATE actor SET id = 'mallory'",),
}


@pytest.mark.parametrize("harm", HARMS)
def test_a_resolved_chain_loses_nothing(desk: Any, store: Any, clock: Any, harm: str) -> None:
    """Every row is kept as it was found, the new part commits to all of it, and what it seals is clean."""
    store.close()
    desk.sql(*HARMS[harm])
    before = dump(desk)
    again = desk.open()
    broken = again.verify(desk.access)
    assert not broken.clean
    shown = again.resolve(desk.access, "the disk was bad", close=False)
    assert (before, False, 1) == (dump(desk), shown.done, len(shown.segments))
    done = again.resolve(desk.access, "the disk was bad", close=True)
    assert done.done
    assert [each.hash for each in shown.segments] == [each.hash for each in done.segments]
    kept = dump(desk)
    assert before == [row for row in kept if row in before]
    assert len(before) + 1 == len(kept)
    result = again.verify(desk.access)
    assert ((), "anchored") == (result.problems, result.anchored)
    assert [("the disk was bad", desk.access.actor)] == [
        (each.because, each.actor) for each in result.resolved
    ]
    assert not result.counts["missing"] + result.events["missing"]
    if not result.counts["altered"] + result.events["altered"]:  # the records themselves are as they were
        again.adopt(desk.access, seal=True)
        result = again.verify(desk.access)
        assert result.clean, result
    with again.write(desk.access) as view:
        view.assert_fact(fact(desk, clock, "white"))
        lines = {each.action: each.why for each in view.audit()}
    assert ("the disk was bad", True) == (lines["resolve"], "assert" in lines)
    assert ((), "anchored") == (lambda it: (it.problems, it.anchored))(again.verify(desk.access))
    with pytest.raises(InvalidInput):
        again.resolve(desk.access, "again", close=True)


def test_what_nothing_vouches_for_stays_in_dispute(desk: Any, store: Any) -> None:
    """An edited entry disputes its record, before and after the chain was closed; then nobody has to act."""
    id = crane(desk)
    store.close()
    desk.sql(f"UPDATE ledger SET at = at + 1 WHERE action = 'put' AND subject = x'{id}'")
    again = desk.open()
    (verdict,) = again.verify(desk.access).verdicts
    assert (id, "disputed", True) == (verdict.id, verdict.state, "--resolve" in verdict.next_action)
    again.resolve(desk.access, "a bad disk", close=True)
    result = again.verify(desk.access)
    (verdict,) = result.verdicts
    assert (id, "disputed", True) == (verdict.id, verdict.state, verdict.next_action.startswith("nothing"))
    assert (True, [1]) == (result.clean, [each.disputed for each in result.resolved])
    again.close()
    desk.sql(f"UPDATE record SET text = 'A stork.' WHERE no = {CRANE}")
    assert "altered" in {each.state for each in desk.open().verify(desk.access).verdicts}


def test_a_forger_who_links_again_disputes_all_that_he_linked(desk: Any, store: Any) -> None:
    """Entries that were hashed again up to a link that a witness contradicts speak for nobody."""
    store.close()
    db = apsw.Connection(str(desk.folder / "quoth.db"))
    entry = rows.ledger_entry(db.execute(f"{rows.LEDGER} WHERE l.seq = 2").fetchone())
    forged = ledger.entry_hash(replace(entry, payload_digest="00" * 32))
    db.execute("UPDATE ledger SET payload = zeroblob(32), hash = ? WHERE seq = 2", (bytes.fromhex(forged),))
    db.close()
    result = desk.open().verify(desk.access)
    assert any("broken at entry 3" in each for each in result.problems)
    assert (2, 1) == (result.counts["disputed"], result.counts["sealed"])


def test_a_kept_part_that_is_touched_shows(desk: Any, store: Any) -> None:
    """Whoever changes a closed part afterwards breaks the entry that commits to it."""
    store.close()
    desk.sql(*HARMS["an entry was edited"])
    again = desk.open()
    again.resolve(desk.access, "the disk was bad", close=True)
    assert again.verify(desk.access).clean
    again.close()
    pristine = shutil.copytree(desk.folder, desk.folder.parent / "pristine")
    for change in (
        "UPDATE ledger SET payload = randomblob(32) WHERE seq = 2",
        "UPDATE ledger SET at = at + 1 WHERE seq = 1",
        "DELETE FROM ledger WHERE seq = 3 AND origin LIKE '%#%'",
        "DELETE FROM ledger WHERE origin LIKE '%#%'",
        "UPDATE ledger SET origin = replace(origin, '#', '#1') WHERE origin LIKE '%#%'",
        "DELETE FROM act WHERE kind = 'resolve'",
        "UPDATE act SET body = replace(body, 'bad', 'good') WHERE kind = 'resolve'",
    ):
        desk.sql(change)
        result = desk.open().verify(desk.access)
        assert not result.clean, change
        shutil.rmtree(desk.folder)
        shutil.copytree(pristine, desk.folder)


@pytest.mark.parametrize(("entry", "first"), [("resolve", "second"), ("put", "first")])
def test_a_chain_can_be_closed_twice(desk: Any, store: Any, entry: str, first: str) -> None:
    """A second damage later: both parts are kept and named, also where what closed the first was hit."""
    store.close()
    for reason, harmed in (("first", "put"), ("second", entry)):
        desk.sql(
            f"""UPDATE ledger SET payload = randomblob(32)
            WHERE seq = (SELECT max(seq) FROM ledger WHERE action = '{harmed}')"""
        )
        again = desk.open()
        again.resolve(desk.access, reason, close=True)
        desk.keep(again, {reason: f"The gate squeaks, {reason}."})
        again.close()
    result = desk.open().verify(desk.access)
    assert ((), [first, "second"]) == (result.problems, [each.because for each in result.resolved])
    assert 2 == len({each.origin for each in result.resolved})


def test_what_was_resolved_still_shows_to_a_witness(desk: Any, store: Any, tmp_path: Path) -> None:
    """An older copy was put back on purpose: it is clean, but not to who kept a later head."""
    store.close()
    older = shutil.copytree(desk.folder, tmp_path / "older")
    store = desk.open()
    desk.keep(store, {"late": "The gate squeaks."})
    heads = store.verify(desk.access).heads
    store.close()
    shutil.copy(older / "quoth.db", desk.folder / "quoth.db")
    again = desk.open()
    assert "regressed" == again.verify(desk.access).anchored
    again.resolve(desk.access, "restored from a backup", close=True)
    result = again.verify(desk.access)
    assert (True, "anchored") == (result.clean, result.anchored)
    assert "regressed" == again.verify(desk.access, heads).anchored


def test_a_forged_resolution_does_not_silence_the_head_file(desk: Any, store: Any, tmp_path: Path) -> None:
    """Who resolves in a copy and puts only its database back is still behind the head file."""
    store.close()
    older = shutil.copytree(desk.folder, tmp_path / "older")
    store = desk.open()
    desk.keep(store, {"late": "The gate squeaks."})
    store.close()
    (older / "head").unlink()
    forged = replace(desk, folder=older).open()
    forged.resolve(desk.access, "nothing to see", close=True)
    forged.close()
    shutil.copy(older / "quoth.db", desk.folder / "quoth.db")
    assert "regressed" == desk.open().verify(desk.access).anchored


def test_resolving_needs_a_reason(desk: Any, store: Any) -> None:
    """A blank reason is refused before anything is looked at."""
    with pytest.raises(InvalidInput):
        store.resolve(desk.access, " ", close=False)


# -- explain -------------------------------------------------------------------------------------


def test_explain_names_every_entry(desk: Any, store: Any, clock: Any) -> None:
    """What is held, which entries speak for it and whether they fit, where the chain broke, what to do."""
    id = crane(desk)
    with store.read(desk.access) as view:
        filing = view.get(id).filing
    with store.write(desk.access) as view:
        view.refile(replace(filing, revision=2, pinned=True, filed_at=clock.now()))
    told = store.explain(desk.access, id)
    assert ("record", "sealed", "nothing", ()) == (told.kind, told.state, told.next_action, told.problems)
    assert [("put", True, True), ("refile", True, True)] == [
        (each.entry.action, each.sound, each.fits) for each in told.entries
    ]
    store.close()
    desk.sql(
        f"UPDATE filing SET importance = 9 WHERE record = {CRANE} AND revision = 2",
        "UPDATE ledger SET prev = randomblob(32) WHERE seq = 1",
    )
    told = desk.open().explain(desk.access, id)
    assert "altered" == told.state
    assert [True, False] == [each.fits for each in told.entries]
    assert id in told.next_action
    assert any("broken at entry 1" in each for each in told.problems)
    assert not any("crane flew" in each for each in told.held)


def test_explain_speaks_of_events_and_of_what_is_gone(desk: Any, store: Any) -> None:
    """A fact, a missing record, a row that the ledger does not know; a foreign id is not found."""
    raw = desk.rows("SELECT lower(hex(id)) FROM act")[0][0]
    assert ("assert", "sealed") == (lambda it: (it.kind, it.state))(store.explain(desk.access, raw))
    id = crane(desk)
    store.close()
    desk.sql(*(f"DELETE FROM {each} WHERE record = {CRANE}" for each in PARTS))
    desk.sql("DELETE FROM record WHERE no = 2")
    again = desk.open()
    told = again.explain(desk.access, id)
    assert ("missing", ("nothing that can be read",)) == (told.state, told.held)
    other = replace(desk.access, reads=frozenset({Scope("user:ben")}))
    for access, wanted in ((other, id), (desk.access, "0" * 32), (desk.access, "no id")):
        with pytest.raises(NotFound):
            again.explain(access, wanted)


# -- another install -----------------------------------------------------------------------------


def test_a_record_of_another_install_is_foreign(desk: Any, store: Any) -> None:
    """Rows and a chain that came from elsewhere, with no witness for that chain: foreign, and not adopted."""
    store.close()
    desk.sql("UPDATE meta SET value = '0123456789abcdef' WHERE key = 'origin'")
    (desk.folder / "head").write_text('{"version": 1, "heads": []}', encoding="utf-8")
    again = desk.open()
    result: Verification = again.verify(desk.access)
    assert (3, 1, False) == (result.counts["foreign"], result.events["foreign"], result.clean)
    assert any("another install" in each for each in result.problems)
    vouched = again.verify(desk.access, result.heads)
    assert (3, 0) == (vouched.counts["sealed"], vouched.counts["foreign"])
