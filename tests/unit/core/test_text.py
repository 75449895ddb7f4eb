"""How text is read: words, flags, voices, names, cues and normal forms."""

from __future__ import annotations

import time
import unicodedata
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quoth.core import text as t
from quoth.core.text import Flag, Voice, analyse

ANY = st.text(st.characters(), max_size=200)
"""Any code points, lone surrogates and NUL among them."""


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("The cats were running quickly to the houses!", ["cat", "run", "quick", "hous"]),
        ("Ana's dentist isn't Dr. Okafor's", ["ana", "dentist", "isnt", "dr", "okafor"]),
        ("rock'n'roll, well-known foo", ["rockn", "roll", "well", "known", "foo"]),
        ("who is this?", []),
        ("Meet at 5 in Berlin.Bye", ["meet", "5", "berlin", "bye", "berlin.bye"]),
        ("", []),
    ],
)
def test_english_prose_is_read_as_the_weights_were_fitted(text: str, want: list[str]) -> None:
    """English loses case, apostrophes and stop words, and keeps Snowball stems."""
    assert analyse(text) == want


@pytest.mark.parametrize(
    "identifier",
    [
        *("C++", "C#", "k8s", "tier1-test", "src/main.py", "foo_bar.baz", "--dry-run", "-v", "E1234"),
        *("0x80070005", "1.2.3", "v2.0.1-rc1", "192.168.0.1", "10.0.0.1:8080", "fe80::1", "std::vector"),
        *("550e8400-e29b-41d4-a716-446655440000", "ana@example.com", "https://example.org/a_b/c.html"),
        *("/etc/passwd", "~/.ssh/config", "../up/one.txt", ".env", "__init__", "--model=gpt-4", "#123"),
        *("C:\\Users\\ana", "c++11", "user:ana", "snake_case", "LGBTQ+", "2023-05-08"),
    ],
)
@pytest.mark.parametrize(
    "around", ["{}", "See ({}).", "use {}, then", '"{}"!', "`{}`: yes", "{}'s", "我用{}。"]
)
def test_an_identifier_is_one_word_wherever_it_stands(identifier: str, around: str) -> None:
    """An identifier stays whole, lower-cased, beside any punctuation and between other scripts."""
    assert identifier.lower() in analyse(around.format(identifier))


def test_an_identifier_gives_its_parts_too() -> None:
    """The parts are words, then comes the whole, then the steps of a path that are identifiers."""
    assert analyse("src/main_x.py") == ["src", "main", "x", "py", "src/main_x.py", "main_x.py"]
    assert analyse("C++") == ["c", "c++"]
    assert "c#" in analyse("C++/C#")
    assert ".net" in analyse("C#/.NET")


@pytest.mark.parametrize(
    "text", ["well-known", "yes--no", "_emphasis_", "__", "wait... and", "-", "--", "/", "k8s", "E1234"]
)
def test_plain_words_give_no_second_word(text: str) -> None:
    """Hyphens, dashes, Markdown emphasis and dots between words make no identifier."""
    words = analyse(text)
    assert len(words) == len(set(words))
    assert all(word.isalnum() for word in words)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "cafe"),
        ("cafe\u0301s", "cafés"),
        ("Straße", "STRASSE"),
        ("ﬁle", "file"),
        ("ＡＢＣ", "abc"),
        ("résumés", "resume"),
        ("Łódź", "lodz"),
        ("İstanbul", "istanbul"),
        ("don’t", "don't"),
        ("co\u00adoperate", "cooperate"),
        ("Quoth™", "quoth"),
        ("Ёлка", "елка"),
        ("ПРИВЕТ", "привет"),
        ("Αθήνα", "ΑΘΗΝΑ"),
        ("مُحَمَّد", "محمد"),
        ("٢٠٢٣", "2023"),
        ("ｶﾞｷﾞ", "ガギ"),
        ("м'яч", "м’яч"),
        ("Анна's", "анна"),
        ("👍🏽", "👍"),
        ("e\u0301", "é"),
        ("한국", unicodedata.normalize("NFD", "한국")),
    ],
)
def test_two_spellings_are_one_word(one: str, other: str) -> None:
    """Case, accents, compatible forms, joiners and vowel points do not part words."""
    assert analyse(one) == analyse(other) != []


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("東京都", ["東京", "京都", "東", "京", "都"]),
        ("我的猫", ["我的", "的猫", "我", "的", "猫"]),
        ("猫？", ["猫"]),
        ("カメラ", ["カメ", "メラ"]),
        ("형태소", ["형태", "태소"]),
        ("물", ["물"]),
        ("ไทย", ["ไท", "ทย"]),
        ("привет, мир", ["привет", "мир"]),
        ("किताब पढ़ो।", ["किताब", unicodedata.normalize("NFKC", "पढ़ो")]),
        ("مرحبا بالعالم؟", ["مرحبا", "بالعالم"]),
        ("Hi 😀😀 🇩🇪", ["hi", "😀", "😀", "🇩🇪"]),
        ("1️⃣ ♥️", ["1", "♥"]),
        ("用Python写", ["用", "python", "写"]),
        ("\u0301\u0301 ├── \ufffd", []),
        ("สวัสดี\u200bครับ", [*(a + b for a, b in zip("สวัสด", "วัสดี", strict=True)), "คร", "รั", "ับ"]),
    ],
)
def test_each_script_is_found_by_its_own_words(text: str, want: list[str]) -> None:
    """Scripts with spaces give words, those without give bigrams; Han gives single characters too."""
    assert analyse(text) == want


