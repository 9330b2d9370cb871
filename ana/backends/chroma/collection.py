"""One Chroma collection with its derived index, on langchain_chroma."""

import itertools
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ana.backends.chroma.client import map_foreign_errors, read_settings
from ana.backends.chroma.folder import Folder
from ana.backends.chroma.index import lookup
from ana.backends.chroma.index.index import Index
from ana.backends.chroma.index.search import Search
from ana.backends.chroma.metadata import from_chroma, from_own
from ana.backends.chroma.source import PAGE, ChromaSource, EmbeddedItem, Reader
from ana.backends.chroma.vectors import BATCH as MANY
from ana.backends.chroma.vectors import Progress, Vector, Vectors, embed_many
from ana.embedders import Embedder
from ana.embedders.base import get_revision
from ana.errors import ConfigError
from ana.files import is_damage
from ana.memory.changes import Kind
from ana.memory.digests import content_digest
from ana.memory.item import Item
from ana.memory.search.found import Found
from ana.memory.search.property_text import property_text
from ana.memory.search.query import Query
from ana.memory.search.scoring import Weights
from ana.values import Json

if TYPE_CHECKING:
    from langchain_chroma import Chroma

T = TypeVar("T")

NAMES: Mapping[Kind, str] = {"item": "items", "line": "global_context"}
"""The collection of each kind of record."""

READERS: Mapping[Kind, Reader] = {"item": from_chroma, "line": from_own}
"""How each is read: what another program stored may be an item, but nothing that stands in every prompt."""

INDEXES = tuple(f"{name}.index.sqlite" for name in NAMES.values())
"""The files, in the data folder, of their indexes."""

VERSION = 2
CONFIGURATION = {"hnsw": {"space": "cosine"}}
"""Of a collection's vector index."""
BATCH = 5000  # Chroma refuses more than 5,461 records at once


