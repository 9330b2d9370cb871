"""After an unclean end: find out whether the store can be used, and rebuild it if not."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ana.backends.chroma.acts import Journal
from ana.backends.chroma.care.exchange import REBUILDING, finish_exchange
from ana.backends.chroma.care.files import copy_files, name_copy
from ana.backends.chroma.care.format import migrate, note_step, refuse_moved
from ana.backends.chroma.care.probe import find_fault
from ana.backends.chroma.care.rebuild import read_indexed_items, rebuild, refuse_full_disk, take_back
from ana.backends.chroma.care.sources import tell_sources
from ana.backends.chroma.collection import BATCH, ChromaCollection, embed_items
from ana.backends.chroma.folder import Folder
from ana.embedders import Embedder
from ana.memory.changes import Kind

if TYPE_CHECKING:
    from chromadb.api.client import Client

STEP = 2000
"""The progress is reported after every so many records."""

Tell = Callable[[str], None]
"""Shows a sentence to the person who waits."""


class Healing:
    """Repairs a data folder that a process may have damaged. Used only while the folder is held."""

    def __init__(
        self,
        folder: Folder,
        collections: Mapping[Kind, ChromaCollection],
        journal: Journal,
        embedder: Embedder,
        tell: Tell,
    ) -> None:
        self._folder = folder
        self._path = folder.path
        self._collections = collections
        self._journal = journal
        self.embedder = embedder
        self._tell = tell
        self.steps: list[str] = []
        """The steps to this program's format that are left to take once the store is open."""

    def settle_files(self) -> None:
        """Finish an exchange that was cut short, and bring an older folder to this program's format."""
        refuse_moved(self._path)  # what a move is to bring here is exchanged by the move alone
        finish_exchange(self._path)
        if (self._path / REBUILDING).exists():
            self._close_indexes()
            self._folder.mark_written()
            self._folder.in_doubt |= take_back(self._path)
        self.steps = migrate(self._path, self._keep_copy)

    def take_steps(self) -> None:
        """Take the remaining steps to this program's format."""
        if "sources" in self.steps:
            tell_sources(self._path / "journal.sqlite", self._collections, self._tell)
            note_step(self._path, "sources")
            self.steps.remove("sources")

    def _keep_copy(self, reason: str) -> None:
        copy = name_copy(self._path, reason)
        if not list(copy.parent.glob(f"{reason}-*")):  # the first copy of a migration that was cut short counts
            copy_files(self._path, None, copy, self._folder.person)

    def heal_if_doubtful(self) -> None:
        """Rebuild Chroma if its files may be damaged and it cannot be opened."""
        chroma = self._path / "chroma"
        if self._folder.in_doubt and chroma.exists():
            self._tell("The last program that used the store ended unexpectedly. Checking the store.")
            if fault := find_fault(chroma):
                self.rebuild(f"The store is damaged: {fault} Rebuilding it.")

    def rebuild(self, why: str) -> None:
        """Rebuild Chroma, with the records that are missing in it but known to the journal or the old index.

        Raises:
            StoreBroken: The disk is full, so that nobody knows whether anything is damaged, and nothing was changed.
        """
        refuse_full_disk(self._path)
        self._tell(why)
        self._close_indexes()
        self._folder.mark_written()  # whoever has the damaged files open must open the new ones
        aside = rebuild(self._path, self.embedder, self._show_progress, self._complete)
        self._tell(f"The damaged files are kept in {aside}.")

    def _close_indexes(self) -> None:
        """Close the indexes, because their files are moved too."""
        for collection in self._collections.values():
            collection.index.close()

    def _complete(self, client: "Client") -> None:
        """Store the records that are missing."""
        for kind, collection in self._collections.items():
            known = {entry.change.id: entry.change.after for entry in self._journal.latest(kind)}
            old = {item.id: item for item in read_indexed_items(collection.index_path)}
            source = collection.open_source(client)
            existing = source.list_ids()
            # the journal knows better than the old index, also what was deleted
            missing = [item for id, item in (old | known).items() if item and id not in existing]
            for start in range(0, len(missing), BATCH):
                part = embed_items(collection.embedder, missing[start : start + BATCH], {})
                source.write(part, [None] * len(part))
            if missing:
                self._tell(f"Restored from the journal: {len(missing)} of {collection.name}.")

    def _show_progress(self, done: int, total: int) -> None:
        if done and (done % STEP == 0 or done == total):
            self._tell(f"Embedded {done} of {total} records.")
