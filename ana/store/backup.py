"""Everything in one file, taken while it is in use; and put back from it.

A backup is a ZIP: what lies in the data folder, below `data/`, and the traces, below `traces/`. What can be derived or
belongs to a running process is left out. Putting back is decided by one file, as re-embedding is: before it stands,
nothing has changed; once it stands, whoever opens the folder next finishes.
"""

import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from ana import __version__
from ana.errors import UserError
from ana.store.folder import Folder
from ana.store.format import FORMAT

MANIFEST = "backup.json"
FOLDER = "backups"
"""Where backups lie that were made by themselves, in the data folder."""

DECIDED = "restore.json"
LEFT_OUT = ("*.index.sqlite*", "lock", "lock.owner", "locks", "set-aside", FOLDER, "restored*", DECIDED, "generation")
DATABASES = (".sqlite", ".sqlite3")

_NOT_WHOLE = (OSError, zipfile.BadZipFile, zlib.error, KeyError, ValueError, EOFError, RuntimeError)
"""What Python's zipfile raises on bytes that were changed."""


def write_backup(folder: Folder, traces: Path | None, to: Path) -> int:
    """Write everything into one file.

    Conversations are copied before the store: one that lags behind what was stored is finished without doing anything
    twice, one that ran ahead would tell of things that are not there.

    Args:
        folder: The data folder.
        traces: The traces' folder; None leaves them out.
        to: The file; it appears only when it is whole.

    Returns:
        How many files are in it.

    Raises:
        UserError: The file is there already, or cannot be written.
    """
    if to.exists():
        raise UserError(f"{to} is there already.", "Name another file, or delete it first.")
    try:
        with folder.hold():
            folder.close()  # what Chroma keeps to itself reaches its files
            return pack(folder.path, traces, to)
    except OSError as exc:
        raise UserError(f"The backup {to} cannot be written: {exc.strerror or exc}.", "Choose another place.") from exc


def pack(path: Path, traces: Path | None, to: Path) -> int:
    """Write a data folder and traces into a file, while the folder is held and Chroma closed; how many files."""
    to.parent.mkdir(parents=True, exist_ok=True)
    draft = to.with_name(f".{to.name}.part")
    draft.touch(0o600)
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            count = _pack(archive, path, "data", LEFT_OUT) + (_pack(archive, traces, "traces", ()) if traces else 0)
            archive.writestr(MANIFEST, json.dumps({"format": FORMAT, "version": __version__, "files": count}))
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.rename(to)
    finally:
        draft.unlink(missing_ok=True)
    return count


def place(path: Path, why: str) -> Path:
    """Where a backup lies that is made by itself, before something that might be regretted."""
    return path / FOLDER / f"{why}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S%f')}.zip"


def read_manifest(path: Path) -> dict[str, object]:
    """What a backup says of itself, once every byte of it has been read and is as it was written.

    Raises:
        UserError: It is no backup, not whole, or of a newer format.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            told: dict[str, object] = json.loads(archive.read(MANIFEST))
            damaged = archive.testzip()
    except FileNotFoundError as exc:
        raise UserError(f"There is no file {path}.") from exc
    except _NOT_WHOLE as exc:
        raise UserError(f"{path} is no whole backup: {exc}.", "Use another one; nothing was changed.") from exc
    if damaged:
        raise UserError(f"{path} is damaged in {damaged}.", "Use another backup; nothing was changed.")
    if int(str(told["format"])) > FORMAT:
        raise UserError(
            f"{path} was written by ana {told['version']} in format {told['format']}; this one reads {FORMAT}.",
            f"Install ana {told['version']} or later.",
        )
    return told


def restore(folder: Folder, traces: Path, backup: Path) -> Path:
    """Make everything what it was when a backup was written.

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
    with folder.hold():
        before = place(folder.path, "before-restore")
        write_backup(folder, traces, before)
        unpacked = Path(tempfile.mkdtemp(prefix="restored-", dir=folder.path))
        with zipfile.ZipFile(backup) as archive:
            archive.extractall(unpacked)
        for database in _databases(unpacked):
            _check(database, backup)
        _write_durably(folder.path / DECIDED, json.dumps({"unpacked": unpacked.name, "traces": str(traces)}))
        folder.writing()
        folder.close()
        finish_restore(folder.path)
    return before


