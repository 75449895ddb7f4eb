"""The same words are one passage with every source, and old words come behind what took their place."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from quoth.core.text import STOP_WORDS, analyse
from quoth.core.types import AsOf, Document, Limits, Period, Source, Standing, Status
from quoth.recall.explain import sentences
from quoth.recall.serve import _plain

PAST = Limits(history=True)
CODE = "What is the code of the shed?"


def sources(each: Any) -> set[str]:
    """Ids of the records that say a passage."""
    return {seen.record_id for seen in each.observations}


# --- the same words ----------------------------------------------------------------------------------

SAME = [
    ("The kettle in the kitchen whistles at noon.", "Kettle in kitchen whistles at noon"),
    ("The new boiler needs a copper valve.", "The new boiler needs the copper valves!"),
    ("Our ferry doesn't leave the harbour on Sunday.", "Our ferry does not leave the harbour on Sunday."),
    (
        "The truck is parked behind the barn.",
        "The truck is parking behind the barns.",
    ),
]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_near_duplicates_are_one_passage(talk: Any, one: str, two: str) -> None:
    """Words that differ in articles and endings alone are shown once, with both places."""
    ids = talk.keep(Document(one, "a"), Document(two, "b"), Document("The heron stood in the reeds.", "c"))
    got = talk.ask(f"{one} {two}").passages
    assert set(ids[:2]) == sources(got[0])
    assert not any(sources(each) & set(ids[:2]) for each in got[1:])
    assert {"a", "b"} == {each.uri for each in got[0].observations}
    assert got[0].text in (one, two)


OTHER = [
    ("The new boiler needs a copper valve.", "The new boiler needs no copper valve."),
    ("The new boiler needs a copper valve.", "The new boiler does not need a copper valve."),
    ("The night ferry leaves the harbour at 3600.", "The night ferry leaves the harbour at 36000."),
    ("Cache entries live for 15 minutes here.", "Cache entries live for -15 minutes here."),
    ("Ana keeps her kettle behind the barn.", "Bea keeps her kettle behind the barn."),
    ("The ferry goes from Ulm to Bonn daily.", "The ferry goes to Ulm from Bonn daily."),
    ("Ana told Bea about the old boat.", "Bea told Ana about the old boat."),
    ("Is the old ferry allowed in the harbour?", "The old ferry isn't allowed in the harbour."),
]


@pytest.mark.parametrize(("one", "two"), OTHER)
def test_another_negation_number_or_name_is_another_passage(talk: Any, one: str, two: str) -> None:
    """What changes the meaning is never folded away."""
    talk.note(one, two)
    got = talk.ask(f"{one} {two}").passages
    assert {one, two} == {each.text for each in got}
    assert [1, 1] == [len(sources(each)) for each in got]


def test_who_says_i_parts_equal_words(talk: Any) -> None:
    """What two people say of themselves are two passages; what they say of the ferry is one."""
    talk.say(("Zoë", "I keep my kettle in the shed."), ("Bo", "I keep my kettle in the shed."))
    talk.say(("Zoë", "The ferry leaves at noon."), ("Bo", "The ferry leaves at noon."))
    got = talk.ask("Who keeps a kettle in the shed, and when does the ferry leave?", k=9).passages
    own = [each.record.testimony.speaker for each in got if "kettle" in each.text]
    assert ["Bo", "Zoë"] == sorted(own)
    assert [2] == [len(sources(each)) for each in got if "ferry" in each.text]


@pytest.mark.parametrize("kind", ["talk", "words"])
def test_sources_behind_the_last_passage_are_listed(request: Any, kind: str) -> None:
    """Equal and nearly equal words that rank behind the k-th passage are its sources too."""
    here = request.getfixturevalue(kind)
    said = [
        "The kettle whistles at noon in the kitchen.",
        "the kettle whistles  at noon in the kitchen",
        "THE KETTLE WHISTLES AT NOON IN THE KITCHEN!",
        "A kettle whistles at noon in a kitchen.",
    ]
    ids = [
        one for each in said for speaker in ("Zoë", "Bo") for one in here.say((speaker, each), session=each)
    ]
    here.say(*((f"Somebody {n}", f"The kettle number {n} is old.") for n in range(9)))
    [best] = here.ask("When does the kettle whistle in Zoë's kitchen?", k=1).passages
    assert set(ids) == sources(best)
    assert best.id == best.observations[0].record_id
    told = here.ask("When does the kettle whistle in Zoë's kitchen?", k=1)
    assert "folded: 7 more records say the same" in told.trace
    assert all(each in sentences(told)[-1] for each in ids)


def test_words_without_plain_ones_fold_too(words: Any) -> None:
    """Where no word is known without stemming, and in scripts without stems, equal words are found."""
    for said in ("Charlie apologises endlessly.", "我在图书馆学习人工智能", "Кошка спит дома"):
        ids = words.keep(Document(said, f"{said}/1"), Document(f"“{said}”", f"{said}/2"))
        [best] = words.ask(said, k=1).passages
        assert set(ids) == sources(best)


def test_a_passage_of_a_long_record_is_folded_by_its_own_words(words: Any) -> None:
    """A slice that says what a note says is one passage with it; each place keeps its own record."""
    line = "nothing of interest happens here today " * 100
    words.note(line, kind="text")
    [best, *rest] = words.ask("What happens here today?", k=3).passages
    assert 1 == len(sources(best))
    assert all(each.text != best.text for each in rest)


def test_plain_words_are_not_stemmed() -> None:
    """A word that is taken as known has the analysed form that it is written with."""
    text = "trucks boat road proceed news sky running garden nation model full week 4711 possible book's café"
    found = _plain(text)
    assert {"boat", "road", "garden", "week", "4711"} <= found
    assert not found & STOP_WORDS
    for each in found:
        assert [each] == analyse(each)


# --- what no longer holds ----------------------------------------------------------------------------


def test_old_words_are_served_only_on_request_and_behind_the_new(talk: Any, clock: Any) -> None:
    """By default the correction alone; in the history it comes first, and the old words name it."""
    [old] = talk.note("The code of the shed is 4711.")
    clock.advance(days=1)
    new = talk.correct(old, "The code of the shed is 8128.")
    assert [new] == [each.id for each in talk.ask(CODE).passages]
    got = talk.ask(CODE, limits=PAST)
    assert [
        ("The code of the shed is 8128.", "current"),
        ("The code of the shed is 4711.", "superseded"),
    ] == [(each.text, each.standing.value) for each in got.passages]
    assert [None, new] == [each.superseded_by for each in got.passages]
    assert "standing: 1 passages no longer hold, behind what took their place" in got.trace
    assert sentences(got)[-1].endswith(f"; superseded by {new}")
    assert () == got.conflicts


def test_the_end_of_the_chain_comes_first(talk: Any, clock: Any) -> None:
    """Of several corrections the last one stands in the place of all before it."""
    [first] = talk.note("The code of the shed is 4711.")
    ids = [first]
    for code in ("8128", "1729", "6174"):
        clock.advance(days=1)
        ids.append(talk.correct(ids[-1], f"The code of the shed is {code}."))
    got = talk.ask(CODE, limits=PAST).passages
    assert ids[-1] == got[0].id
    assert set(ids) == {each.id for each in got}
    assert [None, ids[-1], ids[-1], ids[-1]] == [each.superseded_by for each in got]


@pytest.mark.parametrize("kind", ["talk", "words"])
def test_what_took_their_place_is_fetched_where_the_question_does_not_find_it(
    request: Any, clock: Any, kind: str
) -> None:
    """New words that share nothing with the question come before the old ones that it finds."""
    here = request.getfixturevalue(kind)
    [old] = here.note("The shed opens with 4711.")
    clock.advance(days=1)
    new = here.correct(old, "Ask Zoë.")
    here.note(*(f"Nobody opens gate {n}." for n in range(70)))
    got = here.ask("Does 4711 open the shed?", limits=PAST, k=5)
    told = [each.id for each in got.passages]
    assert old in told
    assert told.index(new) < told.index(old)
    fetched = got.passages[told.index(new)]
    assert ("Ask Zoë.", {}, Standing.CURRENT) == (fetched.text, fetched.evidence, fetched.standing)
    assert fetched.observations
    [line] = [each for each in sentences(got) if f"{new}: " in each and ". " in each[:4]]
    assert "it took the place of what was found" in line


def test_old_words_never_come_without_the_new(talk: Any, clock: Any) -> None:
    """With room for one passage it is the one that holds."""
    [old] = talk.note("The code of the shed is 4711.")
    clock.advance(days=1)
    new = talk.correct(old, "Ask Zoë.")
    assert [new] == [each.id for each in talk.ask(CODE, limits=PAST, k=1).passages]
    assert [new, old] == [each.id for each in talk.ask(CODE, limits=PAST, k=2).passages]
    assert [new] == [each.id for each in talk.ask(CODE, limits=PAST, budget=1).passages]


def test_what_holds_comes_before_what_does_not(talk: Any, clock: Any) -> None:
    """However well old words fit, the passages that hold come first."""
    [old] = talk.note(CODE)
    [gone] = talk.note("The code of the shed was painted.")
    talk.refile(gone, valid=Period(None, clock.now()))
    clock.advance(days=1)
    talk.correct(old, "Ask Zoë.")
    talk.note("A shed.", "Some code.")
    standing = [each.standing for each in talk.ask(CODE, limits=PAST, k=9).passages]
    assert [Standing.CURRENT] * 3 == standing[:3]
    assert {Standing.SUPERSEDED, Standing.EXPIRED} == set(standing[3:])


def test_superseded_words_are_no_source_of_the_same_words_elsewhere(talk: Any, clock: Any) -> None:
    """What was corrected here and holds there are two passages."""
    [old] = talk.note("The code of the shed is 4711.")
    clock.advance(days=1)
    new = talk.correct(old, "The code of the shed is 8128.")
    [other] = talk.keep(Document("The code of the shed is 4711.", "elsewhere"))
    got = {each.id: each for each in talk.ask(CODE, limits=PAST).passages}
    assert {old, new, other} == set(got)
    assert [{each} for each in got] == [sources(each) for each in got.values()]


@pytest.mark.parametrize("status", [Status.RETRACTED, Status.HELD])
def test_what_may_not_be_served_is_not_served_for_the_history(talk: Any, clock: Any, status: Status) -> None:
    """Held and retracted words stay away; a retracted correction is named, a held one took nobody's place."""
    [old] = talk.note("The code of the shed is 4711.")
    clock.advance(days=1)
    new = talk.correct(old, "The code of the shed is 8128.")
    talk.refile(new, status=status)
    [shown] = talk.ask(CODE, limits=PAST).passages
    assert (old, Standing.SUPERSEDED) == (shown.id, shown.standing)
    assert (new if status is Status.RETRACTED else None) == shown.superseded_by
    talk.refile(old, status=status)
    assert () == talk.ask(CODE, limits=PAST).passages


