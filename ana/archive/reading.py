"""Opening a backup: it is read completely before any of it is used."""

import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ana import __version__
from ana.archive.archive import FORMAT, Archive, Manifest
from ana.archive.copying import Parts, Source, digest_all
from ana.archive.folder import open_folder
from ana.backends.chroma.care.files import MANIFEST, take_out
from ana.backends.chroma.closed import read_embedder
from ana.errors import AnaError, UserError
from ana.notes import parse_note
from ana.workspace import Workspace

_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError),
    *(KeyError, ValueError, TypeError, RuntimeError, OverflowError),
)
"""Errors of zipfile for changed bytes, and errors of reading lines."""


@contextmanager
def open_backup(workspace: Workspace, path: Path, person: str) -> Iterator[tuple[Source, Parts]]:
    """Yield the contents of a backup, or of a copy of files, with its parts; the reader checks the types of its rows.

    Args:
        workspace: The workspace of the person who gets the data.
        person: The person to whom it must belong if it names one.

    Raises:
        UserError: It is not a backup, is incomplete, has a newer format, or belongs to another person;
            nothing was changed.
    """
    try:
        with ExitStack() as opened:
            yield _open(workspace, path, person, opened)
    except AnaError:  # some are RuntimeErrors too
        raise
    except _BROKEN as exc:
        raise UserError(f"{path} is not a complete backup: {exc}.", "Use another one; nothing was changed.") from exc


def _open(workspace: Workspace, path: Path, person: str, opened: ExitStack) -> tuple[Source, Parts]:
    try:
        archive = None if path.is_dir() else opened.enter_context(zipfile.ZipFile(path))
        manifest = parse_note(archive.read(MANIFEST) if archive else (path / MANIFEST).read_bytes(), Manifest)
        _refuse(path, manifest, person)
        if archive:
            _check_files(archive, manifest)
    except FileNotFoundError as exc:
        raise UserError(f"There is no file {path}.") from exc
    except OSError as exc:
        raise ValueError(exc) from exc
    if archive and manifest.format == FORMAT:
        return Archive(archive, manifest, opened), manifest.parts
    scratch = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="ana-")))
    take_out(path, scratch, workspace.person)
    place = opened.enter_context(open_folder(workspace, scratch, read_embedder(scratch / "data")))
    return place, digest_all(place)


def _check_files(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    if broken := archive.testzip():  # reads every byte and compares checksums
        raise ValueError(f"{broken} is damaged")
    if manifest.files != len({*archive.namelist()}) - 1:
        raise ValueError("files are missing")


def _refuse(path: Path, manifest: Manifest, person: str) -> None:
    if manifest.format > FORMAT:
        known = f"in format {manifest.format}; this is ana {__version__}, which reads up to {FORMAT}"
        hint = f"Install ana {manifest.version} or later."
        raise UserError(f"{path} was written by ana {manifest.version} {known}.", hint)
    if manifest.person not in ("", person):
        raise UserError(
            f"{path} is a backup of what {manifest.person!r} has, not {person!r}; nothing was changed.",
            f"Restore it for them (`--user {manifest.person}`), or confirm with `--from {manifest.person}`.",
        )
