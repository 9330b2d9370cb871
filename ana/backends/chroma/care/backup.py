"""Everything in one file, taken while it is in use; and put back from it.

A backup is a ZIP: what ana keeps in the data folder, below `data/`, and the traces, below `traces/`. Only files that
ana is known to write are packed, replaced or removed; whatever else lies in those folders stays as it is. Putting back
is decided by one file, as re-embedding is: before it stands, nothing has changed; once it stands, whoever opens the
folder next finishes.
"""

import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from ana import __version__
from ana.backends.chroma.care.archive import MANIFEST, is_known, is_trace, read_manifest
from ana.backends.chroma.care.format import FORMAT
from ana.backends.chroma.client import DATABASE
from ana.backends.chroma.folder import Folder
from ana.backends.chroma.index.tables import damaged, remove
from ana.errors import StoreBroken, UserError

FOLDER = "backups"
"""Where backups lie that were made by themselves, in the data folder."""

DECIDED = "restore.json"
DATABASES = ("threads.sqlite", "journal.sqlite")
"""Conversations first: one that lags behind what was stored is finished without doing anything twice; one that ran
ahead would tell of things that are not there."""

NOTES = ("format.json", "thread_names.json", "last_thread", "typed")


def write_backup(folder: Folder, traces: Path | None, to: Path) -> int:
    """Write everything into one file.

    Args:
        folder: The data folder.
        traces: The traces' folder; None leaves them out.
        to: The file; it appears only when it is whole.

    Returns:
        How many files are in it.

    Raises:
        UserError: The file is there already, or cannot be written.
        StoreBroken: Something in the data folder is damaged.
    """
    if to.exists():
        raise UserError(f"{to} is there already.", "Name another file, or delete it first.")
    try:
        with folder.hold():
            folder.close()  # what Chroma keeps to itself reaches its files
            return pack(folder.path, traces, to)
    except OSError as exc:
        raise UserError(f"The backup {to} cannot be written: {exc.strerror or exc}.", "Choose another place.") from exc


def pack(path: Path, traces: Path | None, to: Path, *, as_it_is: bool = False) -> int:
    """Write a data folder and traces into a file, while the folder is held and Chroma closed; how many files.

    Args:
        path: The data folder.
        traces: The traces' folder; None leaves them out.
        to: The file.
        as_it_is: Whether a damaged database is packed byte for byte; else it is refused.

    Raises:
        StoreBroken: A database is damaged.
    """
    to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(prefix=f".{to.name}.", suffix=".part", dir=to.parent)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False) as archive:
                count = _pack(archive, path, traces, as_it_is=as_it_is)
                archive.writestr(MANIFEST, json.dumps({"format": FORMAT, "version": __version__, "files": count}))
            file.flush()
            os.fsync(file.fileno())
        draft.rename(to)
    finally:
        draft.unlink(missing_ok=True)
    return count


def place(path: Path, why: str) -> Path:
    """Where a backup lies that is made by itself, before something that might be regretted."""
    return path / FOLDER / f"{why}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S%f')}.zip"


def restore(folder: Folder, traces: Path, backup: Path) -> Path:
    """Make everything what it was when a backup was written; also where what is there now cannot be opened.

    Args:
        folder: The data folder.
        traces: The traces' folder.
        backup: The file.

    Returns:
        A backup of what was there before.

    Raises:
        UserError: The backup cannot be used; nothing was changed.
    """
    read_manifest(backup)
    with folder.alone():
        folder.close()
        before = place(folder.path, "before-restore")
        pack(folder.path, traces, before, as_it_is=True)
        unpacked = Path(tempfile.mkdtemp(prefix="restored-", dir=folder.path))
        try:
            _unpack(backup, unpacked)
            os.sync()  # what is decided upon must outlast a power cut too
            told = json.dumps({"unpacked": unpacked.name, "traces": str(traces.absolute())})
            _write_durably(folder.path / DECIDED, told)
        except Exception:
            shutil.rmtree(unpacked)
            raise
        folder.writing()
        finish_restore(folder.path)
    return before


