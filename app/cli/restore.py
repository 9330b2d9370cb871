"""`ana restore`: restore everything from a backup."""

from pathlib import Path
from typing import Annotated

import typer

from ana.errors import UserError
from ana.handles import open_data
from ana.people.grants import list_grants
from ana.workspace import open_workspace
from app.embedder import describe_missing_embedder
from app.show.confirm import can_ask, confirm
from app.show.progress import show_progress
from app.show.text import pluralize, say
from app.startup import start


def restore(
    backup: Annotated[Path, typer.Argument(help="A file that `ana backup` wrote.")],
    source: Annotated[
        str | None, typer.Option("--from", help="Whose backup it is, if it is another person's.", metavar="NAME")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask in a terminal.")] = False,
) -> None:
    """Restore everything from a backup; the current state is saved first."""
    from ana.archive.restore import restore as put_back

    workspace = start()
    place = "the database" if workspace.has_database else workspace.folder
    question = f"Replace everything in {place} with {backup}? The current state is saved beside it."
    if not yes and can_ask() and not confirm(question):
        raise UserError("Nothing was restored.")
    # a turn that works meanwhile would write its whole conversation over the restored one
    with (
        workspace.open_locks().own_all("ana restore"),
        open_data(workspace, "ana restore") as handles,
        show_progress("restoring") as progress,
    ):
        before, items = put_back(handles, backup, source, progress)
    say(f"Everything was restored from {backup}. The previous state is in {before}.")
    if missing := describe_missing_embedder(workspace):
        say(missing)
    say(f"{pluralize(items, 'item')}.")
    restored = open_workspace(workspace.settings, workspace.person)  # in a database it is another row than before
    if list_grants(restored):
        say("Some of it is shown to others: `ana share` lists what and to whom, and ends it.")
