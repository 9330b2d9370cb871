"""Receipts of writes and reasons of finds, as people see them and traces record them."""

from dataclasses import asdict
from typing import Any

from ana.memory.changes import Change
from ana.memory.item import to_json
from ana.memory.search.found import Reason
from ana.values import plain


def reason_to_json(reason: Reason) -> dict[str, Any]:
    """Return why an item was found, without the reasons that do not apply."""
    vector = {} if reason.vector is None else {"vector": round(reason.vector, 3)}
    return vector | {name: value for name, value in asdict(reason).items() if value and name != "vector"}


def make_receipt(change: Change) -> dict[str, Any]:
    """Return a write as people are shown it: op, kind, id, and the record before and after."""
    return {
        "op": change.op,
        "kind": change.kind,
        "id": change.id,
        "before": change.before and plain(to_json(change.before)),
        "after": change.after and plain(to_json(change.after)),
    }