def finish_restore(path: Path) -> None:
    """Finish what was decided, from the beginning if need be. Chroma must be closed, and the folder held.

    Databases are written through SQLite, so that another process that has them open sees what is in them now.
    """
    decided = path / DECIDED
    if decided.exists():
        told = json.loads(decided.read_text())
        _put_back(path / told["unpacked"] / "data", path)
        _put_back_traces(path / told["unpacked"] / "traces", Path(told["traces"]))
        for left in (*path.glob("*.index.sqlite*"), path / "rebuilding.json"):
            left.unlink(missing_ok=True)
        decided.unlink()
    for left in path.glob("restored-*"):
        shutil.rmtree(left)


def _put_back(source: Path, path: Path) -> None:
    for name in DATABASES:
        if (source / name).exists():
            _copy_database(source / name, path / name)
        else:
            remove(path / name)
    for name in NOTES:
        if (source / name).exists():
            shutil.copyfile(source / name, path / name)
        else:
            (path / name).unlink(missing_ok=True)
    chroma = path / "chroma"
    for old in chroma.iterdir() if chroma.exists() else ():
        shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()
    shutil.copytree(source / "chroma", chroma, dirs_exist_ok=True)


def _put_back_traces(source: Path, traces: Path) -> None:
    traces.mkdir(parents=True, exist_ok=True, mode=0o700)
    for old in traces.iterdir():
        if is_trace(old.name) and not (source / old.name).exists():
            old.unlink()
    for new in source.iterdir() if source.exists() else ():
        (traces / new.name).touch(0o600)
        shutil.copyfile(new, traces / new.name)


def _pack(archive: zipfile.ZipFile, path: Path, traces: Path | None, *, as_it_is: bool) -> int:
    count = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, file in _files(path, traces):
            if file.suffix in (".sqlite", ".sqlite3"):
                file = _snapshot(file, Path(scratch) / file.name, as_it_is=as_it_is)
            archive.write(file, name)
            count += 1
    return count


def _files(path: Path, traces: Path | None) -> Iterator[tuple[str, Path]]:
    """What is packed, under its name in the archive; links are followed."""
    known = [path / name for name in (*DATABASES, *NOTES) if (path / name).is_file()]
    yield from ((f"data/{file.name}", file) for file in known)
    if traces and traces.is_dir():
        yield from ((f"traces/{file.name}", file) for file in sorted(traces.iterdir()) if is_trace(file.name))
    for folder, _, names in os.walk((path / "chroma").resolve()):
        below = PurePosixPath("data/chroma") / Path(folder).relative_to((path / "chroma").resolve()).as_posix()
        yield from ((str(below / n), Path(folder) / n) for n in sorted(names) if is_known(str(below / n)))


def _snapshot(source: Path, target: Path, *, as_it_is: bool) -> Path:
    try:
        _copy_database(source, target)
    except sqlite3.DatabaseError as exc:
        if not damaged(exc):
            raise OSError(str(exc)) from exc
        if not as_it_is:
            raise StoreBroken(f"{source.name} is damaged: {exc}.", "`ana doctor --repair` mends it.") from exc
        return source
    return target


def _copy_database(source: Path, target: Path) -> None:
    try:
        with closing(sqlite3.connect(source, timeout=30)) as old, closing(sqlite3.connect(target, timeout=30)) as new:
            old.execute("SELECT name FROM sqlite_master").fetchall()
            new.execute("PRAGMA user_version")
            old.backup(new)
    except sqlite3.DatabaseError as exc:
        if not damaged(exc) or not target.exists() or not target.stat().st_size:
            raise
        remove(target)
        _copy_database(source, target)


def _unpack(backup: Path, to: Path) -> None:
    """Unpack what is known, and make sure that it can be used."""
    with zipfile.ZipFile(backup) as archive:
        archive.extractall(to, [name for name in archive.namelist() if is_known(name)])
    databases = [to / "data" / name for name in DATABASES if (to / "data" / name).exists()]
    for database in (*databases, to / "data" / "chroma" / DATABASE):
        said = _check(database)
        if said != "ok":
            raise UserError(f"{database.name} in {backup} is damaged: {said}.", "Nothing was changed.")


def _check(database: Path) -> str:
    try:
        with closing(sqlite3.connect(database)) as db:
            return str(db.execute("PRAGMA quick_check").fetchone()[0])
    except sqlite3.DatabaseError as exc:
        return str(exc)


def _write_durably(path: Path, text: str) -> None:
    draft = path.with_name(f"{path.name}.new")
    with draft.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
