"""What ana keeps is private to the person who runs it: folders 0700, files 0600."""

import glob
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ana.files import SQLITE_SUFFIXES
from ana.settings import PROJECT, Settings

FOLDERS = ("chroma", "backups", "set-aside", "server", "locks", "traces", "traces.new")
"""The folders in a data folder that ana makes; a person may keep others there."""

NOTES = (
    *("format.json", "generation", "lock", "lock.owner", "restore.json", "rebuilding.json", "reindexed.json"),
    *("thread_names.json", "last_thread", "typed", "refused_copy", "spending.json", "spending.lock", "spending.ledger"),
    *("embedder-verified", "embedder-suggested", "ollama-offered", "traces.lock", "traces.owner"),
)
"""The small files in a data folder that ana writes."""

DATABASES = (
    *("journal.sqlite", "threads.sqlite", "vectors.sqlite"),
    *("items.index.sqlite", "global_context.index.sqlite"),
)
"""The SQLite files in a data folder, beside each of which SQLite keeps others."""

SERVER = PROJECT / ".langgraph_api"
"""The folder of the dev server's own files, if it was started without `ana serve`, which keeps them with the data."""


def keep_private(settings: Settings) -> int:
    """Let this process create private files only, and make private what exists; return how many files that changed."""
    os.umask(0o077)
    changed = 0
    for path in find_exposed(settings):
        with suppress(OSError):  # another's file, or a disk that cannot be written: `ana doctor` names it
            path.chmod(path.stat().st_mode & 0o700)
            changed += 1
    return changed


def find_exposed(settings: Settings) -> list[Path]:
    """Return the files and folders of ana's that others on this machine may read or change."""
    return [Path(path) for path in dict.fromkeys(_iter_ours(settings)) if _is_exposed(path)]


def is_ours(name: str) -> bool:
    """Return whether ana writes a file or a folder of this name in a data folder; others there are the person's own."""
    return name in (*FOLDERS, *NOTES, *(f"{file}{suffix}" for file in DATABASES for suffix in SQLITE_SUFFIXES))


def _iter_ours(settings: Settings) -> Iterator[str]:
    data, log = settings.ana_data_dir, settings.log_file_path
    yield str(data)
    yield from (
        str(path) for path in (data.iterdir() if data.is_dir() else ()) if is_ours(path.name) and path.is_file()
    )
    for folder in (*(data / name for name in FOLDERS), SERVER):
        yield from _walk(folder)
    yield from _iter_matching(settings.traces_dir, "*.jsonl")
    yield from _iter_matching(log.parent, f"{glob.escape(log.name)}*")


def _walk(root: Path) -> Iterator[str]:
    for folder, _, names in os.walk(os.path.realpath(root)):  # Chroma may be linked to another disk
        yield folder
        yield from (os.path.join(folder, name) for name in names)


def _iter_matching(folder: Path, pattern: str) -> Iterator[str]:
    """Yield our files in a folder that may be another's, such as /var/log; the folder too if it has no other."""
    files = list(folder.iterdir()) if folder.is_dir() else []
    ours = [path for path in files if path.match(pattern)]
    yield from map(str, ours if len(ours) < len(files) else [*ours, folder])


def _is_exposed(path: str) -> bool:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    shared = stat.S_ISLNK(mode) or mode & stat.S_ISVTX  # such as /tmp, which is not ours to close
    return bool(mode & 0o077) and not shared