def test_a_doubtful_correction_is_named_and_not_shown(talk: Any, clock: Any) -> None:
    """Trust counts for what is fetched too."""
    [old] = talk.note("The code of the shed is 4711.")
    clock.advance(days=1)
    [new] = talk.keep(Document("The code of the shed is 8128.", "page", source=Source.WEB))
    talk.refile(new, supersedes=old)
    talk.refile(old, status=Status.SUPERSEDED)
    believed = Limits(trust=frozenset({talk_trust(talk, old)}), history=True)
    [shown] = talk.ask(CODE, limits=believed).passages
    assert (old, new) == (shown.id, shown.superseded_by)
    assert [new, old] == [each.id for each in talk.ask(CODE, limits=PAST).passages]


def talk_trust(talk: Any, record: Any) -> Any:
    """How far a record is believed."""
    with talk.store.read(talk.access) as view:
        return view.get(record).filing.trust


def test_a_window_does_not_hide_what_took_the_place(talk: Any, clock: Any) -> None:
    """Old words of that time come with the later ones that replaced them."""
    [old] = talk.note("The code of the shed is 4711.")
    until = clock.advance(days=1)
    new = talk.correct(old, "The code of the shed is 8128.")
    got = talk.ask(CODE, limits=Limits(until=until, history=True)).passages
    assert [new, old] == [each.id for each in got]


