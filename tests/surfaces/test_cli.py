"""Commands: what they print, how they end, what they refuse."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import quoth as package
from quoth.surfaces.cli import group, show

Run = Callable[..., Any]
KEY = "The spare key is with Ruth, second floor."
WHO = "who has the spare key?"


def commands(owner: click.Group = group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with its path."""
    for name, command in owner.commands.items():
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


COMMANDS = dict(commands())
WHY = ["--because", "I know"]
ARGUMENTS = {
    ("remember",): ["a note"],
    ("watch",): ["notes", "--once"],
    ("import",): ["claude-code", "session.jsonl"],
    ("recall",): [WHO],
    ("get",): ["ID"],
    ("history",): ["ID"],
    ("correct",): ["ID", "The spare key is with Rita.", *WHY],
    ("forget",): ["ID", *WHY],
    ("reinstate",): ["FORGOTTEN"],
    ("expire",): ["ID"],
    ("trust",): ["ID", *WHY],
    ("erase",): ["ID", *WHY, "--yes"],
    ("facts", "assert"): ["ana", "city", "Lisbon"],
    ("facts", "reject"): ["ana", "city", "Lisbon", *WHY],
    ("facts", "lift"): ["ana", "city", "Porto", *WHY],
    ("facts", "history"): ["ana", "city"],
    ("review", "accept"): ["ITEM", *WHY],
    ("review", "reject"): ["ITEM", *WHY],
    ("review", "keep"): ["ITEM", *WHY],
    ("demo",): ["--examples", str(Path(__file__).parents[2] / "examples")],
}
"""What each command is called with here; those that are not listed need nothing."""


def filled(path: tuple[str, ...], ask: Run) -> list[str]:
    """A call of a command that works, with what it needs."""
    Path("notes").mkdir(exist_ok=True)
    Path("notes/a.md").write_text("The lamp is off.\n", encoding="utf-8")
    turn = {"type": "user", "uuid": "u1", "sessionId": "s1", "timestamp": "2026-03-01T10:00:00Z"}
    turn["message"] = {"role": "user", "content": "The tap drips."}  # type: ignore[assignment]
    Path("session.jsonl").write_text(json.dumps(turn) + "\n", encoding="utf-8")
    known = {"ID": ask("remember", KEY)["outcomes"][0]["id"]}
    with package.open() as memory:
        known["FORGOTTEN"] = memory.remember("The gate squeaks.").outcomes[0].record_id
        memory.forget(known["FORGOTTEN"], because="it was oiled")
        memory.remember("The gate squeaks.")
        known["ITEM"] = memory.review_list()[0].held.id
        memory.facts_reject("ana", "city", "Porto", because="she left")
    return [*path, *(known.get(each, each) for each in ARGUMENTS.get(path, []))]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_help(quoth: Run, path: tuple[str, ...]) -> None:
    """Each command explains itself, and names the options that all share."""
    ran = quoth(*path, "--help")
    assert 0 == ran.exit_code
    shared = ("--store", "--scope", "--actor", "--json", "--quiet", "--help")
    assert [] == [each for each in shared if each not in ran.stdout]
    assert COMMANDS[path].help


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_json(ask: Run, path: tuple[str, ...]) -> None:
    """Each command answers with one JSON object on one line, and with nothing else."""
    assert isinstance(ask(*filled(path, ask)), dict)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_answers_a_person(quoth: Run, ask: Run, path: tuple[str, ...]) -> None:
    """Each command prints something that a person reads, and ends with 0."""
    ran = quoth(*filled(path, ask))
    assert (0, True) == (ran.exit_code, bool(ran.stdout.strip())), ran.stderr


def test_help_has_the_sections_of_the_design(quoth: Run) -> None:
    """`quoth --help` groups the commands, and each stands in one group."""
    text = quoth("--help").stdout
    assert [
        "Options",
        "Remember",
        "Recall",
        "Truth",
        "Keep",
        "Prove",
        "Look",
    ] == re.findall(r"^(\w+):$", text, re.MULTILINE)
    assert [] == [name for name in group.commands if len(re.findall(rf"^  {name} ", text, re.MULTILINE)) != 1]
    assert "..." not in text[text.index("Remember:") :]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_shared_options_may_stand_anywhere(quoth: Run, tmp_path: Path, place: int) -> None:
    """`--store`, `--scope`, `--actor` and `--json` are taken before the command and after it."""
    shared = ["--store", str(tmp_path / "other"), "--scope", "s", "--actor", "ben", "--json"]
    call = ["remember", "A note."]
    ran = quoth(*call[:place], *shared, *call[place:])
    assert 0 == ran.exit_code, ran.stderr
    id = json.loads(ran.stdout)["outcomes"][0]["id"]
    seen = json.loads(quoth("history", id, *shared).stdout)["filings"][0]["actor"]
    assert {"id": "ben", "kind": "human", "authority": 3} == seen
    assert 4 == quoth("get", id, "--store", str(tmp_path / "other"), "--scope", "t").exit_code


def test_recall_prints_words_and_where_they_stand(quoth: Run) -> None:
    """A passage is printed word for word, with its place, standing, confidence and id below."""
    Path("notes").mkdir()
    Path("notes/keys.md").write_text(f"# Keys\n\nThe bicycle is red.\n\n{KEY}\n", encoding="utf-8")
    quoth("watch", "notes", "--once")
    words, source, *more = quoth("recall", WHO, "-k", "1").stdout.splitlines()
    assert (KEY, []) == (words, more)
    assert re.fullmatch(
        r"— .*/notes/keys\.md:5 · recorded \d{4}-\d\d-\d\d · current · confidence \w+ · [0-9a-f]{32}", source
    )


def test_a_turn_is_printed_with_speaker_and_time(quoth: Run, ask: Run) -> None:
    """What somebody said is printed with who said it and when."""
    filled(("import",), ask)
    quoth("import", "claude-code", "session.jsonl")
    assert " · user · said 2026-03-01 · current · " in quoth("recall", "does the tap drip?").stdout


