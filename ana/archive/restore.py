"""Restoring a backup: it is copied beside the current data, compared, and only then put in its place."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ana.archive.archive import FORMAT, open_archive
from ana.archive.checking import check_backup
from ana.archive.folder import open_rows
from ana.archive.parts import PERSONAL, Row, choose
from ana.archive.side import RECORDS, Part, Side, compare, copy, digest_all
from ana.backends.build import open_store
from ana.backends.chroma.care.files import take_out
from ana.backends.chroma.closed import read_embedder
from ana.errors import AnaError
from ana.handles import DataHandles, choose_embedder
from ana.output import tell
from ana.stopping import Progress
from ana.workspace import Workspace
from ana.workspace.folder import FolderStorage

PROGRAM = "ana restore"

Replacing = tuple[Side, Mapping[str, list[Row]], str]
"""A function that gets a backup, the current rows of personal tables, and the future place of the current data."""


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
        side, parts = stack.enter_context(open_backup(workspace, backup, source or workspace.person))
        replacing = _replace_rows if workspace.has_database else _replace_files
        target, present, before = stack.enter_context(replacing(handles, side.store.embedder_name))
        wanted = {t: choose(t, side.rows.read(t), present[t], is_own=is_own) for t in PERSONAL}
        copy(side, target, progress, wanted)
        compare(parts, target, but=wanted)
    return before, parts[RECORDS["item"]].rows


@contextmanager
def open_backup(workspace: Workspace, path: Path, person: str) -> Iterator[tuple[Side, Mapping[str, Part]]]:
    """Yield the contents of a backup, or of a copy of files, with its parts. Errors as of `check_backup`."""
    place = tempfile.gettempdir() if workspace.has_database else workspace.folder
    manifest = check_backup(path, shutil.disk_usage(place).free, person)
    if manifest.format == FORMAT:
        with open_archive(path, manifest) as side:
            yield side, manifest.parts
        return
    with tempfile.TemporaryDirectory(prefix="ana-") as scratch:
        take_out(path, Path(scratch), workspace.person)
        with open_folder(workspace, Path(scratch), read_embedder(Path(scratch) / "data")) as side:
            yield side, digest_all(side)


@contextmanager
def open_folder(workspace: Workspace, place: Path, bound: str | None) -> Iterator[Side]:
    """Yield the contents of a folder that nobody else uses.

    Args:
        place: The folder, with the subfolders `data` and `traces`.
        bound: The embedder of its vectors, or of future ones.
    """
    embedder = choose_embedder(workspace, bound)
    backend, upkeep = open_store(place / "data", embedder, PROGRAM, workspace.person, tell, lambda _: None)
    storage = FolderStorage(workspace.person, place / "data", place / "traces", place / "people")
    try:
        with backend.alone(), open_rows(storage) as rows:
            yield Side(upkeep.give_whole(), rows)
    finally:
        backend.close()


@contextmanager
def _replace_files(handles: DataHandles, embedder: str) -> Iterator[Replacing]:
    workspace = handles.workspace
    with (
        handles.upkeep.replacing(workspace.traces_folder) as (new, before),
        open_folder(workspace, new, embedder) as target,
    ):
        yield target, _read_present(workspace), str(before)


def _read_present(workspace: Workspace) -> dict[str, list[Row]]:
    """Return the readable rows of personal tables in a folder."""
    storage = workspace.storage
    assert isinstance(storage, FolderStorage)
    present: dict[str, list[Row]] = {table: [] for table in PERSONAL}
    for table in PERSONAL:
        with suppress(AnaError), open_rows(storage) as rows:
            present[table] = [*rows.read(table)]
    return present


@contextmanager
def _replace_rows(handles: DataHandles, embedder: str) -> Iterator[Replacing]:
    from ana.archive.database import open_person, replace_person

    workspace = handles.workspace
    database, name = workspace.rows.database, workspace.person
    with (
        replace_person(database, name) as (session, present, aside),
        open_person(database, session, name, choose_embedder(workspace, embedder)) as target,
    ):
        yield target, present, f"the database, as {aside!r}"
