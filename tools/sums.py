"""The totals of a query: the sums of those numbers that all matching items have."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from ana.memory.filters.matching import is_number
from ana.memory.item import Item
from ana.memory.search.result import QueryResult
from ana.memory.vocabulary import OURS
from ana.values import Json, to_number
from tools.call import CallContext


def tell_sums(
    call: CallContext, matches: QueryResult, where: Mapping[str, Any] | None, ranked_by: Sequence[str]
) -> dict[str, Json]:
    """Return the totals of those numbers that every item matching a filter has, whether the item is shown or not.

    Args:
        ranked_by: The texts that rank the items: a ranked list has no natural end, and so no total.
    """
    # most queries read nothing more, as not all that is shown has a number
    if any(ranked_by) or len(matches.items) < 2 or not _list_numbers(matches.items):
        return {}
    every = call.memory.find(None, where, matches.total).items if matches.truncated else matches.items
    sums = {key: sum(Decimal(str(each.properties[key])) for each in every) for key in _list_numbers(every)}
    return {"sums": {key: to_number(Decimal(total)) for key, total in sums.items()}} if sums else {}


def _list_numbers(items: Sequence[Item]) -> list[str]:
    """Return the properties that are a number in every one of these items, without those that are only a rank."""
    numbers = [{key for key, value in item.properties.items() if is_number(value)} for item in items]
    return [key for key in items[0].properties if key not in OURS and all(key in each for each in numbers)]
