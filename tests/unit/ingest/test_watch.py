"""Folders are followed into memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from quoth.care.correct import correct
from quoth.care.erase import erase
from quoth.care.forget import forget, reinstate
from quoth.core.errors import InvalidInput
from quoth.core.policy import Policy
from quoth.core.times import Times, Zone
from quoth.core.types import Access, Document, RecordId, Result, Status
from quoth.ingest import watch as watching
from quoth.ingest.presence import MOUNT
from quoth.ingest.remember import remember, say
from quoth.ingest.revise import DELETED, NO_FILE, NO_TEXT, OVERWRITTEN, REPLACED
from quoth.ingest.scan import WatchReport
from quoth.ingest.watch import once


def utc() -> Times:
    """Times of a caller in UTC."""
    return Times(Zone("UTC", lambda naive: naive.replace(tzinfo=UTC)))


class Folder:
    """A folder of notes and the memory that follows it."""

    def __init__(self, root: Path, store: Any, access: Access, clock: Any) -> None:
        self.root, self.store, self.access, self.clock = root, store, access, clock
        root.mkdir()

    def write(self, name: str, text: str | bytes) -> Path:
        """Write one file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def look(self, *paths: Path) -> WatchReport:
        """Look at the folder, or at other paths, once."""
        self.clock.advance(minutes=1)
        return once(self.store, self.access, self.clock, Policy(), paths or [self.root], utc())

    def current(self) -> dict[str, RecordId]:
        """Words -> id of every current record."""
        with self.store.read(self.access) as view:
            return {each.testimony.text: each.testimony.id for each in view.records(Status.CURRENT)}

    def documents(self) -> list[str]:
        """Names of living documents below the folder."""
        with self.store.read(self.access) as view:
            return sorted(uri.removeprefix(f"{self.root.as_posix()}/") for uri in view.documents())

    def note(self, record_id: RecordId) -> str:
        """What the last filing of a record says."""
        with self.store.read(self.access) as view:
            filing = view.get(record_id).filing
            assert filing.status is not Status.CURRENT
            return str(filing.note)

    def places(self) -> dict[str, str]:
        """Words -> the file in which a current record stands."""
        with self.store.read(self.access) as view:
            return {
                each.testimony.text: Path(view.observations(each.testimony.id)[-1].uri).name
                for each in view.records(Status.CURRENT)
            }

    def rename(self, *names: str) -> None:
        """Give files other names, one after another: a, b, c is a -> b, then b -> c."""
        for old, new in zip(names[::2], names[1::2], strict=True):
            (self.root / old).rename(self.root / new)

    def entries(self) -> int:
        """How long the chain is."""
        with self.store.read(self.access) as view:
            return sum(head.seq for head in view.heads())


@pytest.fixture
def folder(tmp_path: Path, store: Any, access: Access, clock: Any) -> Iterator[Folder]:
    """An empty folder; in the end, all is as it was sealed."""
    made = Folder(tmp_path.resolve() / "notes", store, access, clock)
    yield made
    found = store.verify(access)
    assert found.clean, (found.problems, found.verdicts)


def counts(report: WatchReport) -> dict[str, int]:
    """What is not zero."""
    names = ("files", "unchanged", "new", "edited", "moved", "deleted", "stored", "superseded", "retracted")
    names += ("held", "refused")
    return {name: getattr(report, name) for name in names if getattr(report, name)}


def test_a_folder_is_taken_over_and_a_second_look_writes_nothing(folder: Folder) -> None:
    """Markdown and text below a folder become documents named by their absolute paths."""
    folder.write("a.md", "# A\n\none\n\n- two\n")
    folder.write("sub/b.txt", "three\n\nfour")
    folder.write("README", "five")
    report = folder.look()
    assert counts(report) == {"files": 3, "new": 3, "stored": 6}
    assert folder.documents() == ["README", "a.md", "sub/b.txt"]
    entries = folder.entries()
    assert counts(folder.look()) == {"files": 3, "unchanged": 3}
    assert entries == folder.entries()


def test_only_what_changed_is_superseded(folder: Folder) -> None:
    """One changed line: new found, old superseded, the others untouched (field case 94)."""
    folder.write("a.md", "one\n\ntwo\n\nthree\n")
    folder.look()
    before = folder.current()
    folder.write("a.md", "zero\n\none\n\n2\n\nthree\n")
    assert counts(folder.look()) == {"files": 1, "edited": 1, "stored": 2, "superseded": 1}
    after = folder.current()
    assert set(after) == {"zero", "one", "2", "three"}
    assert (after["one"], after["three"]) == (before["one"], before["three"])


