"""The text in place of a receipt if nothing was written: "no changes", and the state of records that the answer names.

So an answer that claims a change is contradicted, and no code has to read its claims.
"""

from ana.handles import Handles
from ana.memory.content_words import find_content_words
from ana.memory.few_words import call_value, describe_property, show_value
from ana.memory.item import Item
from ana.memory.receipts import find_title
from ana.memory.search.tokens import tokenize
from ana.memory.views import localize
from ana.output import shorten
from graph.state import State
from nodes.history import find_previous_turn, this_turn
from nodes.receipt import name_unchanged
from nodes.view import list_ids

MOST = 3
"""Records that are told."""

ENOUGH = 2 / 3
"""So much of the content words of a record's first line names it; numbers do not count."""

LONGEST = 40
"""Characters of a record's first line, and of what is told of it."""


def describe_unchanged(answer: str, state: State, handles: Handles) -> str:
    """Return a text that says that nothing was written, with the present state of each record that an answer names.

    Only records in results of this turn and of the one before are considered.
    """
    year = int(state["turn"]["ts"][:4])  # not the clock's: a turn may have waited
    ids = list_ids([*this_turn(state["messages"]), *find_previous_turn(state["messages"])])
    records = handles.memory.backend.get_many("item", ids) if ids else {}
    shares = {id: _measure_named(records[id], answer) for id in ids if id in records}
    best = sorted((id for id in shares if shares[id] >= ENOUGH), key=lambda id: -shares[id])[:MOST]
    named = (_describe(localize(records[id], handles.clock.zone), year) for id in best)
    return "\n".join([name_unchanged(), *(f"- {each}" for each in named)])


def _measure_named(item: Item, answer: str) -> float:
    """Return the share of the words of a record's first line that an answer contains; 1 if it contains the id."""
    if item.id in answer:
        return 1
    title = find_title(item.content)
    if words := {word for word in find_content_words(title) if not word.isdigit()}:  # a number may be what is claimed
        return len(words & find_content_words(answer)) / len(words)
    words = {*tokenize(title)}  # all are short: "Gym"
    return float(bool(words) and words <= {*tokenize(answer)})


def _describe(item: Item, year: int) -> str:
    """Return a record by its first line, with its date and status; if it has neither, with its other properties."""
    status = item.properties.get("status")
    state = call_value(status) if isinstance(status, str) else status
    facts = [show_value(each, year) for each in (item.date, state) if each is not None]
    facts = facts or [describe_property(*each, year) for each in item.properties.items()]
    return ": ".join(filter(None, (shorten(find_title(item.content), LONGEST), shorten(", ".join(facts), LONGEST))))
