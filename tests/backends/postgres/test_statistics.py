"""What the server knows of how many rows there are, without which it plans as if there were none."""

import psycopg
import pytest

from ana.backends.postgres import writing
from ana.backends.postgres.backend import PostgresBackend
from ana.memory.changes import Change, Entry
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.postgres.database import Database
from ana.time.clock import Clock
from tests.conftest import EMBEDDER
from tests.postgres.server import new_database

_COUNT = "SELECT analyze_count FROM pg_stat_user_tables WHERE relname = 'item_dates'"


def test_rows_are_counted_with_a_new_zone_and_after_many_changes(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MANY", 3)
    with new_database() as url:
        database = Database(url)
        memory = Memory(PostgresBackend(database, "ann", EMBEDDER), clock)

        def write(*ids: str) -> int:
            made = [Item(id, id, {"due_date": "2026-01-09"}, clock.stamp(), clock.stamp()) for id in ids]
            memory.apply([Entry(each.created_at, "", "filled", Change("item", each.id, None, each)) for each in made])
            with psycopg.connect(url) as owner:
                ((count,),) = owner.execute(_COUNT).fetchall()
            return int(count)

        before = write("aaaaaaa2")
        memory.find(where={"due_date": "2026-01-09"})
        with_zone = write("aaaaaaa3")
        assert with_zone > before
        assert write("aaaaaaa4", "aaaaaaa5") == with_zone
        assert write("aaaaaaa6", "aaaaaaa7", "aaaaaab2") > with_zone
        database.close()
