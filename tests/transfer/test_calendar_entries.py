"""Calendars that are followed: their entries are as the last reading found them, and what is noted beside stays."""

from datetime import date

import pytest

from ana.errors import ToolError, UserError
from ana.memory.changes import make_edit
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.undo import find_undoable, undo
from ana.transfer.following import Calendar, list_news, make_calendar, read_entries, remove_entries, update_entries
from tests.conftest import BERLIN
from tests.feeds import CHOIR, DENTIST, write_feed

WORK = Calendar("Work", "https://calendar.example.org/work.ics")
TODAY = date(2026, 1, 7)
LATER = ("1", "20301202T120000Z", "Choir")


def read(memory: Memory, *events: tuple[str, str, str], calendar: Calendar = WORK) -> list[str]:
    """Read a calendar of these events, and return what that did."""
    changes = update_entries(memory, calendar, read_entries(calendar, write_feed(*events), BERLIN), TODAY)
    return [f"{change.op} {(change.after or change.before or Item('', '', {}, '', '')).content}" for change in changes]


def get(memory: Memory, content: str) -> Item:
    return next(item for item in memory.items() if item.content == content)


def test_entries_come_change_and_go(memory: Memory) -> None:
    assert read(memory, CHOIR, DENTIST) == ["create Choir", "create Dentist"]
    assert read(memory, CHOIR, DENTIST) == []
    choir = get(memory, "Choir")
    assert choir.source == "calendar Work"
    assert choir.properties == {"type": "event", "start_date": "2030-12-02T11:00", "uid": "1", "calendar": "Work"}
    assert read(memory, LATER) == ["update Choir", "delete Dentist"]
    assert get(memory, "Choir").id == choir.id
    assert read(memory, LATER, DENTIST) == ["create Dentist"]
    assert {entry.source for entry in memory.history()} == {"calendar Work"}


def test_an_entry_cannot_be_edited_and_what_is_noted_beside_stays(memory: Memory) -> None:
    read(memory, CHOIR)
    choir = get(memory, "Choir")
    for content, properties in (("Coffee", {}), (None, {"start_date": "2030-12-01"}), (None, {"uid": None})):
        with pytest.raises(ToolError, match="it is changed there, not here"):
            memory.update(choir.id, content, properties)
    memory.update(choir.id, properties={"note": "bring the scores", "status": "done"}, cause=make_edit())
    read(memory, LATER)
    kept = get(memory, "Choir")
    assert (kept.properties["note"], kept.properties["start_date"]) == ("bring the scores", "2030-12-02T13:00")
    assert "note" not in kept.sources.properties
    memory.update(choir.id, properties={"note": None})


def test_what_is_past_stays(memory: Memory) -> None:
    read(memory, ("3", "20260105T100000Z", "Past"), CHOIR)
    assert read(memory) == ["delete Choir"]
    assert get(memory, "Past")


def test_what_the_person_deletes_or_claims_is_left_so(memory: Memory) -> None:
    read(memory, CHOIR, DENTIST)
    memory.delete(get(memory, "Choir").id)
    memory.claim([get(memory, "Dentist").id])
    assert read(memory, LATER, DENTIST) == []
    memory.update(get(memory, "Dentist").id, "Dentist, with x-rays")
    assert remove_entries(memory, WORK) == []


def test_a_calendar_that_is_followed_no_more_takes_its_entries_along(memory: Memory) -> None:
    home = Calendar("Home", "https://calendar.example.org/home.ics")
    memory.create("Choir")
    read(memory, CHOIR, DENTIST)
    read(memory, CHOIR, calendar=home)
    assert len(remove_entries(memory, WORK)) == 2
    assert sorted(item.source for item in memory.items()) == ["calendar Home", "person"]
    assert read(memory, CHOIR) == ["create Choir"]


def test_news_are_what_changed_or_went(memory: Memory) -> None:
    read(memory, CHOIR, DENTIST)
    assert list_news(memory, "") == []
    read(memory, LATER)
    read(memory, ("1", "20301202T130000Z", "Choir"))
    moved, gone = sorted(list_news(memory, ""), key=lambda change: change.op, reverse=True)
    assert moved.before
    assert moved.after
    assert gone.before
    assert (moved.before.properties["start_date"], moved.after.properties["start_date"]) == (
        "2030-12-02T11:00",
        "2030-12-02T14:00",
    )
    assert (gone.before.content, gone.after) == ("Dentist", None)
    assert list_news(memory, "2099") == []


def test_a_reading_is_not_what_was_done_last(memory: Memory) -> None:
    memory.create("Buy milk", cause=make_edit())
    read(memory, CHOIR)
    undo(memory, find_undoable(memory))
    assert [item.content for item in memory.items()] == ["Choir"]


@pytest.mark.parametrize("data", [b"", b"<html>", b"BEGIN:VCALENDAR", b"BEGIN:VCALENDAR\n\xff\nEND:VCALENDAR"])
def test_what_is_no_calendar_is_told_without_our_paths(data: bytes) -> None:
    with pytest.raises(UserError) as error:
        read_entries(WORK, data, BERLIN)
    assert "/tmp" not in error.value.sentence()


@pytest.mark.parametrize(
    ("name", "url", "expected"),
    [
        ("My choir", "webcal://a.de/x.ics", Calendar("My-choir", "https://a.de/x.ics")),
        ("", "https://a.de/x.ics", Calendar("a.de", "https://a.de/x.ics")),
        ("Kölner=Chor ", " https://a.de/x?k=1,2=3 ", Calendar("Kölner-Chor", "https://a.de/x?k=1,2=3")),
    ],
)
def test_a_calendar_is_named_by_a_word(name: str, url: str, expected: Calendar) -> None:
    assert make_calendar(url, name) == expected


@pytest.mark.parametrize(
    "url", ["Work", "file:///etc/passwd", "/tmp/a.ics", "https://", "ftp://a.de/a", "https://a de/"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UserError, match="no address of a calendar"):
        make_calendar(url)
