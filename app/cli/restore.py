"""`ana restore`: everything as it was in a backup."""

from pathlib import Path
from typing import Annotated

import typer

from ana.handles import open_data_folder
from ana.ownership import own_all
from app.show.text import pluralize, say
from app.startup import start


def restore(backup: Annotated[Path, typer.Argument(help="A file that `ana backup` wrote.")]) -> None:
    """Restore everything to what it was in a backup; what is there now is backed up first."""
    settings = start()
    # a turn that works meanwhile would write its whole conversation over the restored one
    with own_all(settings, "ana restore"), open_data_folder(settings, "ana restore") as handles:
        before = handles.upkeep.restore(settings.traces_dir, backup)
        # Said before anything is counted: the backup may need another embedder, and counting would fail then.
        say(f"Everything is as it was in {backup}. What was here before is in {before}.")
        say(f"{pluralize(handles.memory.count(), 'item')}.")
