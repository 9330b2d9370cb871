"""How large a record may be, for every way in.

The bounds are those of use, far below those of any database: a record is read, shown, exported and kept in the journal
as a whole. Measured on two cores with Chroma 1.5.9: 1,000 properties are stored in .1 s, lists of 500,000 characters in
1 s, a content of 2,000,000 in .4 to 3 s. Chroma alone takes documents and values of hundreds of megabytes, slowly, and
5,460 properties not at all: see `MOST_NAMES` in ana/backends/chroma/metadata.py.
"""

import json
from collections.abc import Callable
from typing import NamedTuple

from ana.errors import ToolError
from ana.memory.item import Item, check_properties
from ana.time.repeats import ALSO, MOST_ALSO


class Bound(NamedTuple):
    """The largest number of something that a record may have."""

    most: int
    measure: Callable[[Item], int]
    said: str  # of a record with more, given both numbers
    hint: str


BOUNDS = (
    Bound(
        1000,
        lambda item: len(item.properties),
        "It would have {:,} properties; an item has at most {:,}.",
        "Keep several items, or the rest in the content as text.",
    ),
    Bound(
        200,
        lambda item: max(map(len, item.properties), default=0),
        "The name of a property would have {:,} characters; it has at most {:,}.",
        "Give it a short name, and put the text into the value or the content.",
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


def check_item(item: Item, before: Item | None = None) -> Item:
    """Return a record; ToolError, which says what of it and what to do, if it cannot be stored, or is too large.

    What was stored before there were bounds may change, and not grow.
    """
    check_properties(item.properties)
    for bound in BOUNDS:
        most = max(bound.most, bound.measure(before) if before else 0)
        if (size := bound.measure(item)) > most:
            raise ToolError(bound.said.format(size, most), bound.hint)
    return item
