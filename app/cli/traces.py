"""`ana traces`: list the traces of conversations, and delete old ones."""

from typing import Annotated

import typer

from ana.output import tell
from ana.threads.ports import owning
from ana.tracing.port import moment
from ana.workspace import Workspace
from app.cli.ages import moment_before
from app.show.tables import show_table
from app.show.text import pluralize, say, shorten
from app.startup import start


def traces(
    older_than: Annotated[str | None, typer.Option(help="Only turns older than this: 30d, 4w.")] = None,
    purge: Annotated[bool, typer.Option("--purge", help="Delete them permanently; needs --older-than.")] = False,
) -> None:
    """List the traces of conversations with their turns and sizes; or delete old ones."""
    if not purge:
        show_traces(start(), older_than)
    elif older_than is None:
        raise typer.BadParameter("--purge needs --older-than.")
    else:
        count = purge_traces(start(), older_than)
        tell(f"{pluralize(count, 'turn')} {'is' if count == 1 else 'are'} deleted permanently.")


def show_traces(workspace: Workspace, older_than: str | None) -> None:
    """Print every conversation's trace: its turns, size and last turn."""
    traces, threads, clock = workspace.open_traces(), workspace.open_threads(), workspace.make_clock()
    before = moment_before(older_than, clock) if older_than else None
    rows = []
    for id in traces.ids():
        records = [record for record in traces.read(id) if before is None or moment(record) < before]
        if records:
            last, size = records[-1], len(traces.read_text(id))
            name = threads.describe(id).name or id[:8]
            rows.append(
                (name, str(len(records)), f"{size / 1000:.0f} kB", clock.minute(last["ts"]), shorten(last["question"]))
            )
    if rows:
        show_table(("conversation", "turns", "size", "last", "asked last"), rows, fixed=("last",))
    else:
        say("There are no traces." if older_than is None else f"No trace is older than {older_than}.")


def purge_traces(workspace: Workspace, older_than: str) -> int:
    """Delete older turns permanently; conversations stay. Return the number of deleted turns.

    Raises:
        StoreBusy: Another program is using a conversation.
        UserError: It is not an age.
    """
    traces, locks, count = workspace.open_traces(), workspace.open_locks(), 0
    before = moment_before(older_than, workspace.make_clock())
    for id in traces.ids():
        with owning(locks.lock(id, "ana traces")):  # its file is rewritten: no turn may add to it meanwhile
            count += traces.change(id, lambda record: None if moment(record) < before else record)
    return count
