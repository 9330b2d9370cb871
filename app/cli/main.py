"""The command line: `ana`."""

import io
import json
import os
import sqlite3
import sys
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from ana import __version__
from ana.errors import AnaError, ConfigError, ToolError, UserError
from ana.settings import Embeddings
from app.cli.ask import ask
from app.cli.data_commands import data_cli
from app.cli.history_commands import history_cli, trash_cli
from app.startup import started

cli = typer.Typer(
    name="ana",
    help="A semantic-first personal assistant. Without a command: chat.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
threads_cli = typer.Typer(help="Conversations: list, show, delete.", no_args_is_help=True)
cli.add_typer(threads_cli, name="threads")
cli.add_typer(history_cli)
cli.add_typer(data_cli)
cli.add_typer(trash_cli, name="trash")

DUE = 4
"""Exit code of `ana due` when something is overdue or due today."""


ThreadName = Annotated[str, typer.Argument(help="A thread's name or id.")]


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
def chat(
    thread: Annotated[str | None, typer.Option(help="Name or id of the conversation; default: the last one.")] = None,
) -> None:
    """Talk to the assistant."""
    from app.repl.repl import Repl

    settings = started()
    if settings.tools_modules:  # else nothing of this is loaded before the prompt
        from tools.catalog import catalog

        catalog(settings.tools_modules)
    Repl(settings, thread).run()


cli.command()(ask)


@cli.command()
def describe(
    samples: Annotated[int, typer.Option("-s", "--samples", min=0, help="How many items to show.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tell what the store holds: collections, embedder, counts, properties and samples."""
    from app.cli.describe import as_text, described

    told = described(started(), samples)
    print(json.dumps(told, ensure_ascii=False) if as_json else as_text(told))


@cli.command()
def items(
    words: Annotated[list[str] | None, typer.Argument(help="What they are about; default: all, by date.")] = None,
    where: Annotated[str | None, typer.Option(help='A filter as JSON, such as \'{"status": "active"}\'.')] = None,
    due: Annotated[
        Literal["overdue", "today", "week"] | None,
        typer.Option(help="Only open ones, due then."),
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Tell why each was found.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many at most.")] = 20,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """What is kept, as a table: found by meaning, by words, by property."""
    from app.cli.items import as_json, listed, show_found

    try:
        found = listed(started(), " ".join(words or []), where, due, limit)
    except ToolError as exc:
        raise typer.BadParameter(exc.sentence()) from exc
    if json_:
        print(as_json(found, why))
    else:
        show_found(found, why)


@cli.command("due")
def due_command(
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """What is overdue, due today and later this week. Exit code 4 if anything is overdue or due today, else 0."""
    from ana.memory.item import to_json
    from app.cli.items import due_items
    from app.due import show_due

    found = due_items(started())
    if json_:
        print(json.dumps({name: [to_json(i) for i in f.items] for name, f in found.items()}, ensure_ascii=False))
    else:
        show_due(found)
    if found["overdue"].items or found["today"].items:
        raise typer.Exit(DUE)


@cli.command()
def reindex(
    embeddings: Annotated[Embeddings | None, typer.Option(help="Embed with this one; default: ANA_EMBEDDINGS.")] = None,
) -> None:
    """Embed everything again, with the same embedder or another."""
    from app.cli.items import reindexed

    settings = started()
    wanted = embeddings or settings.ana_embeddings
    count = reindexed(settings, wanted)
    print(f"{count} records are embedded with {wanted}.", file=sys.stderr)
    if wanted != settings.ana_embeddings:
        print(f"Set ANA_EMBEDDINGS={wanted} in .env: this data folder now needs it.", file=sys.stderr)


@cli.command()
def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1.")] = 2024,
    reload: Annotated[bool, typer.Option("--reload/--no-reload", help="Restart when the code changes.")] = True,
) -> None:
    """Start the LangGraph dev server for Studio and the API, quietly."""
    from app.cli.serve import serve as run

    run(started(), port, reload)


@threads_cli.command("list")
def threads_list() -> None:
    """Every conversation, the one last used first."""
    from app.threads import Threads

    for thread in Threads(started()).all():
        print("\t".join((thread.id, thread.name or "-", f"{thread.turns} turns", thread.last or "-", thread.about)))


@threads_cli.command("show")
def threads_show(
    name: ThreadName,
    limit: Annotated[int, typer.Option(min=1, help="How many turns at most, the last ones.")] = 1000,
    before: Annotated[str | None, typer.Option(help="Only turns before this one, by its id.")] = None,
) -> None:
    """A conversation, turn by turn, from its traces."""
    from ana.tracing.traces import Traces
    from app.show.transcript import show_transcript
    from app.threads import Threads

    settings = started()
    id = Threads(settings).resolve(name)
    if not Traces(settings.traces_dir).path(id).exists():
        raise UserError(f"There is no thread {name!r} with turns.", "`ana threads list` shows them.")
    show_transcript(settings, id, limit, before)


@threads_cli.command("delete")
def threads_delete(name: ThreadName) -> None:
    """Delete a conversation and its traces; what it stored stays."""
    from app.threads import Threads

    threads = Threads(started())
    threads.delete(threads.resolve(name))
    print(f"Deleted thread {name}.", file=sys.stderr)


def main() -> None:
    """Run the command line; every failure is a sentence and an exit code, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character still shows the rest
    raise SystemExit(guarded(lambda: cli(standalone_mode=True)))


def guarded(command: Callable[[], Any]) -> int:
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    except (OSError, sqlite3.Error) as exc:
        print(f"The files could not be used: {exc}. Check the disk, ANA_DATA_DIR and TRACES_DIR.", file=sys.stderr)
        return 1
    return 0
