"""A request that a person decides, as a letter: what would be done, in words, and why it is asked."""

from collections.abc import Iterator, Mapping
from itertools import count, repeat
from typing import TYPE_CHECKING, Any

from ana.memory.few_words import call_property, call_value, show_value
from ana.time.dates import day_of
from ana.time.repeats import word_rule
from ana.translation import _, mark_text
from app.show.calls import word_call, word_value
from app.show.text import say

if TYPE_CHECKING:
    from nodes.requests import Request

QUESTION = mark_text("Not done yet; may I?")
_IN_WORDS = ("id", "about", "turn", "line")
"""Arguments of our tools that say what is changed: the description quotes it."""


def show_request(request: "Request") -> None:
    """Print every action in words, with all its arguments: a person approves exactly what stands here."""
    actions = request["action_requests"]
    if not actions:
        value = request.get("value")
        say(_("Before I go on: {asked}").format(asked=value if isinstance(value, str) else word_value(value)))
        return
    say(_(QUESTION), style="bold")
    for line in request.get("summary", "").splitlines():
        say(f"  {line}")
    indent, numbers = ("     ", (f"{n}. " for n in count(1))) if len(actions) > 1 else ("  ", repeat(""))
    for number, (first, lines) in zip(numbers, word_actions(request), strict=False):
        say(f"  {number}{first}")
        for line in lines:
            say(f"{indent}{line}")


def word_actions(request: "Request") -> Iterator[tuple[str, list[str]]]:
    """Yield for every action of a request what it does, and below it its other arguments and why it is asked."""
    summary = request.get("summary", "")
    for action in request["action_requests"]:
        name, description = str(action.get("name")), str(action.get("description") or "").removeprefix(f"{summary}\n")
        first, *reasons = description.splitlines() or [f"{word_call(name, {})}."]
        yield first, [*_list_untold(name, action.get("args", {}), first), *reasons]


def _list_untold(name: str, args: Any, told: str) -> Iterator[str]:
    """Yield the arguments that a description does not tell whole, each with its name; of a person's own tool all."""
    from tools.catalog import TOOLS

    given = dict(args) if isinstance(args, Mapping) else {"with": args}
    if name in TOOLS:
        properties = given.pop("properties", None)
        given |= properties if isinstance(properties, Mapping) else {}
        words = {key: value for key, value in given.items() if key not in _IN_WORDS}
        given = {key: value for key, value in words.items() if isinstance(value, bool) or not _is_told(value, told)}
    yield from (f"  {call_property(key)}: {word_value(value)}" for key, value in given.items())


def _is_told(value: Any, told: str) -> bool:
    """Return whether each text, number and day in a value stands in a description."""
    if isinstance(value, Mapping | list):
        return all(_is_told(each, told) for each in (value.values() if isinstance(value, Mapping) else value))
    if day := day_of(value):
        return show_value(value, day.year) in told
    if value is None or word_value(value) in told:
        return True
    return isinstance(value, str) and (call_value(value) in told or word_rule(value) in told)
