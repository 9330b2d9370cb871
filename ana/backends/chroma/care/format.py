"""The format of a data folder: a newer one is refused, an older one brought to this program's by numbered steps."""

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from ana import __version__
from ana.errors import ConfigError, StoreBroken
from ana.files import connect_own, write_whole
from ana.notes import read_note
from ana.own_files import name_folder

FORMAT = 2
NAME = "format.json"
MOVED = "moved.json"
MOST = 10**6
"""No format has a higher number."""


@dataclass(frozen=True)
class FormatNote:
    """The format of what was written, and the version of ana that wrote it."""

    format: Annotated[int, Field(ge=1, le=MOST)]
    version: Annotated[str, Field(max_length=40)]


@dataclass(frozen=True)
class MoveNote:
    """A move out of a folder into the database, or back: `done` says that a move into the database was committed."""

    id: str
    to: Literal["database", "folder"]
    at: str
    done: bool = False


def read_move(path: Path) -> MoveNote | None:
    """Return the move that took what was in a folder, or was to fill it. Raises StoreBroken if its note is damaged."""
    return read_note(path / MOVED, MoveNote, "`ana move` writes it; delete it only to use what is in this folder.")


def write_move(path: Path, note: MoveNote | None) -> None:
    """Keep the note of a move; without one the folder can be used again."""
    if note is None:
        (path / MOVED).unlink(missing_ok=True)
    else:
        write_whole(path / MOVED, json.dumps(asdict(note)), mode=0o600)


def read_format(path: Path) -> int:
    """Return the format of a folder, 0 for an empty one.

    Raises:
        ConfigError: It is newer, its note cannot be read, or what was in the folder was moved away.
    """
    if move := read_move(path):
        raise ConfigError(*_describe_move(path, move))
    note = path / NAME
    hint = f'Write {{"format": {FORMAT}, "version": "{__version__}"}} into it if this program wrote the folder.'
    try:
        known = read_note(note, FormatNote, hint)
    except StoreBroken as exc:
        raise ConfigError(f"The data folder does not say which format it has: {exc.message}", exc.hint) from exc
    if known is None:
        return 1 if (path / "chroma").exists() or (path / "journal.sqlite").exists() else 0
    if known.format > FORMAT:
        raise ConfigError(
            f"The {name_folder(path)} was written by ana {known.version} in format {known.format}; this is ana "
            f"{__version__}, which reads up to {FORMAT}.",
            f"Install ana {known.version} or later, or set ANA_DATA_DIR to another folder.",
        )
    return known.format


def _describe_move(path: Path, move: MoveNote) -> tuple[str, str]:
    if move.to == "folder":
        return f"A move into the {name_folder(path)} was cut short.", "`ana move folder` finishes it."
    finish = "" if move.done else " `ana move database` finishes the move, which was cut short."
    return (
        f"What was in the {name_folder(path)} was moved to a database on {move.at[:10]}.",
        f"Set ANA_DATABASE_URL to that one, or bring it back: `ana move folder`.{finish}",
    )


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
