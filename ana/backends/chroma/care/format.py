"""The format of a data folder; a newer one is refused."""

import json
from pathlib import Path

from ana import __version__
from ana.errors import ConfigError
from ana.files import write_whole

FORMAT = 2
NAME = "format.json"


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
        version, writer = int(known["format"]), str(known["version"])
    except (ValueError, TypeError, KeyError) as exc:
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


def write_format(path: Path) -> None:
    """Note this program's format in a folder."""
    write_whole(path / NAME, json.dumps({"format": FORMAT, "version": __version__}))
