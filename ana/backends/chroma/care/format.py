"""The format of a data folder: a newer one is refused, an older one brought to this program's.

Version 0.1.0 writes format 2. From 3 on the number stays; each change is a step, which is carried out once, when a
folder is opened.
"""

import json
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from ana import __version__
from ana.errors import ConfigError, StoreBroken
from ana.files import connect_own, write_whole
from ana.notes import read_note
from ana.own_files import name_folder

FORMAT = 3
STEPS = ("sources",)
"""Steps within the format, in their order; each is taken once the store is open, after a copy of its own."""

NAME = "format.json"
MOVED = "moved.json"
MOST = 10**6
"""No format has a higher number."""


@dataclass(frozen=True)
class FormatNote:
    """The format of a folder, the version of ana that wrote it, and the steps that were taken within the format."""

    format: Annotated[int, Field(ge=2, le=MOST)]
    version: Annotated[str, Field(max_length=40)]
    steps: Annotated[tuple[str, ...], Field(max_length=1000)] = field(default=(), kw_only=True)

    def describe_unknown(self) -> str:
        """Describe the parts of the folder that this program does not know; empty if it knows all."""
        if self.format > FORMAT:
            return f"in format {self.format}; this is ana {__version__}, which reads up to {FORMAT}"
        unknown = ", ".join(step for step in self.steps if step not in STEPS)
        return f"with steps that ana {__version__} does not know: {unknown}" if unknown else ""


@dataclass(frozen=True)
class MoveNote:
    """A move out of a folder into the database, or back: `done` says that a move into the database was committed."""

    id: str
    to: Literal["database", "folder"]
    at: str
    done: bool = False


def read_move(path: Path) -> MoveNote | None:
    """Return the move out of a folder or into it. Raises StoreBroken if its note is damaged."""
    return read_note(path / MOVED, MoveNote, "`ana move` writes it; delete it only to use what is in this folder.")


def write_move(path: Path, note: MoveNote | None) -> None:
    """Keep the note of a move; without one the folder can be used again."""
    if note is None:
        (path / MOVED).unlink(missing_ok=True)
    else:
        write_whole(path / MOVED, json.dumps(asdict(note)), mode=0o600)


def refuse_moved(path: Path) -> None:
    """Raise ConfigError if a folder's contents were moved away, or a move into it was interrupted."""
    if move := read_move(path):
        raise ConfigError(*_describe_move(path, move))


def read_format(path: Path) -> FormatNote:
    """Return the format of a folder, 0 for an empty one.

    Raises:
        ConfigError: It is newer, its note cannot be read, or the folder's contents were moved away.
    """
    refuse_moved(path)
    note = path / NAME
    hint = f"Write {_dump(STEPS)} into it if this program wrote the folder."
    try:
        known = read_note(note, FormatNote, hint)
    except StoreBroken as exc:
        raise ConfigError(f"The data folder does not say which format it has: {exc.message}", exc.hint) from exc
    if known is None:
        has_lost_it = (path / "chroma").exists() or (path / "journal.sqlite").exists()
        return FormatNote(2 if has_lost_it else 0, "")
    if unknown := known.describe_unknown():
        raise ConfigError(
            f"The {name_folder(path)} was written by ana {known.version} {unknown}.",
            f"Install ana {known.version} or later, or set ANA_DATA_DIR to another folder.",
        )
    return known


def _describe_move(path: Path, move: MoveNote) -> tuple[str, str]:
    if move.to == "folder":
        return f"A move into the {name_folder(path)} was cut short.", "`ana move folder` finishes it."
    finish = "" if move.done else " `ana move database` finishes the move, which was cut short."
    return (
        f"What was in the {name_folder(path)} was moved to a database on {move.at[:10]}.",
        f"Set ANA_DATABASE_URL to that one, or bring it back: `ana move folder`.{finish}",
    )


def migrate(path: Path, keep_copy: Callable[[str], None]) -> list[str]:
    """Bring a folder to this program's format, and return the steps to take once the store is open.

    Raises ConfigError if the format is newer. An interrupted migration can start again.

    Args:
        keep_copy: Copies the folder for a reason that names the copy, unless there is one already.
    """
    note = read_format(path)
    steps = [step for step in STEPS if step not in note.steps] if note.format else []
    for step in steps:
        keep_copy(f"before-{step}")
    if steps:
        _add_sources(path)
    if note.format < FORMAT:
        write_whole(path / NAME, _dump(() if steps else STEPS))
    return steps


def note_step(path: Path, step: str) -> None:
    """Note that a step was taken."""
    write_whole(path / NAME, _dump((*read_format(path).steps, step)))


def _dump(steps: Iterable[str]) -> str:
    return json.dumps({"format": FORMAT, "version": __version__, "steps": list(steps)})


def _add_sources(path: Path) -> None:
    """Change to 3: every write has a source."""
    with closing(connect_own(path / "journal.sqlite", isolation_level=None)) as db:
        columns = {row[1] for row in db.execute("PRAGMA table_info(writes)")}
        if columns and "source" not in columns:
            db.execute("ALTER TABLE writes ADD COLUMN source TEXT NOT NULL DEFAULT 'person'")