def test_overlong_words_are_cut_into_pieces() -> None:
    """A word of more than 256 characters becomes pieces of 256; up to there it is whole."""
    assert analyse("x" * 256) == ["x" * 256]
    assert analyse("x" * 300) == ["x" * 256, "x" * 44]
    assert analyse("a_" + "b" * 300)[-2:] == ["a_" + "b" * 254, "b" * 46]
    assert analyse("ж" * 257) == ["ж" * 256, "ж"]
    assert max(map(len, analyse("a.b/" * 50_000))) == 256


@pytest.mark.parametrize(
    "unit", ["a", "a-1", "漢", "\u0301\u0316", "é'", "../", "-", "_", "a://", "\0", "\ud800", "😀", "\u200d"]
)
def test_long_text_without_blanks_takes_linear_time(unit: str) -> None:
    """Nothing a text can hold makes reading it take more than linear time."""
    text = unit * (300_000 // len(unit))
    start = time.process_time()
    analyse(text), t.flags(text), t.normal_form(text)
    t.named(text, ["ana", "漢b"]), t.without_names(text, ["ana"]), t.voice("gpt" + text)
    assert time.process_time() - start < 10


@given(ANY)
def test_any_text_is_read_the_same_twice(text: str) -> None:
    """No code point raises, and reading is deterministic, whatever was remembered of it before."""
    words = analyse(text)
    t._chunk.cache_clear()
    assert analyse(text) == words
    assert all(words)
    assert t.flags(text) == t.flags(text)
    assert all(0 <= t.term_hash(word) < 2**32 for word in words)
    assert isinstance(t.voice(text), Voice)
    assert (t.asks_when(text), t.asks_how_long(text), t.of_assistant(text)) is not None


@given(ANY, ANY)
def test_a_blank_parts_words(one: str, other: str) -> None:
    """The words of two texts with a blank between are the words of each."""
    assert analyse(f"{one} {other}") == analyse(one) + analyse(other)


def test_term_hashes_are_stable() -> None:
    """A term's number is the CRC-32 of its UTF-8, on every machine; a lone surrogate has one too."""
    assert t.term_hash("dentist") == 1821358137
    assert t.term_hash("\ud800") == zlib.crc32(b"\xed\xa0\x80")


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Really? ", Flag.QUESTION),
        ("真的？", Flag.QUESTION),
        ("I’m here", Flag.FIRST_PERSON),
        ("our dog bit us", Flag.FIRST_PERSON),
        ("You're right", Flag.SECOND_PERSON),
        ("Yesterday it rained", Flag.HAS_DATE),
        ("lived there for three years", Flag.HAS_DURATION),
        ("Did you see me last week?", Flag(31)),
        ("India, youth, mew", Flag(0)),
        ("", Flag(0)),
    ],
)
def test_flags_say_what_a_passage_is_like(text: str, want: Flag) -> None:
    """Questions, persons, dates and durations are seen at word borders."""
    assert t.flags(text) == want


def test_stored_values_never_change() -> None:
    """Flags and voices are stored as numbers, so their numbers are fixed."""
    assert [flag.value for flag in Flag] == [1, 2, 4, 8, 16]
    assert [each.value for each in Voice] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("speaker", "want"),
    [
        (None, Voice.NONE),
        ("  ", Voice.NONE),
        ("Ana", Voice.PERSON),
        ("Claude-Henri", Voice.PERSON),
        ("Claude Monet", Voice.PERSON),
        ("Ai-Ling", Voice.PERSON),
        ("USER", Voice.USER),
        ("human", Voice.USER),
        ("Assistant", Voice.ASSISTANT),
        ("ChatGPT", Voice.ASSISTANT),
        ("gpt-4o mini", Voice.ASSISTANT),
        ("gpt4", Voice.ASSISTANT),
        ("claude-3-5-sonnet-20241022", Voice.ASSISTANT),
        ("Claude Code", Voice.ASSISTANT),
        ("codex", Voice.ASSISTANT),
        ("Gemini 2.5 Pro", Voice.ASSISTANT),
        ("tool", Voice.TOOL),
        ("System", Voice.TOOL),
    ],
)
def test_a_voice_is_told_by_the_name(speaker: str | None, want: Voice) -> None:
    """Roles and models are known by name in any case; everybody else is a person."""
    assert t.voice(speaker) is want


