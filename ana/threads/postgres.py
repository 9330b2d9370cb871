"""Conversations in PostgreSQL: their states and the trash, their names, and the last one, of one person."""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from ana.errors import StoreBroken
from ana.postgres.person import PersonRows
from ana.tables import Statement
from ana.threads.ids import canonical_id
from ana.threads.store import ThreadStore

_SET_NAME = """INSERT INTO thread_names (thread, name) VALUES (?, ?)
    ON CONFLICT (person, thread) DO UPDATE SET name = excluded.name"""
_SET_LAST = "INSERT INTO last_thread (thread) VALUES (?) ON CONFLICT (person) DO UPDATE SET thread = excluded.thread"


class PostgresThreadStore(ThreadStore):
    """The conversations of a person.

    Args:
        rows: The person's rows in the database.
    """

    errors: tuple[type[Exception], ...] = (StoreBroken, OSError)

    def __init__(self, rows: PersonRows) -> None:
        super().__init__(rows)

    @contextmanager
    def map_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            raise StoreBroken(f"The conversation could not be kept: {exc}.", "Try again.") from exc

    def names(self) -> dict[str, str]:
        return dict(self.tables.ask("SELECT thread, name FROM thread_names"))

    def set_names(self, names: Mapping[str, str]) -> None:
        self.tables.change(*(Statement(_SET_NAME, [id, json.dumps(name)]) for id, name in names.items()))

    def last(self) -> str | None:
        return next((canonical_id(id) for (id,) in self.tables.ask("SELECT thread FROM last_thread")), None)

    def set_last(self, id: str) -> None:
        self.tables.change(Statement(_SET_LAST, [id]))

    def forget(self, ids: Collection[str]) -> None:
        tables = ("thread_names", "last_thread")
        self.tables.change(*(Statement(f"DELETE FROM {table} WHERE thread = ANY(?)", [[*ids]]) for table in tables))

    def dump_name(self, name: str) -> str:
        return json.dumps(name)  # whose column takes no NUL
