"""Where limits are why there is no answer, it says so, and how to see what was left out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from quoth.core.types import AsOf, Document, Limits, Source, Standing, Trust
from quoth.recall.narrow import limits

MAY = datetime(2023, 5, 8, 12, tzinfo=UTC)
JUNE = datetime(2023, 6, 8, tzinfo=UTC)
FERRY = "When does the ferry leave?"


def trusted(trust: Trust) -> Limits:
    """Limits of trust alone."""
    return limits(None, None, "said", trust, False)


def web(text: str, uri: str = "page") -> Document:
    """Words that nobody here stands for."""
    return Document(text, uri, source=Source.WEB)


def test_nothing_in_the_window_says_the_window(talk: Any) -> None:
    """Nothing of that time is an abstention that names the time, not an answer from another."""
    talk.keep(Document("The ferry leaves at noon.", said_at=MAY))
    got = talk.ask(FERRY, limits=Limits(since=JUNE))
    assert ((), "nothing_in_window") == (got.passages, got.abstention.reason)
    assert "nothing that can be read here was said (else recorded) from 2023-06-08" in got.abstention.detail


def test_nothing_at_all_is_not_blamed_on_the_window(talk: Any) -> None:
    """In an empty store there is nothing in any window."""
    assert "nothing_stored" == talk.ask(FERRY, limits=Limits(since=JUNE)).abstention.reason


def test_what_is_in_the_window_and_does_not_answer_is_not_blamed_on_it(words: Any) -> None:
    """The window holds something, and it is about something else."""
    words.keep(Document("The heron stood in the reeds.", said_at=JUNE))
    assert "nothing_found" == words.ask(FERRY, limits=Limits(since=JUNE)).abstention.reason


def test_a_doubtful_answer_is_left_out_and_said(talk: Any) -> None:
    """Where only doubtful passages answer, the abstention says so, and that asking for them shows them."""
    talk.keep(web("The ferry leaves at noon."))
    got = talk.ask(FERRY)
    assert ((), "below_trust", False) == (got.passages, got.abstention.reason, got.answerable)
    assert "only doubtful passages answer this" in got.abstention.detail
    assert "trust doubtful shows them" in got.abstention.detail
    assert "trust: 1 doubtful passages were left out" == got.trace[-1]
    [shown] = talk.ask(FERRY, limits=trusted(Trust.DOUBTFUL)).passages
    assert ("The ferry leaves at noon.", Trust.DOUBTFUL) == (shown.text, shown.record.filing.trust)


def test_doubtful_words_beside_others_are_left_out(talk: Any) -> None:
    """A doubtful passage is in no answer that did not ask for it, however near it is."""
    talk.note("The ferry needs paint.", "The heron stood in the reeds.")
    talk.keep(web("When does the ferry leave? The ferry leaves at noon."))
    assert not any("noon" in each for each in talk.texts(FERRY))
    assert "noon" in talk.texts(FERRY, limits=trusted(Trust.DOUBTFUL))[0]


def test_doubtful_words_that_do_not_answer_are_not_named(words: Any) -> None:
    """Where what was left out does not answer either, there is nothing to see; the trace counts it."""
    words.note("The heron stood in the reeds.")
    words.keep(web("The boiler needs a new valve."))
    got = words.ask(FERRY)
    assert "nothing_found" == got.abstention.reason
    assert "trust: 1 doubtful passages were left out" == got.trace[-1]


def test_a_store_of_doubtful_words_is_not_empty(words: Any) -> None:
    """It does not say that nothing is stored where only what is believed was looked at."""
    words.keep(web("The boiler needs a new valve."))
    got = words.ask(FERRY).abstention
    assert "nothing_found" == got.reason
    assert "nothing else than doubtful passages" in got.detail


def test_only_what_was_verified_is_served_where_that_is_asked_for(talk: Any) -> None:
    """Asserted passages are left out then, and named by the abstention; a verified one is served."""
    [record] = talk.note("The ferry leaves at noon.")
    got = talk.ask(FERRY, limits=trusted(Trust.VERIFIED))
    assert "below_trust" == got.abstention.reason
    assert (
        "only asserted passages answer this, and they are left out: trust asserted" in got.abstention.detail
    )
    talk.refile(record, trust=Trust.VERIFIED)
    [shown] = talk.ask(FERRY, limits=trusted(Trust.VERIFIED)).passages
    assert (record, Trust.VERIFIED) == (shown.id, shown.record.filing.trust)
    assert [record] == [each.id for each in talk.ask(FERRY).passages]


def test_an_empty_question_is_that_whatever_the_limits(talk: Any) -> None:
    """Nothing is looked for, so nothing was left out."""
    talk.keep(web("The ferry leaves at noon."))
    assert "empty_question" == talk.ask(" ", limits=Limits(since=JUNE)).abstention.reason


@pytest.mark.parametrize("mode", ["helpful", "strict"])
def test_a_moment_before_everything_knows_nothing(talk: Any, mode: str) -> None:
    """Before the first word was known there is no answer."""
    talk.note("The ferry leaves at noon.")
    got = talk.ask(FERRY, as_of=AsOf(system=MAY), mode=mode)
    assert ((), "nothing_stored") == (got.passages, got.abstention.reason)
    assert Standing.CURRENT is talk.ask(FERRY).passages[0].standing
