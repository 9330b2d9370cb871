"""A project exported from Todoist becomes items, completely or not at all."""

import csv
import io
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ana.errors import UserError
from ana.transfer.bundle import Bundle
from ana.transfer.reading import read_source
from tests.conftest import BERLIN
from tests.examples import examples

OLD = "TYPE,CONTENT,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE"
NEW = (
    "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE,DURATION,DURATION_UNIT,"
    "DEADLINE,DEADLINE_LANG"
)
NAME = "Garden [2203306141].csv"

Read = Callable[..., Bundle]


def read(path: Path) -> Bundle:
    found = read_source(path, BERLIN)
    assert found is not None
    return found


@pytest.fixture
def read_rows(tmp_path: Path) -> Read:
    """Reads a file of this header, these rows and this name."""

    def read_it(*rows: str, header: str = NEW, name: str = NAME) -> Bundle:
        path = tmp_path / name
        path.write_bytes("\r\n".join([header, *rows]).encode())
        os.utime(path, (0, datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC).timestamp()))
        return read(path)

    return read_it


def test_a_project_becomes_items(read_rows: Read) -> None:
    items = read_rows(
        "meta,view_style=list,,,,,,,,,,,,",
        'task,"Repot the ""old"" basil @garden @weekend","Terracotta, from the shed",1,1,Kai (48),Ann (7),'
        "13 Jan 2026 at 14:00,en,Europe/Berlin,30,minute,2026-01-20,en",
        "task,Buy compost,,4,2,Kai (48),,,en,Europe/Berlin,,None,,",
        "note,Get the peat-free one,,,,Kai (48),,,,,,,,",
        ",,,,,,,,,,,,,",
        "section,Weekly,,,,,,,,,,,,",
        "task,Water the ferns,,2,1,Kai (48),,every monday at 9am,en,Europe/Berlin,,,,",
    ).items
    assert [item.content for item in items] == [
        'Repot the "old" basil\nTerracotta, from the shed',
        "Buy compost\nGet the peat-free one",
        "Water the ferns",
    ]
    assert items[0].properties == {
        "type": "task",
        "status": "active",
        "due_date": "2026-01-13T14:00",
        "priority": "high",
        "tags": ["garden", "weekend"],
        "deadline": "2026-01-20",
        "duration": "30 minute",
        "responsible": "Ann (7)",
        "project": "Garden",
    }
    assert items[1].properties == {"type": "task", "status": "active", "parent": items[0].id, "project": "Garden"}
    assert items[2].properties == {
        "type": "task",
        "status": "active",
        "due_date": "2026-02-09T09:00",
        "repeats": "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
        "priority": "medium",
        "project": "Garden",
        "section": "Weekly",
    }
    assert {stamp for item in items for stamp in (item.created_at, item.updated_at)} == {
        "2026-02-03T04:05:06.000000+00:00"
    }


def test_an_older_header_and_a_mark_at_the_front_are_read(read_rows: Read) -> None:
    found = read_rows("task,Call Bob,3,1,Kai (48),,2026-01-13,en,UTC", header="\ufeff" + OLD)
    assert found.items[0].content == "Call Bob"
    assert found.items[0].properties["due_date"] == "2026-01-13"
    assert found.items[0].properties["priority"] == "low"
    assert read_rows("task,Call Bob", header="TYPE,CONTENT").items == read_rows("task,Call Bob,,,,,,,,,,,,").items


def test_a_header_alone_is_an_empty_project(read_rows: Read) -> None:
    found = read_rows()
    assert (found.items, found.notes) == ([], [])


def test_a_subtask_belongs_to_the_nearest_above_that_is_further_out(read_rows: Read) -> None:
    indents = [1, 2, 3, 3, 2, 4, 1, 2]
    items = read_rows(*(f"task,t{n},,4,{indent}" for n, indent in enumerate(indents))).items
    under = {item.id: item.content for item in items}
    parents = [under.get(str(item.properties.get("parent"))) for item in items]
    assert parents == [None, "t0", "t1", "t1", "t0", "t4", None, "t6"]


def test_a_section_ends_the_tasks_above(read_rows: Read) -> None:
    _, second = read_rows("task,a,,4,1", "section,s", "task,b,,4,2").items
    assert "parent" not in second.properties


def test_a_note_without_a_task_above_is_an_item(read_rows: Read) -> None:
    items = read_rows("note,For all", "task,a", "note,to a", "section,Later", "note,to the section").items
    assert [item.content for item in items] == ["For all", "a\nto a", "to the section"]
    assert items[2].properties == {"type": "note", "project": "Garden", "section": "Later"}


@pytest.mark.parametrize(
    ("written", "content", "tags"),
    [
        ("Call @ home @phone", "Call @ home", ["phone"]),
        ("Ask @ann about bob@example.org", "Ask @ann about bob@example.org", ["ann"]),
        ("@phone @phone", "@phone @phone", ["phone"]),
        ("Fix @Küche @3d ", "Fix", ["Küche", "3d"]),
    ],
)
def test_labels_become_tags(read_rows: Read, written: str, content: str, tags: list[str]) -> None:
    item = read_rows(f"task,{written}").items[0]
    assert (item.content, item.properties["tags"]) == (content, tags)


@pytest.mark.parametrize(
    ("name", "project"),
    [
        ("Work [2203306141].csv", "Work"),
        ("Work [2203306141] (2).csv", "Work"),
        ("Work [6Jf8VQXxpwv56VQ7].csv", "Work"),
        ("Work [old].csv", "Work [old]"),
        ("Work (2).csv", "Work (2)"),
        ("[5].csv", "[5]"),
    ],
)
def test_the_project_is_called_as_the_file(read_rows: Read, name: str, project: str) -> None:
    assert read_rows("task,a", name=name).items[0].properties["project"] == project


