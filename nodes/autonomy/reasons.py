"""The reasons for asking, in words that state facts."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ana.memory.sources import IMPORT, PASTE, SUGGESTED
from ana.output import quote, shorten
from ana.translation import _, mark_text
from graph.state import Reason
from nodes.autonomy.effects import Effect
from nodes.view import SourcedText

MOST_CHARACTERS = 60
"""Of a text that a reason quotes."""

_DOES: Mapping[str, str] = mark_text(
    {
        "changes": "This changes something",
        "loses": "This takes something away",
        "deletes": "This deletes",
        "teaches": "This teaches something lasting",
        "acts": "This acts outside",
        "reaches": "This reaches outside",
    }
)
_SENTENCES: Mapping[str, str] = mark_text(
    {
        "advise": "You want to be asked before every change.",
        "many": "{does}: {n} records in this turn.",
        "minute": "{n} records would be written within a minute.",
        "unheard": "This deletes, and what you said to the assistant is not known here.",
        "tool": "{name} is a tool of your own that acts outside.",
        "others": "{does}, and {text} was read: {quoted}.",
    }
)
"""By the name that a reason has in a turn's state."""

_TEXTS: Mapping[str, str] = mark_text(
    {
        IMPORT: "an imported text",
        PASTE: "a pasted text",
        SUGGESTED: "a text that another had suggested",
        "calendar": "an entry of the calendar {name}",
        "assistant": "a text of the assistant {name}",
        "tool": "a result of the tool {name}",
    }
)


def by_dial(why: str, **facts: Any) -> Reason:
    """Return a reason that has nothing to do with text by others.

    Args:
        why: The name of its sentence.
        facts: What the sentence tells, as fields of a Reason.
    """
    return cast(Reason, {"kind": "dial", "why": why, **facts})


def by_others(effect: Effect, view: Sequence[SourcedText]) -> Reason:
    """Return the reason that a call runs while a text by others is in view; the reason quotes the text."""
    last = view[-1]
    alike = (each for each in view if (each.source, each.record) == (last.source, last.record))
    longest = max(alike, key=lambda each: len(each.text))
    text = shorten(longest.text, MOST_CHARACTERS)
    return Reason(kind="stored", why="others", effect=effect, source=longest.source, text=text)


def word_reason(reason: Reason) -> str:
    """Return a reason as a sentence in the present language; one of an earlier version as it was recorded."""
    kind, _space, name = reason.get("source", "").partition(" ")
    return _(_SENTENCES.get(reason.get("why", ""), "")).format(
        does=_(_DOES.get(reason.get("effect", ""), "")),
        n=reason.get("count", 0),
        name=reason.get("name", ""),
        text=_(_TEXTS.get(kind, mark_text("a text of others"))).format(name=name),
        quoted=quote(reason.get("text", "")),
    ) or reason.get("words", "")
