"""Standard output as the client of `ana mcp` reads it."""

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager

import anyio.to_thread


class Wire:
    """Writes messages to a pipe, each whole: what fits at once, and other ones in a thread, so that nothing else waits.

    To hand a message to a thread, twice as the SDK does it, takes as long as some calls.

    Args:
        file: The descriptor.
    """

    def __init__(self, file: int) -> None:
        self._file, self._room = file, select.poll()
        self._room.register(file, select.POLLOUT)

    async def write(self, text: str) -> None:
        """Write a message."""
        message = text.encode()
        if len(message) <= select.PIPE_BUF and self._room.poll(0):
            self._write(message)
        else:
            await anyio.to_thread.run_sync(self._write, message)

    async def flush(self) -> None:
        """Do nothing: all is written."""

    def _write(self, message: bytes) -> None:
        left = memoryview(message)
        while left:
            left = left[os.write(self._file, left) :]


@contextmanager
def take_output() -> Iterator[Wire]:
    """Yield what writes to standard output; what else is printed meanwhile goes to standard error."""
    own = os.dup(1)
    os.dup2(2, 1)
    try:
        yield Wire(own)
    finally:
        os.dup2(own, 1)
        os.close(own)
