"""Development data as worlds: stores to fill, questions to ask, and the words that answer them.

Nothing here knows the product. A world is a lazy series of cases, a case is one store with its questions,
and gold is a set of uris: the place of each answer-bearing text.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The folder of the benchmark project."""

FOLDS = 5
HOSTS = (0, 1)
"""Haystacks in which evidence is planted; hosts of planted turns come from the other one."""
OFF_TOPIC = 200
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "wrong-person"}


class DataMissing(Exception):
    """The files of a world are not there; the message says how to give them."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text to remember."""

    uri: str
    text: str
    kind: str
    session: str
    speaker: str
    said_at: datetime | None


@dataclass(frozen=True, slots=True)
class Question:
    """One question and the uris that answer it."""

    id: str
    text: str
    gold: tuple[str, ...]
    category: str = ""
    fold: int = 0
    group: str = ""
    """Copies of one question share it: they are drawn together in a bootstrap."""


@dataclass(frozen=True, slots=True)
class Case:
    """One store with the questions that are asked of it."""

    id: str
    texts: list[Text]
    questions: list[Question]


@dataclass(frozen=True, slots=True)
class World:
    """A named series of cases."""

    name: str
    says: str
    cases: Callable[[], Iterator[Case]]
    levels: tuple[str, ...] = ("turn",)
    """What is ranked: the texts, and where named their sessions (a session is as good as its best text)."""
    files: tuple[Path, ...] = field(default=())


def digest_number(text: str) -> int:
    """SHA-256 as a number: the split and the folds of LongMemEval questions."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def said(text: str) -> datetime:
    """A session's date in either data set's writing, taken as UTC."""
    form = "%Y/%m/%d (%a) %H:%M" if text[:4].isdigit() else "%I:%M %p on %d %B, %Y"
    return datetime.strptime(text, form).replace(tzinfo=UTC)


def register() -> dict[str, dict[str, object]]:
    """The content of `datasets.toml`."""
    return tomllib.loads((ROOT / "datasets.toml").read_text())


def find(name: str, folder: Path | None, split: str) -> Path:
    """The file of one data set, or `DataMissing` with what to do."""
    entry = register()[name]
    file = str(entry["file"]).format(split=split)
    if entry.get("committed"):
        return ROOT / file
    given = folder or (Path(os.environ["QUOTH_BENCH_DATA"]) if os.environ.get("QUOTH_BENCH_DATA") else None)
    if given is None:
        raise DataMissing(f"skipped: {name} needs --data FOLDER or QUOTH_BENCH_DATA, a folder with {file}")
    if not (given / file).is_file():
        raise DataMissing(f"skipped: {file} is not in the data folder; it comes from {entry['source']}")
    return given / file


def caption(turn: dict[str, str]) -> str:
    """A LoCoMo turn's words; what a shared picture shows follows in brackets."""
    shown = turn.get("blip_caption")
    return f"{turn['text']} [shares {shown}]" if shown else turn["text"]


def _turns(talk: dict) -> list[Text]:
    name = talk["sample_id"]
    return [
        Text(
            uri=f"{name}/{turn['dia_id']}",
            text=caption(turn),
            kind="turn",
            session=f"{name}/{session['session']}",
            speaker=turn["speaker"],
            said_at=said(session["date_time"]),
        )
        for session in talk["sessions"]
        for turn in session["turns"]
    ]


def _asked(talk: dict, number: int, gold: Callable[[list[str]], list[str]], wrong: bool) -> list[Question]:
    found = []
    for place, each in enumerate(talk["qa"]):
        if (each["category"] == 5) is not wrong:
            continue
        uris = gold(each["evidence"])
        if uris or wrong:
            name = f"{talk['sample_id']}:{place}"
            category = CATEGORIES[each["category"]]
            found.append(Question(name, each["question"], tuple(uris), category, number, name))
    return found


def locomo(path: Path, *, wrong: bool = False) -> Iterator[Case]:
    """One store a conversation, one text a turn; with `wrong` the questions about the wrong person."""
    for number, talk in enumerate(json.loads(path.read_text())):
        texts = _turns(talk)
        known = {each.uri for each in texts}
        name = talk["sample_id"]

        def gold(evidence: list[str], known: set[str] = known, name: str = name) -> list[str]:
            return [uri for uri in dict.fromkeys(f"{name}/{e}" for e in evidence) if uri in known]

        yield Case(name, texts, _asked(talk, number, gold, wrong))


