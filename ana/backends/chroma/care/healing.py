"""After an unclean end: the store is asked whether it can be used, and made anew where it cannot."""

from collections.abc import Callable, Mapping
from pathlib import Path

from ana.backends.chroma.care.probe import sound
from ana.backends.chroma.care.rebuild import REBUILDING, bodies, finished, rebuild
from ana.backends.chroma.collection import ChromaStore, collection_arguments
from ana.backends.chroma.journal import Journal
from ana.embedders import Embedder
from ana.memory.changes import Kind

STEP = 2000
"""After so many records the progress is told."""

Tell = Callable[[str], None]
"""Says a sentence to whoever waits."""


class Healing:
    """Makes a data folder usable that a process left in doubt. Used only while the folder is held.

    Args:
        path: The data folder.
        stores: What lies in it.
        journal: What happened to it.
        embedder: Gives vectors.
        tell: Is told what goes on.
    """

    def __init__(
        self, path: Path, stores: Mapping[Kind, ChromaStore], journal: Journal, embedder: Embedder, tell: Tell
    ) -> None:
        self._path = path
        self._stores = stores
        self._journal = journal
        self._embedder = embedder
        self._tell = tell
        self._aside: Path | None = None

    def heal(self) -> None:
        """Before Chroma is opened: look whether it can be, and make it anew where it cannot."""
        chroma = self._path / "chroma"
        if (self._path / REBUILDING).exists():
            self._tell("The store was being made anew when that was cut short. Beginning again.")
            self.rebuild()
        elif chroma.exists():
            self._tell("The last program that used the store ended in the middle of it. Looking whether all is well.")
            if problem := sound(chroma):
                self._tell(f"The store is damaged: {problem} Making it anew.")
                self.rebuild()

    def rebuild(self) -> None:
        """Set Chroma aside and make it anew; `complete` must follow once it is open."""
        names = [store.name for store in self._stores.values()]
        for store in self._stores.values():
            store.index.close()  # its file is set aside too
        made = collection_arguments(self._embedder)
        self._aside = rebuild(self._path, names, made, self._embedder, self._progress)
        self._tell(f"The damaged files are kept in {self._aside}.")

    def complete(self) -> None:
        """When Chroma is open: bring back what it lacks of what the journal, or the index of before, knows."""
        if self._aside is None:
            return
        for kind, store in self._stores.items():
            known = {entry.change.id: entry.change.after for entry in self._journal.latest(kind)}
            wanted = {item.id: item for item in bodies(self._aside / store.index_path.name)} | known
            there = {item.id for item in store.scan()}
            missing = [item for id, item in wanted.items() if item and id not in there]
            store.fill(missing)
            if missing:
                self._tell(f"Brought back from the journal: {len(missing)} of {store.name}.")
        finished(self._path)
        self._aside = None

    def _progress(self, done: int, total: int) -> None:
        if done and (done % STEP == 0 or done == total):
            self._tell(f"Embedded {done} of {total} records.")
