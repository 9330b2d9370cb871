"""Folders as the original agent-native-app left them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

if TYPE_CHECKING:
    from chromadb.api.client import Client

Left = Callable[..., Path]
Rows = dict[str, tuple[str | None, dict[str, Any] | None]]


def vectors(count: int) -> Any:
    return np.random.default_rng(0).random((count, 384), np.float32)


@contextmanager
def open_theirs(path: Path) -> Iterator["Client"]:
    """Chroma as that program opened it."""
    import chromadb
    from chromadb.config import Settings

    client = cast("Client", chromadb.PersistentClient(str(path), settings=Settings(anonymized_telemetry=False)))
    yield client
    client.close()


def leave_folder(path: Path, collections: Mapping[str, Rows]) -> Path:
    """Write such a folder: of each collection the documents and metadata by id."""
    with open_theirs(path) as client:
        for name, rows in collections.items():
            collection = client.get_or_create_collection(name, metadata={"hnsw:space": "cosine"})
            for id, (document, metadata) in rows.items():
                metadatas: Any = [metadata] if metadata else None
                collection.add([id], vectors(1), metadatas, None if document is None else [document])
    return path


@pytest.fixture
def leave(tmp_path: Path) -> Left:
    """Writes such a folder, in `.data` unless it is given another path."""
    return lambda path=None, **collections: leave_folder(path or tmp_path / ".data", collections)
