"""A process that all processes of a test run share: whoever needs it first starts it; it ends with the last."""

import atexit
import socket
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock


def connect_to_shared(address: str, start: Callable[[str], object]) -> socket.socket:
    """Return a connection, open as long as this process, to the one that listens here.

    Args:
        address: A path for its socket.
        start: Starts it; what connects before it is ready waits.
    """
    ours = socket.socket(socket.AF_UNIX)
    with FileLock(f"{address}.lock"):
        try:
            ours.connect(address)
        except OSError:  # nobody is there
            Path(address).unlink(missing_ok=True)
            start(address)
            ours.connect(address)
    atexit.register(ours.close)
    return ours
