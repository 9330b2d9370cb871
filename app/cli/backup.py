"""`ana backup`: everything in one file."""

from pathlib import Path
from typing import Annotated

import typer

from ana.handles import open_data
from ana.keys import OWNER
from ana.own_files import PEOPLE
from app.show.text import pluralize, say
from app.startup import start

COUNTED = {"items": "item", "lines": "line", "journal": "change", "turns": "turn"}
"""Parts of a backup that are told of, and what they hold."""


def backup(to: Annotated[Path, typer.Argument(help="The file, a ZIP; for --all with {user} in its name.")]) -> None:
    """Write everything of yours, conversations and traces included, into one file; also while it is in use."""
    from ana.archive.backup import back_up

    workspace = start()
    with open_data(workspace, "ana backup") as handles:
        parts = back_up(handles, to).parts
    counted = [pluralize(parts[part].rows, what) for part, what in COUNTED.items()]
    say(f"{', '.join(counted[:-1])} and {counted[-1]} are in {to}.")
    if workspace.person == OWNER and not workspace.has_database and (people := workspace.list_people()):
        say(f"Nothing of what others have here is in it, in {PEOPLE}/: {', '.join(people)}.")