def test_a_superseded_record_names_what_took_its_place(quoth: Run, ask: Run) -> None:
    """`get` labels a superseded record, and the history says why it is."""
    Path("a.md").write_text("The code is 1234.\n", encoding="utf-8")
    quoth("watch", "a.md", "--once")
    old = ask("recent")["records"][0]["id"]
    Path("a.md").write_text("The code is 5678.\n", encoding="utf-8")
    quoth("watch", "a.md", "--once")
    new = ask("recent")["records"][0]["id"]
    assert f"superseded by {new}" in quoth("get", old).stdout
    assert ("superseded", new) == (ask("get", old)["standing"], ask("get", old)["superseded_by"])
    assert ["current", "superseded"] == [each["status"] for each in ask("history", old)["filings"]]
    assert "The code is 1234." not in quoth("recall", "what is the code?").stdout


def test_an_abstention_says_so(quoth: Run) -> None:
    """Without an answer it says that it does not know; with --fail-empty it ends with 6."""
    assert "I don't know: " in quoth("recall", WHO).stdout
    assert [0, 6] == [quoth("recall", WHO, *more).exit_code for more in ([], ["--fail-empty"])]
    quoth("remember", KEY)
    assert 0 == quoth("recall", WHO, "--fail-empty").exit_code


def test_an_abstention_is_true(quoth: Run) -> None:
    """The reason holds for the time and the kind of record that were asked for."""
    quoth("remember", KEY)
    quoth("remember", "The lamp is off.")
    before = quoth("recall", WHO, "--known-at", "2020-01-01").stdout
    assert "I don't know: nothing that can be read here was known at 2020-01-01T23:59:59+00:00\n" == before
    untrue = quoth("recall", WHO, "--as-of", "2020-01-01").stdout
    assert "I don't know: nothing that can be read here was true at 2020-01-01T23:59:59+00:00\n" == untrue
    fact = quoth("recall", WHO, "--grain", "fact").stdout
    assert "I don't know: no record of the kind 'fact' is near the question\n" == fact
    nearest = quoth("recall", "which key opens the boat shed in Reykjavik on Sundays?").stdout
    assert nearest.startswith("I don't know: nothing here answers this\n\nNearest passages, not an answer:\n")


def test_explain_says_how_it_came_about(quoth: Run) -> None:
    """`--explain` gives the stages on stderr, so that the answer stays an answer."""
    quoth("remember", KEY)
    plain, explained = quoth("recall", WHO), quoth("recall", WHO, "--explain", "--json")
    assert "plan" not in plain.output
    assert "plan" in explained.stderr
    assert KEY == json.loads(explained.stdout)["passages"][0]["text"]
    assert KEY not in explained.stderr


def test_degraded_is_noted_on_stderr(quoth: Run) -> None:
    """What was missing is said beside the answer, and not with --quiet."""
    quoth("remember", KEY)
    assert "note: no embedder" in quoth("recall", WHO).stderr
    assert "" == quoth("recall", WHO, "--quiet").stderr


def test_quiet_prints_answers_only(quoth: Run) -> None:
    """`--quiet` confirms nothing, still answers, and still says what went wrong."""
    assert "" == quoth("remember", KEY, "--quiet").output
    assert KEY in quoth("recall", WHO, "--quiet").stdout
    refused = quoth("remember", " ", "--quiet")
    assert (8, "quoth: refused: empty\n") == (refused.exit_code, refused.stderr)


def test_known_at_asks_the_past(ask: Run) -> None:
    """`--known-at` and `--as-of` reach the two time lines; a day alone is its end."""
    ask("remember", KEY)
    assert [] == ask("recall", WHO, "--known-at", "2020-01-01")["passages"]
    found = ask("recall", WHO, "--as-of", "2999-01-01", "--known-at", "2999-01-01T10:00+01:00")
    assert ("2999-01-01T10:00:00+01:00", 1) == (found["known_at"], len(found["passages"]))
    assert found["as_of"] > "2998-12-31T"


def test_recall_can_be_limited_to_a_time(ask: Run, quoth: Run) -> None:
    """`--since` is included, a day of `--until` is within, `--by` says which time; what is naive is noted."""
    ask("remember", KEY, "--said-at", "2024-05-01T10:00+02:00")
    asked = ["recall", WHO]
    for more, want in (
        (["--since", "2024-05-01T10:00+02:00"], 1),
        (["--since", "2024-05-01T08:00:01Z"], 0),
        (["--since", "2024-05-01", "--until", "2024-05-01"], 1),
        (["--until", "2024-05-01T10:00+02:00"], 0),
        (["--until", "2024-04-30"], 0),
        (["--until", "2024-05-02", "--by", "recorded"], 0),
        (["--since", "2024-05-02", "--by", "recorded"], 1),
    ):
        assert want == len(ask(*asked, *more)["passages"]), more
    empty = quoth(*asked, "--until", "2024-04-30T00:00Z").stdout
    assert "I don't know: nothing that can be read here was said (else recorded) before 2024-04-30" in empty
    assert "this machine's zone: 2024-05-02" in quoth(*asked, "--since", "2024-05-02").stderr
    assert "zone" not in quoth(*asked, "--since", "2024-05-02T00:00Z").stderr


def test_recall_shows_old_words_with_what_replaced_them(ask: Run, quoth: Run) -> None:
    """`--history` gives the new words first, then the old ones, which name them."""
    old = ask("remember", KEY)["outcomes"][0]["id"]
    new = ask("correct", old, "The spare key is with Rita.", "--because", "Ruth moved")["outcomes"][0]["id"]
    assert "Ruth" not in quoth("recall", WHO).stdout
    lines = quoth("recall", WHO, "--history").stdout.splitlines()
    assert ["The spare key is with Rita.", KEY] == [each for each in lines if each and each[0] != "—"]
    assert f"superseded by {new}" in lines[-1]
    found = ask("recall", WHO, "--history")["passages"]
    assert [("current", None), ("superseded", new)] == [(p["standing"], p["superseded_by"]) for p in found]


