"""How short records are read as statements: of whom, about what, and what is said.

English as shipped, and ``key: value`` or ``key = value`` in any script. Precision first: what is looked at
has one value at a time (a port, a birthday, where somebody lives) or is said with and without "not"; what is
asked, doubted, reported or bound to a condition states nothing here.
Nothing here raises, whatever the code points.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from quoth.core import dates, values
from quoth.core import english as en
from quoth.core.text import Voice, normal_form, voice

_LONGEST = 200
"""Code points of a record that is looked at; a longer one tells more than it states."""
_SUBJECT_WORDS, _VALUE_WORDS, _REST_WORDS = 6, 4, 6
MARKS = ',.;!"()*_`'
"""What may stand around a word."""


class Statement(NamedTuple):
    """One thing that a record states."""

    key: str
    """Of whom and about what; statements with one key can be compared."""
    value: str
    """Empty where a thing is only so or not so."""
    negated: bool


def statements(text: str, speaker: str | None = None) -> list[Statement]:
    """What a short record states; a first person is its speaker, that of an assistant is nobody."""
    if len(text) > _LONGEST:
        return []
    paired = ":" in text or "=" in text or "\uff1a" in text or "\uff1d" in text
    if not paired and en.VERB_WORDS.isdisjoint(text.lower().split()):
        return []
    if "?" in text or "\uff1f" in text:
        return []
    found: list[Statement] = []
    lines = _straight(text).splitlines()
    for line in lines:
        if paired and (pair := _pair(line, alone=len(lines) == 1)):
            found.append(pair)
        else:
            clauses = (_clause(each, speaker) for each in _CLAUSES.split(line))
            found += (each for each in clauses if each)
    return found


def _straight(text: str) -> str:
    """Compatible forms, straight apostrophes, nothing invisible."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKC", text).replace("\u2019", "'")
    return "".join(each for each in plain if unicodedata.category(each) != "Cf")


# --- key: value ---------------------------------------------------------------------------------------

_NAME = r"[^\W\d_](?:[^:=?!,;()\[\]{}<>\"'`]{0,60}[^\s:=?!,;()\[\]{}<>\"'`*])?"
_PAIR = re.compile(
    rf"(?P<item>[-*+\u2022] )?[`*]*(?P<name>{_NAME})[`*]*\s*(?P<sign>:(?![/\\:])|=(?![=~>]))\s*[`*]*"
    r"(?P<value>[^\s:=`*](?:[^=]{0,78}[^\s=,;`*])?)[`*]*\s*"
)


def _pair(line: str, alone: bool) -> Statement | None:
    """A name and its value; what may be a speaker and what is said, code, or a line of a log is none.

    One word is a name where it stands alone: in a list it belongs to what is not in the line.
    """
    match = _PAIR.fullmatch(line)
    if match is None or (match["name"][-1].isdigit() and match["value"][0].isdigit()):
        return None
    words, value = match["name"].casefold().split(), match["value"].rstrip(".")
    noun, setting = words[-1], match["sign"] == "=" or _is_setting(match["name"])
    if len(words) == 1 and (len(noun) < 2 or noun in en.GENERIC or match["item"] or not alone):
        return None
    if len(words) > 4 or words[0] in en.LEVELS or not en.HEDGES.isdisjoint(words):
        return None
    if noun in en.NOUNS or setting:
        if not _typed(value) and not _said(value, "=" if setting else noun):
            return None
    elif not _measured(value) or (_named(match["name"]) and _small(value)):
        return None
    if noun in en.NOUNS and len(words) > 1:
        return _stated(" ".join(words[:-1]), noun, value)
    return _stated(" ".join(words), "=", value)


def _named(name: str) -> bool:
    """Whether this may be who speaks: every word begins with a capital."""
    return all(each[0].isupper() for each in name.split())


def _small(value: str) -> bool:
    """A bare number below a hundred: what somebody says, or a score, as well as a setting."""
    number = values.readings(value).get("number", "")
    return number.isdigit() and len(number) < 3


def _is_setting(name: str) -> bool:
    """Whether a name is one of a program: ``db.host``, ``DEPLOY_PORT``."""
    return " " not in name and any(each in name for each in "._/@")


