"""What ana writes: its names, and that it is private to the person who runs it, folders 0700, files 0600.

Whatever else lies beside it is the person's own, and is not touched.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from ana.files import SQLITE_SUFFIXES, refuse_link
from ana.settings import PROJECT, TRACES, Settings

CHROMA = "chroma"
"""The folder, in a data folder, that is Chroma's own."""

FOLDERS = (CHROMA, "backups", "set-aside", "server", "locks", "traces", "traces.new")
"""The folders in a data folder."""

LINKABLE = (CHROMA, "backups")
"""Those that a person may keep on another disk: Chroma looks after its own, and every backup is a new file."""

NOTES = (
    *("format.json", "generation", "lock", "lock.owner"),
    *("restore.json", "rebuilding.json", "reindexed.json", "purging"),
    *("thread_names.json", "last_thread", "typed", "refused_copy", "spending.json", "spending.lock", "spending.ledger"),
    *("embedder-suggested", "ollama-offered", "traces.lock", "traces.owner"),
    *("thread_names.lock", "thread_names.owner"),
)
"""The small files in a data folder."""

DATABASES = (
    *("journal.sqlite", "threads.sqlite", "vectors.sqlite"),
    *("items.index.sqlite", "global_context.index.sqlite"),
)
"""The SQLite files in a data folder, beside each of which SQLite keeps others."""

UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

SERVER = PROJECT / ".langgraph_api"
"""The folder of the dev server's own files, if it was started without `ana serve`, which keeps them with the data."""

_CHROMA = re.compile(rf"{UUID}|chroma\.sqlite3(?:-wal|-shm|-journal)?")
_TRACE = re.compile(rf"(?:{UUID}|none)\.jsonl")


def is_own(name: str) -> bool:
    """Return whether ana writes a file or a folder of this name in a data folder."""
    return name in (*FOLDERS, *NOTES, *(f"{file}{suffix}" for file in DATABASES for suffix in SQLITE_SUFFIXES))


def is_of_chroma(name: str) -> bool:
    """Return whether Chroma writes a file or a folder of this name in its own folder."""
    return _CHROMA.fullmatch(name) is not None


def is_trace(name: str) -> bool:
    """Return whether a file in the traces' folder is a trace, by its name."""
    return _TRACE.fullmatch(name) is not None


def keep_private(settings: Settings) -> int:
    """Let this process create private files only, and make private what exists; return how many files that changed.

    Raises:
        LinkRefused: A folder of ours, which no setting names, is a link: others might see what is written into it.
    """
    os.umask(0o077)
    unnamed = [settings.ana_data_dir / name for name in FOLDERS if name not in (*LINKABLE, TRACES)]
    if not settings.is_set("traces_dir"):
        unnamed.append(settings.traces_dir)
    if not settings.is_set("log_file_path"):
        unnamed.append(settings.log_file_path.parent)
    for folder in unnamed:
        refuse_link(folder)
    changed = 0
    for path in find_exposed(settings):
        with suppress(OSError):  # another's file, or a disk that cannot be written: `ana doctor` names it
            path.chmod(path.stat().st_mode & 0o700)
            changed += 1
    return changed


def find_exposed(settings: Settings) -> list[Path]:
    """Return the files and folders of ana's that others on this machine may read or change."""
    return [Path(path) for path in dict.fromkeys(_iter_ours(settings)) if _is_exposed(path)]


def _iter_ours(settings: Settings) -> Iterator[str]:
    data, log = settings.ana_data_dir, settings.log_file_path
    yield str(data)
    yield from (str(path) for path in (data.iterdir() if data.is_dir() else ()) if is_own(path.name) and path.is_file())
    for folder in (*(data / name for name in FOLDERS if name != CHROMA), SERVER):
        yield from _walk(str(folder))
    yield os.path.realpath(data / CHROMA)
    for name in filter(is_of_chroma, os.listdir(data / CHROMA) if (data / CHROMA).is_dir() else ()):
        yield from _walk(str(data / CHROMA / name))
    yield from _iter_matching(settings.traces_dir, is_trace)
    yield from _iter_matching(log.parent, re.compile(rf"{re.escape(log.name)}(\.\d+)?").fullmatch)


def _walk(root: str) -> Iterator[str]:
    yield root
    for folder, _, names in os.walk(root) if not os.path.islink(root) else ():
        yield folder
        yield from (os.path.join(folder, name) for name in names)


def _iter_matching(folder: Path, is_name: Callable[[str], object]) -> Iterator[str]:
    """Yield our files in a folder that may be another's, such as /var/log; the folder too if it has no other."""
    files = list(folder.iterdir()) if folder.is_dir() else []
    ours = [path for path in files if is_name(path.name)]
    yield from map(str, ours if len(ours) < len(files) else [*ours, folder])


def _is_exposed(path: str) -> bool:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    shared = stat.S_ISLNK(mode) or mode & stat.S_ISVTX  # such as /tmp, which is not ours to close
    return bool(mode & 0o077) and not shared