def test_recall_can_be_limited_to_what_is_believed(ask: Run, quoth: Run) -> None:
    """`--trust verified` leaves out what nobody verified, and says how to see it."""
    ask("remember", KEY)
    assert [] == ask("recall", WHO, "--trust", "verified")["passages"]
    assert "trust asserted shows them" in quoth("recall", WHO, "--trust", "verified").stdout
    assert ["asserted"] == [each["trust"] for each in ask("recall", WHO, "--trust", "doubtful")["passages"]]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nope"], 2, "No such command"),
        (["recall"], 2, "quoth recall --help"),
        (["recall", "x", "-k", "0"], 2, "-k"),
        (["recall", "x", "--budget", "-1"], 2, "--budget"),
        (["recall", "x", "--grain", "chapter"], 2, "--grain"),
        (["recall", "x", "--as-of", "yesterday"], 2, "yesterday"),
        (["recall", "x", "--as-of", "0001-01-01T00:00+23:59"], 2, "0001"),
        (["recall", "x", "--since", "last week"], 2, "last week"),
        (["recall", "x", "--since", "2026-W09-1"], 2, "2026-W09-1"),
        (["recall", "x", "--until", "9999-12-31"], 2, "9999-12-31"),
        (["recall", "x", "--since", "2026-03-02", "--until", "2026-03-01"], 2, "since must be before until"),
        (["recall", "x", "--by", "ear"], 2, "--by"),
        (["recall", "x", "--trust", "blind"], 2, "--trust"),
        (["recall", "x", "--tier", "gpt"], 2, "--tier"),
        (["recall", "x", "--scope", ""], 2, "scope"),
        (["recall", "x", "--scope", "a\x07b"], 2, "scope"),
        (["recall", "x", "--store", "s3://bucket"], 2, "folder"),
        (["recall", "x", "--actor", "a\x1bb"], 2, "actor"),
        (["status", "--store", "~no-such-user/x"], 2, "home"),
        (["status", "--store", "/tmp/" + "x" * 300], 2, "too long"),
        (["get", "0" * 32], 4, "no record"),
        (["get", ""], 4, "no record"),
        (["history", "🎉"], 4, "no record"),
        (["get", "abcdef"], 4, "no record"),
        (["correct", "0" * 32, "x", *WHY], 4, "no record"),
        (["correct", "0" * 32, "x"], 2, "--because"),
        (["correct", "0" * 32, *WHY], 2, "`-` to read it from standard input"),
        (["forget", "0" * 32, "--because", " "], 2, "reason"),
        (["expire", "0" * 32, "--at", "soon"], 2, "at: 'soon' is no time such as 2026-03-01"),
        (["remember", "x", "--said-at", "20260301"], 2, "said_at: '20260301' is no time"),
        (["remember", "x", "--from", "2026-03-02", "--to", "2026-03-01"], 2, "ends before it starts"),
        (["facts", "--json"], 2, "command"),
        (["facts", "lift", "ana", "city", "x", *WHY], 3, "may not write"),
        (["facts", "get", "ana", ""], 2, "attribute"),
        (["facts", "assert", "ana", " ", "x"], 2, "attribute"),
        (["facts", "assert", "ana", "city", "x", "--evidence", "0" * 32], 4, "no record"),
        (["review", "keep", "0" * 32, *WHY], 4, "no item"),
        (["audit", "--since", "x"], 2, "since: 'x' is no time"),
        (["watch", "x"], 2, "--once: this version looks once"),
        (["remember"], 2, "`-` to read it from standard input"),
        (["watch", "--once"], 2, "PATH"),
        (["watch", "/no/such/place", "--once"], 2, "/no/such/place"),
        (["import", "claude-cod", "x"], 2, "did you mean 'claude-code'?"),
        (["import", "chatgpt", "x"], 2, "there are claude-code, codex, markdown, text"),
        (["import", "codex", "/no/such/place"], 2, "/no/such/place"),
        (["demo", "--examples", "/no/such/place"], 2, "/no/such/place"),
        (["remember", ""], 8, "empty"),
        (["remember", "\n\t "], 8, "empty"),
    ],
)
def test_errors_are_one_line_with_a_code(quoth: Run, arguments: list[str], code: int, message: str) -> None:
    """What goes wrong is one line on stderr that names the thing, with the code of the design."""
    ran = quoth(*arguments)
    assert (code, "", 1) == (ran.exit_code, ran.stdout, ran.stderr.count("\n"))
    assert ran.stderr.startswith("quoth: ")
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    "question",
    [
        *("", "   ", "-", "'", '"', "AND", "a AND", "tier1-test AND x", "C:\\repo\\main.py", "sh | bash"),
        *("*", "(((", "🎉", "\u202e\u0301", "ñ" * 3000, "key " * 25_000, "\x00", "\x1b[31m", "NEAR(a b)"),
        *("col:x", "%s{}", "ไทย 日本語"),
    ],
    ids=lambda text: ascii(text)[:20],
)
def test_no_question_breaks_it(quoth: Run, question: str) -> None:
    """Any question ends well, with an answer or a reasoned abstention."""
    quoth("remember", KEY)
    ran = quoth("recall", "--json", "--", question)
    assert (0, question) == (ran.exit_code, json.loads(ran.stdout)["question"]), ran.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"caf\xe9", "UTF-8"), (b"a\0b", "NUL"), (b"", None)],
)
def test_files_that_are_no_text_are_named(quoth: Run, content: bytes, message: str | None) -> None:
    """A file that is not text is refused with its name, or read past and counted; the others are kept."""
    Path("notes").mkdir()
    Path("notes/bad.md").write_bytes(content)
    Path("notes/good.md").write_text(KEY, encoding="utf-8")
    ran = quoth("watch", "notes", "--once", "--json")
    report = json.loads(ran.stdout)
    assert (0, 1, 1) == (ran.exit_code, report["stored"], sum(report["skipped"].values()))
    alone = quoth("import", "markdown", "notes/bad.md")
    assert (2 if message else 0) in (alone.exit_code, 0)
    assert message is None or message in alone.stderr
    assert "caf" not in alone.output


def test_a_folder_is_no_transcript_file(quoth: Run) -> None:
    """A folder in the place of a file is named."""
    Path("notes").mkdir()
    ran = quoth("import", "text", "notes")
    assert (2, True) == (ran.exit_code, "folder" in ran.stderr)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_named(quoth: Run) -> None:
    """A file that may not be read is named."""
    Path("secret.md").write_text(KEY)
    Path("secret.md").chmod(0)
    ran = quoth("import", "markdown", "secret.md")
    assert (2, True) == (ran.exit_code, "secret.md" in ran.stderr)


