"""A BERT encoder in numpy, for sentence encoders whose weights come as safetensors.

The network of Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding" (2019).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Tokens = NDArray[np.int64]

EPSILON = np.float32(1e-12)


@dataclass(frozen=True)
class Linear:
    """A layer that multiplies by a matrix and adds a vector.

    Args:
        weight: Shape (inputs, outputs).
        bias: Shape (outputs,).
    """

    weight: Array
    bias: Array

    def __call__(self, x: Array) -> Array:
        result: Array = x @ self.weight + self.bias
        return result


@dataclass(frozen=True)
class LayerNorm:
    """Scales each vector to mean 0 and variance 1, then by learned weights.

    Args:
        weight: Shape (dimension,).
        bias: Shape (dimension,).
    """

    weight: Array
    bias: Array

    def __call__(self, x: Array) -> Array:
        centered = x - x.mean(axis=-1, keepdims=True)
        variance = np.square(centered).mean(axis=-1, keepdims=True)
        scaled: Array = centered / np.sqrt(variance + EPSILON) * self.weight + self.bias
        return scaled


@dataclass(frozen=True)
class Layer:
    """Attention and a feed-forward network, each with its residual and norm.

    Args:
        queries_keys_values: From the dimension to three times as many.
        heads: How many parts the attention has.
    """

    queries_keys_values: Linear
    heads: int
    attended: Linear
    attention_norm: LayerNorm
    widened: Linear
    narrowed: Linear
    norm: LayerNorm

    def __call__(self, x: Array, hidden: Array) -> Array:
        x = self.attention_norm(self.attended(self._attend(x, hidden)) + x)
        return self.norm(self.narrowed(gelu(self.widened(x))) + x)

    def _attend(self, x: Array, hidden: Array) -> Array:
        count, length, dimension = x.shape
        parts = self.queries_keys_values(x).reshape(count, length, 3, self.heads, dimension // self.heads)
        queries, keys, values = parts.transpose(2, 0, 3, 1, 4)
        scores = queries @ keys.swapaxes(-1, -2) / np.float32((dimension // self.heads) ** 0.5) + hidden
        attended: Array = (softmax(scores) @ values).transpose(0, 2, 1, 3).reshape(x.shape)
        return attended


class Bert:
    """The encoder.

    Args:
        weights: Arrays by their names in sentence-transformers' files.
        heads: How many parts each attention has.

    Raises:
        KeyError: A weight is missing.
    """

    def __init__(self, weights: Mapping[str, Array], heads: int) -> None:
        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = (
            weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = _norm(weights, "embeddings")
        count = len({name.split(".")[2] for name in weights if name.startswith("encoder.layer.")})
        self._layers = [_layer(weights, f"encoder.layer.{n}", heads) for n in range(count)]

    def encode(self, ids: Tokens, mask: Tokens) -> Array:
        """Return a vector for each token, shape (texts, tokens, dimension).

        Args:
            ids: Token ids, shape (texts, tokens).
            mask: 1 where a token is part of the text, 0 where it pads it.
        """
        hidden = np.where(mask, np.float32(0), np.float32(-1e9))[:, None, None, :]
        x = self._norm(self._words[ids] + self._places[: ids.shape[1]])
        for layer in self._layers:
            x = layer(x, hidden)
        return x


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


def _layer(weights: Mapping[str, Array], name: str, heads: int) -> Layer:
    parts = [_linear(weights, f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
    together = Linear(
        np.concatenate([part.weight for part in parts], axis=1), np.concatenate([part.bias for part in parts])
    )
    return Layer(
        together,
        heads,
        _linear(weights, f"{name}.attention.output.dense"),
        _norm(weights, f"{name}.attention.output"),
        _linear(weights, f"{name}.intermediate.dense"),
        _linear(weights, f"{name}.output.dense"),
        _norm(weights, f"{name}.output"),
    )


def _linear(weights: Mapping[str, Array], name: str) -> Linear:
    return Linear(np.ascontiguousarray(weights[f"{name}.weight"].T), weights[f"{name}.bias"])


def _norm(weights: Mapping[str, Array], name: str) -> LayerNorm:
    return LayerNorm(weights[f"{name}.LayerNorm.weight"], weights[f"{name}.LayerNorm.bias"])
