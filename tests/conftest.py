"""What every test may ask for: a clock that stands still, stores, a memory, and no network."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from socket import AF_INET, AF_INET6
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from quoth.core.policy import Policy
from quoth.core.types import Access, Actor, ActorKind, Authority, Scope
from quoth.inference.hashed import HashEmbedder

if TYPE_CHECKING:
    from quoth.memory import Memory
    from quoth.store.sqlite import SqliteStore

# --- one seed each -------------------------------------------------------------------------------

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, database=None)
settings.register_profile(
    "campaign", deadline=None, max_examples=2_000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("QUOTH_TEST_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--campaign` runs the long form of the fault tests (script/campaign)."""
    parser.addoption("--campaign", action="store_true", help="run the long form of the fault tests")


# --- no network ----------------------------------------------------------------------------------


class NetworkGuard:
    """Refuses AF_INET and AF_INET6 sockets in this process, whoever opens them.

    An audit hook cannot be taken away again, so it is added once and asks this object.
    """

    loopback = False

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        """Raise on the events that lead to the network."""
        if event == "socket.__new__" and args[1] in (AF_INET, AF_INET6) and not self.loopback:
            raise PermissionError("a test opened a network socket")
        if event in ("socket.connect", "socket.bind", "socket.sendto"):
            self._address(args[1])
        if event == "socket.getaddrinfo" and args[0] not in (None, "127.0.0.1", "::1", "localhost"):
            raise PermissionError(f"a test resolved a name: {args[0]!r}")

    def _address(self, address: object) -> None:
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise PermissionError(f"a test reached for the network: {address!r}")


GUARD = NetworkGuard()
sys.addaudithook(GUARD)


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest) -> Iterator[None]:
    """Network sockets are refused; a test marked `loopback` may use 127.0.0.1."""
    GUARD.loopback = request.node.get_closest_marker("loopback") is not None
    yield
    GUARD.loopback = False


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting, key or home folder of the person who runs the tests is seen."""
    for name in list(os.environ):
        if name.startswith("QUOTH_") and not name.startswith("QUOTH_TEST_"):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    for name, folder in {
        "HOME": home,
        "XDG_DATA_HOME": home / "data",
        "XDG_CONFIG_HOME": home / "config",
        "XDG_CACHE_HOME": home / "cache",
    }.items():
        monkeypatch.setenv(name, str(folder))


# --- other processes -----------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parent.parent

_GUARDED = """
import runpy, sys
def guard(event, args):
    if event == "socket.__new__" and args[1] in (2, 10):
        raise PermissionError("a network socket was opened")
sys.addaudithook(guard)
sys.argv[:] = sys.argv[1:]
"""
"""2 and 10 are AF_INET and AF_INET6 on Linux; `socket` itself must not be imported for this."""

Run = Callable[..., subprocess.CompletedProcess[str]]


def guarded(code: str) -> list[str]:
    """A command that runs this code in a fresh Python in which network sockets are refused."""
    return [sys.executable, "-c", _GUARDED + code, "-"]


@pytest.fixture
def quoth_cli(tmp_path: Path) -> Run:
    """Run the command line in a fresh process without a network: ``quoth_cli("recall", "who?")``.

    The store is in `tmp_path / "store"` unless `env` says otherwise.
    """

    def run(
        *arguments: str, env: dict[str, str] | None = None, stdin: str = "", wrap: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        program = guarded("runpy.run_module('quoth', run_name='__main__', alter_sys=True)")
        return subprocess.run(
            [*wrap, *program, *arguments],
            env=os.environ | {"QUOTH_STORE": str(tmp_path / "store")} | (env or {}),
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=tmp_path,
            timeout=300,
            check=False,
        )

    return run


# --- time ----------------------------------------------------------------------------------------


class FixedClock:
    """A clock that stands still until it is moved."""

    def __init__(self, start: datetime = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)) -> None:
        self.time = start

    def now(self) -> datetime:
        """The moment that was set."""
        return self.time

    def advance(self, **by: float) -> datetime:
        """Move by a `timedelta`: ``clock.advance(days=1)``; negative goes back."""
        self.time += timedelta(**by)
        return self.time


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands still."""
    return FixedClock()


# --- who asks ------------------------------------------------------------------------------------

OWNER = Actor("ana", ActorKind.HUMAN, Authority.OWNER)


def access_to(*scopes: str, actor: Actor = OWNER, surface: str = "python") -> Access:
    """Read and write these scopes; the first one is home."""
    names = frozenset(Scope(name) for name in scopes)
    return Access(actor=actor, reads=names, writes=names, home=Scope(scopes[0]), surface=surface)


@pytest.fixture
def access() -> Access:
    """The access of a person to their own scope."""
    return access_to("user:ana")


@pytest.fixture
def foreign() -> Access:
    """Somebody else's access to somebody else's scope."""
    return access_to("user:ben", actor=Actor("ben", ActorKind.HUMAN, Authority.OWNER))


# --- stores and memories -------------------------------------------------------------------------

EMBEDDER = HashEmbedder(dimensions=64)
"""A bag of hashed words: near for texts that share words, the same in every process."""


@pytest.fixture
def embedder() -> HashEmbedder:
    """The test embedder, the one whose vectors `store` takes."""
    return EMBEDDER


def _sqlite(folder: Path | None, clock: FixedClock) -> SqliteStore:
    from quoth.store.sqlite import SqliteStore

    return SqliteStore(
        folder,
        clock=clock,
        embedder_name=EMBEDDER.name,
        policy=Policy(),
    )


STORES: dict[str, Callable[[Path, FixedClock], SqliteStore]] = {
    "sqlite-memory": lambda _, clock: _sqlite(None, clock),
    "sqlite-file": lambda tmp_path, clock: _sqlite(tmp_path / "store", clock),
}
"""Every store there is; each test that takes `store` runs on each. A new store is one line here."""

_ASKED = os.environ.get("QUOTH_TEST_STORE", "")


@pytest.fixture(params=[name for name in STORES if _ASKED in ("", name)])
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock) -> Iterator[SqliteStore]:
    """An empty store of each kind."""
    with closing(STORES[request.param](tmp_path, clock)) as made:
        yield made


@pytest.fixture
def restart(
    request: pytest.FixtureRequest, store: SqliteStore, tmp_path: Path, clock: FixedClock
) -> Callable[[], SqliteStore]:
    """Closes the store and opens it again; one in memory goes on, as its process does."""

    def again() -> SqliteStore:
        if store.folder is None:
            return store
        store.close()
        opened = STORES[request.node.callspec.params["store"]](tmp_path, clock)
        request.addfinalizer(opened.close)
        return opened

    return again


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory on disk with the hash embedder, opened as a user would."""
    import quoth

    with quoth.open(tmp_path / "memory", actor="ana", scope="user:ana", embedder="hash") as opened:
        yield opened
