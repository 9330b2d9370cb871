"""The reads and writes of one Chroma collection."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ana.backends.chroma.metadata import from_chroma, limit_flat, to_chroma
from ana.embedders.base import Vector
from ana.errors import StoreBroken
from ana.memory.item import Item

if TYPE_CHECKING:
    from langchain_chroma import Chroma

PAGE = 1000
READ: Any = ["documents", "metadatas"]
_EVERYTHING: Any = ["documents", "metadatas", "embeddings"]

Reader = Callable[[str, str, Any], Item]


class EmbeddedItem(NamedTuple):
    """An item and its vector."""

    item: Item
    vector: Vector


@dataclass(frozen=True)
class Row:
    """A record in Chroma's form."""

    id: str
    document: str | None
    metadata: dict[str, Any] | None
    vector: Vector | None


class ChromaSource:
    """Items and vectors of one collection. Used only while the folder is held."""

    def __init__(self, chroma: "Chroma", read: Reader = from_chroma) -> None:
        self.chroma = chroma
        self.read = read
        self._collection = chroma._collection
        self.identity = str(self._collection.id)
        self._names = read_names(self._collection)

    def count(self) -> int:
        return int(self._collection.count())

    def list_ids(self) -> set[str]:
        return {id for page in iter_pages(self._collection, []) for id in page["ids"]}

    def get_many(self, ids: Sequence[str]) -> list[EmbeddedItem]:
        """Return items with their vectors, in the order of the ids; ids that do not exist are left out."""
        known = (each for part in self._get_pages(ids, _EVERYTHING) for each in self._read_embedded(part))
        by_id = {each.item.id: each for each in known}
        return [by_id[id] for id in ids if id in by_id]

    def get_items(self, ids: Sequence[str]) -> list[Item]:
        """Return the items with these ids, in any order; ids that do not exist are left out."""
        return [item for part in self._get_pages(ids, READ) for item in self._read_items(part)]

    def read_page(self, offset: int, size: int) -> list[Item]:
        return self._read_items(self._collection.get(limit=size, offset=offset, include=READ))

    def iter_all(self) -> Iterator[EmbeddedItem]:
        for part in iter_pages(self._collection):
            yield from self._read_embedded(part)

    def read_rows(self, size: int = PAGE) -> Iterator[list[Row]]:
        """Yield all records in Chroma's form, a page at a time, even if they cannot be read as items."""
        for part in iter_pages(self._collection, size=size):
            yield [*map(Row, part["ids"], part["documents"], part["metadatas"], part["embeddings"])]

    def write(self, stored: Sequence[EmbeddedItem], before: Sequence[Item | None]) -> None:
        """Store items under their ids, at most as many as Chroma takes at once.

        `before` is the earlier state of each, None for a new one; Chroma merges metadata, so old keys are set to None.
        """
        documents, full = zip(*(to_chroma(each.item) for each in stored), strict=True)
        metadatas = [limit_flat(metadata, self._names) for metadata in full]
        stale = [dict.fromkeys(to_chroma(old)[1].keys() & self._names) if old else {} for old in before]  # None removes
        merged: Any = [none | metadata for none, metadata in zip(stale, metadatas, strict=True)]
        vectors = np.array([each.vector for each in stored], np.float32)
        self._collection.upsert([each.item.id for each in stored], vectors, merged, list(documents))

    def delete(self, ids: Sequence[str]) -> None:
        if ids:  # without any Chroma refuses
            self.chroma.delete(ids=list(ids))

    def find_nearest(self, vector: Vector, limit: int) -> dict[str, float]:
        """Return the ids nearest to a vector of length 1 by the index alone, best first, with their cosine.

        The limit is at least 1, and not more than the collection has.
        """
        return self.find_nearest_each([vector], limit)[0]

    def find_nearest_each(self, vectors: Sequence[Vector], limit: int) -> list[dict[str, float]]:
        """Return `find_nearest` of several vectors; together they take a seventh of the time."""
        answer = self._collection.query(
            query_embeddings=np.array(vectors, np.float32), n_results=limit, include=["distances"]
        )
        rows = zip(answer["ids"], answer["distances"] or [], strict=True)
        return [{id: 1.0 - distance for id, distance in zip(*row, strict=True)} for row in rows]

    def _get_pages(self, ids: Sequence[str], include: Any) -> Iterator[Any]:
        for start in range(0, len(ids), PAGE):
            yield self._collection.get(ids=list(ids[start : start + PAGE]), include=include)

    def _read_items(self, got: Mapping[str, Any]) -> list[Item]:
        return [self._read_item(*row) for row in zip(got["ids"], got["documents"], got["metadatas"], strict=True)]

    def _read_item(self, id: str, document: str | None, metadata: dict[str, Any] | None) -> Item:
        try:
            return self.read(id, document or "", metadata or {})
        except (KeyError, ValueError, TypeError) as exc:
            raise StoreBroken(
                f"The record {id} cannot be read: {type(exc).__name__} {exc}.",
                "`ana doctor --repair` sets it aside and restores it from the journal.",
            ) from exc

    def _read_embedded(self, got: Mapping[str, Any]) -> list[EmbeddedItem]:
        vectors = np.asarray(got["embeddings"], np.float32)
        return [EmbeddedItem(item, vector) for item, vector in zip(self._read_items(got), vectors, strict=True)]


def iter_pages(collection: Any, include: Any = _EVERYTHING, size: int = PAGE) -> Iterator[Any]:
    """Yield all records of a Chroma collection in Chroma's form, page by page."""
    for offset in range(0, collection.count(), size):
        yield collection.get(limit=size, offset=offset, include=include)


def read_names(collection: Any) -> set[str]:
    """Return the names of metadata that a collection of Chroma's knows, whether a record still has them or not."""
    return {name for name in (collection.schema.keys if collection.schema else ()) if not name.startswith("#")}
