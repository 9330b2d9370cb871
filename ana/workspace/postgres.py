"""A person's state in the rows that they have in a database."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_json

from ana.errors import PersonRemoved, StoreBroken
from ana.keys import OWNER, make_digest
from ana.logs import list_secrets
from ana.postgres.person import PersonRows
from ana.reminders.ledger import Ledger
from ana.reminders.postgres import LedgerRows
from ana.settings import OthersSettings, Settings
from ana.tables import Statement
from ana.threads.postgres import PostgresThreadStore
from ana.threads.postgres_locks import PostgresThreadLocks
from ana.tracing.postgres import PostgresTraces
from ana.workspace.storage import NoteName, Stamp, stamp_environment

_KEEP_SETTINGS = """INSERT INTO settings (fields) VALUES (?)
    ON CONFLICT (person) DO UPDATE SET fields = excluded.fields, version = excluded.version"""
_KEEP_NOTE = """INSERT INTO notes (name, text) VALUES (?, ?)
    ON CONFLICT (person, name) DO UPDATE SET text = excluded.text, written = now()"""
_KEEP_KEY = """INSERT INTO calendar_keys (number, digest) VALUES (current_setting('ana.person')::integer, ?)
    ON CONFLICT (number) DO UPDATE SET digest = excluded.digest"""


class PostgresStorage:
    """A person's data in a database."""

    def __init__(self, rows: PersonRows) -> None:
        self._rows = rows

    def stamp(self) -> Stamp:
        try:
            ((version,),) = self._rows.ask("SELECT coalesce(max(version), 0) FROM settings")
        except PersonRemoved:
            return Stamp((), ())
        return Stamp((self._rows.number,), (version, *stamp_environment()))

    def read_settings(self) -> OthersSettings | None:
        for (fields,) in self._rows.ask("SELECT fields FROM settings"):
            return _check(fields)
        return None

    def write_settings(self, personal: OthersSettings) -> None:
        self._rows.change(Statement(_KEEP_SETTINGS, [to_json(personal.dump()).decode()]))

    def note(self, name: NoteName) -> "PostgresNote":
        return PostgresNote(self._rows, name)

    def list_people(self) -> list[str]:
        return [name for name in self._rows.database.list_people() if name != OWNER]

    def open_traces(self, settings: Settings) -> PostgresTraces:
        return PostgresTraces(self._rows, list_secrets(settings))

    def add_bills(self, lines: Sequence[str]) -> None:
        with self._rows.write() as session:
            session.insert("bills", ["line"], [(line,) for line in lines])

    def read_bills(self, since: float = 0.0) -> str:
        query = "SELECT line FROM bills WHERE written >= to_timestamp(?) ORDER BY number"
        return "".join(f"{line}\n" for (line,) in self._rows.ask(query, since))

    def open_ledger(self) -> Ledger:
        return Ledger(LedgerRows(self._rows))

    def open_thread_store(self) -> PostgresThreadStore:
        return PostgresThreadStore(self._rows)

    def open_locks(self) -> PostgresThreadLocks:
        return PostgresThreadLocks(self._rows)

    def forget_runs(self, threads: Collection[str]) -> None:
        self._rows.change(Statement("DELETE FROM runs WHERE done AND thread = ANY(?)", [[*threads]]))


class PostgresNote:
    """A short text of a person's."""

    def __init__(self, rows: PersonRows, name: NoteName) -> None:
        self._rows, self._name = rows, name

    def read(self) -> str:
        return next((text for (text,) in self._rows.ask("SELECT text FROM notes WHERE name = ?", self._name)), "")

    def write(self, text: str) -> None:
        keys = [Statement(_KEEP_KEY, [make_digest(text)])] if self._name == "calendar-key" else []
        self._rows.change(Statement(_KEEP_NOTE, [self._name, text]), *keys)

    def change(self, change: Callable[[str], str]) -> str:
        with self._rows.write() as session:
            session.add("INSERT INTO notes (name, text) VALUES (?, '') ON CONFLICT DO NOTHING", self._name)
            ((before,),) = session.ask("SELECT text FROM notes WHERE name = ? FOR UPDATE", self._name)
            text = change(before)
            session.add("UPDATE notes SET text = ?, written = now() WHERE name = ?", text, self._name)
        return text

    def age(self) -> float | None:
        query = "SELECT extract(epoch FROM now() - written)::float FROM notes WHERE name = ?"
        return next((age for (age,) in self._rows.ask(query, self._name)), None)

    def remove(self) -> None:
        self._rows.change(Statement("DELETE FROM notes WHERE name = ?", [self._name]))


def _check(fields: Mapping[str, Any]) -> OthersSettings:
    try:
        return OthersSettings.model_validate(fields)
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        raise StoreBroken(
            f"A person's settings cannot be read: {first['loc'][0]}: {first['msg']}.", "Save them again."
        ) from exc
