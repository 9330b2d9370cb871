"""Everything of a person there and back: exact, or not at all."""

import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ana.archive.backup import open_place
from ana.archive.copying import copy, digest_all
from ana.archive.database import open_person
from ana.archive.parts import SCANNED, TABLES
from ana.archive.place import Place
from ana.backends.postgres.backend import PostgresBackend
from ana.errors import ConfigError, StoreBroken, StoreBusy, UserError
from ana.handles import open_data
from ana.memory.item import merge_properties
from ana.memory.memory import Memory
from ana.memory.undo import find_undoable, undo
from ana.moving.move import Move
from ana.people import People
from ana.people.postgres import PostgresRoster
from ana.people.roster import FolderRoster
from ana.postgres.database import WRITE
from ana.postgres.person import PersonRows
from ana.settings import load_settings
from ana.tables import Statement
from ana.threads.postgres import PostgresThreadStore
from ana.transfer.exporter import export_lines
from ana.workspace import Workspace, open_workspace
from tests.conftest import EMBEDDER, folders
from tests.examples import examples
from tests.memory.conformance import CONTENT, PROPERTIES, SuiteEmbedder, memory_on, put
from tests.moving.people import in_database, make_move, memory_in, new_person, new_person_with_everything, tell
from tests.postgres.server import database
from tests.threads.conformance import ONE, TWO, read, reply, say
from tests.threads.test_stores_agree import act, steps

THREE = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b003"


def ignore(*_: int) -> None: ...


@pytest.fixture
def ann(tmp_path: Path) -> Workspace:
    """Somebody who has something of everything."""
    workspace = new_person_with_everything(tmp_path)
    store = workspace.open_thread_store()
    say(store, THREE, "gone")
    workspace.open_threads().move_to_trash(THREE)
    return workspace


items = st.lists(st.tuples(CONTENT, PROPERTIES, st.sampled_from(["keep", "update", "delete", "undo"])), max_size=6)


@settings(max_examples=examples(6), suppress_health_check=list(HealthCheck))
@given(items, steps)
def test_whatever_was_done_comes_over(stored: list[Any], taken: list[tuple[str, str, str]]) -> None:
    with TemporaryDirectory() as folder:
        workspace = new_person(Path(folder))
        with memory_in(workspace) as memory:
            before_names_had_a_form = memory_on(memory.backend)
            for content, properties, then in stored:
                change_items(before_names_had_a_form, content, properties, then)
        store = workspace.open_thread_store()
        for n, step in enumerate(taken):
            act(store, n, *step)
        before = tell(workspace)
        make_move(workspace).run("database", ignore)
        assert tell(in_database(workspace)) == before
        make_move(workspace).run("folder", ignore)
        assert tell(workspace) == before


def change_items(memory: Memory, content: str, properties: Any, then: str) -> None:
    item = put(memory, content, properties)
    if then == "update":
        put(memory, f"{content}!", merge_properties(properties, {"n": None, "now": [content]}), item)
    elif then == "delete":
        memory.delete(item.id)
    elif then == "undo":
        undo(memory, find_undoable(memory))


def test_everything_goes_on_in_the_database(ann: Workspace) -> None:
    make_move(ann).run("database", ignore)
    assert PostgresRoster(database()).load()[ann.person].tokens == ("digest",)
    assert People(in_database(ann).settings).find_by_calendar_key(ann.get_calendar_key()) == ann.person
    with memory_in(in_database(ann)) as memory:
        go_on(memory, in_database(ann))


def test_everything_goes_on_in_another_folder(ann: Workspace, tmp_path: Path) -> None:
    make_move(ann).run("database", ignore)
    other = open_workspace(load_settings(folders(tmp_path / "other")), ann.person)
    make_move(other).run("folder", ignore)
    assert FolderRoster(replace(other, person="owner")).load()[ann.person].tokens == ("digest",)
    with memory_in(other) as memory:
        go_on(memory, other)


def go_on(memory: Memory, workspace: Workspace) -> None:
    """Do what relies on all that came over."""
    store = workspace.open_thread_store()
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
    workspace.open_threads().restore(THREE)
    assert read(store, THREE) == ["gone", "heard gone"]


PASSING = {"leases", "calls", "ringers", "runs", "run_events"}
"""Tables of what goes on while a process works."""


def test_every_table_of_a_persons_is_moved() -> None:
    with database().connect() as connection:
        ours = {table for (table,) in connection.execute("SELECT tablename FROM pg_policies").fetchall()}
    names = {table for table, _ in SCANNED.values()}
    assert ours - PASSING == {*TABLES, *names, "stores", "records", "entries"} - {"spending", "checkpoints", "writes"}


def test_the_side_that_was_left_says_so(ann: Workspace) -> None:
    make_move(ann).run("database", ignore)
    known = database().find_person(ann.person)
    with pytest.raises(ConfigError, match="was moved to a database"), memory_in(ann) as memory:
        memory.count()
    with pytest.raises(ConfigError, match="was moved to a database"):
        ann.open_threads()
    make_move(ann).run("folder", ignore)
    with pytest.raises(ConfigError, match="is in a data folder"):
        tell(in_database(ann))
    told = "is in a data folder. Take ANA_DATABASE_URL out, or bring it here"
    with pytest.raises(StoreBroken, match=told), database().transaction(known, WRITE) as session:
        session.ask("SELECT 1")  # as of a process that has known the person for long


