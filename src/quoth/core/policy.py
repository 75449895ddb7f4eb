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
    """BM25 with a length floor (docs/explanation/retrieval.md)."""

    k1: float = 0.9
    """Term saturation of BM25 (docs/explanation/retrieval.md)."""
    b: float = 0.75
    """Length normalisation of BM25 (docs/explanation/retrieval.md)."""
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
    """The head file is written at most this often; always on close and verify."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The linear fusion: ``sum of weight * feature`` (docs/explanation/retrieval.md).

    Names that start with `people_` are multiplied by the gate g, 1 in conversations of people and 0 with an
    assistant; `people_previous` and `people_next` also by d, 1 in dialogue and 0 for facts and notes.
    """

    bm25: float = 0.0
    """BM25 over its ideal."""
    cosine: float = 0.0
    """Cosine of passage and question."""
    subject: float = 0.0
    """The one asked for speaks."""
    maxsim: float = 0.0
    """Late interaction of token vectors."""
    date_session: float = 0.0
    """Said near the asked date."""
    date_event: float = 0.0
    """Speaks of a time near the asked date."""
    when: float = 0.0
    """Holds a date, where a date is asked for."""
    how_long: float = 0.0
    """Holds a duration, where one is asked for."""
    people_bm25: float = 0.0
    """Added to `bm25` among people."""
    people_maxsim: float = 0.0
    """Added to `maxsim` among people."""
    people_previous: float = 0.0
    """How well the previous passage of the session fits."""
    people_next: float = 0.0
    """How well the next one fits."""
    people_session_max: float = 0.0
    """The session's best passage."""
    people_session_bm25: float = 0.0
    """BM25 of the whole session's words."""
    people_length: float = 0.0
    """Logarithm of the number of words."""
    people_question: float = 0.0
    """The passage is a question itself."""


@dataclass(frozen=True, slots=True)
class PersonGuard:
    """Is the answer about another person than the one asked for? A logit over four margins.

    Each is the best of the asked person's passages minus the best of the others'.
    """

    top: float = 0.0
    """Mean of the three best scores."""
    first_person: float = 0.0
    """Best score among passages in the first person."""
    about: float = 0.0
    """Best score among passages about that person."""
    maxsim: float = 0.0
    """Best late interaction."""
    bias: float = 0.0
    floor: float = -1e9
    """Below this logit the answer is flagged; keeps 95 % of the answerable questions (development split)."""


@dataclass(frozen=True, slots=True)
class Support:
    """Is there an answer here at all? A logit of the best of each evidence, and where the levels begin.

    Learned from answerable questions against ones asked of stores that do not hold the answer.
    """

    known_words: float = 0.0
    """BM25 over that of a good passage, words that the store does not know counted too."""
    cosine: float = 0.0
    """Best cosine."""
    maxsim: float = 0.0
    """Best late interaction."""
    score: float = 0.0
    """Best fused score, without who speaks."""
    people: float = 0.0
    """Share of conversations of people in the pool, facts apart."""
    fact: float = 0.0
    """Share of facts in the pool."""
    bias: float = 0.0
    low: float = 0.0
    """Below: no answer. Keeps 95 % of the answerable questions of every development set."""
    moderate: float = 0.0
    """From here the first passage is right about two times in three."""
    high: float = 0.0
    """From here the first passage is right about four times in five."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was learned together for one kind of evidence."""

    weights: Weights = field(default_factory=Weights)
    guard: PersonGuard = field(default_factory=PersonGuard)
    support: Support = field(default_factory=Support)