def _identifier(text: str) -> bool:
    return any(each in text for each in "._-/@") or any(each.isdigit() for each in text)


# --- sentences ----------------------------------------------------------------------------------------

_CLAUSES = re.compile(r"(?<=[.!;])\s+")
_LEAD = re.compile(
    r"(?i)\s*(?:[-*+\u2022] )?(?:(?:please |just )?(?:note|remember|fyi|btw|by the way|actually|currently|"
    r"also|ok|okay|well|yes|so|and|but|now)\b[:,]? (?:that )?)*"
)


def _clause(clause: str, speaker: str | None) -> Statement | None:
    """What one clause states, by its first verb."""
    if not _may_state(clause.lower().split()):
        return None
    raw, words = _read(clause)
    at = next((n for n, word in enumerate(words) if word in en.VERB_WORDS), 0)
    left, negated = _before(words[:at])
    if not left or not at < len(words) - 1 or not en.HEDGES.isdisjoint(words):
        return None
    if raw[-1][-1] == ":" or any(each[-1] in ",;:" for each in raw[:at]):
        return None
    verb, at = words[at], at + 1
    if verb in en.HELPERS:
        while at < len(words) - 1 and (words[at] in en.ADVERBS or words[at] == "not"):
            negated |= words[at] in en.DENIALS
            at += 1
    rest = _Rest(raw[at:], words[at:], negated)
    if verb in en.BE:
        return _being(left, verb, rest, speaker)
    if verb in en.MODALS:
        # Of oneself it is said of the moment: "I can't wait".
        subject = None if left[0] in en.FIRST_ALONE else _subject(left, speaker)
        return _so_or_not(subject, verb, rest)
    if verb in en.HELPERS:
        return _doing(left, words[at], rest.after(1), speaker) if negated and words[at] in en.BASES else None
    # A verb without its s is one only after I and we: "things like that" is none.
    agrees = verb not in en.BASES or (left in (["i"], ["we"]) and verb in en.PERSONAL)
    return _doing(left, en.VERBS[verb], rest, speaker) if agrees else None


def _may_state(words: list[str]) -> bool:
    """Whether a clause is worth a closer look; most of what is said is not."""
    at = 0
    for at, word in enumerate(words):  # noqa: B007  the hot path: a loop costs half of next()
        if word in en.VERB_WORDS:
            break
    if at == 0 and not (words and words[0] in en.CONTRACTIONS):
        return False
    if words[0] in en.LEADS:
        return True
    far = 3 if words[0] in en.FIRST_ALONE else _SUBJECT_WORDS + 1
    return at <= far and en.NO_SUBJECT.isdisjoint(words[: max(at - 2, 1)]) and en.HEDGES.isdisjoint(words)


def _read(clause: str) -> tuple[list[str], list[str]]:
    """The words of a clause as written, and lower-cased without marks; "isn't" is two."""
    lead = _LEAD.match(clause)
    raw = clause[lead.end() if lead else 0 :].split()
    words = [each.strip(MARKS).lower() for each in raw]
    if en.CONTRACTIONS.keys().isdisjoint(words):
        return raw, words
    pairs = [
        pair
        for written, word in zip(raw, words, strict=True)
        for pair in [(each, each) for each in en.CONTRACTIONS.get(word, ())] or [(written, word)]
    ]
    return [each for each, _ in pairs], [each for _, each in pairs]


def _before(words: list[str]) -> tuple[list[str], bool]:
    """The subject before a verb, and whether a "never" or "no longer" stands between; empty for none."""
    left, negated = list(words), False
    while len(left) > 1 and left[-1] in en.ADVERBS:
        negated |= left.pop() in en.DENIALS
    if len(left) > _SUBJECT_WORDS or "" in left or not en.NO_SUBJECT.isdisjoint(left):
        return [], False
    return left, negated


class _Rest(NamedTuple):
    """What follows a verb: as written, and lower-cased without marks."""

    raw: list[str]
    words: list[str]
    negated: bool

    def after(self, n: int) -> _Rest:
        return _Rest(self.raw[n:], self.words[n:], self.negated)


