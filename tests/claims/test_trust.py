"""The README's promises about what is true, who said so and who decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import quoth
from quoth.core.types import Actor, ActorKind, Authority

CODE, NEW, LAMP = "The shed code is 4711.", "The shed code is 8128.", "The lamp in the hall is broken."
ASK = "what is the shed code?"
WHY = "I have seen it"


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)

    def now(self) -> datetime:
        """The moment that was set; a second later each time."""
        self.time += timedelta(seconds=1)
        return self.time


@pytest.fixture
def clock() -> Clock:
    """The time of `memory`."""
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[quoth.Memory]:
    """A memory on disk; everything in it verifies in the end."""
    with quoth.open(
        tmp_path / "store", actor="ana", scope="user:ana", embedder="hash", clock=clock
    ) as opened:
        yield opened
        assert opened.verify().clean


def by(memory: quoth.Memory, authority: Authority) -> quoth.Memory:
    """The same memory, for somebody of that authority."""
    kind = {Authority.JOB: ActorKind.JOB, Authority.AGENT: ActorKind.AGENT}.get(authority, ActorKind.HUMAN)
    access = replace(memory._parts.access, actor=Actor(f"a {authority.name}", kind, authority))
    return quoth.Memory(replace(memory._parts, access=access))


def note(memory: quoth.Memory, text: str, uri: str = "", source: quoth.Source = quoth.Source.PERSON) -> str:
    """The id of a note that is new."""
    (outcome,) = memory.remember(quoth.Document(text, uri, source=source)).outcomes
    assert quoth.Result.STORED is outcome.outcome
    return str(outcome.record_id)


def served(memory: quoth.Memory, question: str = ASK, **more: object) -> list[str]:
    """The words that are shown for a question, be it as an answer or not."""
    return [each.text for each in memory.recall(question, k=50, **more).passages]  # type: ignore[arg-type]


def test_trust_state(memory: quoth.Memory) -> None:
    """Every passage says how it stands and how far it is believed; what comes from the web is doubtful, and
    shown only when asked for.
    """
    asserted, doubtful = note(memory, CODE), note(memory, NEW, "web", quoth.Source.WEB)
    assert [(CODE, quoth.Trust.ASSERTED, quoth.Standing.CURRENT)] == [
        (each.text, each.record.filing.trust, each.standing) for each in memory.recall(ASK).passages
    ]
    assert {CODE, NEW} == set(served(memory, trust=quoth.Trust.DOUBTFUL))
    assert [] == served(memory, trust=quoth.Trust.VERIFIED)
    assert (quoth.Trust.ASSERTED, quoth.Trust.DOUBTFUL) == (
        memory.get(asserted).record.filing.trust,
        memory.get(doubtful).record.filing.trust,
    )
    memory.trust(doubtful, because="I have tried it")
    assert {CODE, NEW} == set(served(memory))
    assert [NEW] == served(memory, trust=quoth.Trust.VERIFIED)
    memory.facts_assert("shed", "code", "4711", verified=True)
    assert [quoth.Trust.VERIFIED] == [each.confidence for each in memory.facts_get("shed").facts]


def test_audit_log(memory: quoth.Memory, tmp_path: Path) -> None:
    """Every change, and every refused attempt, is a line of the audit log: who, when, through which door,
    what and why.
    """
    (tmp_path / "a.md").write_text("The tap drips.\n", encoding="utf-8")
    done: list[tuple[Callable[[], object], list[str], str]] = [
        (lambda: note(memory, CODE), ["put"], ""),
        (lambda: memory.watch(tmp_path / "a.md"), ["put"], ""),
        (lambda: memory.correct(id, NEW, because="a new lock"), ["put", "refile"], "a new lock"),
        (lambda: memory.facts_assert("shed", "code", "4711"), ["assert"], ""),
        (lambda: memory.facts_reject("shed", "code", "4711", because="it is old"), ["reject"], "it is old"),
        (lambda: memory.facts_assert("shed", "code", "4711"), ["hold"], ""),
        (lambda: memory.review_keep(item(), because="let it wait"), ["answer"], "let it wait"),
        (lambda: memory.facts_lift("shed", "code", "4711", because="it is back"), ["lift"], "it is back"),
        (lambda: memory.forget(lamp, because="it is mended"), ["refile", "reject"], "it is mended"),
        (lambda: memory.reinstate(lamp, because="broken again"), ["lift", "refile"], "broken again"),
        (lambda: memory.expire(lamp, because="a new one"), ["refile"], "a new one"),
        (lambda: memory.erase(lamp, because="private"), ["reject", "erase"], "private"),
        (lambda: absent(memory), ["refused"], "not found"),
    ]

    def absent(memory: quoth.Memory) -> None:
        with pytest.raises(quoth.NotFound):
            memory.get("0" * 32)

    def item() -> str:
        return memory.review_list()[0].held.id

    lamp = note(memory, LAMP)
    for act, actions, why in done:
        before = len(memory.audit().entries)
        act()
        id = memory.recent(1)[0].id if actions == ["put"] else ""
        id = next((each.id for each in memory.recent(9) if each.text == CODE), id)
        lines = memory.audit().entries[before:]
        assert set(actions) <= {each.action for each in lines}, (actions, lines)
        assert all(each.actor.id == "ana" and each.at and each.scope == "user:ana" for each in lines)
        assert not why or any(why in each.why for each in lines), (why, lines)
    entries = memory.audit().entries
    assert {"python", "watch"} == {each.surface for each in entries}
    assert sum(head.seq for head in memory.verify().heads) == len(entries)
    assert entries[5:] == memory.audit(since=entries[5].at).entries


def test_negative_eval(memory: quoth.Memory, tmp_path: Path) -> None:
    """What was corrected, forgotten, held, expired or erased, or is another scope's, is in no answer."""
    texts = {
        verb: f"The {thing} of the boat house is kept by {name}."
        for verb, thing, name in (
            ("correct", "anchor", "Ruth"),
            ("forget", "paddle", "Milan"),
            ("hold", "rudder", "Sena"),
            ("expire", "bucket", "Oskar"),
            ("erase", "flag", "Ines"),
            ("foreign", "lantern", "Juno"),
            ("stay", "ladder", "Theo"),
        )
    }
    ids = {verb: note(memory, text, verb) for verb, text in texts.items() if verb != "foreign"}
    with quoth.open(tmp_path / "store", actor="ben", scope="user:ben", embedder="hash") as theirs:
        note(theirs, texts["foreign"])
    memory.correct(ids["correct"], "The anchor of the boat house was sold.", because=WHY)
    for verb in ("forget", "hold"):
        memory.forget(ids[verb], because=WHY)
    assert quoth.Result.HELD is memory.remember(quoth.Document(texts["hold"], "again")).outcomes[0].outcome
    memory.expire(ids["expire"], because=WHY)
    memory.erase(ids["erase"], because=WHY)
    wrong = {text for verb, text in texts.items() if verb != "stay"}
    for question in (
        *texts.values(),
        "what belongs to the boat house?",
        "Ruth Milan Sena Oskar Ines Juno Theo",
    ):
        for more in ({}, {"trust": quoth.Trust.DOUBTFUL}, {"mode": "helpful", "budget": 10**6}):
            found = set(served(memory, question, **more))
            assert set() == wrong & found, question
    assert texts["stay"] in served(memory, "who keeps the ladder of the boat house?")


