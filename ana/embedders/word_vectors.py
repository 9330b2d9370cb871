"""Vectors of single words, from wordllama's table: small, and the same whatever embeds the texts.

The table is read without the package's own loader, which takes four times the memory. Its vectors are trained so that
their first dimensions alone are good vectors (Kusupati et al., "Matryoshka Representation Learning", 2022).
"""

import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ana.embedders.base import prepare_text

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMENSION = 64
"""Chosen on the tuning halves of evals/data, where all 256 do no better."""

SCALE = 127
"""What 1 is in a vector of bytes."""

LONGEST = 40
"""How many characters of a word are read: what is longer is no word."""

_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_WEIGHTS = "weights/l2_supercat_256.safetensors"


def embed_words(words: Sequence[str]) -> NDArray[np.int8]:
    """Return the mean of each word's token vectors, of length `SCALE`.

    Zeros for a word with a digit, as no vector tells numbers apart, and for all if wordllama is not installed.

    Args:
        words: As `tokenize` gives them.

    Returns:
        Shape (words, DIMENSION).
    """
    loaded = _load() if words else None
    if loaded is None:
        return np.zeros((len(words), DIMENSION), np.int8)
    tokenizer, table = loaded
    encoded = tokenizer.encode_batch([prepare_text(word[:LONGEST]) for word in words], add_special_tokens=False)
    lengths = np.array([len(each.ids) for each in encoded])
    flat = table[np.concatenate([each.ids for each in encoded]).astype(np.int64)].astype(np.float32)
    sums = np.add.reduceat(flat, np.cumsum(lengths) - lengths)
    units: NDArray[np.int8] = np.rint(SCALE * sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.int8)
    units[[any(map(str.isdigit, word)) for word in words]] = 0
    return units


@cache
def _load() -> "tuple[Tokenizer, NDArray[np.float16]] | None":
    found = read_table()
    return found and (found[0], found[1][:, :DIMENSION].copy())


def read_table() -> "tuple[Tokenizer, NDArray[np.float16]] | None":
    """Return wordllama's tokenizer and the vector of each token; None if it is not installed."""
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        return None
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    folder = Path(spec.origin).parent
    (table,) = load_file(folder / _WEIGHTS).values()
    return Tokenizer.from_file(str(folder / _TOKENIZER)), table
