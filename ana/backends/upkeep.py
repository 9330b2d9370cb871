"""The care for a store that one person keeps in a folder; a store on a server has others for that."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ana.embedders import Embedder
from ana.embedders.base import Vector
from ana.memory.backend import RecordKey
from ana.memory.changes import Change, Kind

Progress = Callable[[int, int], None]
"""Called with the number of texts or records done, and of all."""

Examined = Callable[[int], None]
"""Called with the number of records examined since the last call."""


@dataclass
class Findings:
    """The result of an examination.

    Args:
        counts: The number of records of each kind.
        store: Faults of the database.
        unreadable: Records that cannot be read as items.
        index: Faults of a derived index.
        journal: Records that differ from the journal: before is the journal's, after the store's.
        duplicates: Items that say the same, perhaps on purpose.
        foreign: Items that another program stored, which the journal does not know.
        orphans: Files that belong to nothing.
    """

    counts: dict[Kind, int] = field(default_factory=dict)
    store: list[str] = field(default_factory=list)
    unreadable: list[RecordKey] = field(default_factory=list)
    index: list[str] = field(default_factory=list)
    journal: list[Change] = field(default_factory=list)
    duplicates: list[list[str]] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Return whether there is no fault; duplicates, foreign records and orphans are harmless."""
        return not (self.store or self.unreadable or self.index or self.journal)


class Upkeep(Protocol):
    """What can be done for a store in a folder besides reading and writing it."""

    @property
    def path(self) -> Path:
        """Return where its files can be read: the data folder, or a copy of one that cannot be written."""

    @property
    def embedder(self) -> Embedder:
        """Return what makes the vectors."""

    def describe(self) -> list[dict[str, Any]]:
        """Return name, count, embedder, dimension, distance space and format version of items and of lines."""

    def read_vectors(self) -> dict[str, Vector]:
        """Return the vectors of all items by the text that was embedded."""

    def report_to(self, progress: Progress) -> None:
        """Call this from now on while many texts are embedded for a write."""

    def hold_closed(self) -> AbstractContextManager[None]:
        """Own the folder while its files are looked at or replaced. May be nested."""

    def find_damage(self) -> dict[str, str]:
        """Return what is wrong with files without which the store cannot be opened, a sentence each, by their names."""

    def set_aside(self, name: str) -> Path:
        """Move a file of the folder out of the way, and return where it is now."""

    def examine(self, progress: Examined) -> Findings:
        """Check everything, while nobody else uses the folder."""

    def repair(self, found: Findings) -> None:
        """Mend what an examination found; what is damaged is set aside, not deleted."""

    def check_erasable(self) -> None:
        """Refuse what `erase` would refuse with a UserError, before anything else is deleted with the records."""

    def back_up(self, traces: Path | None, to: Path) -> int:
        """Write everything into one file, and return how many files are in it.

        Args:
            traces: The traces' folder; None leaves them out.
            to: The file; it appears only once it is complete.

        Raises:
            UserError: The file already exists, or cannot be written.
            StoreBroken: Something in the folder is damaged.
        """

    def back_up_before(self, event: str, traces: Path) -> Path:
        """Write a backup into the folder, before something that might be regretted, and return where it is."""

    def restore(self, traces: Path, backup: Path) -> Path:
        """Make everything what it was in a backup, and return a backup of what was there before.

        Raises:
            UserError: The backup cannot be used; nothing was changed.
        """

    def reindex(self, progress: Progress) -> int:
        """Embed everything again with the present embedder, while others wait, and return how many records."""
