"""The list of people, with what lets each of them in. A file below the data folder is one answer."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Annotated, Protocol

from pydantic import Field
from pydantic_core import to_json

from ana.files import write_whole
from ana.keys import PERSON
from ana.locks import OwnerLock
from ana.notes import read_note
from ana.workspace import Workspace


@dataclass(frozen=True)
class Entry:
    """What is listed of a person: digests of their tokens, the last made last, and of a code that can be exchanged
    once, until a moment in seconds since 1970."""

    tokens: tuple[str, ...] = ()
    code: str = ""
    until: float = 0.0


Listed = dict[Annotated[str, Field(pattern=f"^{PERSON.pattern}$")], Entry]


class Roster(Protocol):
    """The list of people, for all processes of a deployment. Errors as of `People`."""

    def load(self) -> Listed:
        """Return the list."""

    def change(self) -> AbstractContextManager[Listed]:
        """Yield the list, which is kept as it then is, while nobody else changes it; after an error it stays."""


class FolderRoster:
    """The list in a file below the owner's data folder.

    Args:
        owner: Their workspace.
    """

    def __init__(self, owner: Workspace) -> None:
        self._owner = owner
        self._file = owner.people_folder / "tokens.json"

    def load(self) -> Listed:
        hint = "Until it is corrected or deleted nobody is let in; deleted, everybody needs a new token."
        return read_note(self._file, Listed, hint) or {}

    @contextmanager
    def change(self) -> Iterator[Listed]:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = OwnerLock(self._file.with_suffix(".lock"), "The list of people")
        lock.acquire()
        try:
            yield (listed := self.load())
            write_whole(self._file, to_json(listed, indent=1).decode(), mode=0o600)
        finally:
            lock.discard()
