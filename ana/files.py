"""Files that are written completely or not at all, and SQLite files that may be damaged."""

import glob
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ana.errors import StoreBroken

BUSY_SECONDS = 10.0
"""How long to wait for another program that uses a SQLite file."""

SMALL = 32_768
"""Bytes of a small file at most."""

FILE_ERRORS: tuple[type[Exception], ...] = (OSError, sqlite3.Error)
"""What says that a file cannot be used, where nobody has put it into words."""

_DRAFT = "{}.{}.new"

SQLITE_SUFFIXES = ("", "-wal", "-shm", "-journal")
"""How the names end of a SQLite file and of those that SQLite keeps beside it."""

_NOT_THE_FILE = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_INTERRUPT,
)
"""SQLite's codes for errors that are not the file's fault."""

_UNREADABLE = (
    sqlite3.SQLITE_IOERR_READ,
    sqlite3.SQLITE_IOERR_SHORT_READ,
    sqlite3.SQLITE_IOERR_DATA,
    sqlite3.SQLITE_IOERR_CORRUPTFS,
)
"""Its codes for errors of the disk that are: any other is told where the last byte of a disk is taken too."""


class Place:
    """A person's folder as it was first found: if a person is removed and another one is added, a new folder may get
    its name.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known = self._find()

    def check(self) -> None:
        """Raise StoreBroken if the folder is gone or is another one; the message is for everybody, so it does not name
        the path.
        """
        identity = self._find()
        if self._known and identity != self._known:
            raise StoreBroken(
                "The data folder that was in use is not there any more: it was put elsewhere, or its person removed.",
                "Nothing more is written; begin again where it is now.",
            )
        self._known = identity

    def _find(self) -> tuple[int, int] | None:
        try:
            status = self._folder.stat()
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino


def describe_fault(exc: BaseException) -> str:
    """Return the error of the system or a database as the end of a sentence, without the paths of ana's files."""
    text = exc.strerror if isinstance(exc, OSError) else None
    return " ".join((text or str(exc)).split()).rstrip(".")


def write_whole(path: Path, text: str, *, mode: int = 0o666) -> None:
    """Write a file that has the old text or the new one, whenever the process or the power ends."""
    with open_draft(path, mode) as file:
        file.write(text.encode())


def copy_whole(source: Path, path: Path) -> None:
    """Copy a file as `write_whole` writes one, for its owner only."""
    with source.open("rb") as read, open_draft(path, 0o600) as file:
        shutil.copyfileobj(read, file)


@contextmanager
def open_draft(path: Path, mode: int) -> Iterator[IO[bytes]]:
    """Yield a new file, which takes the place of the old one, or of a link, once it is on the disk."""
    draft = path.with_name(_DRAFT.format(path.name, secrets.token_hex(4)))
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # else the rename may reach the disk before the text
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def list_drafts(path: Path) -> list[Path]:
    """Return the drafts that `write_whole` leaves beside a file if its process dies."""
    return list(path.parent.glob(_DRAFT.format(glob.escape(path.name), "[0-9a-f]" * 8)))


def append_lines(path: Path, text: str) -> None:
    """Append whole lines to a private file and flush it to the disk, or append nothing. Raises OSError."""
    line = f"{text}\n".encode()
    # a line may hold what the person said: nobody else may read it
    fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(fd, "r+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":  # a line that a crash has cut short must not spoil this one
                line = b"\n" + line
        try:
            while line:
                line = line[file.write(line) or 0 :]
            os.fsync(fd)
        except OSError:
            with suppress(OSError):
                file.truncate(size)
            raise


def overwrite(path: Path, text: str) -> None:
    """Write a small file in its place; one that is emptied first, as `write_text` does, makes ext4 wait for the disk.

    A process that ends in the middle may leave the old text's end: for notes whose readers expect that.
    """
    data = text.encode()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT), "wb", buffering=0) as file:
        file.write(data)
        if os.fstat(file.fileno()).st_size > len(data):
            file.truncate(len(data))


def read_small(path: Path) -> str:
    """Return the text of a file that `overwrite` writes; `read_text` takes four times as long."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, SMALL).decode(errors="replace")
    finally:
        os.close(file)


def connect_own(
    database: Path, timeout: float | None = None, *, script: str = "", **options: Any
) -> sqlite3.Connection:
    """Open one of ana's SQLite files, as `sqlite3.connect` does, and run a script before anything else.

    Raises:
        sqlite3.Error: It cannot be opened, or the script fails.
    """
    db: sqlite3.Connection = sqlite3.connect(database, timeout=BUSY_SECONDS if timeout is None else timeout, **options)
    try:
        db.executescript(script)
    except sqlite3.Error:
        db.close()
        raise
    return db


def is_damage(exc: sqlite3.Error) -> bool:
    """Return whether the file is damaged, and not the disk full or the file locked."""
    code = getattr(exc, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    if code & 0xFF == sqlite3.SQLITE_IOERR:
        return code in _UNREADABLE
    return code & 0xFF not in _NOT_THE_FILE


def find_damage(database: Path) -> str | None:
    """Return the damage of a SQLite file, or None; a missing file is not damaged.

    Raises:
        sqlite3.Error: The file cannot be checked: it is locked, or the disk is full.
    """
    if not database.exists():
        return None
    try:
        with closing(connect_own(database)) as db:
            result = str(db.execute("PRAGMA quick_check").fetchone()[0])
            db.execute("SELECT name FROM sqlite_master").fetchall()
    except sqlite3.DatabaseError as exc:
        if not is_damage(exc):
            raise
        return str(exc)
    return None if result == "ok" else result


def compact_database(path: Path) -> None:
    """Rewrite a SQLite file, so that no deleted data is left in it or in its log.

    Raises:
        sqlite3.Error: It cannot be written, or another program is reading from it.
    """
    with closing(connect_own(path, isolation_level=None)) as db:
        db.execute("PRAGMA secure_delete = ON")  # else a new page may carry an old one's bytes in its unused part
        db.execute("VACUUM")
        busy = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if busy:
        raise sqlite3.OperationalError(f"{path.name} is being read by another program; try again")


def remove_database(path: Path) -> None:
    """Delete a SQLite file, and the files that SQLite keeps beside it."""
    for each in list_database_files(path):
        each.unlink(missing_ok=True)


def list_database_files(path: Path) -> list[Path]:
    """Return the existing ones of a SQLite file and the files that SQLite keeps beside it."""
    named = (path.with_name(f"{path.name}{suffix}") for suffix in SQLITE_SUFFIXES)
    return [each for each in named if each.exists()]
