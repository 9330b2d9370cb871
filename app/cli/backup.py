"""`ana backup`: write everything into one file."""

from pathlib import Path
from typing import Annotated

import typer

from ana.handles import open_data
from ana.keys import OWNER
from ana.own_files import PEOPLE
from app.show.text import say
from app.startup import start


def backup(to: Annotated[Path, typer.Argument(help="The ZIP file; with --all its name contains {user}.")]) -> None:
    """Write all your data, with conversations and traces, into one file; works while ana is in use."""
    from ana.archive.backup import back_up
    from app.show.archive import tell_parts

    workspace = start()
    with open_data(workspace, "ana backup") as handles:
        manifest = back_up(handles, to)
    say(f"{tell_parts(manifest.parts)} are in {to}.")
    if workspace.person == OWNER and not workspace.has_database and (people := workspace.list_people()):
        say(f"It does not contain the data of other people in {PEOPLE}/: {', '.join(people)}.")
