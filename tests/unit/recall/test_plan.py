"""A question becomes a plan: words, names of this store, dates, cues."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from quoth.core.policy import RecallPolicy
from quoth.core.types import Access, Grain

SAID = datetime(2023, 5, 8, tzinfo=UTC)


def test_words_are_analysed_like_passages(talk: Any) -> None:
    """The terms of a question are those of a text, in order, with repeats."""
    assert ("heron", "heron", "c++", "c") == tuple(
        sorted(talk.plan("The herons of the heron in C++").terms, key=["heron", "c++", "c"].index)
    )


def test_only_speakers_of_the_store_are_names(talk: Any) -> None:
    """A name counts where it speaks here; roles and models are no people."""
    talk.say(
        ("Zoë", "Hello."), ("Bo Lee", "Hi."), ("user", "Hm."), ("assistant", "Yes."), ("claude-4", "Ok.")
    )
    for question, want in (
        ("What did Zoë say?", ("Zoë",)),
        ("what did zoe say to BO LEE", ("Zoë", "Bo Lee")),
        ("What did Carl say?", ()),
        ("What did the user, the assistant and claude-4 say?", ()),
        ("Zoës and Boleyn", ()),
    ):
        assert want == talk.plan(question).names


def test_people_of_other_scopes_are_no_names(talk: Any, foreign: Access) -> None:
    """Who speaks in a scope that cannot be read is not known here."""
    replace(talk, access=foreign).say(("Zoë", "Hello."))
    assert () == talk.plan("What did Zoë say?").names


def test_names_are_not_embedded(talk: Any) -> None:
    """The text that is embedded leaves the names out, unless nothing would remain."""
    talk.say(("Zoë", "Hello."))
    assert "What is 's boat called?".replace(" 's", "") == talk.plan("What is Zoë's boat called?").dense_text
    assert "Zoë" == talk.plan("Zoë").dense_text
    assert "Where is the boat?" == talk.plan("Where is the boat?").dense_text


def test_explicit_dates_are_intervals(talk: Any) -> None:
    """A full date is that day; one without a year is that day in every year of this store."""
    talk.say(("Zoë", "Hello."), at=SAID)
    day = date(2023, 5, 8).toordinal()
    assert ((day, day),) == talk.plan("What happened on 8 May 2023?").dates
    assert ((day, day),) == talk.plan("What happened on May 8?").dates
    assert () == talk.plan("What happened?").dates


@pytest.mark.parametrize(
    ("question", "when", "how_long", "of_assistant"),
    [
        ("When did she call?", True, False, False),
        ("What year was it?", True, False, False),
        ("How long did it take?", False, True, False),
        ("The place that you recommended to me", False, False, True),
        ("Remind me what we discussed", False, False, True),
        ("Who called whenever?", False, False, False),
    ],
)
def test_cues(talk: Any, question: str, when: bool, how_long: bool, of_assistant: bool) -> None:
    """What kind of answer is asked for, and whether the assistant's words are."""
    plan = talk.plan(question)
    assert (when, how_long, of_assistant) == (plan.asks_when, plan.asks_how_long, plan.of_assistant)


def test_only_so_many_words_are_looked_up(talk: Any) -> None:
    """Of a long question the first distinct words count, and the plan says how many were left."""
    few = replace(talk, policy=replace(talk.policy, recall=RecallPolicy(max_terms=3)))
    plan = few.plan("alpha beta alpha gamma delta beta epsilon")
    assert ("alpha", "beta", "alpha", "gamma", "beta") == plan.terms
    assert ("3 words (the first of 5)",) == plan.reasons


def test_a_plan_says_why(talk: Any) -> None:
    """Names and dates are given as reasons, and the grain asked for is kept."""
    talk.say(("Zoë", "Hello."))
    plan = talk.plan("What did Zoë do on 8 May 2023?", Grain.FACT)
    assert "names 'Zoë'" in plan.reasons
    assert "explicit date" in plan.reasons
    assert Grain.FACT is plan.grain
    assert plan == talk.plan("What did Zoë do on 8 May 2023?", Grain.FACT)
