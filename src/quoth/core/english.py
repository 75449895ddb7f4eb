"""English words by what they do in a statement, for `core.clauses`: lists only."""

from __future__ import annotations

from collections.abc import Mapping

from quoth.core.text import STOP_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- verbs --------------------------------------------------------------------------------------------

BE = _words("is are am was were")
MODALS = _words("can must")
HELPERS = BE | MODALS | _words("do does")
_STATIVE = """
    live lives; work works; cost costs; weigh weighs; measure measures; last lasts; listen listens; run
    runs; expire expires; use uses; have has; support supports; need needs; require requires; like
    likes; love loves; eat eats; drink drinks; speak speaks; own owns; accept accepts; allow allows;
    include includes; trust trusts; smoke smokes; sell sells; store stores
"""
VERBS: Mapping[str, str] = {form: pair.split()[0] for pair in _STATIVE.split(";") for form in pair.split()}
"""Form -> base."""
BASES = frozenset(VERBS.values())
PERSONAL = _words(
    """
    live work weigh have like love eat drink speak own use smoke trust
    """
)
"""What one says of oneself for longer than a moment."""
SLOTS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "live": {"in": ("live in", "place"), "at": ("live at", "name"), "for": ("last", "number")},
    "work": {"at": ("work", "name"), "for": ("work", "name")},
    "cost": {"": ("cost", "number")},
    "weigh": {"": ("weigh", "number")},
    "measure": {"": ("measure", "number")},
    "last": {"": ("last", "number"), "for": ("last", "number")},
    "listen": {"on": ("listen", "typed")},
    "run": {"on": ("run", "typed"), "version": ("version", "typed")},
    "expire": {each: ("expire", "typed") for each in ("on", "in", "after", "at")},
    "use": {"version": ("version", "typed")},
}
"""Base -> the word after it (empty: none is needed) -> attribute and kind of value."""
_DENIED = _words("is are was were do does did has have had must should would could need")
CONTRACTIONS: Mapping[str, tuple[str, ...]] = {f"{verb}n't": (verb, "not") for verb in _DENIED} | {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "won't": ("will", "not"),
    "i'm": ("i", "am"),
    "we're": ("we", "are"),
}
VERB_WORDS = HELPERS | frozenset(VERBS) | frozenset(CONTRACTIONS)
VERB_WORDS |= {each.replace("'", "\u2019") for each in CONTRACTIONS}
"""Without one of them a sentence states nothing."""

# --- what is so or not so -----------------------------------------------------------------------------

_OPPOSITES = """
    allowed:forbidden,prohibited,disallowed supported:unsupported required:optional enabled:disabled
    compatible:incompatible married:unmarried public:private safe:unsafe valid:invalid legal:illegal
    possible:impossible employed:unemployed alive:dead mutable:immutable encrypted:unencrypted
"""
_ALONE = """
    deprecated vegetarian vegan allergic diabetic idempotent reversible intolerant covered eligible
    authorized accessible readable writable nullable unique refundable negotiable confidential retired
    licensed certified insured responsible fluent thread-safe lactose-intolerant gluten-free
    backwards-compatible
"""
STATES: dict[str, tuple[str, bool]] = {"permitted": ("allowed", False), "mandatory": ("required", False)}
"""Word -> the word that it is compared as, and whether it denies that."""
for _pair in _OPPOSITES.split():
    _name, _, _denials = _pair.partition(":")
    STATES |= {_name: (_name, False)} | {each: (_name, True) for each in _denials.split(",")}
STATES |= {each: (each, False) for each in _ALONE.split()}
NEEDS_MORE = (BASES - SLOTS.keys()) | MODALS | {"is a"}
"""Predicates that say nothing by themselves."""

# --- nouns --------------------------------------------------------------------------------------------