def test_a_damaged_store_is_refused_by_name(quoth: Run, folder: Path) -> None:
    """A damaged database ends with 70, names the file and is left as it is."""
    folder.mkdir()
    content = b"no database at all" * 1000
    (folder / "quoth.db").write_bytes(content)
    ran = quoth("recall", WHO)
    assert (70, True) == (ran.exit_code, str(folder) in ran.stderr)
    assert content == (folder / "quoth.db").read_bytes()


def test_a_changed_word_is_found(quoth: Run, folder: Path) -> None:
    """`verify` ends with 0 while all is sealed, and with 70 once a word was changed behind its back."""
    import apsw

    quoth("remember", KEY)
    assert 0 == quoth("verify").exit_code
    db = apsw.Connection(str(folder / "quoth.db"))
    db.execute("UPDATE record SET text = replace(text, 'Ruth', 'Rita')")
    db.close()
    ran = quoth("verify")
    assert (70, True) == (ran.exit_code, "altered" in ran.stdout)


def test_a_missing_model_is_degraded_not_broken(quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a model that is not to be reached, words are kept and found, and `index` ends with 75."""
    monkeypatch.setenv("QUOTH_EMBEDDER", "ollama:nomic-embed-text@http://127.0.0.1:9")
    assert 0 == quoth("remember", KEY).exit_code
    found = quoth("recall", WHO)
    assert (0, True, True) == (found.exit_code, KEY in found.stdout, "note: " in found.stderr)
    assert 75 == quoth("index").exit_code


def test_a_bad_setting_is_named(quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong setting ends with 2 and names its layer and key."""
    monkeypatch.setenv("QUOTH_RECALL__K", "many")
    ran = quoth("recall", WHO)
    assert (2, True) == (ran.exit_code, "QUOTH_RECALL__K" in ran.stderr)


def test_nothing_at_all_is_a_call_for_help(quoth: Run) -> None:
    """`quoth` alone prints the help, on stdout, and ends with 0; so does a group of commands."""
    for call in ([], ["facts"], ["review"]):
        ran = quoth(*call)
        assert (0, "", quoth(*call, "--help").stdout) == (ran.exit_code, ran.stderr, ran.stdout)


def test_words_need_no_quotes(quoth: Run, ask: Run) -> None:
    """Words that the shell took apart are joined again."""
    id = ask("remember", *KEY.split())["outcomes"][0]["id"]
    assert KEY == ask("get", id)["text"]
    assert WHO == ask("recall", *WHO.split())["question"]


def test_an_extra_that_is_missing_is_a_usage_error(quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its package the small embedder ends with 2 and says how to get it, from the clone."""
    monkeypatch.setattr("quoth.inference.embedders.find_spec", lambda name: None)
    monkeypatch.setenv("QUOTH_EMBEDDER", "static")
    ran = quoth("remember", KEY)
    assert (2, True, False) == (ran.exit_code, "'.[static]'" in ran.stderr, "quoth[" in ran.stderr), (
        ran.stderr
    )


def test_a_mistyped_embedder_is_named_everywhere(quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`where` and `settings` refuse it as every other command does."""
    monkeypatch.setenv("QUOTH_EMBEDDER", "minlm")
    for call in ("where", "settings", "status"):
        ran = quoth(call)
        assert (2, True) == (ran.exit_code, "QUOTH_EMBEDDER" in ran.stderr)
        assert "did you mean 'minilm'?" in ran.stderr


def test_the_demo_without_examples_says_what_to_do(quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside a clone it names no path that is not there, and ends with 2."""
    monkeypatch.setattr("quoth.surfaces.cli.look.__file__", "/a/b/c/d/e/look.py")
    ran = quoth("demo")
    assert "quoth: there are no examples here: run this in a clone, or give --examples DIR\n" == ran.stderr
    assert 2 == ran.exit_code


def test_verify_says_what_it_proves_where_it_does(quoth: Run, ask: Run, folder: Path) -> None:
    """What is proved stands below a clean result; in JSON it always stands."""
    import apsw

    quoth("remember", KEY)
    assert "\nproves: " in quoth("verify").stdout
    with apsw.Connection(str(folder / "quoth.db")) as db:
        db.execute("UPDATE record SET text = replace(text, 'Ruth', 'Rita')")
    ran, form = quoth("verify"), json.loads(quoth("verify", "--json").stdout)
    assert (70, False, True) == (ran.exit_code, "prove" in ran.stdout, bool(form["proves"]))


def test_import_names_its_formats(quoth: Run, ask: Run) -> None:
    """The help names each format, which may be written in any case."""
    from quoth.ingest.readers import FORMATS

    text = quoth("import", "--help").stdout
    assert [] == [each for each in FORMATS if each not in text]
    filled(("import",), ask)
    assert {"stored": 1} == ask("import", "Claude-Code", "session.jsonl")["counts"]


def test_an_import_of_nothing_says_so(quoth: Run) -> None:
    """A folder without a transcript is named."""
    Path("empty").mkdir()
    ran = quoth("import", "codex", "empty")
    assert (0, "note: no transcript (a file that ends in .jsonl) is in empty\n") == (
        ran.exit_code,
        ran.stderr,
    )


def test_what_was_read_past_is_counted_in_plain_words(quoth: Run) -> None:
    """Numbers agree with their nouns, and a line without a type is no type of Python."""
    lines = [json.dumps(each) for each in ({"a": 1}, {"type": None}, {"type": "summary"})]
    Path("session.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ran = quoth("import", "claude-code", "session.jsonl")
    assert "read past: 1 line of type 'summary', 2 lines without a type\n" in ran.stdout
    Path("a.md").write_text(KEY, encoding="utf-8")
    assert "1 file read: 1 new\nrecords: 1 stored\n" == quoth("watch", "a.md", "--once").stdout


@pytest.mark.parametrize(
    ("what", "want"),
    [
        ("tool call", "3 tool calls"),
        ("binary", "3 binary"),
        ("not text", "3 not text"),
        ("summary of a compacted session", "3 summaries of a compacted session"),
        ("message of the client", "3 messages of the client"),
        ("line of type 'file'", "3 lines of type 'file'"),
        ("symlink", "3 symlinks"),
    ],
)
def test_classes_of_things_have_a_number(what: str, want: str) -> None:
    """Several of a thing are in the plural, one is as it is called."""
    assert (want, f"1 {what}") == (show.some(what, 3), show.some(what, 1))


def test_an_index_with_nothing_to_do_says_so(quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """After everything is embedded `index` says how much has vectors."""
    monkeypatch.setenv("QUOTH_EMBEDDER", "hash")
    quoth("remember", KEY)
    assert "nothing pending: 1 passage has a vector\n" == quoth("index").stdout
    quoth("remember", "The lamp is off.")
    assert "nothing pending: 2 passages have vectors\n" == quoth("index").stdout


def test_settings_show_the_common_ones(quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Common and changed settings are shown, the rest with `--all`."""
    monkeypatch.setenv("QUOTH_LEXICAL__B", "0.5")
    few, every = quoth("settings").stdout, quoth("settings", "--all").stdout
    assert ("lexical.b = 0.5" in few, "lexical.k1" in few, "lexical.k1" in every) == (True, False, True)
    assert re.search(r"^and \d+ more with their defaults: quoth settings --all$", few, re.MULTILINE)


def test_a_place_is_cited_alike(quoth: Run, ask: Run) -> None:
    """`recall` and `get` name the same lines."""
    Path("a.md").write_text("One.\n\nThe spare key\nis with Ruth.\n", encoding="utf-8")
    quoth("watch", "a.md", "--once")
    id = ask("recall", WHO)["passages"][0]["id"]
    got = quoth("get", id).stdout
    assert "/a.md:3-4 · " in quoth("recall", WHO, "-k", "1").stdout
    assert (1, 1) == (got.count("/a.md:3-4 · "), got.count("/a.md:3-4\n"))


def test_warnings_are_notes(quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A warning of the package is a note, and silent with --quiet."""
    monkeypatch.setenv("QUOTH_EMBEDDER", "ollama:nomic-embed-text@http://127.0.0.1:9")
    said = quoth("remember", KEY).stderr
    assert ["note: "] == [line[:6] for line in said.splitlines()]
    assert "" == quoth("remember", "The lamp is off.", "--quiet").stderr


def test_settings_say_which_layer_set_them(ask: Run) -> None:
    """`settings` lists each value with the layer that set it."""
    Path(".quoth.toml").write_text('scope = "project:x"\n')
    found = {each["key"]: (each["value"], Path(each["layer"]).name) for each in ask("settings")["settings"]}
    assert ("project:x", ".quoth.toml") == found["scope"]
    assert ("none", "QUOTH_EMBEDDER") == found["embedder"]
    assert (5, "default") == found["recall.k"]
    assert "project:x" == ask("where")["scope"]
    assert "mine" == ask("where", "--scope", "mine")["scope"]


@pytest.mark.parametrize(
    "call",
    [["recall", WHO], ["status"], ["recent"], ["verify"], ["index", "status"], ["index"], ["where"]],
    ids=" ".join,
)
def test_reading_makes_nothing(quoth: Run, folder: Path, call: list[str]) -> None:
    """A command that reads answers as an empty store would where there is none, and makes no file."""
    ran = quoth(*call)
    assert (0, False) == (ran.exit_code, folder.exists()), ran.stderr
    assert call == ["recent"] or ran.stdout
    assert [4, 4] == [quoth(verb, "0" * 32).exit_code for verb in ("get", "history")]
    assert not folder.exists()


def test_a_rebuild_says_that_other_scopes_wait(quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With another model it says how other scopes are embedded, whether there are some or not."""
    monkeypatch.setenv("QUOTH_EMBEDDER", "hash")
    quoth("remember", KEY)
    assert "" == quoth("index", "rebuild").stderr
    monkeypatch.setenv("QUOTH_EMBEDDER", "minilm")
    ran = quoth("index", "rebuild")
    assert (0, True) == (ran.exit_code, "other scope" in ran.stderr), ran.output
    assert "quoth index --scope" in ran.stderr


@pytest.mark.parametrize(
    ("call", "code", "message"),
    [
        ("remember - <&-", 2, "standard input is closed"),
        ("status --json >&-", 2, "standard output is closed"),
        ("recent --json >/dev/full", 75, "the output cannot be written: No space left"),
        ("--help >/dev/full", 75, "the output cannot be written: No space left"),
        ("status --json 2>&- >/dev/null", 0, ""),
        ("get 0 2>&-", 4, ""),
    ],
)
def test_streams_that_cannot_be_used(folder: Path, call: str, code: int, message: str) -> None:
    """A stream that is closed or full is one line with the right code, and no traceback."""
    command = ["bash", "-c", f'"{sys.executable}" -m quoth {call}']
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (code, "") == (ran.returncode, ran.stdout)
    assert (message in ran.stderr, 1 if message else 0) == (True, ran.stderr.count("\n")), ran.stderr


def test_recent_takes_any_number(quoth: Run) -> None:
    """More than there can be is all that there is."""
    quoth("remember", KEY)
    assert (0, True) == ((ran := quoth("recent", "-n", "1" + "0" * 20)).exit_code, KEY in ran.stdout)


def test_under_json_an_error_leaves_stdout_empty(quoth: Run) -> None:
    """Errors are one line on stderr with a code, with --json too."""
    ran = quoth("get", "0" * 32, "--json")
    assert (4, "", 1) == (ran.exit_code, ran.stdout, ran.stderr.count("\n"))


def test_where_counts_what_is_there(ask: Run, folder: Path) -> None:
    """`where` says where the store is, which scope is meant and how much it holds."""
    assert (False, 0) == (ask("where")["exists"], ask("where")["records"])
    ask("remember", KEY)
    found = ask("where")
    assert (str(folder), True, 1, "personal") == (
        found["store"],
        found["exists"],
        found["records"],
        found["scope"],
    )


def test_standard_input_is_kept_byte_for_byte(process: Run) -> None:
    """Whatever the locale says, standard input is UTF-8 and comes back as it was."""
    words = "🎉 кириллица\r\n\ttwo\x1b[31m red"
    for encoding in ("cp1252", "ascii", "utf-16"):
        ran = process("remember", "-", "--json", input=words.encode(), PYTHONIOENCODING=encoding, LC_ALL="C")
        assert (0, b"") == (ran.returncode, ran.stderr)
    id = json.loads(ran.stdout)["outcomes"][0]["id"]
    shown = process("get", id, PYTHONIOENCODING="ascii", LC_ALL="C").stdout
    assert shown.startswith(words.encode() + b"\n")
    assert words == json.loads(process("get", id, "--json", PYTHONIOENCODING="ascii").stdout)["text"]


def test_input_that_is_not_utf8_is_refused(process: Run) -> None:
    """Bytes that are not UTF-8 are refused by name, from standard input and from an argument."""
    for ran in (process("remember", "-", input=b"caf\xe9"), process("recall", b"caf\xe9")):
        assert (2, True, False) == (ran.returncode, b"not UTF-8" in ran.stderr, b"Traceback" in ran.stderr)


def test_a_reader_that_goes_away_is_no_error(process: Run) -> None:
    """`quoth recent | head -1` ends quietly."""
    many = "\n".join(f"note {n} " + "x" * 90 for n in range(2000))
    process("remember", "-", input=many.encode())
    command = f'"{sys.executable}" -m quoth recall note -k 1 | head -c 10; echo " ${{PIPESTATUS[0]}}"'
    ran = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60)
    assert b"" == ran.stderr.replace(b"note: no embedder: found by words alone\n", b"")
    assert b" 0\n" == ran.stdout[-3:]


def test_no_colour_in_a_pipe(process: Run) -> None:
    """What is piped has no control characters but those of the words."""
    process("remember", KEY.encode())
    assert b"\x1b" not in process("recall", WHO).stdout


def test_colour_only_for_a_person(folder: Path) -> None:
    """A terminal sees colour unless NO_COLOR is set; control characters are shown, not obeyed."""
    import pty

    def on_a_terminal(**environment: str) -> bytes:
        here, there = pty.openpty()
        command = [sys.executable, "-m", "quoth", "recall", "red"]
        subprocess.run(command, stdout=there, stderr=there, env=os.environ | environment, timeout=60)
        os.close(there)
        shown = b""
        while True:
            try:
                part = os.read(here, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(here)
        return shown

    import quoth as package

    with package.open() as memory:
        memory.remember("red \x1b[31m\x07 alert")
    shown = on_a_terminal(NO_COLOR="")
    assert b"red \\x1b[31m\\x07 alert" in shown
    assert b"\x1b[2m" in shown
    assert b"\x1b" not in on_a_terminal(NO_COLOR="1")


def test_an_unexpected_error_has_no_traceback(quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of ours ends with 1 and one line without passage text; QUOTH_DEBUG=1 shows where it was."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(KEY)

    monkeypatch.setattr("quoth.app.open", broken)
    ran = quoth("status")
    assert (1, 1) == (ran.exit_code, ran.stderr.count("\n"))
    assert (
        True,
        True,
        False,
    ) == ("QUOTH_DEBUG=1" in ran.stderr, "RuntimeError" in ran.stderr, KEY in ran.stderr)
    monkeypatch.setenv("QUOTH_DEBUG", "1")
    assert "Traceback" in quoth("status").stderr


def test_stopping_is_quiet(quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends with 130 and one line."""

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("quoth.app.open", stopped)
    ran = quoth("status")
    assert (130, 1) == (ran.exit_code, len(ran.stderr.strip().splitlines()))


def test_help_loads_nothing_heavy(process: Run) -> None:
    """`quoth --help` loads no model, no store and no server."""
    program = "import sys; sys.argv = ['quoth', '--help']\nimport quoth.__main__ as m\n"
    program += "try: m.main()\nexcept SystemExit: print(sorted({'numpy', 'apsw', 'mcp', 'onnxruntime',"
    program += " 'tokenizers', 'platformdirs', 'ruamel'} & set(sys.modules)), file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert b"[]\n" == ran.stderr


def test_recall_loads_no_reader_and_no_server(folder: Path) -> None:
    """A fresh `quoth recall` loads neither readers of files nor a server nor an HTTP client."""
    program = "import sys; sys.argv = ['quoth', 'recall', 'key']\nimport quoth.__main__ as m\n"
    program += "try: m.main()\nexcept SystemExit: print(sorted({'mcp', 'pydantic', 'ruamel', 'httpx2',"
    program += " 'watchfiles', 'pathspec', 'quoth.ingest.watch'} & set(sys.modules)), file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert b"[]" == ran.stderr.strip().splitlines()[-1]


def test_demo_quotes_and_abstains(ask: Run, quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`demo` answers two questions with quoted passages and the third with an abstention."""
    monkeypatch.delenv("QUOTH_EMBEDDER")
    examples = str(Path(__file__).parents[2] / "examples")
    answers = ask("demo", "--examples", examples)["answers"]
    assert [True, True, False] == [each["answerable"] for each in answers]
    sources = "".join(
        each.read_text(encoding="utf-8") for each in sorted(Path(examples, "notes").glob("*.md"))
    )
    quoted = answers[0]["passages"]
    assert quoted
    assert [] == [each["text"] for each in quoted if each["text"] not in sources]
    text = quoth("demo", "--examples", examples).stdout
    assert 3 == len(re.findall(r"^\? ", text, re.MULTILINE))
    assert 1 == text.count("I don't know: ")
    assert 2 == text.count("· confidence ")


# -- truth ------------------------------------------------------------------------------------

RITA = "The spare key is with Rita."


def test_a_correction_takes_the_place(quoth: Run, ask: Run) -> None:
    """`correct` prints the new id; the old record is shown below what stands, and the chain with it."""
    old = ask("remember", KEY)["outcomes"][0]["id"]
    ran = quoth("correct", old[:8], RITA, "--because", "Ruth moved")
    assert (0, "kept ") == (ran.exit_code, ran.stdout[:5])
    new = ran.stdout.split()[1]
    shown = quoth("get", old).stdout
    assert shown.index(RITA) < shown.index("In the place of:") < shown.index(KEY)
    assert f"superseded by {new}" in shown
    history = quoth("history", new[:6]).stdout
    assert "Ruth moved" in history
    assert [f"  {old}  superseded  {KEY}", f"> {new}  current  {RITA}"] == history.splitlines()[-2:]
    again = quoth("correct", old, "Nobody has it.", *WHY)
    assert (5, "", True) == (again.exit_code, again.stdout, new in again.stderr)


def test_a_correction_reads_standard_input(quoth: Run, ask: Run) -> None:
    """`-` stands for standard input, and words need no quotes."""
    id = ask("remember", KEY)["outcomes"][0]["id"]
    new = json.loads(quoth("correct", id, "-", *WHY, "--json", input="Two\nlines.").stdout)["outcomes"][0][
        "id"
    ]
    assert "Two\nlines." == ask("get", new)["text"]
    newer = json.loads(quoth("correct", new, "Three", "words.", *WHY, "--json").stdout)["outcomes"][0]["id"]
    assert "Three words." == ask("get", newer)["text"]


def test_forgotten_words_are_held(quoth: Run, ask: Run) -> None:
    """`forget` ends service, `remember` of the same words ends with 7 and says which item to answer."""
    id = ask("remember", KEY)["outcomes"][0]["id"]
    assert f"forgotten {id} (retracted)\n" == quoth("forget", id, "--because", "private").stdout
    assert KEY not in quoth("recall", WHO).stdout
    ran = quoth("remember", KEY.upper())
    assert (7, 1) == (ran.exit_code, ran.stderr.count("\n"))
    assert "quoth: held for review" in ran.stderr
    assert "(private)" in ran.stderr
    (item,) = ask("review", "list")["items"]
    assert f"quoth review accept {item['held']['id']}" in ran.stderr
    assert (KEY.upper(), "fingerprint" in json.dumps(item), "key" in item["held"]) == (
        item["text"],
        False,
        False,
    )
    listed = quoth("review", "list").stdout
    assert "reassertion " in listed
    assert KEY.upper() in listed
    assert "held" in quoth("status").stdout
    assert 0 == quoth("review", "accept", item["held"]["id"][:8], *WHY).exit_code
    assert "nothing waits\n" == quoth("review", "list").stdout
    assert "answered accept · by" in quoth("review", "list", "--all").stdout
    assert KEY.upper() in quoth("recall", WHO).stdout


def test_reinstating_undoes_forgetting(quoth: Run, ask: Run) -> None:
    """`reinstate` serves the words again."""
    id = ask("remember", KEY)["outcomes"][0]["id"]
    quoth("forget", id, *WHY)
    assert f"served again {id} (current)\n" == quoth("reinstate", id).stdout
    assert KEY in quoth("recall", WHO).stdout


def test_an_expired_record_was_true(quoth: Run, ask: Run) -> None:
    """`expire --at` ends the valid time; before it the record is found with --as-of."""
    id = ask("remember", KEY, "--from", "2026-01-01T00:00Z")["outcomes"][0]["id"]
    ran = quoth("expire", id, "--at", "2026-03-01T00:00+01:00")
    assert (
        f"true from 2026-01-01T00:00:00+00:00 until 2026-03-01T00:00:00+01:00: {id} (expired)\n" == ran.stdout
    )
    assert KEY not in quoth("recall", WHO).stdout
    assert KEY in quoth("recall", WHO, "--as-of", "2026-02-01").stdout


def test_nothing_is_erased_without_yes(quoth: Run, ask: Run) -> None:
    """`erase` says what would go and ends with 2; with --yes the words are gone and come back no more."""
    id = ask("remember", KEY)["outcomes"][0]["id"]
    ran = quoth("erase", id, *WHY)
    assert (2, True) == (ran.exit_code, f"would be erased: {id}" in ran.stdout)
    assert "--yes" in ran.stderr
    assert KEY == ask("get", id)["text"]
    done = quoth("erase", id, *WHY, "--yes")
    assert (0, True) == (done.exit_code, f"erased {id}" in done.stdout), done.output
    assert ("", "erased") == (ask("get", id)["text"], ask("get", id)["standing"])
    again = quoth("remember", KEY)
    assert (8, "quoth: refused: these words were erased\n") == (again.exit_code, again.stderr)


def test_a_contradiction_is_asked(quoth: Run, ask: Run) -> None:
    """`remember` keeps both, prints the question, both ids and the commands that answer."""
    old = ask("remember", "The shed code is 4711.")["outcomes"][0]["id"]
    ran = quoth("remember", "The shed code is 8128.")
    new = ran.stdout.split()[1]
    assert (0, True, True) == (ran.exit_code, old in ran.stdout, "which of them is true?" in ran.stdout)
    (call,) = re.findall(r"quoth (review accept [0-9a-f]{32}) ", ran.stdout)
    assert 0 == quoth(*call.split(), *WHY).exit_code
    assert ("superseded", new) == (ask("get", old)["standing"], ask("get", old)["superseded_by"])


def test_a_watched_folder_says_what_waits(quoth: Run, ask: Run) -> None:
    """`watch` ends with 7 or 8 where something was held or refused, and with 0 when nothing is new."""
    ids = [ask("remember", text)["outcomes"][0]["id"] for text in (KEY, "The lamp is off.")]
    quoth("forget", ids[0], *WHY)
    Path("a.md").write_text(f"{KEY}\n\nThe tap drips.\n", encoding="utf-8")
    ran = quoth("watch", "a.md", "--once")
    assert (7, "records: 1 stored, 1 held") == (ran.exit_code, ran.stdout.splitlines()[1])
    assert "held for review" in ran.stderr
    assert 0 == quoth("watch", "a.md", "--once").exit_code
    quoth("erase", ids[1], *WHY, "--yes")
    Path("b.md").write_text("The lamp is off.\n\nIt rains.\n", encoding="utf-8")
    assert 8 == quoth("watch", "b.md", "--once").exit_code
    report = ask("watch", "a.md", "b.md", "--once")
    assert (2, [], 0, 0) == (report["unchanged"], report["outcomes"], report["held"], report["refused"])


def test_a_time_without_an_offset_is_said(quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The zone is named wherever a time without an offset was given."""
    monkeypatch.setenv("QUOTH_ZONE", "Asia/Tokyo")
    ran = quoth("remember", KEY, "--said-at", "2026-03-01")
    want = (
        "note: without an offset a time is in the zone Asia/Tokyo: 2026-03-01 is 2026-03-01T00:00:00+09:00\n"
    )
    assert want == ran.stderr
    id = ran.stdout.split()[1]
    for call in (
        ["expire", id, "--at", "2026-04-01"],
        ["audit", "--since", "2026-03-01"],
        ["recall", WHO, "--as-of", "2026-03-01"],
        ["facts", "get", "--as-of", "2026-03-01"],
    ):
        assert "Asia/Tokyo" in quoth(*call).stderr, call
    assert "Asia/Tokyo" in quoth("facts", "assert", "ana", "city", "Lisbon", "--from", "2026-03-01").stdout
    assert "2026-03-01T00:00:00+09:00" == json.loads(quoth("get", id, "--json").stdout)["said_at"]


def test_an_unknown_zone_is_named(quoth: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A zone that this machine does not know ends with 2."""
    monkeypatch.setenv("QUOTH_ZONE", "Mars/Olympus")
    ran = quoth("status")
    assert (2, True) == (ran.exit_code, "QUOTH_ZONE" in ran.stderr)


def test_a_fact_is_asserted_rejected_and_lifted(quoth: Run, ask: Run) -> None:
    """Facts go through the command line as through Python; a rejected value ends with 7."""
    assert 0 == quoth("facts", "assert", "ana", "city", "Lisbon").exit_code
    assert "ana city = Lisbon · asserted" in quoth("facts", "get", "Ana").stdout
    assert "rejected " in quoth("facts", "reject", "ana", "city", "lisbon", *WHY).stdout
    assert "no value stands\n" == quoth("facts", "get", "ana", "city").stdout
    held = quoth("facts", "assert", "ana", "city", "LISBON", "--verified")
    assert (7, 1, True) == (held.exit_code, held.stderr.count("\n"), "held" in held.stderr)
    assert "ana city = LISBON (verified)" in quoth("facts", "contradictions").stdout
    assert 0 == quoth("facts", "lift", "ana", "city", "Lisbon", *WHY, "--assert").exit_code
    assert "Lisbon" == ask("facts", "get", "ana", "city")["facts"][0]["value"]
    events = ask("facts", "history", "ana", "city")["events"]
    assert ["assert", "reject", "lift", "assert"] == [each["event"] for each in events]
    assert "fingerprints" not in events[1]
    assert 4 == len(quoth("facts", "history", "ana", "city").stdout.splitlines())
    assert 4 == quoth("facts", "lift", "ana", "city", "Lisbon", *WHY).exit_code


def test_a_lower_rung_waits(quoth: Run, ask: Run) -> None:
    """A value against a verified one is held, with the question and the command that answers."""
    quoth("facts", "assert", "ana", "city", "Lisbon", "--verified", "--note", "she said so")
    ran = quoth("facts", "assert", "ana", "city", "Porto")
    assert (7, True) == (ran.exit_code, "stands: ana city = Lisbon, verified" in ran.stdout)
    (item,) = ask("facts", "contradictions")["items"]
    assert item["held"]["id"] in ran.stdout
    assert 0 == quoth("review", "accept", item["held"]["id"], *WHY).exit_code
    assert ("Porto", "verified") == tuple(
        ask("facts", "get")["facts"][0][each] for each in ("value", "confidence")
    )


def test_the_audit_says_who_did_what(quoth: Run, ask: Run) -> None:
    """Every change is a line with time, actor, door and reason; a refused attempt too."""
    id = ask("remember", KEY)["outcomes"][0]["id"]
    quoth("forget", id, "--because", "private", "--actor", "ben")
    quoth("get", "0" * 32)
    lines = quoth("audit").stdout.splitlines()
    assert [" · cli · put · ", " · cli · refile · ", " · cli · reject · ", " · cli · refused · "] == [
        re.search(r" · cli · \w+ · ", line)[0]  # type: ignore[index]
        for line in lines
    ]
    assert ["ben (human)" in line and "private" in line for line in lines] == [False, True, True, False]
    entries = ask("audit")["entries"]
    assert ["put", "refile", "reject", "refused"] == [each["action"] for each in entries]
    assert [] == ask("audit", "--since", "2999-01-01T00:00Z")["entries"]


def test_trust_is_shown(quoth: Run) -> None:
    """`get` says how far a record is believed and when it is true; `recent` where it is not as usual."""
    with package.open() as memory:
        ids = [
            str(memory.remember(package.Document(text, source=source)).outcomes[0].record_id)
            for text, source in ((KEY, package.Source.PERSON), ("The gate squeaks.", package.Source.WEB))
        ]
    assert "  trust asserted · true from 20" in quoth("get", ids[0]).stdout
    assert "  trust doubtful · true from 20" in quoth("get", ids[1]).stdout
    web, note = quoth("recent").stdout.splitlines()
    assert (True, False) == ("  doubtful  The gate" in web, "doubtful" in note)
    assert f"verified {ids[1]} (current)\n" == quoth("trust", ids[1], *WHY).stdout
    assert " · verified · " in quoth("recall", "does the gate squeak?", "-k", "1").stdout


def test_an_ambiguous_item_is_not_found(quoth: Run, ask: Run) -> None:
    """Foreign items are not found, and their ids are not accepted."""
    quoth("remember", KEY, "--scope", "a")
    with package.open(scope="a") as memory:
        memory.forget(memory.recent(1)[0].id, because="private")
        memory.remember(KEY)
        item = memory.review_list()[0].held.id
    assert 4 == quoth("review", "accept", item, *WHY, "--scope", "b").exit_code
    assert [] == ask("review", "list", "--all", "--scope", "b")["items"]
