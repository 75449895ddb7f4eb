"""The layers of the settings: which wins, what is refused, what is remembered of them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from quoth.core.errors import SettingsError
from quoth.settings import CHOICES, RANGES, Loaded, Settings, load, project_file


def loaded(
    folder: Path,
    *,
    file: str | bytes | None = None,
    project: str | None = None,
    environ: Mapping[str, str] | None = None,
    **arguments: object,
) -> Loaded:
    """The settings with these layers."""
    path, local = folder / "quoth.toml", folder / ".quoth.toml"
    if file is not None:
        path.write_bytes(file if isinstance(file, bytes) else file.encode())
    if project is not None:
        local.write_text(project)
    return load(
        arguments=arguments,
        environ=environ or {},
        file=path,
        project=local if project is not None else None,
    )


def layer(found: Loaded, key: str) -> tuple[object, str]:
    """A value and where it comes from."""
    return next((each.value, Path(each.layer).name) for each in found.values if each.key == key)


def keys() -> list[str]:
    """Every key, read off the dataclasses without the module's own help."""

    def walk(value: object, path: tuple[str, ...]) -> list[str]:
        found = []
        for each in fields(value):  # type: ignore[arg-type]
            inner = getattr(value, each.name)
            deeper = path if each.name == "policy" else (*path, each.name)
            found += walk(inner, deeper) if is_dataclass(inner) else [".".join(deeper)]
        return found

    return walk(Settings(), ())


def test_defaults_stand_alone(tmp_path: Path) -> None:
    """Without any layer the defaults hold, and say that they are defaults."""
    found = loaded(tmp_path)
    assert Settings() == found.settings
    assert {"default"} == {each.layer for each in found.values}
    assert keys() == [each.key for each in found.values]


def test_each_layer_wins_over_the_one_before(tmp_path: Path) -> None:
    """File, project, environment and argument win in this order, and each value names its layer."""
    one: dict[str, object] = {"file": 'scope = "a"\n'}
    assert ("a", "quoth.toml") == layer(loaded(tmp_path, **one), "scope")  # type: ignore[arg-type]
    one["project"] = 'scope = "b"\n'
    assert ("b", ".quoth.toml") == layer(loaded(tmp_path, **one), "scope")  # type: ignore[arg-type]
    one["environ"] = {"QUOTH_SCOPE": "c"}
    assert ("c", "QUOTH_SCOPE") == layer(loaded(tmp_path, **one), "scope")  # type: ignore[arg-type]
    assert ("d", "argument") == layer(loaded(tmp_path, **one, scope="d"), "scope")  # type: ignore[arg-type]


@pytest.mark.parametrize("key", keys())
def test_every_field_can_be_set_through_every_layer(tmp_path: Path, key: str) -> None:
    """Each setting can be set in the file, in the environment and by an argument."""
    default = next(each.value for each in loaded(tmp_path).values if each.key == key)
    value: object = "x" if isinstance(default, str) or key in ("store", "actor") else 2
    if isinstance(default, float):
        value = 0.25
    if key in CHOICES:
        value = CHOICES[key][-1]
    if key == "embedder":
        value = "ollama:nomic-embed-text:v1.5"
    if key == "zone":
        value = "Asia/Tokyo"
    table, _, name = key.rpartition(".")
    written = f'"{value}"' if isinstance(value, str) else value
    file = (f"[{table}]\n" if table else "") + f"{name} = {written}\n"
    assert (value, "quoth.toml") == layer(loaded(tmp_path, file=file), key)
    variable = "QUOTH_" + key.upper().replace(".", "__")
    assert (value, variable) == layer(loaded(tmp_path, file="", environ={variable: str(value)}), key)
    argument: object = value
    for part in reversed(key.split(".")):
        argument = {part: argument}
    assert (value, "argument") == layer(loaded(tmp_path, **argument), key)  # type: ignore[arg-type]


def test_setting_one_value_leaves_the_others(tmp_path: Path) -> None:
    """A nested value is set without touching its neighbours."""
    found = loaded(tmp_path, environ={"QUOTH_RECALL__K": "3", "QUOTH_INDEX__BATCH": "9"}).settings
    assert 3 == found.policy.recall.k
    assert Settings().policy.recall.budget == found.policy.recall.budget
    assert (9, Settings().policy.index.inline) == (found.policy.index.batch, found.policy.index.inline)


