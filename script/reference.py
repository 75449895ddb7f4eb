"""Writes the parts of docs/reference that a program knows: commands, settings, errors, Python."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

SOURCE = Path(__file__).resolve().parent.parent / "src"


# -- settings -------------------------------------------------------------------------------------


def settings() -> str:
    """One table of every setting: key, default, environment variable, what it does."""
    from quoth.settings import Settings

    lines = ["| key | default | environment | meaning |", "|---|---|---|---|"]
    for key, default, meaning in _leaves(Settings, Settings()):
        shown = "none" if default is None else str(default)
        variable = "QUOTH_" + key.upper().replace(".", "__")
        lines.append(f"| `{key}` | `{shown}` | `{variable}` | {_cell(meaning)} |")
    return "\n".join(lines) + "\n"


Leaf = tuple[str, object, str]


def _leaves(kind: type[object], value: object, prefix: tuple[str, ...] = ()) -> Iterator[Leaf]:
    """(key, default, meaning); a field that says nothing has the meaning of its class."""
    meanings, common = field_docstrings(kind), _first(kind)
    for field in fields(kind):
        inner = getattr(value, field.name)
        path = (*prefix, field.name)
        if is_dataclass(inner) and not isinstance(inner, type):
            yield from _leaves(type(inner), inner, path)
        else:
            yield ".".join(each for each in path if each != "policy"), inner, meanings.get(field.name, common)


def field_docstrings(kind: type[object]) -> dict[str, str]:
    """Field -> the string that stands under it in the source."""
    tree = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for field, below in zip(tree.body, tree.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
        ):
            found[field.target.id] = str(below.value.value)
    return found


# -- errors ---------------------------------------------------------------------------------------


def errors() -> str:
    """One table of every error: name, what it means, the exit code of the command line."""
    from quoth.core import errors as tree
    from quoth.surfaces.wire import status

    lines = ["| error | meaning | exit code |", "|---|---|---|"]
    for depth, kind in _tree(tree.QuothError):
        name, code = f"{'· ' * depth}`{kind.__name__}`", status(kind("")).exit
        lines.append(f"| {name} | {_cell(_first(kind))} | {code} |")
    return "\n".join(lines) + "\n"


def _tree(kind: type[Exception], depth: int = 0) -> Iterator[tuple[int, type[Exception]]]:
    yield depth, kind
    for child in kind.__subclasses__():
        yield from _tree(child, depth + 1)


# -- python ---------------------------------------------------------------------------------------


def python() -> str:
    """`quoth.open`, every method of `Memory`, and every other public name with its first line."""
    import quoth

    parts = [_function("quoth.open", quoth.open)]
    for name, member in vars(quoth.Memory).items():
        if not name.startswith("_") and inspect.isfunction(member):
            parts.append(_function(f"memory.{name}", member))
    rest = [name for name in quoth.__all__ if isinstance(getattr(quoth, name), type) and name != "Memory"]
    table = ["| name | is |", "|---|---|"]
    table += [f"| `quoth.{name}` | {_cell(_first(getattr(quoth, name)))} |" for name in rest]
    return "\n".join(parts) + "\n## Every other name\n\n" + "\n".join(table) + "\n"


def _function(shown: str, function: Callable[..., object]) -> str:
    call = inspect.signature(function)
    kept = [each.replace(annotation=each.empty) for each in call.parameters.values() if each.name != "self"]
    text = str(call.replace(parameters=kept, return_annotation=call.empty))
    doc = inspect.getdoc(function) or ""
    return f"### `{shown}{text}`\n\n{doc}\n"


# -- command line ---------------------------------------------------------------------------------


def commands() -> str:
    """The help of `quoth` and of each of its commands, as it is printed."""
    import click

    root = import_module("quoth.surfaces.cli").group
    parts = []
    for path, command in _commands("quoth", root):
        context = click.Context(command, info_name=path, max_content_width=96, terminal_width=96)
        parts.append(f"## `{path}`\n\n```text\n{command.get_help(context).rstrip()}\n```\n")
    return "\n".join(parts)


def _commands(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    for name, child in sorted(getattr(command, "commands", {}).items()):
        yield from _commands(f"{path} {name}", child)


# -- words ----------------------------------------------------------------------------------------


def _first(thing: object) -> str:
    return (inspect.getdoc(thing) or "").split("\n\n")[0]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(globals()[sys.argv[1]]())
