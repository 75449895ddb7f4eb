"""Erase: the words go, and do not come back."""

from __future__ import annotations

from typing import Any

import pytest

from quoth.core.errors import InvalidInput, NotFound
from quoth.core.types import Access, Document, Result, Standing, Waiting

SECRET = "The canary sings at noon."
FILE = f"# House\n\n{SECRET}\n\nThe tap drips.\n"


def test_the_words_are_gone(care: Any) -> None:
    """The record stays, without words; so does every other one of the same words."""
    one = care.note(SECRET, uri="a", speaker="Ana")
    two = care.note("the canary sings at noon", uri="b")
    done = care.erase(one)
    assert {one, two} == set(done.records)
    assert done.places
    for id in (one, two):
        assert ("", Standing.ERASED) == (care.get(id).text, care.get(id).standing)
    assert [] == care.served("canary")


def test_a_preview_changes_nothing(care: Any) -> None:
    """It names every record and every place, and that it was not done."""
    one, two = care.note(SECRET, uri="a"), care.note(SECRET, uri="b")
    before = care.entries()
    done = care.erase(one[:8], dry_run=True)
    assert ({one, two}, False, before) == (set(done.records), done.clean, care.entries())
    assert done.places
    assert SECRET == care.get(one).text


def test_erased_words_are_refused(care: Any) -> None:
    """Whoever says them again, nothing of them is kept but a count."""
    care.erase(care.note(SECRET, uri="a"))
    for count, uri in enumerate(("b", "c", "c"), 1):
        (outcome,) = care.keep(Document("THE canary sings at noon", uri))
        assert (Result.REFUSED, None) == (outcome.outcome, outcome.record_id)
        (item,) = care.queue(answered=True)
        assert (Waiting.ERASED, count, "") == (item.held.kind, item.seen_count, item.text)
    with care.store.read(care.access) as view:
        assert [] == [uri for uri in view.documents() if uri in ("b", "c")]


def test_a_file_that_repeats_them_is_kept_without_them(care: Any) -> None:
    """Its other paragraphs are kept at their places; blocks stand for each erased character."""
    care.erase(care.note(SECRET, uri="a"))
    outcomes = care.keep(Document(FILE, "/a.md", "markdown"))
    assert [Result.STORED, Result.REFUSED, Result.STORED] == [each.outcome for each in outcomes]
    with care.store.read(care.access) as view:
        kept = view.document("/a.md").text
        (seen,) = view.observations(outcomes[2].record_id)
    assert FILE.replace(SECRET, "█" * len(SECRET)) == kept
    assert ("The tap drips.", 5) == (kept[seen.span.start : seen.span.end], seen.lines.first)


def test_a_file_that_held_them_is_read_again(care: Any) -> None:
    """The same reading writes nothing; an edit elsewhere changes only what was edited."""
    outcomes = care.keep(Document(FILE, "/a.md", "markdown"))
    care.erase(str(outcomes[1].record_id))
    with care.store.read(care.access) as view:
        assert FILE.replace(SECRET, "█" * len(SECRET)) == view.document("/a.md").text
    care.keep(Document(FILE, "/a.md", "markdown"))
    before = care.entries()
    care.keep(Document(FILE, "/a.md", "markdown"))
    assert before == care.entries()
    again = care.keep(Document(FILE.replace("drips", "is dry"), "/a.md", "markdown"))
    assert [Result.DUPLICATE, Result.REFUSED, Result.STORED] == [each.outcome for each in again]
    assert Standing.CURRENT is care.get(str(outcomes[0].record_id)).standing


def test_erasing_again_cleans_again(care: Any) -> None:
    """The same call on an erased record cleans what could not be cleaned; there is nothing to preview."""
    id = care.note(SECRET)
    care.erase(id)
    before = care.entries()
    assert (id,) == care.erase(id).records
    assert before == care.entries()
    with pytest.raises(InvalidInput, match="erased"):
        care.erase(id, dry_run=True)


def test_a_correction_of_erased_words_is_refused(care: Any) -> None:
    """Erased words do not come back as a correction, and supersede nothing."""
    care.erase(care.note(SECRET, uri="a"))
    id = care.note("The canary is silent.", uri="b")
    assert Result.REFUSED is care.correct(id, SECRET).outcome
    assert Standing.CURRENT is care.get(id).standing


def test_a_foreign_record_cannot_be_erased(care: Any, foreign: Access) -> None:
    """Nor previewed."""
    id = care.note(SECRET)
    for dry in (True, False):
        with pytest.raises(NotFound):
            care.to(foreign).erase(id, dry_run=dry)
    assert SECRET == care.get(id).text
