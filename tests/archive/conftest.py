"""The memory of these tests is in a data folder."""

import pytest

from ana.memory.memory import Memory


@pytest.fixture
def memory(chroma_memory: Memory) -> Memory:
    return chroma_memory
