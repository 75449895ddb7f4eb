"""What may come in."""

from __future__ import annotations

import pytest

from quoth.core.errors import InvalidInput
from quoth.core.policy import GatePolicy
from quoth.core.types import Document
from quoth.ingest.gate import refusal

POLICY = GatePolicy(max_document=20)


@pytest.mark.parametrize("text", ["a", " 🎉 ", "кириллица", "e\u0301", "x" * 20, "\ufeff"])
def test_text_in_any_script_may_come_in(text: str) -> None:
    """Text in any script comes in, up to the limit."""
    assert refusal(Document(text), POLICY) is None


@pytest.mark.parametrize("text", ["", " ", "\n\t\r\n", "\u3000\xa0"])
def test_blank_text_is_refused(text: str) -> None:
    """A text without a word is refused."""
    assert refusal(Document(text), POLICY) == "empty"


def test_too_large_text_is_refused_with_both_numbers() -> None:
    """A text over the limit is refused, and the reason names both sizes."""
    assert refusal(Document("x" * 21), POLICY) == "too large: 21 characters, at most 20"


def test_nul_characters_are_refused_by_name() -> None:
    """A text with NUL is refused, not mended (field case 26)."""
    assert refusal(Document("a\x00b"), POLICY) == "holds NUL characters"


def test_lone_surrogates_are_refused_by_name() -> None:
    """A text that has no UTF-8 is refused, not mended (field case 40)."""
    assert refusal(Document("a\udc81"), POLICY) == "holds lone surrogates"


@pytest.mark.parametrize(
    ("document", "want"),
    [
        (Document("a", uri="x\0"), "its uri holds NUL characters"),
        (Document("a", session_id="\ud800"), "its session holds lone surrogates"),
        (Document("a", speaker="\0"), "its speaker holds NUL characters"),
        (Document("a", metadata={"k": "\ud800"}), "its metadata holds lone surrogates"),
    ],
)
def test_names_are_judged_like_words(document: Document, want: str) -> None:
    """A uri, session, speaker or metadata that cannot be stored is refused with its name."""
    assert want == refusal(document, POLICY)


def test_an_unknown_kind_is_a_mistake() -> None:
    """An unknown kind is never coerced into a known one (field case 90)."""
    with pytest.raises(InvalidInput, match="'diary'"):
        refusal(Document("a", kind="diary"), POLICY)
