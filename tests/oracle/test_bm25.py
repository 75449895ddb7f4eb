"""Our BM25 against a plain one in Python, and against bm25s."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import pytest

from quoth.core.policy import LexicalPolicy, Policy
from quoth.core.ports import Clock, ReadView, Store
from quoth.core.text import analyse, term_hash
from quoth.core.types import Access, Document, Scope
from quoth.ingest.remember import remember

POLICY = LexicalPolicy()
STEMS = (
    "heron",
    "crane",
    "reed",
    "pond",
    "kettle",
    "boiler",
    "valve",
    "river",
    "ferry",
    "bee",
    "hive",
    "lamp",
)
WORDS = [f"{stem}{letter}" for stem in STEMS for letter in "bcdfgkmp"]
SINGLE = 1e-5
"""Relative: our scores are added in single precision, the oracles' in double."""


def corpus(dice: random.Random, count: int, shortest: int) -> list[str]:
    """Texts with the skewed frequencies of language, some of them equal."""
    weights = [1 / (1 + rank) for rank in range(len(WORDS))]
    texts = [" ".join(dice.choices(WORDS, weights, k=dice.randint(shortest, 80))) for _ in range(count - 20)]
    return texts + dice.choices(texts, k=20)


def plain(texts: list[str], terms: list[str], floor: int = POLICY.floor) -> list[float]:
    """BM25 as a textbook has it (Robertson and Zaragoza 2009), with the plus one in the idf."""
    documents = [Counter(analyse(text)) for text in texts]
    lengths = [sum(each.values()) for each in documents]
    mean = sum(lengths) / len(lengths)
    scores = []
    for document, length in zip(documents, lengths, strict=True):
        norm = POLICY.k1 * (1 - POLICY.b + POLICY.b * max(length, floor) / mean)
        score = 0.0
        for term in terms:
            df = sum(term in each for each in documents)
            idf = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
            score += idf * document[term] * (POLICY.k1 + 1) / (document[term] + norm) if df else 0.0
        scores.append(score)
    return scores


@dataclass
class Filled:
    """A store with these texts in one scope, passage by passage, and other texts in another scope."""

    store: Store
    access: Access
    texts: list[str]

    def scores(self, view: ReadView, terms: list[str], k: int = 10_000) -> list[tuple[str, float]]:
        """(text, score) of each hit, best first."""
        hits = view.lexical(terms, k)
        records = view.passages([hit.passage for hit in hits])
        return [(record.testimony.text, hit.score) for hit, (record, _) in zip(hits, records, strict=True)]


CASES = {"in the tail": (65_536, 0), "in blocks": (64, 0), "in a small scope": (64, 900), "short": (64, 0)}


@pytest.fixture(params=CASES)
def filled(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    store: Store,
    access: Access,
    clock: Clock,
) -> Filled:
    """300 texts: in sorted blocks or not, among many of another scope or not, long or short."""
    block, others = CASES[request.param]
    for module in ("index", "scan"):
        monkeypatch.setattr(f"quoth.store.{module}.BLOCK", block)
    dice = random.Random(request.param)
    texts = corpus(dice, 300, 1 if request.param == "short" else POLICY.floor)
    other = replace(access, home=Scope("other"), reads=frozenset({Scope("other")}))
    other = replace(other, writes=other.reads)

    def put(who: Access, some: list[str]) -> None:
        remember(store, who, clock, Policy(), [Document(text, f"t/{at}") for at, text in enumerate(some)])

    put(other, corpus(dice, max(others // 2, 40), 1))
    put(access, texts)
    put(other, corpus(dice, max(others // 2, 40), 1))
    return Filled(store, access, texts)


def questions(seed: int) -> list[list[str]]:
    """Analysed questions: rare and common words, repeated ones, unknown ones."""
    dice = random.Random(seed)
    made = [dice.choices(WORDS, k=dice.randint(1, 6)) for _ in range(12)]
    made += [WORDS[:1], WORDS[:3], ["unheardof"], [WORDS[0], WORDS[0], "unheardof", WORDS[-1]]]
    return [analyse(" ".join(each)) for each in made]


def test_no_two_words_share_a_hash() -> None:
    """The words of these tests are not confused by CRC-32, which is what stands for them in the store."""
    terms = {term for word in (*WORDS, "unheardof") for term in analyse(word)}
    assert len(WORDS) + 1 == len(terms) == len({term_hash(each) for each in terms})


def test_scores_equal_a_plain_bm25(filled: Filled) -> None:
    """Every score, of every text, equals that of a textbook BM25 with the length floor."""
    with filled.store.read(filled.access) as view:
        for terms in questions(1):
            want = Counter[str]()
            for text, score in zip(filled.texts, plain(filled.texts, terms), strict=True):
                if score > 0:
                    want[text] = score
            got = filled.scores(view, terms)
            assert want.keys() == {text for text, _ in got}
            for text, score in got:
                assert want[text] == pytest.approx(score, rel=SINGLE)


def test_frequencies_are_exact(filled: Filled) -> None:
    """In how many texts a word stands is counted exactly, for this scope alone."""
    documents = [set(analyse(text)) for text in filled.texts]
    terms = [term for each in questions(2) for term in each]
    with filled.store.read(filled.access) as view:
        assert {term: sum(term in each for each in documents) for term in terms} == view.frequencies(terms)
        assert len(filled.texts) == view.readable()


def test_the_best_k_are_cut_from_the_whole_order(filled: Filled) -> None:
    """The k best are the first of the whole order, equal scores by passage: the earlier text first."""
    with filled.store.read(filled.access) as view:
        for terms in questions(3):
            whole = view.lexical(terms, 10_000)
            assert sorted(whole, key=lambda hit: (-hit.score, hit.passage)) == whole
            for k in (1, 2, 7, 50, 299):
                assert whole[:k] == view.lexical(terms, k)


def test_scores_equal_bm25s(filled: Filled, request: pytest.FixtureRequest) -> None:
    """Scores equal those of bm25s (Lucene's variant, which leaves the constant factor k1 + 1 out).

    Texts are at least as long as our floor, which bm25s does not have.
    """
    bm25s: Any = pytest.importorskip("bm25s", reason="bm25s is not installed")
    if "short" in request.node.callspec.params.values():
        pytest.skip("bm25s has no length floor")
    other = bm25s.BM25(k1=POLICY.k1, b=POLICY.b, method="lucene")
    other.index([analyse(text) for text in filled.texts], show_progress=False)
    with filled.store.read(filled.access) as view:
        for asked in questions(4):
            terms = [each for each in dict.fromkeys(asked) if view.frequencies([each])[each]]
            if not terms:
                continue
            want = [float(each) * (POLICY.k1 + 1) for each in other.get_scores(terms)]
            got = dict(filled.scores(view, terms))
            for text, score in zip(filled.texts, want, strict=True):
                assert score == pytest.approx(got.get(text, 0.0), rel=1e-4, abs=1e-5)
