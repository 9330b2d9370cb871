"""What random filters hardly meet; the rules themselves are held by test_filters_oracle and the suite of backends."""

from collections.abc import Mapping
from zoneinfo import ZoneInfo

import pytest

from ana.memory.filters import And, Compare, DateOperand, Or, find_keys, matches, parse
from ana.memory.item import Item
from ana.values import Json

BERLIN = ZoneInfo("Europe/Berlin")
STAMP = "2026-01-07T23:30:00.000000+00:00"


def thing(**properties: Json) -> Item:
    return Item("abcd2345", "text", properties, STAMP, STAMP)


def holds(where: Mapping[str, Json], zone: str = "Europe/Berlin", **properties: Json) -> bool:
    return matches(parse(where, ZoneInfo(zone)), thing(**properties))


def against(op: str, operand: Json, value: Json, zone: str = "Europe/Berlin") -> bool:
    return holds({"p": {op: operand}}, zone, p=value)


@pytest.mark.parametrize("where", [None, {}, {"$and": [{}]}, {"$or": [{"a": 1}, {}]}, {"a": {"$nin": []}}])
def test_what_means_everything(where: Mapping[str, Json] | None) -> None:
    assert matches(parse(where, BERLIN), thing())


EQUALITY: list[tuple[Json, Json, bool]] = [
    ("caf\u00e9", "CAFE\u0301", True),
    ("a", [["a"]], False),
    ("active", "active ", False),
    (2**53 + 1, float(2**53), False),
    (10**300, 10**300, True),
    (["2026-01-13"], ["2026-01-13T14:30"], False),
    ({"x": 1, "y": 2}, {"y": 2, "x": 1}, True),
    ({"x": 1}, {"x": True}, False),
    ({"x": 1}, {"x": 1, "y": None}, False),
    ("2026-02-30", "2026-02-30", True),
    ("2026-01-13 (tuesday)", "2026-01-13 (tuesday)", True),
]


@pytest.mark.parametrize(("operand", "value", "expected"), EQUALITY)
def test_equality_and_its_relatives(operand: Json, value: Json, expected: bool) -> None:
    assert holds({"p": operand}, p=value) is expected
    assert against("$eq", operand, value) is expected
    assert against("$ne", operand, value) is not expected
    assert against("$in", ["another", operand], value) is expected
    assert against("$nin", ["another", operand], value) is not expected
    assert against("$contains", operand, ["another", value]) is expected


@pytest.mark.parametrize("value", ["m", {"milk": 1}, 5, True, None, [], ["Milk run"], [["milk"]]])
def test_contains_is_for_members_of_lists_and_parts_of_text(value: Json) -> None:
    assert not against("$contains", "milk", value)


@pytest.mark.parametrize("value", ["milk", "Buttermilk run", ["eggs", "MILK"], "x" * 500 + "Milk"])
def test_contains_finds_members_of_lists_and_parts_of_text_in_any_case(value: Json) -> None:
    assert against("$contains", "milk", value)
    assert against("$contains", "MILK", value)


ON: list[tuple[Json, dict[str, Json], bool]] = [
    ("2026-01-14 (Wednesday)", {"anything": "2026-01-14"}, True),
    ("2026-01-14", {"dates": ["2026-01-12", "2026-01-14"]}, True),
    ("2026-01-14", {"start_date": "2026-01-16", "end_date": "2026-01-12"}, False),
    ("2026-01-14", {"start_date": "2026-01-12", "end_date": "someday"}, False),
    ("2026-01-14", {"start": "2026-01-12", "end": "2026-01-16"}, False),
    ("2026-01-07", {}, False),  # created_at and updated_at are on that day
    ({"$gte": "2026-01-12", "$lt": "2026-01-14"}, {"due_date": "2026-01-14"}, False),
    ({"$gt": "2026-01-14"}, {"due_date": "2026-01-14"}, False),
    ({"$gt": "2026-01-13"}, {"due_date": "2026-01-14"}, True),
]


