"""Steps of a recorded turn: exact, for comparing; or in words, for people."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ana.output import quote
from ana.tracing.schema import is_call
from ana.translation import _
from app.show.calls import WRITES, describe_call, word_call
from app.show.text import shorten

if TYPE_CHECKING:
    from ana.tracing.schema import Step

WIDEST = 100
"""Most characters of a result in one line."""

LOOKED = 160
"""Most characters of what was looked up in a turn."""


def describe_step(step: "Step") -> str:
    """Return a step in one line with the tool's name, exact enough for comparing and debugging."""
    if not is_call(step):
        subject = step["args"].get("policy") or step["args"].get("tool") or ""
        return shorten(f"{step['tool']} {subject}".strip(), WIDEST)
    hidden = ("limit", "id") if step["tool"] == "update_item" else ("limit", "id", "properties")
    values = [value for name, value in step["args"].items() if name not in hidden and value]
    parts = [json.dumps(each, ensure_ascii=False) if isinstance(each, dict | list) else str(each) for each in values]
    return shorten(f"{'·' if _has_worked(step) else '✗'} {step['tool']} {' '.join(parts)}")


def describe_observation(step: "Step") -> str:
    """Return a step's result in one line."""
    observation = step["observation"]
    if isinstance(observation, dict) and isinstance(observation.get("items"), list):
        named = "; ".join(quote(str(item.get("content"))) for item in observation["items"] if isinstance(item, dict))
        count = observation.get("total", len(observation["items"]))
        return shorten(_("{n} found: {items}").format(n=count, items=named), WIDEST)
    if isinstance(observation, dict) and "error" in observation:
        return shorten(f"{observation['error']} {observation.get('hint') or ''}", WIDEST)
    return shorten(observation if isinstance(observation, str) else json.dumps(observation, ensure_ascii=False), WIDEST)


def word_calls(steps: "Iterable[Step]", year: int) -> list[tuple[str, str, str]]:
    """Return the calls of a turn, each with a line in words, its arguments as JSON, and its result in one line.

    Args:
        year: The year to omit from days.
    """
    told = []
    for step in filter(is_call, steps):
        line = describe_call({"tool": step["tool"], "args": step["args"], "ok": _has_worked(step)}, year)
        args = json.dumps(step["args"], ensure_ascii=False, indent=1)
        told.append((line, args, "" if step["observation"] is None else describe_observation(step)))
    return told


def word_looks(steps: "Iterable[Step]", year: int) -> str:
    """Return a turn's look-ups in one line; its writes have receipts. Days are without this year."""
    calls = (step for step in filter(is_call, steps) if step["tool"] not in WRITES)
    told = ", ".join(dict.fromkeys(word_call(step["tool"], step["args"], year) for step in calls))
    return shorten(told[:1].upper() + told[1:], LOOKED)


def list_corrections(steps: "Iterable[Step]") -> list[tuple[str, str]]:
    """Return the drafts of a turn that were sent back, each after the reason."""
    sent_back = (step for step in steps if step["tool"].startswith("⛔️") and "draft" in step["args"])
    return [(str(step["observation"]), str(step["args"]["draft"])) for step in sent_back]


def _has_worked(step: "Step") -> bool:
    observation = step["observation"]
    return not (isinstance(observation, dict) and "error" in observation)
