"""A person's state in the files of their folder."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic_core import to_json

from ana.files import Place, append_lines, write_whole
from ana.keys import OWNER
from ana.notes import Note, read_note
from ana.settings import OthersSettings, Settings
from ana.workspace.storage import NoteName, Stamp, stamp_environment, stamp_file

if TYPE_CHECKING:
    from ana.reminders.folder import LedgerFile
    from ana.reminders.ledger import Ledger
    from ana.threads.folder import FolderThreadStore
    from ana.threads.locks import FolderThreadLocks
    from ana.tracing.files import TraceFiles

SETTINGS = "settings.json"
"""The file of a person's settings, in their folder; the owner's are in the environment and .env."""

BILLS = "spending.ledger"
"""The file with the cost of turns that leave no trace."""


@dataclass(frozen=True)
class FolderStorage:
    """A person's data in files; nothing is opened or created before it is asked for.

    Args:
        traces_folder: The folder of the records of their turns.
        people_folder: The folder with a folder for each person but the owner.
    """

    person: str
    folder: Path
    traces_folder: Path
    people_folder: Path

    @cached_property
    def place(self) -> Place:
        """The folder as it was at the first use."""
        return Place(self.folder)

    def stamp(self) -> Stamp:
        from ana.backends.chroma.care.format import MOVED

        own = () if self.person == OWNER else stamp_file(self.folder / SETTINGS)[1:]
        moved = stamp_file(self.folder / MOVED)  # what was moved into a database is not here any more
        return Stamp((*stamp_file(self.folder)[:2], *moved), (*stamp_environment(), *own))

    def read_settings(self) -> OthersSettings | None:
        if self.person == OWNER:
            return None
        return read_note(self.folder / SETTINGS, OthersSettings, "Correct it, or delete it.")

    def write_settings(self, personal: OthersSettings) -> None:
        if self.person != OWNER:
            write_whole(self.folder / SETTINGS, to_json(personal.dump(), indent=1).decode(), mode=0o600)

    def note(self, name: NoteName) -> Note:
        return Note(self.folder / name)

    def list_people(self) -> list[str]:
        return sorted(path.name for path in self.people_folder.glob("*") if path.is_dir())

    def open_traces(self, settings: Settings) -> "TraceFiles":
        from ana.logs import list_secrets
        from ana.tracing.files import TraceFiles

        return TraceFiles(self.traces_folder, list_secrets(settings), self.place)

    def add_bills(self, lines: Sequence[str]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        append_lines(self.folder / BILLS, "\n".join(lines))

    def read_bills(self, since: float = 0.0) -> str:
        bills = self.folder / BILLS
        if bills.exists() and bills.stat().st_mtime >= since:
            return bills.read_text(encoding="ascii", errors="replace")
        return ""

    def open_ledger(self) -> "Ledger":
        from ana.reminders.ledger import Ledger

        return Ledger(self.open_ledger_file())

    def open_ledger_file(self) -> "LedgerFile":
        """Return the tables of the ledger."""
        from ana.reminders.folder import LedgerFile

        return LedgerFile(self.folder / "reminders.sqlite")

    def open_thread_store(self) -> "FolderThreadStore":
        from ana.backends.chroma.care.format import read_format
        from ana.threads.folder import FolderThreadStore

        read_format(self.folder)
        return FolderThreadStore(self.folder)

    def open_locks(self) -> "FolderThreadLocks":
        from ana.threads.locks import FolderThreadLocks

        return FolderThreadLocks(self.folder, self.place)

    def forget_runs(self, threads: Collection[str]) -> None:
        """Do nothing: a server keeps them in memory."""
