"""A call that is sent again, because a process ended before its answer came, is the same act: done once."""

import hashlib
import json
import os
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from filelock import lock_descriptor

from ana.files import overwrite, read_small

LONGEST = 600.0
"""Seconds after which the same call is a new act, whatever became of the first."""


class Act(NamedTuple):
    """What a call does.

    Args:
        thread: The conversation of which it is a turn.
        id: Tells it from every other one.
    """

    thread: str
    id: str


def digest_call(client: str, name: str, args: Mapping[str, Any]) -> str:
    """Return what tells a client's call from others."""
    text = json.dumps([client, name, args], sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


class Again:
    """The acts of a client that have begun and of which no answer is known to have left, each in a small file.

    A file is locked while its process lives: two clients of one name that make the same call do it twice.

    Args:
        folder: Where they are kept.
        client: The client's name.
    """

    def __init__(self, folder: Path, client: str) -> None:
        self._folder = folder
        self._client = client
        self._open: tuple[Path, int] | None = None

    def begin(self, name: str, args: Mapping[str, Any], thread: str) -> Act:
        """Return a call's act: that of a process which ended before the answer left, or a new one.

        Args:
            name: The tool.
            args: Its arguments.
            thread: The conversation of which a new act is a turn.
        """
        self.close()  # whoever sends another call has the answer to the last one
        return self._note(self._folder / digest_call(self._client, name, args), Act(thread, secrets.token_hex(5)))

    def close(self) -> None:
        """Take the last call as answered."""
        if self._open:
            path, file = self._open
            self._open = None
            path.unlink(missing_ok=True)
            os.close(file)

    def leave_open(self) -> None:
        """Take the last call as one that waits to be sent again, as if its process had ended."""
        if self._open:
            os.close(self._open[1])
            self._open = None

    def _note(self, path: Path, new: Act) -> Act:
        """Return the act that a file names, or name a new one in it."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if not lock_descriptor(file, blocking=False):
            os.close(file)
            return new
        self._open = path, file
        said = read_small(path).split() if time.time() - os.fstat(file).st_mtime < LONGEST else []
        if len(said) == len(new):
            return Act(*said)
        overwrite(path, " ".join(new))
        return new
