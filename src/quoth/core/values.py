"""When two values are the same: addresses, numbers with units, versions, dates, paths, text.

A value has a reading of each kind that it can be; the narrowest kind that two values both have decides.
So 1.2 and 1.20 are one number, v1.2 and v1.20 are two versions, and 1.2 and v1.2 are one version.
Nothing here raises, whatever the code points.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, date, datetime
from fractions import Fraction
from functools import lru_cache

from quoth.core.text import normal_form

KINDS = ("ip", "number", "version", "date", "path", "text")
"""Kinds of reading, the narrowest first; every value has a text."""

_LONGEST = 100
"""Code points; what is longer is a path or a text."""
_LONGEST_PATH = 4096
_SIGNS = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
_SIGNS |= {"\u2019": "'", "\u066b": ".", "\u066c": ","}
"""Hyphens and the minus; the apostrophe; the Arabic decimal point and thousands sign."""
_QUOTES = " \"'`\u00ab\u00bb\u2018\u2019\u201c\u201d\u201e"


def readings(value: str) -> dict[str, str]:
    """Kind -> canonical form, the narrowest kind first; equal forms are equal values of that kind."""
    return dict(_readings(value) if len(value) <= _LONGEST_PATH else {"text": normal_form(value)})


def same(one: str, other: str) -> bool:
    """Whether two values are the same: the narrowest kind that both have decides."""
    return one == other or agree(readings(one), readings(other))


def agree(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two values agree in the narrowest kind that both have: readings, or fingerprints of them."""
    for kind in KINDS:
        if kind in one and kind in other:
            return one[kind] == other[kind]
    return False


@lru_cache(maxsize=4096)
def _readings(value: str) -> Mapping[str, str]:
    text, plain = normal_form(value), _plain(value)
    found: dict[str, str | None] = {}
    if len(plain) <= _LONGEST:
        found = {"ip": _ip(plain), "number": _number(plain), "date": _date(plain)}
        # 2024.05.08 is a day; as a version it would differ from 08.05.2024.
        found["version"] = None if found["date"] else _version(plain)
    found |= {"path": _path(plain), "text": text}
    return {kind: form for kind in KINDS if (form := found.get(kind)) is not None}


def _plain(value: str) -> str:
    """Compatible forms, ASCII digits, one kind of minus, single blanks, nothing invisible; case stays.

    Quotes around it and punctuation at its end are off, but for the dots of a path.
    """
    if not value.isascii():
        value = "".join(map(_plain_char, unicodedata.normalize("NFKC", value)))
    bare = " ".join(value.split()).strip(_QUOTES)
    return bare if bare.endswith("..") else bare.rstrip(".,;:!? \u3002")


def _plain_char(char: str) -> str:
    if char in _SIGNS:
        return _SIGNS[char]
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    return "" if category == "Cf" else char


def _ip(plain: str) -> str | None:
    """An address with or without the length of its network; a mapped IPv4 address is that address."""
    bare = plain[1:-1] if plain[:1] + plain[-1:] == "[]" else plain
    if not bare or ("." not in bare and ":" not in bare):
        return None
    try:
        if "/" in bare:
            return str(ipaddress.ip_interface(bare))
        address = ipaddress.ip_address(bare)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)


# --- numbers ------------------------------------------------------------------------------------------


def _units(base: str, **factors: str) -> dict[str, tuple[str, Fraction]]:
    """Names of units (blanks between) for each factor, written ``_60``, ``_1e3``, ``_1_1000``."""
    found: dict[str, tuple[str, Fraction]] = {}
    for factor, names in factors.items():
        size = Fraction(factor[1:].replace("_", "/"))
        found |= {name: (base, size) for name in names.split()}
    return found


