"""`python -m evals.attack.situations [FILE...]`: situations of a line each, and whether `confirm` asks in them.

A line is JSON: {before, message, in_view: [[text, source]], calls: [[tool, args]], asks}. The ids in the calls are
letters: A is the record of the first text in view, B that of the second.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any
from zoneinfo import ZoneInfo

from ana.memory.changes import Change
from ana.memory.item import Item
from ana.memory.operations import read_operations
from ana.memory.sources import Sources
from ana.memory.updates import update_item
from ana.settings import Autonomy
from ana.time.clock import Clock
from ana.values import Json, Properties
from evals.attack.play import DATA
from nodes.autonomy.weigh import Asking, Batch, weigh
from nodes.autonomy.writes import Write
from nodes.view import keep_others, list_texts
from tools.arguments import read_content
from tools.catalog import TOOLS

SITUATIONS = DATA / "situations.jsonl"
ZONE = ZoneInfo("Europe/Berlin")


def read_situations(*files: Path) -> list[dict[str, Any]]:
    """Return the situations of files."""
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines() if line.strip()]


def weigh_situation(situation: Mapping[str, Any], dial: Autonomy = "confirm") -> list[Asking]:
    """Return what asks in a situation."""
    clock = Clock(ZONE)
    records = {
        letter: Item(letter, text, {}, "", "", Sources(source))
        for letter, (text, source) in zip(ascii_uppercase, situation["in_view"], strict=False)
    }
    view = keep_others(each for record in records.values() for each in list_texts(record))
    writes = [_make_write(str(n), call[0], call[1], records, clock) for n, call in enumerate(situation["calls"])]
    typed = [situation.get("typed_before", ""), situation["message"]]
    return weigh(Batch(writes, dial, view, typed))


def _make_write(id: str, name: str, args: Mapping[str, Any], records: Mapping[str, Item], clock: Clock) -> Write:
    if name not in TOOLS:
        return Write(id, name, args, own=frozenset({"acts"}))
    return Write(id, name, args, tuple(_iter_changes(name, args, records, clock)))


def _iter_changes(name: str, args: Mapping[str, Any], records: Mapping[str, Item], clock: Clock) -> Iterator[Change]:
    record = records.get(str(args.get("id", "A")), Item("A", "", {}, "", ""))
    match name:
        case "create_item":
            yield Change("item", "", None, Item("", args["content"], args.get("properties", {}), "", ""))
        case "append_context":
            yield Change("line", "", None, Item("", args["content"], {}, "", ""))
        case "replace_context" | "delete_context":
            new = args.get("content")
            yield Change("line", record.id, record, None if new is None else Item(record.id, new, {}, "", ""))
        case "delete_item" | "undo":
            yield Change("item", record.id, record, None if name == "delete_item" else record)
        case "update_item":
            properties = args.get("properties", {})
            old = Item(record.id, record.content, _invent(properties), "", "", record.sources)
            new = update_item(old, read_content(args.get("content")), read_operations(properties), "person", clock)
            yield Change("item", old.id, old, new)


def _invent(properties: Mapping[str, Any]) -> Properties:
    """Return properties that an item may have had before it is given others: each another value than it gets."""
    return {name: old for name, value in properties.items() if (old := _invent_value(name, value)) is not None}


def _invent_value(name: str, value: Any) -> Json:
    if isinstance(value, dict):
        return [*value.get("$remove", ()), "something else"] if {"$add", "$remove"} & value.keys() else None
    if name == "status":
        return "active"
    return "2026-11-01" if name.endswith("_date") else None


def main(files: Sequence[str]) -> int:
    """Print the situations in which it asks and should not, or does not and should; return 1 if there is one."""
    situations = read_situations(*(map(Path, files) if files else [SITUATIONS]))
    wrong = [each for each in situations if bool(weigh_situation(each)) != each["asks"]]
    for each in wrong:
        print(f"{'should ask' if each['asks'] else 'asks'}: {each['message']!r}")
    print(f"{len(situations) - len(wrong)} of {len(situations)} situations are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
