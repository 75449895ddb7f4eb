"""How text is read: analysed words for BM25, flags, voices, names and cues of a question.

Passages and questions go through the same `analyse`, else they would not meet.
Nothing here raises, whatever the code points (NUL, lone surrogates, unassigned), and all of it is linear.
Words of Latin letters are treated as English, as shipped: stop words and Snowball stems.
Words of other scripts are kept whole, or as character bigrams where a script has no spaces.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum, IntFlag
from functools import lru_cache
from itertools import pairwise

from Stemmer import Stemmer

from quoth.core import dates

_STOP = (
    "a an and are as at be been being but by did do does doing for from had has have having he her hers him"
    " his how i if in into is it its me my of on or our ours she so some such than that the their theirs them"
    " then there these they this those to was we were what when where which who whom why will with would you"
    " your yours am can could should about any all also just not no nor up out"
)
STOP_WORDS = frozenset(_STOP.split())
"""English words that carry no content; the list that the weights were fitted with."""

_LONGEST = 256  # code points of a term; what is longer is indexed in pieces of this size, from its start
_STEMMED = 64  # a longer word is no English word: kept as it is, and not cached

# What Unicode calls default-ignorable (joiners, directions, variation selectors): never content.
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u0640\u064b-\u0655\u0670]"
)
"""Accents, vowel points and the Arabic stretch: often left out when writing, so left out when reading."""
_LETTERS = dict.fromkeys("\u2019\u2018\u02bc\u2032", "'") | {"\u2010": "-", "\u200b": " ", "\u0451": "\u0435"}
_LETTERS |= {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i", "ħ": "h"}
"""Letters that do not decompose, Cyrillic yo (commonly written ye), apostrophes, the hyphen, Thai's blank."""
_HAN = re.compile("[\u3005\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f\u1780-\u17ff\u19e0-\u19ff"  # Thai to Khmer
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u3031-\u3035\u3041-\u312f\u31a0-\u31bf\u31f0-\u31ff\U0001b000-\U0001b16f"  # Kana, Bopomofo
    "\u1950-\u19df\u1a20-\u1aaf\u1b00-\u1b7f\ua000-\ua4cf\ua980-\ua9df\uaa80-\uaadf]"  # Tai, Javanese, Yi
)


class _Table(dict[int, str]):
    """A table for `str.translate` that fills itself; the rare planes and what is unassigned are not kept."""

    def __init__(self, of: Callable[[str], str]) -> None:
        super().__init__()
        self._of = of

    def __missing__(self, code: int) -> str:
        char = chr(code)
        value = self._of(char)
        if unicodedata.category(char) not in ("Cn", "Co", "Cs") and code < 0x20000:
            self[code] = value
        return value


def _fold_char(char: str) -> str:
    if char in _LETTERS:
        return _LETTERS[char]
    if _IGNORABLE.match(char) or _MARKS.match(char) or "\U0001f3fb" <= char <= "\U0001f3ff":
        return ""
    category = unicodedata.category(char)
    if category in ("Nd", "Me"):  # a keycap's frame goes
        return str(unicodedata.decimal(char, ""))
    plain = unicodedata.normalize("NFD", folded := char.casefold())
    if plain[0] < "\u0400":  # Latin and Greek lose their accents; Cyrillic short i is a letter of its own
        folded = _MARKS.sub("", plain)
    return "".join(_LETTERS.get(each, each) for each in folded)


def _kind(char: str) -> str:
    """h Han, c other spaceless, w letter or digit, m mark, r half a flag, e emoji, ' itself, else blank."""
    category = unicodedata.category(char)
    if char == "'":
        return "'"
    if category[0] in "LMN":
        if _HAN.match(char):
            return "h"
        if _SPACELESS.match(char):
            return "c"
        return "m" if category[0] == "M" else "w"
    if "\U0001f1e6" <= char <= "\U0001f1ff":
        return "r"
    if category == "So" and not ("\u2500" <= char <= "\u259f" or char in "\ufffc\ufffd"):  # drawn boxes
        return "e"
    return "e" if "\U0001f000" <= char <= "\U0001faff" else " "


_FOLD = _Table(_fold_char)
_KINDS = _Table(_kind)

