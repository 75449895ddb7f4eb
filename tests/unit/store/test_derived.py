"""The derived files: whatever happens to them, answers stay those of an intact store, or it says so."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quoth.core.types import AsOf, Status
from quoth.store.vectors import Damaged, Outdated, State

from .conftest import NOTES

pytestmark = pytest.mark.usefixtures("small_blocks")

FILES = ("state", "columns", "words", "postings", "owners", "pieces", "scales", "matrix")


@pytest.fixture
def intact(desk: Any) -> list[object]:
    """The answers of an intact store, which is closed then."""
    store = desk.filled()
    found: list[object] = desk.answers(store)
    store.close()
    return found


def sound(desk: Any, intact: list[object]) -> tuple[str, ...]:
    """Open the store, compare every answer and verify it; its notices."""
    store = desk.open()
    assert intact == desk.answers(store)
    with store.read(desk.access) as view:
        notices = view.notices()
    result = store.verify(desk.access)
    assert ("ok", (), True) == (result.index, result.problems, result.clean)
    store.close()
    return tuple(notices)


def test_nothing_to_say_of_intact_files(desk: Any, intact: list[object]) -> None:
    """A store whose derived files are whole is opened without a notice."""
    assert () == sound(desk, intact)
    assert set(FILES) <= {each.name for each in (desk.folder / "vectors").iterdir()}


def chopped(path: Path) -> None:
    """The second half of a file is lost."""
    os.truncate(path, path.stat().st_size // 2)


def emptied(path: Path) -> None:
    """A file without a byte."""
    path.write_bytes(b"")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("harm", [Path.unlink, chopped, emptied], ids=["deleted", "chopped", "emptied"])
def test_a_lost_file_is_made_again(
    desk: Any, intact: list[object], name: str, harm: Callable[[Path], None]
) -> None:
    """A derived file that is gone or too short is made again, and the notices say so."""
    harm(desk.folder / "vectors" / name)
    assert ["made again" in each for each in sound(desk, intact)] == [True]
    assert () == sound(desk, intact)


def turned(path: Path) -> None:
    """One bit is another one."""
    raw = bytearray(path.read_bytes())
    raw[0] ^= 1
    path.write_bytes(bytes(raw))


def zeroed(path: Path) -> None:
    """Every byte is zero, as after a loss of power."""
    path.write_bytes(bytes(path.stat().st_size))


def replaced(path: Path) -> None:
    """A folder stands in the place of the file."""
    path.unlink()
    (path / "more").mkdir(parents=True)


def overlong(path: Path) -> None:
    """Bytes follow that nobody wrote."""
    path.write_bytes(path.read_bytes() + bytes(9999))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("harm", [turned, zeroed, replaced], ids=lambda each: each.__name__)
def test_a_damaged_file_is_made_again(
    desk: Any, intact: list[object], name: str, harm: Callable[[Path], None]
) -> None:
    """A derived file of the right size with other content is made again, and the notices say so."""
    harm(desk.folder / "vectors" / name)
    assert ["made again" in each for each in sound(desk, intact)] == [True]
    assert () == sound(desk, intact)


@pytest.mark.parametrize("name", FILES)
def test_bytes_too_many_do_no_harm(desk: Any, intact: list[object], name: str) -> None:
    """Nothing behind what is published is looked at."""
    overlong(desk.folder / "vectors" / name)
    assert () == sound(desk, intact)


@pytest.mark.parametrize("name", [*FILES, "lock", "state.new"])
@pytest.mark.parametrize("harm", [turned, replaced, overlong], ids=lambda each: each.__name__)
def test_rebuild_survives_any_damage(
    desk: Any, intact: list[object], name: str, harm: Callable[[Path], None]
) -> None:
    """Whatever stands in the folder, `rebuild` makes it whole."""
    path = desk.folder / "vectors" / name
    if not path.exists() or not path.stat().st_size:
        path.write_bytes(b"?")
    harm(path)
    store = desk.open()
    store.rebuild()
    store.close()
    assert () == sound(desk, intact)


@pytest.mark.parametrize("name", ["words", "postings", "owners", "pieces", "scales", "matrix"])
def test_damage_is_seen_by_verify(desk: Any, intact: list[object], name: str) -> None:
    """Bits turned in a file are named by `verify`, before or while it is in use; the next read mends it."""
    path = desk.folder / "vectors" / name
    for open_before in (False, True):
        store = desk.open()
        if open_before:
            assert intact == desk.answers(store)
        raw = path.read_bytes()
        with path.open("r+b") as file:
            file.write(bytes([raw[0] ^ 1]))
        result = store.verify(desk.access)
        assert ("damaged", False) == (result.index, result.clean)
        assert [f"the derived file {name!r} differs from the rows: quoth index rebuild"] == list(
            result.problems
        )
        assert intact == desk.answers(store)
        with store.read(desk.access) as view:
            assert ["made again" in each for each in view.notices()] == [True]
        assert store.verify(desk.access).clean
        store.close()


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_store_is_not_taken(
    desk: Any, other_desk: Any, intact: list[object], name: str
) -> None:
    """One file of the same size from another store is seen, and made again."""
    notes = {each: text.replace("heron", "raven") for each, text in NOTES.items()}
    other = other_desk.filled(notes)
    other_desk.answers(other)
    other.close()
    stolen, path = (other_desk.folder / "vectors" / name).read_bytes(), desk.folder / "vectors" / name
    if stolen == path.read_bytes():
        pytest.skip("both stores have the same one")
    path.write_bytes(stolen)
    assert ["made again" in each for each in sound(desk, intact)] == [True]


@pytest.mark.parametrize("size", [0, 1, 20, 51])
def test_a_torn_state_record_is_seen(desk: Any, intact: list[object], size: int) -> None:
    """A state record of which only a part was written is not believed."""
    os.truncate(desk.folder / "vectors" / "state", size)
    assert ["made again" in each for each in sound(desk, intact)] == [True]


@pytest.mark.parametrize("version", [1, 2, 99])
def test_files_of_another_version_are_made_again_in_silence(
    desk: Any, intact: list[object], monkeypatch: pytest.MonkeyPatch, caplog: Any, version: int
) -> None:
    """Derived files that another version of Quoth made are no damage: made again, and nobody is told."""
    path = desk.folder / "vectors" / "state"
    store = path.read_bytes()[8:24]
    state = State.unpack(path.read_bytes(), store)
    with monkeypatch.context() as patch:
        patch.setattr("quoth.store.vectors._VERSION", version)
        path.write_bytes(state.pack(store))
    with pytest.raises(Outdated):
        State.unpack(path.read_bytes(), store)
    with (desk.folder / "vectors" / "columns").open("r+b") as columns:
        columns.write(b"rows of another shape")
    with caplog.at_level(logging.WARNING):
        assert () == sound(desk, intact)
    assert [] == caplog.records
    State.unpack(path.read_bytes(), store)


def test_files_of_another_store_are_not_taken(desk: Any, other_desk: Any, intact: list[object]) -> None:
    """Derived files copied from another store are seen to be that one's, and made again."""
    other = other_desk.filled({"other.md": "Nothing of this.\n\nIs in the first store.\n\nNot a word."})
    other_desk.answers(other)
    other.close()
    for name in FILES:
        stolen = (other_desk.folder / "vectors" / name).read_bytes()
        (desk.folder / "vectors" / name).write_bytes(stolen)
    assert ["made again" in each for each in sound(desk, intact)] == [True]


