"""Random filters against a naive second reading of the rules: calendar dates and moments, no spans, no tree."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ana.memory.filters import matches, parse
from ana.memory.item import Item
from ana.values import Json
from tests.examples import examples

ZONES = [
    "Pacific/Pago_Pago",
    "America/New_York",
    "America/Sao_Paulo",
    "America/Havana",
    "UTC",
    "Europe/Berlin",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Kiritimati",
]
EDGES = [
    date(2011, 12, 29),
    date(2011, 12, 30),
    date(2011, 12, 31),
    date(2018, 11, 3),
    date(2024, 2, 29),
    date(2025, 12, 31),
    date(2026, 1, 1),
    date(2026, 3, 8),
    date(2026, 3, 29),
    date(2026, 4, 5),
    date(2026, 10, 4),
    date(2026, 10, 25),
    date(2026, 11, 1),
    date(2028, 2, 28),
]
TIMES = ["00:00", "00:30", "01:30", "01:45", "02:15", "02:30", "03:00", "12:00", "23:30", "23:59:59.999999"]
SUFFIXES = ["", "", "", "Z", "+00:00", "+14:00", "-11:00", "+0545"]


def evenly(*kinds: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return values of each kind as often as of the others; `one_of` counts each part of a kind as a kind."""
    return st.sampled_from(kinds).flatmap(lambda kind: kind)


days = st.one_of(
    st.builds(lambda day, more: day + timedelta(more), st.sampled_from(EDGES), st.integers(-1, 1)),
    st.dates(date(1971, 1, 1), date(2037, 12, 31)),
)
times = st.one_of(st.sampled_from(TIMES), st.times().map(lambda time: time.isoformat()))
moments = st.builds("{}T{}{}".format, days, times, st.sampled_from(SUFFIXES))
dates = st.one_of(days.map(str), days.map(str), moments)
plain: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([0.5, 1.0, -2.0, 2**60]),
    st.sampled_from(["", "a", "A", "5", "Straße", "STRASSE", "é", "É", "x" * 450 + "a"]),
)
scalars = st.one_of(plain, dates)
values = st.one_of(
    scalars, dates, st.lists(scalars, max_size=3), st.dictionaries(st.sampled_from("xy"), plain, max_size=2)
)
keys = st.sampled_from(["a", "b", "created_at", "id", "start_date", "end_date"])
properties = st.dictionaries(keys, values, max_size=4)
bounds = st.one_of(dates, st.integers(-2, 2), st.just(0.5))
conditions = evenly(
    values,
    st.builds(lambda op, value: {op: value}, st.sampled_from(["$eq", "$ne", "$contains"]), values),
    st.builds(lambda op, value: {op: value}, st.sampled_from(["$in", "$nin"]), st.lists(values, max_size=3)),
    st.dictionaries(st.sampled_from(["$gt", "$gte", "$lt", "$lte"]), bounds, min_size=1, max_size=2),
)
windows = st.one_of(
    st.builds(lambda day: {"$on": day}, dates),
    st.builds(lambda op, day: {"$on": {op: day}}, st.sampled_from(["$gte", "$lte"]), dates),
    st.builds(
        lambda day, more: {"$on": {"$gte": str(day), "$lte": str(day + timedelta(more))}}, days, st.integers(0, 9)
    ),
)
simple = evenly(st.dictionaries(keys, conditions, max_size=2), windows)
filters = st.recursive(
    simple,
    lambda inner: st.builds(
        lambda op, parts, also: {**also, op: parts},
        st.sampled_from(["$and", "$or"]),
        st.lists(inner, min_size=1, max_size=3),
        simple,
    ),
    max_leaves=4,
)


def read(value: object, zone: ZoneInfo) -> date | datetime | None:
    """A bare date as date, anything with a time as an aware moment in UTC."""
    if not isinstance(value, str) or len(value) < 10 or not value[0].isdigit():
        return None
    if len(value) == 10:
        return date.fromisoformat(value)
    moment = datetime.fromisoformat(value)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


def compared(value: object, bound: object, zone: ZoneInfo) -> int | None:
    """-1, 0, 1 as the value is before, level with or after the bound; None where they cannot be compared."""
    if isinstance(bound, int | float):
        if not isinstance(value, int | float) or isinstance(value, bool):
            return None
        return (value > bound) - (value < bound)
    left, right = read(value, zone), read(bound, zone)
    if left is None or right is None:
        return None
    if isinstance(left, datetime) != isinstance(right, datetime):
        left, right = calendar_day(left, zone), calendar_day(right, zone)
    return (left > right) - (left < right)


def calendar_day(moment: date | datetime, zone: ZoneInfo) -> date:
    return moment.astimezone(zone).date() if isinstance(moment, datetime) else moment


