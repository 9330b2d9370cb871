"""Spending on models, noted in PostgreSQL.

The database cannot see whether a process still runs, so its reservations expire.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import TypeAdapter

from ana.postgres.person import PersonRows
from ana.spending.port import DayNote, Reservation

_NOTE = "SELECT day, usd, most, held FROM spending"
_HELD = TypeAdapter(list[Reservation])


class PostgresBooks:
    """The notes on a person's spending."""

    def __init__(self, rows: PersonRows) -> None:
        self._rows = rows

    def read(self) -> DayNote:
        return next((_make_note(*row) for row in self._rows.ask(_NOTE)), DayNote("", 0.0))

    @contextmanager
    def open(self) -> Iterator[DayNote]:
        with self._rows.write() as session:
            session.add("INSERT INTO spending DEFAULT VALUES ON CONFLICT DO NOTHING")
            (row,) = session.ask(f"{_NOTE} FOR UPDATE")
            note = _make_note(*row)
            yield note
            change = "UPDATE spending SET day = ?, usd = ?, most = ?, held = ?"
            session.add(change, note.day, note.usd, note.most, _HELD.dump_json(note.held).decode())

    def append(self, lines: list[str]) -> None:
        with self._rows.write() as session:
            session.insert("bills", ["line"], [(line,) for line in lines])

    def read_ledger(self, since: float) -> str:
        query = "SELECT line FROM bills WHERE written >= to_timestamp(?) ORDER BY number"
        return "".join(f"{line}\n" for (line,) in self._rows.ask(query, since))


def _make_note(day: str, usd: float, most: float | None, held: object) -> DayNote:
    return DayNote(day, usd, most, _HELD.validate_python(held))
