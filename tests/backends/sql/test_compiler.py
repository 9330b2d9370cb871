"""Whatever the filter, SQL over the index finds what the exact test finds on every item."""

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ana.backends.sql.compiler import compile_filter
from ana.backends.sql.tables import connect_tables, make_indexes, make_tables
from ana.memory.filters import matches, parse
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.time.clock import Clock
from tests.chroma import fill_chroma, open_memory
from tests.conftest import BERLIN, EMBEDDER
from tests.examples import examples

KEYS = st.sampled_from(["type", "n", "due", "tags", "odd key", "start_date", "end_date", "ana:x", "#"])
VALUES: list[Any] = [
    *(
        "task",
        "Task",
        "note",
        "",
        "é",
        "É",
        "x" * 450 + "Task",
        True,
        False,
        0,
        1,
        1.0,
        2.5,
        -3,
        2**60,
        None,
        ["a", 1],
        {"a": 1},
        ["TASK", "2026-03-29"],
    ),
    *("2026-03-29", "2026-03-29T01:30", "2026-03-28T23:30Z", "2026-03-29T00:30+14:00", "2026-03-28T12:00-11:00"),
]
BOUNDS: list[Any] = [0, 1, 2.5, "2026-03-29", "2026-03-28", "2026-03-29T03:30", "2026-03-28T23:30Z"]

equality = st.sampled_from(VALUES)
ordered = st.dictionaries(
    st.sampled_from(["$gt", "$gte", "$lt", "$lte"]), st.sampled_from(BOUNDS), min_size=1, max_size=2
)
membership = st.dictionaries(st.sampled_from(["$in", "$nin"]), st.lists(equality, max_size=3), min_size=1, max_size=1)
other = st.dictionaries(
    st.sampled_from(["$ne", "$eq", "$contains"]),
    st.sampled_from([*VALUES[:14], "AS", "2026-03-29"]),
    min_size=1,
    max_size=1,
)
single = st.dictionaries(
    KEYS, equality.filter(lambda v: not isinstance(v, dict)) | ordered | membership | other, max_size=2
) | st.fixed_dictionaries(
    {"$on": st.sampled_from(BOUNDS[3:]) | st.fixed_dictionaries({"$gte": st.sampled_from(BOUNDS[3:])})}
)
filters = st.recursive(
    single,
    lambda w: st.dictionaries(st.sampled_from(["$and", "$or"]), st.lists(w, min_size=1, max_size=3), min_size=1),
    max_leaves=4,
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    memory = open_memory(tmp_path_factory.mktemp("where"), EMBEDDER, Clock(BERLIN))
    names = ("type", "n", "due", "tags", "start_date", "end_date", "odd key", "ana:x", "#")
    pairs = itertools.product(names, VALUES)
    stamp = memory.stamp()
    fill_chroma(
        memory,
        [
            Item(f"item{n:04}", f"item {n}", {key: value, names[n % 9]: VALUES[n * 7 % len(VALUES)]}, stamp, stamp)
            for n, (key, value) in enumerate(pairs)
        ],
    )
    return memory


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=filters)
def test_a_narrowed_filter_finds_what_the_exact_one_finds(memory: Memory, where: Mapping[str, Any]) -> None:
    node = parse(where, BERLIN)
    expected = {item.id for item in memory.items() if matches(node, item)}
    found = memory.find(where=where, limit=1000)
    assert {item.id for item in found.items} == expected
    assert found.total == len(expected)


def test_a_text_that_many_items_have_is_looked_into_once(tmp_path: Path) -> None:
    looked: list[str] = []

    def has_part(value: str, body: str | None, key: str, part: str) -> bool:
        looked.append(value)
        return json.loads(part) in value

    db = connect_tables(tmp_path / "index.sqlite")
    make_tables(db)
    make_indexes(db)
    db.create_function("ana_has_part", 4, has_part, deterministic=True)
    for row in range(20):
        db.execute("INSERT INTO items VALUES (?, ?, '', '', NULL, x'')", (row, str(row)))
        status = '"waiting"' if row % 2 else '"done"'
        db.execute("INSERT INTO properties VALUES (?, '\"status\"', 0, ?, ?, NULL)", (row, status, status))
    passing = compile_filter(parse({"status": {"$contains": "ait"}}, BERLIN))
    assert db.execute(f"SELECT count(*) FROM items WHERE {passing.text}", passing.params).fetchone() == (10,)
    assert looked == ['"waiting"']
    db.close()
