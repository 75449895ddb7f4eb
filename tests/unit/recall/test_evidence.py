"""The features of each candidate, on stores small enough to work them out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from quoth.core.policy import RecallPolicy
from quoth.core.text import analyse
from quoth.core.types import Access, Grain

MAY = datetime(2023, 5, 8, 12, tzinfo=UTC)
A, B, C = "I bought a kettle.", "The heron stood in the reeds.", "My boat is green."


def x(features: dict[str, float], policy: RecallPolicy) -> float:
    """What context is made of: words and meaning of one passage."""
    share = policy.context_bm25 + policy.context_cosine
    return (policy.context_bm25 * features["bm25"] + policy.context_cosine * features["cosine"]) / share


def test_bm25_is_a_share_of_the_ideal(talk: Any) -> None:
    """`bm25` is the raw score over that of a passage with every known word, saturated."""
    talk.note(A, B, C, "Heron, heron!")
    found = talk.evidence("heron in the reeds unheardof")
    with talk.store.read(talk.access) as view:
        terms = analyse("heron in the reeds unheardof")
        raw = {hit.passage: hit.score for hit in view.lexical(terms, 9)}
        n, df = view.readable(), view.frequencies(terms)
        ideal = 1.9 * sum(math.log(1 + (n - df[t] + 0.5) / (df[t] + 0.5)) for t in terms if df[t])
        best = max(raw.values())
    assert best / ideal == pytest.approx(found[B]["bm25"], rel=1e-4)
    assert 0 == found[C]["bm25"]


def test_known_words_are_a_share_of_a_good_passage(talk: Any) -> None:
    """`known_words` is 1 where a passage as long as the floor has every word once; unknown words lower it."""
    talk.note(A, B, C)
    with talk.store.read(talk.access) as view:
        lengths = [len(analyse(each)) for each in (A, B, C)]
        assert sum(lengths) / 3 == pytest.approx(view.mean_words())
    assert 1.0 == pytest.approx(talk.evidence("heron in the reeds")[B]["known_words"], rel=1e-4)
    idf = [math.log(1 + (3 - df + 0.5) / (df + 0.5)) for df in (1, 1, 0)]
    share = (idf[0] + idf[1]) / sum(idf)
    assert share == pytest.approx(talk.evidence("heron in the reeds unheardof")[B]["known_words"], rel=1e-4)
    assert {0} == {each["known_words"] for each in talk.evidence("unheardof").values()}


def test_neighbours_lend_their_context(talk: Any) -> None:
    """`previous` and `next` are x of the passages beside it in the session, 0 at its ends."""
    talk.say(("Zoë", A), ("Bo", B), ("Zoë", C))
    talk.say(("Zoë", "Another heron in other reeds."), session="second")
    found = talk.evidence("heron in the reeds")
    policy = talk.policy.recall
    for one, two in ((A, B), (B, C)):
        assert x(found[one], policy) == pytest.approx(found[two]["previous"], abs=1e-5)
        assert x(found[two], policy) == pytest.approx(found[one]["next"], abs=1e-5)
    assert (0, 0) == (found[A]["previous"], found[C]["next"])
    alone = found["Another heron in other reeds."]
    assert (0, 0) == (alone["previous"], alone["next"])


def test_a_session_lends_its_best(talk: Any) -> None:
    """`session_max` is the best x of the session, `session_bm25` is of all its words together."""
    talk.say(("Zoë", A), ("Bo", B), ("Zoë", C))
    talk.say(("Zoë", "A kettle, and one more."), ("Bo", "Nothing."), session="second")
    found = talk.evidence("heron in the reeds")
    first = [found[each] for each in (A, B, C)]
    best = max(x(each, talk.policy.recall) for each in first)
    assert [pytest.approx(best, abs=1e-5)] * 3 == [each["session_max"] for each in first]
    assert 1 == len({each["session_bm25"] for each in first})
    assert first[0]["session_bm25"] > 0


def test_notes_of_one_document_are_neighbours(talk: Any) -> None:
    """Without a session the document is one: its paragraphs lend context in reading order."""
    talk.note(f"{A}\n\n{B}\n\n{C}", kind="markdown")
    found = talk.evidence("heron in the reeds")
    assert found[A]["next"] > 0
    assert found[C]["previous"] == pytest.approx(found[A]["next"])


def test_the_subject_is_who_is_asked_for(talk: Any) -> None:
    """`subject` is 1 for the words of the one person named; of the user, or of the assistant if asked so."""
    talk.say(("Zoë", "My heron."), ("Bo", "Your heron."), ("user", "This heron."), ("assistant", "A heron."))

    def subjects(question: str) -> list[float]:
        found = talk.evidence(question)
        return [found[each]["subject"] for each in ("My heron.", "Your heron.", "This heron.", "A heron.")]

    assert [1, 0, 1, 0] == subjects("What did Zoë say of the heron?")
    assert [0, 0, 1, 0] == subjects("Where is the heron?")
    assert [0, 0, 0, 1] == subjects("What heron did we say that you suggested?")
    assert [0, 0, 1, 0] == subjects("Did Zoë or Bo see the heron?")


@pytest.mark.parametrize(("days", "want"), [(0, 1.0), (3, math.exp(-3 / 5)), (-2, math.exp(-6 / 5))])
def test_a_date_is_near_what_was_said_then(talk: Any, days: int, want: float) -> None:
    """`date_session` falls with the days since the asked day, three times as fast with those before it."""
    talk.say(("Zoë", A), at=MAY + timedelta(days=days))
    assert want == pytest.approx(talk.evidence("What was on 8 May 2023?")[A]["date_session"], rel=1e-5)


def test_dated_sessions_come_in_without_a_word(words: Any) -> None:
    """A passage that shares no word with the question is a candidate for its date alone."""
    words.say(("Zoë", A), at=MAY)
    words.say(("Bo", B), at=MAY + timedelta(days=400), session="later")
    found = words.evidence("What was on 8 May 2023?")
    assert {A} == set(found)
    assert 0 == found[A]["bm25"]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("It froze on 8 May 2023.", 1.0),
        ("It froze on 5 May 2023.", math.exp(-1)),
        ("It froze yesterday.", math.exp(-1 / 3)),
        ("It froze on 8 August 2021.", 0.0),
        ("It froze.", 0.0),
    ],
)
def test_an_event_is_near_the_asked_day(talk: Any, text: str, want: float) -> None:
    """`date_event` falls with the days between the asked day and one that the words speak of."""
    talk.say(("Zoë", text), at=MAY)
    found = talk.evidence("What froze on 8 May 2023?")[text]
    assert want == pytest.approx(found["date_event"], abs=1e-5)


def test_cues_meet_what_can_answer_them(talk: Any) -> None:
    """`when` counts passages with a date where a date is asked for, `how_long` those with a duration."""
    dated, lasting = "The heron came on 8 May 2023.", "The heron stayed for three weeks."
    talk.note(dated, lasting, "A heron.")
    for question, want in (
        ("When did the heron come?", {dated: (1, 0), lasting: (0, 0), "A heron.": (0, 0)}),
        ("How long did the heron stay?", {dated: (0, 0), lasting: (0, 1), "A heron.": (0, 0)}),
        ("Where is the heron?", {dated: (0, 0), lasting: (0, 0), "A heron.": (0, 0)}),
    ):
        found = talk.evidence(question)
        assert want == {text: (each["when"], each["how_long"]) for text, each in found.items()}


def test_gates_open_among_people(talk: Any) -> None:
    """`people` is 1 for people and facts and 0 with an assistant; neighbours count for all but facts."""
    talk.say(("Zoë", "My heron."), ("user", "Heron?"), ("assistant", "A heron."), ("tool", "heron=1"))
    talk.note("The heron has a nest.", kind="fact")
    found = talk.evidence("heron")
    assert {
        "My heron.": (1, 1),
        "Heron?": (0, 1),
        "A heron.": (0, 1),
        "heron=1": (0, 1),
        "The heron has a nest.": (1, 0),
    } == {text: (each["people"], each["dialogue"]) for text, each in found.items()}


@pytest.mark.parametrize(("length", "want"), [(100, 1.0), (225, 0.5), (300, 0.0), (400, 0.0)])
def test_where_nobody_speaks_length_decides(talk: Any, length: int, want: float) -> None:
    """Notes as short as what people say open the gate as far as the policy says; long ones do not."""
    text = "heron " + "x" * (length - 6)
    talk.note(text)
    found = talk.evidence("heron")[text]
    assert want * talk.policy.recall.gate_notes == pytest.approx(found["people"])
    assert 0 == found["dialogue"]


def test_flags_are_features(talk: Any) -> None:
    """Length, question marks and persons are told as they are."""
    talk.note("Do you see my heron?", "A heron wades.")
    found = talk.evidence("heron")
    asks, tells = found["Do you see my heron?"], found["A heron wades."]
    assert (1, 1, 1) == (asks["question"], asks["first_person"], asks["second_person"])
    assert (0, 0, 0) == (tells["question"], tells["first_person"], tells["second_person"])
    assert math.log1p(2) == pytest.approx(tells["length"])


def test_the_grain_filters_the_pool(talk: Any) -> None:
    """Where facts, turns or passages are asked for, no candidate is anything else."""
    talk.note("The heron has a nest.", kind="fact")
    talk.note("A heron wades.")
    talk.say(("Zoë", "My heron."))
    for grain, want in (
        (Grain.FACT, {"The heron has a nest."}),
        (Grain.PASSAGE, {"A heron wades."}),
        (Grain.TURN, {"My heron."}),
        (None, {"The heron has a nest.", "A heron wades.", "My heron."}),
    ):
        assert want == set(talk.evidence("heron", grain))


def test_maxsim_is_late_interaction(talk: Any) -> None:
    """`maxsim` is the mean best cosine of each wordpiece with a token's signs, weighted by rarity."""
    texts = ["A heron and a kettle.", "A heron in the reeds.", "The boat, the boat and a kettle."]
    talk.note(*texts)
    question = "the heron in the reeds"
    found = talk.evidence(question)
    query = talk.embedder.embed([question], "query")[0]
    with talk.store.read(talk.access) as view:
        df, n = view.wordpieces(query.pieces.tolist()), view.readable()
        weights = np.array(
            [math.log(1 + (n - df[p] + 0.5) / (df[p] + 0.5)) if p else 0.5 for p in query.pieces.tolist()]
        )
        for text in texts:
            bits = talk.embedder.embed([text], "passage")[0].tokens
            signs = np.unpackbits(bits, axis=1) * 2.0 - 1.0
            best = (signs @ query.tokens.T / np.sqrt(signs.shape[1])).max(axis=0)
            want = float(best @ weights / weights.sum())
            assert want == pytest.approx(found[text]["maxsim"], abs=0.02)


