"""What any store of items can do."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol

from ana.memory.item import Item
from ana.values import Json, Properties

First = Literal["id", "phrase", "tag"]


@dataclass(frozen=True)
class Reason:
    """Why an item was found.

    Args:
        vector: Cosine of its vector and the query's; None where no text was given.
        words: The words of the query that it has.
        date: Its date, where the query named that day.
        first: What put it before all others: its id, a quoted phrase or a tag.
        filter: Whether it also passed a filter.
    """

    vector: float | None = None
    words: tuple[str, ...] = ()
    date: str | None = None
    first: First | None = None
    filter: bool = False


@dataclass(frozen=True)
class Found:
    """A query's answer.

    Args:
        items: At most `limit`, best first.
        total: How many items the filter matches.
        truncated: Whether `items` is not all of them.
        unknown: Keys of the filter that no item has, told when nothing matches.
        reasons: Why each of them was found.
        due: First and last day, where the text was taken as the question what is due then.
    """

    items: list[Item]
    total: int
    truncated: bool
    unknown: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    due: tuple[date, date] | None = None


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