class ChromaCollection:
    """Records of one kind. Safe to use from several threads, and from several processes in turns.

    Args:
        folder: Its data folder.
        name: Its name.
        embedder: Turns text into vectors; the collection records it and refuses another.
        weights: The weights of the ranking.
        read: How its records are read; see `ChromaSource`.
    """

    def __init__(
        self, folder: Folder, name: str, embedder: Embedder, weights: Weights, read: Reader = from_chroma
    ) -> None:
        self._folder = folder
        self.name = name
        self.embedder = embedder
        """May be replaced while the folder is held."""
        self._read = read
        self.index_path = folder.path / f"{name}.index.sqlite"
        self.index = Index(self.index_path)
        self._search = Search(self.index, weights)
        self._opened: tuple[int, ChromaSource] | None = None

    def get_many(self, ids: Sequence[str]) -> list[Item]:
        """Return the records with these ids, in any order; ids that do not exist are left out."""
        with self.hold_source() as source:
            return source.get_items(ids)

    def find_existing(self, ids: Sequence[str]) -> set[str]:
        """Return the ids that exist, from the index alone, which is faster than Chroma."""
        with self.hold_source() as source:
            return lookup.find_existing_ids(self.index.make_ready(source), ids)

    def embed(self, items: Sequence[Item], progress: Progress = lambda *_: None) -> dict[str, Vector]:
        """Return the vectors of records by their text, without holding the folder; those of many are kept in it."""
        texts = list(dict.fromkeys(property_text(item.content, item.properties) for item in items))
        if not texts:
            return {}
        if len(texts) > MANY:
            return embed_many(self._folder.path, self.embedder, texts, progress)
        return dict(zip(texts, np.array(self.embedder.embed_documents(texts), np.float32), strict=True))

    def put(self, changes: Sequence[tuple[Item, Item | None]], vectors: Vectors | None = None) -> None:
        """Store records, in place of what is stored under their ids.

        Args:
            changes: Each new record with the stored one, None if it is not stored: Chroma merges metadata, so old keys
                must be removed by name.
            vectors: Vectors made before the folder was held; the rest is embedded here.
        """
        for start in range(0, len(changes), BATCH):
            self._put_batch(changes[start : start + BATCH], vectors or {})

    def read_vectors(self) -> dict[str, Vector]:
        """Return the vectors of all records by the text that was embedded."""
        with self.hold_source() as source:
            stored = list(source.iter_all())
        return {property_text(each.item.content, each.item.properties): each.vector for each in stored}

    def remove(self, ids: Sequence[str]) -> None:
        """Remove the records that exist."""
        for start in range(0, len(ids), BATCH):
            with self.hold_source() as source:
                if existing := [item.id for item in source.get_items(ids[start : start + BATCH])]:
                    with self._enter_write(source, removed=existing):
                        source.delete(existing)

    def _put_batch(self, changes: Sequence[tuple[Item, Item | None]], vectors: Vectors) -> None:
        texts = {item.id: property_text(item.content, item.properties) for item, _ in changes}
        known = {**vectors, **self.embed([item for item, _ in changes if texts[item.id] not in vectors])}
        stored = [EmbeddedItem(item, known[texts[item.id]]) for item, _ in changes]
        with self.hold_source() as source, self._enter_write(source, stored):
            source.write(stored, [before for _, before in changes])

    def query(self, query: Query) -> Found:
        """Find records; a text is embedded before the folder is held."""
        embedder, vector = self.embedder, self._embed_query(query)

        def search(source: ChromaSource) -> Found:
            # holding the folder may have brought another embedder
            return self._search.find(source, query, vector if self.embedder is embedder else self._embed_query(query))

        return self._search_with_retry(search)

    def _embed_query(self, query: Query) -> Vector | None:
        return np.array(self.embedder.embed_query(query.text.text), np.float32) if query.text else None

    def find_same(self, item: Item) -> list[str]:
        """Return the ids of records that already say the same, the oldest first."""
        digest = content_digest(item.content, item.properties)
        return self._search_with_retry(lambda source: lookup.find_same(self.index.make_ready(source), digest))

    def list_keys(self) -> dict[str, int]:
        """Return the properties of the records, from the index."""
        return self._search_with_retry(lambda source: lookup.list_keys(self.index.make_ready(source)))

    def list_values(self, key: str) -> list[tuple[Json, int]]:
        """Return the values of a property, from the index."""
        return self._search_with_retry(lambda source: lookup.list_values(self.index.make_ready(source), key))

    def find_similar(self, id: str, limit: int) -> list[tuple[Item, float]]:
        """Return the records nearest to one by its stored vector, best first, with their cosines; without itself."""

        def find(source: ChromaSource) -> list[tuple[Item, float]]:
            db = self.index.make_ready(source)
            vector = lookup.get_vector(db, id)
            if vector is None:
                return []
            near = source.find_nearest(vector, min(limit + 1, source.count()))
            items = lookup.get_items(db, [each for each in near if each != id])
            return [(items[each], cosine) for each, cosine in near.items() if each in items][:limit]

        return self._search_with_retry(find)

    def count(self) -> int:
        """Return how many records there are, from the index, which is faster than Chroma."""
        return self._search_with_retry(lambda source: lookup.count_items(self.index.make_ready(source)))

    def copy_all(self) -> list[Item]:
        """Return every record of a small collection that is read in each turn, from the index, which is faster."""
        return self._search_with_retry(lambda source: lookup.list_items(self.index.make_ready(source)))

    def scan(self, page: int = PAGE) -> Iterator[Item]:
        """Yield every record, read `page` at a time."""
        for offset in itertools.count(0, page):  # held for a page only, so that a slow reader blocks nobody
            with self.hold_source() as source:
                items = source.read_page(offset, page)
            yield from items
            if len(items) < page:
                return

    def close(self) -> None:
        """Close the index; the folder closes Chroma."""
        self.index.close()

    def describe(self) -> dict[str, Any]:
        """Return name, count, embedder, dimension, distance space and format version."""
        with self.hold_source() as source:
            collection = source.chroma._collection
            metadata = dict(collection.metadata or {})
            return {
                "name": self.name,
                "count": source.count(),
                "space": (collection.configuration.get("hnsw") or {}).get("space"),
                **{k.removeprefix("ana_"): v for k, v in metadata.items()},
            }

    def _search_with_retry(self, search: Callable[[ChromaSource], T]) -> T:
        """Search, and a second time on a new index if the file turns out to be damaged."""
        with self.hold_source() as source:
            try:
                return search(source)
            except sqlite3.DatabaseError as exc:
                if not is_damage(exc):
                    raise
                self.index.discard()
                return search(source)

    @contextmanager
    def _enter_write(
        self, source: ChromaSource, put: Sequence[EmbeddedItem] = (), removed: Sequence[str] = ()
    ) -> Iterator[None]:
        """Enter a write in the index first; if the write fails, close Chroma, which a full disk leaves in doubt."""
        self._folder.mark_written()
        try:
            with self.index.enter_write(source, put, removed):
                yield
        except Exception:
            self._folder.close()
            raise

    @contextmanager
    def hold_source(self) -> Iterator[ChromaSource]:
        """Hold the folder and yield the collection in it."""
        with map_foreign_errors(self._folder.path), self._folder.hold() as client:
            # the old collection belongs to a closed client
            if self._opened is None or self._opened[0] != self._folder.generation:
                source = ChromaSource(self._open(client), self._read)
                if self._opened and self._opened[1].identity != source.identity:
                    self.index.close()  # to be compared with the collection that has replaced the old one
                self._opened = (self._folder.generation, source)
            yield self._opened[1]

    def _open(self, client: Any) -> "Chroma":
        from langchain_chroma import Chroma

        chroma = Chroma(
            collection_name=self.name,
            client=client,
            client_settings=read_settings(),  # it would read them again, and leave them unused
            embedding_function=self.embedder,  # type: ignore[arg-type]  # has its methods, not its base class
            **{f"collection_{name}": value for name, value in collection_arguments(self.embedder).items()},
        )
        _refuse_other_embedder(self.name, chroma._collection.metadata or {}, self.embedder)
        return chroma


def collection_arguments(embedder: Embedder) -> dict[str, Any]:
    """Return the arguments that create a collection: its embedder, which it records, and its distance."""
    remembered = {
        "ana_embedder": embedder.name,
        "ana_dimension": embedder.dimension,
        "ana_revision": get_revision(embedder.name),
        "ana_version": VERSION,
    }
    return {"metadata": remembered, "configuration": CONFIGURATION}


def _refuse_other_embedder(name: str, remembered: Mapping[str, Any], embedder: Embedder) -> None:
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
