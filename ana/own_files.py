"""Names in a data folder that several modules use."""

import re
from pathlib import Path
from typing import Literal, get_args

SERVER = "server"
"""The folder, in a data folder, of what the dev server keeps."""

PEOPLE = "people"
"""The folder, in a data folder, of the folders of others than its owner."""

OwnNote = Literal["assistants", "calendar-key", "calendars", "grants", "push-key", "reminder-key", "telegram", "zone"]
OWN_NOTES: tuple[OwnNote, ...] = get_args(OwnNote)
"""Notes that belong to a person in every place, and are in backups."""

UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

_CHROMA = re.compile(rf"{UUID}|chroma\.sqlite3(?:-wal|-shm|-journal)?")
_TRACE = re.compile(rf"(?:{UUID}|none)\.jsonl")


def name_folder(path: Path) -> str:
    """Return the name of a data folder, or of one in it, for a sentence: its path is shown only to the owner."""
    names = [each.name for each in (path, path.parent) if each.parent.name == PEOPLE]
    return f"data folder of {names[0]!r}" if names else f"data folder {path}"


def is_of_chroma(name: str) -> bool:
    """Return whether Chroma writes a file or a folder of this name in its own folder."""
    return _CHROMA.fullmatch(name) is not None


def is_trace(name: str) -> bool:
    """Return whether a file in the traces' folder is a trace, by its name."""
    return _TRACE.fullmatch(name) is not None