def test_a_restored_database_is_seen(desk: Any, intact: list[object]) -> None:
    """The database of yesterday beside the derived files of today: answers are yesterday's."""
    backup = (desk.folder / "quoth.db").read_bytes()
    store = desk.open()
    desk.keep(store, {"later.md": "A heron came later.\n\nAnd another heron."})
    desk.answers(store)
    store.close()
    (desk.folder / "quoth.db").write_bytes(backup)
    store = desk.open()
    assert intact == desk.answers(store)
    assert "ok" == store.verify(desk.access).index
    desk.keep(store, {"else.md": "A heron that stands elsewhere.\n\nThird one.\n\nFourth."})
    after = desk.answers(store)
    assert "ok" == store.verify(desk.access).index
    store.rebuild()
    assert after == desk.answers(store)


@contextmanager
def full_disk(monkeypatch: pytest.MonkeyPatch, *, everything: bool) -> Iterator[None]:
    """No byte can be written below `vectors`: not made longer, or not even opened for writing."""
    real_open = os.open

    def refused(path: Any, flags: int, *more: Any) -> int:
        if "vectors" in str(path) and flags & (os.O_RDWR | os.O_WRONLY):
            raise OSError(errno.EROFS, "Read-only file system")
        return real_open(path, flags, *more)

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full)
        if everything:
            patch.setattr(os, "open", refused)
        yield