# CPython orders combining marks by insertion: a megabyte of them would take hours, in blocks a second.
# A block ends before a character that never joins the one before it, where there is one.
_BLOCK = re.compile(
    "(?s:.{1,1024}(?=[\0-\u02ff\u0400-\u0481\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff])|.{1,1024})"
)


def _normalised(text: str) -> str:
    """NFKC, in linear time."""
    if text.isascii():
        return text
    if len(text) <= 1024:
        return unicodedata.normalize("NFKC", text)
    return "".join(unicodedata.normalize("NFKC", block) for block in _BLOCK.findall(text))


def _folded(text: str) -> str:
    """Lower case, compatible forms, no accents; trade marks are no letters of the word they stand at."""
    if text.isascii():
        return text.lower()
    return _normalised(text.replace("\u2122", " ").replace("\u2120", " ")).translate(_FOLD)


_ENGLISH = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_RUN = re.compile(r"[hc]+|w[wm]*(?:'[wm]+)*|rr|[er]")
# No possessive repeats: those of Python 3.11 before .3 forget to give back what half matched.
_IDENTIFIER = re.compile(
    r"(?:(?<![a-z0-9_.-])--?(?=[a-z])|(?<![a-z0-9_.~/])(?:(?:\.\./)+|~/|\.?/)\.?(?=[a-z0-9_])"
    r"|(?<![a-z0-9_./])\.(?=[a-z_])|(?<![a-z0-9_#])\#(?=[a-z0-9]))?"
    r"[a-z0-9_]+(?:(?:://|::|:\\|/\.|\+\+|=-{0,2}|[./\\:@~+#-])[a-z0-9_]+)*"
    r"(?:\+\+|[+\#])?"
)
_PLAIN = re.compile(r"[a-z0-9]*|[a-z]+(?:-[a-z]+)*")
_SEGMENTS = re.compile(r"[:=@]+/*")
_STEPS = re.compile(r"[:=@/\\]+")


def analyse(text: str) -> list[str]:
    """The words of a text as BM25 counts them, in order, with repeats.

    - Latin words: folded (café is cafe, ß is ss), no apostrophes, no stop words, English stems.
    - Identifiers (``src/main.py``, ``C++``, ``tier1-test``, ``--dry-run``, ``1.2.3``): their parts as words,
      then the whole, lower-cased; of a path also the steps that are identifiers themselves.
      A hyphen alone makes none unless a digit is in it: "well-known" is two words.
    - Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese: character bigrams, a lone character as it is;
      each Han character too, so that a question of one character finds its words.
    - Other scripts: whole words, case and vowel points folded, not stemmed. Each emoji is a word.
    - A word of more than 256 characters is cut into pieces of 256.
    """
    words: list[str] = []
    for chunk in text.split():
        words += _chunk(chunk) if len(chunk) <= 48 else _chunk_words(chunk)
    return words


@lru_cache(maxsize=1 << 15)
def _chunk(chunk: str) -> tuple[str, ...]:
    return tuple(_chunk_words(chunk))


def _chunk_words(chunk: str) -> list[str]:
    """The words of a text without blanks: a word of any rule never goes beyond a blank."""
    folded = _folded(chunk)
    words = list(_english(folded)) if folded.isascii() else []
    if not folded.isascii():
        for run in _RUN.finditer(folded.translate(_KINDS)):
            words += _run(run[0], folded[run.start() : run.end()])
    if not folded.isalpha():
        words += (piece for whole in _identifiers(folded) for piece in _cut(whole))
    return words


def _run(kinds: str, chars: str) -> Iterable[str]:
    """The words of a stretch of one kind."""
    if kinds[0] in "er" or kinds == "c":
        return (chars,)
    if kinds[0] in "hc":
        single = (char for kind, char in zip(kinds, chars, strict=True) if kind == "h")
        return (*map("".join, pairwise(chars)), *single)
    return _english(chars) if chars.isascii() else _cut(_bare(chars))


def _english(chars: str) -> Iterator[str]:
    for word in _ENGLISH.findall(chars):
        if len(word) > _STEMMED:
            yield from _cut(_bare(word))
        elif stem := _word(word):
            yield stem


def _bare(word: str) -> str:
    return word[:-2] if word.endswith("'s") else word.replace("'", "")


