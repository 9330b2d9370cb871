# ruff: noqa: E501
"""Files of rows of several programs come in with title, text, date, done, list and tags, and each row only once."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ana.errors import UserError
from ana.memory.memory import Memory
from ana.transfer.bundle import Bundle
from ana.transfer.foreign.columns import Columns, Program, read_columns
from ana.transfer.foreign.tables import Table
from ana.transfer.importer import import_bundle
from ana.transfer.reading import read_source
from ana.values import Json
from tests.conftest import BERLIN


def read(tmp_path: Path, name: str, text: str, **said: Json) -> Bundle:
    """Read a file that was written on 2026-02-03, with what a person says of its columns."""

    def choose(table: Table, known: Program | None) -> Columns:
        return read_columns(said, table.columns, known)

    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    os.utime(path, (0, datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC).timestamp()))
    found = read_source(path, BERLIN, choose)
    assert found is not None
    return found


GOOGLE = {
    "kind": "tasks#taskLists",
    "items": [
        {"kind": "tasks#tasks", "title": "Attic", "updated": "2026-01-02T08:00:00.000Z", "items": [
            {"id": "x", "title": "Clear it", "notes": "all of it", "status": "needsAction", "due": "2026-03-05T00:00:00.000Z",
             "updated": "2026-01-02T08:00:00.000Z"},
            {"id": "y", "title": "Buy boxes", "status": "completed", "parent": "x", "updated": "2026-01-03T08:00:00.000Z"},
        ]},
        {"kind": "tasks#tasks", "title": "Cellar", "updated": "2026-01-02T08:00:00.000Z", "items": [
            {"id": "z", "title": "Gone", "status": "needsAction", "deleted": True, "updated": "2026-01-02T08:00:00.000Z"},
        ]},
    ],
}  # fmt: skip


def test_google_tasks(tmp_path: Path) -> None:
    found = read(tmp_path, "Tasks.json", json.dumps(GOOGLE))
    first, second = found.items
    assert (first.content, second.content) == ("Clear it\nall of it", "Buy boxes")
    assert first.properties == {"type": "task", "status": "active", "due_date": "2026-03-05", "list": "Attic"}
    assert second.properties == {"type": "task", "status": "done", "list": "Attic", "parent": first.id}
    assert second.created_at == "2026-01-03T08:00:00.000000+00:00"
    assert found.notes[0].startswith("Left out, because it was deleted there (1)")


TICKS = """"Date: 2026-02-01+0000"
"Version: 7.1"
"Status:
0 Normal
1 Completed"
"Folder Name","List Name","Title","Is Check list","Tags","Content","Start Date","Due Date","Repeat","Priority","Status","Created Time","Timezone","Is All Day"
"a","Car","Tyres","N","shop, spring","four","2026-03-01T23:00:00+0000","2026-03-01T23:00:00+0000","RRULE:FREQ=YEARLY","5","0","2026-01-01T09:00:00+0000","Europe/Berlin","true"
"a","Car","Wash","N","","","","2026-03-02T09:30:00+0000","","0","1","2026-01-01T09:00:00+0000","Europe/Berlin","false"
"""


def test_ticktick_and_what_it_writes_before_the_header(tmp_path: Path) -> None:
    first, second = read(tmp_path, "t.csv", TICKS).items
    assert first.properties == {
        "type": "task", "status": "active", "due_date": "2026-03-02", "list": "Car", "tags": ["shop", "spring"],
        "repeats": "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=2", "priority": "high",
    }  # fmt: skip
    assert second.properties == {"type": "task", "status": "done", "due_date": "2026-03-02T10:30", "list": "Car"}
    elsewhere = TICKS.replace("Europe/Berlin", "Asia/Tokyo").replace("T23:00:00", "T15:00:00")
    assert read(tmp_path, "t.csv", elsewhere).items[0].properties["due_date"] == "2026-03-02", "a day of that zone"


OUTLOOK = """"Subject","Start Date","Start Time","End Date","End Time","All day event","Location","Categories","Description"
"Rehearsal","3/4/2026","6:15:00 PM","3/4/2026","8:00:00 PM","False","Hall","music",""
"Away","3/28/2026","12:00:00 AM","4/1/2026","12:00:00 AM","True","","",""
"""


def test_outlook_where_one_date_of_the_file_tells_the_order_of_all(tmp_path: Path) -> None:
    first, second = read(tmp_path, "o.csv", OUTLOOK).items
    assert first.properties == {
        "type": "event", "start_date": "2026-03-04T18:15", "end_date": "2026-03-04T20:00", "tags": ["music"],
        "location": "Hall",
    }  # fmt: skip
    assert second.properties == {"type": "event", "start_date": "2026-03-28", "end_date": "2026-03-31"}
    unclear = read(tmp_path, "o.csv", OUTLOOK.replace("3/28/2026", "3/8/2026"))
    assert unclear.items[0].properties["start"] == "3/4/2026 6:15:00 PM"
    assert "does not name one day" in unclear.notes[0]
    tasks = "Subject\tStart Date\tDue Date\tDate Completed\tCategories\tNotes\nPay\t\t2026-03-04\t2026-03-01\thome;bank\tby card\n"
    (task,) = read(tmp_path, "o.txt", tasks).items
    assert task.properties == {"type": "task", "status": "done", "due_date": "2026-03-04", "tags": ["home", "bank"]}


def test_a_note_of_keep_with_its_list(tmp_path: Path) -> None:
    note = {
        "isTrashed": False, "isArchived": True, "title": "Tent", "labels": [{"name": "trip"}],
        "listContent": [{"text": "pegs", "isChecked": True}, {"text": "mallet", "isChecked": False}],
        "createdTimestampUsec": 1767340800000000, "userEditedTimestampUsec": 1767427200000000,
    }  # fmt: skip
    (item,) = read(tmp_path, "Tent.json", json.dumps(note)).items
    assert (item.content, item.properties) == ("Tent\n- [x] pegs\n- [ ] mallet", {"type": "note", "tags": ["trip"]})
    assert (item.created_at[:10], item.updated_at[:10]) == ("2026-01-02", "2026-01-03")


def test_notion_keeps_its_own_columns_and_its_words_for_a_status(tmp_path: Path) -> None:
    text = 'Name,Status,Due,Tags,Notes,Cost in €\nBook,In progress,"March 9, 2026 10:00 AM","a, b",soon,12\nSell,Done,,,,\n'
    first, second = read(tmp_path, "n.csv", text).items
    assert first.content == "Book\nsoon"
    assert first.properties == {
        "type": "task", "status": "in progress", "due_date": "2026-03-09T10:00", "tags": ["a", "b"], "cost_in": "12",
    }  # fmt: skip
    assert second.properties == {"type": "task", "status": "done"}


def test_memories_of_mem0(tmp_path: Path) -> None:
    kept = {
        "results": [{"id": "1", "memory": "Likes rye", "created_at": "2026-01-02", "metadata": {"category": "food"}}]
    }
    (item,) = read(tmp_path, "m.json", json.dumps(kept)).items
    assert (item.content, item.properties, item.created_at[:10]) == (
        "Likes rye", {"type": "note", "tags": ["food"]}, "2026-01-02",
    )  # fmt: skip


OBSIDIAN = """---
tags:
  - house
