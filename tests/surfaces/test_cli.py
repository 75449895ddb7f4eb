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

from quoth.surfaces.cli import group, show

Run = Callable[..., Any]
KEY = "The spare key is with Ruth, second floor."
WHO = "who has the spare key?"


def commands(owner: click.Group = group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with its path."""
    for name, command in owner.commands.items():
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


COMMANDS = dict(commands())
ARGUMENTS = {
    ("remember",): ["a note"],
    ("watch",): ["notes", "--once"],
    ("import",): ["claude-code", "session.jsonl"],
    ("recall",): [WHO],
    ("get",): ["ID"],
    ("history",): ["ID"],
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
    known = ask("remember", KEY)["outcomes"][0]["id"]
    return [*path, *(known if each == "ID" else each for each in ARGUMENTS.get(path, []))]


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
    assert ("2999-01-01T09:00:00+00:00", 1) == (found["known_at"], len(found["passages"]))
    assert found["as_of"] > "2998-12-31T"


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
    """`quoth` alone prints the help, on stdout, and ends with 0."""
    ran = quoth()
    assert (0, "", quoth("--help").stdout) == (ran.exit_code, ran.stderr, ran.stdout)


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
