"""The store on langchain_chroma. Nothing outside ana/store imports chromadb."""

import base64
import itertools
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ana.clock import Clock
from ana.dates import day_of
from ana.embedders import Embedder
from ana.errors import ConfigError, ToolError
from ana.store.base import Found
from ana.store.filters import OWN_KEYS
from ana.store.folder import Folder, unusable
from ana.store.item import Item, Json, Properties, check_properties, merged
from ana.store.metadata import from_chroma, to_chroma
from ana.store.where import Filter, compile_where

if TYPE_CHECKING:
    from langchain_chroma import Chroma

VERSION = 1
PAGE = 1000
BATCH = 5000


def new_id() -> str:
    """A random item id: 8 characters of lower-case base32 (40 bits)."""
    return short_id(secrets.token_bytes(5))


def short_id(entropy: bytes) -> str:
    """The item id that 5 bytes spell."""
    return base64.b32encode(entropy[:5]).decode().lower()


class ChromaStore:
    """A Store in one Chroma collection. Safe to use from several threads, and from several processes in turns.

    Args:
        folder: The data folder that holds it.
        name: The collection.
        embedder: What turns text into vectors; the collection remembers it and refuses another.
        clock: Stamps created_at and updated_at.
    """

    def __init__(self, folder: Folder, name: str, embedder: Embedder, clock: Clock) -> None:
        self._folder = folder
        self._name = name
        self._embedder = embedder
        self._clock = clock
        self._opened: tuple[int, Chroma] | None = None

    def add(self, content: str, properties: Properties | None = None, *, id: str | None = None) -> Item:
        check_properties(properties or {})
        stamp = self._clock.stamp()
        with self._collection():
            item = Item(id or new_id(), content, dict(properties or {}), stamp, stamp)
            if self.get(item.id) is not None:
                raise ToolError(
                    f"There is already an item {item.id}.", "Update it, or create one without naming an id."
                )
            self.put(item, None)
        return item

    def get(self, id: str) -> Item | None:
        with self._collection() as chroma:
            found = _items(chroma.get(ids=[id])) if id else []
        return found[0] if found else None

    def update(self, id: str, content: str | None = None, properties: Mapping[str, Json] | None = None) -> Item:
        with self._collection():
            old = self.known(id)
            item = self.changed(old, content, properties)
            self.put(item, old)
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
        with self._collection() as chroma:
            item = self.known(id)
            self._folder.writing()
            chroma.delete(ids=[id])
        return item

    def upsert(self, item: Item) -> None:
        with self._collection():
            self.put(item, self.get(item.id))

    def put(self, item: Item, before: Item | None) -> None:
        """Make the stored item equal to this one.

        Args:
            item: What is to be stored.
            before: What is stored now, None for nothing: Chroma merges metadata, so its keys are taken back by name.
        """
        document, metadata = to_chroma(item)
        stale = {key: None for key in (to_chroma(before)[1] if before else {}) if key not in metadata}
        with self._collection() as chroma:
            self._folder.writing()
            chroma.add_texts([document], [stale | metadata], [item.id])

    def fill(self, items: Sequence[Item]) -> None:
        """Store many items at once; none of them may be there already."""
        for start in range(0, len(items), BATCH):
            part = items[start : start + BATCH]
            documents, metadatas = zip(*map(to_chroma, part), strict=True)
            with self._collection() as chroma:
                self._folder.writing()
                chroma.add_texts(list(documents), list(metadatas), [item.id for item in part])

    def query(self, text: str | None = None, where: Mapping[str, Json] | None = None, limit: int = 10) -> Found:
        meant = compile_where(where, self._clock.zone)
        if limit < 1:
            raise ToolError(f"A limit of {limit} finds nothing.", "Give a limit of 1 or more.")
        with self._collection() as chroma:
            found = self._by_meaning(chroma, text, meant, limit) if text else self._by_date(meant, limit)
            return replace(found, unknown=self._unknown(meant)) if found.total == 0 else found

    def count(self) -> int:
        with self._collection() as chroma:
            return int(chroma._collection.count())

    def scan(self, page: int = PAGE) -> Iterator[Item]:
        return self._scan(page, None)

    def vectors(self, ids: list[str]) -> list[list[float]]:
        """The stored vectors of these ids, in their order."""
        with self._collection() as chroma:
            got = chroma.get(ids=ids, include=["embeddings"])
        by_id = dict(zip(got["ids"], got["embeddings"], strict=True))
        return [[float(x) for x in by_id[id]] for id in ids]

    def nearest(self, vector: list[float], limit: int) -> list[str]:
        """The ids nearest to a vector, by the index alone."""
        with self._collection() as chroma:
            found = chroma.similarity_search_by_vector(vector, k=limit)
        return [str(document.id) for document in found]

    def describe(self) -> dict[str, Any]:
        """Name, count, embedder, dimension, distance space and format version of the collection."""
        with self._collection() as chroma:
            metadata = dict(chroma._collection.metadata or {})
            space = (chroma._collection.configuration.get("hnsw") or {}).get("space")
            return {
                "name": self._name,
                "count": int(chroma._collection.count()),
                "space": space,
                **{k.removeprefix("ana_"): v for k, v in metadata.items()},
            }

    def _scan(self, page: int, narrow: dict[str, Any] | None) -> Iterator[Item]:
        for offset in itertools.count(0, page):
            with self._collection() as chroma:
                items = _items(chroma.get(where=narrow, limit=page, offset=offset))
            yield from items
            if len(items) < page:
                return

    def _by_meaning(self, chroma: "Chroma", text: str, meant: Filter, limit: int) -> Found:
        vector = self._embedder.embed_query(text)
        if not meant.keys:
            total = self.count()
            documents = chroma.similarity_search_by_vector(vector, k=min(limit, total)) if total else []
            items = [from_chroma(str(d.id), d.page_content, d.metadata) for d in documents]
            return Found(items, total, total > len(items))
        allowed = {item.id: item for item in self._scan(PAGE, meant.chroma) if meant.test(item)}
        if not allowed:
            return Found([], 0, False)
        ids = list(allowed)
        likeness = np.array(self.vectors(ids)) @ np.array(vector)
        ranked = [ids[n] for n in np.argsort(-likeness, kind="stable")[:limit]]
        return Found([allowed[id] for id in ranked], len(allowed), len(allowed) > limit)

    def _unknown(self, meant: Filter) -> tuple[str, ...]:
        """The keys of a filter that no item has; looked for only where nothing was found."""
        left = set(meant.keys) - set(OWN_KEYS)
        for item in self.scan() if left else ():
            left -= item.properties.keys()
        return tuple(sorted(left))

    def _by_date(self, meant: Filter, limit: int) -> Found:
        items = sorted((i for i in self._scan(PAGE, meant.chroma) if meant.test(i)), key=_newest, reverse=True)
        items.sort(key=_first_date)
        return Found(items[:limit], len(items), len(items) > limit)

    @contextmanager
    def _collection(self) -> Iterator["Chroma"]:
        from chromadb.errors import ChromaError, InternalError

        try:
            with self._folder.hold() as client:
                if self._opened is None or self._opened[0] != self._folder.generation:
                    self._opened = (self._folder.generation, self._open(client))
                yield self._opened[1]
        except (InternalError, OSError) as exc:
            raise unusable(self._folder.path, exc) from exc
        except ChromaError as exc:
            raise ToolError(f"The store refused this: {exc}.", "Change the call.") from exc

    def _open(self, client: Any) -> "Chroma":
        from langchain_chroma import Chroma

        chroma = Chroma(
            collection_name=self._name,
            client=client,
            embedding_function=self._embedder,  # type: ignore[arg-type]
            collection_metadata={
                "ana_embedder": self._embedder.name,
                "ana_dimension": self._embedder.dimension,
                "ana_version": VERSION,
            },
            collection_configuration={"hnsw": {"space": "cosine"}},
        )
        _refuse_another(self._name, chroma._collection.metadata or {}, self._embedder)
        return chroma