def test_scope_enforced(memory: quoth.Memory, tmp_path: Path) -> None:
    """No verb reads or changes what another scope holds: a foreign id is answered like one that nobody has,
    and the attempt is noted.
    """
    id = note(memory, CODE)
    memory.facts_assert("shed", "code", "4711", evidence=[id])
    memory.forget(note(memory, LAMP), because=WHY)
    memory.remember(LAMP)
    item = memory.review_list()[0].held.id
    before = memory.verify().heads
    with quoth.open(tmp_path / "store", actor="ben", scope="user:ben", embedder="hash") as theirs:
        verbs: dict[str, Callable[[str], object]] = {
            "get": theirs.get,
            "history": theirs.history,
            "correct": lambda each: theirs.correct(each, NEW, because=WHY),
            "forget": lambda each: theirs.forget(each, because=WHY),
            "reinstate": theirs.reinstate,
            "expire": theirs.expire,
            "erase": lambda each: theirs.erase(each, because=WHY),
            "assert": lambda each: theirs.facts_assert("shed", "code", "1", evidence=[each]),
            "accept": lambda each: theirs.review_accept(each, because=WHY),
        }
        for name, verb in verbs.items():
            texts = set()
            for each in (item if name == "accept" else id, "0" * 32):
                with pytest.raises(quoth.NotFound) as error:
                    verb(each)
                texts.add(str(error.value).replace(each, "ID"))
            assert 1 == len(texts), name
        assert {"refused"} == {each.action for each in theirs.audit().entries}
        assert 2 * len(verbs) == len(theirs.audit().entries)
        assert ((), (), ()) == (theirs.facts_get().facts, theirs.review_list(answered=True), theirs.recent(9))
        assert [] == served(theirs)
        assert (0, 0) == (theirs.status().records, theirs.status().review)
    assert before == memory.verify().heads