@pytest.mark.parametrize(
    ("question", "names", "want"),
    [
        ("What did ana say?", ["Ana", "Bo"], ("Ana",)),
        ("What did Anabel say?", ["Ana"], ()),
        ("Ana Maria's dog?", ["Ana", "Ana Maria"], ("Ana Maria",)),
        ("Ana and Ana Maria", ["Ana", "Ana Maria"], ("Ana", "Ana Maria")),
        ("Does Jose swim?", ["José"], ("José",)),
        ("Где живёт анна?", ["Анна", "Ан"], ("Анна",)),
        ("小明喜欢什么？", ["小明"], ("小明",)),
        ("민수는 어디에?", ["민수"], ("민수",)),
        ("أين تسكن ليلى؟", ["ليلى"], ("ليلى",)),
        ("रवि कहाँ है?", ["रवि", "रव"], ("रवि",)),
        ("สมชายอยู่ไหน", ["สมชาย"], ("สมชาย",)),
        ("user_ana and ana2", ["ana"], ()),
        ("anything", ["", " ", "\u0301"], ()),
        ("a.b (x+) [", ["a.b", "(x+"], ("a.b", "(x+")),
    ],
)
def test_names_are_found_at_word_borders(question: str, names: list[str], want: tuple[str, ...]) -> None:
    """A question names whom it spells out, in any script, case and accent, and nobody else."""
    assert t.named(question, names) == want


@pytest.mark.parametrize(
    ("question", "names", "want"),
    [
        ("What is Ana's dog  called?", ["Ana"], "What is dog called?"),
        ("When did Ana meet bo?", ["Ana", "Bo"], "When did meet ?"),
        ("Где живёт Анна?", ["анна"], "Где живёт ?"),
        ("小明喜欢什么", ["小明"], "喜欢什么"),
        ("Does José’s Cafe open?", ["Jose"], "Does Cafe open?"),
        ("Ana?", ["Ana"], "Ana?"),
        ("Ana Bo", ["Ana", "Bo"], "Ana Bo"),
        ("no names", [], "no names"),
        ("İİ Ana ß", ["Ana"], "İİ ß"),
    ],
)
def test_names_can_be_left_out(question: str, names: list[str], want: str) -> None:
    """Names and their 's leave the question, unless no word would be left."""
    assert t.without_names(question, names) == want


@given(ANY, st.lists(ANY, max_size=4))
def test_any_names_may_be_asked_for(question: str, names: list[str]) -> None:
    """Neither names nor questions raise, and what is named is one of the names."""
    assert set(t.named(question, names)) <= set(names)
    assert isinstance(t.without_names(question, [*names, question[:3]]), str)


@pytest.mark.parametrize(
    ("question", "when", "how_long", "assistant"),
    [
        ("When did Ana move?", True, False, False),
        ("  “Which year was it?”", True, False, False),
        ("Whenever you like", False, False, False),
        ("What day is it?", True, False, False),
        ("How long has she lived there?", False, True, False),
        ("Know when?", False, False, False),
        ("What was the book you recommended?", False, False, True),
        ("Remind me of our previous chat", False, False, True),
        ("What did thank-you told mean", False, False, True),
        ("Who told you?", False, False, False),
    ],
)
def test_cues_say_what_is_asked(question: str, when: bool, how_long: bool, assistant: bool) -> None:
    """Questions for a date, a length of time, or the assistant's words are known by their English cues."""
    got = (t.asks_when(question), t.asks_how_long(question), t.of_assistant(question))
    assert got == (when, how_long, assistant)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        (' "The  Answer\tis 42." ', "the answer is 42"),
        ("“It’s done!”", "it's done"),
        ("ＡＢＣ\u00a0ﬁ", "abc fi"),
        ("not 3.5, but -4", "not 3.5, but -4"),
        ("5'", "5'"),
        ('12"', '12"'),
        ("C++", "c++"),
        ("?!", "?!"),
        ('""', '""'),
        ("va\u200blue", "value"),
        ("«Да».", "да"),
        ("Straße", "strasse"),
        ("", ""),
    ],
)
def test_a_normal_form_keeps_what_has_meaning(text: str, want: str) -> None:
    """Case, blanks, invisible signs, outer quotes and end punctuation go; digits and signs stay."""
    assert t.normal_form(text) == want


@given(ANY)
def test_a_normal_form_is_its_own_normal_form(text: str) -> None:
    """Normalising twice changes nothing more."""
    once = t.normal_form(text)
    assert t.normal_form(once) == once
    assert t.normal_form(f"  {text}\n") == once
