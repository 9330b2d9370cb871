"""`ana backup`: everything in one file."""

from pathlib import Path
from typing import Annotated

import typer

from ana.handles import opened
from app.show.text import say
from app.startup import start


def backup(to: Annotated[Path, typer.Argument(help="The file, a ZIP.")]) -> None:
    """Write everything, conversations and traces included, into one file; also while it is in use."""
    from ana.backends.chroma.care.backup import write_backup

    settings = start()
    with opened(settings, "ana backup") as handles:
        count = write_backup(handles.backend.folder, settings.traces_dir, to)
    say(f"{count} files are in {to}.")
