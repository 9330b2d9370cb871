"""A request that a person decides, as a letter: what would be done, in words, and why it is asked."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ana.language import LANGUAGES
from ana.memory.receipts import show_value
from ana.time.dates import day_of
from app.show.calls import word_call, word_value
from app.show.text import say

if TYPE_CHECKING:
    from nodes.requests import Request

QUESTION = "Not done yet; may I?"


def show_request(request: "Request") -> None:
    """Print every action in words, with all its arguments: a person approves exactly what stands here."""
    actions = request["action_requests"]
    if not actions:
        value = request.get("value")
        say(f"Before I go on: {value if isinstance(value, str) else word_value(value)}")
        return
    say(QUESTION, style="bold")
    summary = request.get("summary", "")
    for line in summary.splitlines():
        say(f"  {line}")
    for number, action in enumerate(actions, start=1):
        lines = [*_tell_action(action, summary)]
        say(f"  {number}. {lines[0]}" if len(actions) > 1 else f"  {lines[0]}")
        for line in lines[1:]:
            say(f"     {line}" if len(actions) > 1 else f"  {line}")


def _tell_action(action: Mapping[str, Any], summary: str) -> Iterator[str]:
    """Yield the lines of an action: what it does, the arguments that this leaves out, why it is asked."""
    name, args = str(action.get("name")), action.get("args", {})
    description = str(action.get("description") or "").removeprefix(f"{summary}\n")
    lines = description.splitlines() or [f"{word_call(name, {})}."]
    yield lines[0]
    yield from _list_untold(name, args, lines[0])
    yield from lines[1:]


def _list_untold(name: str, args: Any, told: str) -> Iterator[str]:
    """Yield the arguments that a description does not tell whole, each with its name."""
    from nodes.autonomy.request import leave_out_about
    from tools.catalog import TOOLS

    if not isinstance(args, Mapping):
        yield word_value(args)
        return
    given = leave_out_about(name, args)
    if name in TOOLS:  # what they are about is told in words
        given = {key: value for key, value in given.items() if key not in ("id", "turn", "line")}
        properties = given.pop("properties", None)
        given |= properties if isinstance(properties, Mapping) else {}
    for key, value in given.items():
        if not _is_told(value, told):
            yield f"  {key.replace('_', ' ')}: {word_value(value)}"


def _is_told(value: Any, told: str) -> bool:
    """Return whether each text, number and day in a value stands in a description, in whichever language."""
    if isinstance(value, Mapping | list):
        return all(_is_told(each, told) for each in (value.values() if isinstance(value, Mapping) else value))
    if day := day_of(value):
        return any(show_value(value, day.year, language) in told for language in LANGUAGES)
    return value is None or word_value(value) in told
