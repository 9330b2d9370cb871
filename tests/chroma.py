"""Memories on Chroma, for tests that are about Chroma or about the files of a data folder."""

from pathlib import Path
from typing import Any

from ana.backends.chroma.backend import ChromaBackend
from ana.embedders import Embedder
from ana.memory.memory import Memory
from ana.time.clock import Clock


def open_memory(path: Path, embedder: Embedder, clock: Clock, **options: Any) -> Memory:
    """Return a memory on a data folder; options as of `ChromaBackend`."""
    return Memory(ChromaBackend(path, embedder, **options), clock)


def chroma_of(memory: Memory) -> ChromaBackend:
    """Return the Chroma backend below a memory."""
    assert isinstance(memory.backend, ChromaBackend)
    return memory.backend