def test_a_folder_that_was_left_is_kept_when_its_person_comes_back(ann: Workspace, tmp_path: Path) -> None:
    with memory_in(ann) as memory:
        before = [*export_lines(memory.backend)]
    for _ in range(2):
        make_move(ann).run("database", ignore)
        make_move(ann).run("folder", ignore)
    kept = [*(ann.folder / "backups").iterdir()]
    assert len(kept) == 2
    for each in kept:
        aside = ann.move(tmp_path / each.name)
        aside.folder.parent.mkdir(parents=True)
        (each / "data").rename(aside.folder)
        with memory_in(aside) as memory:
            assert [*export_lines(memory.backend)] == before


def test_a_move_waits_for_nobody_who_may_wait_for_it(ann: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    make_move(ann).run("database", ignore)
    waits = threading.Event()
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: waits.set())
    monkeypatch.setattr("ana.moving.database.time", clock)
    with ThreadPoolExecutor(1) as pool:
        with database().begin(Statement("BEGIN")) as other:
            other.ask("LOCK TABLE task_writes IN ROW EXCLUSIVE MODE")  # as who writes into it does
            moving = pool.submit(make_move(ann).run, "folder", ignore)
            assert waits.wait(60)
            other.ask("LOCK TABLE states, entries, records IN ROW EXCLUSIVE MODE")
        moving.result(60)


def test_who_has_a_folder_open_that_is_moved_meanwhile_writes_nothing_into_it(ann: Workspace) -> None:
    with memory_in(ann) as memory:
        memory.create("before")
        make_move(ann).run("database", ignore)
        with pytest.raises(ConfigError, match="was moved to a database"):
            memory.create("after")


def test_nothing_is_mixed(ann: Workspace, tmp_path: Path) -> None:
    other = open_workspace(load_settings(folders(tmp_path / "other")), ann.person)
    with memory_in(other) as memory:
        memory.create("Another")
    make_move(ann).run("database", ignore)
    before, there = tell(other), tell(in_database(ann))
    with pytest.raises(UserError, match="database has something"):
        make_move(other).run("database", ignore)
    with pytest.raises(UserError, match=r"data folder .*something"):
        make_move(other).run("folder", ignore)
    assert (tell(other), tell(in_database(ann))) == (before, there)


def test_a_folder_in_use_is_refused(ann: Workspace) -> None:
    before = tell(ann)
    lock = ann.open_locks().lock(ONE, "ana chat")
    lock.acquire()
    with pytest.raises(StoreBusy, match="in use by ana chat"):
        Move(ann, database(), patience=0).run("database", ignore)
    lock.release()
    with ann.open_ledger().deliver_alone(), pytest.raises(StoreBusy, match="delivers the reminders"):
        make_move(ann).run("database", ignore)
    assert tell(ann) == before
    make_move(ann).run("database", ignore)


def test_a_database_in_use_is_refused(ann: Workspace) -> None:
    make_move(ann).run("database", ignore)
    before = tell(in_database(ann))
    lock = in_database(ann).open_locks().lock(ONE, "ana serve")
    lock.acquire()
    with pytest.raises(StoreBusy, match="in use by ana serve"):
        make_move(ann).run("folder", ignore)
    lock.release()
    with in_database(ann).open_ledger().deliver_alone(), pytest.raises(StoreBusy, match="delivers their reminders"):
        make_move(ann).run("folder", ignore)
    wait = "INSERT INTO runs (id, thread, lane, asked, size, is_kept) VALUES ('run', ?, 0, '{}', 2, true)"
    in_database(ann).rows.change(Statement(wait, [ONE]))
    with pytest.raises(StoreBusy, match="waits for its answer"):
        make_move(ann).run("folder", ignore)
    in_database(ann).rows.change(Statement("UPDATE runs SET done = true"))
    assert tell(in_database(ann)) == before
    make_move(ann).run("folder", ignore)


def test_writers_wait_while_their_database_is_left(ann: Workspace) -> None:
    make_move(ann).run("database", ignore)
    store = PostgresThreadStore(in_database(ann).rows)

    def write(*_: int) -> None:
        with database().connect() as connection, connection.transaction():
            connection.execute("SELECT set_config('lock_timeout', '10ms', true)")
            connection.execute("UPDATE thread_names SET name = '1'")

    with pytest.raises(StoreBusy):
        make_move(ann).run("folder", write)
    assert store.names() == {ONE: "at \0 home"}
    make_move(ann).run("folder", ignore)


def test_what_arrives_otherwise_changes_nothing(ann: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tell(ann)

    def lose(self: Place, table: str, rows: Any) -> None:
        write(self, table, [*rows][: 0 if table == "writes" else None])

    write = Place.write
    with monkeypatch.context() as patch:
        patch.setattr(Place, "write", lose)
        with pytest.raises(StoreBroken, match="differs from the source: writes"):
            make_move(ann).run("database", ignore)
    assert tell(ann) == before
    make_move(ann).run("database", ignore)
    assert tell(in_database(ann)) == before


def test_vectors_of_another_embedder_are_made_again(ann: Workspace) -> None:
    other = SuiteEmbedder(EMBEDDER)
    embedded: list[int] = []
    other.meanwhile = lambda: embedded.append(1)
    for other.name, is_made in ((EMBEDDER.name, False), ("another", True)):
        person = secrets.token_hex(8)
        backend = PostgresBackend(database(), person, other)
        with (
            open_data(ann, "a test") as handles,
            open_place(handles) as source,
            PersonRows(database(), person).write() as session,
            open_person(database(), session, replace(ann, person=person), other) as target,
        ):
            copy(source, digest_all(source), target, ignore)
        assert bool(embedded) == is_made
        assert backend.find_similar("item", next(backend.scan("item")).id, 1)