def _subject(left: list[str], speaker: str | None) -> str | None:
    """Whom a clause is about, as one text; None for nobody that can be named."""
    words = list(left)
    if words[0] in en.FIRST:
        who = voice(speaker)
        if who in (Voice.ASSISTANT, Voice.TOOL):
            return None
        me = f"@{normal_form(speaker)}" if speaker and who is Voice.USER else normal_form(speaker or "@")
        words[0] = f"{me} we" if words[0] in ("we", "our") else me
    elif words[0] in en.ARTICLES:
        words = words[1:]
    words = [each.removesuffix("'s").rstrip("'") for each in words if each not in en.ARTICLES]
    return " ".join(words) or None


def _slot(left: list[str], speaker: str | None) -> tuple[str, str] | None:
    """Owner and attribute: "Ana's port", "my port", "the port of X", "the X port"; None where it is none."""
    words = [en.SPELLINGS.get(each, each) for each in left]
    end = next((n for n in range(len(words), 0, -1) if words[n - 1].endswith(("'s", "s'"))), 0)
    if not end and words[0] in ("my", "our"):
        end = 1
    if not end and "of" in words:
        cut = words.index("of")
        words, end = [*words[cut + 1 :], *words[:cut]], len(words) - cut - 1
    owner, what = words[:end], [each for each in words[end:] if each not in en.ARTICLES]
    if not end:
        owner, what = what[:-1], what[-1:]
    what = [each for each in what if each != "current"]
    if not what or not owner or (what[-1] not in en.NOUNS and what[0] not in ("favorite", "native")):
        return None
    if (what[0] in en.DEICTIC or not en.DEICTIC.isdisjoint(owner)) and what[-1] != "name":
        return None
    subject = _subject(owner, speaker)
    return (subject, "_".join(what)) if subject else None


def _being(left: list[str], verb: str, rest: _Rest, speaker: str | None) -> Statement | None:
    """X is Z."""
    first, second = rest.words[0], rest.words[1] if len(rest.words) > 1 else ""
    if verb in ("was", "were"):
        rest, attribute = rest.after(2), f"born {second}"
        return _has(_subject(left, speaker), attribute, rest) if first == "born" and second else None
    if (first, second) in (("set", "to"), ("equal", "to")):
        rest = rest.after(2)
    elif first in en.PLACED and second in ("in", "at", "on"):
        return _has(_subject(left, speaker), first, rest.after(2), "place")
    elif first == "due":
        return _has(_subject(left, speaker), "due", rest.after(1 + (second in ("on", "by", "at"))), "typed")
    elif (first, second) in (("at", "version"), ("on", "version")):
        return _has(_subject(left, speaker), "version", rest.after(2), "typed")
    elif first in ("called", "named"):
        return _has(_subject(left, speaker), "name", rest.after(1), "name")
    elif rest.words[-1] in en.MEASURES and len(rest.words) > 2:
        measure = rest.words[-1]
        return _has(
            _subject(left, speaker), measure, _Rest(rest.raw[:-1], rest.words[:-1], rest.negated), "number"
        )
    if slot := _slot(left, speaker):
        return _has(*slot, rest, "slot")
    if first in en.STATES:
        state, denied = en.STATES[first]
        after = rest.after(1)._replace(negated=rest.negated != denied)
        return _so_or_not(_subject(left, speaker), f"is {state}", after)
    if first in ("a", "an") and 1 < len(rest.words) <= 4:
        return _so_or_not(_subject(left, speaker), "is a", rest.after(1))
    return None


def _doing(left: list[str], base: str, rest: _Rest, speaker: str | None) -> Statement | None:
    """X does Z, with a verb that holds for a while."""
    subject = _subject(left, speaker)
    if subject is None or not rest.words:
        return None
    if base == "have":
        return _counted(subject, rest)
    taken = en.SLOTS.get(base)
    if taken is None:
        return _so_or_not(subject, base, rest)
    if rest.words[0] in taken:
        attribute, kind = taken[rest.words[0]]
        return _has(subject, attribute, rest.after(1), kind)
    return _has(subject, base, rest, taken[""][1]) if "" in taken else None


