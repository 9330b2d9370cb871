"""Import of records: all of them or none, and each only once."""

import hashlib
import itertools
import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace

from ana.memory.backend import Backend, RecordKey, get_records, retry_on_change
from ana.memory.changes import Change, Entry
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.search.property_text import SEARCHED, describe_unsearched
from ana.memory.sources import is_others, tell_all
from ana.memory.undo import find_undone_turn
from ana.transfer.bundle import Bundle
from ana.transfer.names import NewNames

Records = dict[RecordKey, Item]


@dataclass(frozen=True)
class ImportResult:
    """The outcome of an import.

    Args:
        new: The number of new records that were stored.
        unchanged: The number of records that were already stored.
        conflicting: The ids of records that are different here, or were deleted here.
        turn: The turn that undoes it; empty if the records came with their own history.
        others: The number of stored items with text by others.
        notes: A sentence for each record that was left out, or of which only the beginning is searched.
    """

    new: int
    unchanged: int
    conflicting: list[str]
    turn: str
    others: int = 0
    notes: list[str] = field(default_factory=list)


def import_bundle(memory: Memory, bundle: Bundle, *, replace: bool = False) -> ImportResult:
    """Store the records of a bundle; with `replace` even those that differ here.

    Raises ToolError if a record, or a state in its history, cannot be stored or is too large; nothing was changed then.
    """
    turn = f"import-{secrets.token_hex(4)}"

    def attempt() -> ImportResult:
        with memory.backend.alone():
            result, entries, here = _plan(memory, bundle, turn, replace=replace)
        if entries:
            memory.apply(entries, {entry.change.key: here.get(entry.change.key) for entry in entries})
        return result

    return retry_on_change(memory.backend, attempt)


def _plan(memory: Memory, bundle: Bundle, turn: str, *, replace: bool) -> tuple[ImportResult, list[Entry], Records]:
    """Return the result of an import, its changes, and the imported records that exist here already."""
    backend = memory.backend
    deleted = {entry.change.key for entry in backend.deletions()}
    coming, next_line = _number_lines(memory, bundle, deleted)
    here = get_records(backend, coming.keys() | {entry.change.key for entry in bundle.changes})
    names, known = NewNames(bundle), deleted | here.keys()
    # what is here as it comes keeps the names that it has had
    coming = {key: item if here.get(key) == item else names.rename(item) for key, item in coming.items()}
    new = {key: item for key, item in coming.items() if key not in known}
    conflicting = {key: item for key, item in coming.items() if key in known and not _is_same(here.get(key), item)}
    entries = _rename_undos(_select_history(backend, [*map(names.rename_entry, bundle.changes)], new, known), backend)
    stored = [*new.values(), *(conflicting.values() if replace else ())]
    notes, written = [*bundle.notes, *names.describe(stored, entries)], {entry.change.key for entry in entries}
    if lost := {entry.change.key for entry in bundle.changes} & new.keys() - written:
        notes.append(f"Left out, because it is not complete in the file: the history of records ({len(lost)}).")
    if long := [item for item in stored if describe_unsearched(item.content, item.properties)]:
        notes.append(f"Of long records ({len(long)}) the first {SEARCHED:,} characters are searched.")
    # what has no history is created
    entries += [_make_entry(turn, None, key, item) for key, item in new.items() if key not in written]
    if replace:
        entries += [_make_entry(turn, here.get(key), key, item) for key, item in conflicting.items()]
    result = ImportResult(
        new=len(new),
        unchanged=len(coming) - len(new) - len(conflicting),
        conflicting=[id for _, id in conflicting],
        others=sum(is_others(item.source) for item in stored),
        turn=turn if any(entry.turn == turn for entry in entries) else "",
        notes=notes,
    )
    # before others can take and retire a planned number; numbers may have gaps if the import fails
    backend.reserve_line_numbers(next_line)
    return result, entries, here


def _number_lines(memory: Memory, bundle: Bundle, deleted: Iterable[RecordKey]) -> tuple[Records, int]:
    """Return the bundle's records, with a number for each line, and the number of the next line.

    A line from another memory whose number is used here gets the next number; one whose text exists here, or was
    deleted here, is not imported.
    """
    records: Records = {("item", item.id): item for item in bundle.items}
    lines = list(_list_states(memory.backend, deleted)) if bundle.lines else []
    known = {(line.id, line.created_at) for line in lines}  # number and time identify a line across memories
    contents, ids = {line.content for line in lines}, {line.id for line in lines}
    moved: dict[str, str] = {}
    for line in bundle.lines:
        is_known = (line.id, line.created_at) in known
        if is_known or (line.id not in ids and line.content not in contents):
            records["line", line.id] = line
        elif line.content not in contents:
            moved.setdefault(line.content, line.source)
    numbers = itertools.count(max(memory.backend.next_line_number(), bundle.next_line))
    for content, source in moved.items():
        stamp, number = memory.stamp(), str(next(numbers))
        records["line", number] = Item(number, content, {}, stamp, stamp, tell_all(source, ()))
    return records, next(numbers)


def _list_states(backend: Backend, deleted: Iterable[RecordKey]) -> Iterator[Item]:
    """Yield every present or deleted line, in its present state and all earlier ones."""
    lines = list(backend.scan("line"))
    yield from lines
    for id in {line.id for line in lines} | {id for kind, id in deleted if kind == "line"}:
        changes = (entry.change for entry in backend.entries(id=id) if entry.change.kind == "line")
        yield from (side for change in changes for side in (change.before, change.after) if side)


def _select_history(backend: Backend, history: Sequence[Entry], new: Records, known: Set[RecordKey]) -> list[Entry]:
    """Return the history of new and of deleted records, for each record whose history is complete."""
    changes: dict[RecordKey, list[Change]] = defaultdict(list)
    for entry in history:
        changes[entry.change.key].append(entry.change)
    complete = {key for key, each in changes.items() if key not in known and _is_complete(each, new.get(key))}
    entries, keys = [], set()
    for entry in history:
        if entry.change.key in complete:
            # a key may be in a journal once
            is_free = entry.key not in keys and not (entry.key and backend.find_change(entry.key))
            entries.append(replace(entry, key=entry.key if is_free else None))
            keys.add(entry.key)
    return entries


def _rename_undos(entries: list[Entry], backend: Backend) -> list[Entry]:
    """Return entries, with turns renamed whose name says that they undo a turn that is not among them.

    A turn of that name would prevent the undo of the turn that is here.
    """
    turns: set[str] = set()
    for turn in sorted({entry.turn for entry in entries}, key=len):  # an undo's name is longer than its turn's
        undone = find_undone_turn(turn)
        if undone is None or (undone in turns and undone not in backend.turns(prefix=undone)):
            turns.add(turn)
    digests = {e.turn: hashlib.sha256(e.turn.encode()).hexdigest()[:16] for e in entries if e.turn not in turns}
    return [e if e.turn in turns else replace(e, turn=f"imported-{digests[e.turn]}") for e in entries]


def _is_complete(changes: list[Change], now: Item | None) -> bool:
    states = [None, *(change.after for change in changes)]
    return states[-1] == now and all(state == c.before for state, c in zip(states, changes, strict=False))


def _make_entry(turn: str, before: Item | None, key: RecordKey, after: Item) -> Entry:
    return Entry(after.updated_at, "", turn, Change(*key, before, after), source=after.source)


def _is_same(here: Item | None, coming: Item) -> bool:
    """Return whether a record is stored here unchanged, from any source, because the person may have claimed it since.

    A record from before zones were stored has no zone.
    """
    return here is not None and replace(here, sources=coming.sources, zone=here.zone or coming.zone) == coming
