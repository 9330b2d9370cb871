"""What the store holds, told in figures."""

from collections import Counter
from typing import Any

from ana.handles import opened
from ana.memory.item import Item, to_json
from ana.settings import Settings
from app.show.text import short

COUNTED = ("type", "status")


def described(settings: Settings, samples: int) -> dict[str, Any]:
    """Collections, property names with their types, the values of type and status, and some items.

    Args:
        settings: Where the data lies.
        samples: How many items to give, newest first.
    """
    with opened(settings, "ana describe") as handles, handles.backend.snapshot():
        types: dict[str, Counter[str]] = {}
        values: dict[str, Counter[str]] = {name: Counter() for name in COUNTED}
        newest: list[Item] = []
        for item in handles.memory.items():
            for name, value in item.properties.items():
                types.setdefault(name, Counter())[type(value).__name__] += 1
                if name in values:
                    values[name][str(value)] += 1
            newest = sorted([*newest, item], key=lambda i: i.created_at, reverse=True)[:samples]
        told = {"collections": handles.backend.describe()}
    return told | {
        "properties": {name: dict(kinds) for name, kinds in sorted(types.items())},
        "values": {name: dict(counted.most_common()) for name, counted in values.items()},
        "samples": [to_json(item) for item in newest],
    }


def as_text(told: dict[str, Any]) -> str:
    """The same for people."""
    lines = [
        f"{c['name']}: {c['count']} records, {c['space']} space, {c['embedder']} ({c['dimension']} dimensions), "
        f"format {c['version']}"
        for c in told["collections"]
    ]
    lines += ["", "properties:"] if told["properties"] else []
    lines += [f"  {name}: {_counts(kinds)}" for name, kinds in told["properties"].items()]
    lines += [f"{name}: {_counts(counted)}" for name, counted in told["values"].items() if counted]
    lines += [f"{s['id']}  {short(s['content'])}  {s['properties']}" for s in told["samples"]]
    return "\n".join(lines)


def _counts(counted: dict[str, int]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in counted.items())