def _counted(subject: str, rest: _Rest) -> Statement | None:
    """X has 3 children, X has 16 GB of RAM."""
    words = [each for each in rest.words if each != "of"]
    if not 2 <= len(words) <= 3 or words[-1] not in en.COUNTED:
        return None
    number = " ".join([en.NUMBERS.get(words[0], words[0]), *words[1:-1]])
    if "number" not in values.readings(number):
        return None
    return _stated(subject, f"has {en.COUNTED[words[-1]]}", number, rest.negated)


def _so_or_not(subject: str | None, predicate: str, rest: _Rest) -> Statement | None:
    """What is so or not so: all that follows must be the same to be compared."""
    words = [each for each in rest.words if each not in en.FILLERS]
    if subject is None or len(words) > _REST_WORDS or not en.MOMENT.isdisjoint(words):
        return None
    if words[:1] == ["have"] or (not words and predicate in en.NEEDS_MORE):
        return None
    if predicate == "is a" and not en.VAGUE.isdisjoint(words):
        return None
    return _stated(subject, " ".join([predicate, *words]), "", rest.negated)


def _has(subject: str | None, attribute: str, rest: _Rest, kind: str = "any") -> Statement | None:
    """A slot with its value, where the value is one of its kind."""
    if subject is None or not rest.words:
        return None
    start = 0
    while start < len(rest.words) - 1 and rest.words[start] in en.BEFORE_VALUE:
        start += 1
    whole = _TAIL.sub("", " ".join(rest.raw[start:]).strip(MARKS + " "))
    if each := _EACH.fullmatch(whole):
        whole, attribute = each[1], f"{attribute} per {each[2].casefold()}"
    if not _typed(whole):
        whole = _CUT.split(whole, maxsplit=1)[0].strip(MARKS + " ")
    typed = _typed(whole)
    if kind == "number" and "number" not in values.readings(whole):
        return None
    if kind in ("number", "typed") and not typed:
        return None
    if kind in ("name", "place") and _measured(whole):
        return None
    value = whole if typed else _said(whole, attribute if kind == "slot" else "")
    return _stated(subject, attribute, value, rest.negated) if value else None


_TAIL = re.compile(
    r"(?i)(?: (?:by default|now|currently|at the moment|in total|anymore|these days|right now))+$"
)
_EACH = re.compile(r"(?i)(.*[0-9].*) (?:per|an?|each|every) ([a-z]+)")
_CUT = re.compile(r"[,;] | \(| (?:because|but|so|which|who|not) ")


def _said(text: str, attribute: str) -> str | None:
    """A value in words: a name, an identifier, or for some attributes a plain word; None for an opinion."""
    words = text.split()
    lower = [each.strip(MARKS).casefold() for each in words]
    if not 0 < len(words) <= _VALUE_WORDS or not en.VAGUE.isdisjoint(lower) or lower[0] in en.ARTICLES:
        return None
    noun = attribute.rpartition("_")[2]
    plain = noun in en.PLAIN or attribute.startswith(("favorite", "native")) or attribute == "="
    proper = words[0][0].isupper() or words[0][0].isdigit() or not words[0][0].isascii() or _identifier(text)
    return text if plain or proper else None


def _typed(text: str) -> bool:
    """Whether a value is more than a text."""
    return _measured(text) or len(values.readings(text)) > 1


def _measured(text: str) -> bool:
    """Whether a value is a number, an address, a version or a date."""
    found = values.readings(text)
    return any(kind in found for kind in ("ip", "number", "version", "date")) or day_of(text) is not None


def day_of(text: str) -> dates.Mention | None:
    """The one day or month that a value names, with its year or without."""
    if not any(each.isdigit() for each in text) or len(text) > 30:
        return None
    mentions = dates.explicit(text)
    return mentions[0] if len(mentions) == 1 and mentions[0].month else None


def _stated(subject: str, attribute: str, value: str, negated: bool = False) -> Statement:
    """A statement; 3.11 and 3.12 are numbers, but versions where a version is asked for."""
    if attribute.endswith("version") and value[:1].isdigit():
        value = f"v{value}"
    return Statement(f"{subject}|{attribute}", value, negated)