@pytest.mark.parametrize("everything", [False, True], ids=["full", "read-only"])
def test_what_cannot_be_written_is_kept_in_memory(
    desk: Any, intact: list[object], monkeypatch: pytest.MonkeyPatch, caplog: Any, everything: bool
) -> None:
    """A full disk or a read-only folder: the same answers come from memory, which is said once."""
    for name in FILES:
        (desk.folder / "vectors" / name).unlink()
    store = desk.open()
    with full_disk(monkeypatch, everything=everything), caplog.at_level(logging.WARNING):
        assert intact == desk.answers(store)
        with store.read(desk.access) as view:
            assert ["kept in memory" in each for each in view.notices()] == [True]
        desk.keep(store, {"more.md": "One more heron."})
        more = desk.answers(store)
        assert more != intact
        assert store.verify(desk.access).clean
        store.close()
    again = desk.open()
    assert more == desk.answers(again)


def test_an_index_in_memory_equals_one_in_files(desk: Any, intact: list[object], clock: Any) -> None:
    """After refilings too, whatever is asked at any moment is the same with files, from memory, rebuilt."""
    store = desk.open()
    then = clock.now()
    clock.advance(hours=1)
    with store.read(desk.access) as view:
        records = list(view.records())
    with store.write(desk.access) as writer:
        for record in records[::2]:
            writer.refile(replace(record.filing, revision=2, status=Status.RETRACTED, filed_at=clock.now()))
    now, before = desk.answers(store), desk.answers(store, AsOf(system=then))
    assert intact == before
    assert now != before
    store.rebuild()
    assert (now, before) == (desk.answers(store), desk.answers(store, AsOf(system=then)))


def test_a_vector_that_comes_late_takes_its_place(desk: Any) -> None:
    """Passages embedded in another order, in batches, give the answers of those embedded at once."""
    store = desk.open()
    desk.keep(store, {"birds.md": "A heron stood in the reeds.\n\nA crane flew over it."}, embed=False)
    desk.answers(store)
    waiting = store.unembedded(desk.access, 9)
    for passage, text in reversed(waiting):
        with store.write(desk.access) as view:
            view.index(desk.embedder.name, [(passage, desk.embedder.embed([text], "passage")[0])])
        desk.answers(store)
    late = desk.answers(store)
    store.rebuild()
    assert late == desk.answers(store)
    assert "ok" == store.verify(desk.access).index


# --- the files themselves ----------------------------------------------------------------------------


def test_a_state_record_comes_back() -> None:
    """`unpack` is the inverse of `pack`, for the store that it was packed for."""
    state = State(
        generation=2**32 - 1,
        model=3,
        passages=10**9,
        terms=10**12,
        vectors=7,
        sums=(b"", b"1234", *[b"12345678"] * 5),
    )
    raw = state.pack(bytes(16))
    assert state == State.unpack(raw, bytes(16))
    with pytest.raises(Damaged):
        State.unpack(raw, bytes([1]) * 16)


def test_every_changed_byte_of_a_state_record_is_seen() -> None:
    """No byte of a state record can change or be lost unseen; what follows is not looked at."""
    raw = State(generation=1, passages=5, terms=9).pack(bytes(16))
    wrong = [
        raw[:-1],
        b"",
        *(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :] for at in range(len(raw))),
    ]
    for each in wrong:
        with pytest.raises(Damaged):
            State.unpack(each, bytes(16))
    assert State.unpack(raw, bytes(16)) == State.unpack(raw + b"more", bytes(16))


def test_files_are_private(desk: Any, intact: list[object]) -> None:
    """Every file of a store has mode 0600, every folder 0700."""
    assert intact
    for each in (desk.folder, *desk.folder.rglob("*")):
        assert (0o700 if each.is_dir() else 0o600) == each.stat().st_mode & 0o777, each
