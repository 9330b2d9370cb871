"""Memories on Chroma, for tests that are about Chroma or about the files of a data folder."""

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.upkeep import Upkeep
from ana.backends.chroma.collection import CONFIGURATION
from ana.backends.chroma.source import ChromaSource
from ana.embedders import Embedder
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.time.clock import Clock


def open_memory(path: Path, embedder: Embedder, clock: Clock, **options: Any) -> Memory:
    """Return a memory on a data folder; options as of `ChromaBackend`. One that a test forgets is closed then."""
    memory = Memory(ChromaBackend(path, embedder, **options), clock)
    weakref.finalize(memory, memory.backend.close).atexit = False
    return memory


def write_index_early(patch: pytest.MonkeyPatch) -> None:
    """Let Chroma write the vector index of new collections to files after every 100 items, not 1,000."""
    patch.setitem(CONFIGURATION, "hnsw", {**CONFIGURATION["hnsw"], "sync_threshold": 100})


def chroma_of(memory: Memory) -> ChromaBackend:
    """Return the Chroma backend below a memory."""
    assert isinstance(memory.backend, ChromaBackend)
    return memory.backend


def fill_chroma(memory: Memory, items: Sequence[Item]) -> None:
    """Store many new items without the journal."""
    chroma_of(memory).take_records("item", [(item, None) for item in items])


def upkeep_of(memory: Memory) -> Upkeep:
    """Return the upkeep of the data folder below a memory."""
    return Upkeep(chroma_of(memory))


@contextmanager
def hold_source(memory: Memory) -> Iterator[ChromaSource]:
    """Hold the data folder below a memory, and yield the collection of its items."""
    with chroma_of(memory).hold():
        yield chroma_of(memory).collections["item"].source


def find_neighbours(memory: Memory, ids: Sequence[str], limit: int) -> list[list[str]]:
    """Return the ids nearest to each item's own vector, by Chroma's index alone."""
    with hold_source(memory) as source:
        vectors = [stored.vector for stored in source.get_many(ids)]
        assert len(vectors) == len(ids)
        return list(map(list, source.find_nearest_each(vectors, limit)))