_TIME = _units(
    "s",
    _1_1000000000="ns nanosecond nanoseconds",
    _1_1000000="us µs μs microsecond microseconds",
    _1_1000="ms msec millisecond milliseconds",
    _1="s sec secs second seconds",
    _60="min mins minute minutes",
    _3600="h hr hrs hour hours",
    _86400="d day days",
    _604800="wk wks week weeks",
)
_UNITS = (
    _TIME
    | _units("month", _1="month months mo", _12="year years yr yrs")
    | _units(
        "byte", _1="B byte bytes", _1000="kB KB kb kilobyte kilobytes", _1000000="MB mb megabyte megabytes"
    )
    | _units("byte", _1000000000="GB gb gigabyte gigabytes", _1000000000000="TB tb terabyte terabytes")
    | _units("byte", _1024="KiB kib", _1048576="MiB mib", _1073741824="GiB gib", _1099511627776="TiB tib")
    | _units("bit", _1="bit bits", _1000="kbit Kbit", _1000000="Mb Mbit mbit", _1000000000="Gb Gbit gbit")
    | _units("bit/s", _1="bps", _1000="kbps Kbps kbit/s", _1000000="Mbps mbps Mbit/s mbit/s Mb/s")
    | _units("bit/s", _1000000000="Gbps gbps Gbit/s gbit/s Gb/s")
    | _units("metre", _1_1000="mm", _1_100="cm", _1="m metre metres meter meters")
    | _units("metre", _1000="km kilometre kilometres kilometer kilometers", _1609344_1000="mile miles mi")
    | _units("metre", _254_10000="inch inches in", _3048_10000="ft foot feet", _9144_10000="yd yard yards")
    | _units("gram", _1_1000="mg", _1="g gram grams", _1000="kg kilogram kilograms", _1000000="tonne tonnes")
    | _units("ounce", _1="oz ounce ounces", _16="lb lbs")
    | _units("hertz", _1="Hz hz", _1000="kHz khz", _1000000="MHz mhz", _1000000000="GHz ghz")
    | _units("litre", _1_1000="ml mL", _1="l L litre litres liter liters")
    | _units("%", _1="% percent pct")
    | _units("usd", _1="$ usd dollar dollars")
    | _units("eur", _1="€ eur euro euros")
    | _units("gbp", _1="£ gbp")
    | _units("jpy", _1="¥ jpy yen")
    | _units("inr", _1="₹ inr")
)
_SCALES = {"k": 10**3, "K": 10**3, "M": 10**6, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_MONEY = "[$€£¥₹]|(?:USD|EUR|GBP|JPY|INR|CHF|CAD|AUD|CNY)(?![A-Za-z])"
_AMOUNT = (
    r"(?:[1-9][0-9]{0,2}(?:(?P<mark>[,' _])[0-9]{3})(?:(?P=mark)[0-9]{3})*(?:\.[0-9]+)?"  # 1,000.5
    r"|[1-9][0-9]{0,2}(?:\.[0-9]{3})+,[0-9]+"  # 1.000,5
    r"|(?:0|[1-9][0-9]*)(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]{1,2})?|\.[0-9]+)"
)
_NUMBER = re.compile(
    rf"(?P<sign>[+-] ?)?(?P<before>{_MONEY})? ?(?P<minus>-)?(?P<amount>{_AMOUNT})"
    r" ?(?P<scale>(?:(?<! )[kKM]|thousand|million|billion)(?![A-Za-z]))?"
    r" ?(?P<unit>[^\W\d_]+(?:/[^\W\d_]+)?|[%$€£¥₹]|°[A-Za-z])?"
)
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-zµμ]+)(?:,? |$)?")


def _number(plain: str) -> str | None:
    """A number with its unit, in the base of that unit; a leading zero makes a code, not a number."""
    match = _NUMBER.fullmatch(plain.replace("per cent", "percent"))
    if match is None:
        return _duration(plain)
    if (match["sign"] and match["minus"]) or (match["before"] and match["unit"]):
        return None
    number = _amount(match["amount"], match["mark"])
    if "-" in (match["sign"] or match["minus"] or ""):
        number = -number
    unit = match["unit"] or match["before"] or ""
    if match["scale"]:
        number *= _SCALES[match["scale"]]
    base, factor = _unit(unit)
    return f"{number * factor} {base}".rstrip()


def _amount(text: str, mark: str | None) -> Fraction:
    if mark:
        text = text.replace(mark, "")
    elif "," in text:
        text = text.replace(".", "").replace(",", ".")
    return Fraction(text)


def _unit(name: str) -> tuple[str, Fraction]:
    """Base and size of a unit; one that is not known is its own base."""
    folded = name.casefold()
    return _UNITS.get(name) or _UNITS.get(folded) or (folded, Fraction(1))