@pytest.mark.parametrize(("window", "held", "expected"), ON)
def test_on_a_day_is_about_every_date_and_stretch_of_an_item(
    window: Json, held: dict[str, Json], expected: bool
) -> None:
    item = Item("abcd2345", "text", held, STAMP, STAMP)
    assert matches(parse({"$on": window}, BERLIN), item) is expected
    assert matches(parse({"$or": [{"a": 1}, {"$on": window}], "type": None}, BERLIN), item) is expected


@pytest.mark.parametrize("window", ["2026-01-14", {"$gte": "2026-01-12", "$lte": "2026-01-14"}])
def test_on_under_a_property_asks_that_property_alone(window: Json) -> None:
    assert parse({"due_date": {"$on": window}}, BERLIN) == parse({"due_date": window}, BERLIN)


def test_contains_understands_dates_and_lists_as_elements() -> None:
    assert against("$contains", "2026-01-13", ["x", "2026-01-13T14:30"])
    assert against("$contains", [1], [[1.0], 2])


NUMBERS: list[tuple[int | float, Json, str]] = [
    (10**400, 10**399, "$lt $lte"),
    (2**53 + 1, 2.0**53, "$lt $lte"),
    (0, "1", ""),
    (0, "2026-01-13", ""),
    (0, {"a": 1}, ""),
]


@pytest.mark.parametrize(("bound", "value", "expected"), NUMBERS)
def test_order_of_numbers(bound: int | float, value: Json, expected: str) -> None:
    assert ordered(bound, value) == set(expected.split())


def ordered(bound: Json, value: Json, zone: str = "Europe/Berlin") -> set[str]:
    return {op for op in ("$gt", "$gte", "$lt", "$lte") if against(op, bound, value, zone)}


EARLIER, LATER, INSIDE, SAME = "$lt $lte", "$gt $gte", "$gte $lte", "$gte $lte $eq"
DATES: list[tuple[str, Json, str]] = [
    # a day as bound takes in the whole day
    ("2026-01-13", "2026-01-12T23:59:59.999999", EARLIER),
    ("2026-01-13", "2026-01-13 14:30", SAME),
    ("2026-01-13", "2026-01-13T23:59:59.999999", SAME),
    ("2026-01-13", "2026-01-14T08:00+1200", SAME),
    ("2026-01-13 (Tuesday)", "2026-01-13", SAME),
    # a moment as bound
    ("2026-01-13T14:30", "2026-01-13T14:30:00.000000", SAME),
    ("2026-01-13T14:30", "2026-01-13T14:29:59.999999", EARLIER),
    ("2026-01-13T14:30", "2026-01-13T14:30:00.000001", LATER),
    ("2026-01-13T14:30 (Tuesday)", "2026-01-13T14:31", LATER),
    # a day as value: neither before nor after its own moments
    ("2026-01-13T14:30", "2026-01-13", INSIDE),
    ("2026-01-13T00:00", "2026-01-13", INSIDE),
    # both ends of the calendar
    ("9999-12-31", "9999-12-31T23:59:59.999999", SAME),
    ("0001-01-01", "0001-01-01T00:00", SAME),
    # what is not a date has no order among dates
    ("2026-01-13", 20260113, ""),
    ("2026-01-13", "soon", ""),
    ("2026-01-13", "2026-02-30", ""),
    ("2026-01-13", "2026-01-13 (Tuesday)", ""),
    ("2026-01-13", ["2026-01-13"], "$eq"),
    ("2026-01-13", "2026-1-13", ""),
]


@pytest.mark.parametrize(("bound", "value", "expected"), DATES)
def test_order_of_dates(bound: str, value: Json, expected: str) -> None:
    wanted = set(expected.split())
    assert ordered(bound, value) == wanted - {"$eq"}
    assert against("$eq", bound, value) is ("$eq" in wanted)
    assert against("$nin", [bound], value) is ("$eq" not in wanted)


