"""Putting everything back from a backup: brought in beside what is there, compared, and only then in its place."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from ana.archive.archive import FORMAT, Manifest, open_archive
from ana.archive.checking import check_backup
from ana.archive.folder import open_rows
from ana.archive.parts import PERSONAL, PersonalRows, Row, choose
from ana.archive.side import Part, Side, compare, copy, digest_all
from ana.backends.build import open_store
from ana.backends.chroma.care.files import KEYS, SETTINGS, take_out
from ana.backends.chroma.closed import read_embedder
from ana.errors import AnaError
from ana.files import remove_database
from ana.handles import DataHandles, choose_embedder
from ana.keys import OWNER
from ana.output import tell
from ana.progress import Progress
from ana.workspace import Workspace
from ana.workspace.folder import FolderStorage

PROGRAM = "ana restore"

_OF_PERSONAL = (*KEYS, SETTINGS, "spending.json", "spending.ledger")
"""The files of personal tables, beside the ledger of reminders."""

Choice = Callable[[PersonalRows], Mapping[str, list[Row]]]
"""Returns, of what a backup has, the rows of the tables that are not simply to be the backup's."""


def restore(handles: DataHandles, backup: Path, source: str | None, progress: Progress) -> str:
    """Restore everything from a backup; in a folder also if what is there cannot be opened.

    Args:
        source: Whose backup it is; None for the handles' own person.
        progress: Told how many records have come over.

    Returns:
        Where what was there before is.

    Raises:
        UserError: The backup cannot be used; nothing was changed.
        StoreBusy: In the database something waits for this person's answer, or rings; nothing was changed.
    """
    workspace = handles.workspace
    is_own = source in (None, workspace.person)

    def choose_all(present: Mapping[str, list[Row]]) -> Choice:
        return lambda given: {t: choose(t, given.read(t), present[t], is_own=is_own) for t in PERSONAL}

    if workspace.has_database:
        room = shutil.disk_usage(tempfile.gettempdir()).free
        manifest = check_backup(backup, room, source or workspace.person)
        return _restore_rows(workspace, backup, manifest, choose_all, progress)
    with handles.upkeep.hold_closed():
        manifest = check_backup(backup, shutil.disk_usage(workspace.folder).free, source or workspace.person)
        with handles.upkeep.replacing(workspace.traces_folder) as (new, before):
            fill_folder(workspace, new, backup, manifest, choose_all(_read_present(workspace)), progress)
    return str(before)


def fill_folder(
    workspace: Workspace, new: Path, backup: Path, manifest: Manifest, choice: Choice, progress: Progress
) -> None:
    """Bring a backup into a new folder: the data below `data`, the traces below `traces`. Errors as of `restore`."""
    if manifest.format < FORMAT:
        take_out(backup, new, workspace.person)
        _change_personal(workspace, new, choice)
        return
    with open_archive(backup, manifest) as source, open_folder(workspace, new, manifest.embedder) as target:
        fill(source, manifest.parts, target, choice, progress, but=["settings"] * (workspace.person == OWNER))


def fill(
    source: Side,
    parts: Mapping[str, Part],
    target: Side,
    choice: Choice,
    progress: Progress,
    but: Sequence[str] = (),
) -> None:
    """Bring everything to a place that has nothing, and compare it. Arguments and errors as of `copy` and `compare`."""
    wanted = choice(source.rows)
    copy(source, target, progress, wanted)
    compare(parts, target, [*wanted, *but])


@contextmanager
def open_folder(workspace: Workspace, place: Path, bound: str | None) -> Iterator[Side]:
    """Yield all that is in a folder that nobody else knows.

    Args:
        place: Its data is below `data`, its traces are below `traces`.
        bound: The embedder that made its vectors, or those that are to come.
    """
    embedder = choose_embedder(workspace, bound)
    backend, upkeep = open_store(place / "data", embedder, PROGRAM, workspace.person, tell, lambda _: None)
    try:
        with backend.alone(), open_rows(_find_storage(workspace, place)) as rows:
            yield Side(upkeep.give_whole(), rows)
    finally:
        backend.close()


def _find_storage(workspace: Workspace, place: Path) -> FolderStorage:
    return FolderStorage(workspace.person, place / "data", place / "traces", place / "people")


def _read_present(workspace: Workspace) -> dict[str, list[Row]]:
    """Return the rows of personal tables that are in a folder, as far as they can be read."""
    storage = workspace.storage
    assert isinstance(storage, FolderStorage)
    present: dict[str, list[Row]] = {table: [] for table in PERSONAL}
    for table in PERSONAL:
        with suppress(AnaError), open_rows(storage) as rows:
            present[table] = [*rows.read(table)]
    return present


def _change_personal(workspace: Workspace, new: Path, choice: Choice) -> None:
    """Put in the place of a copy's personal files those that are to be."""
    storage = _find_storage(workspace, new)
    with open_rows(storage) as rows:
        wanted = choice(rows)
    for name in _OF_PERSONAL:
        (storage.folder / name).unlink(missing_ok=True)
    remove_database(storage.folder / "reminders.sqlite")
    with open_rows(storage) as rows:
        for table, chosen in wanted.items():
            rows.write(table, chosen)


def _restore_rows(
    workspace: Workspace,
    backup: Path,
    manifest: Manifest,
    choose_all: Callable[[Mapping[str, list[Row]]], Choice],
    progress: Progress,
) -> str:
    from ana.archive.database import open_person, replace_person

    database, name = workspace.rows.database, workspace.person
    aside = f"{name} {datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    with (
        _open_source(workspace, backup, manifest) as (source, parts),
        replace_person(database, name, aside) as (session, present),
        open_person(database, session, name, choose_embedder(workspace, source.store.embedder_name)) as target,
    ):
        fill(source, parts, target, choose_all(present), progress)
    return f"the database, as {aside!r}"


@contextmanager
def _open_source(workspace: Workspace, backup: Path, manifest: Manifest) -> Iterator[tuple[Side, Mapping[str, Part]]]:
    """Yield all that is in a backup, with its parts."""
    if manifest.format == FORMAT:
        with open_archive(backup, manifest) as source:
            yield source, manifest.parts
        return
    with tempfile.TemporaryDirectory(prefix="ana-") as scratch:
        take_out(backup, Path(scratch), workspace.person)
        with open_folder(workspace, Path(scratch), read_embedder(Path(scratch) / "data")) as source:
            yield source, digest_all(source)
