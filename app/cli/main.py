"""The command line: `ana`."""

import io
import os
import sqlite3
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from ana import __version__
from ana.errors import AnaError, ConfigError
from app.cli.ask import ask
from app.cli.backup import backup
from app.cli.chat import chat
from app.cli.describe import describe
from app.cli.doctor import doctor
from app.cli.due import due
from app.cli.export import export
from app.cli.history import history
from app.cli.import_ import import_
from app.cli.items import items
from app.cli.reindex import reindex
from app.cli.restore import restore
from app.cli.serve import serve
from app.cli.setup import setup
from app.cli.threads import threads
from app.cli.traces import traces
from app.cli.trash import trash
from app.cli.undo import undo

cli = typer.Typer(
    name="ana",
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
        print(f"ana {__version__}")
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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character still shows the rest
    raise SystemExit(run_command(lambda: cli(standalone_mode=True)))


def run_command(command: Callable[[], Any]) -> int:
    """Run a command and turn what it raises into an exit code: 1 the turn failed, 2 wrong use or configuration."""
    try:
        command()
    except ConfigError as exc:
        print(exc.sentence(), file=sys.stderr)
        return 2
    except AnaError as exc:
        print(exc.sentence(), file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Python flushes standard output once more at exit and would complain about the closed pipe then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    except (OSError, sqlite3.Error) as exc:
        print(f"The files could not be used: {exc}. Check the disk, ANA_DATA_DIR and TRACES_DIR.", file=sys.stderr)
        return 1
    return 0
