"""What any store of items can do."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from ana.store.item import Item, Json, Properties


@dataclass(frozen=True)
class Found:
    """A query's answer.

    Args:
        items: At most `limit`, best first.
        total: How many items the filter matches.
        truncated: Whether `items` is not all of them.
        unknown: Keys of the filter that no item has, told when nothing matches.
    """

    items: list[Item]
    total: int
    truncated: bool
    unknown: tuple[str, ...] = ()


class Store(Protocol):
    """The verbs every store has. Ids are unique; content and properties come back exactly as they went in."""

    def add(self, content: str, properties: Properties | None = None, *, id: str | None = None) -> Item:
        """Keep something new.

        Raises:
            ToolError: The id is taken, or a property cannot be stored.
        """

    def get(self, id: str) -> Item | None:
        """The item with this id, or None."""

    def update(self, id: str, content: str | None = None, properties: Mapping[str, Json] | None = None) -> Item:
        """Replace the content, merge the properties; a property set to None is removed.

        Raises:
            ToolError: There is no such item, or a property cannot be stored.
        """

    def delete(self, id: str) -> Item:
        """Remove an item and return it as it was.

        Raises:
            ToolError: There is no such item.
        """

    def upsert(self, item: Item) -> None:
        """Make the stored item equal to this one, whatever was there."""

    def query(self, text: str | None = None, where: Mapping[str, Json] | None = None, limit: int = 10) -> Found:
        """Items by meaning (nearest first), by property, or both; without text by date property, then newest.

        Raises:
            ToolError: The filter is not one.
        """

    def count(self) -> int:
        """How many items there are."""

    def scan(self, page: int = 1000) -> Iterator[Item]:
        """Every item, read `page` at a time."""
