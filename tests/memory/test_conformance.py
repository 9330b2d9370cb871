"""Every backend passes the suite, and the suite notices a backend that is broken."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

import pytest

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.in_memory import InMemoryBackend
from ana.backends.postgres.backend import PostgresBackend
from ana.errors import AnaError, StoreBroken
from ana.memory.backend import Backend, Expected, RecordKey
from ana.memory.changes import Change, Entry, Kind
from ana.memory.item import Item
from ana.memory.search.query import Query
from ana.memory.search.result import QueryResult
from ana.memory.sources import ALL_MINE
from tests.conftest import EMBEDDER
from tests.memory.conformance import GROUPS, IN_A_PROCESS, ON_A_STORE, Check, StoreCheck, SuiteEmbedder
from tests.postgres.server import database, sever


class OpenStore(ABC):
    """A `Store` of the suite that closes what it has opened.

    Args:
        path: A folder for its files.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.embedder = SuiteEmbedder(EMBEDDER)
        self._opened: list[Backend] = []

    def open(self, person: str = "ann") -> Backend:
        self._opened.append(self.make(person))
        return self._opened[-1]

    @abstractmethod
    def make(self, person: str) -> Backend: ...

    @abstractmethod
    def sever(self, backend: Backend) -> None: ...

    def close(self) -> None:
        for backend in self._opened:
            backend.close()


class ChromaStore(OpenStore):
    def make(self, person: str) -> Backend:
        return ChromaBackend(self.path / person, self.embedder)

    def sever(self, backend: Backend) -> None:
        assert isinstance(backend, ChromaBackend)
        # Chroma's own client is no connection: nothing but we can close it
        tables = (collection.index._tables for collection in backend.collections.values())
        for each in (backend.journal._db, *(known.db for known in tables if known)):
            if each is not None:
                each.close()


class MemoryStore(OpenStore):
    def make(self, person: str) -> Backend:
        return InMemoryBackend(self.embedder)

    def sever(self, backend: Backend) -> None:
        """Do nothing: it has no connection."""


class PostgresStore(OpenStore):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._name = token_hex(8)

    def make(self, person: str) -> Backend:
        return PostgresBackend(database(), f"{self._name}-{person}", self.embedder)

    def sever(self, backend: Backend) -> None:
        sever()


STORES: dict[str, type[OpenStore]] = {
    "chroma": ChromaStore,
    "in memory": MemoryStore,
    "postgres": PostgresStore,
}
CHECKS = [pytest.param(check, id=f"{group}-{check.__name__}") for group, checks in GROUPS.items() for check in checks]
STORE_CHECKS = [
    pytest.param(kind, check, id=f"{name}-{group}-{check.__name__}")
    for name, kind in STORES.items()
    for group, checks in ON_A_STORE.items()
    for check in checks
    if not issubclass(kind, MemoryStore) or group in IN_A_PROCESS
]


@pytest.fixture(params=sorted(STORES))
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    with closing(STORES[request.param](tmp_path)) as opened:
        yield opened.open()


@pytest.mark.parametrize("check", CHECKS)
def test_a_backend_conforms(backend: Backend, check: Check) -> None:
    check(backend)


@pytest.mark.parametrize(("kind", "check"), STORE_CHECKS)
def test_backends_on_a_store_conform(kind: type[OpenStore], check: StoreCheck, tmp_path: Path) -> None:
    with closing(kind(tmp_path)) as opened:
        check(opened)


class LosesProperties(InMemoryBackend):
    def get_many(self, kind: Kind, ids: Sequence[str]) -> dict[str, Item]:
        return {id: replace(item, properties={}) for id, item in super().get_many(kind, ids).items()}


class LosesSources(InMemoryBackend):
    def get_many(self, kind: Kind, ids: Sequence[str]) -> dict[str, Item]:
        return {id: replace(item, sources=ALL_MINE) for id, item in super().get_many(kind, ids).items()}


class IgnoresFilters(InMemoryBackend):
    def query(self, query: Query) -> QueryResult:
        from ana.memory.filters import EVERY_ITEM

        return super().query(replace(query, where=EVERY_ITEM))


class RanksBackwards(InMemoryBackend):
    def query(self, query: Query) -> QueryResult:
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
    @contextmanager
    def reading(self) -> Iterator[None]:
        yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        yield


BROKEN: dict[str, type[InMemoryBackend]] = {
    "sources": LosesSources,
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
    assert any(fails(check, BROKEN[group](SuiteEmbedder(EMBEDDER))) for check in reversed(GROUPS[group]))


class EmbedsAlone(InMemoryBackend):
    def apply(self, entries: Sequence[Entry], expected: Expected | None = None, *, distinct: bool = False) -> Any:
        with self.alone():
            return super().apply(entries, expected, distinct=distinct)


class OnePersonStore(MemoryStore):
    def make(self, person: str) -> Backend:
        return self._opened[0] if self._opened else super().make(person)


class EmbeddingStore(MemoryStore):
    def make(self, person: str) -> Backend:
        return EmbedsAlone(self.embedder)


class ClosedStore(MemoryStore):
    def sever(self, backend: Backend) -> None:
        def refuse(*_: object, **__: object) -> Any:
            raise StoreBroken("The connection is lost.")

        vars(backend).update(apply=refuse, get_many=refuse, query=refuse)


BROKEN_STORES: dict[str, type[OpenStore]] = {
    "two backends": MemoryStore,
    "lost connection": ClosedStore,
    "two persons": OnePersonStore,
    "embedding": EmbeddingStore,
}


@pytest.mark.parametrize("group", ON_A_STORE)
def test_a_broken_store_fails(group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.memory.conformance.PATIENCE", 0.3)
    with closing(BROKEN_STORES[group](tmp_path)) as opened:
        assert any(fails(check, opened) for check in reversed(ON_A_STORE[group]))


T = TypeVar("T")


def fails(check: Callable[[T], None], given: T) -> bool:
    try:
        check(given)
    except (AssertionError, AnaError, LookupError, ValueError, ExceptionGroup, pytest.fail.Exception):
        return True
    return False
