"""Private files: only the person who runs ana may read its files (folders 0700, files 0600)."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from ana.logs import list_log_files
from ana.workspace.workspace import Workspace


def keep_private(workspace: Workspace) -> list[Path]:
    """Make this process create only private files; return the files that others could read until now."""
    os.umask(0o077)
    return [path for path in find_exposed(workspace) if _close(path)]


def find_exposed(workspace: Workspace) -> list[Path]:
    """Return the ones among the data folder and the log files that others on this machine can read.

    Files in a closed folder need no mode of their own.
    """
    ours = [*([workspace.folder] if holds_data(workspace) else []), *list_log_files(workspace.settings)]
    return [path for path in ours if _is_exposed(path)]


def holds_data(workspace: Workspace) -> bool:
    """Return whether ana has stored something in the data folder."""
    return (workspace.folder / "format.json").exists()


def _close(path: Path) -> bool:
    """Close a file or folder to others; return whether that could be done. `ana doctor` names files that belong to
    another user.
    """
    with suppress(OSError):
        path.chmod(path.stat().st_mode & 0o700)
        return True
    return False


def _is_exposed(path: Path) -> bool:
    mode = path.stat().st_mode
    return bool(mode & 0o077) and not mode & stat.S_ISVTX  # such as /tmp, which is not ours to close
