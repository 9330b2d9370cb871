"""Whether a backup can be used: it is read as a whole, and within the room that there is, before anything of it is."""

import zipfile
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from ana.archive.archive import BROKEN, FILES, FORMAT, Manifest
from ana.archive.side import PARTS
from ana.backends.chroma.care.files import MANIFEST
from ana.backends.chroma.care.format import FormatNote
from ana.backends.chroma.client import DATABASE
from ana.errors import AnaError, UserError
from ana.notes import parse_note

_LARGEST_NOTE = 10_000
"""Bytes of a manifest."""

_NOTE, _NEEDED = "data/format.json", f"data/chroma/{DATABASE}"
"""Of a copy of files: its format, which folders of the first do not tell, and what none is without."""


def check_backup(path: Path, room: int, person: str) -> Manifest:
    """Check that a backup, or a copy of files, can be used, and return what it says of itself.

    Args:
        room: How many bytes there is room for.
        person: Whose it has to be, if it says whose it is; empty for anybody's.

    Raises:
        UserError: It is none, not complete, too large, of a newer format, or another person's.
    """
    try:
        manifest = _check_copy(path) if path.is_dir() else _check_file(path, room)
    except AnaError:  # some are RuntimeErrors too
        raise
    except FileNotFoundError as exc:
        raise UserError(f"There is no file {path}.") from exc
    except (OSError, *BROKEN) as exc:
        raise UserError(f"{path} is not a complete backup: {exc}.", "Use another one; nothing was changed.") from exc
    if person and manifest.person not in ("", person):
        raise UserError(
            f"{path} is a backup of what {manifest.person!r} has, not {person!r}; nothing was changed.",
            f"Restore it for them (`--user {manifest.person}`), or say that it is meant: `--from {manifest.person}`.",
        )
    return manifest


def _check_copy(path: Path) -> Manifest:
    note = path / _NOTE
    manifest = parse_note((path / MANIFEST).read_bytes(), Manifest)
    _refuse_newer(path, manifest, note.read_bytes() if note.exists() else None)
    _refuse_incomplete(path, manifest, [_NEEDED] if (path / _NEEDED).exists() else [])
    return manifest


def _check_file(path: Path, room: int) -> Manifest:
    with zipfile.ZipFile(path) as archive:
        size = sum(info.file_size for info in archive.infolist())  # zipfile never unpacks more of a file than it says
        if size > room:
            raise UserError(
                f"{path} would unpack to {size:,} bytes, and there is room for {room:,}.",
                "Make room on the disk of ANA_DATA_DIR; nothing was changed.",
            )
        manifest, names = parse_note(_read_note(archive, MANIFEST), Manifest), archive.namelist()
        _refuse_newer(path, manifest, _read_note(archive, _NOTE) if _NOTE in names else None)
        if broken := archive.testzip():  # reads every byte and compares checksums
            raise ValueError(f"{broken} is damaged")
        if manifest.files != len(names) - 1:
            raise ValueError("files are missing")
    _refuse_incomplete(path, manifest, names)
    return manifest


def _read_note(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _LARGEST_NOTE:
        raise ValueError(f"{name} is too large")
    return archive.read(name)


def _refuse_newer(path: Path, manifest: Manifest, inside: bytes | None) -> None:
    """Raise UserError if a newer program wrote a backup, or the folder of which it is a copy."""
    if manifest.format == FORMAT:
        return
    known = parse_note(inside, FormatNote) if inside is not None else FormatNote(1, "")
    if unknown := replace(known, format=max(manifest.format, known.format)).describe_unknown():
        raise UserError(
            f"{path} was written by ana {manifest.version} {unknown}.", f"Install ana {manifest.version} or later."
        )


def _refuse_incomplete(path: Path, manifest: Manifest, names: Collection[str]) -> None:
    """Raise ValueError if files are missing in a backup."""
    is_archive = manifest.format == FORMAT
    if not {*names} >= (FILES if is_archive else {_NEEDED}) or (is_archive and manifest.parts.keys() != {*PARTS}):
        raise ValueError("files are missing")
