"""A question becomes an answer, or a reasoned abstention."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from quoth.core.errors import InferenceUnavailable, InvalidInput
from quoth.core.policy import Calibration, PersonGuard, Policy, RecallPolicy, Support
from quoth.core.types import Access, AsOf, Confidence, Document, Grain, Period, Standing, Status
from quoth.inference.hashed import HashEmbedder
from quoth.recall.explain import sentences

MAY = datetime(2023, 5, 8, 12, tzinfo=UTC)
NOTES = ("The heron stood in the reeds.", "The boiler needs a new valve.", "The ferry leaves at noon.")


# --- abstentions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["", " ", "\n\t ", "\u3000"])
def test_an_empty_question_is_told(talk: Any, question: str) -> None:
    """A question of blanks is no question."""
    talk.note(*NOTES)
    got = talk.ask(question)
    assert ("empty_question", False) == (got.abstention.reason, got.answerable)
    assert Confidence.NONE is got.confidence


def test_an_empty_store_is_told(talk: Any, foreign: Access) -> None:
    """Where nothing can be read it says so, not that nothing was found; another scope's notes count not."""
    replace(talk, access=foreign).note(*NOTES)
    got = talk.ask("Where is the heron?")
    assert ("nothing_stored", ()) == (got.abstention.reason, got.passages)


def test_a_store_of_retracted_notes_is_empty(talk: Any) -> None:
    """What was retracted is not stored for a reader."""
    [record] = talk.note("The heron stood in the reeds.")
    talk.refile(record, status=Status.RETRACTED)
    assert "nothing_stored" == talk.ask("Where is the heron?").abstention.reason


def test_nothing_found_is_told(words: Any) -> None:
    """No passage that shares a word: no passage is shown."""
    words.note(*NOTES)
    got = words.ask("How many kangaroos?")
    assert ("nothing_found", ()) == (got.abstention.reason, got.passages)


@pytest.mark.parametrize(("mode", "shown"), [("helpful", True), ("strict", False)])
def test_below_the_floor_is_told(talk: Any, mode: str, shown: bool) -> None:
    """Too little support is an abstention; the nearest passages are shown unless it is strict."""
    talk.note(*NOTES)
    got = talk.ask("What is the capital of the heron kingdom beyond the seven seas of Mongolia?", mode=mode)
    assert ("below_floor", False) == (got.abstention.reason, got.answerable)
    assert shown == bool(got.passages)
    assert f"{0.0:.2f}" not in got.abstention.detail


def test_an_answer_is_an_answer(talk: Any) -> None:
    """With support there is no abstention, and the level is said."""
    talk.note(*NOTES)
    got = talk.ask("The boiler needs a new valve?")
    assert (None, True) == (got.abstention, got.answerable)
    assert Confidence.HIGH is got.confidence
    assert NOTES[1] == got.passages[0].text
    assert ("helpful", "zero-llm", False) == (got.mode, got.tier, got.requires_review)


# --- arguments ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [{"k": 0}, {"k": -1}, {"mode": "loud"}, {"tier": "oracle"}, {"budget": 0}, {"grain": "chapter"}],
)
def test_arguments_that_cannot_be_are_refused(talk: Any, wrong: dict[str, Any]) -> None:
    """`InvalidInput` names what can be; nothing else raises."""
    with pytest.raises(InvalidInput, match=r"must be|at least"):
        talk.ask("heron", **wrong)


def test_k_passages_come(talk: Any) -> None:
    """As many as asked for, the policy's number by default, best first."""
    talk.note(*(f"Heron number {number}." for number in range(12)))
    for k, want in ((1, 1), (7, 7), (40, 12), (None, 5)):
        got = talk.ask("heron number", k=k).passages
        assert want == len(got)
        assert sorted((each.score for each in got), reverse=True) == [each.score for each in got]


