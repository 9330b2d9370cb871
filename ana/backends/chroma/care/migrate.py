"""An older data folder is taken to this program's format by numbered steps, after a backup."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ana.backends.chroma.care.backup import own_backup_path, pack
from ana.backends.chroma.care.format import FORMAT, read_format, write_format
from ana.files import connect_own


def migrate(path: Path) -> None:
    """Bring a folder to this program's format. A step that was cut short can start again.

    Raises:
        ConfigError: The folder is newer than this program.
    """
    version = read_format(path)
    if version == FORMAT:
        return
    if version:
        reason = f"before-format-{FORMAT}"
        backup = own_backup_path(path, reason)
        if not list(backup.parent.glob(f"{reason}-*")):  # the first backup of a migration that was cut short counts
            pack(path, None, backup, keep_damaged=True)
        for number in range(version + 1, FORMAT + 1):
            STEPS[number](path)
    write_format(path)


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
