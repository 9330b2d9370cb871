"""A database in which no sources are kept gets them with the migration, whoever's they are."""

from contextlib import closing
from typing import Any

import psycopg
import pytest

from ana.backends.postgres.backend import PostgresBackend
from ana.memory.memory import Memory
from ana.postgres import migrations
from ana.postgres.database import Database
from ana.time.clock import Clock
from tests.conftest import EMBEDDER
from tests.memory.past import check_sources, fill_from_others
from tests.postgres.server import new_database


def test_what_was_written_before_gets_its_sources(clock: Clock) -> None:
    with new_database() as url:
        with closing(Database(url)) as database:
            ids = {name: fill_from_others(open_memory(database, name, clock)) for name in ("ann", "bob")}
        with psycopg.connect(url) as owner:
            owner.execute("ALTER TABLE entries DROP COLUMN source")
            owner.execute("ALTER TABLE spending DROP COLUMN held")
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


def open_memory(database: Database, name: str, clock: Clock) -> Memory:
    return Memory(PostgresBackend(database, name, EMBEDDER), clock)
