"""The files that a backup may contain, and the check whether one can be used."""

import re
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ana.backends.chroma.care.format import FORMAT, FormatNote
from ana.errors import UserError
from ana.notes import parse_note
from ana.own_files import UUID, is_trace

MANIFEST = "backup.json"

MOST_TIMES = 100
"""A backup is at most so many times larger than its file; databases and vectors shrink to a half or a fifth."""

FREE = 50_000_000
"""Bytes that a backup may have whatever the size of its file."""

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
    rf"|chroma/(?:chroma\.sqlite3|{UUID}/[\w.-]{{1,80}}))"
)
_NEEDED = "data/chroma/chroma.sqlite3"


@dataclass(frozen=True)
class Manifest(FormatNote):
    """What a backup says of itself: also how many files it has beside this."""

    files: Annotated[int, Field(ge=0, le=MOST_FILES)]


def is_known(name: str) -> bool:
    """Return whether a file of this name belongs in a backup."""
    return _DATA.fullmatch(name) is not None or (name.startswith("traces/") and is_trace(name.removeprefix("traces/")))


def check_backup(path: Path, room: int) -> None:
    """Check that every byte of a backup can be read and that it is complete.

    Args:
        path: The backup.
        room: How many bytes there is room for.

    Raises:
        UserError: It is not a backup, not complete, too large, or of a newer format.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _refuse_too_large(archive, path, room)
            manifest, names = parse_note(_read_note(archive, MANIFEST), Manifest), archive.namelist()
            version, writer = manifest.format, manifest.version
            inside = _read_format_inside(archive) if version <= FORMAT else version
            broken = archive.testzip()  # reads every byte and compares checksums
    except FileNotFoundError as exc:
        raise UserError(f"There is no file {path}.") from exc
    except _BROKEN as exc:
        raise UserError(f"{path} is not a complete backup: {exc}.", "Use another one; nothing was changed.") from exc
    if max(version, inside) > FORMAT:
        raise UserError(
            f"{path} was written by ana {writer} in format {max(version, inside)}; this one reads {FORMAT}.",
            f"Install ana {writer} or later.",
        )
    if broken or manifest.files != len(names) - 1 or _NEEDED not in names:
        what = f"{broken} is damaged" if broken else "files are missing"
        raise UserError(f"{path} is not a complete backup: {what}.", "Use another one; nothing was changed.")


def _read_format_inside(archive: zipfile.ZipFile) -> int:
    """Return the format of the packed folder; folders of the first format have no note of it."""
    note = "data/format.json"
    return parse_note(_read_note(archive, note), FormatNote).format if note in archive.namelist() else 1


def _read_note(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _LARGEST_NOTE:
        raise ValueError(f"{name} is too large")
    return archive.read(name)


def _refuse_too_large(archive: zipfile.ZipFile, path: Path, room: int) -> None:
    """Refuse what unpacks to more than there is room for, or than a backup of its size can hold."""
    size = sum(info.file_size for info in archive.infolist())  # zipfile never unpacks more of a file than it says
    if size > max(FREE, MOST_TIMES * path.stat().st_size):
        raise UserError(
            f"{path} would unpack to {size:,} bytes, more than a backup of its size can hold.",
            "Use another one; nothing was changed.",
        )
    if size > room:
        raise UserError(
            f"{path} would unpack to {size:,} bytes, and there is room for {room:,}.",
            "Make room on the disk of ANA_DATA_DIR; nothing was changed.",
        )