@pytest.mark.parametrize(
    ("layers", "wanted"),
    [
        ({"file": "scoop = 'a'"}, ["quoth.toml", "'scoop'", "did you mean 'scope'"]),
        ({"file": "[recall]\nq = 1"}, ["quoth.toml", "'recall.q'"]),
        ({"file": "[recal]\nk = 1"}, ["quoth.toml", "'recal'", "recall"]),
        ({"file": "k = 1"}, ["quoth.toml", "'k'"]),
        ({"file": "recall = 1"}, ["quoth.toml", "'recall'"]),
        ({"environ": {"QUOTH_SCOPES": "a"}}, ["QUOTH_SCOPES", "did you mean 'scope'"]),
        ({"environ": {"QUOTH_RECALL_K": "1"}}, ["QUOTH_RECALL_K", "did you mean 'recall.k'"]),
        ({"project": "embedder = 'none'"}, [".quoth.toml", "'embedder'", "scope only"]),
        ({"project": "[recall]\nk = 1"}, [".quoth.toml", "'recall'"]),
        ({"colour": "red"}, ["argument", "'colour'"]),
    ],
)
def test_an_unknown_key_is_an_error_that_names_it(
    tmp_path: Path, layers: dict[str, str], wanted: list[str]
) -> None:
    """An unknown key is refused with its layer and, where one is near, the key that was meant."""
    with pytest.raises(SettingsError) as error:
        loaded(tmp_path, **layers)  # type: ignore[arg-type]
    assert [] == [part for part in wanted if part not in str(error.value)]


@pytest.mark.parametrize(
    ("layers", "wanted"),
    [
        ({"environ": {"QUOTH_RECALL__K": "many"}}, ["QUOTH_RECALL__K", "recall.k", "'many'", "whole number"]),
        ({"environ": {"QUOTH_RECALL__K": "0"}}, ["QUOTH_RECALL__K", "at least 1"]),
        ({"environ": {"QUOTH_RECALL__K": "-3"}}, ["QUOTH_RECALL__K", "whole number"]),
        ({"environ": {"QUOTH_RECALL__K": ""}}, ["QUOTH_RECALL__K"]),
        ({"environ": {"QUOTH_SCOPE": "  "}}, ["QUOTH_SCOPE", "blank"]),
        ({"environ": {"QUOTH_SCOPE": "a\x07"}}, ["QUOTH_SCOPE", "control"]),
        ({"environ": {"QUOTH_LEXICAL__B": "nan"}}, ["QUOTH_LEXICAL__B", "number"]),
        ({"environ": {"QUOTH_STORE": "/tmp/\udcff"}}, ["QUOTH_STORE", "UTF-8"]),
        ({"environ": {"QUOTH_RECALL__FUSION": "zzz"}}, ["QUOTH_RECALL__FUSION", "one of linear, rrf"]),
        ({"environ": {"QUOTH_RECALL__POOL": "0"}}, ["QUOTH_RECALL__POOL", "recall.pool", "at least 1"]),
        ({"environ": {"QUOTH_INDEX__BATCH": "0"}}, ["QUOTH_INDEX__BATCH", "at least 1"]),
        ({"environ": {"QUOTH_DATABASE__BUSY_SECONDS": "1e30"}}, ["database.busy_seconds", "at most 86_400"]),
        ({"environ": {"QUOTH_INDEX__INLINE": str(2**31)}}, ["index.inline", "at most 2_147_483_647"]),
        ({"file": "[lexical]\nb = 1.5"}, ["quoth.toml", "lexical.b", "at most 1"]),
        ({"file": "[recall]\nk = true"}, ["quoth.toml", "recall.k"]),
        ({"file": "[recall]\nk = 1.5"}, ["quoth.toml", "recall.k"]),
        ({"file": "[recall]\nk = [1]"}, ["quoth.toml", "recall.k"]),
        ({"file": "[lexical]\nb = '1'\nk1 = []"}, ["quoth.toml", "lexical.k1"]),
        ({"file": "scope = 7"}, ["quoth.toml", "'scope'", "text"]),
        ({"file": "embedder = 'minilmm'"}, ["quoth.toml", "'embedder'", "did you mean 'minilm'", "none"]),
        ({"environ": {"QUOTH_EMBEDDER": "Static"}}, ["QUOTH_EMBEDDER", "did you mean 'static'"]),
        ({"environ": {"QUOTH_EMBEDDER": "minilm:x"}}, ["QUOTH_EMBEDDER", "minilm"]),
        ({"environ": {"QUOTH_EMBEDDER": "ollama:"}}, ["QUOTH_EMBEDDER", "ollama:MODEL"]),
        ({"environ": {"QUOTH_EMBEDDER": "openai:m"}}, ["QUOTH_EMBEDDER", "openai:MODEL@URL"]),
        ({"project": "scope = ''"}, [".quoth.toml", "'scope'"]),
        ({"file": "scope = \nactor = 1"}, ["quoth.toml", "TOML", "line 1"]),
        ({"file": b"scope = '\xff'"}, ["quoth.toml", "UTF-8", "byte 9"]),
    ],
)
def test_a_bad_value_is_an_error_that_names_layer_and_key(
    tmp_path: Path, layers: dict[str, str], wanted: list[str]
) -> None:
    """A value that cannot be is refused with its layer and key, never replaced by the default."""
    with pytest.raises(SettingsError) as error:
        loaded(tmp_path, **layers)  # type: ignore[arg-type]
    assert [] == [part for part in wanted if part not in str(error.value)]