def _cut(term: str) -> Iterator[str]:
    for start in range(0, len(term), _LONGEST):
        yield term[start : start + _LONGEST]


@lru_cache(maxsize=1 << 16)
def _word(raw: str) -> str:
    """The stem; empty for a stop word. A stemmer keeps state, so each call has its own (threads)."""
    word = _bare(raw)
    return "" if word in STOP_WORDS else str(Stemmer("english", 0).stemWord(word))


def _identifiers(folded: str) -> Iterator[str]:
    for match in _IDENTIFIER.finditer(folded):
        whole = _unquoted(match[0])
        if not _PLAIN.fullmatch(whole):
            steps = [_unquoted(each) for cut in (_SEGMENTS, _STEPS) for each in cut.split(whole)]
            yield from dict.fromkeys(each for each in (whole, *steps) if not _PLAIN.fullmatch(each))


def _unquoted(token: str) -> str:
    """Without the underscores of Markdown's emphasis; ``__init__`` keeps its own."""
    bare = token.strip("_")
    return token if bare and token.startswith("__") and token.endswith("__") else bare


@lru_cache(maxsize=1 << 16)
def term_hash(term: str) -> int:
    """A stable number of 32 bits for a term: CRC-32 of its UTF-8."""
    return zlib.crc32(term.encode("utf-8", "surrogatepass"))


_WORD = re.compile(r"\w+")
_I = frozenset(("i", "my", "mine", "me", "we", "our", "us"))
_YOU = frozenset(("you", "your", "yours"))


class Flag(IntFlag):
    """What can be seen of a passage by itself; the values are stored."""

    QUESTION = 1
    """It ends with a question mark."""
    FIRST_PERSON = 2
    SECOND_PERSON = 4
    HAS_DATE = 8
    """It speaks of a day that can be resolved (`dates.has_date`)."""
    HAS_DURATION = 16


_FLAGS = tuple(Flag(bits) for bits in range(32))


def flags(text: str) -> Flag:
    """What a passage is like, for ranking and for the question of whom it speaks."""
    words = set(_WORD.findall(text.lower()))
    return _FLAGS[
        text.rstrip().endswith(("?", "\uff1f", "\u061f"))
        | 2 * (not words.isdisjoint(_I))
        | 4 * (not words.isdisjoint(_YOU))
        | 8 * dates.has_date(text)
        | 16 * dates.has_duration(text)
    ]


class Voice(IntEnum):
    """Who speaks, as far as the name tells; the values are stored."""

    NONE = 0
    PERSON = 1
    USER = 2
    ASSISTANT = 3
    TOOL = 4


_VOICES = {"": Voice.NONE} | dict.fromkeys(("user", "human"), Voice.USER)
_VOICES |= dict.fromkeys(("tool", "system", "function"), Voice.TOOL)
_VOICES |= dict.fromkeys(("assistant", "ai", "bot", "model", "chatbot"), Voice.ASSISTANT)
_MODEL = re.compile(
    r"(?:chatgpt|gpt|claude|codex|gemini|copilot|cursor|llama|mistral|mixtral|deepseek|qwen|grok|perplexity)"
    # Its version or make: "Claude-Henri" is a person, "claude-opus-4" is not.
    r"(?:\d[\w.]*)?(?:[ -](?:code|cli|opus|sonnet|haiku|pro|flash|turbo|mini|chat|instruct|v?\d[\w.]*))*"
)


def voice(speaker: str | None) -> Voice:
    """Whose voice a speaker's name is: a role, a model with or without its version, else a person."""
    name = " ".join((speaker or "").casefold().split())
    return _VOICES.get(name, Voice.ASSISTANT if _MODEL.fullmatch(name) else Voice.PERSON)


_ASKS_WHEN = re.compile(r"\W*(?:when|what (?:date|year|month|day)|which (?:year|month))\b", re.IGNORECASE)
_ASKS_HOW_LONG = re.compile(r"\W*how long\b", re.IGNORECASE)
_OF_ASSISTANT = re.compile(
    r"(?i)\b(?:you (?:told|said|mentioned|suggested|recommended|gave|provided|listed|created|wrote|shared)"
    r"|remind me|previous (?:conversation|chat|discussion)|our (?:last|previous|earlier)"
    r"|we (?:discussed|talked))\b"
)


