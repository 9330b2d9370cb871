"""Backups of everything in one file, written while the folder is in use.

A backup is a ZIP with the data folder below `data/` and the traces below `traces/`. Only files that ana is known to
write are packed; all others in those folders are left out.
"""

import json
import os
import re
import sqlite3
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import Field

from ana import __version__
from ana.backends.chroma.care.format import FORMAT, FormatNote
from ana.backends.chroma.folder import Folder
from ana.errors import StoreBroken, UserError
from ana.files import connect_own, is_damage, remove_database
from ana.keys import OWNER, PERSON
from ana.notes import parse_note
from ana.own_files import UUID, is_trace

FOLDER = "backups"
"""The folder, in the data folder, of backups that ana makes on its own."""

DATABASES = ("threads.sqlite", "journal.sqlite")
"""Threads first: a thread older than the store is finished without doing anything twice; a newer one would report
things that do not exist."""

NOTES = ("format.json", "thread_names.json", "last_thread", "typed")

CALENDAR_KEY = "calendar-key"

CALENDARS = "calendars"
"""The file of the calendars that are followed."""

PERSONAL = ("settings.json", CALENDAR_KEY, CALENDARS)
"""What a person has set; a restore leaves it where the backup has none, for older ones never do."""

MANIFEST = "backup.json"

MOST_FILES = 10**7

_LARGEST_NOTE = 10_000
"""Bytes of a manifest."""

_BROKEN = (
    OSError, zipfile.BadZipFile, zlib.error, struct.error, KeyError, ValueError, TypeError, EOFError, RuntimeError,
    OverflowError,
)  # fmt: skip
"""Errors of zipfile for changed bytes, and of reading the manifest."""

_DATA = re.compile(
    r"data/(?:threads\.sqlite|journal\.sqlite|format\.json|thread_names\.json|last_thread|typed"
    rf"|settings\.json|calendar-key|calendars|chroma/(?:chroma\.sqlite3|{UUID}/[\w.-]{{1,80}}))"
)
_NEEDED = "data/chroma/chroma.sqlite3"


@dataclass(frozen=True)
class Manifest(FormatNote):
    """What a backup says of itself: also how many files it has beside this, and whose it is, if it knows."""

    files: Annotated[int, Field(ge=0, le=MOST_FILES)]
    person: Annotated[str, Field(pattern=f"^(?:{PERSON.pattern})?$")] = ""


def list_personal(person: str) -> tuple[str, ...]:
    """Return which of those are a person's; the owner's settings are in .env, and a file of that name is not ours."""
    return (CALENDAR_KEY, CALENDARS) if person in ("", OWNER) else PERSONAL


def is_known(name: str) -> bool:
    """Return whether a file of this name belongs in a backup."""
    return _DATA.fullmatch(name) is not None or (name.startswith("traces/") and is_trace(name.removeprefix("traces/")))


def write_backup(folder: Folder, traces: Path | None, to: Path) -> int:
    """Write everything into one file, which appears only once it is complete, and return how many files are in it.

    Traces are left out if their folder is None. Raises UserError if the file already exists, or cannot be written,
    StoreBroken if something in the data folder is damaged.
    """
    if to.exists():
        raise UserError(f"{to} exists already.", "Name another file, or delete it first.")
    try:
        with folder.hold():
            folder.close()  # Chroma writes to its files what it has in memory
            return pack(folder.path, traces, to, folder.person)
    except OSError as exc:
        raise UserError(f"The backup {to} cannot be written: {exc.strerror or exc}.", "Choose another place.") from exc


def pack(path: Path, traces: Path | None, to: Path, person: str, *, keep_damaged: bool = False) -> int:
    """Write a data folder and traces into a file, while the folder is held and Chroma closed, and count the files.

    Args:
        traces: The traces' folder; None leaves them out.
        person: Whose it is; empty if nobody says.
        keep_damaged: Whether a damaged database is packed byte for byte; else it is refused.

    Raises:
        StoreBroken: A database is damaged.
    """
    to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, part = tempfile.mkstemp(prefix=f".{to.name}.", suffix=".part", dir=to.parent)
    draft = Path(part)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False) as archive:
                count = _pack(archive, path, traces, person, keep_damaged=keep_damaged)
                # last, so that a backup with it is complete
                archive.writestr(MANIFEST, json.dumps(asdict(Manifest(FORMAT, __version__, count, person))))
            file.flush()
            os.fsync(file.fileno())
        draft.rename(to)  # a file of that name is always a complete backup
    finally:
        draft.unlink(missing_ok=True)
    return count


