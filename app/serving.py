"""Whether a server works on a data folder: it keeps a copy of threads and runs in memory and writes it to files."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ana.errors import StoreBusy
from ana.settings import is_checkout
from ana.workspace import Workspace


@contextmanager
def mark_serving(workspace: Workspace) -> Iterator[None]:
    """Let `is_serving` see this process while the context is open, however it ends."""
    folder = workspace.server_folder
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{secrets.token_hex(8)}.serving"  # a name of its own: several servers may work on one folder
    with FileLock(path, thread_local=False):
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def is_serving(workspace: Workspace) -> bool:
    """Return whether a server works on the data folder."""
    return any(_is_held(path) for path in workspace.server_folder.glob("*.serving"))


def refuse_while_serving(workspace: Workspace, what: str) -> None:
    """Refuse while a server runs: it has the conversations' file open, and writes its own copy of them.

    Args:
        workspace: The person's.
        what: What is to be done once it is stopped.

    Raises:
        StoreBusy: A server works on the data folder.
    """
    if is_serving(workspace):
        raise StoreBusy(
            "The server is running and keeps a copy of the conversations.",
            f"Stop it (`{'make dev' if is_checkout() else 'ana serve'}`), then {what} again.",
        )


def _is_held(path: Path) -> bool:
    try:
        with FileLock(path, timeout=0):
            path.unlink(missing_ok=True)  # of a server that was killed
            return False
    except Timeout:
        return True
