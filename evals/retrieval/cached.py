"""Embedders of evaluations: one that makes each vector once, and one that embeds a document like a query."""

from functools import cache

from ana.embedders import Embedder
from ana.embedders.known import OnceEmbeddings


class KeptEmbeddings(OnceEmbeddings):
    """An embedder that asks another one only for what it has not asked for, of documents and of queries."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self.embed_query = cache(inner.embed_query)


class PlainEmbeddings:
    """An embedder that embeds a document like a query: as it is.

    Args:
        inner: The embedder.
    """

    def __init__(self, inner: Embedder) -> None:
        self.name, self.dimension, self.embed_query = inner.name, inner.dimension, inner.embed_query

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return list(map(self.embed_query, texts))
