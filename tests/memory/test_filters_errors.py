"""An invalid filter is refused in words that the model can act on."""

from zoneinfo import ZoneInfo

import pytest

from ana.errors import ToolError
from ana.memory.filters import parse
from ana.values import Json

BERLIN = ZoneInfo("Europe/Berlin")

ERRORS: list[tuple[object, str, str]] = [
    ([], "A filter is an object, not a list.", '{"status": "active"}'),
    ("status=active", "A filter is an object, not text.", '{"status": "active"}'),
    (5, "A filter is an object, not a number.", '{"status": "active"}'),
    ({"$and": []}, "$and needs a list of filters, not an empty list.", '{"$and": ['),
    ({"$or": []}, "$or needs a list of filters, not an empty list.", '{"$or": ['),
    ({"$or": {"a": 1}}, "$or needs a list of filters, not an object.", '{"$or": ['),
    ({"$and": None}, "$and needs a list of filters, not null.", '{"$and": ['),
    ({"$or": [1]}, "A filter is an object, not a number.", '{"status"'),
    ({"$and": [{"$or": [True]}]}, "A filter is an object, not true.", '{"status"'),
    ({"$not": {"a": 1}}, "$not is not an operator.", "$eq $ne"),
    ({"$gt": 5}, "$gt is used without a property.", '{"due": {"$gt": ...}}'),
    ({"due": {"$before": "x"}}, "The filter on 'due' uses $before, which is not an operator.", "$contains"),
    ({"due": {"$GT": 5}}, "The filter on 'due' uses $GT, which is not an operator.", "$gt"),
    ({"due": {"$or": [1, 2]}}, "$or is used inside the property 'due'.", '{"$or": [{"due": ...}'),
    ({"due": {"$gt": 1, "x": 2}}, "The filter on 'due' mixes operators with the name 'x'.", "Write"),
    ({"due": {"$ne": {"$gt": 5}}}, "The filter on 'due' has an operator where a plain value is needed.", "$in"),
    ({"due": {"$in": [{"$gt": 5}]}}, "The filter on 'due' has an operator where a plain value is needed.", "$in"),
    ({"s": {"$in": "a"}}, "$in on 's' needs a list, not text.", '{"s": {"$in": ["a", "b"]}}'),
    ({"s": {"$nin": None}}, "$nin on 's' needs a list, not null.", '{"s": {"$nin"'),
    ({"s": {"$in": {"a": 1}}}, "$in on 's' needs a list, not an object.", '{"s": {"$in"'),
    ({"p": {"$gt": True}}, "$gt on 'p' has true as its bound, which has no order.", "Only dates and numbers"),
    ({"p": {"$lt": False}}, "$lt on 'p' has false as its bound, which has no order.", "Only dates and numbers"),
    ({"p": {"$gte": None}}, "$gte on 'p' has null as its bound, which has no order.", "Only dates and numbers"),
    ({"p": {"$lte": [1]}}, "$lte on 'p' has a list as its bound, which has no order.", "Only dates and numbers"),
    ({"p": {"$gt": {"a": 1}}}, "$gt on 'p' has an object as its bound, which has no order.", "Only dates"),
    ({"p": {"$gt": float("nan")}}, "$gt on 'p' has a number as its bound, which has no order.", "Only dates"),
    ({"p": {"$gt": "high"}}, "$gt on 'p' has the bound 'high', which is not a date.", "YYYY-MM-DD"),
    ({"p": {"$lt": "5"}}, "$lt on 'p' has the bound '5', which is not a date.", "a number without quotes"),
    ({"p": {"$lte": "2026-02-30"}}, "$lte on 'p' has the bound '2026-02-30', which is not a date.", "YYYY-MM-DD"),
    ({"p": {"$lte": "2026-01-13 (Tue)"}}, "$lte on 'p' has the bound '2026-01-13 (Tue)', which is not a date.", "YYYY"),
    ({"p": {"$lte": "2026-01-13T25:00"}}, "$lte on 'p' has the bound '2026-01-13T25:00', which is not a date.", "YYYY"),
    ({"p": {"$gt": "tomorrow"}}, "$gt on 'p' has the bound 'tomorrow', which is not a date.", "YYYY-MM-DD"),
    ({"p": {"$gt": "2026-01-13 (Monday)"}}, "2026-01-13 is a Tuesday, not a Monday.", "Decide"),
    ({"p": "2026-01-13 (Monday)"}, "2026-01-13 is a Tuesday, not a Monday.", "Decide"),
    ({"p": {"$in": ["2026-01-13 (Monday)"]}}, "2026-01-13 is a Tuesday, not a Monday.", "Decide"),
]


@pytest.mark.parametrize(("where", "message", "hint"), ERRORS)
def test_errors_say_what_is_wrong_and_how_to_write_it(where: object, message: str, hint: str) -> None:
    with pytest.raises(ToolError) as caught:
        parse(where, BERLIN)  # type: ignore[arg-type]  # also what is no filter is refused
    assert caught.value.message == message
    assert hint in caught.value.hint


def test_endless_nesting_is_refused() -> None:
    where: dict[str, Json] = {"a": 1}
    for _ in range(5000):
        where = {"$and": [where]}
    with pytest.raises(ToolError, match="deep"):
        parse(where, BERLIN)
