"""Bringing in records from elsewhere: all of them or none, and the same ones only once."""

import hashlib
import itertools
import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ana.memory.changes import Change, Entry, Kind
from ana.memory.context_line import LINE
from ana.memory.ids import short_id
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.transfer.bundle import Bundle
from ana.transfer.exporter import next_line

Records = dict[tuple[Kind, str], Item]


@dataclass(frozen=True)
class Brought:
    """What came of it.

    Args:
        new: How many records are here now that were not.
        same: How many were here already.
        differing: The ids of those that are something else here, or were deleted here.
        turn: The turn under which it can be taken back; empty where the records brought their own history.
    """

    new: int
    same: int
    differing: list[str]
    turn: str


def bring_in(memory: Memory, bundle: Bundle, *, replace: bool = False) -> Brought:
    """Store what a bundle holds.

    Args:
        memory: Where to.
        bundle: What.
        replace: Whether what is something else here is made what the bundle says; else it is left as it is.
    """
    turn = f"import-{secrets.token_hex(4)}"
    memory.items.embed_ahead(*((item.content, item.properties) for item in bundle.items))
    memory.stores["line"].embed_ahead(*((line.content, {}) for line in bundle.lines))
    with memory.folder.hold():
        memory.acts.settle()
        coming = _coming(memory, bundle)
        here: Records = {(kind, i.id): i for kind, store in memory.stores.items() for i in store.scan()}
        known = {(kind, e.change.id) for kind in memory.stores for e in memory.journal.latest(kind)}
        met = known | here.keys()
        new = {at: item for at, item in coming.items() if at not in met}
        differing = {at: item for at, item in coming.items() if at in met and here.get(at) != item}
        entries = _history(memory, bundle, new, met)
        entries += _missing(entries, new, turn)
        if replace:
            entries += [_entry(turn, here.get(at), at, item) for at, item in differing.items()]
        memory.journal.count_from("line", bundle.next_line)
        if entries:
            memory.acts.do(entries)
        undoable = turn if any(entry.turn == turn for entry in entries) else ""
        return Brought(len(new), len(coming) - len(new) - len(differing), [id for _, id in differing], undoable)


def _coming(memory: Memory, bundle: Bundle) -> Records:
    """The bundle's records, with a number for each line.

    A line of another life, whose number is taken here, gets the next number, as does a text without one; what has been
    said here already, or was and no longer is, does not come again. A text too long for a line is a note.
    """
    coming: Records = {("item", item.id): item for item in bundle.items}
    there = {line.id: line for line in memory.stores["line"].scan()}
    told = [
        side for e in memory.journal.entries() if e.change.kind == "line" for side in (e.change.before, e.change.after)
    ]
    made = {(line.id, line.created_at) for line in (*there.values(), *told) if line}
    said = {line.content for line in (*there.values(), *told) if line}
    known = {id for id, _ in made}
    texts = list(bundle.texts)
    for line in bundle.lines:
        same_life = (line.id, line.created_at) in made
        if same_life or (line.id not in known and line.content not in said):
            coming["line", line.id] = line
        else:
            texts.append(line.content)
    numbers = itertools.count(max(next_line(memory, list(there.values())), bundle.next_line))
    for text in dict.fromkeys(texts):
        if text not in said:
            item = _made(memory, text, numbers)
            coming["item" if len(text) > LINE else "line", item.id] = item
    bundle.next_line = next(numbers)
    return coming


def _made(memory: Memory, text: str, numbers: Iterator[int]) -> Item:
    """A line under the next number, or a note under an id that follows from its text."""
    stamp = memory.stamp()
    if len(text) <= LINE:
        return Item(str(next(numbers)), text, {}, stamp, stamp)
    id = short_id(hashlib.sha256(text.encode("utf-8", "replace")).digest())
    return memory.items.get(id) or Item(id, text, {"type": "note"}, stamp, stamp)


def _history(memory: Memory, bundle: Bundle, new: Records, met: set[tuple[Kind, str]]) -> list[Entry]:
    """What was done to the records that are new here, and to those that were deleted, wherever it is all told."""
    told: dict[tuple[Kind, str], list[Change]] = defaultdict(list)
    for entry in bundle.changes:
        told[entry.change.kind, entry.change.id].append(entry.change)
    whole = {at for at, changes in told.items() if at not in met and _whole(changes, new.get(at))}
    entries, keys = [], set()
    for entry in bundle.changes:
        if (entry.change.kind, entry.change.id) in whole:
            fresh = entry.key not in keys and not (entry.key and memory.journal.find(entry.key))
            entries.append(Entry(entry.ts, entry.thread, entry.turn, entry.change, entry.key if fresh else None))
            keys.add(entry.key)
    return entries


def _whole(changes: list[Change], now: Item | None) -> bool:
    """Whether changes lead, one behind the other, from nothing to what is there."""
    states = [None, *(change.after for change in changes)]
    return states[-1] == now and all(state == c.before for state, c in zip(states, changes, strict=False))


def _missing(entries: Iterable[Entry], new: Records, turn: str) -> list[Entry]:
    """The making of records whose history was not told."""
    told = {(entry.change.kind, entry.change.id) for entry in entries}
    return [_entry(turn, None, at, item) for at, item in new.items() if at not in told]


def _entry(turn: str, before: Item | None, at: tuple[Kind, str], after: Item) -> Entry:
    return Entry(after.updated_at, "", turn, Change(at[0], at[1], before, after))