def _subject(text: str, first: str, second: str) -> str:
    for name in (first, second):
        if text.startswith(name):
            return name
    return first if first in text else second


def facts(path: Path) -> Iterator[Case]:
    """One store a conversation, one text a fact; gold are the facts that cite a gold turn."""
    for number, talk in enumerate(json.loads(path.read_text())):
        name = talk["sample_id"]
        place = {each.uri.split("/")[1]: (n, each) for n, each in enumerate(_turns(talk))}
        texts, cited = [], []
        for told in talk["observation"].values():
            for words, source in (fact for of_one in told.values() for fact in of_one):
                turns = {s for s in ([source] if isinstance(source, str) else source) if s in place}
                first = min((place[t] for t in turns), key=lambda pair: pair[0])[1] if turns else None
                texts.append(
                    Text(
                        uri=f"{name}/fact:{len(texts)}",
                        text=words,
                        kind="fact",
                        session=first.session if first else f"{name}/none",
                        speaker=_subject(words, talk["speaker_a"], talk["speaker_b"]),
                        said_at=first.said_at if first else None,
                    )
                )
                cited.append(turns)

        def gold(evidence: list[str], texts: list[Text] = texts, cited: list[set[str]] = cited) -> list[str]:
            wanted = set(evidence)
            return [text.uri for text, turns in zip(texts, cited, strict=True) if turns & wanted]

        yield Case(name, texts, _asked(talk, number, gold, wrong=False))


def _longmemeval(evidence: Path, *, absent: bool = False) -> list[dict]:
    return [q for q in json.loads(evidence.read_text()) if q["question_id"].endswith("_abs") is absent]


def _question(entry: dict, gold: list[str], copy: str = "") -> Question:
    name = entry["question_id"]
    fold = digest_number(name) // 2 % FOLDS
    return Question(name + copy, entry["question"], tuple(gold), "", fold, name)


def pooled(evidence: Path, haystacks: Path) -> Iterator[Case]:
    """One store with the evidence of every question and two haystacks; equal texts are kept once."""
    texts: list[Text] = []
    place: dict[str, str] = {}
    gold: dict[str, list[str]] = {}

    def keep(words: str, role: str, session: str, day: str) -> str:
        if words not in place:
            place[words] = f"pool/{len(texts)}"
            texts.append(Text(place[words], words, "turn", session, role, said(day)))
        return place[words]

    entries = json.loads(evidence.read_text())
    for entry in entries:
        gold[entry["question_id"]] = list(
            dict.fromkeys(
                keep(turn["content"], turn["role"], f"pool/{entry['question_id']}/{n}", part["date"])
                for n, part in enumerate(entry["evidence"])
                for turn in part["turns"]
            )
        )
    for hay in json.loads(haystacks.read_text()):
        for n, (day, session) in enumerate(zip(hay["dates"], hay["sessions"], strict=True)):
            for turn in session:
                keep(turn["content"], turn["role"], f"pool/{hay['haystack']}/{n}", day)
    asked = [_question(e, gold[e["question_id"]]) for e in entries if not e["question_id"].endswith("_abs")]
    yield Case("pool", texts, asked)


