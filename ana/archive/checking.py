"""Checking a backup: it is read completely, within the available space, before any of it is used."""

import zipfile
from pathlib import Path

from ana import __version__
from ana.archive.archive import BROKEN, FILES, FORMAT, Manifest
from ana.archive.side import PARTS
from ana.backends.chroma.care.files import MANIFEST, NEEDED
from ana.errors import AnaError, UserError
from ana.notes import parse_note

_LARGEST_NOTE = 10_000
"""Most bytes of a manifest."""


def check_backup(path: Path, room: int, person: str) -> Manifest:
    """Check that a backup, or a copy of files, can be used, and return its manifest.

    Args:
        room: The number of available bytes.
        person: The person to whom it must belong if it names one; empty for any person.

    Raises:
        UserError: It is not a backup, is incomplete or too large, has a newer format, or belongs to another person.
    """
    try:
        manifest = _read_copy(path) if path.is_dir() else _read_file(path, room)
    except AnaError:  # some are RuntimeErrors too
        raise
    except FileNotFoundError as exc:
        raise UserError(f"There is no file {path}.") from exc
    except (OSError, *BROKEN) as exc:
        raise UserError(f"{path} is not a complete backup: {exc}.", "Use another one; nothing was changed.") from exc
    if person and manifest.person not in ("", person):
        raise UserError(
            f"{path} is a backup of what {manifest.person!r} has, not {person!r}; nothing was changed.",
            f"Restore it for them (`--user {manifest.person}`), or confirm with `--from {manifest.person}`.",
        )
    return manifest


def _read_copy(path: Path) -> Manifest:
    if not (path / NEEDED).exists():
        raise ValueError("it has no records")
    return _read_manifest(path, (path / MANIFEST).read_bytes())


def _read_file(path: Path, room: int) -> Manifest:
    with zipfile.ZipFile(path) as archive:
        size = sum(info.file_size for info in archive.infolist())  # zipfile never unpacks more of a file than it says
        if size > room:
            raise UserError(
                f"{path} would unpack to {size:,} bytes, but only {room:,} are available.",
                "Make room on the disk of ANA_DATA_DIR; nothing was changed.",
            )
        if archive.getinfo(MANIFEST).file_size > _LARGEST_NOTE:
            raise ValueError(f"{MANIFEST} is too large")
        manifest, names = _read_manifest(path, archive.read(MANIFEST)), {*archive.namelist()}
        if broken := archive.testzip():  # reads every byte and compares checksums
            raise ValueError(f"{broken} is damaged")
    needed, parts = (FILES, {*PARTS}) if manifest.format == FORMAT else ({NEEDED}, set())
    if manifest.files != len(names) - 1 or not names >= needed or manifest.parts.keys() != parts:
        raise ValueError("files are missing")
    return manifest


def _read_manifest(path: Path, data: bytes) -> Manifest:
    manifest = parse_note(data, Manifest)
    if manifest.format > FORMAT:
        known = f"in format {manifest.format}; this is ana {__version__}, which reads up to {FORMAT}"
        hint = f"Install ana {manifest.version} or later."
        raise UserError(f"{path} was written by ana {manifest.version} {known}.", hint)
    return manifest
