"""Records that a reader found."""

from dataclasses import dataclass

from ana.memory.item import Item


@dataclass(frozen=True)
class ForeignRecords:
    """The records of a file or folder of another program; reading it twice gives the same.

    Args:
        items: Under ids that follow from the source.
        lines: Global Context lines in their order, each one line of any length.
    """

    items: list[Item]
    lines: list[str]