def planted(evidence: Path, haystacks: Path, *, seed: int = 0, absent: bool = False) -> Iterator[Case]:
    """S-like: a question's evidence turns, planted in host sessions, inside a real haystack of 40 sessions.

    One store a question and haystack. A host comes from the other haystack and takes the date of what is
    planted in it. Haystack sessions that answer the haystack's own question are left out.
    """
    hays = [
        [
            (day, session)
            for day, name, session in zip(h["dates"], h["session_ids"], h["sessions"], strict=True)
            if not name.startswith("answer_")
        ]
        for h in json.loads(haystacks.read_text())
    ]
    for entry in _longmemeval(evidence, absent=absent):
        for number in HOSTS:
            copy = f"/h{number}"
            name = entry["question_id"] + copy
            rng = random.Random(digest_number(f"{seed}/{name}"))
            others = [session for n in HOSTS if n != number for session in hays[n]]
            sessions = [(day, [(turn, False) for turn in session]) for day, session in hays[number]]
            for part in entry["evidence"]:
                if part["turns"]:
                    host = [(turn, False) for turn in rng.choice(others)[1]]
                    cut = 2 * rng.randrange(max(1, len(host) // 2) + 1)
                    sessions.append(
                        (part["date"], host[:cut] + [(t, True) for t in part["turns"]] + host[cut:])
                    )
            rng.shuffle(sessions)
            texts, gold = [], []
            for n, (day, session) in enumerate(sessions):
                for place, (turn, wanted) in enumerate(session):
                    uri = f"{name}/{n}/{place}"
                    texts.append(Text(uri, turn["content"], "turn", f"{name}/{n}", turn["role"], said(day)))
                    if wanted:
                        gold.append(uri)
            yield Case(name, texts, [_question(entry, gold, copy)])


def missing(evidence: Path, haystacks: Path) -> Iterator[Case]:
    """LongMemEval questions asked of haystacks in which nothing was planted: the topic may be there, the
    answer is not."""
    asked = _longmemeval(evidence)
    for hay in json.loads(haystacks.read_text()):
        name = hay["haystack"]
        texts = [
            Text(f"{name}/{n}/{place}", turn["content"], "turn", f"{name}/{n}", turn["role"], said(day))
            for n, (day, session) in enumerate(zip(hay["dates"], hay["sessions"], strict=True))
            for place, turn in enumerate(session)
        ]
        yield Case(name, texts, [replace(_question(e, [], f"/{name}"), category="missing") for e in asked])


def off_topic(
    talks: Path, evidence: Path, *, of: Callable[[Path], Iterator[Case]] = locomo
) -> Iterator[Case]:
    """LongMemEval questions asked of LoCoMo stores (turns, or facts): nothing about them is there."""
    asked = sorted(_longmemeval(evidence), key=lambda e: digest_number("off-topic/" + e["question_id"]))
    stores = list(of(talks))
    for number, case in enumerate(stores):
        mine = asked[:OFF_TOPIC][number :: len(stores)]
        questions = [Question(e["question_id"], e["question"], (), "off-topic", number) for e in mine]
        yield Case(case.id, case.texts, questions)


def tiny(path: Path) -> Iterator[Case]:
    """The committed smoke test."""
    for entry in json.loads(path.read_text())["stores"]:
        texts = [
            Text(
                uri=each["uri"],
                text=each["text"],
                kind=each["kind"],
                session=each.get("session", ""),
                speaker=each.get("speaker", ""),
                said_at=datetime.fromisoformat(each["said_at"]) if "said_at" in each else None,
            )
            for each in entry["texts"]
        ]
        questions = [
            Question(each["id"], each["question"], tuple(each["gold"]), each.get("category", ""))
            for each in entry["questions"]
        ]
        yield Case(entry["id"], texts, questions)


def worlds(folder: Path | None = None, *, split: str = "dev", seed: int = 0) -> dict[str, World]:
    """Every world by name; its files are looked for when its cases are asked for."""

    def world(
        name: str,
        says: str,
        sets: list[str],
        make: Callable[..., Iterator[Case]],
        levels: tuple[str, ...] = ("turn",),
        **more: object,
    ) -> World:
        try:
            files = tuple(find(each, folder, split) for each in sets)
        except DataMissing as missing:
            reason = str(missing)

            def absent() -> Iterator[Case]:
                raise DataMissing(reason)

            return World(name, says, absent, levels)
        return World(name, says, lambda: make(*files, **more), levels, files)

    talks, proof, hays = "locomo", "longmemeval-evidence", "longmemeval-haystacks"
    both = ("turn", "session")
    made = [
        world("tiny", "Committed smoke test", ["tiny"], tiny),
        world("locomo", "LoCoMo, turns", [talks], locomo, both),
        world("facts", "LoCoMo, atomic facts", [talks], facts),
        world("pooled", "LongMemEval evidence, pooled", [proof, hays], pooled),
        world("planted", "LongMemEval evidence, planted (S-like)", [proof, hays], planted, both, seed=seed),
        world("wrong-person", "LoCoMo category 5: another person's fact", [talks], locomo, wrong=True),
        world("off-topic", "LongMemEval questions asked of LoCoMo stores", [talks, proof], off_topic),
        world("off-topic-facts", "the same asked of LoCoMo facts", [talks, proof], off_topic, of=facts),
        world(
            "missing", "LongMemEval questions asked of haystacks without the evidence", [proof, hays], missing
        ),
        world("absent", "LongMemEval _abs, planted", [proof, hays], planted, seed=seed, absent=True),
    ]
    return {each.name: each for each in made}
