"""A model small enough to compute by hand: without layers, so that each token's vector is its row in a table."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from ana.embedders import minilm
from ana.embedders.minilm import TOKENIZER, WEIGHTS

DIMENSION = 384
WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "milk", "bread", "dentist", "garden", "river"]


def normalize(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return rows of mean 0 and variance 1, which the encoder's normalization leaves as they are."""
    centered = rows - rows.mean(axis=1, keepdims=True)
    unit: NDArray[np.float32] = (centered / centered.std(axis=1, keepdims=True)).astype(np.float32)
    return unit


TABLE = normalize(np.random.default_rng(7).normal(size=(len(WORDS), DIMENSION)))


def tokenizer(words: list[str] = WORDS) -> Tokenizer:
    """Words at spaces, with [CLS] before and [SEP] after, as the real one has them."""
    made = Tokenizer(WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    made.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    return made


def write_model(folder: Path, table: NDArray[np.float32] = TABLE) -> Path:
    """Write the model; to be loaded it must be trusted."""
    folder.mkdir(parents=True, exist_ok=True)
    ones, zeros = np.ones(DIMENSION, np.float32), np.zeros((512, DIMENSION), np.float32)
    weights = {
        "embeddings.word_embeddings.weight": table,
        "embeddings.position_embeddings.weight": zeros,
        "embeddings.token_type_embeddings.weight": zeros[:2],
        "embeddings.LayerNorm.weight": ones,
        "embeddings.LayerNorm.bias": zeros[0],
    }
    save_file(weights, folder / WEIGHTS)
    tokenizer().save(str(folder / TOKENIZER))
    return folder


def trust(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a folder's weights taken for the published ones."""
    monkeypatch.setattr(minilm, "DIGEST", hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest())
    return folder
