"""A correction takes the place of a record."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from quoth.core.errors import AccessDenied, Conflict, InvalidInput, NotFound
from quoth.core.types import Access, AsOf, Decision, Document, Result, Scope, Source, Standing, Status, Trust


def test_a_correction_supersedes(care: Any) -> None:
    """The new words stand, the old ones stay in the history, and each points at the other."""
    old = care.note("The dentist is open on Tuesdays.", uri="note:1")
    outcome = care.correct(old, "The dentist is open on Fridays.", "it moved")
    new = str(outcome.record_id)
    assert (Result.STORED, None) == (outcome.outcome, outcome.conflict)
    assert (Standing.SUPERSEDED, new) == (care.get(old).standing, care.get(old).superseded_by)
    filing = care.record(new).filing
    assert (Status.CURRENT, old, "it moved") == (filing.status, filing.supersedes, filing.note)
    assert f"correction:{old}" == care.record(new).testimony.uri
    assert ["The dentist is open on Fridays."] == care.served("when is the dentist open?")


def test_valid_time_passes_from_one_to_the_other(care: Any) -> None:
    """The old words were true until the new ones are: from now, or from the moment that is given."""
    old = care.note("The dentist is open on Tuesdays.")
    moment = care.clock.now() + timedelta(seconds=10)
    new = care.correct(old, "The dentist is open on Fridays.", at=moment).record_id
    assert (moment, moment) == (care.record(old).filing.valid.end, care.record(new).filing.valid.start)
    with care.store.read(care.access, AsOf(valid=moment - timedelta(microseconds=1))) as view:
        before = [each.passage for each in view.lexical(["dentist"], 5)]
    with care.store.read(care.access, AsOf(valid=moment)) as view:
        after = [each.passage for each in view.lexical(["dentist"], 5)]
    assert (1, 1, False) == (len(before), len(after), before == after)


def test_a_correction_from_before_the_start_leaves_no_time(care: Any) -> None:
    """What is corrected from a moment before it was said was never true."""
    old = care.note("The dentist is open on Tuesdays.")
    start = care.record(old).filing.valid.start
    care.correct(old, "The dentist is open on Fridays.", at=start - timedelta(days=9))
    valid = care.record(old).filing.valid
    assert (start, start) == (valid.start, valid.end)


def test_a_chain_grows_at_its_head_only(care: Any) -> None:
    """A record that was corrected cannot be corrected again: the conflict names the head."""
    first = care.note("The code is 1.")
    second = str(care.correct(first, "The code is 2.").record_id)
    third = str(care.correct(second, "The code is 3.").record_id)
    for id in (first, second):
        with pytest.raises(Conflict, match=third):
            care.correct(id, "The code is 4.")
    assert [first, second, third] == [each.id for each in care.history(second).chain]
    assert [Standing.SUPERSEDED, Standing.SUPERSEDED, Standing.CURRENT] == [
        each.standing for each in care.history(first).chain
    ]


def test_words_may_come_back(care: Any) -> None:
    """A correction is corrected with the first words: a third record, and no cycle."""
    first = care.note("The code is 1.")
    second = str(care.correct(first, "The code is 2.").record_id)
    third = care.correct(second, "The code is 1.")
    assert (Result.STORED, None) == (third.outcome, third.conflict)
    assert [first, second, third.record_id] == [each.id for each in care.history(first).chain]
    assert ["The code is 1."] == care.served("what is the code?")


@pytest.mark.parametrize("text", ["The code is 1.", " The code is 1.\n"])
def test_the_same_words_are_no_correction(care: Any, text: str) -> None:
    """Other words are needed."""
    with pytest.raises(InvalidInput, match="says these words already"):
        care.correct(care.note("The code is 1."), text)


@pytest.mark.parametrize("because", ["", " \n", "a\0b", "\ud800"])
def test_a_reason_is_needed(care: Any, because: str) -> None:
    """A blank reason, or one that cannot be kept, is refused before anything is written."""
    id = care.note("The code is 1.")
    before = care.entries()
    for verb in (care.correct, care.forget, care.erase):
        with pytest.raises(InvalidInput, match="reason"):
            verb(id, *(["The code is 2."] if verb == care.correct else []), because)
    assert before == care.entries()


@pytest.mark.parametrize("text", ["", "  ", "a\0b"])
def test_words_that_cannot_be_kept_are_refused(care: Any, text: str) -> None:
    """The gate refuses what it refuses everywhere, and nothing is superseded."""
    id = care.note("The code is 1.")
    assert Result.REFUSED is care.correct(id, text).outcome
    assert Standing.CURRENT is care.get(id).standing


def test_rejected_words_are_held_and_supersede_nothing(care: Any) -> None:
    """Words that were forgotten do not come back as a correction; accepted later, they take the place."""
    wrong = care.note("The code is 1.")
    care.forget(wrong)
    id = care.note("The code is 2.")
    outcome = care.correct(id, "the code is  1")
    assert Result.HELD is outcome.outcome
    assert (Standing.CURRENT, None) == (care.get(id).standing, care.get(id).superseded_by)
    assert ["The code is 2."] == care.served("what is the code?")
    care.decide(Decision.ACCEPT)
    assert (Standing.SUPERSEDED, outcome.record_id) == (care.get(id).standing, care.get(id).superseded_by)
    assert ["the code is  1"] == care.served("what is the code?")


def test_what_is_not_served_cannot_be_corrected(care: Any) -> None:
    """A record that was forgotten is the head of its chain, and not current."""
    id = care.note("The code is 1.")
    care.forget(id)
    with pytest.raises(Conflict, match="retracted"):
        care.correct(id, "The code is 2.")


def test_how_it_was_kept_is_kept(care: Any) -> None:
    """A correction has the grain of what it corrects; and is believed as what its writer says."""
    turn = care.note("The code is 1.", kind="turn", speaker="Ana", session_id="s")
    web = care.note("The tap drips.", uri="u", source=Source.WEB)
    assert Trust.DOUBTFUL is care.record(web).filing.trust
    assert "turn" == care.record(care.correct(turn, "The code is 2.").record_id).filing.grain.value
    assert Trust.ASSERTED is care.record(care.correct(web, "The tap is off.").record_id).filing.trust


def test_old_words_from_elsewhere_are_a_conflict(care: Any) -> None:
    """Words that were corrected are current where another place says them later, and somebody is asked."""
    old = care.note("The heron nests in the reeds.", uri="a")
    new = care.correct(old, "The heron nests in the oak.").record_id
    (later,) = care.keep(Document("The heron nests in the reeds.", "b"))
    assert (Result.STORED, new, "corrected") == (
        later.outcome,
        later.conflict and later.conflict.record_id,
        later.conflict and later.conflict.on,
    )


def test_old_words_from_before_are_held(care: Any) -> None:
    """Words that were said before they were corrected are held where they come in afterwards."""
    said = care.clock.now()
    old = care.note("The heron nests in the reeds.", uri="a")
    care.correct(old, "The heron nests in the oak.")
    (late,) = care.keep(Document("The heron nests in the reeds.", "b", said_at=said))
    assert (Result.HELD, Status.HELD) == (late.outcome, care.record(late.record_id).filing.status)
    assert ["The heron nests in the oak."] == care.served("where does the heron nest?")


def test_the_same_place_read_again_changes_nothing(care: Any) -> None:
    """A correction lays no rejection: the file that says the old words is no news."""
    document = Document("The heron nests in the reeds.\n\nIt is grey.", "/a.md", "markdown")
    old = care.keep(document)[0].record_id
    care.correct(old, "The heron nests in the oak.")
    before = care.entries()
    again = [each.outcome for each in care.keep(document)]
    assert ([Result.DUPLICATE] * 2, before) == (again, care.entries())


def test_a_foreign_record_cannot_be_corrected(care: Any, foreign: Access) -> None:
    """An id of another scope is not found, in the words for an id that nobody has."""
    id = care.note("The code is 1.")
    messages = []
    for asked in (id, "0" * 32):
        with pytest.raises(NotFound) as error:
            care.to(foreign).correct(asked, "The code is 2.")
        messages.append(str(error.value).replace(asked, "ID"))
    assert messages[0] == messages[1]
    assert Standing.CURRENT is care.get(id).standing


def test_a_readable_scope_that_is_not_writable_is_denied(care: Any, access: Access) -> None:
    """What may only be read cannot be corrected; the attempt is noted."""
    id = care.note("The code is 1.")
    home = Scope("user:ben")
    reader = care.to(replace(access, home=home, reads=access.reads | {home}, writes=frozenset({home})))
    for verb in (reader.forget, reader.reinstate, reader.expire, reader.erase):
        with pytest.raises(AccessDenied):
            verb(id)
    with pytest.raises(AccessDenied):
        reader.correct(id, "The code is 2.")
    noted = [(each.action, each.subject) for each in reader.audit() if each.scope == home]
    assert [("refused", id)] * 5 == noted
