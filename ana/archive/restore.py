"""Restoring a backup: it is copied beside the current data, compared, and only then put in its place."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ana.archive.backup import open_place
from ana.archive.copying import copy
from ana.archive.folder import open_folder
from ana.archive.parts import PERSONAL, Row, choose
from ana.archive.place import Place
from ana.archive.reading import open_backup
from ana.errors import AnaError
from ana.handles import DataHandles, choose_embedder
from ana.stopping import Progress


def restore(handles: DataHandles, backup: Path, source: str | None, progress: Progress) -> tuple[str, int]:
    """Restore everything from a backup; in a folder even if the current data cannot be opened.

    Args:
        source: The person of the backup; None: the person of the handles.
        progress: Called with the number of copied records.

    Returns:
        The place of the previous data, and the number of items now.

    Raises:
        UserError: The backup cannot be used; nothing was changed.
        StoreBusy: In the database a run or delivery of this person is unfinished; nothing was changed.
    """
    workspace, is_own = handles.workspace, source in (None, handles.workspace.person)
    with ExitStack() as stack:
        if upkeep := handles.find_upkeep():
            stack.enter_context(upkeep.hold_closed())
        contents, parts = stack.enter_context(open_backup(workspace, backup, source or workspace.person))
        present = {table: _read_present(handles, table) for table in PERSONAL}
        replace = _replace_rows if workspace.has_database else _replace_files
        target, before = stack.enter_context(replace(handles, contents.embedder_name))
        chosen = {t: choose(t, contents.read(t), present[t], is_own=is_own) for t in PERSONAL}
        copy(contents, parts, target, progress, chosen)
    return before, parts["items"].rows


def _read_present(handles: DataHandles, table: str) -> list[Row]:
    """Return the present rows of a table; none if they cannot be read."""
    with suppress(AnaError), open_place(handles) as place:
        return [*place.read(table)]
    return []


@contextmanager
def _replace_files(handles: DataHandles, embedder: str) -> Iterator[tuple[Place, str]]:
    workspace = handles.workspace
    with (
        handles.upkeep.replacing(workspace.traces_folder) as (new, before),
        open_folder(workspace, new, embedder) as target,
    ):
        yield target, str(before)


@contextmanager
def _replace_rows(handles: DataHandles, embedder: str) -> Iterator[tuple[Place, str]]:
    from ana.archive.database import open_person, replace_person

    workspace = handles.workspace
    database = workspace.rows.database
    with (
        replace_person(database, workspace.person) as (session, aside),
        open_person(database, session, workspace, choose_embedder(workspace, embedder)) as target,
    ):
        yield target, f"the database, as {aside!r}"
