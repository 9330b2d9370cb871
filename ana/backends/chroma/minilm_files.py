"""The files of all-MiniLM-L6-v2, downloaded by Chroma's own wrapper. It is here because it imports chromadb."""

import shutil
import tarfile
import tempfile
from pathlib import Path

from ana.backends.chroma.client import load_chromadb
from ana.embedders.minilm import import_onnxruntime
from ana.embedders.minilm_folder import chroma_cache, has_minilm
from ana.errors import ConfigError


def fetch_minilm(folder: Path | None = None) -> Path:
    """Download the model (80 MB) if it is missing; nothing else in this project does.

    Args:
        folder: The folder for its files; default: the one Chroma uses.

    Returns:
        The folder.

    Raises:
        ConfigError: It cannot be downloaded or written; no incomplete model is left.
    """
    from httpx import HTTPError

    target = folder or chroma_cache()
    try:
        if not has_minilm(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            # on the same disk, so that it can be renamed
            with tempfile.TemporaryDirectory(prefix=".ana-", dir=target.parent) as scratch:
                files = _download(Path(scratch))
                if not has_minilm(target):  # another process may have been faster
                    if target.exists():
                        shutil.rmtree(target)
                    files.rename(target)
    except (HTTPError, OSError, ValueError, EOFError, tarfile.TarError) as exc:
        why = "what the server sent is not the model" if "SHA256" in str(exc) else f"{type(exc).__name__}: {exc}"
        raise ConfigError(
            f"The model all-MiniLM-L6-v2 could not be put into {target} ({why}).",
            "Check the network and the disk and try again, or set ANA_EMBEDDINGS=wordllama.",
        ) from exc
    return target


def _download(scratch: Path) -> Path:
    """Download and unpack into a folder, and return the folder of the files."""
    # Chroma checks the archive's SHA-256 but unpacks in place: a process that ends during that would leave a broken
    # model that counts as complete, so it works in a folder of its own
    import_onnxruntime()
    load_chromadb()
    from chromadb.utils.embedding_functions.onnx_mini_lm_l6_v2 import ONNXMiniLM_L6_V2

    wrapper = ONNXMiniLM_L6_V2()
    wrapper.DOWNLOAD_PATH = scratch
    wrapper._download_model_if_not_exists()
    return scratch / wrapper.EXTRACTED_FOLDER_NAME
