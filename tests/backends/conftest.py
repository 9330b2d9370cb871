"""Tests of a backend use that backend."""

import pytest

from ana.memory.memory import Memory


@pytest.fixture
def memory(chroma_memory: Memory) -> Memory:
    return chroma_memory
