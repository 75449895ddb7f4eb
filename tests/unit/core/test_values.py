"""When two values are the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quoth.core import values

SAME = [
    # addresses
    ("10.0.0.1", "10.0.0.1"),
    ("::1", "0:0:0:0:0:0:0:1"),
    ("2001:DB8::1", "2001:db8:0::1"),
    ("[::1]", "::1"),
    ("::ffff:10.0.0.1", "10.0.0.1"),
    ("10.0.0.0/8", "10.0.0.0/255.0.0.0"),
    ("10.0.0.1", "v10.0.0.1"),
    # numbers
    ("1.2", "1.20"),
    ("1,000", "1000"),
    ("1 000", "1000"),
    ("1\u202f000", "1000"),
    ("1'000", "1\u2019000"),
    ("1_000", "1000.0"),
    ("1,000,000.50", "1000000.5"),
    ("1.000,50", "1000.5"),
    ("1,5", "1.5"),
    (".5", "0.5"),
    ("1e3", "1000"),
    ("+5", "5"),
    ("-5", "\u22125"),
    ("-0", "0"),
    ("- 5", "-5"),
    ("\uff11\uff12", "12"),
    ("\u0663\u066b\u0665", "3.5"),
    ("5.", "5"),
    ("90 min", "1.5 h"),
    ("90min", "1h30m"),
    ("1 h 30 min", "1.5 hours"),
    ("2 days 3 hours", "51 h"),
    ("5m30s", "330 s"),
    ("3600 s", "1 hour"),
    ("1500 ms", "1.5 s"),
    ("2 years", "24 months"),
    ("1 GB", "1000 MB"),
    ("1 GiB", "1073741824 bytes"),
    ("1 gb", "1GB"),
    ("1 Gbit/s", "1000 Mbps"),
    ("1.5 km", "1500 m"),
    ("1 ft", "12 inches"),
    ("5 kg", "5000 g"),
    ("2.4 GHz", "2400 MHz"),
    ("20 \u2103", "20 \u00b0C"),
    ("5%", "5 percent"),
    ("5 %", "5 per cent"),
    ("$5", "5 USD"),
    ("-$5", "$-5.00"),
    ("EUR 5", "5 \u20ac"),
    ("5 dollars", "$5.00"),
    ("$5M", "5 million dollars"),
    ("10k", "10,000"),
    ("5 apples", "5.0 Apples"),
    ("80 req/s", "80.0 REQ/S"),
    # versions
    ("v1.2", "1.2"),
    ("V1.2", "version 1.2"),
    ("1.02.3", "1.2.3"),
    ("2.0.0-rc.1", "v2.0.0rc1"),
    ("1.0.0+build.5", "v1.0.0+build5"),
    # dates
    ("2024-05-08", "8 May 2024"),
    ("2024-05-08", "May 8, 2024"),
    ("2024-05-08", "8th of May 2024"),
    ("2024-05-08", "the 8th May 2024"),
    ("2024-05-08", "Wednesday, May 8th, 2024"),
    ("2024-05-08", "08.05.2024"),
    ("2024-05-08", "5/8/2024"),
    ("2024-05-08", "2024/5/8"),
    ("2024-05-08", "2024.05.08"),
    ("2024-05-08", "8-MAY-2024"),
    ("May 2024", "2024-05"),
    ("Sept 3, 2024", "3 September 2024"),
    ("2024-05-08T12:00Z", "2024-05-08 14:00+02:00"),
    ("2024-05-08T12:00", "2024-05-08t12:00:00"),
    # paths
    ("a//b/", "a/b"),
    ("/srv/./data/", "/srv/data"),
    ("./a", "./a/."),
    ("C:\\a\\b", "C:/a//b/"),
    ("~/", "~"),
    ("//", "/"),
    ("https://Example.org/a/", "HTTPS://example.org/a"),
    ("TCP/IP", "tcp/ip"),
    # text
    ("Blue", "  blue "),
    ("Caf\u00e9", "cafe\u0301"),
    ("Strasse", "stra\u00dfe"),
    ("\ufb01sh", "fish"),
    ("blue", '"blue".'),
    ("b\u200blue", "blue"),
    ("don\u2019t", "don't"),
    ("dark  blue", "dark\nblue"),
]

DIFFERENT = [
    ("10.0.0.1", "10.0.0.10"),
    ("10.0.0.1", "10.0.0.1/24"),
    ("::1", "::2"),
    ("1.5", "1 5"),
    ("3600", "36000"),
    ("5", "-5"),
    ("5%", "5"),
    ("5 s", "5"),
    ("5 s", "5 ms"),
    ("5 EUR", "5 USD"),
    ("10 MB", "10 Mb"),
    ("300 K", "300K"),
    ("1 m", "1 min"),
    ("007", "7"),
    ("1.2.3", "1.2.30"),
    ("v1.2", "v1.20"),
    ("v1.2", "v1.2.0"),
    ("2.0.0", "2.0.0-rc1"),
    ("1.0.0+a", "1.0.0+b"),
    ("2024-05-08", "2024-05-09"),
    ("2024-05-08", "2024-08-05"),
    ("2024-05", "2024-05-01"),
    ("2024-05-08", "2024-05-08T00:00"),
    ("2024-05-08T12:00", "2024-05-08T12:00Z"),
    ("31.02.2024", "2.3.2024"),
    ("a/b.txt", "a/B.txt"),
    ("/srv", "/Srv"),
    ("a/b/c", "a/b/C"),
    ("/a/..", "/a"),
    ("..", "."),
    ("https://example.org/a", "https://example.org/A"),
    ("Blue", "Bluer"),
    ("C", "C++"),
    ("not blue", "blue"),
    ("", "x"),
    ("1.000", "1000"),
    ("1,00,000", "100000"),
    ("+-5", "5"),
    ("$5 USD", "$5"),
    ("5 x y", "5.0 x y"),
    ("1h5", "1h"),
    ("he / she", "he/she"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_same_values(one: str, other: str) -> None:
    """Another way of writing a number, an address, a version, a date, a path or a word is the same value."""
    assert values.same(one, other)
    assert values.same(other, one)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_values(one: str, other: str) -> None:
    """What differs in what it says is another value."""
    assert not values.same(one, other)
    assert not values.same(other, one)


@pytest.mark.parametrize(
    ("value", "kinds"),
    [
        ("10.0.0.1", ["ip", "version", "text"]),
        ("10.0.0.0/8", ["ip", "path", "text"]),
        ("1.2", ["number", "version", "text"]),
        ("1.2.3", ["version", "text"]),
        ("v2", ["version", "text"]),
        ("2", ["number", "text"]),
        ("2024-05-08", ["date", "text"]),
        ("2024.05.08", ["date", "text"]),
        ("5/8/2024", ["date", "path", "text"]),
        ("31.02.2024", ["version", "text"]),
        ("2024-02-31", ["text"]),
        ("2024-13-01T99:00", ["text"]),
        ("0001-01-01T00:00+14:00", ["text"]),
        ("a/b", ["path", "text"]),
        ("[x]", ["text"]),
        ("blue", ["text"]),
        ("", ["text"]),
        ("9" * 101, ["text"]),
        ("/" + "a" * 4095, ["path", "text"]),
        ("/" + "a" * 4096, ["text"]),
    ],
)
def test_a_value_has_a_reading_of_each_kind_that_it_can_be(value: str, kinds: list[str]) -> None:
    """The narrowest kind comes first, and a text is always there."""
    assert kinds == list(values.readings(value))


def test_the_narrowest_kind_decides() -> None:
    """1.2 and 1.20 are one number; v1.2 and v1.20 are two versions, and v1.2 is 1.2."""
    assert values.agree({"number": "1", "text": "a"}, {"number": "1", "text": "b"})
    assert not values.agree({"version": "1", "text": "a"}, {"version": "2", "text": "a"})
    assert values.agree({"number": "1", "text": "a"}, {"version": "1", "text": "a"})
    assert not values.agree({}, {"text": "a"})


def test_readings_are_a_copy() -> None:
    """What a caller does with them changes no later answer."""
    values.readings("1.2").clear()
    assert ["number", "version", "text"] == list(values.readings("1.2"))


PIECES = st.sampled_from(
    [
        *"0123456789.,:/\\-+ '_%$vVeEkKMsh~",
        "10.0.0.1",
        "2024",
        "May",
        "-05-",
        "\u20ac",
        "\u0663",
        " min",
        "/a",
    ]
)


@given(st.text(st.characters(), max_size=24) | st.lists(PIECES, max_size=9).map("".join), st.data())
def test_a_value_is_itself(value: str, data: st.DataObject) -> None:
    """Nothing raises, and every value is the same as itself, as its normal form is, however often read."""
    found = values.readings(value)
    assert list(found) == [kind for kind in values.KINDS if kind in found]
    assert values.same(value, value)
    assert values.agree(found, found)
    other = data.draw(st.lists(PIECES, max_size=9).map("".join))
    assert values.same(value, other) == values.same(other, value)
    assert values.same(f"  {value} ", value)