def test_a_budget_is_kept(talk: Any) -> None:
    """Passages come while their words fit, four characters a token; the first always comes."""
    talk.note("heron " * 10, "heron " * 10 + "reed", "heron " * 10 + "pond")
    everything = talk.ask("heron", k=3)
    tokens = [-(-len(each.text) // 4) for each in everything.passages]
    for budget, want in (
        (1, 1),
        (tokens[0], 1),
        (tokens[0] + tokens[1] - 1, 1),
        (tokens[0] + tokens[1], 2),
        (999, 3),
    ):
        got = talk.ask("heron", k=3, budget=budget)
        assert everything.passages[:want] == got.passages
        assert (want < 3) == any(each.startswith("budget: ") for each in got.trace)


def test_a_grain_is_kept(talk: Any) -> None:
    """Only facts, where facts are asked for."""
    talk.note("The heron nests here.", kind="fact")
    talk.note("A heron.")
    assert ["The heron nests here."] == talk.texts("heron", grain=Grain.FACT)


# --- equal words -------------------------------------------------------------------------------------


def test_equal_words_are_one_passage_with_every_source(talk: Any) -> None:
    """Records that differ in case, quotes or a full stop are shown once, with each place where they stand."""
    ids = talk.keep(
        Document("The shed code is 4711.", "a", "note"),
        Document("the shed code is 4711", "b", "note"),
        Document("“The  shed code is 4711!”", "c", "note"),
        Document("The shed code is 8128.", "d", "note"),
    )
    got = talk.ask("What is the shed code?").passages
    assert 2 == len(got)
    folded = next(each for each in got if "4711" in each.text)
    assert {"a", "b", "c"} == {each.uri for each in folded.observations}
    assert set(ids[:3]) == {each.record_id for each in folded.observations}
    assert folded.text == folded.record.testimony.text


@pytest.mark.parametrize(
    ("one", "two"),
    [("Smoking is allowed.", "Smoking is not allowed."), ("It costs 3600.", "It costs 36000.")],
)
def test_other_words_are_not_folded(talk: Any, one: str, two: str) -> None:
    """Negation and numbers make other words."""
    talk.note(one, two)
    assert {one, two} == set(talk.texts("Is smoking allowed, and what does it cost?"))


# --- whose words -------------------------------------------------------------------------------------


def test_another_persons_words_are_shown_as_a_conflict(talk: Any) -> None:
    """Where somebody else said it, the passages come, with low confidence and the conflict named."""
    talk.say(("Zoë", "Hello there."), ("Bo", "I keep my heron in the shed."), ("Zoë", "Good night."))
    got = talk.ask("Where does Zoë keep the heron?")
    assert any("heron" in each.text for each in got.passages)
    assert ("other_person: somebody else than Zoë seems to have said this",) == got.conflicts
    assert (True, Confidence.LOW) == (got.answerable, got.confidence)
    assert any(each.startswith("person: logit -") for each in got.trace)


def test_the_right_persons_words_are_no_conflict(talk: Any) -> None:
    """Where the one asked for said it, nothing speaks against the answer."""
    talk.say(("Zoë", "I keep my heron in the shed."), ("Bo", "Fine."), ("Zoë", "Good night."))
    got = talk.ask("Where does Zoë keep the heron?")
    assert () == got.conflicts
    assert "I keep my heron in the shed." == got.passages[0].text


def test_the_guard_has_a_floor(talk: Any) -> None:
    """The floor of the policy decides whether it fires."""
    talk.say(("Zoë", "Hello there."), ("Bo", "I keep my heron in the shed."))
    calm = RecallPolicy(full=Calibration(guard=PersonGuard(floor=-1e9)))
    assert () == replace(talk, policy=Policy(recall=calm)).ask("Where does Zoë keep the heron?").conflicts


# --- times and standing ------------------------------------------------------------------------------


def test_an_answer_of_then(talk: Any, clock: Any) -> None:
    """`as_of` answers as things were, and says of which moment."""
    [old] = talk.note("The code of the shed is 4711.")
    then = clock.now()
    clock.advance(days=1)
    [new] = talk.note("The code of the shed is 8128.")
    talk.refile(old, status=Status.SUPERSEDED, note="changed")
    assert [new] == [each.id for each in talk.ask("What is the code of the shed?").passages]
    got = talk.ask("What is the code of the shed?", as_of=AsOf(valid=then, system=then))
    assert ([old], then, then) == ([each.id for each in got.passages], got.as_of, got.known_at)
    assert Standing.CURRENT is got.passages[0].standing


def test_what_has_expired_is_not_served(talk: Any, clock: Any) -> None:
    """Valid time counts at the moment of asking."""
    [record] = talk.note("The ferry leaves at noon.")
    talk.refile(record, valid=Period(clock.now(), clock.now() + timedelta(days=1)))
    assert [record] == [each.id for each in talk.ask("When does the ferry leave?").passages]
    clock.advance(days=1)
    assert "nothing_stored" == talk.ask("When does the ferry leave?").abstention.reason


# --- with less ---------------------------------------------------------------------------------------


def test_without_an_embedder_it_says_so(words: Any) -> None:
    """Words alone answer, and `degraded` says that it was words alone."""
    words.note(*NOTES)
    got = words.ask("What does the boiler need?")
    assert (NOTES[1], ("no embedder: found by words alone",)) == (got.passages[0].text, got.degraded)


def test_another_model_is_refused_by_name(talk: Any) -> None:
    """Vectors of another model are not compared; both names and the way out are said."""
    talk.note(*NOTES)
    other = replace(talk, embedder=HashEmbedder(dimensions=64, seed=9))
    got = other.ask("What does the boiler need?")
    assert NOTES[1] == got.passages[0].text
    [reason] = got.degraded
    for part in (talk.embedder.name, other.embedder.name, "quoth index rebuild"):
        assert part in reason


class Away:
    """An embedder that does not answer."""

    name, dimensions, cheap = "hash-64-0", 64, False

    def embed(self, texts: Any, role: str) -> Any:
        """Raise."""
        raise InferenceUnavailable("the model is away")


def test_a_model_that_is_away_is_no_error(talk: Any) -> None:
    """Where the embedder does not answer, words do, and the reason is said."""
    talk.note(*NOTES)
    got = replace(talk, embedder=Away()).ask("What does the boiler need?")
    assert (NOTES[1], ("the model is away: found by words alone",)) == (got.passages[0].text, got.degraded)


def test_pending_passages_are_found_by_words(talk: Any) -> None:
    """What has no vector yet is found, and how much that is, is said."""
    talk.note(*NOTES)
    replace(talk, embedder=None).note("The kettle whistles.")
    got = talk.ask("What does the kettle do?")
    assert "The kettle whistles." == got.passages[0].text
    assert ["1 passages have no vector yet and are found by words alone: quoth index"] == list(got.degraded)


def test_vectors_without_tokens_do(talk: Any) -> None:
    """A model without token vectors answers too; `maxsim` is 0 then."""
    plain = replace(talk, embedder=HashEmbedder(dimensions=64, with_tokens=False))
    plain.note(*NOTES)
    best = plain.ask("What does the boiler need?").passages[0]
    assert (NOTES[1], 0.0) == (best.text, best.evidence["maxsim"])


@pytest.mark.parametrize("fusion", ["linear", "rrf", "lexical", "dense"])
def test_every_fusion_answers(talk: Any, fusion: str) -> None:
    """The baselines find the plain answer too."""
    talk.note(*NOTES)
    policy = Policy(recall=RecallPolicy(fusion=fusion))
    assert NOTES[1] == replace(talk, policy=policy).ask("What does the boiler need?").passages[0].text


# --- what it says of itself --------------------------------------------------------------------------


def test_the_trace_names_no_words(talk: Any) -> None:
    """Each stage leaves a line with numbers; `explain` adds why each passage stands where it stands."""
    talk.note(*NOTES)
    got = talk.ask("What does the boiler need?")
    stages = [each.split(":")[0] for each in got.trace]
    assert ["trust", "scopes", "plan", "arms", "pool", "confidence", "answer"] == stages
    told = sentences(got)
    assert len(got.trace) + len(got.passages) == len(told)
    for each, line in zip(got.passages, told[len(got.trace) :], strict=True):
        assert each.id in line
        assert f"score {each.score:.3f}" in line
    assert not any("valve" in each for each in told)


def test_the_floor_is_the_policys(talk: Any) -> None:
    """With a floor that nothing reaches there is no answer; with none there always is."""
    talk.note(*NOTES)
    for low, want in ((1e9, False), (-1e9, True)):
        policy = Policy(recall=RecallPolicy(full=Calibration(support=Support(low=low))))
        assert want == replace(talk, policy=policy).ask("What does the boiler need?").answerable
