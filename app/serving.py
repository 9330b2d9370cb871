"""Checking whether a dev server works on a data folder: it keeps threads and runs in memory and in files."""

import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from filelock import FileLock, Timeout

from ana.errors import StoreBusy, UserError
from ana.workspace import Workspace

LOCAL = "127.0.0.1"
PORT = 2024
"""Where `ana serve` and `ana dev` listen, unless they are told otherwise."""

Port = Annotated[int, typer.Option(min=0, max=65535, help="The port.")]


def require_port(host: str, port: int, command: str) -> None:
    """Raise UserError if a port cannot be used; it names the command that uses another."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, ValueError) as exc:  # the second for what is no name at all
            hint = f"End the other server, or name another port: {command} --port 2025."
            raise UserError(f"Port {port} cannot be used: {exc.args[-1]}.", hint) from exc


@contextmanager
def mark_serving(workspace: Workspace, port: int = PORT) -> Iterator[None]:
    """Let `is_serving` see this process while the context is open, however it ends, and `find_port` its port."""
    folder = workspace.server_folder
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    # a name of its own: several servers may work on one folder
    path = folder / f"{port}-{secrets.token_hex(8)}.serving"
    with FileLock(path, thread_local=False):
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def is_serving(workspace: Workspace) -> bool:
    """Return whether a server works on the data folder."""
    return any(_is_locked(path) for path in workspace.server_folder.glob("*.serving"))


def find_port(workspace: Workspace) -> int:
    """Return the port of a server that works on the data folder; PORT if there is none."""
    ports = [path.name.partition("-")[0] for path in workspace.server_folder.glob("*-*.serving") if _is_locked(path)]
    return next(map(int, ports), PORT)


def refuse_while_serving(workspace: Workspace, what: str) -> None:
    """Refuse while a server runs: it has the conversations' file open, and writes its own copy of them.

    Args:
        what: The act to do once the server is stopped.

    Raises:
        StoreBusy: A server works on the data folder.
    """
    if is_serving(workspace):
        raise StoreBusy(
            "The server is running and keeps a copy of the conversations.",
            f"Stop it (`ana serve` or `ana dev`), then {what} again.",
        )


def _is_locked(path: Path) -> bool:
    try:
        with FileLock(path, timeout=0):
            path.unlink(missing_ok=True)  # of a server that was killed
            return False
    except Timeout:
        return True
