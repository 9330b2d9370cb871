"""Chroma with nothing around it: what benches compare the store with."""

from pathlib import Path
from typing import Any

from ana.backends.chroma.client import open_chroma
from ana.embedders import Embedder
from ana.memory.item import Item

BATCH = 5000


class RawChroma:
    """One collection, used directly."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._client = open_chroma(path)
        configuration: Any = {"hnsw": {"space": "cosine"}}
        self._collection = self._client.create_collection("raw", embedding_function=None, configuration=configuration)
        self._embedder = embedder
        self._added = 0

    def fill(self, items: list[Item]) -> None:
        for start in range(0, len(items), BATCH):
            part = items[start : start + BATCH]
            vectors: Any = self._embedder.embed_documents([i.content for i in part])
            metadatas: Any = [i.properties for i in part]
            texts = [i.content for i in part]
            self._collection.add([i.id for i in part], documents=texts, embeddings=vectors, metadatas=metadatas)

    def add(self, text: str, properties: dict[str, Any]) -> None:
        self._added += 1
        vector: Any = self._embedder.embed_documents([text])
        self._collection.add([f"added{self._added}"], documents=[text], embeddings=vector, metadatas=[properties])

    def query(self, text: str, where: dict[str, Any] | None = None) -> Any:
        vector: Any = [self._embedder.embed_query(text)]
        return self._collection.query(query_embeddings=vector, n_results=10, where=where)

    def close(self) -> None:
        self._client.close()
