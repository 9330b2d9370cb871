"""An invalid filter is refused in words that the model can act on."""

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from ana.errors import ToolError
from ana.memory.filters import parse
from ana.values import Json

BERLIN = ZoneInfo("Europe/Berlin")

TODAY = date(2026, 11, 22)

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
    ({"$gt": 5}, "$gt is used without a property.", '{"due_date": {"$gt": ...}}'),
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
    (
        {"p": {"$lte": "2026-01-13 (Tue)"}},
        "$lte on 'p' has the bound '2026-01-13 (Tue)', which is not a date.",
        '"2026-01-13"',
    ),
    ({"p": {"$lte": "2026-01-13T25:00"}}, "$lte on 'p' has the bound '2026-01-13T25:00', which is not a date.", "YYYY"),
    ({"p": {"$gt": "tomorrow"}}, "$gt on 'p' has the bound 'tomorrow', which is not a date.", '"2026-11-23"'),
    (
        {"due_date": {"gte": 1, "lte": "2026-11-29"}},
        "The filter on 'due_date' has gte, lte without $.",
        '{"$gte": 1, "$lte"',
    ),
    ({"due_date": "2026-13-45"}, "'2026-13-45' under 'due_date' is not a date of the calendar.", "YYYY-MM-DD"),
    (
        {"due_date": "this week"},
        "'this week' under 'due_date' is not a date.",
        '{"due_date": {"$gte": "2026-11-16", "$lte',
    ),
    ({"end_date": "wednesday"}, "'wednesday' under 'end_date' is not a date.", '{"end_date": "2026-11-25"}'),
    (
        {"due_date": {"$in": ["2026-25-11"]}},
        "'2026-25-11' under 'due_date' is not a date.",
        '{"due_date": "2026-11-25"}',
    ),
    ({"created_at": "2026-11"}, "'2026-11' under 'created_at' is not a date.", '"$lte": "2026-11-30"}'),
    ({"due": {"$lte": "this week"}}, "$lte on 'due' has the bound 'this week', which is not a date.", '"2026-11-22"'),
    ({"$on": "wednesday"}, "$gte on '$on' has the bound 'wednesday', which is not a date.", '"2026-11-25"'),
    ({"$on": 5}, "$on needs a date, not a number.", '{"$on": "2026-01-13"}'),
    ({"$on": {"$gte": "2026-11-25", "$lte": "2026-11-24"}}, "The days of $on end before they begin.", "$gte"),
    ({"$on": {}}, "$on has an object without bounds.", '{"$gte": DATE'),
    ({"$on": ["2026-11-25"]}, "$gte on '$on' has a list as its bound, which has no order.", "Only dates"),
    ({"due_date": {"$on": 5}}, "$on needs a date, not a number.", '{"$on": "2026-01-13"}'),
    ({"p": {"$exists": True}}, "The filter on 'p' uses $exists, which is not an operator.", '{"p": {"$ne": null}}'),
    (
        {"p": {"$between": [1, 2]}},
        "The filter on 'p' uses $between, which is not an operator.",
        '{"p": {"$gte": ..., "$lte"',
    ),
    ({"p": {"$gt": "2026-01-13 (Monday)"}}, "2026-01-13 is a Tuesday, not a Monday.", "Decide"),
    ({"p": "2026-01-13 (Monday)"}, "2026-01-13 is a Tuesday, not a Monday.", "Decide"),
    ({"p": {"$in": ["2026-01-13 (Monday)"]}}, "2026-01-13 is a Tuesday, not a Monday.", "Decide"),
]


@pytest.mark.parametrize(("where", "message", "hint"), ERRORS)
def test_errors_say_what_is_wrong_and_how_to_write_it(where: object, message: str, hint: str) -> None:
    with pytest.raises(ToolError) as caught:
        parse(where, BERLIN, TODAY)  # type: ignore[arg-type]  # also what is no filter is refused
    assert caught.value.message == message
    assert hint in caught.value.hint


@pytest.mark.parametrize("where", [{"due_date": "someday"}, {"due_date": {"$contains": "2026-11"}}, {"note": "today"}])
def test_words_that_name_no_date_or_stand_elsewhere_are_compared(where: dict[str, Json]) -> None:
    assert parse(where, BERLIN, TODAY)


def test_endless_nesting_is_refused() -> None:
    where: dict[str, Json] = {"a": 1}
    for _ in range(5000):
        where = {"$and": [where]}
    with pytest.raises(ToolError, match="deep"):
        parse(where, BERLIN)
