"""The files of a data folder: copying them before a risky change, and taking them out of backups that contain them.

A copy has the data folder below `data` and the traces below `traces`, as had early backups, in a ZIP.
Only files that ana is known to write are copied or taken out; all others in those folders are left alone.
"""

import json
import os
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import Field

from ana import __version__
from ana.backends.chroma.care.format import FORMAT, FormatNote
from ana.backends.chroma.client import DATABASE
from ana.errors import UserError
from ana.files import (
    connect_own,
    copy_whole,
    find_damage,
    is_damage,
    list_database_files,
    remove_database,
    write_whole,
)
from ana.keys import OWNER, PERSON
from ana.own_files import OWN_NOTES, UUID, is_trace

FOLDER = "backups"
"""The folder, in the data folder, of backups and copies that ana makes on its own."""

DATABASES = ("threads.sqlite", "journal.sqlite", "reminders.sqlite")
"""Threads first: a thread older than the store is finished without doing anything twice; a newer one would report
things that do not exist."""

SETTINGS = "settings.json"
"""What a person has set; the owner's settings are in .env, and a file of that name is not ours."""

NOTES = (
    *("format.json", "thread_names.json", "last_thread", "spending.json", "spending.ledger"),
    *(name for name in OWN_NOTES if name != "telegram"),  # which `ana serve` may write at the same time
)

ASIDE = "set-aside"
"""The folder, in the data folder, for damaged files."""

ASIDE_PATTERN = r"^\d{8}T\d{12}Z$"
"""What each folder in it is called: when it was made."""

MANIFEST = "backup.json"
NEEDED = f"data/chroma/{DATABASE}"
"""What no copy is without."""

MOST_FILES = 10**7

_DATA = re.compile(
    rf"data/(?:{'|'.join(map(re.escape, (*DATABASES, *NOTES, SETTINGS)))}"
    rf"|chroma/(?:chroma\.sqlite3|{UUID}/[\w.-]{{1,80}}))"
)

_OURS = {
    f"chroma/{DATABASE}": """SELECT count(*) = count(m.key) FROM collections c
        LEFT JOIN collection_metadata m ON m.collection_id = c.id AND m.key = 'ana_version'
        WHERE c.name IN ('items', 'global_context') OR NOT EXISTS (
            SELECT 1 FROM collections WHERE name IN ('items', 'global_context'))""",
    "journal.sqlite": "SELECT count(kind || id || before || after || done) >= 0 FROM writes",
}
"""For a database a query that ana's own answers with 1: Chroma's is new, or has collections that ana has made."""


@dataclass(frozen=True)
class CopyNote(FormatNote):
    """A copy's note about itself, with the number of its other files, and its owner if known."""

    files: Annotated[int, Field(ge=0, le=MOST_FILES)]
    person: Annotated[str, Field(pattern=f"^(?:{PERSON.pattern})?$")] = ""


def is_known(name: str) -> bool:
    """Return whether a file of this name belongs in a copy."""
    return _DATA.fullmatch(name) is not None or (name.startswith("traces/") and is_trace(name.removeprefix("traces/")))


def name_copy(path: Path, reason: str) -> Path:
    """Return the path for a copy of a data folder, or a backup, that is made before a risky change."""
    return path / FOLDER / f"{reason}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S%f')}"


def copy_files(path: Path, traces: Path | None, to: Path, person: str) -> None:
    """Copy a data folder and traces, while the folder is held and Chroma is closed; damaged files are copied as they
    are.

    Args:
        traces: The traces' folder; None leaves them out.
        to: The copy; it appears once it is complete.
        person: The person whose data it is; empty if unknown.
    """
    draft = to.with_name(f".{to.name}.part")
    draft.mkdir(parents=True, mode=0o700)
    try:
        files = _copy_into(draft, path, traces, person)
        write_whole(draft / MANIFEST, json.dumps(asdict(CopyNote(FORMAT, __version__, files, person))), mode=0o600)
        draft.rename(to)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def copy_database(source: Path, target: Path) -> None:
    """Copy a SQLite file through SQLite: another process may be writing to the source, or have the copy open."""
    try:
        with closing(connect_own(source, 30)) as old, closing(connect_own(target, 30)) as new:
            old.execute("SELECT name FROM sqlite_master").fetchall()
            new.execute("PRAGMA user_version")
            old.backup(new)
    except sqlite3.DatabaseError as exc:
        if not is_damage(exc) or not target.exists() or not target.stat().st_size:
            raise
        # perhaps the old target is damaged: try again without it
        remove_database(target)
        copy_database(source, target)


def take_out(backup: Path, to: Path, person: str) -> None:
    """Take the files that ana knows out of a backup, a ZIP or a copy, and check that they can be used.

    Raises:
        UserError: A database is damaged, or not one of ana's.
        ValueError: It has no records.
    """
    if backup.is_dir():
        _copy_into(to, backup / "data", backup / "traces", person)
    else:
        with zipfile.ZipFile(backup) as archive:
            archive.extractall(to, [name for name in archive.namelist() if is_known(name)])
    if not (to / NEEDED).exists():
        raise ValueError("it has no records")
    for name in (*DATABASES, f"chroma/{DATABASE}"):
        file = to / "data" / name
        if damage := find_damage(file):
            raise UserError(f"{file.name} in {backup} is damaged: {damage}.", "Nothing was changed.")
        if name in _OURS and file.exists() and not _answers(file, _OURS[name]):
            raise UserError(f"{name} in {backup} was not written by ana.", "Nothing was changed.")


def name_damaged_folder() -> str:
    """Return the name of a new folder for damaged files."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")


def move_aside(path: Path, name: str, *files: str) -> Path:
    """Move files and folders of a data folder to a folder for damaged files, and return it.

    If it is there already, because the move was cut short, what was moved stays, and the rest follows.
    """
    aside = path / ASIDE / name
    aside.mkdir(parents=True, exist_ok=True)
    for file in files:
        for each in () if (aside / file).exists() else list_database_files(path / file):
            each.rename(aside / each.name)
    return aside


def list_files(path: Path, traces: Path | None, person: str) -> Iterator[tuple[str, Path]]:
    """Yield every file of ana's with its name in a copy; links are followed."""
    names = (*DATABASES, *NOTES, *(() if person in ("", OWNER) else (SETTINGS,)))
    yield from ((f"data/{name}", path / name) for name in names if (path / name).is_file())
    if traces and traces.is_dir():
        yield from ((f"traces/{file.name}", file) for file in sorted(traces.iterdir()) if is_trace(file.name))
    for folder, _, files in os.walk((path / "chroma").resolve()):
        below = PurePosixPath("data/chroma") / Path(folder).relative_to((path / "chroma").resolve()).as_posix()
        yield from ((str(below / n), Path(folder) / n) for n in sorted(files) if is_known(str(below / n)))


def _copy_into(to: Path, path: Path, traces: Path | None, person: str) -> int:
    count = 0
    for name, file in list_files(path, traces, person):
        (to / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _copy(file, to / name)
        count += 1
    return count


def _copy(file: Path, to: Path) -> None:
    if file.suffix in (".sqlite", ".sqlite3"):
        try:
            copy_database(file, to)
            return
        except sqlite3.DatabaseError as exc:
            if not is_damage(exc):
                raise OSError(str(exc)) from exc
            remove_database(to)
    copy_whole(file, to)


def _answers(database: Path, query: str) -> bool:
    """Return whether a database has an answer to a query, and the tables for it."""
    try:
        with closing(connect_own(database)) as db:
            return bool(db.execute(query).fetchone()[0])
    except sqlite3.Error:
        return False
