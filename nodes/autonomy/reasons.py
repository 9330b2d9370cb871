"""The reasons for asking, in words that state facts."""

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
        "changes": "This changes something",
        "loses": "This takes something away",
        "deletes": "This deletes",
        "teaches": "This teaches something lasting",
        "acts": "This acts outside",
        "reaches": "This reaches outside",
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


def by_dial(words: str) -> Reason:
    """Return a reason that has nothing to do with text by others."""
    return Reason(kind="dial", words=words)


def tell_many(effect: Effect, count: int) -> Reason:
    """Return the reason that a turn changes more records than it may without asking."""
    return by_dial(_("{does}: {n} records in this turn.").format(does=_(_DOES[effect]), n=count))


def tell_others(effect: Effect, view: Sequence[SourcedText]) -> Reason:
    """Return the reason that a call runs while a text by others is in view; the reason quotes the text."""
    last = view[-1]
    alike = (each for each in view if (each.source, each.record) == (last.source, last.record))
    longest = max(alike, key=lambda each: len(each.text))
    kind, _space, name = longest.source.partition(" ")
    text = _(_TEXTS.get(kind, mark_text("a text of others"))).format(name=name)
    words = _("{does}, and {text} was read: {quoted}.")
    quoted = quote(longest.text, MOST_CHARACTERS)
    return Reason(kind="stored", words=words.format(does=_(_DOES[effect]), text=text, quoted=quoted))
