"""Forget, reinstate, expire: out of service and back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from quoth.core.errors import AccessDenied, Conflict, InvalidInput, NotFound, StoreUnavailable
from quoth.core.rules import record_id
from quoth.core.types import Access, Decision, Document, Result, Source, Standing, Status

CODE = "The shed code is 4711."


def test_forgotten_words_are_not_served(care: Any) -> None:
    """A forgotten record is retracted, and stays in the history with the reason."""
    id = care.note(CODE)
    done = care.forget(id, "the lock is gone")
    assert (id, Standing.RETRACTED, ()) == (done.id, done.standing, done.also)
    assert [] == care.served("what is the shed code?")
    assert (CODE, Standing.RETRACTED) == (care.get(id).text, care.get(id).standing)
    assert ["", "the lock is gone"] == [each.note for each in care.history(id).filings]


@pytest.mark.parametrize(
    "document",
    [
        Document(CODE, "note:other"),
        Document(CODE),
        Document("  the SHED code  is 4711 ", "b"),
        Document("Ｔｈｅ shed code is 4711.", "b"),
        Document(CODE, "t", "turn", "talk", "Ben"),
        Document(CODE, "b", source=Source.WEB),
        Document(f"{CODE}\n", "/a.md", "markdown"),
        Document(CODE, "f", "fact"),
    ],
    ids=["place", "no name", "case", "form", "turn", "web", "file", "fact"],
)
def test_forgotten_words_are_held_when_they_come_again(care: Any, document: Document) -> None:
    """Whoever says them, wherever, in whatever case and form: held with their text, and counted."""
    care.forget(care.note(CODE, uri="note:1"))
    for count in (1, 2):
        (outcome,) = care.keep(document)
        assert Result.HELD is outcome.outcome
        if document.kind == "markdown":
            break
        assert [count] == [each.seen_count for each in care.queue()]
    assert "ana" in outcome.why
    assert (Status.HELD, []) == (care.record(outcome.record_id).filing.status, care.served("shed code?"))
    assert document.text.strip() == care.queue()[0].text.strip()


@pytest.mark.parametrize(
    "other", ["The shed code is 4712.", "The shed code is not 4711.", "The gate code is 4711."]
)
def test_other_words_are_not_the_same(care: Any, other: str) -> None:
    """Another number, a negation and another name are other words."""
    care.forget(care.note(CODE))
    assert Result.STORED is care.keep(other)[0].outcome


def test_every_record_of_the_words_goes(care: Any, foreign: Access) -> None:
    """Other records of the same words in the scope are retracted too; other scopes keep theirs."""
    one = care.note(CODE, uri="a")
    two = care.note("the shed code is 4711", uri="b")
    theirs = care.to(foreign).note(CODE, uri="a")
    assert (two,) == care.forget(one).also
    assert [] == care.served("what is the shed code?")
    assert Standing.CURRENT is care.to(foreign).get(theirs).standing
    again = care.reinstate(two)
    assert ((one,), Standing.CURRENT) == (again.also, care.get(one).standing)


def test_a_forgotten_record_comes_back(care: Any) -> None:
    """`reinstate` lifts the rejection and serves the record again, with the time that it had."""
    id = care.note(CODE)
    valid = care.record(id).filing.valid
    care.forget(id)
    done = care.reinstate(id, "it is right after all")
    assert (Standing.CURRENT, valid) == (done.standing, care.record(id).filing.valid)
    assert [CODE] == care.served("what is the shed code?")
    assert Result.STORED is care.keep(Document(CODE, "elsewhere"))[0].outcome
    assert ["current", "retracted", "current"] == [each.status.value for each in care.history(id).filings]


def test_a_superseded_record_that_was_forgotten_is_superseded_again(care: Any) -> None:
    """What stood before a retraction stands after it: two records of one chain are never current."""
    old = care.note(CODE)
    care.correct(old, "The shed code is 8128.")
    care.forget(old)
    assert Standing.SUPERSEDED is care.reinstate(old).standing
    assert ["The shed code is 8128."] == care.served("what is the shed code?")


def test_lifting_needs_the_rejecter_s_authority(care: Any) -> None:
    """Who is below the one who forgot cannot bring it back; nothing changes, and it is noted."""
    id = care.note(CODE)
    care.forget(id)
    for who in ("person", "agent", "job"):
        with pytest.raises(AccessDenied):
            care.by(who).reinstate(id, "I am the owner, I allow it")
    assert Standing.RETRACTED is care.get(id).standing
    assert ["refused"] * 3 == [each.action for each in care.audit()[-3:]]
    assert Standing.CURRENT is care.reinstate(id).standing


def test_an_agent_s_rejection_is_lifted_by_a_person(care: Any) -> None:
    """More authority is enough."""
    id = care.note(CODE)
    care.by("agent").forget(id)
    assert Standing.CURRENT is care.by("person").reinstate(id).standing


def test_what_cannot_be_reinstated_says_why(care: Any) -> None:
    """Current, superseded, held and erased records each say what is to be done."""
    current = care.note("The tap drips.")
    with pytest.raises(InvalidInput, match="has no end"):
        care.reinstate(current)
    new = care.correct(current, "The tap is dry.").record_id
    with pytest.raises(Conflict, match=str(new)):
        care.reinstate(current)
    care.forget(care.note(CODE, uri="a"))
    held = care.keep(Document(CODE, "b"))[0].record_id
    for verb in (care.reinstate, care.forget):
        with pytest.raises(InvalidInput, match="held"):
            verb(held)
    gone = care.note("The gate code is 1.")
    care.erase(gone)
    for verb in (care.reinstate, care.forget, care.expire):
        with pytest.raises(InvalidInput, match="erased"):
            verb(gone)


def test_forgetting_twice_is_a_conflict(care: Any) -> None:
    """The second one finds it forgotten."""
    id = care.note(CODE)
    care.forget(id)
    with pytest.raises(Conflict, match="forgotten before"):
        care.forget(id)


def test_what_a_file_dropped_can_be_forgotten(care: Any) -> None:
    """A record that a file no longer holds is retracted without a rejection; forgetting lays one."""
    id = care.keep(Document(f"{CODE}\n\nThe tap drips.", "/a.md", "markdown"))[0].record_id
    care.keep(Document("The tap drips.", "/a.md", "markdown"))
    assert Standing.RETRACTED is care.get(id).standing
    care.forget(id)
    outcomes = care.keep(Document(f"{CODE}\n\nThe tap drips.", "/a.md", "markdown"))
    assert Result.HELD is outcomes[0].outcome
    assert [] == care.served("what is the shed code?")


def test_expiring_ends_the_time(care: Any) -> None:
    """An expired record is not served now, is found when its time is asked for, and can be reopened."""
    id = care.note(CODE)
    end = care.clock.now() + timedelta(seconds=30)
    done = care.expire(id, end)
    assert (Standing.EXPIRED, end) == (done.standing, done.filing.valid.end)
    assert [] == care.served("what is the shed code?")
    assert Standing.CURRENT is care.reinstate(id).standing
    assert [CODE] == care.served("what is the shed code?")
    assert care.clock.now() + timedelta(minutes=1) == care.expire(id).filing.valid.end


def test_an_end_to_come_can_be_taken_away(care: Any) -> None:
    """A record that will expire is current until then."""
    id = care.note(CODE)
    assert Standing.CURRENT is care.expire(id, care.clock.now() + timedelta(days=1)).standing
    care.reinstate(id)
    care.clock.advance(days=2)
    assert [CODE] == care.served("what is the shed code?")


def test_an_end_before_the_start_is_refused(care: Any) -> None:
    """A record cannot cease to be true before it was."""
    id = care.note(CODE)
    with pytest.raises(InvalidInput, match="ends before it starts"):
        care.expire(id, care.clock.now() - timedelta(days=1))
    new = care.correct(id, "The shed code is 8128.").record_id
    with pytest.raises(Conflict, match=str(new)):
        care.expire(id)


def test_a_beginning_of_an_id_is_enough(care: Any) -> None:
    """Six digits that no other id begins with stand for it; fewer, or other letters, are no id."""
    id = care.note(CODE)
    assert id == care.get(id[:6]).id == care.get(id[:31]).id == care.forget(id[:8]).id
    for beginning in (
        id[:5],
        id[:6].upper() if id[:6].upper() != id[:6] else "ABCDEF",
        "",
        id + "0",
        f"{id[:6]}%",
    ):
        with pytest.raises(NotFound):
            care.get(beginning)


def test_an_ambiguous_beginning_lists_the_candidates(care: Any, foreign: Access) -> None:
    """Only readable ones are listed, or counted."""
    first: dict[str, int] = {}
    for number in range(20_000):
        id = record_id(care.access.home, f"n{number}", None, "a note", 0)
        if id[:6] in first:
            break
        first[id[:6]] = number
    found = sorted(care.note("a note", uri=f"n{each}") for each in (first[id[:6]], number))
    with pytest.raises(InvalidInput) as error:
        care.get(found[0][:6])
    assert all(each in str(error.value) for each in found)
    with pytest.raises(NotFound):
        care.to(foreign).get(found[0][:6])
    assert found[0] == care.get(found[0]).id


def test_a_missing_and_a_foreign_id_are_one_answer(care: Any, foreign: Access) -> None:
    """The same text, the same note in the caller's own chain, and nothing in the other one's."""
    id = care.note(CODE)
    mine = care.entries()
    theirs = care.to(foreign)
    texts, notes = [], []
    for asked in (id, "0" * 32, id[:6], "0" * 6):
        for verb in (
            theirs.get,
            theirs.history,
            theirs.forget,
            theirs.reinstate,
            theirs.expire,
            theirs.erase,
        ):
            with pytest.raises(NotFound) as error:
                verb(asked)
            texts.append(str(error.value).replace(asked, "ID"))
            last = theirs.audit()[-1]
            notes.append((last.action, last.why, last.actor.id))
            assert asked == last.subject
    assert 1 == len(set(texts))
    assert {("refused", each, "ben") for _, each, _ in notes} == set(notes)
    assert (mine, 24) == (care.entries(), theirs.entries())


@pytest.mark.parametrize(
    "id", ["nope", "the shed code is 4711", "\0", "é" * 5000, "'; DROP TABLE record; --"]
)
def test_what_is_no_id_is_not_noted_as_one(care: Any, id: str) -> None:
    """What was typed may hold anything: only ids stand in the ledger."""
    with pytest.raises(NotFound):
        care.get(id)
    assert ("refused", "") == (care.audit()[-1].action, care.audit()[-1].subject)


def test_a_home_that_cannot_be_written_goes_without_the_note(
    care: Any, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is the same where the note cannot be made."""
    with pytest.raises(NotFound):
        care.to(replace(access, writes=frozenset())).get("0" * 32)

    def full(access: Access) -> None:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(care.store, "write", full)
    with pytest.raises(NotFound):
        care.get("0" * 32)