@pytest.mark.parametrize("text", ["one\n\n", "one\n\ntwo \n", "\n\none\n\ntwo"])
def test_an_edit_that_adds_no_words_is_read_once(folder: Folder, text: str) -> None:
    """White space and removed ends are a new version too: the next look finds the file unchanged."""
    folder.write("a.md", "one\n\ntwo")
    folder.look()
    folder.write("a.md", text)
    assert folder.look().edited == 1
    entries = folder.entries()
    assert counts(folder.look()) == {"files": 1, "unchanged": 1}
    assert entries == folder.entries()


def test_a_deleted_file_is_retracted_without_a_rejection(folder: Folder) -> None:
    """Its records are retracted with a note, and are current again when it comes back."""
    path = folder.write("a.md", "one\n\ntwo")
    folder.write("b.md", "one\n\nthree")
    folder.look()
    before = folder.current()
    path.unlink()
    assert counts(folder.look()) == {"files": 1, "unchanged": 1, "deleted": 1, "retracted": 2}
    assert set(folder.current()) == {"one", "three"}
    with folder.store.read(folder.access) as view:
        assert view.get(before["two"]).filing.note == DELETED
    assert folder.documents() == ["b.md"]
    assert counts(folder.look()) == {"files": 1, "unchanged": 1}
    folder.write("a.md", "one\n\ntwo")
    assert counts(folder.look()) == {"files": 2, "unchanged": 1, "new": 1, "stored": 2}
    assert folder.current()["two"] == before["two"]


def test_an_emptied_file_is_as_good_as_deleted(folder: Folder) -> None:
    """What was in it is retracted; the empty file is counted and read again the next time."""
    folder.write("a.md", "one")
    folder.write("b.md", "two")
    folder.look()
    folder.write("a.md", "\n")
    report = folder.look()
    assert (report.deleted, report.retracted, report.skipped) == (1, 1, {"empty": 1})
    assert set(folder.current()) == {"two"}
    assert folder.look().deleted == 0


def test_a_renamed_file_keeps_its_records(folder: Folder) -> None:
    """The records keep ids and history; an observation names the new place; later edits go on from there."""
    path = folder.write("a.md", "one\n\ntwo\n\nthree")
    folder.look()
    before = folder.current()
    (folder.root / "sub").mkdir()
    path.rename(folder.root / "sub" / "b.md")
    assert counts(folder.look()) == {"files": 1, "moved": 1}
    assert before == folder.current()
    assert folder.documents() == ["sub/b.md"]
    with folder.store.read(folder.access) as view:
        assert [
            each.uri.removeprefix(folder.root.as_posix()) for each in view.observations(before["one"])
        ] == [
            "/a.md",
            "/sub/b.md",
        ]
    entries = folder.entries()
    assert counts(folder.look()) == {"files": 1, "unchanged": 1}
    assert entries == folder.entries()
    folder.write("sub/b.md", "zero\n\none\n\n2\n\nthree")
    assert counts(folder.look()) == {"files": 1, "edited": 1, "stored": 2, "superseded": 1}
    after = folder.current()
    assert (after["one"], after["three"]) == (before["one"], before["three"])
    assert counts(folder.look()) == {"files": 1, "unchanged": 1}


def test_a_copy_at_the_old_place_after_a_move_is_read(folder: Folder) -> None:
    """Move, then copy back: both documents are there (field case 92)."""
    path = folder.write("a.md", "one\n\ntwo")
    folder.look()
    path.rename(folder.root / "b.md")
    folder.look()
    folder.write("a.md", "one\n\ntwo")
    assert counts(folder.look()) == {"files": 2, "unchanged": 1, "new": 1, "stored": 2}
    assert folder.documents() == ["a.md", "b.md"]
    (folder.root / "b.md").unlink()
    assert counts(folder.look()) == {"files": 1, "unchanged": 1, "deleted": 1, "retracted": 2}
    assert set(folder.current()) == {"one", "two"}


