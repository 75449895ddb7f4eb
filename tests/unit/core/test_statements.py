"""What short records state, and on what two of them speak against each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quoth.core import clauses, statements

CONFLICTS = [
    ("The cache lives for 3600 s", "The cache lives for 36000 s", "number"),
    ("The API is allowed to retry", "The API is not allowed to retry", "negation"),
    ("Ana lives in Berlin.", "Ana lives in Hamburg.", "value"),
    ("Ana currently lives in Berlin", "Ana now lives in Munich", "value"),
    ("Ana lives in Berlin", "Ana doesn't live in Berlin anymore", "negation"),
    ("Ana lives in Berlin", "Ana no longer lives in Berlin", "negation"),
    ("Ana works at Siemens.", "Ana works for Bosch.", "value"),
    ("Ana's birthday is 5 May", "Ana's birthday is 6 May", "date"),
    ("Ana's birthday is May 5th, 1990.", "Ana's birthday is 1990-05-06", "date"),
    ("Ana was born on 5 May 1990", "Ana was born on 5 May 1991", "date"),
    ("Ana's favourite colour is blue", "Ana's favorite color is green", "value"),
    ("Ana\u2019s boss is Carl.", "Ana's boss is Dora.", "value"),
    ("Ana's boss is Carl", "Ana's boss isn't Carl", "negation"),
    ("The staging database port is 5432", "The staging database port is 5433", "number"),
    ("The port of the staging database is 5432", "Note that the staging database's port is 6432", "number"),
    ("The capital of Kazakhstan is Astana", "The capital of Kazakhstan is Almaty", "value"),
    ("The gateway listens on port 8080", "The gateway listens on 9090", "number"),
    ("The gateway runs on port 8080.", "The gateway runs on port 8081.", "number"),
    ("The gateway listens on 10.0.0.1", "The gateway listens on 10.0.0.2", "value"),
    ("The certificate expires on 2025-03-01", "The certificate expires on 2 March 2025", "date"),
    ("The token expires after 15 min", "The token expires after 1 h", "number"),
    ("The parcel weighs 2 kg", "The parcel weighs 2.5 kg", "number"),
    ("The plan costs $5 per month", "The plan costs $7 a month", "number"),
    ("The tax return is due on 31 May 2025", "The tax return is due by 30 June 2025", "date"),
    ("Billing uses version 3.11", "Billing uses version 3.12", "value"),
    ("Billing is on version 1.2.3.", "Billing is on version 1.2.4.", "value"),
    ("The bucket is located in eu-west-1", "The bucket is located in eu-central-1", "value"),
    ("Ana is 30 years old", "Ana is 31 years old", "number"),
    ("The tower is 30 m tall", "The tower is 35 m tall", "number"),
    ("Ana has two children", "Ana has 3 children", "number"),
    ("The server has 16 GB of RAM", "The server has 32 GB RAM", "number"),
    ("The export can run in parallel", "The export cannot run in parallel", "negation"),
    ("The export can run in parallel", "The export can\u2019t run in parallel.", "negation"),
    ("Invoices must be signed", "Invoices must not be signed", "negation"),
    ("Invoices must be signed by two people", "Invoices mustn't be signed by two people", "negation"),
    ("The parser supports comments", "The parser does not support comments", "negation"),
    ("The parser supports comments", "The parser doesn't support any comments", "negation"),
    ("Ana eats meat", "Ana never eats meat", "negation"),
    ("Ana is a vegetarian", "Ana is not a vegetarian", "negation"),
    ("Ana is a doctor", "Ana isn't a doctor", "negation"),
    ("Ana is allergic to nuts", "Ana is not allergic to nuts", "negation"),
    ("Telemetry is enabled", "Telemetry is disabled", "negation"),
    ("Telemetry is enabled by default", "Telemetry is not enabled by default", "negation"),
    ("The tag is optional", "The tag is required", "negation"),
    ("Guests are allowed in the kitchen", "Guests are forbidden in the kitchen", "negation"),
    ("Cookies are unsupported", "Cookies are supported", "negation"),
    ("deploy_port = 8080", "deploy_port = 8081", "number"),
    ("db.host: localhost", "db.host: db1.internal", "value"),
    ("Rate limit: 100", "Rate limit: 200", "number"),
    ("The rate limit is 100", "Rate limit: 200", "number"),
    ("порт: 8080", "порт: 9090", "number"),
    ("端口\uff1a8080", "端口\uff1a9090", "number"),
    ("город = Москва", "город = Казань", "value"),
    ("release date: 2025-03-01", "release date: 2025-04-01", "date"),
    ("backup path: /srv/a", "backup path: /srv/b", "value"),
    ("- **Staging port**: 8080", "Staging port: 8081", "number"),
    ("The repo's default version is 1.2", "The repo's default version is 1.20", "value"),
    ("The API key is deprecated", "The API key isn't deprecated", "negation"),
    ("Ana has no children", "Ana has two children", "number"),
    ("- The API is allowed to retry", "* The API is not allowed to retry", "negation"),
    ("Note that the API can't retry", "The API can retry", "negation"),
    ("The invoice costs 1,000 EUR", "The invoice costs 1.000,50 EUR", "number"),
    ("The repo's default branch is main", "The repo's default branch is trunk", "value"),
    ("The router is called Bertha", "The router is called Otto", "value"),
    ("Lunch was good. Ana lives in Berlin.", "Ana lives in Hamburg", "value"),
    ("The retry limit is set to 5", "The retry limit is set to 7", "number"),
    ("Ana speaks French", "Ana does not speak French", "negation"),
]  # fmt: skip
"""new, old, on what they conflict."""

NONE = [
    ("Build 12 failed", "Build 13 failed"),
    ("Build 12 is broken", "Build 13 is not broken"),
    ("Ana is a doctor", "Ana is tall"),
    ("Ana is a doctor", "Ana is a mother"),
    ("Ana lives in Berlin", "Ben lives in Hamburg"),
    ("Ana lives in Berlin", "Ana lives in Germany"),
    ("Ana lives in Berlin", "Ana lives in Berlin Mitte"),
    ("Ana lives in New York City", "Ana lives in NYC"),
    ("Ana lives in Berlin", "Ana lives in a flat"),
    ("Ana lives in Berlin", "Ana lived in Hamburg"),
    ("Ana lives in Berlin", "Does Ana live in Hamburg?"),
    ("Ana lives in Berlin", "Maybe Ana lives in Hamburg"),
    ("Ana lives in Berlin", "Ben thinks Ana lives in Hamburg"),
    ("Ana lives in Berlin", "If Ana lives in Hamburg, call her"),
    ("Ana lives in Berlin", "Ana does not live in Hamburg"),
    ("Ana lives in Berlin", "Ana works in Hamburg"),
    ("Ana lives in Berlin", "Ana's brother lives in Hamburg"),
    ("Ana lives for music", "Ana lives for 3 weeks"),
    ("The cache lives for 3600 s", "The cache lives for 1 h"),
    ("The cache lives for 3600 s", "The session lives for 36000 s"),
    ("The cache lives for 3,600 s", "The cache lives for 3600 seconds"),
    ("The cache lives for about 3600 s", "The cache lives for 36000 s"),
    ("The API is allowed to retry", "The API is not allowed to write"),
    ("The API is allowed to retry", "The worker is not allowed to retry"),
    ("The API can retry", "The API can not retry on POST"),
    ("She lives in Berlin", "She lives in Hamburg"),
    ("It is supported", "It is not supported"),
    ("This port is 80", "This port is 90"),
    ("My name is fine", "My name is Ana"),
    ("Ana's boss is nice", "Ana's boss is Carl"),
    ("Ana's friend is Carl", "Ana's friend is Dora"),
    ("Ana's idea is great", "Ana's idea is bad"),
    ("Ana's birthday is in May 1990", "Ana's birthday is 5 May 1990"),
    ("Ana's birthday is 5 May", "Ana's birthday is 5 May 1990"),
    ("Ana's birthday is tomorrow", "Ana's birthday is 5 May"),
    ("The report is due on Friday", "The report is due on Monday"),
    ("Ana: I will be late", "Ana: I will be early"),
    ("Ana: yes", "Ana: no"),
    ("Ana: 5", "Ana: 7"),
    ("Ana Silva: 5", "Ana Silva: 7"),
    ("ERROR: disk full", "ERROR: disk 90"),
    ("ERROR pool size: 5", "ERROR pool size: 6"),
    ("2024-05-08 12:00:01 INFO latency=5", "2024-05-08 12:00:02 INFO latency=6"),
    ("TODO: fix port 80", "TODO: fix port 90"),
    ("- [ ] call Ana", "- [x] call Ana"),
    ("Total: 5", "Total: 7"),
    ("Meeting at 10:30", "Meeting at 10:45"),
    ("https://example.org:8080", "https://example.org:9090"),
    ("Step 3: 5 eggs", "Step 4: 6 eggs"),
    ("if (a == 5)", "if (a == 6)"),
    ("x = 5", "x = 6"),
    ("The new port is 80", "The old port is 90"),
    ("The first name is Ana", "The second name is Maria"),
    ("The deadline is 5 May", "The deadline is 6 May"),
    ("Things like that cost 5 EUR", "Things like that cost 6 EUR"),
    ("The tool runs on Linux", "The tool runs on macOS"),
    ("The plan costs $5 per month", "The plan costs $50 per year"),
    ("Version 1.2 is supported", "Version 1.3 is not supported"),
    ("Billing uses version 3.11.2", "Billing uses version v3.11"),
    ("Ana has 3 meetings", "Ana has 5 meetings"),
    ("Ana has two children", "Ana has 3 kids"),
    ("Ana has children", "Ana has no time"),
    ("The default branch name is main", "The default branch name is trunk"),
    ("The plan costs 5 EUR", "The plan costs 6 USD"),
    ("The parser supports it", "The parser does not support it"),
    ("I can wait", "I can't wait"),
    ("You can retry", "You can't retry"),
    ("The report must have been long", "The report must not have been long"),
    ("The talk is a great idea", "The talk is not a great idea"),
    ("The staging host is db1", "The staging host is 10.0.0.1"),
    ("Ana's birthday is 5 May 1990", "Ana's birthday is May 1990"),
    ("The release is due on 2025-03-01", "The release is due on 2025-03-01T12:00"),
    ('  "createdAt": "2025-03-01",', '  "createdAt": "2025-04-01",'),
    ("padding: 10px;\nmargin: 5px;", "padding: 20px;\nmargin: 6px;"),
    ("- Price: 5 EUR", "- Price: 6 EUR"),
    ("* Website: a.org/x", "* Website: b.org/y"),
    ("Hosts:", "Hosts: 5"),
    ("Ana is due", "Ana is due soon"),
    ("Ana lives in", "Ana lives"),
    ("The of is 5", "of the is 6"),
    ("Ana's is 5", "Ana's is 6"),
    ("The is 5", "A is 6"),
    ("In 2020, Ana lives in Berlin", "In 2021, Ana lives in Hamburg"),
    ("The gateway does work", "The gateway does not"),
    ("The gateway listens to music", "The gateway listens to talk"),
    ("The tower is tall", "The tower is not tall"),
    ("Ana was here", "Ana was there"),
    ("Ana was tired", "Ana was not tired"),
    ("The port of a is 5", "The port of b is 6"),
    ("The new port of staging is 5", "The old port of staging is 6"),
    ("Day 2: Louvre", "Day 2: Orsay"),
    ("a very long name of some thing here: 5", "a very long name of some thing here: 6"),
    ("the likely port: maybe 5", "the probably port: 6"),
    ("1.2.3.4 = 5", "1.2.3.4 = 6"),
    ("Ana has many children", "Ana has few children"),
    ("Ana works at 9 am", "Ana works at 10 am"),
    ("Note that it is supported", "Note that it is not supported"),
    ("release date: unknown", "release date: open"),
    ("Ana is available", "Ana is not available"),
    ("Telemetry is enabled", "Telemetry is enabled."),
    ("Telemetry is disabled", "Telemetry is not enabled"),
    ("Your port is 8080", "Your port is 9090"),
    ("No API is allowed to retry", "The API is allowed to retry"),
    ("The user's needs are clear", "The user's needs are not clear"),
    ("I can't come today", "We can come today"),
    ("That is a good idea", "That is not a good idea"),
    ("See you at 5", "See you at 6"),
    ("Ok", "No"),
    ("Ana's phone number is 555 1234", "Ana's phone number is broken"),
    ("The gateway listens on port 8080", "The gateway listens on port 8080 now"),
    ("The parser does not support comments", "The parser does not support comments at all"),
    ("The staging port is 8080", "The staging port is not 9090"),
    ("The staging port is not 8080", "The staging port is not 9090"),
]
"""Pairs without a conflict."""


@pytest.mark.parametrize(("new", "old", "want"), CONFLICTS)
def test_records_that_speak_against_each_other(new: str, old: str, want: str) -> None:
    """Another number, date or value of one slot, or a "not": found by what the two records share."""
    assert (want, want) == (statements.against(new, old), statements.against(old, new))
    assert set(statements.keys(new)) & set(statements.keys(old))
    assert (None, None) == (statements.against(new, new), statements.against(old, old))


@pytest.mark.parametrize(("new", "old"), NONE)
def test_records_that_do_not(new: str, old: str) -> None:
    """Other subjects, questions, doubts, chatter, logs, tasks, and one who says more than the other."""
    assert (None, None) == (statements.against(new, old), statements.against(old, new))


@pytest.mark.parametrize(
    ("new", "speaker", "old", "other", "want"),
    [
        ("I live in Berlin", "Ana", "I live in Hamburg", "Ana", "value"),
        ("I live in Berlin", "Ana", "I live in Hamburg", "ana", "value"),
        ("I live in Berlin", "Ana", "I live in Hamburg", "Ben", None),
        ("I live in Berlin", "Ana", "Ana lives in Hamburg", "Ben", "value"),
        ("I live in Berlin", None, "I live in Hamburg", None, "value"),
        ("I live in Berlin", "", "I live in Hamburg", None, "value"),
        ("I live in Berlin", "user", "I live in Hamburg", "user", "value"),
        ("I live in Berlin", "user", "I live in Hamburg", None, None),
        ("I live in Berlin", "assistant", "I live in Hamburg", "assistant", None),
        ("My birthday is 5 May", "Ana", "My birthday is 6 May", "Ana", "date"),
        ("My birthday is 5 May", "Ana", "Ana's birthday is 6 May", "Ben", "date"),
        ("My birthday is 5 May", "Ana", "My birthday is 6 May", "Ben", None),
        ("My birthday is 5 May", "assistant", "My birthday is 6 May", "assistant", None),
        ("I'm allergic to nuts", "Ana", "I'm not allergic to nuts", "Ana", "negation"),
        ("I\u2019m allergic to nuts", "Ana", "I am not allergic to nuts", "Ana", "negation"),
        ("I no longer live in Berlin", "Ana", "I live in Berlin", "Ana", "negation"),
        ("I don't eat meat", "Ana", "I eat meat", "Ana", "negation"),
        ("I eat meat", "Ana", "We don't eat meat", "Ana", None),
        ("Our staging port is 80", "Ana", "Our staging port is 90", "Ana", "number"),
        ("I need help", "Ana", "I don't need help", "Ana", None),
    ],
)
def test_a_first_person_is_the_speaker(
    new: str, speaker: str | None, old: str, other: str | None, want: str | None
) -> None:
    """What two people say of themselves is no conflict; an assistant says nothing of itself."""
    assert want == statements.against(new, old, speaker, other)


def test_a_key_names_whom_and_what() -> None:
    """One key for each thing stated, whatever the way of putting it; none where nothing is stated."""
    assert ("ana|live in",) == statements.keys("Ana lives in Berlin.")
    assert ("ana|live in", "ana|work") == statements.keys("Ana lives in Berlin. Ana works at Bosch.")
    assert ("ana|live in",) == statements.keys("Ana lives in Berlin. Ana now lives in Bonn.")
    assert ("rate|limit",) == statements.keys("The rate limit is 100") == statements.keys("rate limit: 5")
    for text in ("", " ", "Thanks!", "Ana lives in Berlin. " * 11, "Does Ana live in Berlin\uff1f"):
        assert () == statements.keys(text)


NEAR = [
    ("The deploy of the gateway failed twice.", "Deploy of gateway failed twice!", True),
    ("The deploys of the gateway failed twice", "the deploy of the gateway FAILED twice", True),
    ("Caf\u00e9 Luna opens at nine today", "Cafe\u0301 Luna opens at nine today", True),
    ("The gateway deploy failed twice", "The gateway deploy failed 3 times", False),
    ("Retry the export after 3600 s", "Retry the export after 36000 s", False),
    ("Set the offset to -5 in staging now", "Set the offset to 5 in staging now", False),
    ("Ana pays Ben for the concert tickets", "Ben pays Ana for the concert tickets", False),
    ("Ana pays Ben for the concert tickets", "Ana pays Carl for the concert tickets", False),
    ("Ana pays for the concert tickets", "Ana does not pay for the concert tickets", False),
    ("Ana pays for the concert tickets", "Ana doesn't pay for the concert tickets", False),
    ("Ana doesn't pay for the concert tickets", "Ana does not pay for the concert tickets", True),
    ("Ana doesn\u2019t pay for the concert tickets", "Ana doesn't pay for concert tickets", True),
    ("The export cannot run in parallel mode", "The export can run in parallel mode", False),
    ("The train goes from Berlin to Paris", "The train goes to Berlin from Paris", False),
    ("He called the old landlord about the heating", "She called the old landlord about the heating", False),
    ("The gateway is down again since noon", "The gateway was down again since noon", False),
    ("Release 1.5 of the billing gateway is out", "Release 1.6 of the billing gateway is out", False),
]


@pytest.mark.parametrize(("one", "other", "want"), NEAR)
def test_near_duplicates_say_the_same(one: str, other: str, want: bool) -> None:
    """Articles, endings, case and signs do not count; a number, a name, a "not", an order does."""
    assert statements.near(one) is not None
    assert want == (statements.near(one) == statements.near(other))


def test_short_words_are_nobodys_near_duplicate() -> None:
    """Below four words of content nothing is near."""
    for text in ("", "Yes", "Thanks a lot", "See you at the lake", "It is not up to me and you, is it?"):
        assert statements.near(text) is None


@given(st.text(st.characters(), max_size=220), st.none() | st.text(st.characters(), max_size=9))
def test_nothing_raises(text: str, speaker: str | None) -> None:
    """Whatever the code points."""
    statements.keys(text, speaker)
    statements.near(text)
    assert statements.against(text, text, speaker, speaker) is None


_WORDS = """
    Ana I my the port's port of is isn't not can cannot lives in Berlin 5 5 May : = name - * ; . , due on born
    was has no GB RAM a doctor never longer does do support version 1.2 set to called and called: note that
    allowed old years per month (x) ... é
"""
WORDS = st.sampled_from([*_WORDS.split(), "\n", ""])


@given(st.lists(WORDS, max_size=12).map(" ".join), st.lists(WORDS, max_size=12).map(" ".join))
def test_conflicts_have_no_side(one: str, other: str) -> None:
    """New against old is old against new, and nothing speaks against itself."""
    assert statements.against(one, other) == statements.against(other, one)
    assert not statements.against(one, other) or set(statements.keys(one)) & set(statements.keys(other))
    assert statements.against(one, one) is None or len(statements.keys(one)) < len(clauses.statements(one))