def finish_restore(path: Path) -> None:
    """Finish what was decided, from the beginning if need be. Chroma must be closed, and the folder held.

    Databases are written through SQLite, so that another process that has them open sees what is in them now.
    """
    decided = path / DECIDED
    if decided.exists():
        told = json.loads(decided.read_text())
        unpacked = path / told["unpacked"]
        _replace(unpacked / "data", path, LEFT_OUT)
        _replace(unpacked / "traces", Path(told["traces"]), ())
        for index in path.glob("*.index.sqlite*"):
            index.unlink()
        decided.unlink()
    for left in path.glob("restored-*"):
        shutil.rmtree(left)


def _replace(source: Path, target: Path, spared: tuple[str, ...]) -> None:
    """Make a folder hold what another does, apart from what is spared."""
    target.mkdir(parents=True, exist_ok=True)
    wanted = {file.relative_to(source) for file in source.rglob("*") if file.is_file()} if source.exists() else set()
    for old in _files(target, spared):
        if old not in wanted and not _beside_database(old, wanted):
            (target / old).unlink()
    for name in sorted(wanted):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if name.suffix in DATABASES and name.parts[0] != "chroma":
            _copy_database(source / name, target / name)
        else:
            shutil.copyfile(source / name, target / name)
    for empty in sorted(target.glob("chroma/*"), reverse=True):
        if empty.is_dir() and not any(empty.iterdir()):
            empty.rmdir()


def _pack(archive: zipfile.ZipFile, path: Path, below: str, left_out: tuple[str, ...]) -> int:
    names = [name for name in _files(path, left_out) if not _beside_database(name, {name.with_name(_base(name.name))})]
    with tempfile.TemporaryDirectory() as scratch:
        for name in sorted(names, key=lambda name: (name.parts[0] == "chroma", name.name == "journal.sqlite", name)):
            file = path / name
            if name.suffix in DATABASES:
                file = Path(scratch) / name.name
                _copy_database(path / name, file)
            archive.write(file, f"{below}/{name.as_posix()}")
    return len(names)


def _files(path: Path, left_out: tuple[str, ...]) -> Iterator[Path]:
    """The files below a folder, by their place in it."""
    for file in sorted(path.rglob("*")) if path.exists() else []:
        name = file.relative_to(path)
        if (
            file.is_file()
            and file.suffix != ".part"
            and not any(Path(name.parts[0]).match(pattern) for pattern in left_out)
        ):
            yield name


def _base(name: str) -> str:
    return name.removesuffix("-wal").removesuffix("-shm").removesuffix("-journal")


def _beside_database(name: Path, databases: set[Path]) -> bool:
    """Whether a file is what SQLite keeps beside one of these."""
    base = name.with_name(_base(name.name))
    return base != name and base in databases and base.suffix in DATABASES


def _databases(path: Path) -> list[Path]:
    return [file for file in sorted(path.rglob("*")) if file.suffix in DATABASES]


def _copy_database(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source, timeout=30)) as old, closing(sqlite3.connect(target, timeout=30)) as new:
        old.backup(new)


def _check(database: Path, backup: Path) -> None:
    with closing(sqlite3.connect(database)) as db:
        said = db.execute("PRAGMA quick_check").fetchone()[0]
    if said != "ok":
        raise UserError(f"{database.name} in {backup} is damaged: {said}.", "Use another backup; nothing was changed.")


def _write_durably(path: Path, text: str) -> None:
    draft = path.with_name(f"{path.name}.new")
    with draft.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
