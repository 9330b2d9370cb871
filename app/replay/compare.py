"""The first difference between a recorded turn and the same turn run again."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from ana.memory.receipts import tells_no_changes
from ana.tracing.schema import Record

ABSENT = "(nothing)"
STEP = ("tool", "args", "observation")
END = ("answer", "error", "receipt", "changes")
INPUTS = ("prompts", "tools")
"""What is compared of a step, of the end of a turn, and of its inputs."""

NO_STEP = dict.fromkeys(STEP, ABSENT)


@dataclass(frozen=True)
class Difference:
    """The place at which two turns first differ.

    Args:
        step: The step, from 1; None after the last one.
        tool: Its tool, as recorded.
        what: The path of the value that differs: observation.items[0].content.
        recorded: The recorded value.
        again: The value of the rerun.
    """

    step: int | None
    tool: str
    what: str
    recorded: Any
    again: Any


def compare(recorded: Record, again: Record) -> Difference | None:
    """Return the first difference between two turns, step by step; None if they are the same.

    Prompts and tools' schemas are compared last, so that they do not hide a difference in the steps.
    """
    old, new = (json.loads(json.dumps(_cut_unchanged(record), default=str)) for record in (recorded, again))
    steps = enumerate(zip_longest(old["steps"], new["steps"], fillvalue=NO_STEP), 1)
    parts: list[tuple[int | None, Any, Any, Sequence[str]]] = [(number, *pair, STEP) for number, pair in steps]
    parts += [(None, old, new, END), (None, old.get("replay", {}), new.get("replay", {}), INPUTS)]
    for number, one, other, names in parts:
        for name in filter(one.__contains__, names):  # a golden trace has no digests
            for what, before, now in iter_differences(one[name], other.get(name), name):
                return Difference(number, one["tool"] if number else "", what, before, now)
    return None


def _cut_unchanged(record: Record) -> dict[str, Any]:
    """Return a record without the unchanged records in its receipt, because these came from the store of that time."""
    first, *_ = str(record.get("receipt", "")).split("\n")
    return {**record, **({"receipt": first} if tells_no_changes(record.get("receipt")) else {})}


def iter_differences(one: Any, other: Any, at: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield each path at which two JSON values differ, with both values there.

    Args:
        at: The path of the values themselves.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *sorted(other.keys() - one.keys())]:
            yield from iter_differences(one.get(key, ABSENT), other.get(key, ABSENT), f"{at}.{key}")
    elif isinstance(one, list) and isinstance(other, list):
        for n, (a, b) in enumerate(zip_longest(one, other, fillvalue=ABSENT)):
            yield from iter_differences(a, b, f"{at}[{n}]")
    elif type(one) is not type(other) or one != other:
        yield at, one, other