def asks_when(question: str) -> bool:
    """True where a question asks for a date (English)."""
    return _ASKS_WHEN.match(question) is not None


def asks_how_long(question: str) -> bool:
    """True where a question asks for a length of time (English)."""
    return _ASKS_HOW_LONG.match(question) is not None


def of_assistant(question: str) -> bool:
    """True where a question asks what the assistant said (English)."""
    return _OF_ASSISTANT.search(question) is not None


def named(question: str, names: Sequence[str]) -> tuple[str, ...]:
    """Those of the names that stand in the question as words, in the order of `names`.

    Case and accents do not count; where "Ana Maria" stands, "Ana" is not named by it.
    Scripts without spaces have no word borders: there a name is found wherever it stands.
    """
    text, _ = _aligned(_normalised(question))
    places = _places(text, names)
    return tuple(dict.fromkeys(name for name in names if name in places))


def without_names(question: str, names: Sequence[str]) -> str:
    """The question (NFKC) without these names and their 's, blanks collapsed.

    Where no word would remain, the question itself.
    """
    normal = _normalised(question)
    text, at = _aligned(normal)
    kept, end = [], 0
    for start, stop in sorted(span for spans in _places(text, names).values() for span in spans):
        if text.startswith("'s", stop) and not text[stop + 2 : stop + 3].isalnum():
            stop += 2
        kept.append(normal[end : at[start]])
        end = at[stop]
    rest = " ".join("".join((*kept, normal[end:])).split())
    return rest if _folded(rest).translate(_KINDS).strip(" '") else question


def _aligned(normal: str) -> tuple[str, Sequence[int]]:
    """The folded text and, for each of its places and its end, its place in `normal`."""
    if normal.isascii():
        return normal.lower(), range(len(normal) + 1)
    parts = [char.translate(_FOLD) for char in normal]
    at = [place for place, part in enumerate(parts) for _ in part]
    return "".join(parts), [*at, len(normal)]


def _places(text: str, names: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    """Where names stand in a folded text, the longest first; no two overlap."""
    folded = {name: " ".join(_folded(name).split()) for name in names}
    wanted = [name for name, words in folded.items() if words and words in text]
    kinds, taken = text.translate(_KINDS), bytearray(len(text))
    places: dict[str, list[tuple[int, int]]] = {}
    for name in sorted(wanted, key=lambda name: -len(folded[name])):
        for match in re.finditer(re.escape(folded[name]), text):
            start, stop = match.span()
            if _bordered(text, kinds, start, stop) and not any(taken[start:stop]):
                taken[start:stop] = b"\1" * (stop - start)
                places.setdefault(name, []).append((start, stop))
    return places


def _bordered(text: str, kinds: str, start: int, stop: int) -> bool:
    """True unless the word at either end goes on beyond it."""
    edges = ((start - 1, start), (stop, stop - 1))
    beyond = (edge for edge in edges if 0 <= edge[0] < len(text))
    return not any(text[o] == "_" or (kinds[o] in "wm" and kinds[i] in "wm") for o, i in beyond)


_STRAIGHT = str.maketrans("\u2018\u2019\u02bc\u201c\u201d\u201e", "'''\"\"\"")
_QUOTES = {'"': '"', "'": "'", "`": "`", "\u00ab": "\u00bb", "\u300c": "\u300d"}
_ENDS = ".,;:!?\u3002\u3001\u061f\u0964 "


def normal_form(text: str) -> str:
    """What makes two texts the same words.

    NFKC, case folded, blanks collapsed, invisible characters out, quotes straight; quotes around the whole
    and punctuation at the end off, unless nothing else is there. All other signs stay.
    """
    folded = _IGNORABLE.sub("", _normalised(text)).translate(_STRAIGHT).casefold()
    whole = " ".join(_normalised(folded).casefold().split())
    start, end = 0, len(whole)
    while start < end:
        if whole[end - 1] in _ENDS:
            end -= 1
        elif whole[start] == " ":
            start += 1
        elif end - start > 1 and _QUOTES.get(whole[start]) == whole[end - 1]:
            start, end = start + 1, end - 1
        else:
            break
    return whole[start:end] or whole
