"""After an unclean end: find out whether the store can be used, and rebuild it if not."""

from collections.abc import Callable, Mapping
from pathlib import Path

from ana.backends.chroma.care.probe import find_fault
from ana.backends.chroma.care.rebuild import REBUILDING, finish_rebuild, read_indexed_items, rebuild
from ana.backends.chroma.collection import ChromaCollection, collection_arguments
from ana.backends.chroma.journal import Journal
from ana.embedders import Embedder
from ana.memory.changes import Kind

STEP = 2000
"""The progress is reported after every so many records."""

Tell = Callable[[str], None]
"""Shows a sentence to whoever waits."""


class Healing:
    """Repairs a data folder that a process may have damaged. Used only while the folder is held.

    Args:
        path: The data folder.
        collections: The records in it.
        journal: Its journal.
        embedder: Turns text into vectors.
        tell: Called with the progress.
    """

    def __init__(
        self,
        path: Path,
        collections: Mapping[Kind, ChromaCollection],
        journal: Journal,
        embedder: Embedder,
        tell: Tell,
    ) -> None:
        self._path = path
        self._collections = collections
        self._journal = journal
        self.embedder = embedder
        self._tell = tell
        self._aside: Path | None = None

    def was_cut_short(self) -> bool:
        """Return whether a rebuild began and did not finish."""
        return (self._path / REBUILDING).exists()

    def heal(self) -> None:
        """Find out whether Chroma can be opened, and rebuild it if not."""
        chroma = self._path / "chroma"
        if self.was_cut_short():
            self._tell("A rebuild of the store was cut short. Beginning again.")
            self.rebuild()
        elif chroma.exists():
            self._tell("The last program that used the store ended unexpectedly. Checking the store.")
            if fault := find_fault(chroma):
                self._tell(f"The store is damaged: {fault} Rebuilding it.")
                self.rebuild()

    def rebuild(self) -> None:
        """Set Chroma aside and rebuild it; `complete` must follow once it is open."""
        names = [collection.name for collection in self._collections.values()]
        for collection in self._collections.values():
            collection.index.close()  # its file is set aside too
        arguments = collection_arguments(self.embedder)
        self._aside = rebuild(self._path, names, arguments, self.embedder, self._show_progress)
        self._tell(f"The damaged files are kept in {self._aside}.")

    def complete(self) -> None:
        """Store the records that are missing in the rebuilt Chroma but known to the journal or to the old index."""
        if self._aside is None:
            return
        for kind, collection in self._collections.items():
            known = {entry.change.id: entry.change.after for entry in self._journal.latest(kind)}
            old = read_indexed_items(self._aside / collection.index_path.name)
            existing = {item.id for item in collection.scan()}
            wanted = {item.id: item for item in old} | known  # the journal knows better, also what was deleted
            missing = [item for id, item in wanted.items() if item and id not in existing]
            collection.put([(item, None) for item in missing])
            if missing:
                self._tell(f"Restored from the journal: {len(missing)} of {collection.name}.")
        finish_rebuild(self._path)  # only now: a crash before this begins the rebuild again
        self._aside = None

    def _show_progress(self, done: int, total: int) -> None:
        if done and (done % STEP == 0 or done == total):
            self._tell(f"Embedded {done} of {total} records.")
