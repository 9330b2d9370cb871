"""`ana describe`: what the store holds, in figures."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from heapq import nlargest
from typing import Annotated, Any

import typer

from ana.handles import open_data_folder
from ana.memory.item import Item, to_json
from ana.memory.vocabulary import DATES
from ana.output import write_json, write_line
from ana.workspace import Workspace
from app.show.text import shorten
from app.startup import start

MOST_VALUES = 20
"""How many values of a property are shown to people; in JSON there are all."""


def describe(
    samples: Annotated[
        int, typer.Option("-s", "--samples", min=0, help="How many items, and lines of Global Context, to show.")
    ] = 0,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Describe what the store holds: where it is, and for each collection its figures, fields, values and samples."""
    description = describe_store(start(), samples)
    if json_:
        write_json(description)
    else:
        told = (line for each in description["collections"] for line in _describe_collection(each))
        write_line("\n".join([f"data in {description['path']}", *told]))


def describe_store(workspace: Workspace, samples: int) -> dict[str, Any]:
    """Return the data folder, and each collection: its fields by type, the names in use and the newest records."""
    with open_data_folder(workspace, "ana describe") as handles, handles.memory.backend.reading():
        items, lines = handles.upkeep.describe()
        names = {key: dict(each) for key, each in handles.memory.vocabulary.names().items() if each and key != DATES}
        items |= _describe_records(handles.memory.backend.scan("item"), samples) | {"values": names}
        lines |= _describe_records(handles.memory.backend.scan("line"), samples) | {"values": {}}
    return {"path": str(workspace.folder), "collections": [items, lines]}


def _describe_records(records: Iterable[Item], samples: int) -> dict[str, Any]:
    fields: dict[str, Counter[str]] = {}
    newest = nlargest(max(samples, 1), _count_fields(records, fields), key=lambda record: record.created_at)
    return {
        "fields": {name: dict(kinds) for name, kinds in sorted(fields.items())},
        "samples": [to_json(record) for record in newest[:samples]],
    }


def _count_fields(records: Iterable[Item], fields: dict[str, Counter[str]]) -> Iterator[Item]:
    """Yield the records again, and count the types of what each has beside its content."""
    for record in records:
        stamps = {"created_at": record.created_at, "updated_at": record.updated_at}
        for name, value in (stamps | dict(record.properties)).items():
            fields.setdefault(name, Counter())[type(value).__name__] += 1
        yield record


def _describe_collection(collection: Mapping[str, Any]) -> Iterator[str]:
    c = collection
    yield ""
    yield (
        f"{c['name']}: {c['count']} records, {c['space']} space, {c['embedder']} ({c['dimension']} dimensions), "
        f"format {c['version']}"
    )
    yield from (f"  {name}: {_format_counts(kinds)}" for name, kinds in c["fields"].items())
    yield from (f"  values of {name}: {_format_counts(counts)}" for name, counts in c["values"].items())
    yield from (f"  {s['id']}  {shorten(s['content'])}  {s['properties'] or ''}".rstrip() for s in c["samples"])


def _format_counts(counts: Mapping[str, int]) -> str:
    shown = ", ".join(f"{name} ({count})" for name, count in [*counts.items()][:MOST_VALUES])
    return f"{shown} and {len(counts) - MOST_VALUES} more" if len(counts) > MOST_VALUES else shown
