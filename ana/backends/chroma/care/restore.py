"""Putting everything back from a backup.

One file says where it is unpacked and whether that is decided: until then nothing has changed, and afterwards the next
process that opens the folder finishes the restore. Only files that ana is known to write are replaced or removed.
"""

import json
import os
import secrets
import shutil
import sqlite3
import zipfile
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ana.backends.chroma.care.backup import (
    DATABASES,
    NOTES,
    check_backup,
    copy_database,
    is_known,
    own_backup_path,
    pack,
)
from ana.backends.chroma.care.rebuild import REBUILDING
from ana.backends.chroma.care.scrub import finish_copy
from ana.backends.chroma.client import DATABASE
from ana.backends.chroma.collection import INDEXES
from ana.backends.chroma.folder import Folder
from ana.errors import StoreBroken, UserError
from ana.files import connect_own, copy_whole, find_damage, remove_database, write_whole
from ana.notes import read_note
from ana.own_files import is_of_chroma, is_trace

NOTE = "restore.json"

_LOST = (
    "A restore was cut short. `ana doctor --repair` sets this file aside; then restore again: `ana restore FILE`, from "
    "the same backup, or from the one in `backups` of what was there before."
)


@dataclass(frozen=True)
class RestoreNote:
    """A restore.

    Args:
        unpacked: The folder, in the data folder, of what is unpacked.
        traces: Where the traces go.
        decided: Whether it is put in the place of what is there; else it is removed.
    """

    unpacked: Annotated[str, Field(pattern=r"^restored-[a-z0-9_]{8}$")]
    traces: str
    decided: bool = True


_OURS = {
    f"chroma/{DATABASE}": """SELECT count(*) = count(m.key) FROM collections c
        LEFT JOIN collection_metadata m ON m.collection_id = c.id AND m.key = 'ana_version'
        WHERE c.name IN ('items', 'global_context') OR NOT EXISTS (
            SELECT 1 FROM collections WHERE name IN ('items', 'global_context'))""",
    "journal.sqlite": "SELECT count(kind || id || before || after || done) >= 0 FROM writes",
}
"""For a database a query that ana's own answers with 1: Chroma's is new, or has collections that ana has made."""


def restore(folder: Folder, traces: Path, backup: Path) -> Path:
    """Restore everything from a backup, even if the present folder cannot be opened.

    Returns:
        A backup of the state before.

    Raises:
        UserError: The backup cannot be used; nothing was changed.
    """
    with folder.hold_closed():
        check_backup(backup, shutil.disk_usage(folder.path).free)
        folder.close()
        with suppress(StoreBroken):  # its note is damaged: this restore takes its place
            finish_restore(folder.path)
        finish_copy(folder.path)  # or the next opening would put it in place of what is restored
        before = own_backup_path(folder.path, "before-restore")
        pack(folder.path, traces, before, keep_damaged=True)  # whoever restores may have damaged files
        note = RestoreNote(f"restored-{secrets.token_hex(4)}", str(traces.absolute()), decided=False)
        _write_note(folder.path, note)
        try:
            _unpack(backup, folder.path / note.unpacked)
            os.sync()  # the unpacked files must survive a power failure as well as the decision does
            _write_note(folder.path, replace(note, decided=True))
        except Exception:  # whatever it was, nothing was decided
            _forget(folder.path, note)
            raise
        folder.mark_written()
        finish_restore(folder.path)
    return before


def read_restore(path: Path) -> RestoreNote | None:
    """Return the restore of a folder that was cut short; None if there is none.

    Raises:
        StoreBroken: Its note cannot be read, or what it names is not there.
    """
    note = read_note(path / NOTE, RestoreNote, _LOST)
    if note and note.decided and not (path / note.unpacked / "data" / "chroma" / DATABASE).exists():
        raise StoreBroken(f"{path / NOTE} names {note.unpacked}, which is not complete.", _LOST)
    return note


def finish_restore(path: Path) -> None:
    """Finish a restore that was decided, if necessary from its start, while the folder is held and Chroma closed.

    Raises:
        StoreBroken: As `read_restore`.
    """
    note = read_restore(path)
    if note is None:
        return
    if note.decided:
        _put_back(path / note.unpacked / "data", path)
        _put_back_traces(path / note.unpacked / "traces", Path(note.traces))
        for name in INDEXES:
            remove_database(path / name)
        (path / REBUILDING).unlink(missing_ok=True)
        _write_note(path, replace(note, decided=False))  # what was unpacked is of no more use
    _forget(path, note)


def _write_note(path: Path, note: RestoreNote) -> None:
    write_whole(path / NOTE, json.dumps(asdict(note)))


def _forget(path: Path, note: RestoreNote) -> None:
    """Remove what was unpacked, and then the note that says that it is ours."""
    shutil.rmtree(path / note.unpacked, ignore_errors=True)
    (path / NOTE).unlink()


def _put_back(source: Path, path: Path) -> None:
    for name in DATABASES:
        if (source / name).exists():  # through SQLite: another process may have the old one open
            copy_database(source / name, path / name)
        else:
            remove_database(path / name)
    for name in NOTES:
        if (source / name).exists():
            copy_whole(source / name, path / name)
        else:
            (path / name).unlink(missing_ok=True)
    chroma = path / "chroma"
    for old in (each for each in (chroma.iterdir() if chroma.exists() else ()) if is_of_chroma(each.name)):
        shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()
    shutil.copytree(source / "chroma", chroma, dirs_exist_ok=True)


def _put_back_traces(source: Path, traces: Path) -> None:
    traces.mkdir(parents=True, exist_ok=True, mode=0o700)
    for old in traces.iterdir():
        if is_trace(old.name) and not (source / old.name).exists():
            old.unlink()
    for new in source.iterdir() if source.exists() else ():
        copy_whole(new, traces / new.name)


def _unpack(backup: Path, to: Path) -> None:
    """Unpack the files that ana knows, and check that they can be used."""
    with zipfile.ZipFile(backup) as archive:
        archive.extractall(to, [name for name in archive.namelist() if is_known(name)])
    databases = [to / "data" / name for name in DATABASES if (to / "data" / name).exists()]
    for database in (*databases, to / "data" / "chroma" / DATABASE):
        if damage := find_damage(database):
            raise UserError(f"{database.name} in {backup} is damaged: {damage}.", "Nothing was changed.")
    for name, query in _OURS.items():
        if (to / "data" / name).exists() and not _answers(to / "data" / name, query):
            raise UserError(f"{name} in {backup} was not written by ana.", "Nothing was changed.")


def _answers(database: Path, query: str) -> bool:
    """Return whether a database has an answer to a query, and the tables for it."""
    try:
        with closing(connect_own(database)) as db:
            return bool(db.execute(query).fetchone()[0])
    except sqlite3.Error:
        return False
