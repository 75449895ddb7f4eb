"""Every setting: defaults < quoth.toml < .quoth.toml < QUOTH_* < arguments; each value knows its layer.

A key is written with dots (`recall.k`): a table in the file, two underscores in the environment
(`QUOTH_RECALL__K`). The numbers of `core.policy` stand beside the rest, without a `policy.` in front.
"""

from __future__ import annotations

import difflib
import math
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from quoth.core import rules
from quoth.core.errors import InvalidInput, SettingsError
from quoth.core.policy import Policy

T = TypeVar("T")

FILE = "quoth.toml"
"""In the platform's config folder."""
PROJECT_FILE = ".quoth.toml"
"""At a project's root; may set the scope and nothing else."""
ENVIRONMENT = "QUOTH_"
NOT_SETTINGS = ("QUOTH_DEBUG", "QUOTH_PYTHON", "QUOTH_REQUIRE", "QUOTH_TEST_", "QUOTH_BENCH_")
"""Variables of that prefix that are switches of scripts and tests, not settings."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, after all layers."""

    store: str | None = None
    """Folder of the store; none: the platform's data folder; `:memory:`: nothing is kept."""
    scope: str = "personal"
    """Where records are kept and looked for."""
    actor: str | None = None
    """Who acts; none: the operating system's user."""
    embedder: str = "minilm"
    """minilm, static (an extra), ollama:MODEL[@URL], openai:MODEL@URL, none: words only, hash: for tests."""
    zone: str = "local"
    """Where a time without an offset is: a name such as Europe/Berlin, or local: this machine's zone."""
    policy: Policy = field(default_factory=Policy)


@dataclass(frozen=True, slots=True)
class Setting:
    """One value, and the layer that set it last."""

    key: str
    value: object
    layer: str
    """default, argument, or the name of a file or of an environment variable."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, and where each of them comes from."""

    settings: Settings
    values: tuple[Setting, ...]


@dataclass(frozen=True, slots=True)
class _Leaf:
    path: tuple[str, ...]
    hint: object
    default: object


def load(
    *, arguments: Mapping[str, object], environ: Mapping[str, str], file: Path, project: Path | None
) -> Loaded:
    """Settings out of all layers; `SettingsError` names the layer and the key that are wrong."""
    known = _leaves(Settings, Settings())
    values = {key: Setting(key, leaf.default, "default") for key, leaf in known.items()}
    for key, value, layer in _layers(known, arguments, environ, file, project):
        values[key] = Setting(key, _value(key, value, known[key].hint, layer), layer)
    settings = Settings()
    for setting in values.values():
        settings = _set(settings, known[setting.key].path, setting.value)
    return Loaded(settings, tuple(values.values()))


def project_file(cwd: Path, home: Path) -> Path | None:
    """The `.quoth.toml` of the project in which `cwd` lies: upwards to a `.git`, never as far as home."""
    for folder in (cwd, *cwd.parents):
        if folder == home:
            return None
        if (folder / PROJECT_FILE).is_file():
            return folder / PROJECT_FILE
        if (folder / ".git").exists():
            return None
    return None


def _leaves(kind: type[Any], default: object, path: tuple[str, ...] = ()) -> dict[str, _Leaf]:
    found: dict[str, _Leaf] = {}
    hints = get_type_hints(kind)
    for each in fields(kind):
        inner, hint = (*path, each.name), hints[each.name]
        value = getattr(default, each.name)
        if is_dataclass(hint):
            found.update(_leaves(cast(type, hint), value, inner))
        else:
            key = ".".join(part for part in inner if part != "policy")
            found[key] = _Leaf(inner, hint, value)
    return found


def _layers(
    known: Mapping[str, _Leaf],
    arguments: Mapping[str, object],
    environ: Mapping[str, str],
    file: Path,
    project: Path | None,
) -> Iterator[tuple[str, object, str]]:
    for key, value in _flat(known, _read(file), str(file)):
        yield key, value, str(file)
    if project is not None:
        for key, value in _flat(["scope"], _read(project), f"{project} (it may set the scope only)"):
            yield key, value, str(project)
    for name, value in _environment(environ):
        key = name.removeprefix(ENVIRONMENT).lower().replace("__", ".")
        _check(known, key, f"environment variable {name}")
        yield key, value, name
    for key, value in _flat(known, arguments, "argument"):
        yield key, value, "argument"


def _environment(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    return sorted(
        (name, value)
        for name, value in environ.items()
        if name.startswith(ENVIRONMENT) and not name.startswith(NOT_SETTINGS)
    )


def _read(file: Path) -> dict[str, object]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file} is not UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror}") from error
    import tomllib  # only where there is a file: a fresh process is to start fast

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file} is not TOML: {error}") from None


def _flat(
    known: Iterable[str], table: Mapping[str, object], layer: str, prefix: str = ""
) -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping) and any(other.startswith(f"{key}.") for other in known):
            yield from _flat(known, value, layer, f"{key}.")
        else:
            _check(known, key, layer)
            yield key, value


def _check(known: Iterable[str], key: str, layer: str) -> None:
    names = list(known)
    if key not in names:
        near = difflib.get_close_matches(key, names, n=1) or difflib.get_close_matches(
            key.rpartition(".")[2], names, n=1
        )
        hint = f"; did you mean {near[0]!r}?" if near else "; `quoth settings` lists them"
        raise SettingsError(f"{layer}: there is no setting {key!r}{hint}")


def _value(key: str, value: object, hint: object, layer: str) -> object:
    try:
        converted = _converted(value, hint)
        _check_value(key, converted)
    except (ValueError, InvalidInput) as error:
        raise SettingsError(f"{layer}: {key!r} cannot be {value!r}: {error}") from None
    return converted


