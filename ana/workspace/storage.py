"""The storage of a person's state other than items, in files of a folder or in rows of a database."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from ana import settings as settings_module
from ana.notes import TextPlace
from ana.own_files import OwnNote
from ana.settings import OthersSettings, Settings

if TYPE_CHECKING:
    from ana.reminders.ledger import Ledger
    from ana.threads.ports import ThreadLocks
    from ana.threads.store import ThreadStore
    from ana.tracing.port import Traces

NoteName = (
    OwnNote
    | Literal[
        "shown",
        "shown-to-assistants",
        "embedder-suggested",
        "ollama-offered",
        "replies",
        "phone-visit",
        "refused-parameters",
        "forgetting",
        "telegram-code",
        "spending.json",
    ]
)


class Stamp(NamedTuple):
    """A value that changes when something about a person changes.

    Args:
        place: A value that changes if somebody else gets the person's name, or the data is moved elsewhere; empty
            without a person.
        settings: A value that changes with the person's settings or .env.
    """

    place: tuple[int, ...]
    settings: tuple[int, ...]


def stamp_file(path: Path) -> tuple[int, ...]:
    """Return device, inode, moment of the last write and size; nothing without a file."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


def stamp_environment() -> tuple[int, ...]:
    """Return a stamp that changes when .env does; the process's own environment stays."""
    return stamp_file(settings_module.find_places().env_file)[1:]


class Storage(Protocol):
    """All of a person's data except items."""

    def stamp(self) -> Stamp:
        """Return a stamp that changes when the person's settings do, or the person."""

    def read_settings(self) -> OthersSettings | None:
        """Return the person's own settings, which override the environment's; None if there are none.

        Raises StoreBroken if they cannot be read, or set something that a person may not set.
        """

    def write_settings(self, personal: OthersSettings) -> None:
        """Store the person's own settings; nothing of the owner's in a folder: they are in .env."""

    def note(self, name: NoteName) -> TextPlace:
        """Return a short text that is kept for a command."""

    def list_people(self) -> list[str]:
        """Return the people other than the owner who have data here or may have some."""

    def open_traces(self, settings: Settings) -> "Traces":
        """Return the records of turns."""

    def add_bills(self, lines: Sequence[str]) -> None:
        """Store the cost of turns that leave no trace, at least one line."""

    def read_bills(self, since: float = 0.0) -> str:
        """Return the lines of `add_bills` if some were added since a moment, in seconds."""

    def open_ledger(self) -> "Ledger":
        """Return the ledger of reminders that were delivered."""

    def open_thread_store(self) -> "ThreadStore":
        """Return the store of conversations. Raises ConfigError if a newer program has written here."""

    def open_locks(self) -> "ThreadLocks":
        """Return the locks of conversations."""

    def forget_runs(self, threads: Collection[str]) -> None:
        """Forget the runs of conversations that have ended, as far as they are kept here."""
