"""Putting everything back from a backup: it is unpacked beside what is there, checked, and then exchanged with it."""

import shutil
import sqlite3
import zipfile
from contextlib import closing, suppress
from pathlib import Path

from ana.backends.chroma.care.backup import (
    CALENDAR_KEY,
    DATABASES,
    PERSONAL,
    check_backup,
    is_known,
    list_personal,
    own_backup_path,
    pack,
)
from ana.backends.chroma.care.exchange import finish_exchange, prepare_exchange
from ana.backends.chroma.client import DATABASE
from ana.backends.chroma.folder import Folder
from ana.errors import StoreBroken, UserError
from ana.files import connect_own, find_damage

_OURS = {
    f"chroma/{DATABASE}": """SELECT count(*) = count(m.key) FROM collections c
        LEFT JOIN collection_metadata m ON m.collection_id = c.id AND m.key = 'ana_version'
        WHERE c.name IN ('items', 'global_context') OR NOT EXISTS (
            SELECT 1 FROM collections WHERE name IN ('items', 'global_context'))""",
    "journal.sqlite": "SELECT count(kind || id || before || after || done) >= 0 FROM writes",
}
"""For a database a query that ana's own answers with 1: Chroma's is new, or has collections that ana has made."""


def restore(folder: Folder, traces: Path, backup: Path, source: str | None = None) -> Path:
    """Restore everything from a backup, even if the present folder cannot be opened.

    Args:
        source: Whose backup it is; None for that of the folder's own person.

    Returns:
        A backup of the state before.

    Raises:
        UserError: The backup cannot be used; nothing was changed.
    """
    with folder.hold_closed():
        check_backup(backup, shutil.disk_usage(folder.path).free, source or folder.person)
        folder.close()
        with suppress(StoreBroken):  # its note is damaged: this restore takes its place
            finish_exchange(folder.path)
        before = own_backup_path(folder.path, "before-restore")
        pack(folder.path, traces, before, folder.person, keep_damaged=True)  # whoever restores may have damaged files
        with prepare_exchange(folder.path, traces) as new:
            _unpack(backup, new)
            _leave_out(folder, source, new / "data")
        folder.mark_written()
        finish_exchange(folder.path)
    return before


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


def _leave_out(folder: Folder, source: str | None, new: Path) -> None:
    """Remove what is not to be put back of what a person has set.

    One key must not open two calendars, nor one person's reminders ring at another's addresses, so nothing of that is
    another's; and a key that was changed since must not open anything again.
    """
    own = list_personal(folder.person) if source in (None, folder.person) else ()
    for name in PERSONAL:
        if name not in own or (name == CALENDAR_KEY and (folder.path / name).exists()):
            (new / name).unlink(missing_ok=True)


def _answers(database: Path, query: str) -> bool:
    """Return whether a database has an answer to a query, and the tables for it."""
    try:
        with closing(connect_own(database)) as db:
            return bool(db.execute(query).fetchone()[0])
    except sqlite3.Error:
        return False
