"""Random rules, zones, windows and filters, against an oracle that first expands everything and then asks."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from secrets import token_hex
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ana.backends.in_memory import InMemoryBackend
from ana.backends.postgres.backend import PostgresBackend
from ana.memory.backend import Backend
from ana.memory.changes import Change, Entry
from ana.memory.filters import And, Compare, Node, On, Or, matches, parse
from ana.memory.item import Item
from ana.memory.search.query import Query, parse_query
from ana.memory.travel import read_item_repeat
from ana.memory.views import show_occurrence
from ana.time.repeats import DATE_KEYS, Occurrence, Repeat, iter_between
from ana.time.spans import read_date_span
from ana.values import Properties
from tests.conftest import EMBEDDER
from tests.examples import examples
from tests.memory.test_filters_oracle import ZONES
from tests.postgres.server import database

ZONE = ZoneInfo("UTC")
BEGIN, NOW, END = date(2026, 1, 1), datetime(2026, 3, 30, 10, tzinfo=UTC), date(2028, 1, 1)
RULES = (
    "FREQ=DAILY",
    "FREQ=DAILY;BYHOUR=2,14;BYMINUTE=30",
    "FREQ=WEEKLY;BYDAY=FR",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU",
    "FREQ=MONTHLY;BYMONTHDAY=31",
    "FREQ=MONTHLY;BYDAY=-1MO",
    "FREQ=YEARLY",
    "every second weekend",
    "not a rule",
)
OFFSETS = st.integers(0, 200).map(lambda n: BEGIN + timedelta(days=n))
TIMES = st.sampled_from(["", "T00:00", "T02:30", "T18:15", "T23:59", "T08:00+02:00"])
MOMENTS = st.builds(lambda day, time: f"{day}{time}", OFFSETS, TIMES)


@st.composite
def items(draw: st.DrawFn) -> Properties:
    properties: Properties = {"repeats": draw(st.sampled_from(RULES))} if draw(st.integers(0, 4)) else {}
    properties["also"] = [*draw(st.lists(MOMENTS, max_size=3))]
    if draw(st.booleans()):
        properties["due_date"] = draw(MOMENTS)
    else:
        day, length = draw(OFFSETS), draw(st.integers(0, 3))
        time = draw(st.sampled_from(["", "T09:00"]))
        properties |= {"start_date": f"{day}{time}", "end_date": f"{day + timedelta(days=length)}{time}"}
    properties["type"] = draw(st.sampled_from(["task", "event"]))
    properties["until"] = str(draw(OFFSETS) + timedelta(days=100)) if draw(st.booleans()) else None
    properties["except"] = [str(day) for day in draw(st.lists(OFFSETS, max_size=3))]
    if draw(st.booleans()):
        properties["moved"] = {str(draw(OFFSETS)): str(draw(OFFSETS))}
    return properties


BOUNDS = st.one_of(OFFSETS.map(str), MOMENTS)
LEAVES = st.one_of(
    st.builds(
        lambda key, bounds: {key: bounds},
        st.sampled_from(["due_date", "start_date", "end_date"]),
        st.one_of(
            BOUNDS,
            st.dictionaries(st.sampled_from(["$gt", "$gte", "$lt", "$lte", "$ne"]), BOUNDS, min_size=1, max_size=2),
            st.builds(lambda op, days: {op: days}, st.sampled_from(["$in", "$nin"]), st.lists(BOUNDS, max_size=2)),
            st.sampled_from([None, {"$ne": None}]),
        ),
    ),
    BOUNDS.map(lambda day: {"$on": day}),
    st.builds(
        lambda day, n: {"$on": {"$gte": str(day), "$lte": str(day + timedelta(days=n))}}, OFFSETS, st.integers(0, 9)
    ),
    st.sampled_from([{"type": "task"}, {"type": {"$ne": "task"}}, {"color": {"$ne": "red"}}, {"color": "red"}]),
)
FILTERS = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda op, parts: {op: parts}, st.sampled_from(["$and", "$or"]), st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=4,
)


def find_passing(node: Node, item: Item, zone: ZoneInfo) -> list[Occurrence | None]:
    """Return the occurrences by which an item passes; None is what does not repeat."""
    repeat = read_item_repeat(item, zone)
    every = [*iter_between(repeat, BEGIN - timedelta(days=30), END)] if repeat else []
    if repeat is None or not every:
        return [None] if matches(node, item) else []
    shown = [show_occurrence(item, each.dates) for each in every]
    counts = [is_counted(node, repeat, each, zone) for each in every]
    excluding = {
        id(leaf): all(matches(leaf, each) for each in shown) for leaf in iter_leaves(node) if is_excluding(leaf)
    }
    return [
        each
        for each, own, counted in zip(every, shown, counts, strict=True)
        if counted and passes(node, own, excluding)
    ]


def is_excluding(node: Node) -> bool:
    """Whether a comparison has to hold for every occurrence."""
    return isinstance(node, Compare) and node.op in ("$ne", "$nin") and node.key in DATE_KEYS


def passes(node: Node, own: Item, excluding: dict[int, bool]) -> bool:
    if isinstance(node, And):
        return all(passes(part, own, excluding) for part in node.parts)
    if isinstance(node, Or):
        return any(passes(part, own, excluding) for part in node.parts)
    if is_excluding(node):
        return excluding[id(node)]
    if isinstance(
        node, On
    ):  # a date that is left out, or the last one, says something of the rule and is none of its own
        rule = ("until", "except", "also")
        own = replace(own, properties={key: value for key, value in own.properties.items() if key not in rule})
    return matches(node, own)


def is_counted(node: Node, repeat: Repeat, each: Occurrence, zone: ZoneInfo) -> bool:
    """Whether an occurrence counts: what passed by itself does only if the filter names days and says from when on."""
    leaves = [*iter_leaves(node)]
    asking = [leaf for leaf in leaves if isinstance(leaf, On) or leaf.op not in ("$ne", "$nin")]
    days = [leaf for leaf in asking if isinstance(leaf, On) or (leaf.key in DATE_KEYS and has_day(leaf))]
    begins = [leaf for leaf in days if isinstance(leaf, On) or leaf.op in ("$gt", "$gte", "$eq", "$in")]
    midnight = NOW.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    midnight = midnight.astimezone(repeat.zone).replace(tzinfo=None)
    return repeat.waits or not days or bool(begins) or each.until > midnight


def has_day(leaf: Compare) -> bool:
    return any(hasattr(operand, "zone") for operand in leaf.operands)


def iter_leaves(node: Node) -> Any:
    if isinstance(node, And | Or):
        for part in node.parts:
            yield from iter_leaves(part)
    else:
        yield node


def make_items(held: list[tuple[Properties, str]]) -> list[Item]:
    """Return items with these properties, each said in a zone; empty for what goes along."""
    made = []
    for n, (each, own) in enumerate(held):
        known: Properties = {key: value for key, value in each.items() if value}
        made.append(Item(f"i{n}", f"text {n}", known, "", "", zone=own))
    return made


def find_place(zone: ZoneInfo, item: Item) -> tuple[Any, ...]:
    """Return where an item stands in a list without a text: by its own date as it is shown, undated items last."""
    span = read_date_span(item.date, zone)
    return span is None, span and span[0], item.date or "", item.id


SAID_IN = st.tuples(items(), st.sampled_from(["", *ZONES]))
DAILY_AND_WEEKLY: list[tuple[Properties, str]] = [
    ({"type": "task", "repeats": "FREQ=DAILY", "due_date": "2026-03-01"}, ""),
    ({"type": "task", "repeats": "FREQ=WEEKLY;BYDAY=FR", "due_date": "2026-03-06"}, ""),
]
THAT_THURSDAY = "2026-04-02"


# chance rarely names a day on which one of two items is repeated
@example(DAILY_AND_WEEKLY, {"due_date": {"$ne": THAT_THURSDAY}}, "UTC")
@example(DAILY_AND_WEEKLY, {"due_date": {"$nin": [THAT_THURSDAY]}}, "UTC")
@example(DAILY_AND_WEEKLY, {"due_date": {"$ne": THAT_THURSDAY, "$gte": "2026-04-01", "$lt": "2026-04-06"}}, "UTC")
@example(DAILY_AND_WEEKLY, {"$or": [{"due_date": {"$ne": THAT_THURSDAY}}, {"$on": THAT_THURSDAY}]}, "UTC")
@settings(max_examples=examples(320))
@given(held=st.lists(SAID_IN, min_size=1, max_size=4), where=FILTERS, name=st.sampled_from(ZONES))
def test_a_query_agrees_with_expanding_everything_first(
    held: list[tuple[Properties, str]], where: dict[str, Any], name: str
) -> None:
    zone = ZoneInfo(name)
    backend = InMemoryBackend(EMBEDDER)
    stored = make_items(held)
    backend.apply([Entry("", "", "t", Change("item", item.id, None, item)) for item in stored])
    node = parse(where, zone)
    found = backend.query(Query(None, node, zone, limit=100, now=NOW))
    expected = {item.id: passing for item in stored if (passing := find_passing(node, item, zone))}
    assert {item.id for item in found.items} == {*expected}
    assert [item.id for item in found.items] == [item.id for item in sorted(found.items, key=partial(find_place, zone))]
    for item in found.items:
        dates = [each.dates for each in expected[item.id] if each]
        assert not dates or {key: item.properties[key] for key in dates[0]} in dates


@settings(max_examples=examples(100))
@given(
    held=st.lists(SAID_IN, min_size=1, max_size=6),
    where=st.one_of(FILTERS, st.just({})),
    text=st.sampled_from([None, "text on March 31", "text 2"]),
    name=st.sampled_from(ZONES),
    limit=st.integers(1, 4),
)
def test_tables_in_memory_and_in_postgres_find_the_same_in_the_same_order(
    held: list[tuple[Properties, str]], where: dict[str, Any], text: str | None, name: str, limit: int
) -> None:
    zone = ZoneInfo(name)
    stored = make_items(held)
    stored += [Item("p1", "text", {"due_date": "2026-03-31"}, "", ""), Item("p2", "text", {"type": "task"}, "", "")]
    parsed = parse_query(text, NOW.date()) if text else None
    query = Query(parsed, parse(where, zone), zone, limit=limit, now=NOW)
    postgres = PostgresBackend(database(), token_hex(8), EMBEDDER)
    backends: list[Backend] = [InMemoryBackend(EMBEDDER), postgres]
    for backend in backends:
        backend.apply([Entry("", "", "t", Change("item", item.id, None, item)) for item in stored])
    here, there = (backend.query(query) for backend in backends)
    assert [(item.id, item.properties) for item in here.items] == [(item.id, item.properties) for item in there.items]
    assert here.total == there.total
    assert [reason.date for reason in here.reasons] == [reason.date for reason in there.reasons]


def test_an_answer_follows_the_clock_a_changed_item_and_the_zone() -> None:
    tables = InMemoryBackend(EMBEDDER)
    weekly: Properties = {"type": "event", "repeats": "FREQ=WEEKLY;BYDAY=MO", "due_date": "2026-03-30T12:00"}
    item = Item("a", "class", weekly, "", "")
    tables.apply([Entry("", "", "t", Change("item", "a", None, item))])

    def ask(where: dict[str, Any], hour: int = 10, zone: ZoneInfo = ZONE) -> list[Any]:
        now = NOW.replace(hour=hour)
        return [
            each.properties["due_date"] for each in tables.query(Query(None, parse(where, zone), zone, now=now)).items
        ]

    for _ in range(2):
        assert ask({"type": "event"}) == ["2026-03-30T12:00"]
        assert ask({"type": "event"}, hour=13) == ["2026-04-06T12:00"]
        assert ask({"$on": "2026-04-06"}) == ["2026-04-06T12:00"]
        assert ask({"$on": "2026-04-07"}, zone=ZoneInfo("Asia/Tokyo")) == []
    changes: list[tuple[Properties, list[str]]] = [
        ({"except": ["2026-04-06"]}, []),
        ({"moved": {"2026-04-06": "2026-04-06T18:00"}}, ["2026-04-06T18:00"]),
        ({"repeats": "not a rule", "due_date": "2026-04-06"}, ["2026-04-06"]),
        ({"status": "done", "until": "2026-04-01"}, []),
    ]
    before = item
    for change, expected in changes:
        after = replace(item, properties=weekly | change)
        tables.apply([Entry("", "", "t", Change("item", "a", before, after))])
        before = after
        assert ask({"$on": "2026-04-06"}) == expected
    tables.apply([Entry("", "", "t", Change("item", "a", before, None))])
    assert ask({"type": "event"}) == []
    tables.close()
