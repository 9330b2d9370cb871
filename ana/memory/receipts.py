"""Receipts of writes and reasons of finds, as people see them and traces record them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ana.memory.changes import Change
from ana.memory.item import Item, to_json
from ana.memory.search.found import Reason
from ana.memory.search.property_text import describe_unsearched
from ana.output import shorten
from ana.time.dates import day_of, weekday
from ana.values import plain

SIGNS = {"create": "+", "update": "~", "delete": "-"}
VERBS = {"create": "Stored", "update": "Changed", "delete": "Deleted"}
ABOUT_YOU = {"create": "learned", "update": "now known", "delete": "forgotten"}


def reason_to_json(reason: Reason) -> dict[str, Any]:
    """Return why an item was found, without the reasons that do not apply."""
    return {
        name: round(value, 3) if isinstance(value, float) else value
        for name, value in asdict(reason).items()
        if value or (name == "vector" and value is not None)
    }


def make_receipt(change: Change) -> dict[str, Any]:
    """Return a write as people are shown it: op, kind, id, and the record before and after."""
    return {
        "op": change.op,
        "kind": change.kind,
        "id": change.id,
        "before": change.before and plain(to_json(change.before)),
        "after": change.after and plain(to_json(change.after)),
    }


def describe_change(change: Mapping[str, Any]) -> str:
    """Return a receipt as people read it: + Buy milk (task, due Friday 2026-11-27)."""
    about = f"{ABOUT_YOU[change['op']]}: " if change["kind"] == "line" else ""
    return f"{SIGNS[change['op']]} {about}{_describe_record(change)}"


def word_change(change: Mapping[str, Any]) -> str:
    """Return a receipt without signs, which Markdown would take for a list's: Stored: Buy milk (task)."""
    verb = ABOUT_YOU[change["op"]].capitalize() if change["kind"] == "line" else VERBS[change["op"]]
    return f"{verb}: {_describe_record(change)}"


def list_changes(changes: Sequence[Mapping[str, Any]], receipt: str | None) -> list[str]:
    """Return what a turn wrote, a line for each receipt; where it wrote nothing, what is said of that, if anything."""
    return [describe_change(change) for change in changes] or ([receipt] if receipt else [])


def describe_difference(before: Item | None, now: Item | None) -> str:
    """Return how a record that something else has changed differs: “Buy milk” is now “Buy oat milk”."""
    return f"{quote_record(before)} is now {quote_record(now)}"


def quote_record(record: Item | None) -> str:
    """Return a record in a few words, in quotes; the word for none where there is none."""
    return f"“{shorten(record.content, 60)}”" if record else "nothing"


def describe_property(name: str, value: object) -> str:
    """Return a property in a few words: a date with its weekday, a type or status without its name."""
    day = day_of(value)
    shown = f"{weekday(day)} {value}" if day else str(value)
    if name in ("type", "status"):
        return shown
    return f"due {shown}" if name == "due_date" else f"{name.replace('_', ' ')} {shown}"


def _describe_record(change: Mapping[str, Any]) -> str:
    record = change["after"] or change["before"]
    unsearched = describe_unsearched(record["content"], record["properties"]) if change["after"] else ""
    return f"{shorten(record['content'], 60)}{_describe_properties(change)}{unsearched and f'. {unsearched[:-1]}'}"


def _describe_properties(change: Mapping[str, Any]) -> str:
    before = (change["before"] or {}).get("properties", {})
    after = (change["after"] or {}).get("properties", {})
    if change["op"] == "update":
        parts = [describe_property(k, v) for k, v in after.items() if before.get(k) != v]
        parts += [f"no {k.replace('_', ' ')}" for k in before if k not in after]
    else:
        parts = [describe_property(k, v) for k, v in (after or before).items()]
    return f" ({shorten(', '.join(parts), 80)})" if parts else ""
