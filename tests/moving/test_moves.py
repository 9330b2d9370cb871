"""Everything of a person there and back: exact, or not at all."""

from dataclasses import replace
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
from ana.moving.database import DatabaseRows
from ana.moving.move import Move
from ana.people.postgres import PostgresRoster
from ana.people.roster import FolderRoster
from ana.postgres.database import WRITE
from ana.settings import load_settings
from ana.threads.ports import ThreadStore
from ana.threads.postgres import PostgresThreadStore
from ana.threads.threads import Threads
from ana.time.clock import Clock
from ana.transfer.exporter import export_lines
from ana.workspace import Workspace, open_workspace
from tests.conftest import BERLIN, EMBEDDER, WEDNESDAY, folders
from tests.examples import examples
from tests.memory.conformance import CONTENT, PROPERTIES, SuiteEmbedder
from tests.moving.people import (
    fill_history,
    fill_rest,
    fill_threads,
    in_database,
    make_move,
    memory_in,
    new_person,
    rows_of,
    tell_database,
    tell_folder,
)
from tests.postgres.server import database
from tests.threads.conformance import ONE, TWO, read, reply, say
from tests.threads.test_stores_agree import act, steps

THREE = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b003"


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
    say(store, THREE, "gone")
    workspace.open_threads().move_to_trash(THREE)
    return workspace


def test_everything_is_the_same_there_and_back(ann: Workspace) -> None:
    before = tell_folder(ann)
    make_move(ann).to_database(ignore)
    assert tell_database(ann) == before
    make_move(ann).to_folder(ignore)
    assert tell_folder(ann) == before


items = st.lists(st.tuples(CONTENT, PROPERTIES, st.sampled_from(["keep", "update", "delete", "undo"])), max_size=6)


@settings(max_examples=examples(6), deadline=None, suppress_health_check=list(HealthCheck))
@given(items, steps)
def test_whatever_was_done_comes_over(stored: list[Any], taken: list[tuple[str, str, str]]) -> None:
    with TemporaryDirectory() as folder:
        workspace = new_person(Path(folder))
        with memory_in(workspace) as memory:
            for content, properties, then in stored:
                change_items(memory, content, properties, then)
        store = workspace.open_thread_store()
        for n, step in enumerate(taken):
            act(store, n, *step)
        before = tell_folder(workspace)
        make_move(workspace).to_database(ignore)
        assert tell_database(workspace) == before
        make_move(workspace).to_folder(ignore)
        assert tell_folder(workspace) == before


def change_items(memory: Memory, content: str, properties: Any, then: str) -> None:
    item = memory.create(content, properties).after
    assert item
    if then == "update":
        memory.update(item.id, f"{content}!", {"n": None, "now": [content]})
    elif then == "delete":
        memory.delete(item.id)
    elif then == "undo":
        undo(memory, last_turn(memory))


def test_everything_goes_on_in_the_database(ann: Workspace) -> None:
    make_move(ann).to_database(ignore)
    assert PostgresRoster(database()).load()[ann.person].tokens == ("digest",)
    memory = Memory(PostgresBackend(database(), ann.person, EMBEDDER), Clock(BERLIN, lambda: WEDNESDAY))
    there = in_database(ann)
    store, threads = there.open_thread_store(), there.open_threads()
    go_on(memory, store, threads)


def test_everything_goes_on_in_another_folder(ann: Workspace, tmp_path: Path) -> None:
    make_move(ann).to_database(ignore)
    other = open_workspace(load_settings(folders(tmp_path / "other")), ann.person)
    make_move(other).to_folder(ignore)
    assert FolderRoster(replace(other, person="owner")).load()[ann.person].tokens == ("digest",)
    with memory_in(other) as memory:
        go_on(memory, other.open_thread_store(), other.open_threads())


def go_on(memory: Memory, store: ThreadStore, threads: Threads) -> None:
    """Do what relies on all that came over."""
    assert undo(memory, "t2").changes
    assert memory.lines() == {}
    assert memory.append_line("New").id == "3", "no number is given again"
    assert memory.find("phone Anna").items[0].content == "Call Anna"
    assert [*store.waiting_since()] == [TWO]
    reply(store, TWO)
    assert read(store, TWO) == ["ask", "yes"]
    say(store, ONE, "and more")
    assert read(store, ONE)[-2:] == ["and more", "heard and more"]
    assert store.ids() == [ONE, TWO]
    threads.restore(THREE)
    assert read(store, THREE) == ["gone", "heard gone"]


