"""A weak model in JSON mode: it knows what to call, and writes as small models do, mistakes included."""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from ana.models.json_mode.adapter import JsonDecisions
from ana.models.json_mode.reader import read_decision
from ana.models.scripted import ScriptedModel
from ana.models.tool_schema import Tools
from prompts import decision_prompt
from tools.catalog import schemas

FOLDER = Path(__file__).parent.parent / "models" / "json_mode"
CREATE = {"name": "create_item", "args": {"content": "Buy milk"}}
FINALS = ("You have two tasks.", "Good morning!")
Case = dict[str, Any]

CALLS = {
    "sum-daily": "12.50 * 9",
    "sum-percent": "18% of 240",
    "sum-times": "17 * 23",
    "sum-split": "126 / 4",
    "sum-divided": "1200 / 16",
    "sum-weeks": "45 * 12",
    "sum-tip": "15% of 64",
    "sum-brackets": "(128 + 72) / 8",
    "sum-power": "2 ** 10",
    "sum-minus": "1000 - 387.25",
    "time-utc": "utc",
    "time-local": "local",
    "time-date": "local",
    "time-weekday": "local",
    "time-tokyo": "Asia/Tokyo",
    "time-new-york": "America/New_York",
    "time-utc-current": "utc",
    "time-kolkata": "local",
}
"""What it calls for each task of arithmetic and time."""


@cache
def cases() -> tuple[list[str], list[tuple[str, str]], list[str]]:
    """Return the corpus as ways to write a call, ways to write an answer (with its words), and what is not read."""
    every: list[Case] = [json.loads(line) for line in (FOLDER / "decisions.jsonl").read_text().splitlines()]
    unsure = {json.loads(line)["id"] for line in (FOLDER / "unsure.jsonl").read_text().splitlines()}
    every = [case for case in every if case["id"] not in unsure]
    broken = [case["text"] for case in every if read_decision(case["text"], Tools(schemas())).error]
    read = [case for case in every if case["text"] not in broken]
    ways = [case["text"] for case in read if case["expect"].get("tool") == CREATE and _is_plain(case["text"])]
    finals = [(case["text"], case["expect"]["final"]["answer"]) for case in read if "final" in case["expect"]]
    return ways, [(text, said) for text, said in finals if said in FINALS and text.count(said) == 1], broken


def weak_replies() -> Iterator[Callable[[str], list[Any]]]:
    """Yield makers of scripts, each with another mistake; every third begins with a reply that cannot be used."""
    ways, finals, broken = cases()
    for n, (way, final, bad) in enumerate(zip(cycle(ways), cycle(finals), cycle(broken), strict=False)):

        def make(task: str, way: str = way, final: tuple[str, str] = final, bad: str = bad, n: int = n) -> list[Any]:
            return [*([bad] if n % 3 == 0 else []), _write_call(way, task), lambda messages: _answer(final, messages)]

        yield make


def make_weak_model(replies: list[Any]) -> JsonDecisions:
    return JsonDecisions(inner=ScriptedModel(replies=replies), instruct=decision_prompt)


def _is_plain(text: str) -> bool:
    return all(text.count(word) == 1 for word in ("create_item", "content", "Buy milk"))


def _write_call(way: str, task: str) -> str:
    tool, argument = ("calculator", "expression") if task.startswith("sum") else ("now", "timezone")
    return way.replace("create_item", tool).replace("content", argument).replace("Buy milk", CALLS[task])


def _answer(final: tuple[str, str], messages: list[BaseMessage]) -> AIMessage:
    found = re.search(r'"result": ([\d.]+)|"iso": "([^"]+)", "weekday": "(\w+)"', messages[-1].text)
    assert found, messages[-1].text
    said = f"That is {found[1]}." if found[1] else f"It is {found[3]}, {found[2]}."
    return AIMessage(final[0].replace(final[1], said))
