"""Turns for tables of drafts: Sunday 2026-11-22, 10:30 in Berlin."""

import json
from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from nodes.evidence import Evidence
from nodes.load_context import calendar
from nodes.receipt import Call

NOW = datetime(2026, 11, 22, 10, 30, tzinfo=ZoneInfo("Europe/Berlin"))


def make_turn(draft: str, question: str = "", *calls: Call, **more: Any) -> Evidence:
    """Return a turn with its draft."""

    prompt = calendar(NOW, "Europe/Berlin")
    return replace(Evidence(question, draft, calls, prompt=prompt, now=NOW), **more)


def ran(tool: str, result: Any, step: int = 1, **args: Any) -> Call:
    """Return a call with its result."""
    return Call(tool, args, json.dumps(result, ensure_ascii=False), True, step)


def found(*contents: str, step: int = 0, **properties: Any) -> Call:
    """Return a query with the items it found, all with the same properties; a list gives each its own value."""
    items = [
        {"id": f"abcd{n}fgh".replace("0", "q").replace("1", "r"), "content": text, "properties": _pick(properties, n)}
        for n, text in enumerate(contents)
    ]
    return ran("query_items", {"items": items, "total": len(items), "truncated": False}, step)


def _pick(properties: dict[str, Any], n: int) -> dict[str, Any]:
    return {name: value[n] if isinstance(value, list) else value for name, value in properties.items()}


def wrote(content: str, tool: str = "update_item", step: int = 1, count: int = 1, **args: Any) -> Call:
    """Return a write with its receipts."""
    record = {"id": "abcdefgh", "content": content, "properties": {}}
    receipt = {"op": "update", "kind": "item", "id": "abcdefgh", "before": record, "after": record}
    return Call(tool, args, json.dumps(record, ensure_ascii=False), True, step, (receipt,) * count)


def failed(tool: str = "update_item", step: int = 1, **args: Any) -> Call:
    """Return a call that was answered with an error."""
    return Call(tool, args, '{"error": "There is no item \'abcd2345\'.", "hint": "Look it up."}', False, step)