def test_two_files_may_swap_a_name(folder: Folder) -> None:
    """A file whose name was taken by another one is found under its new name."""
    folder.write("a.md", "one")
    folder.look()
    (folder.root / "a.md").rename(folder.root / "b.md")
    folder.write("a.md", "two")
    before = folder.current()["one"]
    assert counts(folder.look()) == {"files": 2, "moved": 1, "new": 1, "stored": 1}
    assert folder.places() == {"one": "b.md", "two": "a.md"}
    assert folder.current()["one"] == before
    assert counts(folder.look()) == {"files": 2, "unchanged": 2}


LONG = "The boiler is green and stands in the cellar.\n\nThe shed code is {}.\n"


def test_a_copy_of_a_file_that_is_edited_then_is_no_rename(folder: Folder) -> None:
    """The edited file keeps its records; the copy has records of its own."""
    folder.write("a.md", LONG.format(4711))
    folder.look()
    before = folder.current()
    folder.write("b.md", LONG.format(4711))
    folder.write("a.md", LONG.format(8128))
    assert counts(folder.look()) == {"files": 2, "new": 1, "edited": 1, "stored": 3, "superseded": 1}
    assert folder.note(before["The shed code is 4711."]) == REPLACED
    folder.write("b.md", "")
    folder.look()
    assert folder.current().keys() == {each.strip() for each in LONG.format(8128).split("\n\n")}


CHAINS = [
    ("a.md", "d.md"),
    ("c.md", "d.md", "b.md", "c.md", "a.md", "b.md"),
    ("a.md", "x", "b.md", "a.md", "x", "b.md"),
    ("a.md", "x", "b.md", "a.md", "c.md", "b.md", "x", "c.md"),
    ("a.md", "x", "b.md", "a.md", "x", "b.md", "c.md", "d.md"),
    ("b.md", "d.md", "d.md", "e.md", "a.md", "b.md"),
]


@pytest.mark.parametrize("names", CHAINS, ids=["one", "chain", "swap", "ring", "both", "twice"])
def test_renames_in_a_row_keep_every_record(folder: Folder, names: tuple[str, ...]) -> None:
    """Chains, swaps and rings of names: the same ids at their new places, and nothing else changes."""
    for name in "abc":
        folder.write(f"{name}.md", f"{name} one\n\n{name} two")
    folder.look()
    before, old = folder.current(), folder.places()
    folder.rename(*names)
    report = folder.look()
    want = {
        words: path.name
        for path in folder.root.iterdir()
        for words in path.read_text(encoding="utf-8").split("\n\n")
    }
    moved = sum(1 for words in want if want[words] != old[words]) // 2
    assert counts(report) == {"files": 3, "moved": moved} | ({"unchanged": 3 - moved} if moved < 3 else {})
    assert (folder.current(), folder.places()) == (before, want)
    assert folder.documents() == sorted(set(want.values()))
    entries = folder.entries()
    assert counts(folder.look()) == {"files": 3, "unchanged": 3}
    assert entries == folder.entries()
    for path in folder.root.iterdir():
        path.write_text(path.read_text(encoding="utf-8") + "\n\nmore in " + path.name, encoding="utf-8")
    assert counts(folder.look()) == {"files": 3, "edited": 3, "stored": 3}
    assert before.items() <= folder.current().items()


def test_a_rename_onto_another_note_ends_that_one(folder: Folder) -> None:
    """What stood under the name is retracted, not superseded; what came keeps its records."""
    folder.write("a.md", "one\n\nboth")
    folder.write("b.md", "two\n\nboth and more")
    folder.look()
    before = folder.current()
    folder.rename("a.md", "b.md")
    assert counts(folder.look()) == {"files": 1, "moved": 1, "deleted": 1, "retracted": 2}
    assert folder.current() == {text: before[text] for text in ("one", "both")}
    assert folder.note(before["two"]) == OVERWRITTEN
    folder.write("b.md", "two\n\nboth and more")
    folder.look()
    assert set(folder.current()) == {"two", "both and more"}


@pytest.mark.parametrize("swap", [True, False])
def test_words_that_return_after_a_rename_go_again(folder: Folder, swap: bool) -> None:
    """What once stood under a name that another document has now can come back to it, and go again."""
    folder.write("a.md", "a one\n\na two")
    folder.write("b.md", "b one\n\nb two\n\nb three")
    folder.look()
    folder.write("b.md", "b one\n\nb two")
    folder.look()
    folder.rename("b.md", "x", "a.md", "b.md", "x", "a.md" if swap else "c.md")
    assert folder.look().moved == 2
    folder.write("b.md", "a one\n\na two\n\nb three")
    assert counts(folder.look())["stored"] == 1
    folder.write("b.md", "a one\n\na two\n\nb four")
    assert folder.look().superseded == 1
    assert set(folder.current()) == {"a one", "a two", "b one", "b two", "b four"}


