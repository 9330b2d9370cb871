"""all-MiniLM-L6-v2 on onnxruntime, from the files that Chroma's own wrapper keeps. Nothing here downloads."""

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from ana.embedders.base import prepare_text, to_unit_vectors
from ana.errors import ConfigError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"
LONGEST = 256
"""How many tokens of a text are read, the two around it included; sentence-transformers reads as many."""

BATCH = 32


def minilm_folder() -> Path:
    """The folder where Chroma keeps the model's files; computed here because importing chromadb is slow."""
    return Path.home() / ".cache" / "chroma" / "onnx_models" / "all-MiniLM-L6-v2" / "onnx"


def has_minilm(folder: Path) -> bool:
    """Whether a folder holds the files that are read."""
    return all((folder / name).is_file() for name in (MODEL, TOKENIZER))


def import_onnxruntime() -> Any:
    """The module onnxruntime; its telemetry, which writes into the home folder, is off."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    return onnxruntime


class MiniLmEmbeddings(Embeddings):
    """sentence-transformers' all-MiniLM-L6-v2: 384 dimensions, at most 256 tokens of a text.

    The mean of the token vectors where the attention mask is set, of length 1. The files are read at the first text.

    Args:
        folder: Holds model.onnx and tokenizer.json; default: where Chroma keeps them.

    Raises:
        ConfigError: At the first text: the files are not there, or damaged.
    """

    name = "minilm"
    dimension = 384

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._model: _Model | None = None
        self._loading = threading.Lock()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        clean = [prepare_text(text) for text in texts]
        # a batch is padded to its longest text, so neighbours should be alike in length
        order = sorted(range(len(clean)), key=lambda n: len(clean[n]))
        means = np.zeros((len(clean), self.dimension), dtype=np.float32)
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            means[rows] = self._get_model().means([clean[n] for n in rows], self.dimension)
        return to_unit_vectors(means)

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    def _get_model(self) -> "_Model":
        with self._loading:
            if self._model is None:
                self._model = _load(self._folder or minilm_folder())
            return self._model


@dataclass(frozen=True)
class _Model:
    folder: Path
    tokenizer: "Tokenizer"
    session: Any
    failures: tuple[type[Exception], ...]

    def means(self, texts: list[str], dimension: int) -> NDArray[np.float32]:
        """The mean token vector of each text, shape (texts, dimension).

        Raises:
            ConfigError: The model cannot be run, or is another model.
        """
        encoded = self.tokenizer.encode_batch(texts)
        ids = np.array([e.ids for e in encoded], dtype=np.int64)
        mask = np.array([e.attention_mask for e in encoded], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            hidden = self.session.run(None, given)[0]
        except self.failures as exc:
            raise _damaged_error(self.folder) from exc
        if hidden.shape != (*ids.shape, dimension):
            raise _damaged_error(self.folder)
        weights = mask[..., np.newaxis].astype(np.float32)
        means: NDArray[np.float32] = (hidden * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
        return means


def _load(folder: Path) -> _Model:
    if not has_minilm(folder):
        raise ConfigError(
            "The model all-MiniLM-L6-v2 is not on this machine.",
            "Run `ana reindex --embeddings minilm` once, it downloads 80 MB, or set ANA_EMBEDDINGS=wordllama.",
        )
    runtime = import_onnxruntime()
    failures = _failures(runtime)
    try:
        tokenizer = _tokenizer(folder / TOKENIZER)
        options = runtime.SessionOptions()
        options.log_severity_level = 4  # only fatal errors: it prints its warnings to stderr
        session = runtime.InferenceSession(str(folder / MODEL), options, providers=["CPUExecutionProvider"])
    except failures as exc:
        raise _damaged_error(folder) from exc
    return _Model(folder, tokenizer, session, failures)


def _tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    # from_buffer, as from_file raises a bare Exception for a damaged file
    tokenizer = Tokenizer.from_buffer(path.read_bytes())
    tokenizer.enable_truncation(max_length=LONGEST)
    tokenizer.enable_padding(pad_id=0, pad_token="[PAD]")
    return tokenizer


def _failures(runtime: Any) -> tuple[type[Exception], ...]:
    """The exceptions of onnxruntime and tokenizers; onnxruntime's errors share no class of their own."""
    state = vars(runtime.capi.onnxruntime_pybind11_state)
    own = [value for value in state.values() if isinstance(value, type) and issubclass(value, Exception)]
    return (OSError, ValueError, RuntimeError, *own)


def _damaged_error(folder: Path) -> ConfigError:
    return ConfigError(
        f"The model all-MiniLM-L6-v2 in {folder} cannot be used, its files are damaged.",
        f"Delete the folder {folder} and run `ana reindex --embeddings minilm`, or set ANA_EMBEDDINGS=wordllama.",
    )
