"""The words index of the product against SQLite's FTS5, on one synthetic store (ADR 8).

Run: ``python benchmarks/scripts/words_index.py PASSAGES FOLDER [OUT.json]``. The store is made in FOLDER.
Both see the same analysed words. FTS5 has the scope as an indexed column; it is asked for the best 50 with
every word of the question, and with the words that stand in at most 2 % of the passages.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

import quoth
from bench.synthetic import SCOPES, Conversations
from quoth.core.text import analyse, voice

POOL = 50
QUESTIONS = 60
RARE = 0.02


def main() -> None:
    """Fill, ask, compare, print and perhaps keep the figures."""
    passages, folder = int(sys.argv[1]), Path(sys.argv[2])
    figures: dict[str, object] = {"passages": passages, "pool": POOL, "questions": QUESTIONS}
    fts = _fts(folder / "fts.db")
    for scope in SCOPES:
        if scope != "bench:ten":
            figures[scope] = _scope(passages, folder, fts, scope)
    text = json.dumps(figures, indent=1)
    print(text)
    if len(sys.argv) > 3:
        Path(sys.argv[3]).write_text(text + "\n", encoding="utf-8")


def _fts(path: Path) -> apsw.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    db = apsw.Connection(str(path))
    db.pragma("journal_mode", "wal")
    db.execute("CREATE VIRTUAL TABLE words USING fts5(text, scope, content='', tokenize='ascii')")
    return db


def _scope(passages: int, folder: Path, fts: apsw.Connection, scope: str) -> dict[str, object]:
    talks = Conversations(passages, scope=scope)
    seconds = {"quoth": 0.0, "fts5": 0.0}
    with quoth.open(folder / "store", embedder="none", scope=scope, actor="bench") as memory:
        for session in talks.texts():
            documents = [
                quoth.Document(
                    each.text,
                    uri=each.uri,
                    kind=each.kind,
                    session_id=each.session,
                    speaker=each.speaker,
                    said_at=each.said_at,
                )
                for each in session
            ]
            seconds["quoth"] += _timed(lambda kept=documents: memory.remember(kept))
            rows = [(_words(each), scope.replace(":", "")) for each in documents]
            seconds["fts5"] += _timed(lambda kept=rows: _insert(fts, kept))
        store, access = memory._parts.store, memory._parts.access
        questions = [analyse(asked.text) for asked in talks.questions(QUESTIONS)]
        exact, ours = _ask(lambda terms: _exact(store, access, terms), questions)
        size = talks.passages
        every, all_words = _ask(lambda terms: _fts5(fts, scope, terms, size, 1.0), questions)
        rare, pruned = _ask(lambda terms: _fts5(fts, scope, terms, size, RARE), questions)
    return {
        "passages": size,
        "quoth ms p50, p95": ours,
        "fts5 all words ms p50, p95": all_words,
        "fts5 words in at most 2 % ms p50, p95": pruned,
        "fts5 all words, share of the exact best 50": _overlap(exact, every),
        "fts5 rare words, share of the exact best 50": _overlap(exact, rare),
        "fts5 insert seconds (beside the store's own)": round(seconds["fts5"], 1),
        "quoth remember seconds": round(seconds["quoth"], 1),
    }


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _words(document: quoth.Document) -> str:
    speaker = f"{document.speaker}: " if voice(document.speaker) == 1 else ""
    return " ".join(analyse(speaker + document.text))


def _insert(fts: apsw.Connection, rows: Sequence[tuple[str, str]]) -> None:
    with fts:
        fts.executemany("INSERT INTO words (text, scope) VALUES (?, ?)", rows)


def _exact(store: object, access: object, terms: list[str]) -> list[int]:
    with store.read(access) as view:  # type: ignore[attr-defined]
        return [hit.passage for hit in view.lexical(terms, POOL)]


def _fts5(fts: apsw.Connection, scope: str, terms: list[str], size: int, share: float) -> list[int]:
    kept = list(dict.fromkeys(terms))
    if share < 1:
        df = {each: _df(fts, each) for each in kept}
        kept = [each for each in kept if df[each] <= share * size] or [min(kept, key=lambda each: df[each])]
    query = (
        f"scope:{scope.replace(':', '')} AND text:({' OR '.join(chr(34) + each + chr(34) for each in kept)})"
    )
    rows = fts.execute(
        "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 1.0, 0.0) LIMIT ?", (query, POOL)
    )
    return [row[0] for row in rows]


def _df(fts: apsw.Connection, term: str) -> int:
    fts.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, 'row')")
    row = fts.execute("SELECT doc FROM temp.vocabulary WHERE term = ?", (term,)).fetchone()
    return int(row[0]) if row else 0


def _ask(
    search: Callable[[list[str]], list[int]], questions: list[list[str]]
) -> tuple[list[list[int]], list[float]]:
    search(questions[0])
    found, spent = [], []
    for terms in questions:
        start = time.perf_counter()
        found.append(search(terms))
        spent.append((time.perf_counter() - start) * 1000)
    cuts = statistics.quantiles(spent, n=20)
    return found, [round(statistics.median(spent), 2), round(cuts[18], 2)]


def _overlap(exact: list[list[int]], other: list[list[int]]) -> float:
    shares = [len(set(a) & set(b)) / len(a) for a, b in zip(exact, other, strict=True) if a]
    return round(sum(shares) / len(shares), 3)


if __name__ == "__main__":
    main()