aliases: [pump]
created: 2026-01-02
---
# Well

Dry since May.
- [ ] ask Jo #garden 📅 2026-03-07
- [x] measure ✅ 2026-01-15
- [/] oil it 🔼 🔁 every month 📅 2026-03-01
"""


def test_brackets_around_tags_are_no_part_of_them(tmp_path: Path) -> None:
    table = 'title,tags\nSlides,"[work, talks]"\nPlants,[]\n'
    both, none = read(tmp_path, "own.csv", table, title="title", tags="tags").items
    assert (both.properties["tags"], none.properties.get("tags")) == (["work", "talks"], None)


def test_a_note_of_obsidian_and_its_tasks(tmp_path: Path) -> None:
    note, *tasks = read(tmp_path, "Well.md", OBSIDIAN).items
    assert note.content == "Well\n\nDry since May.".replace("\n\n", "\n")
    assert note.properties == {"type": "note", "tags": ["house"], "aliases": "pump"}
    assert note.created_at[:10] == "2026-01-02"
    assert [(task.content, task.properties) for task in tasks] == [
        ("ask Jo", {"type": "task", "status": "active", "due_date": "2026-03-07", "list": "Well", "tags": ["garden"]}),
        ("measure", {"type": "task", "status": "done", "list": "Well"}),
        ("oil it", {
            "type": "task", "status": "in-progress", "due_date": "2026-03-01", "list": "Well",
            "repeats": "FREQ=MONTHLY;BYMONTHDAY=1",
        }),
    ]  # fmt: skip


TABLE = "task;when;state;area;remarks\nPaint;5/13/2026;open;Hall;two coats\nSand;5/1/2026;finished;Hall;\n"
SAID = {"title": "task", "due": "WHEN", "done": "state = finished, given up", "list": "area", "leave_out": "remarks"}


def test_what_the_columns_are_can_be_said(tmp_path: Path) -> None:
    found = read(tmp_path, "own.csv", TABLE, **SAID)
    assert [(item.content, item.properties) for item in found.items] == [
        ("Paint", {"type": "task", "status": "open", "due_date": "2026-05-13", "list": "Hall"}),
        ("Sand", {"type": "task", "status": "done", "due_date": "2026-05-01", "list": "Hall"}),
    ]
    assert found.columns == [
        "title: “task”", "due: “when”", "done: “state”, where it is “finished” or “given up”", "list: “area”",
        "left out: “remarks”",
    ]  # fmt: skip


def test_what_is_said_of_a_known_programs_columns_counts(tmp_path: Path) -> None:
    first, second = read(tmp_path, "t.csv", TICKS, tags="Folder Name", done="Content = four").items
    assert (first.content, first.properties["status"], first.properties["list"]) == ("Tyres", "done", "Car")
    assert (second.content, second.properties["status"], second.properties["tags"]) == ("Wash", "active", ["a"])
    assert first.properties["due_date"] == "2026-03-02"


def test_a_column_may_be_called_what_it_is(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "own.csv", "Title,due,colour,€\nPaint,2026-05-13,red,7\n").items
    assert (found.content, found.properties) == (
        "Paint",
        {"type": "task", "status": "active", "due_date": "2026-05-13", "colour": "red", "€": "7"},
    )


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({}, "Nothing says which column is the title"),
        ({"title": "name"}, "There is no column “name”"),
        ({"title": "task", "colour": "area"}, "No column can be “colour”"),
        ({"title": {"a": 1}}, "No column can be “title”"),
        ({"title": ["task", 5]}, "No column can be “title”"),
    ],
)
def test_what_cannot_be_said_of_columns_is_refused_with_their_names(
    tmp_path: Path, said: dict[str, Json], why: str
) -> None:
    with pytest.raises(UserError, match=why) as refused:
        read(tmp_path, "own.csv", TABLE, **said)
    assert refused.value.hint


def test_a_rule_that_says_its_beginning_has_its_date_and_others_stay_in_words(tmp_path: Path) -> None:
    rows = (
        "every weekday at 9:15 starting jan 4 2027",
        "every 2 weeks starting jan 5 2027",
        "every 2 weeks",
        "montags",
    )
    text = "what,when\n" + "".join(f'"x{n}","{each}"\n' for n, each in enumerate(rows))
    found = read(tmp_path, "r.csv", text, title="what", due="when")
    dates = [item.properties.get("due_date") or item.properties["due"] for item in found.items]
    assert dates == ["2027-01-04T09:15", "2027-01-05", "every 2 weeks", "montags"]
    assert found.items[1].properties["repeats"] == "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"
    assert found.notes[0].startswith("Kept in words, because it does not name one day (2)")


def test_rows_come_in_once_and_are_undone_as_one_turn(tmp_path: Path, memory: Memory) -> None:
    from ana.memory.undo import undo

    text = "what\twhen\nsame\t\nsame\t\nother\t2026-03-01\n\t\n"
    first = import_bundle(memory, read(tmp_path, "a.tsv", text, title="what", due="when"))
    assert (first.new, first.unchanged) == (3, 0)
    again = import_bundle(memory, read(tmp_path, "copy of a.tsv", text, title="what", due="when"))
    assert (again.new, again.unchanged) == (0, 3)
    undo(memory, first.turn)
    assert memory.count() == 0
