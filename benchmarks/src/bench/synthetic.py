"""Seeded synthetic conversations of any size: the same seed makes the same store, word for word.

A Zipf vocabulary of made-up words with English function words between them; passages of about 130
characters, sessions of 20 turns between two of 40 people, spread over 900 days. A store of N passages has
one scope that holds N, and beside it one of N/10 and one of N/100. A question takes a few content words of
one passage.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from bench.datasets import Text

SCOPES = {"bench:all": 1.0, "bench:ten": 0.1, "bench:one": 0.01}
"""Scopes of one store, with their size as a share of its N."""
SESSION = 20
WORDS = 60_000
PEOPLE = 40
_START = datetime(2023, 1, 1, 9, tzinfo=UTC)


def _words(text: str) -> list[str]:
    return text.split()


_LITTLE = _words(
    "the to and a of in is it i that you for was on my with we this have so but they at be not are "
    "as from had about there all when out some like just then were what if her him"
)
_ONSETS = _words("b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh sl st t th tr v w")
_VOWELS = _words("a e i o u ai ea ee ie oa ou")
_CODAS = ["", *_words("b ck d ft g l ll lt m mp n nd ng nt p r rd rn s sh st t th x")]
_NAMES = _words("Ana Ben Carla Dev Elif Finn Greta Hugo Iris Jonas Kira Leo Mina Noor Omar Petra Quinn Rosa")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the uri of the passage that it was made of."""

    text: str
    uri: str


def vocabulary(seed: int, size: int = WORDS) -> list[str]:
    """Made-up words that look real, the frequent ones shorter."""
    rng = np.random.default_rng([seed, 1])
    words: dict[str, None] = {}
    while len(words) < size:
        syllables = 1 + (len(words) > 2000) + (rng.random() < 0.15)
        parts = rng.integers(0, (len(_ONSETS), len(_VOWELS), len(_CODAS)), (syllables, 3))
        words.setdefault("".join(_ONSETS[a] + _VOWELS[b] + _CODAS[c] for a, b, c in parts))
    return list(words)


def people() -> list[str]:
    """Names of the speakers."""
    return [name + tail for tail in ("", "lyn", "dor") for name in _NAMES][:PEOPLE]


class Conversations:
    """One scope's texts, session by session; a session depends on seed, scope and number alone."""

    def __init__(self, passages: int, seed: int = 0, scope: str = "bench:all") -> None:
        self.passages = max(1, round(passages * SCOPES[scope]))
        self._key = [seed, list(SCOPES).index(scope)]
        self._words = vocabulary(seed)
        weights = 1 / (np.arange(len(self._words)) + 50)
        self._chance = np.cumsum(weights / weights.sum())
        self._people = people()

    @property
    def sessions(self) -> int:
        """How many sessions there are."""
        return -(-self.passages // SESSION)

    def session(self, number: int) -> list[Text]:
        """The turns of one session."""
        rng = np.random.default_rng([*self._key, 2, number])
        turns = min(SESSION, self.passages - number * SESSION)
        pair = rng.permutation(len(self._people))[:2]
        day = _START + timedelta(
            days=number * 900 // max(self.sessions, 1), minutes=int(rng.integers(0, 600))
        )
        lengths = rng.integers(8, 34, turns)
        drawn = np.searchsorted(self._chance, rng.random(int(lengths.sum())))
        little = rng.random(len(drawn)) < 0.45
        which = rng.integers(0, len(_LITTLE), len(drawn))
        ends = rng.random(turns)
        texts, start = [], 0
        for turn, length in enumerate(lengths.tolist()):
            part = range(start, start + length)
            words = [_LITTLE[which[i]] if little[i] else self._words[min(drawn[i], WORDS - 1)] for i in part]
            start += length
            end = "?" if ends[turn] < 0.15 else "!" if ends[turn] < 0.3 else "."
            said = " ".join(words)
            texts.append(
                Text(
                    uri=f"talk/{number}/{turn}",
                    text=said[0].upper() + said[1:] + end,
                    kind="turn",
                    session=f"talk/{number}",
                    speaker=self._people[pair[turn % 2]],
                    said_at=day,
                )
            )
        return texts

    def texts(self) -> Iterator[list[Text]]:
        """Every session, in order."""
        return map(self.session, range(self.sessions))

    def questions(self, count: int) -> list[Asked]:
        """Questions about passages of this scope."""
        rng = np.random.default_rng([*self._key, 3])
        little = set(_LITTLE)
        asked = []
        for pick in rng.integers(0, self.sessions, count).tolist():
            session = self.session(pick)
            text = session[int(rng.integers(0, len(session)))]
            words = list(dict.fromkeys(w for w in text.text.lower().strip(".?!").split() if w not in little))
            taken = rng.permutation(len(words))[: int(rng.integers(3, 6))]
            about = " ".join(words[i] for i in sorted(taken.tolist()))
            start = f"What did {text.speaker} say about" if rng.random() < 0.5 else "Who told me of"
            asked.append(Asked(f"{start} {about}?", text.uri))
        return asked
