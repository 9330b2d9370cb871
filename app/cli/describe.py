"""`ana describe`: the contents of the store in numbers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from heapq import nlargest
from typing import Annotated, Any

import typer

from ana.handles import open_data
from ana.memory.item import Item, to_json
from ana.memory.vocabulary import NAMED
from ana.output import write_json
from ana.workspace import Workspace
from app.embedder import describe_missing_embedder
from app.show.text import pluralize, say, shorten
from app.startup import start

_STAMPS = {"created_at": 0, "updated_at": 0}
"""What every item has, which is not worth showing."""

MOST_VALUES = 20
"""Most values of a property to show to people; JSON has all."""


def describe(
    samples: Annotated[
        int, typer.Option("-s", "--samples", min=0, help="How many items, and lines of Global Context, to show.")
    ] = 0,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Describe the store: its place, and the counts, fields, values and samples of each collection."""
    workspace = start()
    description = describe_store(workspace, samples)
    if json_:
        write_json(description)
    else:
        for line in _describe(description["path"], *description["collections"]):
            say(line)
        if missing := describe_missing_embedder(workspace):
            say(missing)


def describe_store(workspace: Workspace, samples: int) -> dict[str, Any]:
    """Return the data folder, and each collection: its fields by type, the names in use and the newest records."""
    with open_data(workspace, "ana describe") as handles, handles.memory.backend.reading():
        items, lines = handles.care.describe()
        names = {key: dict(each) for key, each in handles.memory.vocabulary.names().items() if each and key in NAMED}
        items |= _describe_records(handles.memory.backend.scan("item"), samples) | {"values": names}
        lines |= _describe_records(handles.memory.backend.scan("line"), samples) | {"values": {}}
    path = "the database" if workspace.has_database else str(workspace.folder)
    return {"path": path, "collections": [items, lines]}


def _describe_records(records: Iterable[Item], samples: int) -> dict[str, Any]:
    fields: dict[str, Counter[str]] = {}
    newest = nlargest(max(samples, 1), _count_fields(records, fields), key=lambda record: record.created_at)
    return {
        "fields": {name: dict(kinds) for name, kinds in sorted(fields.items())},
        "samples": [to_json(record) for record in newest[:samples]],
    }


def _count_fields(records: Iterable[Item], fields: dict[str, Counter[str]]) -> Iterator[Item]:
    """Yield the records, and count the types of their properties and times."""
    for record in records:
        stamps = {"created_at": record.created_at, "updated_at": record.updated_at}
        for name, value in (stamps | dict(record.properties)).items():
            fields.setdefault(name, Counter())[type(value).__name__] += 1
        yield record


def _describe(path: str, items: Mapping[str, Any], lines: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines for people: the names in use with their counts, other properties, and samples."""
    yield f"{pluralize(items['count'], 'item')} and {pluralize(lines['count'], 'line')} about you are in {path}."
    yield f"Search by meaning uses {items['embedder']}."
    for name, counts in items["values"].items():
        yield f"  {_spell(name)}: {_format_counts(counts)}"
    others = {
        _spell(n): sum(kinds.values()) for n, kinds in items["fields"].items() if n not in _STAMPS | items["values"]
    }
    if others:
        yield f"  also: {_format_counts(others)}"
    for title, each in (("The newest items:", items["samples"]), ("The newest lines about you:", lines["samples"])):
        yield from [title] if each else []
        for sample in each:
            properties = " · ".join(f"{_spell(name)}: {value}" for name, value in sample["properties"].items())
            yield f"  {sample['id']}  {shorten(sample['content'])}  {properties}".rstrip()


def _spell(name: str) -> str:
    return name.replace("_", " ")


def _format_counts(counts: Mapping[str, int]) -> str:
    text = ", ".join(f"{name} ({count})" for name, count in [*counts.items()][:MOST_VALUES])
    return f"{text} and {len(counts) - MOST_VALUES} more" if len(counts) > MOST_VALUES else text
