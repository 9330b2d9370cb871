"""The store on langchain_chroma. Nothing outside ana/store imports chromadb."""

import itertools
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from ana.backends.chroma.client import foreign_errors
from ana.backends.chroma.folder import Folder
from ana.backends.chroma.index import lookup
from ana.backends.chroma.index.index import Index, digest
from ana.backends.chroma.index.ranking import Weights
from ana.backends.chroma.index.search import Search
from ana.backends.chroma.index.tables import damaged
from ana.backends.chroma.source import PAGE, ChromaSource, Stored, Vector
from ana.embedders import Embedder
from ana.errors import ConfigError, ToolError
from ana.memory.found import Found
from ana.memory.ids import new_id
from ana.memory.item import Item, check_properties, merged
from ana.memory.property_text import property_text
from ana.time.clock import Clock
from ana.values import Json, Properties

if TYPE_CHECKING:
    from langchain_chroma import Chroma

VERSION = 2
BATCH = 5000
AHEAD = 32
"""How many vectors are kept for writes that are about to come."""


class ChromaStore:
    """A Store in one Chroma collection. Safe to use from several threads, and from several processes in turns.

    Args:
        folder: The data folder that holds it.
        name: The collection.
        embedder: What turns text into vectors; the collection remembers it and refuses another.
        clock: Stamps created_at and updated_at.
        weights: What each leg of the ranking is worth; None for the measured best.
    """

    def __init__(
        self, folder: Folder, name: str, embedder: Embedder, clock: Clock, weights: Weights | None = None
    ) -> None:
        self._folder = folder
        self.name = name
        self._embedder = embedder
        self._clock = clock
        self.index_path = folder.path / f"{name}.index.sqlite"
        self.index = Index(self.index_path, clock.zone)
        self._search = Search(self.index, embedder, clock, weights or Weights())
        self._opened: tuple[int, ChromaSource] | None = None
        self._ahead: dict[str, Vector] = {}

    def add(self, content: str, properties: Properties | None = None, *, id: str | None = None) -> Item:
        check_properties(properties or {})
        stamp = self._clock.stamp()
        with self.source():
            item = Item(id or new_id(), content, dict(properties or {}), stamp, stamp)
            if self.has(item.id):
                raise ToolError(
                    f"There is already an item {item.id}.", "Update it, or create one without naming an id."
                )
            self.put([(item, None)])
        return item

    def get(self, id: str) -> Item | None:
        with self.source() as source:
            found = source.items([id]) if id else []
        return found[0] if found else None

    def some(self, ids: Sequence[str]) -> list[Item]:
        """The items with these ids, in any order; ids that are not there are left out."""
        with self.source() as source:
            return source.items(ids)

    def has(self, id: str) -> bool:
        """Whether there is an item with this id, by the index."""
        with self.source() as source:
            return bool(lookup.entries(self.index.ready(source), ids=[id]))

    def update(self, id: str, content: str | None = None, properties: Mapping[str, Json] | None = None) -> Item:
        with self.source():
            old = self.known(id)
            item = self.changed(old, content, properties)
            self.put([(item, old)])
        return item

    def changed(self, old: Item, content: str | None, properties: Mapping[str, Json] | None) -> Item:
        """What `update` makes of an item, without storing it."""
        check_properties(properties or {})
        return Item(
            id=old.id,
            content=old.content if content is None else content,
            properties=merged(old.properties, properties or {}),
            created_at=old.created_at,
            updated_at=self._clock.stamp(),
        )

    def known(self, id: str) -> Item:
        """The item with this id.

        Raises:
            ToolError: There is none.
        """
        item = self.get(id)
        if item is None:
            raise ToolError(f"There is no item {id!r}.", "Look for it with query_items and use the id it gives.")
        return item

    def delete(self, id: str) -> Item:
        with self.source():
            item = self.known(id)
            self.remove([id])
        return item

    def remove(self, ids: Sequence[str]) -> None:
        """Remove items; one that is not there is passed over."""
        for start in range(0, len(ids), BATCH):
            with self.source() as source:
                if there := [item.id for item in source.items(ids[start : start + BATCH])]:
                    with self._writing(source, removed=there):
                        source.delete(there)

    def upsert(self, item: Item) -> None:
        with self.source():
            self.put([(item, self.get(item.id))])

    def put(self, changes: Sequence[tuple[Item, Item | None]]) -> None:
        """Make stored items equal to these.

        Args:
            changes: Each item as it is to be, with how it is stored now, None for not at all: Chroma merges metadata,
                so stale keys are taken back by name.
        """
        for start in range(0, len(changes), BATCH):
            self._write(changes[start : start + BATCH])

    def embed_ahead(self, *texts: tuple[str, Properties | None]) -> None:
        """Embed what is about to be stored, before the folder is held: an embedder may be a server, and slow.

        Args:
            texts: Content and properties of each.
        """
        documents = list(dict.fromkeys(property_text(content, properties or {}) for content, properties in texts))
        if len(self._ahead) + len(documents) > AHEAD:
            self._ahead.clear()
        self._ahead |= zip(documents, self._embedded(documents), strict=True)

    def fill(self, items: Sequence[Item]) -> None:
        """Store many items that are not there yet, past the journal."""
        self.put([(item, None) for item in items])

    def _write(self, changes: Sequence[tuple[Item, Item | None]]) -> None:
        documents = [property_text(item.content, item.properties) for item, _ in changes]
        known = {text: ahead for text in documents if (ahead := self._ahead.pop(text, None)) is not None}
        missing = [text for text in dict.fromkeys(documents) if text not in known]
        known |= dict(zip(missing, self._embedded(missing), strict=True))
        stored = [Stored(item, known[text]) for (item, _), text in zip(changes, documents, strict=True)]
        with self.source() as source, self._writing(source, stored):
            source.write(stored, [before for _, before in changes])

    def query(self, text: str | None = None, where: Mapping[str, Json] | None = None, limit: int = 10) -> Found:
        query = self._search.prepared(text)  # embedded before the folder is held
        return self._searched(lambda source: self._search.query(source, query, where, limit))

    def due(self, first: date, last: date, limit: int = 100) -> Found:
        """The open items whose own date, due_date before any other, lies on these days, the earliest first.

        Args:
            first: The first day; date.min for all that lies back.
            last: The last day, included.
            limit: How many at most.
        """
        return self._searched(lambda source: self._search.due(source, first, last, limit))

    def same(self, content: str, properties: Properties) -> list[Item]:
        """The items that already say exactly this, the oldest first."""
        with self.source() as source:
            return source.items(lookup.same(self.index.ready(source), digest(content, properties)))

    def count(self) -> int:
        with self.source() as source:
            return source.count()

    def scan(self, page: int = PAGE) -> Iterator[Item]:
        for offset in itertools.count(0, page):
            with self.source() as source:
                items = source.page(offset, page)
            yield from items
            if len(items) < page:
                return

    def vectors(self, ids: list[str]) -> list[list[float]]:
        """The stored vectors of these ids, in their order."""
        with self.source() as source:
            return [stored.vector.tolist() for stored in source.some(ids)]

    def nearest(self, vector: list[float], limit: int) -> list[str]:
        """The ids nearest to a vector, by Chroma's index alone."""
        with self.source() as source:
            return list(source.nearest(np.array(vector, np.float32), limit))

    def close(self) -> None:
        """Close the index; the folder closes Chroma."""
        self.index.close()

    def describe(self) -> dict[str, Any]:
        """Name, count, embedder, dimension, distance space and format version of the collection."""
        with self.source() as source:
            collection = source.chroma._collection
            metadata = dict(collection.metadata or {})
            return {
                "name": self.name,
                "count": source.count(),
                "space": (collection.configuration.get("hnsw") or {}).get("space"),
                **{k.removeprefix("ana_"): v for k, v in metadata.items()},
            }

    def _embedded(self, documents: Sequence[str]) -> list[Vector]:
        return list(np.array(self._embedder.embed_documents(list(documents)), np.float32)) if documents else []

    def _searched(self, search: Callable[[ChromaSource], Found]) -> Found:
        """Search, and once more on a new index where the file turns out to be damaged."""
        with self.source() as source:
            try:
                return search(source)
            except sqlite3.DatabaseError as exc:
                if not damaged(exc):
                    raise
                self.index.discard()
                return search(source)

    @contextmanager
    def _writing(self, source: ChromaSource, put: Sequence[Stored] = (), removed: Sequence[str] = ()) -> Iterator[None]:
        """A write, entered in the index first. If it fails, Chroma is opened anew: a full disk leaves it in doubt."""
        self._folder.writing()
        try:
            with self.index.writing(source, put, removed):
                yield
        except Exception:
            self._folder.close()
            raise

    @contextmanager
    def source(self) -> Iterator[ChromaSource]:
        """The collection, while the folder is held."""
        with foreign_errors(self._folder.path), self._folder.hold() as client:
            if self._opened is None or self._opened[0] != self._folder.generation:
                self._opened = (self._folder.generation, ChromaSource(self._open(client)))
            yield self._opened[1]

    def _open(self, client: Any) -> "Chroma":
        from langchain_chroma import Chroma

        chroma = Chroma(
            collection_name=self.name,
            client=client,
            embedding_function=self._embedder,  # type: ignore[arg-type]
            **{f"collection_{name}": value for name, value in collection_arguments(self._embedder).items()},
        )
        _refuse_another(self.name, chroma._collection.metadata or {}, self._embedder)
        return chroma


def collection_arguments(embedder: Embedder) -> dict[str, Any]:
    """What a collection is created with: its embedder, which it remembers, and its distance."""
    remembered = {"ana_embedder": embedder.name, "ana_dimension": embedder.dimension, "ana_version": VERSION}
    return {"metadata": remembered, "configuration": {"hnsw": {"space": "cosine"}}}


def _refuse_another(name: str, remembered: Mapping[str, Any], embedder: Embedder) -> None:
    ours = (embedder.name, embedder.dimension)
    theirs = (remembered.get("ana_embedder"), remembered.get("ana_dimension"))
    if ours != theirs:
        raise ConfigError(
            f"The collection {name} was embedded with {theirs[0]} ({theirs[1]} dimensions), not {ours[0]} ({ours[1]}).",
            f"Set ANA_EMBEDDINGS={theirs[0]}, or embed everything again: ana reindex --embeddings {ours[0]}",
        )
    if remembered.get("ana_version") != VERSION:
        raise ConfigError(
            f"The collection {name} has format {remembered.get('ana_version')}, this program reads {VERSION}.",
            "Install the version of ana that wrote it, or use another ANA_DATA_DIR.",
        )
