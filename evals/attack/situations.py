"""`python -m evals.attack.situations [FILE...]`: situations of a line each, and whether `confirm` asks in them.

A line is JSON: {before, message, in_view: [[text, source]], calls: [[tool, args]], asks}. The ids in the calls are
letters: A is the record of the first text in view, B that of the second.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.messages import ToolCall

from ana.backends.in_memory import InMemoryBackend
from ana.embedders import WordLlamaEmbeddings
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.sources import Sources
from ana.settings import Autonomy
from ana.time.clock import Clock
from ana.values import Json, Properties
from evals.attack import mailer
from evals.attack.play import DATA
from nodes.autonomy.weigh import Asking, Batch, weigh
from nodes.autonomy.writes import read_write
from nodes.calls import ReadCall
from nodes.view import keep_others, list_texts
from tools.call import CallContext

SITUATIONS = DATA / "situations.jsonl"
ZONE = ZoneInfo("Europe/Berlin")


def read_situations(*files: Path) -> list[dict[str, Any]]:
    """Return the situations of files."""
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines() if line.strip()]


def weigh_situation(situation: Mapping[str, Any], dial: Autonomy = "confirm") -> list[Asking]:
    """Return what asks in a situation."""
    records = [
        Item(letter, text, _invent(situation["calls"], letter), "", "", Sources(source))
        for letter, (text, source) in zip(ascii_uppercase, situation["in_view"], strict=False)
    ]
    backend, clock = InMemoryBackend(WordLlamaEmbeddings()), Clock(ZONE)
    backend.fill({("item", record.id): record for record in records}, [], len(records))
    context, own = CallContext(Memory(backend, clock), clock), (mailer.__name__,)
    calls = [ToolCall(name=name, args=args, id=str(n)) for n, (name, args) in enumerate(situation["calls"])]
    writes = [write for call in calls if (write := read_write(ReadCall(call, context, call["args"]), own))]
    assert len(writes) == len(calls), "a call cannot run"
    view = keep_others(each for record in records for each in list_texts(record))
    return weigh(Batch(writes, dial, view, [situation.get("typed_before", ""), situation["message"]]))


def _invent(calls: Sequence[tuple[str, Mapping[str, Any]]], id: str) -> Properties:
    """Return properties that an item may have had before calls change it: each another value than it gets."""
    given = {k: v for _, args in calls if args.get("id") == id for k, v in args.get("properties", {}).items()}
    return {name: old for name, value in given.items() if (old := _invent_value(name, value)) is not None}


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
