"""What ana keeps is private to the person who runs it: folders 0700, files 0600."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ana.settings import PROJECT, Settings

SERVER = PROJECT / ".langgraph_api"
"""The folder of the dev server's own files, if it was started without `ana serve`, which keeps them with the data."""


def keep_private(settings: Settings) -> int:
    """Let this process create private files only, and make private what exists; return how many files that changed."""
    os.umask(0o077)
    changed = 0
    for path in find_exposed(settings):
        with suppress(OSError):  # another's file, or a disk that cannot be written: `ana doctor` names it
            path.chmod(path.stat().st_mode & (0o700 if path.is_dir() else 0o600))
            changed += 1
    return changed


def find_exposed(settings: Settings) -> list[Path]:
    """Return the files and folders of ana's that others on this machine may read or change."""
    # Chroma's folder may be a link to another disk
    roots = (settings.ana_data_dir, settings.ana_data_dir / "chroma", settings.traces_dir, SERVER)
    found = [path for root in roots for path in _walk(root) if _is_exposed(path)]
    return list(dict.fromkeys([*found, *filter(_is_exposed, _log_files(settings.log_file_path))]))


def _walk(root: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(root):
        yield Path(folder)
        yield from (Path(folder, name) for name in names)


def _is_exposed(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    shared = stat.S_ISLNK(mode) or mode & stat.S_ISVTX  # such as /tmp, which is not ours to close
    return bool(mode & 0o077) and not shared


def _log_files(log: Path) -> list[Path]:
    """Return the log files, and their folder if it holds nothing else: a log may be in /var/log."""
    beside = list(log.parent.iterdir()) if log.parent.is_dir() else []
    ours = [path for path in beside if path.name.startswith(log.name)]
    return [*ours, log.parent] if ours and len(ours) == len(beside) else ours
