"""What a write did and why an item was found, as people and traces are told it."""

from dataclasses import asdict
from typing import Any

from ana.memory.changes import Change
from ana.memory.found import Reason
from ana.memory.item import to_json
from ana.values import plain


def told(reason: Reason) -> dict[str, Any]:
    """What speaks for an item, without what does not."""
    vector = {} if reason.vector is None else {"vector": round(reason.vector, 3)}
    return vector | {name: value for name, value in asdict(reason).items() if value and name != "vector"}


def receipt(change: Change) -> dict[str, Any]:
    """What a write really did, as people are shown it: op, kind, id, and the record before and after."""
    return {
        "op": change.op,
        "kind": change.kind,
        "id": change.id,
        "before": change.before and plain(to_json(change.before)),
        "after": change.after and plain(to_json(change.after)),
    }
