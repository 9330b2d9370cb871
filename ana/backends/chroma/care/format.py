"""The format of a data folder; a newer one is refused."""

import json
from pathlib import Path
from typing import Any

from ana import __version__
from ana.errors import ConfigError
from ana.files import write_whole
from ana.values import whole_number

FORMAT = 2
NAME = "format.json"
MOST = 10**6
"""No format has a higher number."""


def read_format(path: Path) -> int:
    """Return the format of a folder; 0 for an empty one.

    Raises:
        ConfigError: The folder is newer than this program, or its note cannot be read.
    """
    note = path / NAME
    if not note.exists():
        return 1 if (path / "chroma").exists() or (path / "journal.sqlite").exists() else 0
    try:
        known = json.loads(note.read_text())
        version, writer = read_version(known)
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise ConfigError(
            f"{note} does not say which format the data folder has: {exc}.",
            f'Write {{"format": {FORMAT}, "version": "{__version__}"}} into it if this program wrote the folder.',
        ) from exc
    if version > FORMAT:
        raise ConfigError(
            f"The data folder {path} was written by ana {writer} in format {version}; this is ana {__version__}, "
            f"which reads up to {FORMAT}.",
            f"Install ana {writer} or later, or set ANA_DATA_DIR to another folder.",
        )
    return version


def read_version(note: Any) -> tuple[int, str]:
    """Return the format that a note names, and the version of ana that wrote it.

    Raises:
        ValueError, TypeError, KeyError: It does not name them.
    """
    return whole_number(note["format"], 1, MOST), str(note["version"])[:40]


def write_format(path: Path) -> None:
    """Note this program's format in a folder."""
    write_whole(path / NAME, json.dumps({"format": FORMAT, "version": __version__}))
