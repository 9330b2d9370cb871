"""One Chroma collection with its derived index, on langchain_chroma. Used only while the folder is held."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ana.backends.chroma.client import read_settings
from ana.backends.chroma.closed import ClosedSource, read_closed
from ana.backends.chroma.folder import Folder
from ana.backends.chroma.index import Index, Source
from ana.backends.chroma.metadata import from_chroma, from_own
from ana.backends.chroma.source import ChromaSource, EmbeddedItem, Reader
from ana.backends.sql import lookup
from ana.backends.sql.items import ItemTables
from ana.backends.sql.search import search
from ana.embedders import Embedder
from ana.embedders.base import Vector, Vectors, get_revision
from ana.embedders.known import embed_many
from ana.errors import ConfigError
from ana.memory.changes import Kind
from ana.memory.digests import digest_content
from ana.memory.item import Item
from ana.memory.search.property_text import render_text
from ana.memory.search.query import Query
from ana.memory.search.ranking import Weights
from ana.memory.search.result import QueryResult

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from langchain_core.embeddings import Embeddings

T = TypeVar("T")

NAMES: Mapping[Kind, str] = {"item": "items", "line": "global_context"}
"""The collection of each kind of record."""

FROM_RECORD: Mapping[Kind, Reader] = {"item": from_chroma, "line": from_own}
"""How each is read: what another program stored may be an item, but nothing that stands in every prompt."""

INDEXES = tuple(f"{name}.index.sqlite" for name in NAMES.values())
"""The files, in the data folder, of their indexes."""

VERSION = 2
CONFIGURATION = {"hnsw": {"space": "cosine"}}
"""Of a collection's vector index."""
BATCH = 1000
"""Records written at once. Chroma would take more, but makes an object of each number in their vectors."""


class ChromaCollection:
    """Records of one kind. The collection notes which embedder makes its vectors, and refuses any other."""

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
        self._weights = weights
        self._opened: tuple[int, ChromaSource] | None = None
        self._closed: tuple[int, ClosedSource | None] | None = None
        self._identity = ""

    def put(self, changes: Sequence[tuple[Item, Item | None]], vectors: Vectors | None = None) -> None:
        """Store records; each comes with the stored record that it replaces, None if there is none.

        Records without a vector are embedded here, while the folder is held.
        """
        for start in range(0, len(changes), BATCH):
            part = changes[start : start + BATCH]
            stored = embed_items(self.embedder, [item for item, _ in part], vectors or {})
            with self._enter_write(stored) as source:
                source.write(stored, [before for _, before in part])

    def remove(self, ids: Sequence[str]) -> None:
        """Remove the records that exist."""
        for start in range(0, len(ids), BATCH):
            if existing := [item.id for item in self.source.get_items(ids[start : start + BATCH])]:
                with self._enter_write(removed=existing) as source:
                    source.delete(existing)

    def query(self, query: Query, vector: Vector | None) -> QueryResult:
        """Find records. The vector belongs to the query's text; None if the query has no text."""
        return self.look_up(lambda tables: search(tables, query, vector, self._weights))

    def find_same(self, item: Item) -> list[str]:
        """Return the ids of records that already say the same, the oldest first."""
        digest = digest_content(item.content, item.properties)
        return self.look_up(lambda tables: lookup.find_same(tables.db, digest))

    def describe(self) -> dict[str, Any]:
        """Return name, count, embedder, dimension, distance space and format version."""
        collection = self.source.chroma._collection
        return {
            "name": self.name,
            "count": self.source.count(),
            "space": (collection.configuration.get("hnsw") or {}).get("space"),
            **{k.removeprefix("ana_"): v for k, v in (collection.metadata or {}).items()},
        }

    def look_up(self, find: Callable[[ItemTables], T]) -> T:
        """Search in the index, which is faster than Chroma."""
        return self.index.use(self._at_hand, find)

    @contextmanager
    def _enter_write(self, put: Sequence[EmbeddedItem] = (), removed: Sequence[str] = ()) -> Iterator[ChromaSource]:
        """Enter a write in the index first; if the write fails, close Chroma, which a full disk leaves in doubt."""
        source = self.source
        self._folder.mark_written()
        try:
            with self.index.enter_write(source, put, removed):
                yield source
        except Exception:
            self._folder.close()
            raise

    @property
    def source(self) -> ChromaSource:
        """Return the collection in the folder."""
        client = self._folder.get_client()
        # the old collection belongs to a closed client
        if self._opened is None or self._opened[0] != self._folder.generation:
            source = self.open_source(client)
            self._note_identity(source)
            self._opened = (self._folder.generation, source)
        return self._opened[1]

    @property
    def _at_hand(self) -> Source:
        """Return the collection; if Chroma is closed, as far as it is known without opening it."""
        if self._folder.is_open:
            return self.source
        if self._closed is None or self._closed[0] != self._folder.generation:
            closed = read_closed(self._folder.path / "chroma", self.name, self.embedder.name, lambda: self.source)
            if closed:
                self._note_identity(closed)
            self._closed = (self._folder.generation, closed)
        return self._closed[1] or self.source

    def _note_identity(self, source: Source) -> None:
        if self._identity not in ("", source.identity):
            self.index.close()  # to be compared with the collection that has replaced the old one
        self._identity = source.identity

    def open_source(self, client: "Client") -> ChromaSource:
        """Return the collection of a client, created if it is not there."""
        from langchain_chroma import Chroma

        chroma = Chroma(
            collection_name=self.name,
            client=client,
            client_settings=read_settings(),  # it would read them again, and leave them unused
            embedding_function=cast("Embeddings", self.embedder),  # has its methods, not its base class
            **{f"collection_{name}": value for name, value in describe_collection(self.embedder).items()},
        )
        _refuse_other_embedder(self.name, chroma._collection.metadata or {}, self.embedder)
        return ChromaSource(chroma, self._read)


def embed_items(embedder: Embedder, items: Sequence[Item], known: Vectors) -> list[EmbeddedItem]:
    """Return records with their vectors; those of texts without a known one are computed."""
    new = embed_many(embedder, [text for item in items if (text := render_text(item)) not in known])
    vectors = {**known, **new}
    return [EmbeddedItem(item, vectors[render_text(item)]) for item in items]


def describe_collection(embedder: Embedder) -> dict[str, Any]:
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
