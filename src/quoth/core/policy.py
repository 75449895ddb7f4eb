"""The numbers, each with its origin. Use cases take a policy as an argument."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """What may come in."""

    max_document: int = 20_000_000
    """Code points of one document; larger ones are refused. Keeps one write below a second or so."""
    max_question: int = 10_000
    """Code points of a question that are looked at; the rest is ignored and the trace says so."""


@dataclass(frozen=True, slots=True)
class PassagePolicy:
    """How text is cut for the indices."""

    max_chars: int = 700
    """Code points of a passage; a longer record is split, never cut.

    On the development split 700 and 1,500 differ by less than their intervals; shorter quotes read faster.
    """


@dataclass(frozen=True, slots=True)
class LexicalPolicy:
    """BM25 with a length floor (retrieval.md, recipe 1)."""

    k1: float = 0.9
    """Term saturation; retrieval.md section 2, BM25 details."""
    b: float = 0.75
    """Length normalisation; retrieval.md section 2, BM25 details."""
    floor: int = 25
    """Passages count as at least this many words long: stops one-liners winning."""


@dataclass(frozen=True, slots=True)
class IndexPolicy:
    """When vectors are made."""

    inline: int = 48
    """Pending passages that a `recall` embeds before it searches; more are left to `quoth index`."""
    on_close: int = 256
    """Pending passages that are embedded when a memory is closed."""
    batch: int = 256
    """Passages per transaction while embedding."""


@dataclass(frozen=True, slots=True)
class DatabasePolicy:
    """How the database is used."""

    busy_seconds: float = 30.0
    """How long a writer waits for others before `StoreUnavailable`."""
    head_seconds: float = 1.0
    """The head file is written at most this often; always on close and verify (design section 5)."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The linear fusion of configuration B (retrieval-2.md section 1).

    ``(bm25 + people_bm25 * g) * bm25 + ... ``: names that start with `people_` are multiplied by the gate
    g (1 in conversations of people, 0 with an assistant), `previous` and `next` also by d (0 for facts).
    """

    bm25: float = 4.334566
    cosine: float = 2.76186
    subject: float = 3.337013
    maxsim: float = 14.938218
    date_session: float = 4.482398
    date_event: float = 1.184998
    when: float = 1.703859
    how_long: float = 0.970899
    people_bm25: float = -4.079962
    people_maxsim: float = -5.71104
    people_previous: float = 4.946187
    people_next: float = 0.702586
    people_session_max: float = 7.289759
    people_session_bm25: float = 1.920091
    people_length: float = 0.305312
    people_question: float = -1.002377


@dataclass(frozen=True, slots=True)
class PersonGuard:
    """Is the answer about another person than the one asked for? Logistic over four margins.

    retrieval-2.md section 1; `bench fit` learns it with the weights that it goes with.
    """

    top: float = 0.8356
    first_person: float = 0.2904
    about: float = 0.2782
    maxsim: float = 2.0898
    bias: float = 0.8068
    floor: float = 0.0881
    """Below this logit the answer is flagged; keeps 95 % of the answerable ones on the development split."""


@dataclass(frozen=True, slots=True)
class Support:
    """Is there an answer here at all? A logit of the best of each evidence, and where the levels begin.

    `bench fit` learns it from answerable questions against ones asked of stores that do not hold the answer.
    """

    known_words: float = 5.9934
    """BM25 over that of a good passage, words that the store does not know counted too."""
    cosine: float = 2.8482
    maxsim: float = 10.3576
    score: float = 0.6379
    """Of the best fused score without who speaks."""
    people: float = -0.6972
    """Of the share of conversations of people in the pool, facts apart."""
    fact: float = 0.949
    """Of the share of facts in the pool."""
    bias: float = -11.0424
    low: float = -1.175
    """Below: no answer. Keeps 95 % of the answerable questions of every development set."""
    moderate: float = 2.0
    """From here the first passage is right about two times in three, one of five nine times in ten."""
    high: float = 5.7
    """From here the first passage is right five times in six."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was learned together for one kind of evidence."""

    weights: Weights = field(default_factory=Weights)
    guard: PersonGuard = field(default_factory=PersonGuard)
    support: Support = field(default_factory=Support)


@dataclass(frozen=True, slots=True)
class RecallPolicy:
    """How passages are found and ordered."""

    k: int = 5
    """Passages returned where the caller does not say."""
    budget: int | None = None
    """Tokens of passage text at most (four characters a token); the first passage always comes."""
    fusion: str = "linear"
    """linear, or one of the baselines rrf, lexical, dense."""
    pool: int = 50
    """Candidates of each of the three lists (retrieval-2.md Q7: 50)."""
    dated_sessions: int = 200
    """Sessions at most that come in because of their date."""
    max_terms: int = 64
    """Distinct words of a question that are looked up."""
    context_bm25: float = 5.15
    """Share of BM25 in the score x that context is made of (retrieval-2.md section 1)."""
    context_cosine: float = 4.0
    """Share of the cosine in x."""
    pool_session: float = 0.3
    pool_date: float = 0.5
    pool_subject: float = 0.2
    """What session, date and subject add to x in the third list."""
    stop_piece: float = 0.5
    """Weight of stop words and punctuation among the wordpieces of a question (retrieval-2.md Q2)."""
    rrf: int = 60
    """The constant of reciprocal rank fusion, for the baseline."""
    gate_chars: float = 300.0
    gate_range: float = 150.0
    """The gate where nobody speaks: ``clip((gate_chars - median length) / gate_range, 0, 1)``."""
    full: Calibration = field(default_factory=Calibration)
    """With passage and token vectors."""
    no_tokens: Calibration = field(default_factory=Calibration)
    """With passage vectors alone."""
    words_only: Calibration = field(default_factory=Calibration)
    """Without an embedder."""


@dataclass(frozen=True, slots=True)
class Policy:
    """All of them."""

    gate: GatePolicy = field(default_factory=GatePolicy)
    passages: PassagePolicy = field(default_factory=PassagePolicy)
    lexical: LexicalPolicy = field(default_factory=LexicalPolicy)
    index: IndexPolicy = field(default_factory=IndexPolicy)
    database: DatabasePolicy = field(default_factory=DatabasePolicy)
    recall: RecallPolicy = field(default_factory=RecallPolicy)
