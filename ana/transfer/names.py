"""Names of properties from elsewhere: an invalid name is replaced by another one, the same in the whole file."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from ana.memory.bounds import LONGEST_NAME, is_name
from ana.memory.changes import Entry
from ana.memory.item import Item
from ana.output import escape_controls, escape_json, shorten
from ana.transfer.bundle import Bundle
from ana.transfer.records import make_notes

RENAMED = f"Properties called otherwise here, where a name is one printable line of at most {LONGEST_NAME} characters"
UNNAMED = "property"
"""What a property is called of whose name nothing can be seen."""

LONGEST_OLD = 40
"""Characters that are shown of a name that came."""

ROOM = 8
"""Characters for a number after a name, where several become the same."""


class NewNames:
    """New names for the properties in a bundle."""

    def __init__(self, bundle: Bundle) -> None:
        items = (*bundle.items, *_list_states(bundle.changes))
        names = dict.fromkeys(name for item in items for name in item.properties)
        taken, counts = {*names}, Counter[str]()
        self._new = {name: _make_name(name, taken, counts) for name in names if not is_name(name)}

    def rename(self, item: Item) -> Item:
        """Return an item with names that can be stored."""
        if not self._new.keys() & item.properties.keys():
            return item
        return replace(item, properties={self._new.get(name, name): value for name, value in item.properties.items()})

    def rename_entry(self, entry: Entry) -> Entry:
        """Return an entry of such items."""
        before, after = (each and self.rename(each) for each in (entry.change.before, entry.change.after))
        return replace(entry, change=replace(entry.change, before=before, after=after))

    def describe(self, items: Iterable[Item], history: Iterable[Entry]) -> list[str]:
        """Return a sentence that lists the changed names, in items and in their history; none if no name was
        changed.
        """
        used = {name for item in (*items, *_list_states(history)) for name in item.properties}
        renamed = {_show(old): new for old, new in self._new.items() if new in used}
        return make_notes({RENAMED: [f"{old} -> {new}" for old, new in renamed.items()]})


def _show(name: str) -> str:
    return shorten(escape_json(json.dumps(name, ensure_ascii=False)), LONGEST_OLD)


def _list_states(history: Iterable[Entry]) -> list[Item]:
    return [state for entry in history for state in (entry.change.before, entry.change.after) if state]


def _make_name(name: str, taken: set[str], counts: Counter[str]) -> str:
    """Return a name similar to another one, which is taken from now on. `counts` has the number of names made from
    each.
    """
    line = "".join(c for c in " ".join(name.split()) if c.isprintable() and escape_controls(c) == c)
    stem = line[:LONGEST_NAME].strip() or UNNAMED
    new = stem
    while new in taken:
        counts[stem] += 1
        new = f"{stem[: LONGEST_NAME - ROOM].strip()} {counts[stem] + 1}"
    taken.add(new)
    return new