def _refuse_another(name: str, remembered: Mapping[str, Any], embedder: Embedder) -> None:
    ours = (embedder.name, embedder.dimension)
    theirs = (remembered.get("ana_embedder"), remembered.get("ana_dimension"))
    if ours != theirs:
        raise ConfigError(
            f"The collection {name} was embedded with {theirs[0]} ({theirs[1]} dimensions), not {ours[0]} ({ours[1]}).",
            f"Set ANA_EMBEDDINGS={theirs[0]}, or use another ANA_DATA_DIR.",
        )
    if remembered.get("ana_version") != VERSION:
        raise ConfigError(
            f"The collection {name} has format {remembered.get('ana_version')}, this program reads {VERSION}.",
            "Install the version of ana that wrote it, or use another ANA_DATA_DIR.",
        )


def _items(got: Mapping[str, Any]) -> list[Item]:
    rows = zip(got["ids"], got["documents"], got["metadatas"], strict=True)
    return [from_chroma(id, document or "", metadata) for id, document, metadata in rows]


def _newest(item: Item) -> str:
    return item.created_at


def _first_date(item: Item) -> tuple[bool, str]:
    """Dated items first, by due_date where there is one, else by their first date property."""
    values = [item.properties.get("due_date"), *item.properties.values()]
    dated = next((str(v) for v in values if day_of(v)), None)
    return dated is None, dated or ""
