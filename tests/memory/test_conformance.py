"""Every backend passes the suite, and the suite notices a backend that is broken."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.in_memory import InMemoryBackend
from ana.embedders import Embedder
from ana.errors import AnaError, ModelFailed
from ana.memory.backend import Backend, Expected, RecordKey
from ana.memory.changes import Change, Entry, Kind
from ana.memory.item import Item
from ana.memory.search.found import Found
from ana.memory.search.query import Query
from tests.conftest import EMBEDDER
from tests.memory.conformance import GROUPS, UNEMBEDDABLE, Check


class FailingEmbedder:
    """The embedder of the tests, which fails on one text as a server that is down does."""

    name = EMBEDDER.name
    dimension = EMBEDDER.dimension

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if UNEMBEDDABLE in texts:
            raise ModelFailed("The embedder did not answer.")
        return EMBEDDER.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        return EMBEDDER.embed_query(text)


Factory = Callable[[Path, Embedder], Backend]

BACKENDS: dict[str, Factory] = {
    "chroma": lambda path, embedder: ChromaBackend(path / "data", embedder),
    "in memory": lambda _, embedder: InMemoryBackend(embedder),
}
CHECKS = [pytest.param(check, id=f"{group}-{check.__name__}") for group, checks in GROUPS.items() for check in checks]


@pytest.fixture(params=sorted(BACKENDS))
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    backend = BACKENDS[request.param](tmp_path, FailingEmbedder())
    yield backend
    backend.close()


@pytest.mark.parametrize("check", CHECKS)
def test_a_backend_conforms(backend: Backend, check: Check) -> None:
    check(backend)


class LosesProperties(InMemoryBackend):
    def get_many(self, kind: Kind, ids: Sequence[str]) -> dict[str, Item]:
        return {id: replace(item, properties={}) for id, item in super().get_many(kind, ids).items()}


class IgnoresFilters(InMemoryBackend):
    def query(self, query: Query) -> Found:
        from ana.memory.filters import EVERY_ITEM

        return super().query(replace(query, where=EVERY_ITEM))


class RanksBackwards(InMemoryBackend):
    def query(self, query: Query) -> Found:
        found = super().query(query)
        return replace(found, items=found.items[::-1], reasons=found.reasons[::-1])


class ForgetsKeys(InMemoryBackend):
    def find_change(self, key: str) -> Change | None:
        return None


class ExpectsNothing(InMemoryBackend):
    def apply(self, entries: Sequence[Entry], expected: Expected | None = None, *, distinct: bool = False) -> Any:
        return super().apply(entries, None, distinct=distinct)


class DropsOldValues(InMemoryBackend):
    def entries(self, **which: Any) -> list[Entry]:
        return [replace(entry, change=replace(entry.change, before=None)) for entry in super().entries(**which)]


class ErasesNothing(InMemoryBackend):
    def erase(self, records: Collection[RecordKey]) -> None:
        pass


class JournalsBackwards(InMemoryBackend):
    def entries(self, **which: Any) -> list[Entry]:
        return super().entries(**which)[::-1]


class CountsLines(InMemoryBackend):
    def take_line_number(self) -> int:
        return self.count("line")


class LocksNothing(InMemoryBackend):
    def reading(self) -> AbstractContextManager[object]:
        return nullcontext()

    def alone(self) -> AbstractContextManager[object]:
        return nullcontext()


BROKEN: dict[str, type[InMemoryBackend]] = {
    "round trip": LosesProperties,
    "filters": IgnoresFilters,
    "ranking": RanksBackwards,
    "call keys": ForgetsKeys,
    "apply": ExpectsNothing,
    "undo": DropsOldValues,
    "trash": ErasesNothing,
    "journal": JournalsBackwards,
    "line numbers": CountsLines,
    "names in use": DropsOldValues,
    "threads": LocksNothing,
}


@pytest.mark.parametrize("group", GROUPS)
def test_a_broken_backend_fails(group: str) -> None:
    # the last check first: the random ones come early, and Hypothesis shrinks a failure for half a minute
    assert any(fails(check, BROKEN[group](FailingEmbedder())) for check in reversed(GROUPS[group]))


def fails(check: Check, backend: Backend) -> bool:
    try:
        check(backend)
    except (AssertionError, AnaError, LookupError, ValueError, ExceptionGroup, pytest.fail.Exception):
        return True
    return False
