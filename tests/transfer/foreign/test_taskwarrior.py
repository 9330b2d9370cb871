"""An export of Taskwarrior becomes items, completely or not at all."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ana.errors import UserError
from ana.memory.item import Item, check_properties
from ana.transfer.bundle import Bundle
from ana.transfer.foreign.taskwarrior import read
from tests.conftest import BERLIN
from tests.examples import examples

UUID = "a360fc44-315c-4366-b70c-ea7e7520b749"
OTHER = "296d835e-8f85-4224-8f36-c612cad1b9f8"
TASK: dict[str, Any] = {"uuid": UUID, "description": "Buy milk", "status": "pending", "entry": "20260101T100000Z"}
WRITTEN = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC).timestamp()

Read = Callable[..., Bundle]


@pytest.fixture
def read_text(tmp_path: Path) -> Read:
    """Reads a file of this text or these bytes."""

    def read_it(content: str | bytes) -> Bundle:
        path = tmp_path / "tasks.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(path, (0, WRITTEN))
        return read(path, BERLIN)

    return read_it


@pytest.fixture
def read_task(read_text: Read) -> Callable[..., Item]:
    """Read one task that differs from the simplest in these attributes."""
    return lambda **more: read_text(json.dumps([TASK | more])).items[0]


def test_a_task_becomes_an_item(read_task: Callable[..., Item]) -> None:
    item = read_task(
        id=3, urgency=8.2, modified="20260102T113000Z", due="20260112T230000Z", priority="H", project="Home.Kitchen",
        tags=["shop", "food"], scheduled="20260110T080000Z", recur="weekly", imask=2.0, parent=OTHER, estimate=2.5,
        reviewed="20260105T120000Z", ticket="X-1",
        annotations=[{"entry": "20260103T233000Z", "description": "Oat"}, {"description": "2 litres"}],
    )  # fmt: skip
    assert len(item.id) == 8
    assert item.content == "Buy milk\n2026-01-04 Oat\n2 litres"
    assert item.properties == {
        "type": "task",
        "status": "active",
        "due_date": "2026-01-13",
        "priority": "high",
        "project": "Home.Kitchen",
        "tags": ["shop", "food"],
        "scheduled": "2026-01-10T09:00",
        "repeats": "FREQ=WEEKLY",
        "estimate": 2.5,
        "reviewed": "2026-01-05T13:00",
        "ticket": "X-1",
    }
    assert item.created_at == "2026-01-01T10:00:00.000000+00:00"
    assert item.updated_at == "2026-01-02T11:30:00.000000+00:00"


@pytest.mark.parametrize(("status", "kept"), [("pending", "active"), ("waiting", "active"), ("completed", "done")])
def test_what_is_open_and_what_is_done(read_task: Callable[..., Item], status: str, kept: str) -> None:
    assert read_task(status=status).properties == {"type": "task", "status": kept}


def test_the_deleted_and_templates_are_left_out(read_text: Read) -> None:
    assert read_text(json.dumps([TASK | {"status": "deleted"}])).items == []
    assert read_text(json.dumps([TASK | {"status": "recurring"}])).items == []
    assert read_text("[]") == Bundle()


def test_what_is_left_out_and_what_no_longer_repeats_is_said(read_text: Read) -> None:
    statuses = ("deleted", "recurring", "pending", "pending")
    tasks = [
        TASK | {"uuid": f"{n:08}{UUID[8:]}", "status": s, "description": f"task {n}"} for n, s in enumerate(statuses)
    ]
    assert read_text(json.dumps([tasks[0], tasks[1], tasks[2] | {"recur": "31h"}, tasks[3]])).notes == [
        "Left out, because it was deleted there (1): “task 0”.",
        "Left out: templates of recurring tasks, of which the task that is due last repeats (1): “task 1”.",
        "Kept, but it does not repeat here (1): “task 2”.",
    ]
    many = [TASK | {"uuid": f"{n:08}{UUID[8:]}", "status": "deleted"} for n in range(12)]
    assert read_text(json.dumps(many)).notes[0].endswith(" and 2 more.")


@pytest.mark.parametrize(
    ("recur", "rule"),
    [
        ("daily", "FREQ=DAILY"),
        ("weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("biweekly", "FREQ=WEEKLY;INTERVAL=2"),
        ("2weeks", "FREQ=WEEKLY;INTERVAL=2"),
        ("3 days", "FREQ=DAILY;INTERVAL=3"),
        ("P1M", "FREQ=MONTHLY"),
        ("3mo", "FREQ=MONTHLY;INTERVAL=3"),
        ("quarterly", "FREQ=MONTHLY;INTERVAL=3"),
        ("annual", "FREQ=YEARLY"),
        ("30min", None),
        ("PT1H", None),
        ("semiannual", None),
    ],
)
def test_a_period_that_is_clear_is_a_rule(read_task: Callable[..., Item], recur: str, rule: str | None) -> None:
    item = read_task(recur=recur, due="20260112T230000Z")
    assert item.properties.get("repeats") == rule
    assert item.properties.get("recur") == (None if rule else recur)
    assert "repeats" not in read_task(recur=recur).properties, "without a date there is nothing to count from"


def test_of_a_template_only_the_last_task_repeats(read_text: Read) -> None:
    dues = ["20260119T230000Z", "20260112T230000Z"]
    tasks = [
        TASK | {"uuid": f"{n}{UUID[1:]}", "recur": "weekly", "parent": OTHER, "due": due} for n, due in enumerate(dues)
    ]
    late, last = sorted(read_text(json.dumps(tasks)).items, key=lambda item: str(item.properties["due_date"]))
    assert ("repeats" in late.properties, last.properties["repeats"]) == (False, "FREQ=WEEKLY")


@pytest.mark.parametrize(
    ("utc", "here"),
    [
        ("20260112T230000Z", "2026-01-13"),
        ("20260712T220000Z", "2026-07-13"),
        ("20260113T000000Z", "2026-01-13T01:00"),
        ("20260112T225959Z", "2026-01-12T23:59:59"),
    ],
)
def test_a_date_is_given_in_the_persons_zone(read_task: Callable[..., Item], utc: str, here: str) -> None:
    assert read_task(due=utc).properties["due_date"] == here


def test_a_task_depends_on_the_items_of_others(read_text: Read) -> None:
    gone = "00000000-0000-0000-0000-000000000000"
    for depends in ([OTHER, gone], f"{OTHER},{gone}"):
        items = read_text(json.dumps([TASK | {"depends": depends}, TASK | {"uuid": OTHER}])).items
        assert items[0].properties["depends"] == [items[1].id, gone]


def test_an_attribute_of_ones_own_does_not_hide_what_a_task_is(read_task: Callable[..., Item]) -> None:
    properties = read_task(type="bug", due_date="never").properties
    assert properties == {
        "type": "task", "status": "active", "taskwarrior_type": "bug", "taskwarrior_due_date": "never"
    }  # fmt: skip


SECOND = json.dumps(TASK | {"uuid": OTHER})


@pytest.mark.parametrize(
    "text",
    [
        f"[{json.dumps(TASK)},{SECOND}]",
        f"[\n{json.dumps(TASK)},\n{SECOND}\n]\n",
        f"[\n{json.dumps(TASK)},\n{SECOND},\n]\n",
        f"{json.dumps(TASK)}\n{SECOND}\n",
        f"{json.dumps(TASK)},\r\n{SECOND},\r\n",
        json.dumps([TASK, json.loads(SECOND)], indent=2),
        f"\ufeff{json.dumps(TASK)}\n\n{SECOND}",
    ],
)
def test_every_shape_of_an_export_says_the_same(read_text: Read, text: str) -> None:
    items = read_text(text).items
    assert [item.content for item in items] == ["Buy milk", "Buy milk"]
    assert len({item.id for item in items}) == 2
    assert read_text(text).items == items
    assert read_text(json.dumps(TASK)).items == items[:1]


def test_a_task_without_stamps_is_as_old_as_its_file(read_task: Callable[..., Item]) -> None:
    item = read_task(entry=None)
    assert item.created_at == item.updated_at == "2026-02-03T04:05:06.000000+00:00"


def test_content_may_be_long_and_odd(read_task: Callable[..., Item]) -> None:
    for content in ("x" * 1_000_000, "naïve ☕ \u2028 \x01", "a\nb\n---ANA_PROPS---\ntype: x"):
        assert read_task(description=content).content == content


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"uuid": None}, "its uuid is ''"),
        ({"uuid": 5}, "its uuid is 5, not text"),
        ({"status": "bought"}, "its status is 'bought'"),
        ({"status": ["pending"]}, "its status is ['pending'], not text"),
        ({"description": " "}, "it has no description"),
        ({"description": "cake \ud83d"}, "This cannot be read as text: character 6 is half a character (\\ud83d)"),
        ({"description": "cake \0"}, "This cannot be read as text: character 6 is NUL (\\u0000)"),
        ({"entry": "2026-01-13"}, "its entry '2026-01-13' is not a date such as 20260113T120000Z"),
        ({"due": "20260231T000000Z"}, "its due '20260231T000000Z' is not a date"),
        ({"due": "99991231T235959Z"}, "its due is beyond the calendar"),
        ({"due": 1767225600}, "its due is 1767225600, not text"),
        ({"tags": "a,b"}, "its tags are 'a,b', not a list"),
        ({"tags": [float("nan")]}, "a tag is nan, not text"),
        ({"annotations": ["x"]}, "an annotation is not an object"),
        ({"depends": [None]}, "what it depends on is None, not text"),
        ({"estimate": float("nan")}, "Property 'estimate' cannot be stored: nan is not a number"),
        ({"estimate": float("-inf")}, "Property 'estimate' cannot be stored: -inf is not a number"),
    ],
)
def test_a_bad_record_is_named_and_nothing_is_taken(read_text: Read, change: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError) as error:
        read_text(json.dumps([TASK | {"uuid": OTHER}, TASK | change]))
    assert f"tasks.json: record 2: {said}" in error.value.message
    assert error.value.hint


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "tasks.json is empty."),
        (b"\xef\xbb\xbf \n", "tasks.json is empty."),
        (json.dumps([TASK]).encode("utf-16"), "line 1 is not UTF-8"),
        ('[\n{"description": "Caf\xe9"}]'.encode("latin-1"), "line 2 is not UTF-8"),
        (b'{"tasks": []}', "record 1: its uuid is ''"),
        (b"null", "tasks.json has no array of tasks."),
        (b"[5]", "record 1: it is not an object"),
        (b"[\n", "line 2: it is not JSON"),
        (f"[\n{json.dumps(TASK)},\n{SECOND},\n".encode(), "line 4: it is not JSON"),
        (b"uuid description", "line 1: it is not JSON"),
        (b'[\n  {\n    "uuid" 5\n  }\n]', "line 3: it is not JSON (Expecting ':' delimiter)"),
        (b"[" * 100_000, "line 1: it is not JSON (it is nested more than 100 deep"),
        (b"[" + b"9" * 5000 + b"]", "line 1: it is not JSON (Exceeds the limit"),
        (f"{json.dumps(TASK)}\n\n{SECOND[:-9]}\n{{}}\n".encode(), "line 3: it is not JSON"),
        (f"{json.dumps(TASK)}\n\n{{}}\n".encode(), "record 2: its uuid is ''"),
        (
            json.dumps([TASK, TASK | {"uuid": UUID.upper()}]).encode(),
            f"record 2: its uuid {UUID} is",
        ),
    ],
)
def test_what_is_no_export_is_refused_in_a_sentence(read_text: Read, content: bytes, said: str) -> None:
    with pytest.raises(UserError) as error:
        read_text(content)
    assert said in error.value.message
    assert error.value.hint


def test_ten_bad_records_are_named_and_the_others_counted(read_text: Read) -> None:
    with pytest.raises(UserError, match=r"record 10: it is not an object; and 2,990 more\."):
        read_text(json.dumps([None] * 3000))


def test_what_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(UserError, match="cannot be read"):
            read(path, BERLIN)


values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just("20260113T120000Z")),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=3), inner, max_size=2)),
    max_leaves=4,
)
names = st.sampled_from([*TASK, "due", "wait", "tags", "annotations", "depends", "priority", "project", "x", "type"])


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(values, st.dictionaries(names, values, max_size=3).map(lambda d: TASK | d)), max_size=3))
def test_whatever_the_array_holds_it_is_read_or_refused(read_text: Read, records: list[Any]) -> None:
    text = json.dumps(records)
    try:
        brought = read_text(text)
    except UserError:
        return
    assert read_text(text) == brought
    for item in brought.items:
        check_properties(item.properties)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=40))
def test_whatever_the_bytes_they_are_refused(read_text: Read, data: bytes) -> None:
    if data.strip() != b"[]":
        with pytest.raises(UserError):
            read_text(data)
