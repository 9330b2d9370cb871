"""Traces that go with the process, for turns that leave nothing behind."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import datetime

from ana.tracing.port import Traces, moment
from ana.tracing.schema import Record


class InMemoryTraces(Traces):
    """The records of a process, by thread."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._written: dict[str, float] = {}

    def write(self, record: Record) -> None:
        self.records.append(record)
        self._written[record["thread_id"]] = time.time()

    def iter_attempts(self, thread_id: str) -> Iterator[Record]:
        return (record for record in list(self.records) if record["thread_id"] == thread_id)

    def find(self, id: str) -> Record | None:
        of_thread = self.read(id)
        return of_thread[-1] if of_thread else next((r for r in reversed(self.records) if r["id"] == id), None)

    def ids(self, since: float = 0.0) -> list[str]:
        return sorted({r["thread_id"] for r in self.records if self._written[r["thread_id"]] >= since})

    def place(self, thread_id: str) -> str:
        return ""

    def forget(self, thread_id: str, before: datetime) -> int:
        kept = [r for r in self.records if r["thread_id"] != thread_id or moment(r) >= before]
        count = len(self.records) - len(kept)
        self.records = kept
        return count

    def delete(self, thread_id: str) -> None:
        self.records = [record for record in self.records if record["thread_id"] != thread_id]

    def read_text(self, thread_id: str) -> str:
        return "".join(f"{json.dumps(record)}\n" for record in self.iter_attempts(thread_id))

    def put_back(self, thread_id: str, text: str) -> None:
        for line in text.splitlines():
            self.write(json.loads(line))

    def find_mentions(self, mentions: Callable[[bytes], bool]) -> set[str]:
        return {id for id in self.ids() if mentions(self.read_text(id).encode())}
