"""Opening the store of a data folder, and the object that maintains it."""

from collections.abc import Callable
from pathlib import Path

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.upkeep import Upkeep
from ana.backends.ports import WholeStore
from ana.embedders import Embedder


def open_store(
    path: Path,
    embedder: Embedder,
    program: str,
    person: str,
    tell: Callable[[str], None],
    follow: Callable[[str], Embedder | None],
) -> tuple[WholeStore, Upkeep]:
    """Return the store in a folder.

    Args:
        program: The name of this process in another's messages.
        person: The person whose folder it is.
        tell: Called with the progress of a repair.
        follow: Returns the embedder of another name to which the folder may be bound, or None if it must not be used.
    """
    backend = ChromaBackend(path, embedder, program=program, person=person, tell=tell, follow=follow)
    return backend, Upkeep(backend)
