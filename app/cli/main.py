"""The command line: `ana`."""

import io
import json
import os
import sqlite3
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ana import __version__
from ana.errors import AnaError, ConfigError
from ana.settings import Settings
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
from app.cli.threads import threads
from app.cli.traces import traces
from app.cli.trash import trash
from app.cli.undo import undo
from app.startup import start as started

if TYPE_CHECKING:
    from app.turn import Answer

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


@cli.command()
def ask(
    question: Annotated[str, typer.Argument(help="What you want to say; - reads it from standard input.")],
    thread: Annotated[str | None, typer.Option(help="Name or id of the conversation; default: a new one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    utc: Annotated[bool, typer.Option("--utc", help="Take UTC for the local time zone.")] = False,
    max_steps: Annotated[int | None, typer.Option(min=1, max=100, help="Most model calls in this turn.")] = None,
) -> None:
    """Ask once and print the answer."""
    said = sys.stdin.read().strip() if question == "-" else question
    from app.show.answers import show_text

    answer = _ask(started(), said, thread, "UTC" if utc else None, max_steps)
    if as_json:
        print(json.dumps(answer.to_json(), ensure_ascii=False))
    else:
        show_text(answer.answer)
    if answer.error:
        raise typer.Exit(1)


COMMANDS: dict[str, Callable[..., None]] = {
    "chat": chat,
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


def _ask(settings: Settings, said: str, thread: str | None, zone: str | None, max_steps: int | None) -> "Answer":
    import uuid

    from ana.handles import open_handles
    from app.threads import Threads
    from app.turn import open_assistant
    from prompts import decision_prompt

    handles = open_handles(
        settings.model_copy(update={"ana_timezone": zone or settings.ana_timezone}), "ana ask", instruct=decision_prompt
    )
    id = Threads(settings).remember(thread) if thread else str(uuid.uuid4())
    with open_assistant(handles, "ana ask") as assistant:
        if thread and (finished := assistant.finish(id)):
            print(f"Finished what was cut short: {finished.answer}", file=sys.stderr)
        return assistant.ask(said, id, max_steps)