def own_backup_path(path: Path, reason: str) -> Path:
    """Return the file for a backup that ana makes on its own, before something that might be regretted."""
    return path / FOLDER / f"{reason}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S%f')}.zip"


def _pack(archive: zipfile.ZipFile, path: Path, traces: Path | None, person: str, *, keep_damaged: bool) -> int:
    count = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, file in _iter_files(path, traces, person):
            if file.suffix in (".sqlite", ".sqlite3"):
                file = _snapshot(file, Path(scratch) / file.name, keep_damaged=keep_damaged)
            archive.write(file, name)
            count += 1
    return count


def _iter_files(path: Path, traces: Path | None, person: str) -> Iterator[tuple[str, Path]]:
    """Yield every file to pack with its name in the archive; links are followed."""
    known = [path / name for name in (*DATABASES, *NOTES, *list_personal(person)) if (path / name).is_file()]
    yield from ((f"data/{file.name}", file) for file in known)
    if traces and traces.is_dir():
        yield from ((f"traces/{file.name}", file) for file in sorted(traces.iterdir()) if is_trace(file.name))
    for folder, _, names in os.walk((path / "chroma").resolve()):
        below = PurePosixPath("data/chroma") / Path(folder).relative_to((path / "chroma").resolve()).as_posix()
        yield from ((str(below / n), Path(folder) / n) for n in sorted(names) if is_known(str(below / n)))


def _snapshot(source: Path, target: Path, *, keep_damaged: bool) -> Path:
    try:
        copy_database(source, target)
    except sqlite3.DatabaseError as exc:
        if not is_damage(exc):
            raise OSError(str(exc)) from exc
        if not keep_damaged:
            raise StoreBroken(f"{source.name} is damaged: {exc}.", "`ana doctor --repair` repairs it.") from exc
        return source
    return target


def copy_database(source: Path, target: Path) -> None:
    try:
        with closing(connect_own(source, 30)) as old, closing(connect_own(target, 30)) as new:
            old.execute("SELECT name FROM sqlite_master").fetchall()
            new.execute("PRAGMA user_version")
            old.backup(new)  # SQLite's own copy: another process may be writing
    except sqlite3.DatabaseError as exc:
        if not is_damage(exc) or not target.exists() or not target.stat().st_size:
            raise
        # perhaps the old target is damaged: try again without it
        remove_database(target)
        copy_database(source, target)


def check_backup(path: Path, room: int, person: str) -> None:
    """Check that every byte of a backup can be read and that it is complete.

    Args:
        room: How many bytes there is room for.
        person: Whose it has to be, if it says whose it is; empty for anybody's.

    Raises:
        UserError: It is not a backup, not complete, too large, of a newer format, or another person's.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _refuse_too_large(archive, path, room)
            manifest, names = parse_note(_read_note(archive, MANIFEST), Manifest), archive.namelist()
            note = "data/format.json"  # folders of the first format have none
            inside = parse_note(_read_note(archive, note), FormatNote) if note in names else FormatNote(1, "")
            broken = archive.testzip()  # reads every byte and compares checksums
    except FileNotFoundError as exc:
        raise UserError(f"There is no file {path}.") from exc
    except _BROKEN as exc:
        raise UserError(f"{path} is not a complete backup: {exc}.", "Use another one; nothing was changed.") from exc
    if unknown := replace(inside, format=max(manifest.format, inside.format)).describe_unknown():
        raise UserError(
            f"{path} was written by ana {manifest.version} {unknown}.", f"Install ana {manifest.version} or later."
        )
    if person and manifest.person not in ("", person):
        raise UserError(
            f"{path} is a backup of what {manifest.person!r} has, not {person!r}; nothing was changed.",
            f"Restore it for them (`--user {manifest.person}`), or say that it is meant: `--from {manifest.person}`.",
        )
    if broken or manifest.files != len(names) - 1 or _NEEDED not in names:
        what = f"{broken} is damaged" if broken else "files are missing"
        raise UserError(f"{path} is not a complete backup: {what}.", "Use another one; nothing was changed.")


def _read_note(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _LARGEST_NOTE:
        raise ValueError(f"{name} is too large")
    return archive.read(name)


def _refuse_too_large(archive: zipfile.ZipFile, path: Path, room: int) -> None:
    """Refuse what unpacks to more than there is room for."""
    size = sum(info.file_size for info in archive.infolist())  # zipfile never unpacks more of a file than it says
    if size > room:
        raise UserError(
            f"{path} would unpack to {size:,} bytes, and there is room for {room:,}.",
            "Make room on the disk of ANA_DATA_DIR; nothing was changed.",
        )
