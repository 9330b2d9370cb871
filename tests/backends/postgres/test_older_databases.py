"""A database of before is brought up with the first connection, whoever's things are in it."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from ana.backends.postgres.backend import PostgresBackend
from ana.memory.item import Item, to_json
from ana.memory.memory import Memory
from ana.memory.undo import undo
from ana.postgres import migrations
from ana.postgres.database import Database
from ana.postgres.person import PersonRows
from ana.threads.folder import FolderThreadStore
from ana.threads.postgres import PostgresThreadStore
from ana.time.clock import Clock
from tests.conftest import EMBEDDER
from tests.memory.past import check_sources, fill_from_others
from tests.postgres.server import new_database
from tests.threads.conformance import read, reply, say

NAME = EMBEDDER.name


def test_what_was_written_before_gets_its_sources(clock: Clock) -> None:
    with new_database() as url:
        with closing(Database(url)) as database:
            ids = {name: fill_from_others(open_memory(database, name, clock)) for name in ("ann", "bob")}
        with psycopg.connect(url) as owner:
            owner.execute("ALTER TABLE entries DROP COLUMN source")
            owner.execute("CREATE TABLE spending ()")
            owner.execute("CREATE TABLE reservations ()")
            owner.execute("DELETE FROM migrations WHERE number >= 14")
        with closing(Database(url)) as database:
            for name, known in ids.items():
                check_sources(open_memory(database, name, clock), known)


def test_a_migration_that_is_cut_short_is_made_whole_later(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(connection: Any) -> None:
        step(connection)
        raise KeyboardInterrupt

    step = migrations._AFTER[14]
    with new_database() as url:
        with monkeypatch.context() as patched:
            patched.setitem(migrations._AFTER, 14, fail)
            with closing(Database(url)) as database, pytest.raises(KeyboardInterrupt):
                open_memory(database, "ann", clock).count()
        with closing(Database(url)) as database:
            memory = open_memory(database, "ann", clock)
            assert memory.create("Milk").after == next(memory.items())


def test_what_was_found_by_tables_of_the_database_is_found_in_memory(clock: Clock) -> None:
    item = Item("aaaaaaa2", "Buy milk", {"due_date": "2026-01-09"}, clock.stamp(), clock.stamp())
    vector = np.array(EMBEDDER.embed_documents(["Buy milk"])[0], np.float32).tobytes()
    with new_database() as url:
        with psycopg.connect(url) as owner:
            take_steps(owner, 15)
            owner.execute("INSERT INTO people (name) VALUES ('ann')")
            owner.execute("SELECT set_config('ana.person', number::text, false) FROM people")
            owner.execute("INSERT INTO stores (entries, row, term, zone, embedder) VALUES (1, 1, 2, 1, %s)", [NAME])
            owner.execute("INSERT INTO terms (number, term, vector) VALUES (1, 'buy', ''), (2, 'milk', '')")
            owner.execute("INSERT INTO zones (number, name) VALUES (1, 'UTC')")
            record = json.dumps(to_json(item))
            owner.execute(_OLD_RECORD, [item.id, item.created_at, vector, record])
            names = json.dumps(["", "a turn", None, item.id])
            owner.execute(_OLD_ENTRY, [item.created_at, item.id, names, record])
        with closing(Database(url)) as database:
            memory = open_memory(database, "ann", clock)
            assert memory.find("milk").items == [item]
            assert memory.find(where={"due_date": "2026-01-09"}).items == [item]
            assert undo(memory, "a turn").changes
            assert [*memory.items()] == []


def test_a_conversation_of_before_goes_on(tmp_path: Path) -> None:
    here, thread = FolderThreadStore(tmp_path), "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001"
    say(here, thread, "ask", "run-1")
    (waiting,) = here.tables.ask("SELECT * FROM states ORDER BY seq DESC LIMIT 1")
    asked = here.tables.ask("SELECT * FROM task_writes WHERE channel = '__interrupt__'")
    with new_database() as url:
        with psycopg.connect(url) as owner, owner.cursor() as cursor:
            take_steps(owner, 17)
            owner.execute("INSERT INTO people (name) VALUES ('ann')")
            owner.execute("SELECT set_config('ana.person', number::text, false) FROM people")
            cursor.execute(_OLD_CHECKPOINT, [*waiting[:3], *waiting[4:5], bool(waiting[5]), *waiting[6:]])
            cursor.executemany("INSERT INTO writes VALUES (DEFAULT, %s, %s, %s, %s, %s, %s, %s, %s, %s)", asked)
            owner.execute("INSERT INTO stopped (run) VALUES ('run-2')")
        with closing(Database(url)) as database:
            store = PostgresThreadStore(PersonRows(database, "ann"))
            assert [*store.waiting_since()] == [thread]
            reply(store, thread)
            assert read(store, thread) == ["ask", "yes"]
            with store.open_saver() as saver:
                assert saver.was_stopped("run-2")


_OLD_CHECKPOINT = """INSERT INTO checkpoints (thread, namespace, id, parent, begins_turn, run, type, state, metadata)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"""

_OLD_RECORD = """INSERT INTO records (row, kind, id, created_at, date, digest, repeats, words, vector, record)
    VALUES (1, 'item', %s, %s, '2026-01-09', '', false, '', %s, %s)"""
_OLD_ENTRY = """INSERT INTO entries (seq, ts, thread, turn, kind, id, row, names, after)
    VALUES (1, %s, '', 'a turn', 'item', %s, 1, %s, %s)"""


def take_steps(owner: psycopg.Connection, last: int) -> None:
    """Take the steps up to this one, as the version did that ended with it."""
    owner.execute(migrations._MAKE_TABLE)
    for path in sorted(Path(migrations.__file__).parent.glob("[0-9]*.sql"))[:last]:
        owner.execute(path.read_bytes())
        owner.execute("INSERT INTO migrations VALUES (%s, %s)", [int(path.name[:4]), path.stem])


def open_memory(database: Database, name: str, clock: Clock) -> Memory:
    return Memory(PostgresBackend(database, name, EMBEDDER), clock)
