"""The first difference between a recorded turn and the same turn run again."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from ana.tracing.record import INTERRUPTED
from ana.tracing.schema import Record, Step

ABSENT = "(nothing)"


@dataclass(frozen=True)
class Difference:
    """Where two turns first differ.

    Args:
        step: The step, from 1; None after the last one.
        tool: Its tool, as recorded.
        what: What differs: observation.items[0].content.
        recorded: What was recorded there.
        again: What it is now.
    """

    step: int | None
    tool: str
    what: str
    recorded: Any
    again: Any


def compare(recorded: Record, again: Record) -> Difference | None:
    """Return the first difference between two turns, step by step; None if they are the same.

    What is known only to the person who was there is not compared: the outcome of calls that the turn ended in.
    """
    return next(_iter_differences(_plain(recorded), _plain(again)), None)


def _iter_differences(recorded: Record, again: Record) -> Iterator[Difference]:
    old, new = recorded["steps"], again["steps"]
    for number, (one, other) in enumerate(zip(old, new, strict=False), 1):
        yield from _compare_steps(number, one, other)
    for number in range(min(len(old), len(new)), max(len(old), len(new))):
        name, now = _name(old, number), _name(new, number)
        yield Difference(number + 1, name, "tool", name, now)
    told = ["answer", "error"]
    if not any(step["observation"] == INTERRUPTED for step in old):
        told += ["receipt", "changes"]
    for name in told:
        for found in iter_differences(recorded.get(name), again.get(name), name) if name in recorded else ():
            yield Difference(None, "", *found)


def _compare_steps(number: int, one: Step, other: Step) -> Iterator[Difference]:
    names = ["tool", "args", *(["observation"] if one["observation"] != INTERRUPTED else [])]
    for name in names:
        for found in iter_differences(one.get(name), other.get(name), name):
            yield Difference(number, one["tool"], *found)


def iter_differences(one: Any, other: Any, at: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield where two values of JSON differ, and what is there in each.

    Args:
        one: A value.
        other: Another.
        at: What the values are called.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *sorted(other.keys() - one.keys())]:
            yield from iter_differences(one.get(key, ABSENT), other.get(key, ABSENT), f"{at}.{key}")
    elif isinstance(one, list) and isinstance(other, list):
        for n, (a, b) in enumerate(zip_longest(one, other, fillvalue=ABSENT)):
            yield from iter_differences(a, b, f"{at}[{n}]")
    elif type(one) is not type(other) or one != other:
        yield at, one, other


def _name(steps: list[Step], number: int) -> str:
    return steps[number]["tool"] if number < len(steps) else ABSENT


def _plain(record: Mapping[str, Any]) -> Any:
    """Return a record as a file would hold it."""
    return json.loads(json.dumps(record, default=str))
