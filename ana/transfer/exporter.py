"""Everything as lines of JSON, in an order that does not change, so that two exports can be compared line by line.

The first line is a header; then come the Global Context lines by number, the items by their creation, and all changes
in order. A record that differs from the journal gets one more change, so that an imported export gives the same export
again. Half a character or NUL, which an earlier version stored and no import accepts, is replaced by the mark for an
unknown character.
"""

import json
from collections.abc import Iterator
from typing import Any

from ana.memory.backend import Backend
from ana.memory.changes import Entry, Kind, find_disagreements
from ana.memory.item import Item, to_json
from ana.memory.sources import is_others
from ana.text import replace_faults

NAME = "ana export"
FORMAT = 2
"""From 2 on records have sources, where they are not the person's."""


def export_lines(backend: Backend) -> Iterator[bytes]:
    """Yield the lines of an export, each with its line break, as of the moment when the first one is asked for."""
    with backend.reading():  # and not while a reader, who may be slow, takes the lines
        lines = sorted(backend.scan("line"), key=lambda line: int(line.id))
        items = sorted(backend.scan("item"), key=lambda item: (item.created_at, item.id))
        next_line, entries = backend.next_line_number(), backend.entries()[::-1]
        entries += [*_iter_not_journaled(backend, "line", lines), *_iter_not_journaled(backend, "item", items)]
    yield _encode_line({"export": NAME, "format": FORMAT, "next_line": next_line})
    yield from (_encode_line({"line": to_json(line)}) for line in lines)
    yield from (_encode_line({"item": to_json(item)}) for item in items)
    for entry in entries:
        yield _encode_line({"change": _write_entry(entry)})


def _write_entry(entry: Entry) -> dict[str, Any]:
    cause = {"ts": entry.ts, "thread": entry.thread, "turn": entry.turn, "key": entry.key}
    change = entry.change
    sides = {name: side and to_json(side) for name, side in (("before", change.before), ("after", change.after))}
    source = {"source": entry.source} if is_others(entry.source) else {}
    return cause | {"kind": change.kind, "id": change.id} | sides | source


def _iter_not_journaled(backend: Backend, kind: Kind, records: list[Item]) -> Iterator[Entry]:
    for change in find_disagreements(kind, records, backend.latest(kind)):
        if change.after:
            yield Entry(change.after.updated_at, "", f"export-{change.id}", change)


def _encode_line(values: dict[str, Any]) -> bytes:
    # an earlier version stored what an import refuses
    return f"{json.dumps(replace_faults(values), ensure_ascii=False)}\n".encode()
