"""How far a record is believed."""

from __future__ import annotations

from typing import Any

import pytest

from quoth.core.errors import AccessDenied, InvalidInput, NotFound
from quoth.core.types import Access, Source, Standing, Trust


def test_a_person_makes_sure(care: Any) -> None:
    """Doubtful words are served once a person has verified them; the history says who and why."""
    id = care.note("The ferry leaves at seven.", uri="u", source=Source.WEB)
    assert [] == care.served("when does the ferry leave?")
    done = care.by("person").trust(id[:8])
    assert (Standing.CURRENT, Trust.VERIFIED) == (done.standing, done.filing.trust)
    assert ["The ferry leaves at seven."] == care.served("when does the ferry leave?")
    last = care.history(id).filings[-1]
    assert ("ben", "I have seen it", Trust.VERIFIED) == (last.actor.id, last.note, last.trust)
    care.trust(id, Trust.DOUBTFUL)
    assert [] == care.served("when does the ferry leave?")


@pytest.mark.parametrize("who", ["agent", "job"])
def test_no_program_makes_sure(care: Any, who: str) -> None:
    """Below a person it is denied."""
    id = care.note("The ferry leaves at seven.", uri="u", source=Source.WEB)
    with pytest.raises(AccessDenied):
        care.by(who).trust(id)
    assert Trust.DOUBTFUL is care.record(id).filing.trust


def test_what_changes_nothing_is_refused(care: Any, foreign: Access) -> None:
    """The trust that a record has already, records that nobody is shown, and foreign ones."""
    id = care.note("The ferry leaves at seven.")
    with pytest.raises(InvalidInput, match="asserted already"):
        care.trust(id, Trust.ASSERTED)
    care.forget(id)
    with pytest.raises(InvalidInput, match="retracted"):
        care.trust(id)
    with pytest.raises(NotFound):
        care.to(foreign).trust(id)


def test_a_correction_keeps_its_old_words_apart(care: Any) -> None:
    """A superseded record may be believed more or less, and stays superseded."""
    id = care.note("The ferry leaves at seven.")
    care.correct(id, "The ferry leaves at eight.")
    assert Standing.SUPERSEDED is care.trust(id, Trust.DOUBTFUL).standing
    assert ["The ferry leaves at eight."] == care.served("when does the ferry leave?")