CLOCK_CHANGES = [
    # 23 and 25 hours in a day
    ("Europe/Berlin", "2026-03-29", "2026-03-29T21:59:59Z", SAME),
    ("Europe/Berlin", "2026-03-29", "2026-03-29T22:00Z", LATER),
    ("Europe/Berlin", "2026-10-25", "2026-10-25T22:59:59Z", SAME),
    ("Europe/Berlin", "2026-10-25", "2026-10-25T23:00Z", LATER),
    ("America/New_York", "2026-11-01", "2026-11-02T04:59:59Z", SAME),
    # skipped and repeated times read with the offset before the change
    ("Europe/Berlin", "2026-03-29T01:30Z", "2026-03-29T02:30", SAME),
    ("Europe/Berlin", "2026-10-25T00:30Z", "2026-10-25T02:30", SAME),
    ("Australia/Lord_Howe", "2026-10-03T15:45Z", "2026-10-04T02:15", SAME),
    ("Australia/Lord_Howe", "2026-04-04T14:45Z", "2026-04-05T01:45", SAME),
    # midnight itself skipped or repeated
    ("America/Sao_Paulo", "2018-11-04", "2018-11-04T02:59:59Z", EARLIER),
    ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00Z", SAME),
    ("America/Havana", "2026-11-01", "2026-11-01T04:00Z", SAME),
    ("America/Havana", "2026-11-01", "2026-11-01T03:59:59Z", EARLIER),
    # a day that never was still has its place
    ("Pacific/Apia", "2011-12-30", "2011-12-29", EARLIER),
    ("Pacific/Apia", "2011-12-30", "2011-12-30", SAME),
    ("Pacific/Apia", "2011-12-30", "2011-12-31", LATER),
    ("Pacific/Apia", "2011-12-29", "2011-12-30", LATER),
    ("Pacific/Apia", "2011-12-31", "2011-12-30", EARLIER),
    ("Pacific/Apia", "2011-12-30", "2011-12-31T00:00", LATER),
    ("Pacific/Apia", "2011-12-31T00:00", "2011-12-30", EARLIER),
    ("Pacific/Apia", "2011-12-29", "2011-12-30T09:59:59.999999Z", SAME),
    # the far east and west of the calendar
    ("Pacific/Kiritimati", "2026-01-13", "2026-01-12T10:00Z", SAME),
    ("Pacific/Pago_Pago", "2026-01-13", "2026-01-14T10:59:59Z", SAME),
    ("Pacific/Kiritimati", "0001-01-01", "0001-01-01", SAME),
    ("Pacific/Pago_Pago", "9999-12-31", "9999-12-31", SAME),
]


@pytest.mark.parametrize(("zone", "bound", "value", "expected"), CLOCK_CHANGES)
def test_days_where_the_clock_changes(zone: str, bound: str, value: str, expected: str) -> None:
    wanted = set(expected.split())
    assert ordered(bound, value, zone) == wanted - {"$eq"}
    assert against("$eq", bound, value, zone) is ("$eq" in wanted)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"id": "ABCD2345"}, True),
        ({"updated_at": {"$lt": "2026-01-08T00:30"}}, False),
        ({"created_at": {"$eq": "2026-01-08T00:30"}}, True),
        ({"created_at": None}, False),
        ({"content": "text"}, False),
    ],
)
def test_the_items_own_fields(where: dict[str, Json], expected: bool) -> None:
    assert holds(where) is expected


def test_a_property_named_like_a_field_wins() -> None:
    assert holds({"id": 7, "created_at": {"$lt": "2020-01-01"}}, id=7, created_at="2019-05-05")
    assert not holds({"id": "abcd2345"}, id=7)
    assert holds({"id": None}, id=None)


def test_the_tree_has_its_operands_normalised() -> None:
    node = parse({"due": "2026-01-13 (Tuesday)", "$or": [{"a": {"$in": [1, None]}}, {"b": {"$gt": 2}}]}, BERLIN)
    day = DateOperand(1768258800_000000, 1768345200_000000, BERLIN)
    either = Or((Compare("a", "$in", (1, None)), Compare("b", "$gt", 2)))
    assert node == And((Compare("due", "$eq", day), either))
    assert find_keys(node) == {"due", "a", "b"}
    assert find_keys(parse(None, BERLIN)) == set()
