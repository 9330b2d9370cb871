"""The format of a data folder: a newer one is refused, an older one brought to this program's by numbered steps."""

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ana import __version__
from ana.errors import ConfigError, StoreBroken
from ana.files import connect_own, write_whole
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
    """Return the format of a folder, 0 for an empty one; ConfigError if it is newer, or its note cannot be read."""
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


def migrate(path: Path, back_up: Callable[[str], None]) -> None:
    """Bring a folder to this program's format; ConfigError if it is newer. A step that was cut short can start again.

    `back_up` makes a backup for a reason that names it, unless there is one already.
    """
    version = read_format(path)
    if version == FORMAT:
        return
    if version:
        back_up(f"before-format-{FORMAT}")
        for number in range(version + 1, FORMAT + 1):
            STEPS[number](path)
    write_whole(path / NAME, json.dumps({"format": FORMAT, "version": __version__}))


def _group_writes_into_acts(path: Path) -> None:
    """Change from 1 to 2: every write belongs to an act and has a turn."""
    with closing(connect_own(path / "journal.sqlite", isolation_level=None)) as db:
        columns = {row[1] for row in db.execute("PRAGMA table_info(writes)")}
        if not columns or "act" in columns:
            return
        for statement in _TO_ACTS:
            db.execute(statement)


_TO_ACTS = (
    "BEGIN IMMEDIATE",
    "ALTER TABLE writes RENAME TO old_writes",
    "DROP INDEX IF EXISTS writes_by_record",
    """CREATE TABLE writes (
    seq INTEGER PRIMARY KEY, act INTEGER NOT NULL, key TEXT UNIQUE, ts TEXT NOT NULL, thread TEXT NOT NULL,
    turn TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, before TEXT, after TEXT, done INTEGER NOT NULL DEFAULT 0)
    """,
    """INSERT INTO writes SELECT seq, seq, key, ts, coalesce(thread, ''), coalesce(turn, 'edit-' || seq), kind, id,
    before, after, done FROM old_writes""",
    "DROP TABLE old_writes",
    "COMMIT",
)

STEPS: dict[int, Callable[[Path], None]] = {2: _group_writes_into_acts}
"""The step from the format before to each format."""