def test_tombstone(memory: quoth.Memory, tmp_path: Path) -> None:
    """ "No" is remembered: rejected words or values are held for a person, whoever says them again and by
    whatever path, until somebody of at least the rejecter's authority lifts that.
    """
    memory.forget(note(memory, CODE, "note:1"), because=WHY)
    memory.facts_reject("shed", "code", "4711", because=WHY)
    file = tmp_path / "notes" / "a.md"
    file.parent.mkdir()
    file.write_text(f"The tap drips.\n\n{CODE}\n", encoding="utf-8")
    other = note(memory, "The gate code is 1.")
    paths: dict[str, Callable[[quoth.Memory], object]] = {
        "remember": lambda each: each.remember(quoth.Document(CODE.upper(), "note:2")).count(
            quoth.Result.HELD
        ),
        "turn": lambda each: each.remember(
            quoth.Document(CODE, "t/1", "turn", "talk", "Ben", source=quoth.Source.WEB)
        ).count(quoth.Result.HELD),
        "watch": lambda each: each.watch(file.parent).held,
        "import": lambda each: each.import_("text", file).receipt.count(quoth.Result.HELD),
        "correct": lambda each: each.correct(other, CODE, because=WHY).count(quoth.Result.HELD),
        "assert": lambda each: each.facts_assert("Shed", "Code", "4711").outcome is quoth.Asserted.HELD,
    }
    for authority in Authority:
        who = by(memory, authority)
        for name, path in paths.items():
            if name != "watch" or authority is Authority.JOB:  # a file that is read again is no news
                assert 1 == path(who), (name, authority)
        if authority >= Authority.PERSON:
            verified = who.facts_assert("shed", "code", "4711", verified=True)
            assert quoth.Asserted.HELD is verified.outcome
        assert [] == [text for text in served(memory) if "4711" in text]
        assert () == memory.facts_get("shed", "code").facts
    items = memory.review_list()
    assert {2} == {len(items)}
    assert all(each.seen_count > len(Authority) for each in items)
    for authority in (Authority.JOB, Authority.AGENT, Authority.PERSON):
        for each in items:
            with pytest.raises(quoth.AccessDenied):
                by(memory, authority).review_accept(each.held.id, because="the owner told me to")
        with pytest.raises(quoth.AccessDenied):
            by(memory, authority).facts_lift("shed", "code", "4711", because="the owner told me to")
    for each in items:
        memory.review_accept(each.held.id, because="it is right after all")
    assert "4711" == memory.facts_get("shed", "code").facts[0].value
    assert [text for text in served(memory) if "4711" in text]


