"""The result of a reader."""

from dataclasses import dataclass, field

from ana.memory.item import Item


@dataclass(frozen=True)
class ForeignRecords:
    """The records of a file or folder of another program; a second reading gives the same.

    Args:
        items: Items, under ids made from the source.
        lines: Global Context lines in order, of any length.
        notes: What was left out, and what means less here than there, a sentence each.
    """

    items: list[Item]
    lines: list[str]
    notes: list[str] = field(default_factory=list)