# --- other moments -----------------------------------------------------------------------------------


def test_what_was_true_then_comes_first_and_says_what_came_later(talk: Any, clock: Any) -> None:
    """Of a moment before the correction the old words are the answer; the later ones are named."""
    [old] = talk.note("The code of the shed is 4711.")
    then = clock.now()
    clock.advance(days=1)
    new = talk.correct(old, "The code of the shed is 8128.")
    for limits in (Limits(), PAST):
        [shown] = talk.ask(CODE, as_of=AsOf(valid=then), limits=limits).passages
        assert (old, Standing.SUPERSEDED, new) == (shown.id, shown.standing, shown.superseded_by)
    [known] = talk.ask(CODE, as_of=AsOf(valid=then, system=then)).passages
    assert (old, Standing.CURRENT, None) == (known.id, known.standing, known.superseded_by)


def test_of_a_moment_between_two_corrections_the_middle_words_hold(talk: Any, clock: Any) -> None:
    """With the history, what held then comes first, then what was over by then."""
    [first] = talk.note("The code of the shed is 4711.")
    clock.advance(days=1)
    second = talk.correct(first, "The code of the shed is 8128.")
    then = clock.now()
    clock.advance(days=1)
    third = talk.correct(second, "The code of the shed is 1729.")
    assert [second] == [each.id for each in talk.ask(CODE, as_of=AsOf(valid=then)).passages]
    got = talk.ask(CODE, as_of=AsOf(valid=then), limits=PAST).passages
    assert [second, first] == [each.id for each in got]
    assert [third, third] == [each.superseded_by for each in got]