def test_a_time_is_given_in_the_persons_zone(read_rows: Read) -> None:
    zones = ("", "America/New_York", "Nowhere/Land", "../etc")
    dates = [read_rows(f"task,a,,4,1,,,2026-01-13 14:00,en,{zone}", "task,b").items[0].properties for zone in zones]
    told = [(each.get("due_date"), each.get("due")) for each in dates]
    unplaced = (None, "2026-01-13 14:00")
    assert told == [("2026-01-13T14:00", None), ("2026-01-13T20:00", None), unplaced, unplaced]


def test_ids_follow_from_project_and_content(read_rows: Read) -> None:
    twice = read_rows("task,a", "task,a", "task,a#1").items
    assert len({item.id for item in twice}) == 3
    assert read_rows("section,New", "task,b", "task,a @x", "task,a").items[2].id == twice[0].id
    assert read_rows("task,a", name="Other.csv").items[0].id != twice[0].id


def test_rows_that_todoist_does_not_write_are_not_lost(read_rows: Read) -> None:
    found = read_rows("task,a,,1,x", "task,b,,9,-1", "goal,c", ",d", "task,,,1,1")
    kept = [(item.content, item.properties["type"], item.properties.get("priority")) for item in found.items]
    assert kept == [("a", "task", "high"), ("b", "task", "9"), ("c", "goal", None), ("d", "task", None)]
    assert found.notes[0].startswith("Left out, because it has neither title nor text (1)")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (['task,"a\r\nb\r\nc"', "", "task,a" + "," * 13 + "x"], "line 6: it has 15 cells, the header 14"),
        (["task,a", 'task,"a'], "line 3: unexpected end of data"),
        (['task,"a"b'], "line 2: ',' expected after '\"'"),
        (["task,a" + "," * 13 + "x"] * 12, "line 11: it has 15 cells, the header 14; and 2 more."),
    ],
)
def test_bad_lines_are_named_and_nothing_is_taken(read_rows: Read, rows: list[str], said: str) -> None:
    with pytest.raises(UserError) as error:
        read_rows(*rows)
    assert f"{NAME}: " in error.value.message
    assert said in error.value.message
    assert error.value.hint


cells = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(cells, cells, cells), max_size=4))
def test_whatever_is_written_comes_back(tmp_path: Path, told: list[tuple[str, str, str]]) -> None:
    file = io.StringIO(newline="")
    rows = [["task", f"a{content}", description, "1", "1", "", "", date] for content, description, date in told]
    csv.writer(file).writerows([NEW.split(","), *rows])
    path = tmp_path / NAME
    path.write_text(file.getvalue(), newline="", encoding="utf-8")
    items = read(path).items
    assert len({item.id for item in items}) == len(told)
    for item, (content, description, date) in zip(items, told, strict=True):
        assert item.content.startswith(f"a{content}".split("@")[0].strip())
        assert item.content.endswith(description.strip())
        if date.strip() not in ("", "None") and "due_date" not in item.properties:
            assert item.properties["due"] == date.strip()


def test_a_cell_may_be_long(read_rows: Read) -> None:
    long = "x y " * 50_000
    item = read_rows(f'task,a,"{long}",1,1,,,{long}').items[0]
    assert item.content == f"a\n{long.strip()}"
    assert item.properties["due"] == long.strip()
    for content in (f"a{' ' * 200_000}b", "@a " * 60_000 + "b"):
        assert read_rows(f"task,{content} @x").items[0].content == content


def test_dates_that_are_kept_as_text_are_said(read_rows: Read) -> None:
    dates = ("tomorrow", "every 3 days", "2026-01-13", "13 Jan 2026 at 14:00", "Every! 2 weeks", "")
    found = read_rows(*(f"task,Task {n},,4,1,,,{date},en,Europe/Berlin,,,," for n, date in enumerate(dates)))
    assert found.notes == [
        "Kept in words, because it does not name one day (3): “tomorrow: Task 0”, “every 3 days: Task 1”,"
        " “Every! 2 weeks: Task 4”.",
    ]


def test_a_day_without_a_year_is_in_the_year_nearest_to_the_file(read_rows: Read) -> None:
    dates = ("15 Jan at 10am", "2 Dec", "29 Feb", "1/13", "tomorrow at 10am")
    found = read_rows(*(f"task,Task {n},,4,1,,,{date},en,Europe/Berlin,,,," for n, date in enumerate(dates)))
    kept = [(item.properties.get("due_date"), item.properties.get("due")) for item in found.items]
    assert kept[:2] == [("2026-01-15T10:00", None), ("2025-12-02", None)]
    assert kept[2:] == [(None, text) for text in dates[2:]]
    assert "nearest to the file's time, because it has none (2): “15 Jan at 10am: Task 0”" in found.notes[0]


@pytest.mark.parametrize(
    ("written", "due", "rule"),
    [
        ("every day", "2026-02-03", "FREQ=DAILY"),
        ("Every! weekday", "2026-02-03", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("every month on the 31st", "2026-02-28", "FREQ=MONTHLY;BYMONTHDAY=31"),
        ("every week", None, None),
        ("every other day", None, None),
        ("every day at 9am", None, None),
    ],
)
def test_a_rule_that_is_clear_repeats_from_the_export_on(
    read_rows: Read, written: str, due: str | None, rule: str | None
) -> None:
    (item,) = read_rows(f"task,Water,,4,1,,,{written},en,Asia/Tokyo,,,,").items
    kept = item.properties
    assert (kept.get("due_date"), kept.get("repeats")) == (due, rule)
    assert kept.get("repeat_from") == ("done" if "!" in written else None)
    assert kept.get("due") == (None if rule else written)
