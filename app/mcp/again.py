"""A call that is sent again, because a process ended before its answer came, is the same act: done once."""

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ana.notes import Note

LONGEST = 600.0
"""Seconds after which the same call is a new act, whatever became of the first."""


class Again:
    """The acts of a client that have begun and of which no answer is known to have arrived, each in a small file.

    Args:
        folder: Where they are kept.
        client: The client's name.
    """

    def __init__(self, folder: Path, client: str) -> None:
        self._folder = folder
        self._client = client
        self._answered: Note | None = None

    @contextmanager
    def open(self, name: str, args: Mapping[str, Any]) -> Iterator[str]:
        """Enter with the id of a call's act: of the one whose answer may not have arrived, or a new one.

        Args:
            name: The tool.
            args: Its arguments.
        """
        self.close()  # whoever sends another call has the answer to the last one
        text = json.dumps([self._client, name, args], sort_keys=True, default=str)
        note = Note(self._folder / hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24])
        age = note.age()
        act = (note.read() if age is not None and age < LONGEST else "") or secrets.token_hex(5)
        note.write(act)
        self._answered = note
        yield act

    def close(self) -> None:
        """Take the last call as answered."""
        if self._answered:
            self._answered.remove()
            self._answered = None
