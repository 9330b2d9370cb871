"""The names of what ana writes: whatever else lies beside it is the person's own, and is not touched."""

import re
from pathlib import Path

from ana.files import SQLITE_SUFFIXES
from ana.settings import PROJECT

CHROMA = "chroma"
"""The folder, in a data folder, that is Chroma's own."""

SERVER = "server"
"""The folder, in a data folder, of what the dev server keeps."""

PEOPLE = "people"
"""The folder, in a data folder, of the folders of others than its owner."""

ARRIVING = "arriving"
"""The folder, in a data folder, in which what comes out of the database is put together."""

FOLDERS = (CHROMA, "backups", "set-aside", SERVER, "locks", "traces", "traces.new", PEOPLE, "calls", ARRIVING)
"""The folders in a data folder; `calls` was an earlier ana's."""

LINKABLE = (CHROMA, "backups")
"""Those that a person may keep on another disk: Chroma looks after its own, and every backup is a new file."""

NOTES = (
    *("format.json", "generation", "lock", "lock.owner"),
    *("restore.json", "rebuilding.json", "purging", "moved.json"),
    *("thread_names.json", "last_thread", "typed", "refused_copy", "shown", "shown-to-assistants"),
    *("spending.json", "spending.lock", "spending.ledger"),
    *("embedder-suggested", "ollama-offered", "calendar-key", "push-key", "evaluations.json"),
    *("traces.lock", "traces.owner", "thread_names.lock", "thread_names.owner", "reminders.lock"),
)
"""The small files in a data folder."""

DATABASES = (
    *("journal.sqlite", "threads.sqlite", "reminders.sqlite"),
    *("items.index.sqlite", "global_context.index.sqlite"),
)
"""The SQLite files in a data folder, beside each of which SQLite keeps others."""

UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

OUTSIDE = PROJECT / ".langgraph_api"
"""The folder of the dev server's own files, if it was started without `ana dev`, which keeps them with the data."""

_CHROMA = re.compile(rf"{UUID}|chroma\.sqlite3(?:-wal|-shm|-journal)?")
_TRACE = re.compile(rf"(?:{UUID}|none)\.jsonl")


def name_folder(path: Path) -> str:
    """Return what a data folder, or one in it, is called in a sentence: of others than its owner without its path."""
    names = [each.name for each in (path, path.parent) if each.parent.name == PEOPLE]
    return f"data folder of {names[0]!r}" if names else f"data folder {path}"


def is_own(name: str) -> bool:
    """Return whether ana writes a file or a folder of this name in a data folder."""
    return name in (*FOLDERS, *NOTES, *(f"{file}{suffix}" for file in DATABASES for suffix in SQLITE_SUFFIXES))


def is_of_chroma(name: str) -> bool:
    """Return whether Chroma writes a file or a folder of this name in its own folder."""
    return _CHROMA.fullmatch(name) is not None


def is_trace(name: str) -> bool:
    """Return whether a file in the traces' folder is a trace, by its name."""
    return _TRACE.fullmatch(name) is not None