def test_the_side_that_was_left_says_so(ann: Workspace) -> None:
    make_move(ann).to_database(ignore)
    known = database().find_person(ann.person)
    with pytest.raises(ConfigError, match="was moved to a database"), memory_in(ann) as memory:
        memory.count()
    with pytest.raises(ConfigError, match="was moved to a database"):
        ann.open_threads()
    make_move(ann).to_folder(ignore)
    with pytest.raises(ConfigError, match="is in a data folder"):
        tell_database(ann)
    with pytest.raises(StoreBroken, match="is in a data folder"), database().transaction(known, WRITE) as session:
        session.ask("SELECT 1")  # as of a process that has known the person for long


def test_a_folder_that_was_left_is_kept_when_its_person_comes_back(ann: Workspace, tmp_path: Path) -> None:
    with memory_in(ann) as memory:
        before = [*export_lines(memory.backend)]
    for _ in range(2):
        make_move(ann).to_database(ignore)
        make_move(ann).to_folder(ignore)
    kept = [*(ann.folder / "set-aside").iterdir()]
    assert len(kept) == 2
    for each in kept:
        aside = ann.move(tmp_path / each.name)
        aside.folder.parent.mkdir(parents=True)
        each.rename(aside.folder)
        with memory_in(aside) as memory:
            assert [*export_lines(memory.backend)] == before


def test_nothing_is_mixed(ann: Workspace, tmp_path: Path) -> None:
    other = open_workspace(load_settings(folders(tmp_path / "other")), ann.person)
    with memory_in(other) as memory:
        memory.create("Another")
    make_move(ann).to_database(ignore)
    before, there = tell_folder(other), tell_database(ann)
    with pytest.raises(UserError, match="database has something"):
        make_move(other).to_database(ignore)
    with pytest.raises(UserError, match=r"data folder .*something"):
        make_move(other).to_folder(ignore)
    assert (tell_folder(other), tell_database(ann)) == (before, there)


def test_a_folder_in_use_is_refused(ann: Workspace) -> None:
    before = tell_folder(ann)
    lock = ann.open_locks().lock(ONE, "ana chat")
    lock.acquire()
    with pytest.raises(StoreBusy, match="in use by ana chat"):
        Move(ann, database(), EMBEDDER, patience=0).to_database(ignore)
    lock.release()
    with ann.open_ledger().deliver_alone(), pytest.raises(StoreBusy, match="delivers the reminders"):
        make_move(ann).to_database(ignore)
    assert tell_folder(ann) == before
    make_move(ann).to_database(ignore)


def test_writers_wait_while_their_database_is_left(ann: Workspace) -> None:
    make_move(ann).to_database(ignore)
    store = PostgresThreadStore(rows_of(ann))

    def write(*_: int) -> None:
        with database().connect() as connection, connection.transaction():
            connection.execute("SELECT set_config('lock_timeout', '10ms', true)")
            connection.execute("UPDATE thread_names SET name = '1'")

    with pytest.raises(StoreBusy):
        make_move(ann).to_folder(write)
    assert store.names() == {ONE: "at \0 home"}
    make_move(ann).to_folder(ignore)


def test_what_arrives_otherwise_changes_nothing(ann: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tell_folder(ann)

    def lose(self: DatabaseRows, table: str, rows: Any) -> None:
        write(self, table, [*rows][: 0 if table == "writes" else None])

    write = DatabaseRows.write
    with monkeypatch.context() as patch:
        patch.setattr(DatabaseRows, "write", lose)
        with pytest.raises(StoreBroken, match="is not what was there: writes"):
            make_move(ann).to_database(ignore)
    assert tell_folder(ann) == before
    make_move(ann).to_database(ignore)
    assert tell_database(ann) == before


def test_vectors_of_another_embedder_are_made_again(ann: Workspace) -> None:
    other = SuiteEmbedder(EMBEDDER)
    other.name = "another"
    embedded: list[int] = []
    other.meanwhile = lambda: embedded.append(1)
    Move(ann, database(), EMBEDDER).to_database(ignore)
    assert embedded == []
    Move(ann, database(), other).to_folder(ignore)
    with memory_in(ann) as memory:
        assert memory.find("phone Anna").items[0].content == "Call Anna"
    Move(ann, database(), other).to_database(ignore)
    assert embedded
