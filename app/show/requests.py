"""A request for a person's decision: what would be done, in words, and why ana asks."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ana.memory.few_words import call_property, call_value, show_value
from ana.time.dates import day_of
from ana.time.repeats import word_rule
from ana.translation import LANGUAGES, Language, _, mark_text, speaking
from app.show.calls import word_call, word_value
from app.show.text import say

if TYPE_CHECKING:
    from nodes.requests import Request

QUESTION = mark_text("Not done yet; may I?")
_IN_WORDS = ("id", "about", "turn", "line")
"""Arguments of ana's tools that name the changed record, which the description quotes."""


def show_request(request: "Request") -> None:
    """Print every action in words with all its arguments: a person approves exactly this."""
    actions = request["action_requests"]
    if not actions:
        value = request.get("value")
        say(_("Before I go on: {asked}").format(asked=value if isinstance(value, str) else word_value(value)))
        return
    say(_(QUESTION), style="bold")
    for line in request.get("summary", "").splitlines():
        say(f"  {line}")
    are_several = len(actions) > 1
    for number, (first, lines) in enumerate(word_actions(request), 1):
        say(f"  {number}. {first}" if are_several else f"  {first}")
        for line in lines:
            say(f"     {line}" if are_several else f"  {line}")


def word_actions(request: "Request") -> Iterator[tuple[str, list[str]]]:
    """Yield a sentence about each action of a request, with its other arguments and why ana asks."""
    summary = request.get("summary", "")
    for action in request["action_requests"]:
        name, description = str(action.get("name")), str(action.get("description") or "").removeprefix(f"{summary}\n")
        first, *reasons = description.splitlines() or [f"{word_call(name, {})}."]
        yield first, [*_list_untold(name, action.get("args", {}), first), *reasons]


def _list_untold(name: str, args: Any, text: str) -> Iterator[str]:
    """Yield the named arguments that a description does not contain in full; for a person's own tool yield all."""
    from tools.catalog import TOOLS

    rest = dict(args) if isinstance(args, Mapping) else {"with": args}
    if name in TOOLS:
        properties = rest.pop("properties", None)
        rest |= properties if isinstance(properties, Mapping) else {}
        words = {key: value for key, value in rest.items() if key not in _IN_WORDS}
        rest = {key: value for key, value in words.items() if isinstance(value, bool) or not _is_worded(value, text)}
    yield from (f"  {call_property(key)}: {word_value(value)}" for key, value in rest.items())


def _is_worded(value: Any, text: str) -> bool:
    """Return whether a description, in whichever language, contains each text, number and day in a value."""
    if isinstance(value, Mapping | list):
        return all(_is_worded(each, text) for each in (value.values() if isinstance(value, Mapping) else value))
    return value is None or any(_is_worded_in(language, value, text) for language in LANGUAGES)


def _is_worded_in(language: Language, value: Any, text: str) -> bool:
    with speaking(language):
        if day := day_of(value):
            return show_value(value, day.year) in text
        words = [word_value(value), *([call_value(value), word_rule(value)] if isinstance(value, str) else [])]
        return any(each in text for each in words)
