"""A BERT encoder in numpy, for sentence encoders whose weights come as safetensors.

The network of Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding" (2019).
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Tokens = NDArray[np.int64]

EPSILON = np.float32(1e-12)


class Bert:
    """The encoder; `vocabulary` is the number of tokens that it knows.

    The weights have the names of sentence-transformers' files; KeyError if one is missing, of some with the first text.
    """

    def __init__(self, weights: Mapping[str, Array], heads: int) -> None:
        self._heads = heads
        self._weights = weights
        self._places = (
            weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        )
        count = len({name.split(".")[2] for name in weights if name.startswith("encoder.layer.")})
        self.vocabulary = len(weights["embeddings.word_embeddings.weight"])
        self._layers = [f"encoder.layer.{n}" for n in range(count)]

    def encode(self, ids: Tokens, mask: Tokens) -> Array:
        """Return a vector for each token id, shape (texts, tokens, dimension).

        The mask is 1 where a token is part of the text, 0 where it pads it.
        """
        hidden = np.where(mask, np.float32(0), np.float32(-1e9))[:, None, None, :]
        words = self._weights["embeddings.word_embeddings.weight"][ids]
        x = self._normalize("embeddings", words + self._places[: ids.shape[1]])
        for layer in self._layers:
            attended = self._multiply(f"{layer}.attention.output.dense", self._attend(layer, x, hidden))
            x = self._normalize(f"{layer}.attention.output", attended + x)
            widened = gelu(self._multiply(f"{layer}.intermediate.dense", x))
            x = self._normalize(f"{layer}.output", self._multiply(f"{layer}.output.dense", widened) + x)
        return x

    def _attend(self, layer: str, x: Array, hidden: Array) -> Array:
        queries, keys, values = (
            self._multiply(f"{layer}.attention.self.{part}", x).reshape(*x.shape[:2], self._heads, -1).swapaxes(1, 2)
            for part in ("query", "key", "value")
        )
        scores = queries @ keys.swapaxes(-1, -2) / np.float32(queries.shape[-1] ** 0.5) + hidden
        attended: Array = (softmax(scores) @ values).swapaxes(1, 2).reshape(x.shape)
        return attended

    def _multiply(self, name: str, x: Array) -> Array:
        result: Array = x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _normalize(self, name: str, x: Array) -> Array:
        """Scale each vector to mean 0 and variance 1, then by learned weights."""
        centered = x - x.mean(axis=-1, keepdims=True)
        variance = np.square(centered).mean(axis=-1, keepdims=True)
        weight, bias = self._weights[f"{name}.LayerNorm.weight"], self._weights[f"{name}.LayerNorm.bias"]
        scaled: Array = centered / np.sqrt(variance + EPSILON) * weight + bias
        return scaled


def softmax(x: Array) -> Array:
    """Return shares that add up to 1 along the last axis."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    shares: Array = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def gelu(x: Array) -> Array:
    """Return the Gaussian error linear unit, with the error function of Abramowitz and Stegun 7.1.26 (1.5e-7 off)."""
    a = np.abs(x) * np.float32(0.5**0.5)
    t = 1 / (1 + np.float32(0.3275911) * a)
    terms = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    error = 1 - terms * np.exp(-a * a)
    result: Array = 0.5 * x * (1 + np.copysign(error, x))
    return result
