"""Vectors that are known are not made again, whoever keeps them."""

from collections.abc import Callable

import numpy as np

from ana.embedders import Embedder
from ana.embedders.known import BATCH, OnceEmbeddings, embed_many
from evals.retrieval.cached import KeptEmbeddings
from tests.conftest import EMBEDDER


class Counting:
    name, dimension = EMBEDDER.name, EMBEDDER.dimension

    def __init__(self) -> None:
        self.seen: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.seen += texts
        return EMBEDDER.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        self.seen.append(text)
        return EMBEDDER.embed_query(text)


def test_a_text_is_embedded_once() -> None:
    inner = Counting()
    once = OnceEmbeddings(inner)
    for texts in (["milk", "bread", "milk"], ["bread", "", "\ud800"]):
        assert np.allclose(once.embed_documents(texts), EMBEDDER.embed_documents(texts))
    assert inner.seen == ["milk", "bread", "", "\ud800"]


def test_queries_are_asked_for_unless_they_are_kept() -> None:
    makers: list[tuple[Callable[[Counting], Embedder], int]] = [
        (OnceEmbeddings, 2),
        (KeptEmbeddings, 1),
    ]
    for make, asked in makers:
        inner = Counting()
        once = make(inner)
        once.embed_documents(["milk"])
        for _ in range(2):
            assert np.allclose(once.embed_query("milk"), EMBEDDER.embed_query("milk"))
        assert len(inner.seen) == 1 + asked


def test_many_texts_are_embedded_once_each_and_the_progress_is_told_batch_by_batch() -> None:
    inner, told = Counting(), list[tuple[int, int]]()
    texts = [f"thing number {n % 150}" for n in range(2 * BATCH + 50)]
    assert embed_many(inner, texts, lambda *each: told.append(each)).keys() == {*texts}
    assert sorted(inner.seen) == sorted({*texts})
    assert told == [(BATCH, 250), (2 * BATCH, 250), (250, 250)]
