"""The store as it was before a turn, on a throw-away copy; the original is only read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ana.backends.in_memory import InMemoryBackend
from ana.embedders import Embedder
from ana.errors import CannotReplay
from ana.memory.backend import Backend, RecordKey
from ana.memory.changes import KINDS, Entry
from ana.memory.item import Item
from ana.tracing.schema import Inputs, Record
from app.replay.history import dict_of
from graph.recording import digest_lines

PURGED = "Something that it relied on was deleted permanently since."


@dataclass
class StoreCopy:
    """A copy of a store as it was before a turn, and what was written while the turn lasted.

    Args:
        later: The entries that came later, the oldest first.
        undos: Names of turns under which the turn took others back.
    """

    backend: InMemoryBackend
    later: list[Entry]
    undos: Sequence[str]

    def catch_up(self, at: tuple[int, str] | None) -> None:
        """Make the changes that had been made when the journal stood here, and that the turn has not made again.

        They are others', or the turn's own from a run of a node that a crash ended.
        """
        if at is None:
            return
        due = [entry for entry in self.later if _is_before(entry, at)]
        self.later = [entry for entry in self.later if not _is_before(entry, at)]
        for entry in [entry for entry in due if not self._is_made(entry)]:
            self.backend.apply([entry])

    def _is_made(self, entry: Entry) -> bool:
        if entry.turn in self.undos and entry.turn in self.backend.turns():
            return True
        return bool(entry.key and self.backend.find_change(entry.key))


def copy_store(original: Backend, record: Record, inputs: Inputs, embedder: Embedder) -> StoreCopy:
    """Return the store as it was before a turn.

    Args:
        original: The store as it is now.
        inputs: What its record keeps for a replay.
        embedder: For the copy.

    Raises:
        CannotReplay: It cannot be put together; something was purged.
    """
    at = next((part["at"] for part in inputs["parts"] if "at" in part), (0, ""))
    with original.reading():
        entries = original.entries()[::-1]
        records = {(kind, item.id): item for kind in KINDS for item in original.scan(kind)}
    at = _settle(at, entries)
    before = [entry for entry in entries if _is_before(entry, at)]
    later = [entry for entry in entries if not _is_before(entry, at)]
    _take_back(records, later)
    _check(records, entries, record, inputs)
    backend = InMemoryBackend(embedder)
    backend.fill(records, before, _find_line_number(records, before, record))
    undone = [dict_of(step) for step in record["steps"] if step["tool"] == "undo"]
    return StoreCopy(backend, later, [each["undo"] for each in undone if each.get("undo")])


def _settle(at: tuple[int, str], entries: Sequence[Entry]) -> tuple[int, str]:
    """Return a position in the journal; without its entry, which was purged, numbers may have been given again."""
    number, ts = at
    return (number, "") if any((entry.seq, entry.ts) == (number, ts) for entry in entries) else (number, ts)


def _is_before(entry: Entry, at: tuple[int, str]) -> bool:
    number, ts = at
    return entry.seq <= number and (not ts or entry.ts <= ts)


def _take_back(records: dict[RecordKey, Item], later: Sequence[Entry]) -> None:
    for entry in reversed(later):
        if entry.change.before is None:
            records.pop(entry.change.key, None)
        else:
            records[entry.change.key] = entry.change.before


def _check(records: Mapping[RecordKey, Item], entries: Sequence[Entry], record: Record, inputs: Inputs) -> None:
    items = sum(kind == "item" for kind, _ in records)
    lines = {int(id): item.content for (kind, id), item in records.items() if kind == "line"}
    if items != inputs["items"]:
        raise CannotReplay(f"The store held {inputs['items']} items before this turn, and {items} are known. {PURGED}")
    if inputs["lines"] and digest_lines(lines) != inputs["lines"]:
        raise CannotReplay(f"Global Context before this turn is not known any more. {PURGED}")
    journaled, undid = {entry.change.key for entry in entries}, any(step["tool"] == "undo" for step in record["steps"])
    for change in record.get("changes", []):
        key: RecordKey = (change["kind"], change["id"])
        if key not in journaled and (undid or change["op"] != "create"):
            raise CannotReplay(f"The turn changed {change['kind']} {change['id']}. {PURGED}")


def _find_line_number(records: Mapping[RecordKey, Item], before: Sequence[Entry], record: Record) -> int:
    """Return the number that the next line got; it never goes back, and the turn's own first line knows it best."""
    used = [int(id) for kind, id in (*records, *(entry.change.key for entry in before)) if kind == "line"]
    told = [dict_of(step).get("line") for step in record["steps"] if step["tool"] == "append_context"]
    appended = [line for line in told if isinstance(line, int)]
    return max(max(used, default=-1) + 1, min(appended, default=0))
