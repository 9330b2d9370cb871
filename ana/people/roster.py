"""The list of people, with the keys of each. A file below the data folder is one implementation."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hmac import compare_digest
from typing import Annotated, Protocol

from pydantic import Field
from pydantic_core import to_json

from ana.files import write_whole
from ana.handles import open_data
from ana.keys import KEY, PERSON, make_digest
from ana.locks import OwnerLock
from ana.notes import read_note
from ana.threads.ports import PATIENCE, owning
from ana.workspace import Workspace
from ana.workspace.private import holds_data


@dataclass(frozen=True)
class Entry:
    """The entry of a person: digests of their tokens, the newest last, and of a code that can be exchanged once, until
    a moment in seconds since 1970.
    """

    tokens: tuple[str, ...] = ()
    code: str = ""
    until: float = 0.0


_REMOVING = "ana users remove"
"""Its name in another program's messages."""

Listed = dict[Annotated[str, Field(pattern=f"^{PERSON.pattern}$")], Entry]


class Roster(Protocol):
    """The list of people, shared by all processes, and the places of their data. Errors as of `People`."""

    waits: bool
    """Whether to read it may take long, as where a database is away."""

    def load(self) -> Listed:
        """Return the list."""

    def change(self) -> AbstractContextManager[Listed]:
        """Yield the list for changes, while nobody else can change it; it is saved at the end, but not after an
        error.
        """

    def make_place(self, name: str) -> None:
        """Make the place for a new person's data."""

    def put_aside(self, name: str) -> str:
        """Take a person off the list, move their data to a place where ana does not look, and return that place.

        Raises StoreBroken if it is damaged, StoreBusy if a turn of theirs does not end; then nothing was changed.
        """

    def find_calendar(self, names: Sequence[str], key: str) -> str | None:
        """Return the person to whom a calendar's key belongs, or None."""


class FolderRoster:
    """The list in a file below the owner's data folder."""

    waits = False

    def __init__(self, owner: Workspace) -> None:
        self._owner = owner
        self._file = owner.people_folder / "tokens.json"

    def load(self) -> Listed:
        hint = "Until it is corrected or deleted nobody is let in; deleted, everybody needs a new token."
        return read_note(self._file, Listed, hint) or {}

    @contextmanager
    def change(self) -> Iterator[Listed]:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with owning(OwnerLock(self._file.with_suffix(".lock"), "The list of people"), ends=True):
            yield (listed := self.load())
            write_whole(self._file, to_json(listed, indent=1).decode(), mode=0o600)

    def make_place(self, name: str) -> None:
        self._open(name).folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def put_aside(self, name: str) -> str:
        from ana.archive.backup import back_up

        person, aside = self._open(name), self._owner.name_aside(f"{name}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
        has_own = holds_data(person)  # before the lock is there
        # a turn that works writes by the folder's name, which somebody else may have before it ends
        with person.open_locks().own_all(_REMOVING, PATIENCE):
            aside.mkdir(parents=True, mode=0o700)
            if has_own:
                with open_data(person, _REMOVING) as handles:
                    back_up(handles, aside / "backup.zip")
            with self.change() as listed:
                listed.pop(name, None)
            person.folder.rename(aside / name)
        return str(aside)

    def find_calendar(self, names: Sequence[str], key: str) -> str | None:
        notes = [(name, self._open(name).note("calendar-key").read()) for name in names]
        return find_match(key, [(name, make_digest(text)) for name, text in notes if KEY.fullmatch(text)])

    def _open(self, name: str) -> Workspace:
        """Return a person's workspace, without their own settings."""
        return replace(self._owner, person=name)


def find_match(key: str, digests: Iterable[tuple[str, str]]) -> str | None:
    """Return the name beside a key's digest; the time that this takes does not reveal how much of the key is right."""
    wanted = make_digest(key)
    names = [name for name, digest in digests if compare_digest(wanted, digest)]
    return names[0] if names else None
