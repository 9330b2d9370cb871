"""Static token embeddings that come with their package: no download, no key, little memory."""

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ana.embedders.base import prepare_text, to_unit_vectors, use_one_thread
from ana.embedders.word_vectors import read_table
from ana.errors import ConfigError
from ana.installing import describe_install

if TYPE_CHECKING:
    from tokenizers import Tokenizer


SHARED = """
---ANA_PROPS---
type: task
status: active
due date: Tuesday January 13 2026
priority: medium
context: computer"""
"""What the texts of most items share, so that it says nothing about any one of them."""

SHARE_REMOVED = 0.5
"""How much of its vector is subtracted. Chosen on the tuning half of evals/data, where 0.3 to 0.8 do nearly as well."""


class WordLlamaEmbeddings:
    """Static token embeddings, mean-pooled (wordllama's l2_supercat, 256 dimensions, shipped in its package).

    A mean over tokens is mostly what all texts share, the names of properties above all. So a part of the vector of
    such a text is subtracted from every document's, as Mu and Viswanath subtract the mean ("All-but-the-Top", 2018); a
    constant text instead of the mean, so that a vector depends on nothing but its text.

    Vectors have length 1, also that of an empty text.
    """

    name = "wordllama"
    dimension = 256

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        shared = SHARE_REMOVED * np.array(self.embed_query(SHARED), np.float32)
        vectors = [np.array(self.embed_query(text), np.float32) for text in texts]
        return to_unit_vectors(np.array(vectors) - shared) if vectors else []

    def embed_query(self, text: str) -> list[float]:
        tokenizer, table = _read_model()
        ids = np.array(tokenizer.encode(prepare_text(text), add_special_tokens=False).ids, np.int64)
        vector = table[ids].astype(np.float32).sum(axis=0) / np.float32(max(len(ids), 1))
        return to_unit_vectors(vector[np.newaxis])[0]


@cache
def _read_model() -> "tuple[Tokenizer, NDArray[np.float16]]":
    found = read_table()
    if found is None:
        raise ConfigError("The package wordllama is not installed.", f"{describe_install('program')}.")
    use_one_thread()
    return found
