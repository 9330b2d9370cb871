"""all-MiniLM-L6-v2, from files on this machine. Nothing here downloads."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from ana.embedders.base import prepare_text, to_unit_vectors, use_one_thread
from ana.embedders.minilm_folder import ONNX, TOKENIZER, WEIGHTS, find_minilm, verify_weights
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


Encode = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float32]]
"""Makes a vector for each token, from ids and attention mask."""


class MiniLmEmbeddings(Embeddings):
    """sentence-transformers' all-MiniLM-L6-v2: 384 dimensions, at most 256 tokens of a text.

    The mean of the token vectors where the attention mask is set, of length 1. An item's vector is the mean of its
    content's and its whole text's, of which properties are often the greater part. Files are read at the first text.

    Args:
        folder: Holds tokenizer.json and model.safetensors or model.onnx; default: where `find_minilm` finds them.
        verified: A file that notes which weights were compared with the published digest.

    Raises:
        ConfigError: At the first text: the files are not there, or damaged.
    """

    name = "minilm"
    dimension = 384

    def __init__(self, folder: Path | None = None, verified: Path | None = None) -> None:
        self._folder = folder
        self._verified = verified
        self._model: _Model | None = None
        self._loading = threading.Lock()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        contents = [text.partition(DELIMITER)[0] or text for text in texts]
        each = list(dict.fromkeys([*texts, *contents]))
        vectors = dict(zip(each, np.array(self._embed(each), np.float32), strict=True))
        means = [vectors[text] + vectors[content] for text, content in zip(texts, contents, strict=True)]
        return to_unit_vectors(np.array(means)) if means else []

    def _embed(self, texts: list[str]) -> list[list[float]]:
        """Return the vector of each text as it is."""
        if not texts:
            return []
        model, clean = self._get_model(), [prepare_text(text) for text in texts]
        # a batch is padded to its longest text, so neighbours should be alike in length
        order = sorted(range(len(clean)), key=lambda n: len(clean[n]))
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        means = np.zeros((len(clean), self.dimension), dtype=np.float32)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            encoded = pool.map(lambda rows: model.means([clean[n] for n in rows], self.dimension), batches)
            for rows, found in zip(batches, encoded, strict=True):
                means[rows] = found
        return to_unit_vectors(means)

    def embed_query(self, text: str) -> list[float]:
        return self._embed([text])[0]

    def _get_model(self) -> "_Model":
        with self._loading:
            if self._model is None:
                self._model = _load(self._folder, self._verified)
            return self._model


@dataclass(frozen=True)
class _Model:
    folder: Path
    tokenizer: "Tokenizer"
    encode: Encode
    failures: tuple[type[Exception], ...]

    def means(self, texts: list[str], dimension: int) -> NDArray[np.float32]:
        """Return the mean token vector of each text, shape (texts, dimension).

        Raises:
            ConfigError: The model cannot be run, or is another model.
        """
        encoded = self.tokenizer.encode_batch(texts)
        ids = np.array([e.ids for e in encoded], dtype=np.int64)
        mask = np.array([e.attention_mask for e in encoded], dtype=np.int64)
        try:
            hidden = self.encode(ids, mask)
        except self.failures as exc:
            raise _damaged_error(self.folder) from exc
        if hidden.shape != (*ids.shape, dimension):
            raise _damaged_error(self.folder)
        weights = mask[..., np.newaxis].astype(np.float32)
        means: NDArray[np.float32] = (hidden * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
        return means


def _open_graph(file: Path, runtime: Any) -> Encode:
    """Return the model as a graph of onnxruntime, which is how Chroma keeps it."""
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # only fatal errors: it prints its warnings to stderr
    options.intra_op_num_threads = 1  # batches run side by side
    session = runtime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])

    def encode(ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden: NDArray[np.float32] = session.run(None, given)[0]
        return hidden

    return encode


def import_onnxruntime() -> Any:
    """Return the module onnxruntime; its telemetry, which writes into the home folder, is off."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    return onnxruntime


def _load(folder: Path | None, verified: Path | None) -> _Model:
    found = find_minilm(folder)
    if found is None:
        raise ConfigError(
            f"The model all-MiniLM-L6-v2 is not {f'in {folder}' if folder else 'on this machine'}.",
            f"{describe_install('encoder')}; or set ANA_EMBEDDINGS=wordllama.",
        )
    if (found / WEIGHTS).is_file():
        return _load_weights(found, verified)
    return _load_onnx(found)


def _load_weights(folder: Path, verified: Path | None) -> _Model:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    from ana.embedders.bert import Bert

    use_one_thread()  # batches run side by side
    verify_weights(folder / WEIGHTS, verified)
    failures: tuple[type[Exception], ...] = (OSError, ValueError, LookupError, SafetensorError)
    try:
        return _Model(folder, _load_tokenizer(folder), Bert(load_file(folder / WEIGHTS), HEADS).encode, failures)
    except failures as exc:
        raise _damaged_error(folder) from exc


def _load_onnx(folder: Path) -> _Model:
    runtime = import_onnxruntime()
    # onnxruntime's errors share no class of their own
    state = vars(runtime.capi.onnxruntime_pybind11_state)
    own = [value for value in state.values() if isinstance(value, type) and issubclass(value, Exception)]
    failures: tuple[type[Exception], ...] = (OSError, ValueError, RuntimeError, *own)
    try:
        return _Model(folder, _load_tokenizer(folder), _open_graph(folder / ONNX, runtime), failures)
    except failures as exc:
        raise _damaged_error(folder) from exc


def _load_tokenizer(folder: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    # from_buffer, as from_file raises a bare Exception for a damaged file
    tokenizer = Tokenizer.from_buffer((folder / TOKENIZER).read_bytes())
    tokenizer.enable_truncation(max_length=LONGEST)
    tokenizer.enable_padding(pad_id=0, pad_token="[PAD]")
    return tokenizer


def _damaged_error(folder: Path) -> ConfigError:
    return ConfigError(
        f"The model all-MiniLM-L6-v2 in {folder} cannot be used, its files are damaged.",
        f"Delete the folder {folder} and run `ana reindex --embeddings minilm`, or set ANA_EMBEDDINGS=wordllama.",
    )
