"""Mending what an examination found."""

import json
import secrets
from dataclasses import asdict

from ana.backends.chroma.care.examine import Findings, disagreements
from ana.backends.chroma.care.rebuild import set_aside
from ana.memory.changes import Change, Entry
from ana.memory.memory import Memory


def repair(memory: Memory, found: Findings) -> None:
    """Make Chroma and its indexes anew where they are damaged, and make journal and store agree.

    What the store lacks comes back from the journal; what the journal does not know is written down in it. Damaged
    files and records that no item can be made of are set aside, none is deleted.

    Args:
        memory: What was examined.
        found: What was found.
    """
    with memory.folder.alone():
        if found.store:
            memory.folder.close()
            memory.healing.rebuild()
        _remove_unreadable(memory, found)
        if found.store or found.index or found.unreadable:
            for store in memory.stores.values():
                store.index.discard()
    with memory.folder.hold():
        _reconcile(memory)


def _remove_unreadable(memory: Memory, found: Findings) -> None:
    if found.unreadable:
        file = set_aside(memory.folder.path) / "unreadable.jsonl"
        told = [{"kind": kind} | asdict(row) | {"vector": None} for kind, row in found.unreadable]
        file.write_text("".join(f"{json.dumps(each, default=str)}\n" for each in told))
    for kind, row in found.unreadable:
        with memory.stores[kind].source() as source:
            memory.folder.writing()
            source.delete([row.id])


def _reconcile(memory: Memory) -> None:
    changes = [
        change
        for kind, store in memory.stores.items()
        for change in disagreements(kind, {item.id: item for item in store.scan()}, memory.journal.latest(kind))
    ]
    for kind, store in memory.stores.items():
        store.fill([change.before for change in changes if change.kind == kind and change.before and not change.after])
    _write_down(memory, [change for change in changes if change.after])


def _write_down(memory: Memory, changes: list[Change]) -> None:
    """Enter in the journal what it does not know of the store."""
    turn = f"doctor-{secrets.token_hex(4)}"
    entries = [Entry(change.after.updated_at, "", turn, change) for change in changes if change.after]
    if entries:
        memory.journal.finish(memory.journal.begin(entries))
