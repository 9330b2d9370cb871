"""`ana threads`: list, show, delete and restore conversations."""

import sys
from typing import Annotated

import typer

from ana.errors import UserError
from ana.output import tell, write_line
from app.show.answers import show_transcript
from app.show.confirm import require_consent
from app.show.tables import show_table
from app.show.text import pluralize, shorten
from app.startup import start

threads = typer.Typer(help="Conversations: list, show, delete, restore. Without a command: list.")

ThreadName = Annotated[str, typer.Argument(help="A thread's name or id.")]


@threads.callback(invoke_without_command=True)
def _default(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        list_threads()


@threads.command("list")
def list_threads() -> None:
    """List all conversations, last used first, and how long each has waited for a decision."""
    workspace = start()
    conversations, clock = workspace.open_threads(), workspace.make_clock()
    waits = {id: f"waits for a decision, {age}" for id, age in conversations.waiting().items()}
    every = conversations.all()
    if not sys.stdout.isatty():  # for programs: full ids, separated by tabs
        for thread in every:
            cells = [thread.id, thread.name or "-", pluralize(thread.turns, "turn"), thread.last or "-", thread.about]
            cells += [waits[thread.id]] if thread.id in waits else []
            write_line("\t".join(" ".join(cell.split()) for cell in cells))
        return
    rows = []
    for thread in every:
        about = " · ".join(filter(None, (shorten(thread.about), waits.get(thread.id))))
        last = clock.minute(thread.last) if thread.last else ""
        rows.append((thread.name or thread.id[:8], str(thread.turns), last, about))
    show_table(("conversation", "turns", "last", "begins with"), rows, fixed=("last",))


@threads.command("show")
def show_thread(
    name: Annotated[str, typer.Argument(help="A thread's name or id, or its position in the list, from 1.")],
    limit: Annotated[int, typer.Option(min=1, help="Show at most so many turns, the last ones.")] = 1000,
    before: Annotated[str | None, typer.Option(help="Only turns before this one, by its id.")] = None,
) -> None:
    """Show a conversation, turn by turn, from its traces."""
    workspace = start()
    conversations, traces = workspace.open_threads(), workspace.open_traces()
    id, known = conversations.resolve(name), traces.ids()
    if id not in known and name.isdecimal():
        id = next((each.id for place, each in enumerate(conversations.all(), 1) if str(place) == name), id)
    if id not in known:
        raise UserError(f"There is no thread {name!r} with turns.", "`ana threads list` shows them.")
    show_transcript(traces, id, limit, before)


@threads.command("delete")
def delete_thread(
    name: ThreadName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; needed outside a terminal.")] = False,
) -> None:
    """Delete a conversation and its traces; items and lines that it stored stay. This can be undone."""
    conversations = start().open_threads()
    thread = conversations.describe(conversations.resolve(name))
    if not conversations.exists(thread.id):
        raise UserError(f"There is no thread {name!r}.", "`ana threads list` shows them.")
    require_consent(f"Delete the conversation {name} ({pluralize(thread.turns, 'turn')})?", yes=yes)
    conversations.move_to_trash(thread.id)
    tell(f"Deleted thread {name}. To undo: ana threads restore {name}")


@threads.command("drop")
def drop_request(name: ThreadName) -> None:
    """End a turn that waits for a decision, without carrying anything out."""
    from ana.handles import open_handles
    from app.turn import open_assistant

    workspace = start()
    id = workspace.open_threads().resolve(name)
    with open_assistant(open_handles(workspace, "ana threads drop"), "ana threads drop") as assistant:
        tell(assistant.drop(id))


@threads.command("restore")
def restore_thread(name: ThreadName) -> None:
    """Restore a deleted conversation; possible until the trash is purged."""
    thread = start().open_threads().restore(name)
    tell(f"The thread {name} is restored, with {pluralize(thread.turns, 'turn')}.")