def test_limits_are_of_settings_and_hold_the_defaults(tmp_path: Path) -> None:
    """Every range and choice belongs to a setting, whose default lies within it."""
    values = {each.key: each.value for each in loaded(tmp_path).values}
    assert set() == (set(RANGES) | set(CHOICES)) - set(values)
    assert [] == [key for key, allowed in CHOICES.items() if values[key] not in allowed]
    numbers = {key: values[key] for key in RANGES if values[key] is not None}
    assert [] == [key for key, value in numbers.items() if not RANGES[key][0] <= value <= RANGES[key][1]]  # type: ignore[operator]


def test_none_empties_an_optional_value(tmp_path: Path) -> None:
    """The word none takes an optional value back."""
    found = loaded(tmp_path, file="[recall]\nbudget = 90", environ={"QUOTH_RECALL__BUDGET": "none"})
    assert found.settings.policy.recall.budget is None


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    """A settings file that cannot be read is an error, not a default."""
    (tmp_path / "quoth.toml").mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        loaded(tmp_path)


def test_switches_for_development_are_no_settings(tmp_path: Path) -> None:
    """The variables that scripts, tests and benchmarks use are left alone."""
    names = ("QUOTH_DEBUG", "QUOTH_PYTHON", "QUOTH_REQUIRE", "QUOTH_TEST_STORE", "QUOTH_BENCH_DATA")
    assert Settings() == loaded(tmp_path, environ=dict.fromkeys(names, "1")).settings


@pytest.mark.parametrize(
    "spec",
    ["minilm", "static", "hash", "none", "ollama:m", "ollama:m@http://box:1", "openai:m@https://api.x/v1"],
)
def test_every_form_of_an_embedder_is_taken(tmp_path: Path, spec: str) -> None:
    """Each way to name an embedder is a value of the setting."""
    assert spec == loaded(tmp_path, environ={"QUOTH_EMBEDDER": spec}).settings.embedder


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path) -> None:
    """A file that an editor of Windows wrote is read."""
    assert "a" == loaded(tmp_path, file=b"\xef\xbb\xbfscope = 'a'\r\n").settings.scope


def test_the_project_file_is_looked_for_up_to_the_repository(tmp_path: Path) -> None:
    """`.quoth.toml` is found from any folder of its repository, and not beyond it."""
    repository, inner = tmp_path / "repository", tmp_path / "repository" / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / ".quoth.toml").touch()
    (repository / ".git").mkdir()
    assert project_file(inner, tmp_path / "home") is None
    (repository / ".quoth.toml").touch()
    assert repository / ".quoth.toml" == project_file(inner, tmp_path / "home")


def test_home_is_no_project(tmp_path: Path) -> None:
    """A `.quoth.toml` in the home folder is not a project's."""
    (tmp_path / ".quoth.toml").touch()
    (tmp_path / "a").mkdir()
    found = [project_file(each, tmp_path) for each in (tmp_path, tmp_path / "a")]
    assert [None, None] == found


def test_every_key_has_its_own_variable() -> None:
    """No two settings share an environment variable."""
    names = [key.upper().replace(".", "__") for key in keys()]
    assert [] == [(a, b) for a, b in itertools.combinations(names, 2) if a == b]
