"""Everything of a person there and back: exact, or not at all."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ana.backends.postgres.backend import PostgresBackend
from ana.errors import ConfigError, StoreBroken, StoreBusy, UserError
from ana.memory.memory import Memory
from ana.memory.undo import last_turn, undo
from ana.people.roster import FolderRoster
from ana.people.postgres import PostgresRoster
from ana.workspace import Workspace
from tests.examples import examples
from tests.memory.conformance import CONTENT, PROPERTIES
from tests.moving.people import (
    fill_history,
    fill_rest,
    fill_threads,
    make_move,
    memory_in,
    new_person,
    tell_database,
    tell_folder,
)
from tests.postgres.server import database
from tests.threads.conformance import ONE, TWO, read, reply, say
from tests.threads.test_stores_agree import act, steps


def ignore(*_: int) -> None: ...


@pytest.fixture
def ann(tmp_path: Path) -> Workspace:
    """Somebody who has something of everything."""
    workspace = new_person(tmp_path)
    with memory_in(workspace) as memory:
        fill_history(memory)
    fill_threads(workspace)
    fill_rest(workspace)
    store = workspace.open_thread_store()
    say(store, "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b003", "gone")
    workspace.open_threads().move_to_trash("0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b003")
    return workspace


def test_everything_is_the_same_there_and_back(ann: Workspace) -> None:
    before = tell_folder(ann)
    make_move(ann).to_database(ignore)
    assert tell_database(ann) == before
    make_move(ann).to_folder(ignore)
    assert tell_folder(ann) == before