NOUNS = _words(
    """
    name surname nickname birthday birthdate birthplace age height weight address hometown city country
    nationality citizenship employer boss manager supervisor job profession occupation salary email
    phone spouse wife husband mother father fiance fiancee religion timezone username login handle
    passport color size number port host hostname url endpoint uri ip domain timeout ttl limit quota
    threshold interval region zone version branch license price cost fee rent rate budget deadline
    capacity length width depth temperature speed path directory folder maintainer ceo cto president
    capital currency population format encoding charset level retention frequency duration pin code id
    prefix suffix date mode database
    """
)
"""What has one value at a time."""
PLAIN = _words(
    """
    color job profession occupation religion username login handle branch license currency format
    encoding charset level mode host hostname region zone nickname prefix suffix database domain
    """
)
"""Those of them whose value may be a plain word."""
PLACED = _words("located based hosted deployed stored headquartered")
MEASURES = _words("old tall long wide high deep heavy")
_COUNTED = """
    kids sons daughters brothers sisters siblings employees cores cpus rooms bedrooms floors seats
    wheels replicas shards ram memory storage disk
"""
COUNTED: Mapping[str, str] = {
    form: each.removesuffix("s") for each in _COUNTED.split() for form in (each, each.removesuffix("s"))
} | {"children": "child", "child": "child"}
"""What one has a number or an amount of -> its singular."""
_NUMBERS = "no one two three four five six seven eight nine ten"
NUMBERS: Mapping[str, str] = {word: str(number) for number, word in enumerate(_NUMBERS.split())}
SPELLINGS: Mapping[str, str] = {"colour": "color", "favourite": "favorite", "licence": "license"}
GENERIC = _words(
    """
    total count price cost name date time status score id type title author subject from to cc version
    note todo step page line size amount number value result duration progress elapsed day week month
    year task item figure table chapter room ps re code level rate q a fix feat chore docs test tip see
    example sum subtotal tax length width height depth mode format url path age
    """
)
"""Names that say nothing of what they are about, where they stand alone."""
LEVELS = _words("error warn warning info debug trace fatal critical notice log todo fixme")
"""How a line of a log begins."""
_COUNTRIES = """
    germany; france; spain; portugal; italy; austria; switzerland; netherlands; the netherlands;
    belgium; poland; denmark; sweden; norway; finland; ireland; england; scotland; wales; uk; united
    kingdom; greece; turkey; ukraine; russia; romania; hungary; czechia; croatia; serbia; usa; us;
    united states; america; canada; mexico; brazil; argentina; chile; colombia; peru; china; japan;
    india; korea; south korea; taiwan; thailand; vietnam; indonesia; philippines; malaysia; australia;
    new zealand; egypt; morocco; nigeria; kenya; south africa; israel; iran; europe; asia; africa; eu;
    scandinavia; california; texas; florida; washington; oregon; colorado; arizona; nevada; illinois;
    massachusetts; virginia; georgia; ohio; michigan; utah; bavaria; saxony; catalonia; andalusia
"""
COUNTRIES = frozenset(" ".join(each.split()) for each in _COUNTRIES.split(";"))
"""Countries and the like: who lives in Berlin lives in Germany too."""

# --- what surrounds them ------------------------------------------------------------------------------

ARTICLES = _words("the a an")
FIRST_ALONE = _words("i we")
FIRST = FIRST_ALONE | _words("my our")
LEADS = _words(
    """
    please just note remember fyi btw by actually currently also ok okay well yes so and but now - * + •
    """
)
"""Words that may stand before a clause."""
ADVERBS = _words("also still currently now always already really actually just officially never longer no")
DENIALS = _words("not never longer")
BEFORE_VALUE = _words("currently now still also actually exactly always port version")
FILLERS = ARTICLES | _words("currently now still also really actually anymore any longer always")
NO_SUBJECT = _words(
    """
    he she it they you this that these those there here who which what one everyone nobody everything
    something someone anyone your his her their its and or but nor him them me us no not none every each
    any some all most many few if as like with without than be been being make sure let to for it's he's
    she's that's there's here's what's who's let's how even only just really
    """
)
"""Words that a subject does not have: what they point at is not in the record."""
HEDGES = _words(
    """
    if unless whether maybe perhaps might could would should probably possibly think thinks thought
    guess suppose hope wish said says asked told wonder wonders seems seem looks sounds believe believes
    assume assumed imagine expected todo ensure when while used want wants wanted try tried trying wrote
    heard apparently allegedly supposedly previously formerly until sometimes often usually generally
    typically mostly rarely hardly
    """
)
"""Words of doubt, report and condition: what stands with them is not stated."""
MOMENT = _words(
    """
    it this that these those them they he him she her you your me us today tomorrow yesterday tonight
    soon later next last monday tuesday wednesday thursday friday saturday sunday week weekend morning
    here there
    """
)
"""Words that point at what is not in the record, or at a moment."""
VAGUE = MOMENT | _words(
    """
    about around approximately roughly nearly almost over under above below between more less least most
    up and or so very too quite nice good bad great fine wrong right broken correct ok okay important
    known unknown missing better best worse high low same different boring terrible amazing awesome huge
    total ready full not never none tbd n/a yes no set before after during since in on at to when where
    than
    """
)
"""Words that make a value an estimate, an opinion, or something of the moment."""
DEICTIC = _words(
    """
    new old next last previous first second third other another same only whole final latest upcoming
    original following early late best worst real actual right wrong
    """
)
"""Which of several: the new one is another one next year."""
_EMPTY = ARTICLES | _words("so such just also about then there these this those that")
TELLING = STOP_WORDS - _EMPTY
"""Stop words that change what is said."""
