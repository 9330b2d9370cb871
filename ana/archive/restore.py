"""Putting everything back from a backup: brought in beside what is there, compared, and only then in its place."""

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
from ana.progress import Progress
from ana.workspace import Workspace
from ana.workspace.folder import FolderStorage

PROGRAM = "ana restore"

Replacing = tuple[Side, Mapping[str, list[Row]], str]
"""What takes a backup, the rows of personal tables that are there now, and where what is there now will be."""


def restore(handles: DataHandles, backup: Path, source: str | None, progress: Progress) -> tuple[str, int]:
    """Restore everything from a backup; in a folder also if what is there cannot be opened.

    Args:
        source: Whose backup it is; None for the handles' own person.
        progress: Told how many records have come over.

    Returns:
        Where what was there before is, and how many items there are now.

    Raises:
        UserError: The backup cannot be used; nothing was changed.
        StoreBusy: In the database something waits for this person's answer, or rings; nothing was changed.
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
    """Yield all that is in a backup, or in a copy of files, with its parts. Errors as of `check_backup`."""
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
    """Yield all that is in a folder that nobody else knows.

    Args:
        place: Its data is below `data`, its traces are below `traces`.
        bound: The embedder that made its vectors, or those that are to come.
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
    """Return the rows of personal tables that are in a folder, as far as they can be read."""
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
