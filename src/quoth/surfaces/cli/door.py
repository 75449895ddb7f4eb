"""How every command is entered and left: the options that all share, errors as one line, exit codes."""

from __future__ import annotations

import io
import logging
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from quoth.core.errors import InvalidInput, QuothError, Unavailable
from quoth.surfaces import wire

if TYPE_CHECKING:
    from quoth.memory import Memory

F = TypeVar("F", bound=Callable[..., Any])

INTERRUPTED = 130
UNEXPECTED = 1
UNAVAILABLE = wire.STATUSES[Unavailable].exit
REDRAWN = 0.1
"""Seconds between two counts."""
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls, line separators, directions and halves of surrogates: what a terminal would act on."""
WATCHED = 1.0
"""Seconds after which work that is watched shows a progress bar."""


@dataclass(slots=True)
class Common:
    """What the shared options say; they may stand before the command or after it."""

    store: str | None = None
    scope: str | None = None
    actor: str | None = None
    json: bool = False
    quiet: bool = False


def common() -> Common:
    """The shared options of the running command."""
    found: Common = click.get_current_context().find_root().ensure_object(Common)
    return found


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:  # noqa: ANN401 (click's)
    if value is not None and value is not False:
        setattr(context.find_root().ensure_object(Common), str(parameter.name), value)


def _shared() -> list[click.Parameter]:
    def option(*names: str, **more: Any) -> click.Option:  # noqa: ANN401
        return click.Option(names, expose_value=False, callback=_keep, **more)

    return [
        option("--store", metavar="PATH", help="The store's folder."),
        option("--scope", metavar="NAME", help="Where records are kept and looked for."),
        option("--actor", metavar="NAME", help="Who acts, instead of the operating system's user."),
        option("--json", is_flag=True, help="Answer with one line of JSON."),
        option("--quiet", is_flag=True, help="Print answers only."),
    ]


class Command(click.Command):
    """A command with the shared options."""

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **more)
        self.params.extend(_shared())


class Group(click.Group):
    """A group of commands with the shared options."""

    command_class = Command

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **more)
        self.params.extend(_shared())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """No arguments at all are a call for help, where the group alone does nothing."""
        if not args and not self.invoke_without_command:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        return super().parse_args(ctx, args)


class Root(Group):
    """The whole command line: its help has sections, its errors are one line, nothing leaves a traceback."""

    sections: dict[str, tuple[click.Command, ...]]

    def __init__(self, sections: dict[str, tuple[click.Command, ...]], **more: Any) -> None:  # noqa: ANN401
        super().__init__(**more)
        self.sections = sections
        for commands in sections.values():
            for command in commands:
                self.add_command(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by section."""
        width = max(len(str(each.name)) for commands in self.sections.values() for each in commands)
        for name, commands in self.sections.items():
            with formatter.section(name.capitalize()):
                limit = formatter.width - width - 6
                formatter.write_dl(
                    [(str(each.name).ljust(width), each.get_short_help_str(limit)) for each in commands]
                )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuses arguments that are not UTF-8 before anything reads them."""
        if os.environ.get("NO_COLOR"):
            ctx.color = False
        for place, argument in enumerate(args, 1):
            if any("\ud800" <= char <= "\udfff" for char in argument):
                raise InvalidInput(f"argument {place} is not UTF-8: check the terminal's encoding")
        return super().parse_args(ctx, args)

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> Any:  # noqa: ANN401
        """Run it and end the process with the exit code."""
        logging.getLogger("quoth").addHandler(_NOTES)  # added once, however often
        try:
            code = super().main(args, *more, **{**options, "standalone_mode": False})
            sys.stdout.flush()
        except (BrokenPipeError, SystemExit):  # click ends the process itself for a broken pipe
            code = _unread()
        except (KeyboardInterrupt, click.Abort):
            code = _failed("stopped; what was acknowledged is kept", INTERRUPTED)
        except click.ClickException as error:
            code = _failed(_usage(error), error.exit_code)
        except QuothError as error:
            code = _failed(str(error), wire.status(error).exit)
        except OSError as error:  # the disk is full, a file handle was taken away
            what = f"{error.filename!r} cannot be used" if error.filename else "the output cannot be written"
            code = _failed(f"{what}: {error.strerror or type(error).__name__}", UNAVAILABLE)
            _mute()
        except Exception as error:  # noqa: BLE001 (the outermost handler)
            kind = type(error).__name__
            code = _failed(f"unexpected {kind}; QUOTH_DEBUG=1 shows where (please report it)", UNEXPECTED)
        sys.exit(code or 0)


class _Notes(logging.Handler):
    """Warnings of the package, as notes; none once the command is over.

    What became of the derived index is left to the answers, which say it themselves (`degraded`).
    """

    def emit(self, record: logging.LogRecord) -> None:
        """One line on stderr, silent with --quiet."""
        if record.levelno < logging.WARNING or record.name == "quoth.store.index":
            return
        if click.get_current_context(silent=True) is not None:
            note(record.getMessage())


_NOTES = _Notes()


def fail(line: str) -> None:
    """Say what went wrong and what to do, on one line of stderr; never silent."""
    click.echo(f"quoth: {visible(line)}", err=True)


def _failed(line: str, code: int) -> int:
    if os.environ.get("QUOTH_DEBUG"):
        traceback.print_exc()
    fail(line)
    return code


def _usage(error: click.ClickException) -> str:
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{message} (see `{context.command_path} --help`)" if context else message


def _unread() -> int:
    """The reader of our output has gone: quietly, also when Python flushes at its end."""
    _mute()
    return 0


def _mute() -> None:
    """Nothing more goes to stdout, also not what Python still holds when it ends."""
    with suppress(io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def visible(text: str) -> str:
    """A line for a terminal: control characters are shown, not obeyed."""
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


@contextmanager
def opened(*, one_shot: bool = True, create: bool = False) -> Iterator[Memory]:
    """The memory that the shared options mean, until the command is done; only `create` makes a store."""
    from quoth import app  # settings, store and model load when a command needs them

    said = common()
    with app.open(
        said.store, actor=said.actor, scope=said.scope, surface="cli", one_shot=one_shot, create=create
    ) as memory:
        yield memory


def given(text: tuple[str, ...]) -> str:
    """The words of an argument TEXT: joined by blanks, or read from standard input for `-`."""
    if not text:
        message = "give TEXT in quotes, or `-` to read it from standard input"
        raise click.UsageError(message, click.get_current_context())
    if text != ("-",):
        return " ".join(text)
    if sys.stdin is None:
        raise InvalidInput("standard input is closed: there is nothing to read")
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"standard input is not UTF-8 (byte {error.start})") from None


def answer(value: object, lines: Callable[[], None]) -> None:
    """Print a value: its JSON form where that was asked for, else by `lines`."""
    if common().json:
        click.echo(wire.text(value), color=True)
    else:
        lines()


def confirm(line: str) -> None:
    """Tell a person that something was done; silent with --quiet."""
    if not common().quiet:
        click.echo(visible(line))


def note(line: str) -> None:
    """Tell a person what the answer does not say, on stderr; silent with --quiet."""
    if not common().quiet:
        click.echo(f"note: {visible(line)}", err=True)


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A callback for (done, total) that shows a bar once the work takes long and a person watches.

    Where the total is not known (0), it shows a count.
    """
    began = time.monotonic()
    watched = sys.stderr.isatty() and not common().quiet
    bar: Any = None
    counted = 0.0

    def tell(done: int, total: int) -> None:
        nonlocal bar, counted
        now = time.monotonic()
        if not watched or now - began < WATCHED:
            return
        if not total:
            if now - counted >= REDRAWN:
                counted = now
                click.echo(f"\r{label} {done}", nl=False, err=True)
            return
        if bar is None:
            bar = click.progressbar(length=total, label=label, file=sys.stderr)
            bar.render_progress()
        bar.length = total
        bar.update(done - bar.pos)

    try:
        yield tell
    finally:
        if bar is not None:
            bar.render_finish()
        elif counted:
            click.echo(err=True)
