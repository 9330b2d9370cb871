"""The port for the storage of turns' records. Files in a folder are one implementation, a list in memory another."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Protocol

from ana.errors import UserError
from ana.tracing.lines import format_line
from ana.tracing.schema import Record

NO_THREAD = "none"
"""The thread id in the records of runs that have no thread: none of them follows another."""


class Traces(Protocol):
    """A person's records, by thread. No secret of the settings is in them.

    Ids are letters, digits, - and _; for others a UserError is raised.
    """

    def write(self, *records: Record) -> None:
        """Append records. If one cannot be written, the person is told, and the turn does not fail."""

    def iter_attempts(self, thread_id: str) -> Iterator[Record]:
        """Yield every record of a thread, oldest first, including turns that were answered again later.

        A line that is not a record, for example after a crash, is left out.

        Raises:
            ConfigError: A newer program wrote one.
        """

    def find(self, id: str) -> Record | None:
        """Return the newest record with this id, or of the thread with this id."""

    def ids(self, since: float = 0.0) -> list[str]:
        """Return the threads that have records, in order; with a moment, in seconds, only those written to since
        then.
        """

    def place(self, thread_id: str, id: str) -> str:
        """Return the place of a thread's newest record, for people; empty if it could not be written."""

    def change(self, thread_id: str, change: Callable[[Record], Record | None]) -> int:
        """Replace every record of a thread, or remove it for None, and return the number of changed records.

        A line that is not a record is removed, too. Nobody may write meanwhile.
        """
        before = [*self.iter_attempts(thread_id)]
        changed = [change(record) for record in before]
        if changed != before:
            text = "".join(f"{format_line(record)}\n" for record in changed if record)
            if text:
                self.put_back(thread_id, text)
            else:
                self.delete(thread_id)
        return sum(old != new for old, new in zip(before, changed, strict=True))

    def delete(self, thread_id: str) -> None:
        """Delete the records of a thread, and all remains of them."""

    def read_text(self, thread_id: str) -> str:
        """Return the records of a thread in stored form, a line for each; empty if there are none."""

    def put_back(self, thread_id: str, text: str) -> None:
        """Replace the records of a thread by those that `read_text` returned; do nothing without a text."""

    def find_mentions(self, mentions: Callable[[bytes], bool]) -> set[str]:
        """Return the threads with a record that mentions the text."""
        return {id for id in self.ids() if mentions(self.read_text(id).encode())}

    def read(self, thread_id: str) -> list[Record]:
        """Return a thread's turns, oldest first, each with its last answer. Errors as of `iter_attempts`."""
        records = self.iter_attempts(thread_id)
        return [*records] if thread_id == NO_THREAD else select_newest(records)

    def page(self, thread_id: str, limit: int, before: str | None = None) -> list[Record]:
        """Return at most this many turns, oldest first: the last ones, or those before the turn with an id.

        Raises UserError if the thread has no such turn.
        """
        records = self.read(thread_id)
        if before is not None:
            at = next((n for n, record in enumerate(records) if record["id"] == before), None)
            if at is None:
                raise UserError(f"The conversation has no turn {before!r}.", "Leave it out for the last turns.")
            records = records[:at]
        return records[-limit:]


class InMemoryTraces(Traces):
    """Records in memory that end with the process, for turns that leave nothing behind."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._written: dict[str, float] = {}

    def write(self, *records: Record) -> None:
        self.records += records
        self._written |= dict.fromkeys((record["thread_id"] for record in records), time.time())

    def iter_attempts(self, thread_id: str) -> Iterator[Record]:
        return (record for record in list(self.records) if record["thread_id"] == thread_id)

    def find(self, id: str) -> Record | None:
        of_thread = self.read(id)
        return of_thread[-1] if of_thread else next((r for r in reversed(self.records) if r["id"] == id), None)

    def ids(self, since: float = 0.0) -> list[str]:
        return sorted({r["thread_id"] for r in self.records if self._written[r["thread_id"]] >= since})

    def place(self, thread_id: str, id: str) -> str:
        return ""

    def delete(self, thread_id: str) -> None:
        self.records = [record for record in self.records if record["thread_id"] != thread_id]

    def read_text(self, thread_id: str) -> str:
        return "".join(f"{json.dumps(record)}\n" for record in self.iter_attempts(thread_id))

    def put_back(self, thread_id: str, text: str) -> None:
        if text:
            self.delete(thread_id)
            self.write(*map(json.loads, text.splitlines()))


def select_newest(records: Iterable[Record]) -> list[Record]:
    """Return the records that are still valid in the thread's state.

    A turn that is answered again, or whose question is edited, replaces the earlier attempt and the turns after it.
    Attempts share their id, the id of the user message, or the turn before them. `records` are all records of a thread,
    the oldest first.
    """
    standing: list[Record] = []
    places: dict[tuple[str, str], int] = {}
    for record in records:
        names = [name for name in ("id", "message") if record.get(name)]
        # a turn with none before it is the first; records from before there was "previous" do not tell
        names += ["previous"] if "previous" in record else []
        keys = [(name, str(record.get(name))) for name in names]
        place = min([len(standing), *(places[key] for key in keys if key in places)])
        standing[place:] = [record]
        places.update(dict.fromkeys(keys, place))
    return standing


def moment(record: Record) -> datetime:
    """Return the time when a turn began."""
    return datetime.fromisoformat(record["ts"]).astimezone(UTC)
