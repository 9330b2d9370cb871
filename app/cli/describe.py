"""`ana describe`: what the store holds, in figures."""

from collections import Counter
from typing import Annotated, Any

import typer

from ana.handles import open_data_folder
from ana.memory.item import Item, to_json
from ana.output import write_json, write_line
from ana.settings import Settings
from app.show.text import shorten
from app.startup import start

COUNTED = ("type", "status")
"""Properties whose values are counted: few values that say what the items are."""


def describe(
    samples: Annotated[int, typer.Option("-s", "--samples", min=0, help="How many items to show.")] = 0,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Describe what the store holds: collections, embedder, counts, properties and samples."""
    description = describe_store(start(), samples)
    if json_:
        write_json(description)
    else:
        write_line(to_text(description))


def describe_store(settings: Settings, samples: int) -> dict[str, Any]:
    """Return collections, property names with their types, the values of type and status, and some items.

    Args:
        settings: The settings, with the data folder.
        samples: How many items to give, newest first.
    """
    types: dict[str, Counter[str]] = {}
    values: dict[str, Counter[str]] = {name: Counter() for name in COUNTED}
    newest: list[Item] = []
    with open_data_folder(settings, "ana describe") as handles, handles.backend.snapshot():
        for item in handles.memory.items():
            for name, value in item.properties.items():
                types.setdefault(name, Counter())[type(value).__name__] += 1
                if name in values:
                    values[name][str(value)] += 1
            newest = sorted([*newest, item], key=lambda i: i.created_at, reverse=True)[:samples]
        collections = handles.backend.describe()
    return {
        "collections": collections,
        "properties": {name: dict(kinds) for name, kinds in sorted(types.items())},
        "values": {name: dict(counts.most_common()) for name, counts in values.items()},
        "samples": [to_json(item) for item in newest],
    }


def to_text(description: dict[str, Any]) -> str:
    """Return the same for people."""
    lines = [
        f"{c['name']}: {c['count']} records, {c['space']} space, {c['embedder']} ({c['dimension']} dimensions), "
        f"format {c['version']}"
        for c in description["collections"]
    ]
    lines += ["", "properties:"] if description["properties"] else []
    lines += [f"  {name}: {_format_counts(kinds)}" for name, kinds in description["properties"].items()]
    lines += [f"{name}: {_format_counts(counts)}" for name, counts in description["values"].items() if counts]
    lines += [f"{s['id']}  {shorten(s['content'])}  {s['properties']}" for s in description["samples"]]
    return "\n".join(lines)


def _format_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in counts.items())
