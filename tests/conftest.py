"""Shared fixtures: nothing here reaches a network, and every test has folders of its own."""

import gc
import logging
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import hypothesis
import pytest

os.environ.update({"LANGSMITH_TRACING": "false", "LANGSMITH_TEST_TRACKING": "false", "ANONYMIZED_TELEMETRY": "False"})
# no test speaks TLS, and every client would read the world's certificates first, for 50 ms: this folder has none
os.environ.update({"SSL_CERT_FILE": "", "SSL_CERT_DIR": os.path.dirname(__file__)})

from ana import children
from ana.backends.in_memory import InMemoryBackend
from ana.embedders import WordLlamaEmbeddings
from ana.handles import Handles, open_handles
from ana.memory.memory import Memory
from ana.settings import Settings, load_settings
from ana.time.clock import Clock
from ana.workspace import open_workspace
from tests.chroma import open_memory
from tests.examples import LONG, examples
from tests.forks import name_address, run_forked
from tests.postgres.server import name_address as name_postgres

if TYPE_CHECKING:
    from ana.models.scripted import ScriptedModel
    from app.turn import Assistant

name_address()  # before there are workers
name_postgres()
hypothesis.settings.register_profile("ana", derandomize=not LONG, max_examples=examples(100), deadline=None)
hypothesis.settings.load_profile("ana")
os.umask(0o077)  # what a test writes itself is private as well, or commands would say that they have closed it

BERLIN = ZoneInfo("Europe/Berlin")
WEDNESDAY = datetime(2026, 1, 7, 8, 0, tzinfo=UTC)
"""Wednesday 2026-01-07, 09:00 in Berlin."""

EMBEDDER = WordLlamaEmbeddings()
THREAD = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001"
"""A conversation."""


class Loggers(dict[str, Any]):
    """Loggers by name. pytest goes through them at each test, while a server of the test's may import more."""

    def values(self) -> Any:
        return list(super().values())


logging.root.manager.loggerDict = Loggers(logging.root.manager.loggerDict)


def pytest_collection() -> None:
    gc.disable()  # what is imported stays: looking at it again and again would take a fifth of the time


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 100)  # what a test leaves is little: to look for it as often as by default takes 5%


@pytest.fixture
def clock() -> Clock:
    return Clock(BERLIN, lambda: WEDNESDAY)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(folders(tmp_path))


def folders(path: Path, **more: str) -> dict[str, str]:
    """The environment of an assistant that lives in one folder."""
    here = {"ANA_DATA_DIR": "data", "TRACES_DIR": "traces", "LOG_FILE_PATH": "log/ana.log"}
    fixed = {"ANA_TIMEZONE": "Europe/Berlin", "ANA_EMBEDDINGS": "wordllama"}
    return {k: str(path / v) for k, v in here.items()} | fixed | more


def live_in(path: Path, patch: pytest.MonkeyPatch, **more: str) -> None:
    """Let the environment name an assistant that lives in one folder, offline unless it is said otherwise."""
    for name, value in folders(path, **{"LLM_PROVIDER": "offline", **more}).items():
        patch.setenv(name, value)


@pytest.fixture
def memory(clock: Clock) -> Memory:
    return Memory(InMemoryBackend(EMBEDDER), clock)


@pytest.fixture
def chroma_memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    """For tests that are about Chroma or the files of a data folder."""
    memory = open_memory(tmp_path / "data", EMBEDDER, clock)
    yield memory
    memory.close()


@pytest.fixture(scope="session", autouse=True)
def forked_probe() -> Iterator[None]:
    """Let the probe of Chroma start its process as a fork, which imports nothing; what it does there is the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(children, "run_python", run_forked)
        yield


@pytest.fixture
def own_handlers() -> Iterator[None]:
    """Let a test set up the log, and have it as before afterwards."""
    before, level = list(logging.root.handlers), logging.root.level
    logging.root.handlers[:] = []
    yield
    for handler in logging.root.handlers:
        handler.close()
    logging.root.handlers[:] = before
    logging.root.setLevel(level)
    logging.getLogger("ana").setLevel(logging.NOTSET)


MakeAssistant = Callable[..., "Assistant"]


def script_of(assistant: "Assistant") -> "ScriptedModel":
    from ana.models.scripted import ScriptedModel

    assert isinstance(assistant.handles.model, ScriptedModel)
    return assistant.handles.model


@pytest.fixture
def make_assistant(settings: Settings) -> Iterator[MakeAssistant]:
    """Opens assistants on one memory, each with a script for a model."""
    from contextlib import ExitStack

    from ana.models.scripted import ScriptedModel
    from app.turn import open_assistant

    backend = InMemoryBackend(EMBEDDER)
    with ExitStack() as stack:

        def make(*replies: Any, handles: Handles | None = None) -> "Assistant":
            handles = handles or open_handles(
                open_workspace(settings), model=ScriptedModel(replies=list(replies)), backend=backend
            )
            return stack.enter_context(open_assistant(handles))

        yield make
