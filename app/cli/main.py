"""The command line: `ana`."""

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from ana import __version__
from ana.errors import AnaError, ConfigError
from ana.output import escape_controls, prepare_streams, silence, tell, write_line
from app.cli.ask import ask
from app.cli.backup import backup
from app.cli.chat import chat
from app.cli.describe import describe
from app.cli.doctor import doctor
from app.cli.due import due
from app.cli.eval import eval_
from app.cli.export import export
from app.cli.history import history
from app.cli.import_ import import_
from app.cli.items import items
from app.cli.optimize import optimize
from app.cli.reindex import reindex
from app.cli.restore import restore
from app.cli.serve import serve
from app.cli.setup import setup
from app.cli.threads import threads
from app.cli.traces import traces
from app.cli.trash import trash
from app.cli.undo import undo


class CommandGroup(TyperGroup):
    """Repeats nothing in a message about wrong use that could drive the terminal."""

    def make_context(self, *args: Any, **more: Any) -> Any:
        with _escape_complaints():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        with _escape_complaints():
            return super().invoke(ctx)


@contextmanager
def _escape_complaints() -> Iterator[None]:
    try:
        yield
    except TyperException as exc:  # typer prints it, with what was typed or stands in a file
        exc.message = escape_controls(exc.message)
        raise


cli = typer.Typer(
    name="ana",
    cls=CommandGroup,
    help="A semantic-first personal assistant. Without a command: chat.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@cli.callback(invoke_without_command=True)
def _default(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        write_line(f"ana {__version__}")
    elif context.invoked_subcommand is None:
        chat()


COMMANDS: dict[str, Callable[..., None]] = {
    "chat": chat,
    "ask": ask,
    "setup": setup,
    "items": items,
    "due": due,
    "history": history,
    "undo": undo,
    "describe": describe,
    "doctor": doctor,
    "eval": eval_,
    "optimize": optimize,
    "export": export,
    "import": import_,
    "backup": backup,
    "restore": restore,
    "reindex": reindex,
    "traces": traces,
    "serve": serve,
}
GROUPS = {"threads": threads, "trash": trash}

for name, command in COMMANDS.items():
    cli.command(name)(command)
for name, group in GROUPS.items():
    cli.add_typer(group, name=name)


def main() -> None:
    """Run the command line; every failure is a sentence and an exit code, never a traceback."""
    _use_utf8()
    prepare_streams()
    raise SystemExit(run_command(lambda: cli(standalone_mode=True)))


def _use_utf8() -> None:
    """Start this process again in Python's UTF-8 mode if the locale knows ASCII only.

    Names of files and arguments would otherwise hold halves of characters, which neither Chroma nor a checkpoint takes.
    """
    if sys.getfilesystemencoding() == "ascii" and os.environ.get("PYTHONUTF8") != "1":
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def run_command(command: Callable[[], Any]) -> int:
    """Run a command and turn what it raises into an exit code: 1 the turn failed, 2 wrong use or configuration."""
    try:
        command()
    except ConfigError as exc:
        tell(exc.sentence())
        return 2
    except AnaError as exc:
        tell(exc.sentence())
        return 1
    except BrokenPipeError:
        silence()
        return 1
    except KeyboardInterrupt:
        tell("Stopped.")
        return 130
    except UnicodeEncodeError as exc:
        tell(f"{exc.object!r} is not UTF-8 text.")
        return 2
    except (OSError, sqlite3.Error) as exc:
        tell(f"The files could not be used: {exc}. Check the disk, ANA_DATA_DIR and TRACES_DIR.")
        return 1
    return 0
