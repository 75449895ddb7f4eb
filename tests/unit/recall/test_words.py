"""What is found by words alone: identifiers exactly, and every script in its own words."""

from __future__ import annotations

from typing import Any

import pytest

IDENTIFIERS = {
    "C++": ("C", "C#", "c plus plus"),
    "k8s": ("k9s", "k8", "8s"),
    "tier1-test": ("tier1-best", "tier2-test", "tier test"),
    "src/main.py": ("src/domain.py", "lib/main.py", "src/main.pyc"),
    "--dry-run": ("--dry", "--wet-run", "dry running"),
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301": ("3f2504e0-4f89-41d3-9a0c-0305e82c3302", "3f2504e0", "0305e82c"),
    "E0308": ("E0309", "0308", "E308"),
    "ORA-00942": ("ORA-00943", "ORA 942", "00942"),
    "0x80070005": ("0x80070006", "80070005", "x80070005"),
    "v1.2.3": ("v1.2.4", "1.2", "v1"),
    "__init__": ("init", "__main__", "_init"),
    ".gitignore": ("gitlab", "ignored", ".gitattributes"),
    "user@example.com": ("user@example.org", "example", "admin@example.com"),
    "X-47/11": ("X-47/12", "X-48/11", "4711"),
}


@pytest.mark.parametrize("name", IDENTIFIERS)
@pytest.mark.parametrize("question", ["{}", "what is {}?", "Where did I use `{}`, and why?", "({})"])
def test_identifiers_are_found_exactly(words: Any, name: str, question: str) -> None:
    """The note that has the very identifier comes first, before those with parts or cousins of it."""
    words.note(*(f"Something about {other} is here." for other in IDENTIFIERS[name]))
    words.note(f"Something about {name} is here.")
    words.note("Nothing of that kind is here.")
    assert f"Something about {name} is here." == words.texts(question.format(name))[0]


SCRIPTS = {
    "Chinese": ("我在图书馆学习人工智能。", "人工智能", "今天天气很好。"),
    "Chinese, one sign": ("我喜欢喝茶。", "茶", "今天天气很好。"),
    "Japanese": ("図書館で犬を見ました。", "犬を見た", "天気がいいですね。"),
    "Korean": ("도서관에서 고양이를 보았다.", "고양이", "날씨가 좋습니다."),
    "Thai": ("ฉันเห็นแมวที่ห้องสมุด", "แมว", "อากาศดีมากวันนี้"),
    "Cyrillic": ("Я видел ёжика в библиотеке.", "ежика", "Погода хорошая."),
    "Arabic": ("رأيت قِطَّةً في المكتبة", "قطة", "الطقس جميل اليوم"),
    "Hindi": ("मैंने पुस्तकालय में बिल्ली देखी।", "बिल्ली", "मौसम अच्छा है।"),
    "Hebrew": ("ראיתי חתול בספרייה", "חתול", "מזג האוויר נעים"),
    "Greek": ("Είδα μια γάτα στη βιβλιοθήκη.", "γατα", "Ο καιρός είναι καλός."),
    "emoji": ("Dinner was 🍕 again", "🍕", "Dinner was 🍣 again"),
    "emoji, joined": ("We are 👩‍👩‍👧 now", "👩‍👩‍👧", "We are glad now"),
    "combining marks": ("The cafe\u0301 is closed.", "café", "The shop is closed."),
    "no accents": ("Der Müller wohnt in Köln.", "muller koln", "Der Bäcker wohnt in Ulm."),
    "full width": ("The code is ＡＢＣ１２３.", "abc123", "The code is gone."),
    "ligature": ("An oﬃce in the city.", "office", "A flat in the city."),
    "English stems": ("She was running three companies.", "company runs", "She was ill."),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_is_found_by_its_words(words: Any, script: str) -> None:
    """A word of the script finds its note, and not the note without it."""
    with_it, word, without = SCRIPTS[script]
    words.note(without, with_it)
    assert [with_it] == words.texts(word)


def test_a_word_at_the_end_of_a_long_line_is_found(words: Any) -> None:
    """Nothing is cut: the last word of a line of 200 kB finds its passage, which is a slice of the line."""
    line = "nothing of interest happens here today " * 5_200 + "but the needle is made of copper"
    words.note(line, kind="text")
    [best, *_] = words.ask("What is the needle made of?").passages
    assert best.text.endswith("the needle is made of copper")
    assert line[best.passage.span.start : best.passage.span.end] == best.text
    assert len(best.text) <= words.policy.passages.max_chars


def test_a_speaker_is_a_word(words: Any) -> None:
    """What a person said is found by that person's name; an assistant's name is no word."""
    words.say(("Zoë", "I keep it in the shed."), ("assistant", "You keep it in the shed."))
    assert "I keep it in the shed." in words.texts("zoe")
    assert [] == words.texts("assistant")
