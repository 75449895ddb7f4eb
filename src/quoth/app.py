"""The composition root: settings, store and model become a `Memory`; only here is an adapter named."""

from __future__ import annotations

import getpass
import logging
import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from quoth import settings as layers
from quoth.core import rules
from quoth.core.errors import InvalidInput, QuothError, StoreUnavailable, Unavailable
from quoth.core.times import Zone
from quoth.core.types import Access, Actor, ActorKind, Authority, Receipt

if TYPE_CHECKING:
    from quoth.core.policy import Policy
    from quoth.core.ports import Clock, Embedder, Store
    from quoth.memory import Memory

Setting = layers.Setting

log = logging.getLogger(__name__)
logging.getLogger("quoth").addHandler(logging.NullHandler())  # a program says where warnings go, not we

IN_MEMORY = ":memory:"
WORDS_ONLY = "none"


class SystemClock:
    """The time of this machine."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Where:
    """Where everything lies, for whoever asks: an agent must not have to guess."""

    store: str
    database: str | None
    """None: in memory."""
    vectors: str | None
    head: str | None
    settings: str
    project_settings: str | None
    """The `.quoth.toml` that counts here."""
    scope: str
    actor: str
    embedder: str
    exists: bool
    records: int | None
    """Records that the scope holds; None where the store cannot be read."""
    problem: str | None
    """Why it cannot be read."""


def open(
    store: str | os.PathLike[str] | None = None,
    *,
    actor: str | None = None,
    scope: str | None = None,
    embedder: str | Embedder | None = None,
    surface: str = "python",
    clock: Clock | None = None,
    one_shot: bool = False,
    create: bool = True,
    settings: Mapping[str, object] | None = None,
) -> Memory:
    """Open a memory; what is not given comes from the settings.

    `store` is a folder, made where it is not there (`":memory:"`: nothing is kept); `actor` defaults to
    the operating system's user, who acts as owner; `scope` is the one that is read and written;
    `embedder` is a name (`"none"`: words only) or an `Embedder`. `one_shot` loads a model for a single
    use: faster to start, slower to run. Without `create`, a store that is not there is not made: it
    answers as an empty one and takes nothing (`AccessDenied`). `settings` are further values, as in
    `quoth.toml`: ``{"recall": {"k": 3}}``.
    Raises `SettingsError`, `InvalidInput`, `StoreUnavailable`, `IntegrityError`.
    """
    from quoth.memory import Memory, Parts
    from quoth.store.sqlite import SqliteStore

    name = embedder if isinstance(embedder, str) else None
    chosen = _load(store, actor, scope, name, settings).settings
    access = _access(chosen, surface)
    if embedder is None or isinstance(embedder, str):
        model = _embedder(chosen.embedder, one_shot)
    else:
        model = _given(embedder)
    time = clock or SystemClock()
    folder = _folder(chosen)
    if not create and folder is not None and not _is_there(folder, "quoth.db", "head"):
        folder, access = None, replace(access, writes=frozenset())
    kept = SqliteStore(folder, clock=time, embedder_name=model.name if model else None, policy=chosen.policy)
    parts = Parts(
        store=kept,
        access=access,
        watching=_job(access, "watch"),
        importing=_job(access, "import"),
        embedder=model,
        clock=time,
        policy=chosen.policy,
        zone=_zone(chosen.zone),
        vectors=_Vectors(kept, access, model, chosen.policy),
    )
    return Memory(parts)


def where(
    store: str | os.PathLike[str] | None = None,
    *,
    actor: str | None = None,
    scope: str | None = None,
    embedder: str | None = None,
) -> Where:
    """Where the store and the settings lie and who would act; makes nothing."""
    chosen = _load(store, actor, scope, embedder, None).settings
    access = _access(chosen, "python")
    folder = _folder(chosen)
    exists = folder is not None and _is_there(folder, "quoth.db")
    records, problem = 0 if not exists else None, None
    if exists:
        try:
            with open(folder, actor=actor, scope=scope, embedder=WORDS_ONLY) as memory:
                records = memory.status().records
        except QuothError as error:
            problem = str(error)
    project = _project()
    return Where(
        store=IN_MEMORY if folder is None else str(folder),
        database=None if folder is None else str(folder / "quoth.db"),
        vectors=None if folder is None else str(folder / "vectors"),
        head=None if folder is None else str(folder / "head"),
        settings=str(_settings_file()),
        project_settings=None if project is None else str(project),
        scope=access.home,
        actor=access.actor.id,
        embedder=chosen.embedder,
        exists=exists,
        records=records,
        problem=problem,
    )


def configured(
    store: str | os.PathLike[str] | None = None,
    *,
    actor: str | None = None,
    scope: str | None = None,
    embedder: str | None = None,
) -> tuple[Setting, ...]:
    """Every setting with its value and the layer that set it."""
    return _load(store, actor, scope, embedder, None).values


class _Vectors:
    """Makes vectors beside the work: at once where that is cheap, a few before a search and at the end."""

    def __init__(self, store: Store, access: Access, embedder: Embedder | None, policy: Policy) -> None:
        self._store, self._access, self._embedder, self._policy = store, access, embedder, policy
        self._wrote = False

    def before(self, pending: int) -> None:
        """What is pending is embedded where it is little; more waits for `index`."""
        if pending <= self._policy.index.inline:
            self._embed(pending)

    def after(self, receipt: Receipt) -> Receipt:
        """What was written is embedded at once by a cheap model; words count as kept either way."""
        self._wrote = True
        if self._embedder is None or not self._embedder.cheap or not self._embed(None):
            return receipt
        with self._store.read(self._access) as view:
            if view.pending() or view.model() != self._embedder.name:
                return receipt  # where vectors of another model are stored, none were made
        found = (replace(each, indexed=each.record_id is not None) for each in receipt.outcomes)
        return replace(receipt, outcomes=tuple(found))

    def close(self, *, embed: bool) -> None:
        """Embeds a few of what is pending, where this memory wrote; a model that is away is only logged."""
        if embed and self._wrote:
            self._wrote = False
            self._embed(self._policy.index.on_close)

    def _embed(self, limit: int | None) -> bool:
        if self._embedder is None:
            return False
        from quoth.ingest.index import embed_pending

        try:
            embed_pending(self._store, self._access, self._embedder, self._policy, limit, None)
        except Unavailable as error:
            log.warning("vectors stay pending, the model or the store is away: %s", type(error).__name__)
            return False
        return True


def _load(
    store: str | os.PathLike[str] | None,
    actor: str | None,
    scope: str | None,
    embedder: str | None,
    settings: Mapping[str, object] | None,
) -> layers.Loaded:
    if not isinstance(store, str | os.PathLike | None):
        raise InvalidInput(f"a store is a folder, not {type(store).__name__}")
    if not isinstance(settings, Mapping | None):
        raise InvalidInput(f"settings are a mapping, not {type(settings).__name__}")
    folder = None if store is None else os.fspath(store)
    given = {"store": folder, "actor": actor, "scope": scope, "embedder": embedder}
    arguments = dict(settings or {}) | {key: value for key, value in given.items() if value is not None}
    return layers.load(arguments=arguments, environ=os.environ, file=_settings_file(), project=_project())


def _settings_file() -> Path:
    from platformdirs import user_config_path

    return user_config_path("quoth", appauthor=False) / layers.FILE


def _project() -> Path | None:
    try:
        return layers.project_file(Path.cwd(), Path.home())
    except (OSError, RuntimeError):  # the folder was deleted, or there is no home
        return None


def _folder(chosen: layers.Settings) -> Path | None:
    if chosen.store == IN_MEMORY:
        return None
    if chosen.store is None:
        from platformdirs import user_data_path

        folder = user_data_path("quoth", appauthor=False)
        _look(folder)
        return folder
    if "://" in chosen.store:
        raise InvalidInput(f"there is no store for {chosen.store!r}: give a folder")
    if "\0" in chosen.store:
        raise InvalidInput("a store's folder must not hold a NUL character")
    try:
        folder = Path(chosen.store).expanduser().absolute()
    except RuntimeError:
        raise InvalidInput(f"the store {chosen.store!r} is in the home of a user who has none here") from None
    _look(folder)
    return folder


def _look(folder: Path) -> None:
    """Refuse a folder that cannot be one."""
    shown = repr(str(folder))
    try:
        str(folder).encode()
        if folder.exists() and not folder.is_dir():
            raise InvalidInput(f"the store {shown} is a file: give a folder")
    except UnicodeEncodeError:
        raise InvalidInput(f"the store {shown} is not UTF-8: give another folder") from None
    except PermissionError as error:
        raise StoreUnavailable(f"the store {shown} cannot be reached: {error.strerror}") from error
    except OSError as error:  # a name that is too long
        raise InvalidInput(f"the store {shown} cannot be: {error.strerror}") from error


def _is_there(folder: Path, *names: str) -> bool:
    """Whether one of these files is in the folder; True where nobody may look, and opening says why."""
    try:
        return any((folder / name).exists() for name in names)
    except OSError:
        return True


def _given(embedder: Embedder) -> Embedder:
    """An embedder that a caller brought."""
    missing = [name for name in ("name", "dimensions", "cheap", "embed") if not hasattr(embedder, name)]
    if missing:
        raise InvalidInput(
            f"an embedder is a name or an Embedder; {type(embedder).__name__} has no {missing[0]}"
        )
    return embedder


def _embedder(spec: str, one_shot: bool) -> Embedder | None:
    if spec == WORDS_ONLY:
        return None
    from quoth.inference.embedders import embedder

    return embedder(spec, one_shot=one_shot)


def _access(chosen: layers.Settings, surface: str) -> Access:
    home = rules.scope(chosen.scope)
    only = frozenset((home,))
    actor = Actor(_actor_id(chosen.actor or _user()), ActorKind.HUMAN, Authority.OWNER)
    return Access(actor=actor, reads=only, writes=only, home=home, surface=surface)


def _job(access: Access, surface: str) -> Access:
    return replace(access, actor=Actor(access.actor.id, ActorKind.JOB, Authority.JOB), surface=surface)


def _zone(name: str) -> Zone:
    """The zone of that name; this machine's knows itself when its clocks were changed."""
    if name == layers.LOCAL:
        return Zone(name, datetime.astimezone)
    from zoneinfo import ZoneInfo  # only where one is set

    there = ZoneInfo(name)
    return Zone(name, lambda naive: naive.replace(tzinfo=there))


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container's user without a name
        return f"uid-{os.getuid()}" if hasattr(os, "getuid") else "owner"


def _actor_id(text: str) -> str:
    if len(text) > rules.SCOPE_LENGTH or any(unicodedata.category(char) in ("Cc", "Cs") for char in text):
        raise InvalidInput(f"an actor has at most {rules.SCOPE_LENGTH} characters, none of them a control")
    return text