def test_at_the_moment_of_a_correction_the_new_words_hold(talk: Any, clock: Any) -> None:
    """A period has no end of its own: at that instant exactly one is true."""
    [old] = talk.note("The code of the shed is 4711.")
    at = clock.advance(days=1)
    new = talk.correct(old, "The code of the shed is 8128.")
    before = at - timedelta(microseconds=1)
    for moment, want in ((before, old), (at, new)):
        assert [want] == [each.id for each in talk.ask(CODE, as_of=AsOf(valid=moment)).passages]


def test_what_was_true_twice_is_labelled_by_the_moment(talk: Any, clock: Any) -> None:
    """True, not true, true again: current in both times, expired between them."""
    start: datetime = clock.now()
    [record] = talk.note("The ferry leaves at noon.")

    def day(n: int) -> datetime:
        return start + timedelta(days=n)

    talk.refile(record, valid=Period(start, day(1)))
    talk.refile(record, valid=Period(day(3), None))
    clock.advance(days=5)
    question = "When does the ferry leave?"
    for n, plain, past in ((0, "current", "current"), (2, None, "expired"), (4, "current", "current")):
        as_of = AsOf(valid=day(n))
        assert [plain] * (plain is not None) == [each[1] for each in talk.told(question, as_of=as_of)]
        assert [past] == [each[1] for each in talk.told(question, as_of=as_of, limits=PAST)]


def test_expired_words_are_labelled(talk: Any, clock: Any) -> None:
    """What has expired comes with the history alone, and says so."""
    [record] = talk.note("The ferry leaves at noon.")
    talk.refile(record, valid=Period(clock.now(), clock.advance(days=1)))
    assert [] == talk.told("When does the ferry leave?")
    assert [("The ferry leaves at noon.", "expired")] == talk.told("When does the ferry leave?", limits=PAST)


def test_a_clock_that_was_set_back_makes_nothing_invalid(talk: Any, clock: Any) -> None:
    """What was written before is current, though its time is still to come by this clock."""
    talk.note("The ferry leaves at noon.")
    clock.advance(days=-1)
    assert [("The ferry leaves at noon.", "current")] == talk.told("When does the ferry leave?")
