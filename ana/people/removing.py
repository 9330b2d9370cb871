"""What a person has, packed and put aside when they go."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from ana.errors import StoreBroken
from ana.files import FILE_ERRORS
from ana.handles import open_data_folder
from ana.workspace import Workspace
from ana.workspace.private import holds_own

ASIDE = "set-aside"
BACKUP = "backup.zip"


@contextmanager
def remove_folder(owner: Workspace, person: Workspace) -> Iterator[Path]:
    """Back up what a person has; after the context, move their folder beside the backup.

    Args:
        owner: Whose folder keeps both.
        person: Who goes.

    Yields:
        The folder in which both are then.

    Raises:
        StoreBroken: The folder is damaged.
        UserError: The backup cannot be written.
    """
    aside = owner.folder / ASIDE / f"{person.person}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    try:
        if holds_own(person):
            with open_data_folder(person, "ana users remove") as handles:
                handles.upkeep.back_up(person.traces_folder, aside / BACKUP)
    except FILE_ERRORS as exc:
        raise StoreBroken(
            f"What {person.person!r} has cannot be packed: {exc}.", f"Try `ana doctor --repair --user {person.person}`."
        ) from exc
    yield aside
    aside.mkdir(parents=True, exist_ok=True, mode=0o700)
    if person.folder.exists():
        person.folder.rename(aside / person.person)