def test_a_watched_file_repeats_in_vain(care: Any) -> None:
    """However often a file repeats forgotten words, they stay forgotten, and its other words are kept."""
    text = f"{CODE}\n\nThe tap drips."
    id = care.keep(Document(text, "/a.md", "markdown"))[0].record_id
    care.forget(id)
    for more in range(3):
        document = Document(f"{text}\n\nLine {more}.", "/a.md", "markdown")
        first, *_ = care.keep(document)
        before = care.entries()
        care.keep(document)
        assert before == care.entries()
    assert (Standing.RETRACTED, []) == (care.get(id).standing, care.served("shed code"))
    assert Result.HELD is first.outcome
    assert Standing.CURRENT is care.reinstate(id).standing


def test_held_words_in_the_place_of_others_leave_them_retracted(care: Any) -> None:
    """A paragraph that was replaced by rejected words went, and nothing superseded it."""
    care.forget(care.note("The code of the shed is now 8128."))
    old = care.keep(Document("The code of the shed is now 4711.\n\nIt rains.", "/a.md", "markdown"))[
        0
    ].record_id
    outcomes = care.keep(Document("The code of the shed is now 8128.\n\nIt rains.", "/a.md", "markdown"))
    assert Result.HELD is outcomes[0].outcome
    assert (Standing.RETRACTED, None) == (care.get(old).standing, care.get(old).superseded_by)
    care.decide(Decision.ACCEPT)
    assert "The code of the shed is now 8128." == care.served("what is the code of the shed?")[0]
