"""The store of a data folder, and what keeps it in order."""

from collections.abc import Callable
from pathlib import Path

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.upkeep import Upkeep
from ana.backends.chroma.read_only import ReadOnlyChromaBackend, ReadOnlyUpkeep
from ana.embedders import Embedder
from ana.files import is_read_only
from ana.memory.backend import Backend


def open_store(
    path: Path,
    embedder: Embedder,
    program: str,
    tell: Callable[[str], None],
    follow: Callable[[str], Embedder | None],
) -> tuple[Backend, Upkeep]:
    """Return the store in a folder; one that cannot be written is read from a copy, and refuses every write.

    Arguments as of `ChromaBackend`. Raises StoreReadOnly, StoreBusy or StoreBroken if a folder that cannot be written
    cannot be read as it is.
    """
    if is_read_only(path):
        copy = ReadOnlyChromaBackend(path, embedder, program=program, tell=tell, follow=follow)
        return copy, ReadOnlyUpkeep(copy)
    backend = ChromaBackend(path, embedder, program=program, tell=tell, follow=follow)
    return backend, Upkeep(backend)
