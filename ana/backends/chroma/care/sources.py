"""The step `sources`: records written before sources were kept get a source, from the names of the turns."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

from ana.backends.chroma.collection import ChromaCollection
from ana.backends.sql.journal import SCHEMA
from ana.files import connect_own
from ana.memory.changes import Kind
from ana.memory.item import from_json, to_json
from ana.memory.search.property_text import render_text
from ana.memory.sources import PastStates, find_source

_TOUCHED = "SELECT DISTINCT kind, id FROM writes WHERE turn GLOB 'import-*' OR turn GLOB 'mcp-*'"
_ENTRIES = "SELECT seq, turn, before, after FROM writes WHERE kind = ? AND id = ? ORDER BY seq"

AT_ONCE = 1000
"""Records that are read and written together."""


def tell_sources(journal: Path, collections: Mapping[Kind, ChromaCollection], tell: Callable[[str], None]) -> None:
    """Work out the sources of entries and records, while the folder is held; an interrupted run can start again.

    `tell` is called if it may take a while.
    """
    with closing(connect_own(journal, script=SCHEMA)) as db:  # a repair may have set it aside
        touched = db.execute(_TOUCHED).fetchall()
        if len(touched) > AT_ONCE:
            tell(f"This is done once: marking what others told among {len(touched):,} records.")
        for start in range(0, len(touched), AT_ONCE):
            with db:
                states = {key: _tell_entries(db, key) for key in touched[start : start + AT_ONCE]}
            for kind, collection in collections.items():
                _tell_records(collection, {id: each for (each_kind, id), each in states.items() if each_kind == kind})


def _tell_entries(db: sqlite3.Connection, key: tuple[str, str]) -> PastStates:
    states = PastStates()
    for seq, turn, *texts in db.execute(_ENTRIES, key).fetchall():
        before, after = (text and json.loads(text) for text in texts)
        states.add(turn, before, after)
        sides = [side and json.dumps(states.complete(side)) for side in (before, after)]
        db.execute(
            "UPDATE writes SET source = ?, before = ?, after = ? WHERE seq = ?", (find_source(turn), *sides, seq)
        )
    return states


def _tell_records(collection: ChromaCollection, states: Mapping[str, PastStates]) -> None:
    stored = collection.source.get_many([*states])
    pairs = [(from_json(states[each.item.id].complete(to_json(each.item))), each.item) for each in stored]
    vectors = {render_text(each.item): each.vector for each in stored}
    collection.put([(new, old) for new, old in pairs if new != old], vectors)