def _duration(plain: str) -> str | None:
    """``1h30m``, ``2 days 3 hours``: parts of one length of time."""
    total, at = Fraction(0), 0
    while at < len(plain):
        part = _PART.match(plain, at)
        name = "min" if part and part[2] == "m" else part[2].casefold() if part else ""
        if part is None or name not in _TIME:
            return None
        total, at = total + Fraction(part[1]) * _TIME[name][1], part.end()
    return f"{total} s" if plain else None


# --- versions, dates, paths ---------------------------------------------------------------------------

_VERSION = re.compile(
    r"(?:v(?:ersion)?\.? ?(?P<one>[0-9]+(?:\.[0-9]+)*)|(?P<two>[0-9]+(?:\.[0-9]+)+))"
    r"(?P<rest>(?:[-.]?[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*)?(?:\+[a-z0-9.]+)?)"
)
_RUNS = re.compile(r"[a-z]+|[0-9]+|\+")


def _version(plain: str) -> str | None:
    """Numbers with dots, and what follows them; a single number only after a "v"."""
    match = _VERSION.fullmatch(plain.casefold())
    if match is None:
        return None
    numbers = [each.lstrip("0") or "0" for each in (match["one"] or match["two"]).split(".")]
    return ".".join(numbers + _RUNS.findall(match["rest"]))


_MONTHS = "january february march april may june july august september october november december"
_MONTH = {name[:3]: number for number, name in enumerate(_MONTHS.split(), 1)}
_NAME = "(?P<month>" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS.split()) + "|sept)"
_DAY = r"(?P<day>[0-9]{1,2})"
_YEAR = r"(?P<year>[0-9]{4})"
_DATES = tuple(
    re.compile(rf"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?{each}")
    for each in (
        rf"{_YEAR}(?P<sep>[-/.])(?P<number>[0-9]{{1,2}})(?P=sep){_DAY}",  # 2024-05-08
        rf"{_DAY}\.(?P<number>[0-9]{{1,2}})\.{_YEAR}",  # 08.05.2024
        rf"(?P<number>[0-9]{{1,2}})/{_DAY}/{_YEAR}",  # 5/8/2024, month first, as everywhere in Quoth
        rf"(?:the )?{_DAY}(?:st|nd|rd|th)?(?: of)?[ -]{_NAME}\.?,?[ -]{_YEAR}",
        rf"{_NAME}\.? (?:the )?{_DAY}(?:st|nd|rd|th)?,? {_YEAR}",
        rf"{_NAME}\.?,? (?:of )?{_YEAR}",
        rf"{_YEAR}-(?P<number>[0-9]{{2}})",
    )
)
_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}.*")


def _date(plain: str) -> str | None:
    """A day or a month as ISO 8601; an instant in UTC where it has an offset."""
    if _INSTANT.fullmatch(plain):
        return _instant(plain)
    folded = plain.casefold()
    for pattern in _DATES:
        if match := pattern.fullmatch(folded):
            parts = match.groupdict()
            month = int(parts["number"]) if parts.get("number") else _MONTH[parts["month"][:3]]
            return _day(int(parts["year"]), month, int(parts["day"]) if parts.get("day") else None)
    return None


def _day(year: int, month: int, day: int | None) -> str | None:
    try:
        whole = date(year, month, day or 1)
    except ValueError:
        return None
    return whole.isoformat() if day is not None else f"{year:04}-{month:02}"


def _instant(plain: str) -> str | None:
    try:
        moment = datetime.fromisoformat(plain)
        return (moment if moment.tzinfo is None else moment.astimezone(UTC)).isoformat()
    except (ValueError, OverflowError):
        return None


_ROOT = re.compile(r"(?:~|\.{1,2})?/|[A-Za-z]:/|~$|[A-Za-z][A-Za-z0-9+.-]*://")
_STEPS = re.compile(r"/(?:\.?/)*")
_SITE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/[^/]*")


def _path(plain: str) -> str | None:
    """A path or an address of a page, by case, without doubled or last slashes.

    Two words with one slash may be no path (TCP/IP): there case does not count.
    """
    slashed = plain.replace("\\", "/")
    rooted = _ROOT.match(slashed)
    if not rooted and ("/" not in slashed or " " in slashed):
        return None
    path = _STEPS.sub("/", slashed.removesuffix("/."))
    path = path.removeprefix("./").rstrip("/") or "/"
    if site := _SITE.match(path):
        return site[0].casefold() + path[site.end() :]
    named = rooted or path.count("/") > 1 or "." in path.rpartition("/")[2]
    return path if named else path.casefold()
