"""Limits for every way in: the size of a record, the name of a property, and the form of a Global Context line.

The bounds suit people, far below the limits of any database, because a record is read, shown, exported and kept in
the journal as a whole. Measured on two cores with Chroma 1.5.9: 1,000 properties are stored in .1 s, lists of 500,000
characters in 1 s, a content of 2,000,000 in .4 to 3 s. Chroma alone takes documents and values of hundreds of
megabytes, slowly, and 5,460 properties not at all: see `MOST_NAMES` in ana/backends/chroma/metadata.py.
"""

import json
from collections.abc import Callable
from typing import NamedTuple

from ana.errors import ToolError
from ana.memory.item import Item, check_properties
from ana.output import escape_controls, quote
from ana.text import check_text
from ana.time.repeats import ALSO, MOST_ALSO


class Bound(NamedTuple):
    """The largest number of something that a record may have."""

    most: int
    measure: Callable[[Item], int]
    message: str  # of a record with more, given both numbers
    hint: str


BOUNDS = (
    Bound(
        1000,
        lambda item: len(item.properties),
        "It would have {:,} properties; an item has at most {:,}.",
        "Keep several items, or the rest in the content as text.",
    ),
    Bound(
        500_000,
        lambda item: len(json.dumps(item.properties, ensure_ascii=False)),
        "Its properties would have {:,} characters as JSON; an item's have at most {:,}.",
        "Put long text into the content, and long lists into items of their own.",
    ),
    Bound(
        2_000_000,
        lambda item: len(item.content),
        "Its content would have {:,} characters; an item's has at most {:,}.",
        "Keep it in several items, or keep the file and an item that says where it is.",
    ),
    Bound(
        MOST_ALSO,
        lambda item: len(also) if isinstance(also := item.properties.get(ALSO), list) else 0,
        f"It would have {{:,}} dates in {ALSO}; an item has at most {{:,}}.",
        "Say them as a rule in repeats, or keep several items.",
    ),
)


LONGEST_NAME = 64
"""Characters of a property's name."""

LONGEST_LINE = 500
"""Characters of a Global Context line."""


def is_name(text: str) -> bool:
    """Return whether a property may have this name: names are shown among ana's own words, and people decide by
    them.
    """
    is_visible = text.isprintable() and escape_controls(text) == text
    return is_visible and text == text.strip() and 0 < len(text) <= LONGEST_NAME


def check_names(item: Item, before: Item | None = None) -> None:
    """Raise ToolError, which shows the name, if a new property has an invalid name; an old property may keep its
    name.
    """
    for name in item.properties:
        if not is_name(name) and not (before and name in before.properties):
            raise ToolError(
                f"No property can be called {quote(name, 100)}: a name is one printable line of at most"
                f" {LONGEST_NAME} characters.",
                "Put such a text into the value or the content.",
            )


def check_item(item: Item, before: Item | None = None) -> Item:
    """Return a record; raise ToolError, with the fault and the remedy, if it cannot be stored or is too large.

    A record that was stored before there were bounds may change but not grow.
    """
    check_properties(item.properties)
    check_text(_list_new(item, before), ToolError)
    for bound in BOUNDS:
        most = max(bound.most, bound.measure(before) if before else 0)
        if (size := bound.measure(item)) > most:
            raise ToolError(bound.message.format(size, most), bound.hint)
    return item


def _list_new(item: Item, before: Item | None) -> list[object]:
    """Return the texts of a record that are new in it."""
    if before is None:
        return [item.content, item.properties]
    changed = {key: value for key, value in item.properties.items() if before.properties.get(key) != value}
    return [changed, *([item.content] if item.content != before.content else [])]


def to_one_line(content: str) -> str:
    """Return content as one printable line, which cannot break out of the prompt.

    Raises:
        ToolError: It is empty, too long, or no text.
    """
    check_text(content, ToolError)
    text = "".join(c for c in " ".join(content.split()) if c.isprintable())
    if not text:
        raise ToolError("A Global Context line cannot be empty.", "Say what was learned about the user.")
    if len(text) > LONGEST_LINE:
        raise ToolError(
            f"A Global Context line has at most {LONGEST_LINE} characters; this one has {len(text)}.",
            "Keep what matters, or store the rest as an item.",
        )
    return text
