"""Bringing in records from elsewhere: all of them or none, and the same ones only once."""

import hashlib
import secrets
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ana.store.bundle import Bundle
from ana.store.context_line import LINE
from ana.store.export import next_line
from ana.store.ids import short_id
from ana.store.item import Item
from ana.store.journal import Change, Entry, Kind
from ana.store.memory import Memory

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
    """The bundle's records. A line without a number that nobody has said yet gets the next; one too long is a note."""
    coming: Records = {("line", line.id): line for line in bundle.lines}
    coming |= {("item", item.id): item for item in bundle.items}
    there, here = list(memory.stores["line"].scan()), memory.items
    said = {line.content for line in there}
    number = max(next_line(memory, there), bundle.next_line)
    stamp = memory.stamp()
    for text in dict.fromkeys(bundle.texts):
        if len(text) > LINE:
            id = short_id(hashlib.sha256(text.encode("utf-8", "replace")).digest())
            coming["item", id] = here.get(id) or Item(id, text, {"type": "note"}, stamp, stamp)
        elif text not in said:
            coming["line", str(number)] = Item(str(number), text, {}, stamp, stamp)
            bundle.next_line = number = number + 1
    return coming


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
