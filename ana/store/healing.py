"""After an unclean end: the store is asked whether it can be used, and made anew where it cannot."""

from collections.abc import Callable, Mapping
from pathlib import Path

from ana.embedders import Embedder
from ana.store.chroma import ChromaStore, collection_arguments
from ana.store.item import Item
from ana.store.journal import Journal, Kind
from ana.store.probe import sound
from ana.store.rebuild import bodies, rebuild

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
        self._rescued: dict[Kind, list[Item]] | None = None

    def heal(self) -> None:
        """Before Chroma is opened: look whether it can be, and make it anew where it cannot."""
        if not (self._path / "chroma").exists():
            return
        self._tell("The last program that used the store ended in the middle of its work. Looking whether all is well.")
        if problem := sound(self._path / "chroma"):
            self._tell(f"The store is damaged: {problem} Making it anew.")
            self.rebuild()

    def rebuild(self) -> None:
        """Set Chroma aside and make it anew; `complete` must follow once it is open."""
        self._rescued = {kind: bodies(store.index_path) for kind, store in self._stores.items()}
        names = [store.name for store in self._stores.values()]
        aside = rebuild(self._path, names, collection_arguments(self._embedder), self._embedder, self._progress)
        self._tell(f"The damaged files are kept in {aside}.")

    def complete(self) -> None:
        """When Chroma is open: bring back what it lacks of what the journal, or the index of before, knows."""
        rescued, self._rescued = self._rescued, None
        for kind, items in (rescued or {}).items():
            store = self._stores[kind]
            known = {entry.change.id: entry.change.after for entry in self._journal.latest(kind)}
            wanted = {item.id: item for item in items} | known
            there = {item.id for item in store.scan()}
            missing = [item for id, item in wanted.items() if item and id not in there]
            store.fill(missing)
            if missing:
                self._tell(f"Brought back from the journal: {len(missing)} of {store.name}.")

    def _progress(self, done: int, total: int) -> None:
        if done and (done % STEP == 0 or done == total):
            self._tell(f"Embedded {done} of {total} records.")
