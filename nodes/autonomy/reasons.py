"""Why something asks, in words that say what is so."""

from collections.abc import Mapping, Sequence

from ana.memory.sources import IMPORT, PASTE, SUGGESTED
from ana.output import quote
from ana.translation import _
from graph.state import Reason
from nodes.autonomy.effects import Effect
from nodes.view import SourcedText

MOST_CHARACTERS = 60
"""Of a text that a reason quotes."""

ASK_ALWAYS = Reason(kind="dial", words=_("You want to be asked before every change."))
DELETES = Reason(kind="dial", words=_("This deletes, and what you said to the assistant is not known here."))

_DOES: Mapping[Effect, str] = {
    "adds": _("This adds something"),
    "changes": _("This changes something"),
    "loses": _("This takes something away"),
    "deletes": _("This deletes"),
    "teaches": _("This teaches something lasting"),
    "acts": _("This acts outside"),
    "reaches": _("This reaches outside"),
}
_MANY: Mapping[Effect, str] = {
    "changes": _("{n} records would be changed in this turn."),
    "loses": _("{n} records would lose something in this turn."),
    "deletes": _("{n} items would be deleted in this turn."),
}
_TEXTS = {
    IMPORT: _("an imported text"),
    PASTE: _("a pasted text"),
    SUGGESTED: _("a text that another had suggested"),
    "calendar": _("an entry of the calendar {name}"),
    "assistant": _("a text of the assistant {name}"),
    "tool": _("a result of the tool {name}"),
}


def tell_others(effect: Effect, view: Sequence[SourcedText]) -> Reason:
    """Return that something is done while a text of others is in view, with the longest of the last record's."""
    last = view[-1]
    longest = max((each for each in view if (each.source, each.record) == (last.source, last.record)), key=_measure)
    kind, _space, name = longest.source.partition(" ")
    text = _TEXTS.get(kind, _("a text of others")).format(name=name)
    words = _("{does}, and {text} was read: {quoted}.")
    quoted = quote(longest.text, MOST_CHARACTERS)
    return Reason(kind="stored", words=words.format(does=_DOES[effect], text=text, quoted=quoted))


def _measure(text: SourcedText) -> int:
    return len(text.text)


def tell_many(effect: Effect, count: int) -> str:
    """Return that a turn does something to more records than it may without asking."""
    return _MANY[effect].format(n=count)


def tell_own_tool(name: str) -> Reason:
    """Return that a tool of the person's own acts outside, which nothing takes back."""
    return Reason(kind="dial", words=_("{name} is a tool of your own that acts outside.").format(name=name))


def tell_hurry(count: int) -> Reason:
    """Return that another assistant writes many records in a short time."""
    return Reason(kind="dial", words=_("{n} records would be written within a minute.").format(n=count))