def test_a_rename_that_the_store_does_not_follow_is_read_anew(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where somebody else changed a document meanwhile, its new place is read like any other file."""
    folder.write("a.md", "one")
    folder.write("c.md", "three")
    folder.look()
    folder.rename("a.md", "b.md")
    real = watching._offered

    def offered(scan: Any) -> Any:
        found = real(scan)
        uri = (folder.root / "a.md").as_posix()
        remember(folder.store, folder.access, folder.clock, Policy(), [Document("one!", uri, kind="text")])
        return found

    monkeypatch.setattr(watching, "_offered", offered)
    report = folder.look()
    assert (report.moved, report.new, report.deleted) == (0, 1, 0)
    assert folder.places() == {"one": "b.md", "one!": "a.md", "three": "c.md"}
    monkeypatch.setattr(watching, "_offered", real)
    assert folder.look().deleted == 1


def test_what_is_no_file_any_more_is_gone(folder: Folder) -> None:
    """A link, a folder or a pipe in the place of a note, or in that of its folder, retracts its records."""
    for name in ("link.md", "folder.md", "pipe.md", "sub/deep.md", "stays.md"):
        folder.write(name, name)
    folder.look()
    before = folder.current()
    elsewhere = folder.root.parent / "elsewhere"
    folder.rename("sub", "../elsewhere")
    (folder.root / "sub").symlink_to(elsewhere)
    for name in ("link.md", "folder.md", "pipe.md"):
        (folder.root / name).unlink()
    (folder.root / "link.md").symlink_to(elsewhere / "deep.md")
    (folder.root / "folder.md").mkdir()
    os.mkfifo(folder.root / "pipe.md")
    report = folder.look()
    assert (report.deleted, report.retracted, report.problems) == (4, 4, ())
    assert set(folder.current()) == {"stays.md"}
    assert {NO_FILE} == {folder.note(before[name]) for name in before if name != "stays.md"}
    (folder.root / "link.md").unlink()
    folder.write("link.md", "link.md")
    assert folder.look().stored == 1
    assert folder.current()["link.md"] == before["link.md"]


@pytest.mark.parametrize("raw", [b"\x89PNG\0\0", "caf\u00e9".encode("latin-1")])
def test_a_note_that_is_no_longer_text_is_gone(folder: Folder, raw: bytes) -> None:
    """Its records are retracted with a note, once; text in its place brings them back."""
    folder.write("a.md", "one")
    folder.write("b.md", "two")
    folder.look()
    before = folder.current()
    folder.write("a.md", raw)
    assert counts(folder.look()) == {"files": 1, "unchanged": 1, "deleted": 1, "retracted": 1}
    assert folder.note(before["one"]) == NO_TEXT
    assert folder.look().deleted == 0
    folder.write("a.md", "one")
    folder.look()
    assert folder.current() == before


def test_a_note_that_is_ignored_now_is_kept_and_named(folder: Folder) -> None:
    """Not to read a note again says nothing about its words; deleting it does."""
    for name in ("a.md", "sub/b.md", "sub/c.md"):
        folder.write(name, name)
    folder.look()
    folder.write(".gitignore", "sub/\n")
    report = folder.look()
    assert counts(report) == {"files": 1, "unchanged": 1}
    assert len(report.problems) == 1
    assert "2 documents are hidden or ignored now and kept" in report.problems[0]
    assert "sub/b.md' is the first" in report.problems[0]
    (folder.root / "sub" / "b.md").unlink()
    assert folder.look().deleted == 1
    assert set(folder.current()) == {"a.md", "sub/c.md"}


def test_a_note_that_is_too_large_now_is_kept_and_named(folder: Folder) -> None:
    """What cannot be read says nothing."""
    folder.write("a.txt", "one")
    folder.look()
    folder.write("a.txt", "x" * 20_000_001)
    assert "a.txt' is too large now" in folder.look().problems[0]
    assert set(folder.current()) == {"one"}


def test_front_matter_says_nothing_about_mounts(folder: Folder) -> None:
    """What a note says of a mount point is its own; the program's key cannot stand in a file."""
    head = '---\nmount: {0}\n"\\x01mount": "1:{0}"\n---\n'.format(folder.root.as_posix())
    path = folder.write("a.md", f"{head}\none\n")
    folder.write("b.md", "two")
    folder.look()
    with folder.store.read(folder.access) as view:
        metadata = view.document(path.as_posix()).metadata
    assert metadata.keys() == {"mount", MOUNT}
    assert metadata["mount"] == folder.root.as_posix()
    assert not metadata[MOUNT].endswith(folder.root.as_posix())
    path.unlink()
    assert folder.look().deleted == 1
    assert set(folder.current()) == {"two"}


def test_equal_files_are_moved_one_by_one(folder: Folder) -> None:
    """Of several files with the same words each takes one place; the same name is preferred."""
    for name in ("x/a.md", "x/b.md"):
        folder.write(name, "same")
    folder.look()
    (folder.root / "x").rename(folder.root / "y")
    assert counts(folder.look()) == {"files": 2, "moved": 2}
    with folder.store.read(folder.access) as view:
        moved = {
            tuple(Path(seen.uri).name for seen in view.observations(each.testimony.id))
            for each in view.records(Status.CURRENT)
        }
    assert moved == {("a.md", "a.md"), ("b.md", "b.md")}


def test_what_is_no_note_is_counted(folder: Folder) -> None:
    """Hidden, ignored, linked, binary, foreign and unreadable things are skipped, each under its name."""
    folder.write("a.md", "one")
    folder.write(".hidden.md", "no")
    folder.write(".git/config.md", "no")
    folder.write(".gitignore", "build/\n*.log.txt\n!keep.log.txt\n")
    folder.write("build/out.md", "no")
    folder.write("x.log.txt", "no")
    folder.write("keep.log.txt", "two")
    folder.write("sub/.quothignore", "/secret.md\n")
    folder.write("sub/secret.md", "no")
    folder.write("sub/deep/secret.md", "three")
    folder.write("image.png", b"\x89PNG\0\0")
    folder.write("data.txt", b"a\0b")
    folder.write("code.py", "no = 1")
    folder.write("latin.txt", "café".encode("latin-1"))
    folder.write("blank.md", "  \n")
    folder.write("surrogate.md", b"a\xed\xa0\x80")
    (folder.root / "link.md").symlink_to(folder.root / "a.md")
    (folder.root / "linked").symlink_to(folder.root / "sub")
    os.mkfifo(folder.root / "pipe.md")
    report = folder.look()
    assert report.skipped == {
        "binary": 2,
        "empty": 1,
        "hidden": 4,
        "ignored": 3,
        "not_text": 4,
        "symlink": 2,
    }
    assert set(folder.current()) == {"one", "two", "three"}
    assert len(report.problems) == 2
    assert "latin.txt' is not UTF-8 text (byte 3)" in report.problems[0]
    assert not any("caf" in each for each in report.problems)


def test_a_deeper_ignore_file_has_the_last_word(folder: Folder) -> None:
    """A pattern in a sub-folder overrules one above it; a pattern that makes no sense is a problem."""
    folder.write(".gitignore", "*.txt\n!!\n")
    folder.write("sub/.ignore", "!b.txt\n")
    folder.write("sub/a.txt", "a")
    folder.write("sub/b.txt", "b")
    folder.look()
    assert folder.documents() == ["sub/b.txt"]


def test_a_file_that_is_too_large_is_counted(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file over the gate's limit is not kept."""
    folder.write("a.txt", "x" * 20_000_001)
    assert folder.look().skipped == {"too_large": 1}


def test_a_root_that_is_gone_retracts_nothing(folder: Folder) -> None:
    """A missing root says nothing about what was in it."""
    folder.write("a.md", "one")
    folder.look()
    folder.root.rename(folder.root.with_name("elsewhere"))
    report = folder.look()
    assert counts(report) == {}
    assert len(report.problems) == 1
    assert "no such file or folder" in report.problems[0]
    assert "1 documents are kept" in report.problems[0]
    assert set(folder.current()) == {"one"}


def test_the_last_note_can_be_deleted(folder: Folder) -> None:
    """An empty root on the file system on which its notes were read is a root without notes."""
    folder.write("sub/a.md", "one")
    folder.look()
    (folder.root / "sub" / "a.md").unlink()
    (folder.root / "sub").rmdir()
    report = folder.look()
    assert counts(report) == {"deleted": 1, "retracted": 1}
    assert report.problems == ()
    assert folder.current() == {}


@pytest.mark.parametrize("how", ["unmounted", "mounted over", "other disk", "not watched"])
def test_an_empty_root_retracts_nothing(folder: Folder, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """An empty root may be unmounted, or hidden below another file system."""
    mounted = {folder.root} if how in ("unmounted", "other disk") else set()
    real = Path.is_mount
    monkeypatch.setattr(Path, "is_mount", lambda path: path in mounted or real(path))
    path = folder.write("a.md", "one")
    if how == "not watched":
        document = Document("one", path.as_posix(), kind="markdown")
        remember(folder.store, folder.access, folder.clock, Policy(), [document])
    folder.look()
    path.unlink()
    if how == "unmounted":
        mounted.clear()
    elif how == "mounted over":
        mounted.add(folder.root)
    elif how == "other disk":
        stat = Path.stat

        def other(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
            found = stat(path, follow_symlinks=follow_symlinks)
            return os.stat_result((*found[:2], 4711, *found[3:])) if path == folder.root else found

        monkeypatch.setattr(Path, "stat", other)
    report = folder.look()
    assert counts(report) == {}
    assert "is empty (unmounted?); its 1 documents are kept" in report.problems[0]
    assert set(folder.current()) == {"one"}


def test_an_unmounted_part_retracts_nothing(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder inside that was a mount point and is none now says nothing about what was on it."""
    disk = folder.root / "disk"
    mounted = {disk}
    real = Path.is_mount
    monkeypatch.setattr(Path, "is_mount", lambda path: path in mounted or real(path))
    folder.write("disk/a.md", "one")
    folder.write("b.md", "two")
    folder.look()
    mounted.clear()
    (disk / "a.md").unlink()
    report = folder.look()
    assert report.deleted == 0
    assert "disk' is not mounted" in report.problems[0]
    assert set(folder.current()) == {"one", "two"}
    mounted.add(disk)
    assert folder.look().deleted == 1


def test_an_unreadable_folder_retracts_nothing(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the names cannot be listed, nothing is known to be gone."""
    folder.write("sub/a.md", "one")
    folder.write("b.md", "two")
    folder.look()
    real = os.scandir

    def scandir(path: Any) -> Any:
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    report = folder.look()
    assert counts(report) == {"files": 1, "unchanged": 1}
    assert report.skipped == {"unreadable": 1}
    assert "sub' cannot be read: Permission denied" in report.problems[0]
    assert set(folder.current()) == {"one", "two"}


def test_a_path_that_never_was_is_a_mistake(folder: Folder) -> None:
    """Nothing is written when one of the paths is not there."""
    folder.write("a.md", "one")
    with pytest.raises(InvalidInput, match=r"no such file or folder: '.*missing'"):
        folder.look(folder.root, folder.root / "missing")
    assert folder.entries() == 0


def test_a_single_file_may_be_watched(folder: Folder) -> None:
    """A root may be a file; its neighbours are left alone."""
    path = folder.write("a.md", "one")
    folder.write("a.md.txt", "two")
    folder.look(path)
    assert set(folder.current()) == {"one"}
    path.unlink()
    assert "1 documents are kept" in folder.look(path).problems[0]


def test_a_root_is_one_place_by_all_its_names(folder: Folder) -> None:
    """A link to the root, and a root inside another one, name the same documents."""
    folder.write("sub/a.md", "one")
    link = folder.root.with_name("link")
    link.symlink_to(folder.root)
    folder.look(link, folder.root, folder.root / "sub")
    assert counts(folder.look(folder.root)) == {"files": 1, "unchanged": 1}
    assert folder.documents() == ["sub/a.md"]


def test_a_note_saved_during_the_scan_is_kept(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered or written while the scan runs is never taken for deleted (field case 86)."""
    folder.write("a.md", "one")
    folder.look()
    real = watching.walk
    late: list[str] = []

    def walk(root: Path) -> Any:
        found = real(root)
        name = f"late-{len(late)}.md"
        late.append(name)
        folder.write(name, name)
        uri = (folder.root / name).as_posix()
        remember(folder.store, folder.access, folder.clock, Policy(), [Document(name, uri, kind="markdown")])
        return found

    monkeypatch.setattr(watching, "walk", walk)
    for _ in range(10):
        assert folder.look().deleted == 0
    assert set(folder.current()) == {"one", *late}


def test_a_file_that_moves_during_the_scan_is_moved_the_next_time(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is gone between listing and reading is left for the next look."""
    path = folder.write("a.md", "one")
    folder.look()
    before = folder.current()
    real = watching.walk

    def walk(root: Path) -> Any:
        found = real(root)
        path.rename(folder.root / "b.md")
        return found

    monkeypatch.setattr(watching, "walk", walk)
    assert counts(folder.look()) == {}
    monkeypatch.setattr(watching, "walk", real)
    assert counts(folder.look()) == {"files": 1, "moved": 1}
    assert before == folder.current()


def test_a_file_that_comes_back_before_the_end_is_not_retracted(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor that saves by renaming leaves a moment without the file."""
    path = folder.write("a.md", "one")
    folder.write("b.md", "two")
    folder.look()
    real = watching._delete
    path.unlink()

    def delete(scan: Any) -> None:
        folder.write("a.md", "one, edited")
        real(scan)

    monkeypatch.setattr(watching, "_delete", delete)
    assert folder.look().deleted == 0
    assert set(folder.current()) == {"one", "two"}
    assert folder.look().edited == 1


def test_many_files_share_transactions(folder: Folder) -> None:
    """A large folder is taken over in batches, and progress is told file by file."""
    for at in range(300):
        folder.write(f"{at:03}.md", "\n\n".join(f"note {at} {part} " + "x" * 300 for part in range(5)))
    told: list[tuple[int, int]] = []
    opened = 0

    class Counting:
        read = folder.store.read

        def write(self, access: Access) -> Any:
            nonlocal opened
            opened += 1
            return folder.store.write(access)

    report = once(
        Counting(),  # type: ignore[arg-type]
        folder.access,
        folder.clock,
        Policy(),
        [folder.root],
        utc(),
        lambda done, total: told.append((done, total)),
    )
    assert counts(report) == {"files": 300, "new": 300, "stored": 1_500}
    assert told == [(at, 300) for at in range(1, 301)]
    assert opened < 10


def test_a_name_that_is_not_utf_8_is_skipped(folder: Folder) -> None:
    """A name that cannot be a uri costs one file and is shown escaped."""
    with open(os.fsencode(folder.root) + b"/\xff.md", "w") as file:  # noqa: PTH123
        file.write("one")
    report = folder.look()
    assert report.skipped == {"unreadable": 1}
    assert "udcff" in report.problems[0]


# -- what a person decided --------------------------------------------------------------------

CODE, TAP, LAMP = "The shed code is 4711.", "The tap drips.", "The lamp is off."


def entries(folder: Folder) -> int:
    """How long the chain is."""
    with folder.store.read(folder.access) as view:
        return sum(head.seq for head in view.heads())


def test_forgotten_words_stay_so_however_often_a_file_repeats_them(folder: Folder) -> None:
    """The file is edited, copied and moved: its forgotten paragraph is held; else nothing is written."""
    path = folder.write("a.md", f"{CODE}\n\n{TAP}\n")
    folder.look()
    forget(folder.store, folder.access, folder.clock, folder.current()[CODE], "the lock is gone")
    before = entries(folder)
    assert ({"files": 1, "unchanged": 1}, before) == (counts(folder.look()), entries(folder))
    folder.write("a.md", f"{LAMP}\n\n{CODE}\n\n{TAP}\n")
    folder.write("b.md", f"{CODE}\n")
    report = folder.look()
    assert (2, 1) == (report.held, report.new)
    assert {Result.HELD} == {each.outcome for each in report.outcomes}
    assert ["the lock is gone" in each.why for each in report.outcomes] == [True, True]
    path.rename(folder.root / "c.md")
    folder.look()
    before = entries(folder)
    assert ({"files": 2, "unchanged": 2}, before) == (counts(folder.look()), entries(folder))
    assert {TAP, LAMP} == set(folder.current())


def test_a_paragraph_that_left_and_was_forgotten_elsewhere_does_not_return(folder: Folder) -> None:
    """Words that went from a file and were rejected at another place are held when they are there again."""
    folder.write("a.md", f"{CODE}\n\n{TAP}\n")
    folder.look()
    folder.write("a.md", f"{TAP}\n")
    folder.write("b.md", f"{CODE}\n")
    folder.look()
    forget(folder.store, folder.access, folder.clock, folder.current()[CODE], "the lock is gone")
    folder.write("a.md", f"{CODE}\n\n{TAP}\n")
    assert (1, {TAP}) == (folder.look().held, set(folder.current()))


def test_reinstated_words_are_current_again(folder: Folder) -> None:
    """After a lift the next look finds the file as it was."""
    folder.write("a.md", f"{CODE}\n\n{TAP}\n")
    folder.look()
    id = folder.current()[CODE]
    folder.clock.advance(minutes=1)
    forget(folder.store, folder.access, folder.clock, id, "wrong")
    folder.clock.advance(minutes=1)
    reinstate(folder.store, folder.access, folder.clock, id)
    assert {"files": 1, "unchanged": 1} == counts(folder.look())
    assert {CODE, TAP} == set(folder.current())


def test_erased_words_never_enter_a_stored_body(folder: Folder) -> None:
    """A file with erased paragraphs is kept without them, and the same look twice writes nothing."""
    path = folder.write("a.md", f"{CODE}\n\n{TAP}\n")
    folder.write("b.md", f"{LAMP}\n\n{CODE}\n")
    folder.look()
    folder.clock.advance(minutes=1)
    erase(folder.store, folder.access, folder.current()[CODE], "private", dry_run=False)
    before = entries(folder)
    assert ({"files": 2, "unchanged": 2}, before) == (counts(folder.look()), entries(folder))
    folder.write("c.md", f"{CODE}\n\nIt rains.\n")
    report = folder.look()
    assert (1, 1, 1) == (report.new, report.stored, report.refused)
    path.write_text(f"{CODE}\n\n{TAP}\n\nIt is late.\n", encoding="utf-8")
    assert {"files": 3, "unchanged": 2, "edited": 1, "stored": 1, "refused": 1} == counts(folder.look())
    path.rename(folder.root / "d.md")
    assert {"files": 3, "unchanged": 2, "moved": 1} == counts(folder.look())
    before = entries(folder)
    assert ({"files": 3, "unchanged": 3}, before) == (counts(folder.look()), entries(folder))
    with folder.store.read(folder.access) as view:
        assert [] == [uri for uri in view.documents() if CODE in view.document(uri).text]
    assert {TAP, LAMP, "It rains.", "It is late."} == set(folder.current())


def test_a_file_of_erased_words_alone_is_read_past(folder: Folder) -> None:
    """Nothing of it is kept; every look counts it as skipped, and only the first writes."""
    folder.write("a.md", f"{CODE}\n")
    folder.look()
    folder.clock.advance(minutes=1)
    erase(folder.store, folder.access, folder.current()[CODE], "private", dry_run=False)
    folder.write("b.md", f"{CODE}\n")
    assert {"erased": 2} == folder.look().skipped
    before = entries(folder)
    assert ({"erased": 2}, before) == (folder.look().skipped, entries(folder))


def test_a_contradiction_between_files_is_reported(folder: Folder) -> None:
    """The report names the record that it speaks against, and the item of the queue that asks."""
    folder.write("a.md", f"{CODE}\n")
    folder.look()
    old = folder.current()[CODE]
    folder.write("b.md", "The shed code is 8128.\n")
    (outcome,) = folder.look().outcomes
    assert outcome.conflict is not None
    assert (old, "number") == (outcome.conflict.record_id, outcome.conflict.on)
    before = entries(folder)
    folder.look()
    assert before == entries(folder)


def test_a_correction_of_a_paragraph_outlives_its_file(folder: Folder) -> None:
    """The file goes on saying the old words, and the correction stands."""
    folder.write("a.md", f"{CODE}\n\n{TAP}\n")
    folder.look()
    memory = (folder.store, folder.access, folder.clock)
    saying = partial(say, access=folder.access, clock=folder.clock, policy=Policy())
    correct(*memory, saying, folder.current()[CODE], "The shed code is 8128.", "a new lock")
    folder.write("a.md", f"{LAMP}\n\n{CODE}\n\n{TAP}\n")
    folder.look()
    assert {LAMP, TAP, "The shed code is 8128."} == set(folder.current())
