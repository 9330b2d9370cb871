"""The answer to a query, with the reasons."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Literal, NamedTuple

from ana.memory.filters import EVERY_ITEM, Node
from ana.memory.item import Item

First = Literal["id", "phrase", "tag"]


@dataclass(frozen=True)
class Reason:
    """The reason for which an item was found.

    Args:
        vector: Cosine of its vector and the query's; None without a text.
        words: The words of the query that it has.
        date: Its date, if the query named that day.
        first: The reason why it comes before all others: its id, a quoted phrase or a tag.
        filter: Whether it passed a filter as well.
        share: The score of its words, 0 to 1; also words that are only like the query's count.
        score: The score by which it is ranked.
    """

    vector: float | None = None
    words: tuple[str, ...] = ()
    date: str | None = None
    first: First | None = None
    filter: bool = False
    share: float = 0.0
    score: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return it without the reasons that do not apply."""
        return {
            name: round(value, 3) if isinstance(value, float) else value
            for name, value in asdict(self).items()
            if (value or (name == "vector" and value is not None)) and name != "score"
        }


class OtherDates(NamedTuple):
    """The number of other dates of a repeating item within the days of a query, before the shown one and after it."""

    before: int
    after: int


@dataclass(frozen=True)
class QueryResult:
    """A query's answer.

    Args:
        items: At most `limit`, best first.
        total: The number of items that the filter matches.
        truncated: Whether `items` is not all of them.
        reasons: Why each of them was found.
        due: First and last day, if the text was read as a question about due items in that time.
        explain: Returns why nothing was found, in a sentence or two; empty if something was, or nobody knows. It asks
            the store again, and most who find nothing do not tell why.
        other_dates: The other passing dates of repeated items, by id, if the query has a first and a last day.
        stored: The repeated ones of the items in stored form, by id; `items` have the dates of an occurrence.
        where: The filter, as it was read.
        unread: A sentence if not all of the text was read; else empty.
        is_overdue: Whether it is the answer to a question for overdue items.
        fitting: The number of items that fit the text, which come first; if it is 0, the items are merely the nearest.
            None without a text that is compared.
    """

    items: list[Item]
    total: int
    truncated: bool
    reasons: tuple[Reason, ...] = ()
    due: tuple[date, date] | None = None
    explain: Callable[[], str] = field(default=str, compare=False)
    other_dates: Mapping[str, OtherDates] = field(default_factory=dict)
    stored: Mapping[str, Item] = field(default_factory=dict, kw_only=True)
    where: Node = EVERY_ITEM
    unread: str = ""
    is_overdue: bool = False
    fitting: int | None = None
