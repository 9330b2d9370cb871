"""What differs between a store before and after a task, and whether the task wanted it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from ana.memory.backend import RecordKey
from ana.memory.changes import KINDS, Change
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.values import Json
from evals.tasks.task import ExpectedChange

Store = Mapping[RecordKey, Item]
"""Items and lines as they are at one moment."""

_KINDS = {
    ("item", "create"): ("created", "restored"),
    ("item", "update"): ("changed",),
    ("item", "delete"): ("deleted",),
    ("line", "create"): ("learned",),
    ("line", "update"): ("rewritten",),
    ("line", "delete"): ("forgotten",),
}


def read_store(memory: Memory) -> Store:
    """Return everything that is stored now."""
    return {(kind, item.id): item for kind in KINDS for item in memory.backend.scan(kind)}


def list_differences(before: Store, after: Store) -> list[Change]:
    """Return what is different, and not only the time of the last change."""
    keys = dict.fromkeys((*before, *after))
    changes = (Change(kind, id, before.get((kind, id)), after.get((kind, id))) for kind, id in keys)
    return [change for change in changes if _say(change.before) != _say(change.after)]


def match_changes(changes: Iterable[Change], expected: Sequence[ExpectedChange]) -> tuple[list[str], list[str]]:
    """Return what is missing, and the writes that nobody asked for, both in words.

    Args:
        changes: The differences.
        expected: What they may be; one that is not optional must be there.
    """
    pending = sorted(expected, key=lambda each: each.optional)
    wrong = []
    for change in changes:
        if fitting := next((each for each in pending if _fits(change, each)), None):
            pending.remove(fitting)
        else:
            wrong.append(f"{change.op} {change.kind} {change.id}: {_say(change.before)} -> {_say(change.after)}")
    missing = [str(each.model_dump(exclude_defaults=True)) for each in pending if not each.optional]
    return missing, wrong


def properties_fit(properties: Mapping[str, Json], expected: Mapping[str, object]) -> bool:
    """Return whether properties are as expected: this value, one of these values, or not there (null).

    `date` is what takes place: its start_date, or its due_date if it has no start.
    """

    def fits(key: str, value: object) -> bool:
        accepted = value if isinstance(value, list) else [value]
        actual = properties.get("start_date", properties.get("due_date")) if key == "date" else properties.get(key)
        return _fold(actual) in [_fold(each) for each in accepted]

    return all(fits(key, value) for key, value in expected.items())


def holds_any(text: str, words: Sequence[str]) -> bool:
    """Return whether a text holds one of these, whatever their case; with no words it does."""
    return not words or any(word.casefold() in text.casefold() for word in words)


def _fits(change: Change, expected: ExpectedChange) -> bool:
    if expected.kind not in _KINDS[change.kind, change.op]:
        return False
    named = getattr(expected, expected.kind)
    after = change.after.content if change.after else ""
    if isinstance(named, tuple):
        is_target = holds_any(after, named)
    else:
        is_target = named == change.id or (change.before is not None and named == change.before.content)
    properties = change.after.properties if change.after else {}
    return is_target and holds_any(after, expected.content) and properties_fit(properties, expected.properties)


def _say(item: Item | None) -> str:
    return f"{item.content!r} {item.properties}" if item else "nothing"


def _fold(value: object) -> object:
    """Return a value as it is compared: without case, a moment to the minute in its own zone."""
    if not isinstance(value, str):
        return value
    try:
        moment = datetime.fromisoformat(value) if "T" in value or " " in value else None
    except ValueError:
        moment = None
    return moment.strftime("%Y-%m-%dT%H:%M") if moment else value.strip().casefold()
