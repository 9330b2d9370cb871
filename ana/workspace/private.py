"""What ana writes is private to the person who runs it: folders 0700, files 0600.

Whatever else lies beside it is the person's own, and is not touched.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from ana.files import refuse_link
from ana.own_files import CHROMA, FOLDERS, LINKABLE, OUTSIDE, is_of_chroma, is_own, is_trace
from ana.settings import TRACES
from ana.workspace.workspace import Workspace


def keep_private(workspace: Workspace) -> int:
    """Let this process create private files only, and make private what exists; return how many files that changed.

    Raises:
        LinkRefused: A folder of ours, which no setting names, is a link: others might see what is written into it.
    """
    os.umask(0o077)
    unnamed = [workspace.folder / name for name in FOLDERS if name not in (*LINKABLE, TRACES)]
    if not workspace.settings.is_set("traces_dir"):
        unnamed.append(workspace.traces_folder)
    if not workspace.settings.is_set("log_file_path"):
        unnamed.append(workspace.settings.log_file_path.parent)
    for folder in unnamed:
        refuse_link(folder)
    changed = 0
    for path in find_exposed(workspace):
        with suppress(OSError):  # another's file, or a disk that cannot be written: `ana doctor` names it
            path.chmod(path.stat().st_mode & 0o700)
            changed += 1
    return changed


def find_exposed(workspace: Workspace) -> list[Path]:
    """Return the files and folders of ana's that others on this machine may read or change."""
    return [Path(path) for path in dict.fromkeys(_iter_ours(workspace)) if _is_exposed(path)]


def holds_others(workspace: Workspace) -> bool:
    """Return whether something in the data folder is not ana's: the folder is another's, and its mode is left alone."""
    return workspace.folder.is_dir() and not all(is_own(path.name) for path in workspace.folder.iterdir())


def holds_own(workspace: Workspace) -> bool:
    """Return whether ana has written something into the data folder."""
    return workspace.folder.is_dir() and any(is_own(path.name) for path in workspace.folder.iterdir())


def describe_shared(workspace: Workspace) -> str | None:
    """Return a sentence about a data folder that others may look into and that is not ana's to close; else None."""
    if not holds_others(workspace) or not _is_exposed(str(workspace.folder)):
        return None
    return (
        f"The data folder {workspace.folder} holds other files too, so its mode is left as it is: others on this "
        "machine see the names of ana's files there, and cannot read them."
    )


def _iter_ours(workspace: Workspace) -> Iterator[str]:
    data, log = workspace.folder, workspace.settings.log_file_path
    if data.exists() and not data.is_dir():  # a mistaken setting: the file is not ours
        return
    if not holds_others(workspace):
        yield str(data)
    yield from (str(path) for path in (data.iterdir() if data.is_dir() else ()) if is_own(path.name) and path.is_file())
    for folder in (*(data / name for name in FOLDERS if name != CHROMA), OUTSIDE):
        yield from _walk(str(folder))
    yield os.path.realpath(data / CHROMA)
    for name in filter(is_of_chroma, os.listdir(data / CHROMA) if (data / CHROMA).is_dir() else ()):
        yield from _walk(str(data / CHROMA / name))
    yield from _iter_matching(workspace.traces_folder, is_trace)
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
