"""The README's promises about words."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import quoth

TEXTS = st.lists(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=400)
    | st.sampled_from(
        [
            "naïve café, e\u0301clair, ﬁle, Straße.  Two  blanks,\ttab.\r\nA line.\r\n\r\nAnother.",
            "天気がいいですね。学习人工智能。 ภาษาไทยไม่มีช่องว่าง",
            "# Heading\n\n- one\n- two\n\n```py\nif x:\n    y = 1\n\n    z = 2\n```\n\ntext " + "word " * 900,
            "👩‍👩‍👧‍👦 family 🇺🇦\u200f\u202etxt.exe",
        ]
    ),
    min_size=1,
    max_size=4,
    unique=True,
)


@given(texts=TEXTS)
def test_every_passage_is_a_slice(texts: list[str]) -> None:
    """Every passage that Quoth returns is a slice of what it was given, character for character."""
    given_ = {f"note/{number}.md": text for number, text in enumerate(texts)}
    with quoth.open(":memory:", actor="ana", scope="user:ana", embedder="hash") as memory:
        memory.remember([quoth.Document(text, uri=uri, kind="markdown") for uri, text in given_.items()])
        found = list(memory.recent(10_000))
        for text in texts:
            found += memory.recall(text[:200], k=20).passages
    assert found or not any(char.isalnum() for text in texts for char in text)
    for each in found:
        for seen in each.observations:
            start = seen.span.start + each.passage.span.start
            same = given_[seen.uri][start : start + len(each.text)]
            assert _folded(each.text) == _folded(same) if seen.record_id != each.id else each.text == same


def _folded(text: str) -> str:
    """Passages of equal normal form are shown once, with the places of each."""
    return "".join(text.split()).casefold()


def test_nothing_is_cut() -> None:
    """A fact at the end of a 200 kB line is found, because nothing is cut."""
    line = (
        "nothing of interest happens on the river today " * 4_300
        + "and the ferryman keeps bees in a red hive"
    )
    assert len(line) > 200_000
    with quoth.open(":memory:", actor="ana", scope="user:ana", embedder="hash") as memory:
        memory.remember(quoth.Document(line, uri="river.txt", kind="text"))
        best = memory.recall("who keeps bees in a red hive?").passages[0]
        assert "keeps bees in a red hive" in best.text
        assert line == "".join(each.text for each in reversed(memory.recent(10_000)))


def test_twice_changes_nothing() -> None:
    """The same document remembered twice changes nothing."""
    document = quoth.Document(
        "The boiler was serviced.\n\nIt needs a new valve.", uri="house.md", kind="markdown"
    )
    with quoth.open(":memory:", actor="ana", scope="user:ana", embedder="hash") as memory:
        first = memory.remember(document)
        before = (memory.status(), memory.verify().heads, memory.recall("what does the boiler need?"))
        second = memory.remember(document)
        assert (
            len(second.outcomes) == first.count(quoth.Result.STORED) == second.count(quoth.Result.DUPLICATE)
        )
        assert before == (memory.status(), memory.verify().heads, memory.recall("what does the boiler need?"))


def test_an_edit_supersedes(tmp_path: Path) -> None:
    """An edited paragraph supersedes its old words, which stay in the history; no other record changes."""
    note = tmp_path / "notes" / "house.md"
    note.parent.mkdir()
    note.write_text("The boiler is green.\n\nThe shed code is 4711.\n\nThe gate squeaks.\n", encoding="utf-8")
    with quoth.open(":memory:", actor="ana", scope="user:ana", embedder="hash") as memory:
        memory.watch([note.parent])
        before = {each.text.strip(): each.id for each in memory.recent()}
        old = before["The shed code is 4711."]
        note.write_text(
            "A new first line.\n\nThe boiler is green.\n\nThe shed code is 8128.\n\nThe gate squeaks.\n",
            encoding="utf-8",
        )
        memory.watch([note.parent])
        after = {each.text.strip(): each.id for each in memory.recent()}
        assert {
            "A new first line.",
            "The boiler is green.",
            "The shed code is 8128.",
            "The gate squeaks.",
        } == set(after)
        for untouched in ("The boiler is green.", "The gate squeaks."):
            assert before[untouched] == after[untouched]
            assert 1 == len(memory.history(after[untouched]).filings)
        assert "The shed code is 4711." == memory.get(old).text.strip()
        assert quoth.Standing.SUPERSEDED == memory.get(old).standing
        assert after["The shed code is 8128."] == memory.get(old).superseded_by
        assert [quoth.Status.CURRENT, quoth.Status.SUPERSEDED] == [
            each.status for each in memory.history(old).filings
        ]
