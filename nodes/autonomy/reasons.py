"""Why something asks, in words that say what is so."""

from collections.abc import Mapping, Sequence

from ana.memory.sources import IMPORT, PASTE, SUGGESTED
from ana.output import quote
from ana.translation import _, mark_text
from graph.state import Reason
from nodes.autonomy.effects import Effect
from nodes.view import SourcedText

MOST_CHARACTERS = 60
"""Of a text that a reason quotes."""

_DOES: Mapping[Effect, str] = mark_text(
    {
        "adds": "This adds something",
        "changes": "This changes something",
        "loses": "This takes something away",
        "deletes": "This deletes",
        "teaches": "This teaches something lasting",
        "acts": "This acts outside",
        "reaches": "This reaches outside",
    }
)
_MANY: Mapping[Effect, str] = mark_text(
    {
        "changes": "{n} records would be changed in this turn.",
        "loses": "{n} records would lose something in this turn.",
        "deletes": "{n} items would be deleted in this turn.",
    }
)
_TEXTS = mark_text(
    {
        IMPORT: "an imported text",
        PASTE: "a pasted text",
        SUGGESTED: "a text that another had suggested",
        "calendar": "an entry of the calendar {name}",
        "assistant": "a text of the assistant {name}",
        "tool": "a result of the tool {name}",
    }
)


def tell_always() -> Reason:
    """Return that the person wants to be asked each time."""
    return Reason(kind="dial", words=_("You want to be asked before every change."))


def tell_deletes() -> Reason:
    """Return that another assistant deletes something."""
    return Reason(kind="dial", words=_("This deletes, and what you said to the assistant is not known here."))


def tell_others(effect: Effect, view: Sequence[SourcedText]) -> Reason:
    """Return that something is done while a text of others is in view, with the longest of the last record's."""
    last = view[-1]
    longest = max((each for each in view if (each.source, each.record) == (last.source, last.record)), key=_measure)
    kind, _space, name = longest.source.partition(" ")
    text = _(_TEXTS.get(kind, mark_text("a text of others"))).format(name=name)
    words = _("{does}, and {text} was read: {quoted}.")
    quoted = quote(longest.text, MOST_CHARACTERS)
    return Reason(kind="stored", words=words.format(does=_(_DOES[effect]), text=text, quoted=quoted))


def _measure(text: SourcedText) -> int:
    return len(text.text)


def tell_many(effect: Effect, count: int) -> str:
    """Return that a turn does something to more records than it may without asking."""
    return _(_MANY[effect]).format(n=count)


def tell_own_tool(name: str) -> Reason:
    """Return that a tool of the person's own acts outside, which nothing takes back."""
    return Reason(kind="dial", words=_("{name} is a tool of your own that acts outside.").format(name=name))


def tell_hurry(count: int) -> Reason:
    """Return that another assistant writes many records in a short time."""
    return Reason(kind="dial", words=_("{n} records would be written within a minute.").format(n=count))