def equal(value: object, operand: object, zone: ZoneInfo) -> bool:
    if isinstance(value, list) and operand is not None and not isinstance(operand, list):
        return any(equal(each, operand, zone) for each in value if not isinstance(each, list))
    if read(operand, zone):
        bare_against_moment = len(str(value)) == 10 and len(str(operand)) > 10
        return compared(value, operand, zone) == 0 and not bare_against_moment
    if isinstance(value, str) and isinstance(operand, str):
        return value.casefold() == operand.casefold()
    return canonical(value) == canonical(operand)


def on(fields: dict[str, Any], window: object, zone: ZoneInfo) -> bool:
    """Every date of an item, and every day and moment from its start_date to its end_date, one by one."""
    bounds = window if isinstance(window, dict) else {"$gte": window, "$lte": window}
    first, last = fields.get("start_date"), fields.get("end_date")
    values = [each for value in fields.values() for each in (value if isinstance(value, list) else [value])]
    if any(all(satisfies(each, op, bound, zone) for op, bound in bounds.items()) for each in values):
        return True
    if not read(first, zone) or not read(last, zone) or compared(first, last, zone) == 1:
        return False
    # a stretch is off the window if it begins after it or ends before it
    return satisfies(last, "$gte", bounds.get("$gte", "0001-01-01"), zone) and satisfies(
        first, "$lte", bounds.get("$lte", "9999-12-31"), zone
    )


def as_list(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


def canonical(value: object) -> object:
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, list):
        return [canonical(each) for each in value]
    if isinstance(value, dict):
        return {key: canonical(each) for key, each in value.items()}
    return value


def meant(where: dict[str, Any], item: Item, zone: ZoneInfo) -> bool:
    for key, condition in where.items():
        if key == "$and":
            ok = all(meant(each, item, zone) for each in condition)
        elif key == "$on":
            own = ("id", "created_at", "updated_at")
            ok = on({name: value for name, value in item.properties.items() if name not in own}, condition, zone)
        elif key == "$or":
            ok = any(meant(each, item, zone) for each in condition)
        else:
            fields = {"id": item.id, "created_at": item.created_at, **item.properties}
            by_operator = isinstance(condition, dict) and any(op.startswith("$") for op in condition)
            pairs = condition.items() if by_operator else [("$eq", condition)]
            ok = all(satisfies(fields.get(key), op, operand, zone) for op, operand in pairs)
        if not ok:
            return False
    return True


def satisfies(value: object, op: str, operand: object, zone: ZoneInfo) -> bool:
    if op in ("$eq", "$ne"):
        return equal(value, operand, zone) == (op == "$eq")
    if op in ("$in", "$nin"):
        return any(equal(value, each, zone) for each in as_list(operand)) == (op == "$in")
    if op == "$contains":
        if isinstance(value, str) and isinstance(operand, str) and not read(operand, zone):
            return operand.casefold() in value.casefold()
        if not isinstance(value, list):
            return bool(read(operand, zone)) and equal(value, operand, zone)
        return any(
            equal(each, operand, zone) for each in value if isinstance(operand, list) or not isinstance(each, list)
        )
    order = compared(value, operand, zone)
    if order is None:
        return False
    return {"$gt": order > 0, "$gte": order >= 0, "$lt": order < 0, "$lte": order <= 0}[op]


@settings(max_examples=examples(1500))
@given(where=filters, held=properties, moment=moments, zone=st.sampled_from(ZONES))
def test_random_filters_agree_with_the_naive_reading(
    where: dict[str, Any], held: dict[str, Json], moment: str, zone: str
) -> None:
    stamp = datetime.fromisoformat(moment).replace(tzinfo=UTC).isoformat(timespec="microseconds")
    item = Item("a", "text", held, stamp, stamp)
    assert matches(parse(where, ZoneInfo(zone)), item) is meant(where, item, ZoneInfo(zone))


@settings(max_examples=examples(2500))
@given(value=dates, bound=dates, zone=st.sampled_from(ZONES))
@example("2011-12-30", "2011-12-30", "Pacific/Apia")
def test_dates_agree_with_the_naive_reading_and_complement_each_other(value: str, bound: str, zone: str) -> None:
    def holds(op: str) -> bool:
        return matches(parse({"p": {op: bound}}, ZoneInfo(zone)), Item("a", "", {"p": value}, "", ""))

    for op in ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte"):
        assert holds(op) is satisfies(value, op, bound, ZoneInfo(zone)), op
    assert holds("$lt") != holds("$gte")
    assert holds("$gt") != holds("$lte")
    assert not (holds("$eq") and (holds("$lt") or holds("$gt")))
