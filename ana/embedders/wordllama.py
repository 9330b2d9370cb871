"""Static token embeddings that come with their package: no download, no key, little memory."""

import importlib.util
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from langchain_core.embeddings import Embeddings

from ana.embedders.base import prepare_text, to_unit_vectors, use_one_thread
from ana.errors import ConfigError

if TYPE_CHECKING:
    from wordllama.inference import WordLlamaInference


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


class WordLlamaEmbeddings(Embeddings):
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
        clean = prepare_text(text)
        vector = _load_wordllama().embed(clean)[0] if clean else np.zeros(self.dimension, dtype=np.float32)
        return to_unit_vectors(vector[np.newaxis])[0]


_loading = threading.Lock()


def _load_wordllama() -> "WordLlamaInference":
    """Return the model, which every embedder of this process shares: its table takes 100 MB and 0.3 s to load."""
    with _loading:
        return _read_wordllama()


@cache
def _read_wordllama() -> "WordLlamaInference":
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise ConfigError(
            "The package wordllama is not installed.", "Run `make chat` once; it installs what is needed."
        )
    import logging

    # importing wordllama calls logging.basicConfig, which would print every library's INFO lines
    handlers = list(logging.root.handlers)
    from wordllama import WordLlama

    logging.root.handlers[:] = handlers
    use_one_thread()
    # its own look-up expects the tokenizer in a folder of another name; the package folder given as cache has both
    return WordLlama.load(cache_dir=Path(spec.origin).parent, disable_download=True)
