"""The records of a person's turns in PostgreSQL."""

from collections.abc import Iterator, Sequence

from ana.errors import AnaError
from ana.postgres.person import PersonRows
from ana.postgres.session import Session
from ana.tables import Statement
from ana.tracing.lines import check_id, find_id, format_line, parse_lines, tell_lost
from ana.tracing.port import Traces
from ana.tracing.schema import Record

_COLUMNS = ("thread", "id", "line")
_HINT = "Install the newer one."
_OF_THREAD = "SELECT number, line FROM turns WHERE thread = ? ORDER BY number"


class PostgresTraces(Traces):
    """The traces of a person. Secrets never reach the database.

    Args:
        rows: The person's rows in the database.
        secrets: The secrets to leave out of records.
    """

    def __init__(self, rows: PersonRows, secrets: Sequence[str] = ()) -> None:
        self._rows = rows
        self._secrets = [secret for secret in secrets if secret]
        self._lost: set[str] = set()
        """The ids of records that could not be written."""

    def write(self, *records: Record) -> None:
        for thread_id in (record["thread_id"] for record in records):
            check_id(thread_id)
        try:
            with self._rows.write() as session:
                for record in records:
                    self._enter(session, record["thread_id"], [format_line(record, self._secrets)])
        except AnaError as exc:
            self._lost |= {record["id"] for record in records}
            tell_lost(exc.message, "Check the database.")

    def iter_attempts(self, thread_id: str) -> Iterator[Record]:
        return self._parse(thread_id, self.read_text(thread_id))

    def find(self, id: str) -> Record | None:
        check_id(id)
        if of_thread := self.read(id):
            return of_thread[-1]
        rows = self._rows.ask("SELECT thread, line FROM turns WHERE id = ? ORDER BY number DESC LIMIT 1", id)
        return next((record for thread, line in rows for record in self._parse(thread, line)), None)

    def ids(self, since: float = 0.0) -> list[str]:
        query = "SELECT DISTINCT thread FROM turns WHERE written >= to_timestamp(?) ORDER BY thread"
        return [id for (id,) in self._rows.ask(query, since)]

    def place(self, thread_id: str, id: str) -> str:
        return "" if id in self._lost else f"the trace {thread_id} in the database"

    def delete(self, thread_id: str) -> None:
        self._rows.change(Statement("DELETE FROM turns WHERE thread = ?", [check_id(thread_id)]))

    def read_text(self, thread_id: str) -> str:
        return "".join(f"{line}\n" for _, line in self._rows.ask(_OF_THREAD, check_id(thread_id)))

    def put_back(self, thread_id: str, text: str) -> None:
        if text:
            with self._rows.write() as session:
                session.add("DELETE FROM turns WHERE thread = ?", check_id(thread_id))
                self._enter(session, thread_id, text.splitlines())

    def _enter(self, session: Session, thread_id: str, lines: Sequence[str]) -> None:
        """Store lines, some of which may not be records, each with the id by which it is found."""
        rows = [(thread_id, find_id(line, thread_id, _HINT), line) for line in lines]
        session.insert("turns", _COLUMNS, rows)

    def _parse(self, thread_id: str, text: str) -> Iterator[Record]:
        return parse_lines(text, thread_id, _HINT)