def test_whose_words_they_are(talk: Any) -> None:
    """For one named person: who is `asked`, and whether words are `about` that person or another one."""
    talk.say(
        ("Zoë", "I keep a heron."),
        ("Zoë", "You keep a heron too."),
        ("Bo", "Mine is my heron."),
        ("Bo", "Zoë keeps a heron."),
        ("Bo", "Your heron is old."),
    )
    found = talk.evidence("What heron does Zoë keep?")
    got = {text: (each["asked"], each["about"], each["about_other"]) for text, each in found.items()}
    assert {
        "I keep a heron.": (1, 1, 0),
        "You keep a heron too.": (1, 0, 1),
        "Mine is my heron.": (0, 0, 1),
        "Zoë keeps a heron.": (0, 1, 1),
        "Your heron is old.": (0, 1, 0),
    } == got
    for each in talk.evidence("Who keeps a heron?").values():
        assert (0, 0, 0) == (each["asked"], each["about"], each["about_other"])


def test_the_pool_has_three_lists(talk: Any) -> None:
    """Candidates are the best by words, by meaning, and by both with context; ascending, without repeats."""
    talk.note(*(f"Heron {number}." for number in range(20)))
    few = replace(talk, policy=replace(talk.policy, recall=RecallPolicy(pool=4)))
    got = few.gathered("heron")
    assert 4 == len(got.lexical_rank) == len(got.dense_rank)
    assert sorted(set(got.passage.tolist())) == got.passage.tolist()
    assert {*got.lexical_rank, *got.dense_rank} <= set(got.passage.tolist())
    assert len(got.passage) <= 12


def test_an_empty_store_has_an_empty_pool(talk: Any, foreign: Access) -> None:
    """Nothing to read, nothing to weigh: also where another scope has it all."""
    replace(talk, access=foreign).note(A, B)
    got = talk.gathered("What did Zoë say of a heron on 8 May 2023?")
    assert (0, [], []) == (len(got.passage), got.lexical_rank, got.dense_rank)
    assert {0} == {len(each) for each in got.features.values()}
