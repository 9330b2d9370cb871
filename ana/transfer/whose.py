"""Deciding who wrote the records of a file: by the kind of the file, by the export itself, or by asking the person."""

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Literal

from ana.memory.backend import RecordKey
from ana.memory.changes import Entry
from ana.memory.item import Item, from_json, to_json
from ana.memory.sources import ALL_MINE, IMPORT, PERSON, PastStates, find_source, tell_all
from ana.transfer.bundle import Bundle

Whose = Literal["mine", "others"]


def tell_whose(bundle: Bundle, whose: Whose | None, own: Collection[str] = ()) -> Bundle:
    """Return a bundle with its records marked as the person's or as others'; None leaves that to the bundle.

    Args:
        own: The person's addresses. With None, records that only these addresses wrote are the person's.
    """
    if whose == "mine":
        return _change(bundle, lambda _, item: replace(item, sources=ALL_MINE), lambda _: PERSON)
    if whose == "others":
        return _change(bundle, lambda _, i: replace(i, sources=tell_all(IMPORT, i.properties)), lambda _: IMPORT)
    mine = {id for id, authors in bundle.authors.items() if authors <= {*own}}
    return replace(bundle, items=[replace(i, sources=ALL_MINE) if i.id in mine else i for i in bundle.items])


def tell_past(bundle: Bundle) -> Bundle:
    """Return an export from before sources were kept, with the sources that follow from the names of its turns."""
    states: defaultdict[RecordKey, PastStates] = defaultdict(PastStates)
    for entry in bundle.changes:
        before, after = (to_json(side) if side else None for side in (entry.change.before, entry.change.after))
        states[entry.change.key].add(entry.turn, before, after)
    return _change(
        bundle, lambda key, item: from_json(states[key].complete(to_json(item))), lambda e: find_source(e.turn)
    )


def _change(bundle: Bundle, record: Callable[[RecordKey, Item], Item], source: Callable[[Entry], str]) -> Bundle:
    """Return a bundle with all its records replaced, and other sources of its entries."""

    def change(entry: Entry) -> Entry:
        old, key = entry.change, entry.change.key
        before, after = (side and record(key, side) for side in (old.before, old.after))
        return replace(entry, change=replace(old, before=before, after=after), source=source(entry))

    return replace(
        bundle,
        items=[record(("item", item.id), item) for item in bundle.items],
        lines=[record(("line", line.id), line) for line in bundle.lines],
        changes=[change(entry) for entry in bundle.changes],
    )
