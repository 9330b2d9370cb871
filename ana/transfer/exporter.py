"""Everything as lines of JSON, in an order that does not change, so that two exports can be compared line by line.

The first line is a header; then come the Global Context lines by number, the items by when they were made, and all that
was done to them, in order. What the journal does not know of a record is told as one more change, so that what is read
in from an export gives the same export again.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from ana.backends.chroma.care.examine import disagreements
from ana.memory.changes import Entry, Kind
from ana.memory.item import Item
from ana.memory.memory import Memory

NAME = "ana export"
FORMAT = 1


def exported(memory: Memory) -> Iterator[bytes]:
    """The lines of an export, each with its end. The folder is held until the last one."""
    with memory.folder.hold():
        memory.acts.settle()
        lines = sorted(memory.stores["line"].scan(), key=lambda item: int(item.id))
        items = sorted(memory.items.scan(), key=lambda item: (item.created_at, item.id))
        yield _line({"export": NAME, "format": FORMAT, "next_line": next_line(memory, lines)})
        yield from (_line({"line": asdict(line)}) for line in lines)
        yield from (_line({"item": asdict(item)}) for item in items)
        yield from (_line({"change": _told(entry)}) for entry in reversed(memory.journal.entries()))
        yield from (_line({"change": _told(entry)}) for entry in _unknown(memory, {"line": lines, "item": items}))


def next_line(memory: Memory, lines: list[Item]) -> int:
    """The number that the next Global Context line would have."""
    return max(memory.journal.counted("line"), max((int(line.id) for line in lines), default=-1) + 1)


def _unknown(memory: Memory, records: Mapping[Kind, list[Item]]) -> Iterator[Entry]:
    for kind, there in records.items():
        for change in disagreements(kind, {record.id: record for record in there}, memory.journal.latest(kind)):
            if change.after:
                yield Entry(change.after.updated_at, "", f"export-{change.id}", change)


def _told(entry: Entry) -> dict[str, Any]:
    told: dict[str, Any] = asdict(entry)
    change: dict[str, Any] = told["change"]
    return {name: told[name] for name in ("ts", "thread", "turn", "key")} | change


def _line(told: dict[str, Any]) -> bytes:
    try:
        return f"{json.dumps(told, ensure_ascii=False)}\n".encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only escapes can carry
        return f"{json.dumps(told)}\n".encode()
