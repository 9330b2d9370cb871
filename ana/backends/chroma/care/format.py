"""The format of a data folder; a newer one is refused."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ana import __version__
from ana.errors import ConfigError, StoreBroken
from ana.files import write_whole
from ana.notes import read_note

FORMAT = 2
NAME = "format.json"
MOST = 10**6
"""No format has a higher number."""


@dataclass(frozen=True)
class FormatNote:
    """The format of what was written, and the version of ana that wrote it."""

    format: Annotated[int, Field(ge=1, le=MOST)]
    version: Annotated[str, Field(max_length=40)]


def read_format(path: Path) -> int:
    """Return the format of a folder; 0 for an empty one.

    Raises:
        ConfigError: The folder is newer than this program, or its note cannot be read.
    """
    note = path / NAME
    hint = f'Write {{"format": {FORMAT}, "version": "{__version__}"}} into it if this program wrote the folder.'
    try:
        known = read_note(note, FormatNote, hint)
    except StoreBroken as exc:
        raise ConfigError(f"The data folder does not say which format it has: {exc.message}", hint) from exc
    if known is None:
        return 1 if (path / "chroma").exists() or (path / "journal.sqlite").exists() else 0
    if known.format > FORMAT:
        raise ConfigError(
            f"The data folder {path} was written by ana {known.version} in format {known.format}; this is ana "
            f"{__version__}, which reads up to {FORMAT}.",
            f"Install ana {known.version} or later, or set ANA_DATA_DIR to another folder.",
        )
    return known.format


def write_format(path: Path) -> None:
    """Note this program's format in a folder."""
    write_whole(path / NAME, json.dumps({"format": FORMAT, "version": __version__}))
