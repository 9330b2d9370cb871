"""The format of a data folder: a newer one is refused, an older one is taken to this one by numbered steps."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ana import __version__
from ana.errors import ConfigError

FORMAT = 2
NAME = "format.json"


def format_of(path: Path) -> int:
    """The format of a folder; 0 for one that holds nothing yet.

    Raises:
        ConfigError: It is newer than this program, or its note cannot be read.
    """
    note = path / NAME
    if not note.exists():
        return 1 if (path / "chroma").exists() or (path / "journal.sqlite").exists() else 0
    try:
        told = json.loads(note.read_text())
        version, writer = int(told["format"]), str(told["version"])
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
    """Note that a folder has this program's format."""
    draft = path / f"{NAME}.new"
    draft.write_text(json.dumps({"format": FORMAT, "version": __version__}))
    draft.replace(path / NAME)


def migrate(path: Path, version: int) -> None:
    """Take a folder from an older format to this one. Each step may be begun again where it was cut short."""
    for number in range(version + 1, FORMAT + 1) if version else ():
        STEPS[number](path)
    write_format(path)


def _acts(path: Path) -> None:
    """Writes belong to acts, and every one has a turn."""
    with closing(sqlite3.connect(path / "journal.sqlite", isolation_level=None)) as db:
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

STEPS: dict[int, Callable[[Path], None]] = {2: _acts}
"""What leads to each format from the one before."""