def _converted(value: object, hint: object) -> object:
    """A value of a file (typed), of the environment (text) or of a caller, as the type that is hinted."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if value is None or (isinstance(value, str) and value.lower() in ("", "none")):
            return None
        return _converted(value, next(kind for kind in inner if kind is not type(None)))
    if origin is tuple:
        parts = value.split(",") if isinstance(value, str) else value
        if not isinstance(parts, list | tuple):
            raise ValueError("it is a list")
        if inner[-1] is not Ellipsis and len(parts) != len(inner):
            raise ValueError(f"it has {len(inner)} parts")
        kinds = (inner[0] for _ in parts) if inner[-1] is Ellipsis else inner
        return tuple(_converted(part, kind) for part, kind in zip(parts, kinds, strict=True))
    return _SCALARS[next(kind for kind in _SCALARS if issubclass(cast(type, hint), kind))](value, hint)


def _truth(value: object, hint: object) -> bool:
    words = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False}
    words["off"] = False
    found = value if isinstance(value, bool) else words.get(str(value).lower())
    if found is None:
        raise ValueError("it is true or false")
    return found


def _whole(value: object, hint: object) -> int:
    try:
        number = int(value) if isinstance(value, str) else value
    except ValueError:
        number = None
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError("it is a whole number, 0 or more")
    return number


def _number(value: object, hint: object) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(cast(float, value))
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError("it is a number")
    return number


def _text(value: object, hint: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("it is text, and not blank")
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise ValueError("it is not UTF-8")
    return value


def _choice(value: object, hint: object) -> object:
    kind = cast(type[Enum], hint)
    if value not in [each.value for each in kind]:
        raise ValueError(f"it is one of {', '.join(str(each.value) for each in kind)}")
    return kind(value)


_SCALARS: Mapping[type, Callable[[Any, Any], object]] = {
    bool: _truth,
    int: _whole,
    float: _number,
    Enum: _choice,
    str: _text,
}


def _check_value(key: str, value: object) -> None:
    """Refuse a value of the right type that would make no sense."""
    if key == "scope":
        rules.scope(cast(str, value))
    if key == "embedder":
        _embedder(cast(str, value))
    if key == "zone":
        _zone(cast(str, value))
    if key in CHOICES and value not in CHOICES[key]:
        raise ValueError(f"it is one of {', '.join(CHOICES[key])}")
    if not isinstance(value, int | float) or isinstance(value, bool):
        return
    low, high = RANGES.get(key, (0, WHOLE) if isinstance(value, int) else (-math.inf, math.inf))
    if value < low:
        raise ValueError(f"it is at least {low:g}")
    if value > high:
        raise ValueError(f"it is at most {high:,}".replace(",", "_"))


def _embedder(spec: str) -> None:
    """Refuse a name that no embedder has; whether one is installed or answers is not asked here."""
    kind, colon, rest = spec.partition(":")
    model, at, _ = rest.partition("@http")
    if kind == "openai" and model and not at:
        raise ValueError("it does not say where to send words: 'openai:MODEL@URL'")
    if (kind in EMBEDDERS and not colon) or (kind in REMOTE and model):
        return
    near = difflib.get_close_matches(kind.strip().lower(), (*EMBEDDERS, *REMOTE), n=1)
    hint = f", did you mean {near[0]!r}?" if near and near[0] != kind else ","
    raise ValueError(f"no embedder is called so{hint} there are {', '.join(EMBEDDERS)}, {FORMS}")


def _zone(name: str) -> None:
    """Refuse a zone that this machine does not know."""
    if name == LOCAL:
        return
    from zoneinfo import ZoneInfo  # only where one is set: a fresh process is to start fast

    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"it is {LOCAL!r} or a zone that this machine knows, as 'Europe/Berlin'") from None


LOCAL = "local"
EMBEDDERS = ("minilm", "static", "none", "hash")
REMOTE = ("ollama", "openai")
FORMS = "ollama:MODEL[@URL] and openai:MODEL@URL"
DAY = 86_400
WHOLE = 2**31 - 1
"""The largest whole number that every part below can count with."""
CHOICES: Mapping[str, tuple[str, ...]] = {"recall.fusion": ("linear", "rrf", "lexical", "dense")}
RANGES: Mapping[str, tuple[float, float]] = {
    "gate.max_document": (1, 200_000_000),  # four bytes each fit into a value of SQLite
    "gate.max_question": (1, WHOLE),
    "passages.max_chars": (1, WHOLE),
    "lexical.k1": (0.01, math.inf),  # 0 divides by 0
    "lexical.b": (0, 1),
    "index.batch": (1, WHOLE),
    "database.busy_seconds": (0, DAY),
    "database.head_seconds": (0, DAY),
    "recall.k": (1, WHOLE),
    "recall.budget": (1, WHOLE),
    "recall.pool": (1, WHOLE),
    "recall.max_terms": (1, WHOLE),
    "recall.context_bm25": (0, math.inf),
    "recall.context_cosine": (0, math.inf),
    "recall.pool_session": (0, math.inf),
    "recall.pool_date": (0, math.inf),
    "recall.pool_subject": (0, math.inf),
    "recall.stop_piece": (0, math.inf),
    "recall.rrf": (1, WHOLE),
    "recall.gate_chars": (0, math.inf),
    "recall.gate_range": (0.01, math.inf),  # a divisor
}
"""Least and most, where it is not any number (with a point) or 0 to `WHOLE` (without)."""


def _set(owner: T, path: tuple[str, ...], value: object) -> T:
    first, *rest = path
    inner = _set(getattr(owner, first), tuple(rest), value) if rest else value
    return cast(T, replace(cast(Any, owner), **{first: inner}))
