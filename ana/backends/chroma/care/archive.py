"""The files that a backup may contain, and the check whether one can be used."""

import json
import re
import zipfile
import zlib
from pathlib import Path

from ana.backends.chroma.care.format import FORMAT
from ana.errors import UserError

MANIFEST = "backup.json"

_BROKEN = (OSError, zipfile.BadZipFile, zlib.error, KeyError, ValueError, TypeError, EOFError, RuntimeError)
"""Errors of zipfile for changed bytes, and of reading the manifest."""

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_TRACE = re.compile(rf"(?:{_UUID}|none)\.jsonl")
_DATA = re.compile(
    r"data/(?:threads\.sqlite|journal\.sqlite|format\.json|thread_names\.json|last_thread|typed"
    rf"|chroma/(?:chroma\.sqlite3|{_UUID}/[\w.-]{{1,80}}))"
)
_NEEDED = "data/chroma/chroma.sqlite3"


def is_trace(name: str) -> bool:
    """Return whether a file in the traces' folder is a trace, by its name."""
    return _TRACE.fullmatch(name) is not None


def is_known(name: str) -> bool:
    """Return whether a file of this name belongs in a backup."""
    return _DATA.fullmatch(name) is not None or (name.startswith("traces/") and is_trace(name.removeprefix("traces/")))


def check_backup(path: Path) -> None:
    """Check that every byte of a backup can be read and that it is complete.

    Raises:
        UserError: It is not a backup, not complete, or of a newer format.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = json.loads(archive.read(MANIFEST))
            version, writer, files = int(manifest["format"]), str(manifest["version"]), int(manifest["files"])
            names = archive.namelist()
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
    if broken or files != len(names) - 1 or _NEEDED not in names:
        what = f"{broken} is damaged" if broken else "files are missing"
        raise UserError(f"{path} is not a complete backup: {what}.", "Use another one; nothing was changed.")


def _read_format_inside(archive: zipfile.ZipFile) -> int:
    """Return the format of the packed folder; folders of the first format have no note of it."""
    note = "data/format.json"
    return int(json.loads(archive.read(note))["format"]) if note in archive.namelist() else 1