def test_bitemporal(memory: quoth.Memory, clock: Clock) -> None:
    """Corrections supersede and never erase: what was true at any time, and what was known at any time, can
    be asked for again.
    """
    start = clock.now()
    id = note(memory, CODE)
    known = clock.now()
    moved = clock.now() + timedelta(days=30)
    clock.time = moved + timedelta(days=30)
    memory.correct(id, NEW, because="a new lock", at=moved)
    instant = timedelta(microseconds=1)
    assert [[NEW], [CODE], [NEW], [CODE], []] == [
        served(memory),
        served(memory, as_of=moved - instant),
        served(memory, as_of=moved),
        served(memory, known_at=known),
        served(memory, known_at=start),
    ]
    assert [NEW, CODE] == served(memory, history=True)
    assert [CODE, NEW] == [each.text for each in memory.history(id).chain]
    memory.facts_assert("shed", "code", "4711", valid_from=start)
    memory.facts_assert("shed", "code", "8128", valid_from=moved)
    assert ["4711", "8128", "8128"] == [
        memory.facts_get("shed", "code", as_of=at).facts[0].value for at in (moved - instant, moved, None)
    ]


def test_human_review(memory: quoth.Memory) -> None:
    """What speaks against what is there waits for a person with a question; no program can answer it, and the
    answer decides what is served.
    """
    verdicts = {"accept": [NEW], "reject": [CODE], "keep": [CODE, NEW]}
    for verb, want in verdicts.items():
        scope = quoth.open(memory._parts.store.folder, actor="ana", scope=f"user:{verb}", embedder="hash")  # type: ignore[attr-defined]
        with scope as each:
            note(each, CODE, "a")
            (outcome,) = by(each, Authority.AGENT).remember(quoth.Document(NEW, "b")).outcomes
            assert outcome.conflict is not None
            assert outcome.conflict.question
            (item,) = each.review_list()
            assert (NEW, CODE, "a AGENT") == (item.text, item.against_text, item.held.actor.id)
            for authority in (Authority.JOB, Authority.AGENT):
                with pytest.raises(quoth.AccessDenied):
                    getattr(by(each, authority), f"review_{verb}")(item.held.id, because="I am ana")
            assert {CODE, NEW} == set(served(each))
            getattr(each, f"review_{verb}")(item.held.id, because=WHY)
            assert want == sorted(served(each))
            assert () == each.review_list()
            by(each, Authority.AGENT).remember(quoth.Document(NEW, "c"))
            assert want == sorted(served(each))
            assert () == tuple(
                one for one in each.review_list() if one.held.kind is quoth.Waiting.CONTRADICTION
            )


def test_erased_means_gone(memory: quoth.Memory, tmp_path: Path) -> None:
    """Erased means gone: the words are in no file that Quoth holds and at no past moment, and are refused
    when they come again.
    """
    secret = "Zanzibar heron 7741"
    text = f"# Birds\n\nThe secret is {secret}.\n\nThe tap drips.\n"
    file = tmp_path / "a.md"
    file.write_text(text, encoding="utf-8")
    memory.watch(file)
    id = next(each.id for each in memory.recent(9) if secret in each.text)
    memory.correct(
        note(memory, f"the SECRET is {secret}", "b"), "There is none.", because="it was said too often"
    )
    before = datetime.now(UTC)
    memory.erase(id, because="it was private")
    file.unlink()
    for each in sorted((tmp_path / "store").rglob("*")):
        if each.is_file():
            assert secret.encode() not in each.read_bytes(), each.name
    for more in ({}, {"known_at": before}, {"history": True}, {"as_of": before}):
        assert [] == [each for each in served(memory, secret, **more) if secret in each]
    again = memory.remember([f"The secret is {secret}.", quoth.Document(text, str(file), "markdown")])
    assert [quoth.Result.REFUSED] * 2 == [again.outcomes[0].outcome, again.outcomes[2].outcome]
    assert [] == [each for each in served(memory, secret) if secret in each]
