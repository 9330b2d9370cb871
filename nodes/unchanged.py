"""What stands in the place of a receipt where nothing was written: that, and how the records are that the answer names.

So an answer that claims a change contradicts itself, and nobody has to read what it claims.
"""

from collections.abc import Sequence
from datetime import tzinfo

from langchain_core.messages import AnyMessage

from ana.memory.content_words import find_content_words
from ana.memory.item import Item, localize
from ana.memory.memory import Memory
from ana.memory.receipts import describe_property, find_title, show_value
from ana.memory.search.tokens import tokenize
from ana.output import shorten
from nodes.history import previous_turn, this_turn
from nodes.receipt import name_unchanged
from nodes.view import list_ids

MOST = 3
"""Records that are told."""

ENOUGH = 2 / 3
"""So much of the content words of a record's first line names it."""

LONGEST = 40
"""Characters of a record's first line, and of what is told of it."""


def describe_unchanged(answer: str, messages: Sequence[AnyMessage], memory: Memory, year: int, zone: tzinfo) -> str:
    """Return that nothing was written, and below it the records that an answer names, each as it is.

    Args:
        messages: Of the conversation; the results of this turn and of the one before show what may be named.
        year: Days are shown without this one.
        zone: Moments are shown in it.
    """
    ids = dict.fromkeys([*list_ids(this_turn(messages)), *list_ids(previous_turn(messages))])
    found = memory.backend.get_many("item", [*ids]) if ids else {}
    shares = {id: share for id in ids if id in found and (share := _measure_named(found[id], answer)) >= ENOUGH}
    named = (localize(found[id], zone) for id in sorted(shares, key=lambda id: -shares[id])[:MOST])
    return "\n".join([name_unchanged(), *(f"- {_describe(item, year)}" for item in named)])


def _measure_named(item: Item, answer: str) -> float:
    """Return how much of the words of a record's first line an answer has; 1 if it has the id."""
    if item.id in answer:
        return 1
    title = find_title(item.content)
    if words := find_content_words(title):
        return len(words & find_content_words(answer)) / len(words)
    words = {*tokenize(title)}  # all are short: "Gym"
    return float(bool(words) and words <= {*tokenize(answer)})


def _describe(item: Item, year: int) -> str:
    """Return a record by its first line, with its date and status; if it has neither, with its other properties."""
    status = item.properties.get("status")
    told = [show_value(each, year) for each in (item.date, status) if each is not None]
    told = told or [describe_property(*each, year) for each in item.properties.items()]
    return ": ".join(filter(None, (shorten(find_title(item.content), LONGEST), shorten(", ".join(told), LONGEST))))
