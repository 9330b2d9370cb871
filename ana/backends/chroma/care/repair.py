"""Repair of what an examination found."""

import json
import secrets
from dataclasses import asdict

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.examine import find_unfound, split_rows
from ana.backends.chroma.care.rebuild import set_aside
from ana.backends.chroma.client import map_foreign_errors
from ana.backends.upkeep import Findings
from ana.errors import StoreBroken
from ana.files import write_whole
from ana.memory.changes import Change, Entry, find_disagreements


def repair(backend: ChromaBackend, found: Findings) -> None:
    """Rebuild Chroma and its indexes if they are damaged, and make journal and store agree.

    Records that are missing in the store are restored from the journal; records that the journal does not know are
    entered in it. Damaged files and unreadable records are set aside, not deleted.
    """
    with backend.folder.hold_closed():
        if found.store:
            backend.folder.close()
            backend.healing.rebuild()
        _remove_unreadable(backend, found)
        if found.store or found.index or found.unreadable:
            for collection in backend.collections.values():
                collection.index.discard()
    with backend.hold():
        _reconcile(backend)
        if found.store:
            _put_unfound_again(backend)


def _remove_unreadable(backend: ChromaBackend, found: Findings) -> None:
    if not found.unreadable:
        return
    with backend.hold():
        file = set_aside(backend.path) / "unreadable.jsonl"
        every = ((kind, row) for kind, each in backend.collections.items() for row in each.source.iter_rows())
        wrong = [(kind, row) for kind, row in every if (kind, row.id) in found.unreadable]
        rows = [{"kind": kind} | asdict(row) | {"vector": None} for kind, row in wrong]
        write_whole(file, "".join(f"{json.dumps(row, default=str)}\n" for row in rows))
        backend.folder.mark_written()
        for kind, row in wrong:
            backend.collections[kind].source.delete([row.id])


def _reconcile(backend: ChromaBackend) -> None:
    changes = [
        change
        for kind in backend.collections
        for change in find_disagreements(kind, backend.scan(kind), backend.journal.latest(kind))
    ]
    try:
        with map_foreign_errors(backend.path):
            for kind, collection in backend.collections.items():
                lost = [change.before for change in changes if change.kind == kind and not change.after]
                collection.put([(item, None) for item in lost if item])
    except StoreBroken:  # one that Chroma refuses stops the others too; a rebuild finds it
        backend.folder.close()
        backend.healing.heal()
    _enter_in_journal(backend, [change for change in changes if change.after])


def _put_unfound_again(backend: ChromaBackend) -> None:
    """Store again what a rebuilt vector index does not find: of many alike, it may leave one that no other leads to."""
    for collection in backend.collections.values():
        source = collection.source
        ids = [row.id for batch in split_rows(source) for row in find_unfound(source, batch)]
        collection.put([(item, item) for item in collection.get_many(ids)])


def _enter_in_journal(backend: ChromaBackend, changes: list[Change]) -> None:
    """Enter changes that the journal does not have."""
    turn = f"doctor-{secrets.token_hex(4)}"
    entries = [Entry(change.after.updated_at, "", turn, change) for change in changes if change.after]
    if entries:
        backend.journal.finish(backend.journal.begin(entries))
