"""Static token embeddings that come with their package, wordllama: no download, no key, little memory.

The table is mapped without the package's own loader, which takes many times the memory. Its vectors are trained so that
their first dimensions alone are good vectors (Kusupati et al., "Matryoshka Representation Learning", 2022): those of
single words are that short, and the same whatever embeds the texts.
"""

import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ana.embedders.base import prepare_text, to_unit_vectors, use_one_thread
from ana.embedders.tensors import map_tensors
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

WORD_DIMENSION = 64
"""Of a word's vector; chosen on the tuning halves of evals/data, where all 256 do no better."""

SCALE = 127
"""What 1 is in a vector of bytes."""

LONGEST = 40
"""How many characters of a word are read: what is longer is no word."""

_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_WEIGHTS = "weights/l2_supercat_256.safetensors"


class WordLlamaEmbeddings:
    """Static token embeddings, mean-pooled (wordllama's l2_supercat, 256 dimensions, shipped in its package).

    A mean over tokens consists mostly of words that all texts share, above all the names of properties. So a part of
    the vector of such a text is subtracted from every document's, as Mu and Viswanath subtract the mean
    ("All-but-the-Top", 2018); a constant text instead of the mean, so that a vector depends on nothing but its text.

    Every vector has length 1, also of an empty text.
    """

    name = "wordllama"
    dimension = 256

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        shared = SHARE_REMOVED * np.array(self.embed_query(SHARED), np.float32)
        vectors = [np.array(self.embed_query(text), np.float32) for text in texts]
        return to_unit_vectors(np.array(vectors) - shared) if vectors else []

    def embed_query(self, text: str) -> list[float]:
        loaded = read_model()
        if loaded is None:
            raise ConfigError("The package wordllama is not installed.", f"{describe_install('program')}.")
        tokenizer, table = loaded
        ids = np.array(tokenizer.encode(prepare_text(text), add_special_tokens=False).ids, np.int64)
        vector = table[ids].astype(np.float32).sum(axis=0) / np.float32(max(len(ids), 1))
        return to_unit_vectors(vector[np.newaxis])[0]


def embed_words(words: Sequence[str]) -> NDArray[np.int8]:
    """Return the mean of each word's token vectors, of length `SCALE`; shape (words, WORD_DIMENSION).

    Zeros for a word with a digit, as no vector tells numbers apart, and for all if wordllama is not installed.
    """
    loaded = read_model() if words else None
    if loaded is None:
        return np.zeros((len(words), WORD_DIMENSION), np.int8)
    tokenizer, table = loaded
    # one after the other: a batch is shared among threads, which takes longer to begin than few words do
    encoded = [tokenizer.encode(prepare_text(word[:LONGEST]), add_special_tokens=False) for word in words]
    lengths = np.array([len(each.ids) for each in encoded])
    ids = np.concatenate([each.ids for each in encoded]).astype(np.int64)
    flat = table[ids][:, :WORD_DIMENSION].astype(np.float32)
    sums = np.add.reduceat(flat, np.cumsum(lengths) - lengths)
    units: NDArray[np.int8] = np.rint(SCALE * sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.int8)
    units[[any(map(str.isdigit, word)) for word in words]] = 0
    return units


@cache
def read_model() -> "tuple[Tokenizer, NDArray[np.float16]] | None":
    """Return wordllama's tokenizer and the vector of each token; None if it is not installed."""
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        return None
    from tokenizers import Tokenizer

    use_one_thread()
    folder = Path(spec.origin).parent
    (table,) = map_tensors(folder / _WEIGHTS).values()
    return Tokenizer.from_file(str(folder / _TOKENIZER)), table