FULL = Calibration(
    Weights(
        bm25=4.332,
        cosine=2.7624,
        subject=3.3372,
        maxsim=14.9404,
        date_session=4.4823,
        date_event=1.185,
        when=1.7039,
        how_long=0.9707,
        people_bm25=-4.0773,
        people_maxsim=-5.7138,
        people_previous=4.9459,
        people_next=0.7025,
        people_session_max=7.2891,
        people_session_bm25=1.9203,
        people_length=0.3053,
        people_question=-1.0023,
    ),
    PersonGuard(top=0.8356, first_person=0.2904, about=0.2782, maxsim=2.0897, bias=0.8068, floor=0.0882),
    Support(
        known_words=3.4166,
        cosine=2.7764,
        maxsim=9.4872,
        score=0.6346,
        people=-0.8405,
        fact=0.6496,
        bias=-10.8098,
        low=-1.1572,
        moderate=2.2,
        high=5.8,
    ),
)
"""For passage and token vectors: benchmarks/results/2026-11-30-fit-minilm-ea45bd3."""

NO_TOKENS = Calibration(
    Weights(
        bm25=10.5279,
        cosine=6.5828,
        subject=3.4829,
        date_session=4.6031,
        date_event=1.548,
        when=1.9599,
        how_long=0.9818,
        people_bm25=-6.2436,
        people_previous=5.5939,
        people_next=0.6386,
        people_session_max=4.1051,
        people_session_bm25=3.4928,
        people_length=0.6844,
        people_question=-1.2286,
    ),
    PersonGuard(top=0.978, first_person=0.2891, about=0.2093, bias=0.7219, floor=-0.0461),
    Support(
        known_words=6.4684,
        cosine=6.9455,
        score=0.4385,
        people=-0.646,
        fact=0.5851,
        bias=-8.336,
        low=-1.3481,
        moderate=2.7,
        high=5.2,
    ),
)
"""For passage vectors alone: benchmarks/results/2026-11-30-fit-static-ea45bd3."""

WORDS_ONLY = Calibration(
    Weights(
        bm25=18.475,
        subject=3.5898,
        date_session=4.9996,
        date_event=1.4066,
        when=1.8191,
        how_long=1.1275,
        people_bm25=-6.5389,
        people_previous=11.8889,
        people_next=2.0217,
        people_session_max=4.4204,
        people_session_bm25=4.5788,
        people_length=0.3863,
        people_question=-1.0228,
    ),
    PersonGuard(top=0.5987, first_person=0.3496, about=0.241, bias=0.6786, floor=-0.0669),
    Support(
        known_words=10.0931,
        score=0.2043,
        people=0.3669,
        fact=1.1761,
        bias=-5.7995,
        low=-1.2111,
        moderate=2.6,
        high=4.4,
    ),
)
"""For words alone: benchmarks/results/2026-11-30-fit-none-ea45bd3."""


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
    """Candidates of each of the three lists (docs/explanation/retrieval.md)."""
    dated_sessions: int = 200
    """Sessions at most that come in because of their date."""
    max_terms: int = 64
    """Distinct words of a question that are looked up."""
    context_bm25: float = 5.15
    """Share of BM25 in the score x that context is made of (docs/explanation/retrieval.md)."""
    context_cosine: float = 4.0
    """Share of the cosine in x."""
    pool_session: float = 0.3
    pool_date: float = 0.5
    pool_subject: float = 0.2
    """What session, date and subject add to x in the third list."""
    stop_piece: float = 0.5
    """Weight of stop words and punctuation among a question's wordpieces (docs/explanation/retrieval.md)."""
    rrf: int = 60
    """The constant of reciprocal rank fusion, for the baseline."""
    gate_chars: float = 300.0
    gate_range: float = 150.0
    gate_notes: float = 0.5
    """The gate where nobody speaks: ``gate_notes * clip((gate_chars - median length) / gate_range, 0, 1)``.

    Notes were not measured; half is the safe default of docs/explanation/retrieval.md.
    """
    pending_share: float = 0.2
    """Above this share of passages without a vector a question is answered by words alone. Not measured."""
    full: Calibration = FULL
    """With passage and token vectors."""
    no_tokens: Calibration = NO_TOKENS
    """With passage vectors alone."""
    words_only: Calibration = WORDS_ONLY
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
