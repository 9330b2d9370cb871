"""Calendar files of other programs: series, exceptions, zones and alarms, and what is named because it is not kept."""

from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from icalendar import Calendar

from ana.memory.item import Item
from ana.transfer.bundle import Bundle
from ana.transfer.ics.reader import read
from ana.transfer.ics.writer import write_calendar
from ana.values import Properties
from tests.conftest import BERLIN
from tests.transfer.ics.conftest import STAMP, expand_file, list_ours, make_event, read_events, write_file, write_items

UTC_ZONE = ZoneInfo("UTC")
WEEKLY = "DTSTART;TZID=Europe/Berlin:20260105T100000\nDTEND;TZID=Europe/Berlin:20260105T110000\nRRULE:FREQ=WEEKLY\n"
CUSTOM = """BEGIN:VTIMEZONE
TZID:{name}
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:{rule};BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:{rule};BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE"""


def read_properties(path: Path, lines: str, zone: ZoneInfo = BERLIN) -> Properties:
    (item,) = read_events(path, make_event(lines + "\nSUMMARY:a"), zone=zone).items
    return item.properties


def test_an_event_becomes_an_item(tmp_path: Path) -> None:
    (item,) = read_events(
        tmp_path,
        make_event(
            "SUMMARY:Dinner\\, at Bob's\nDESCRIPTION:<b>bring</b>\\nwine\nDTSTART:20260110T180000Z\nDURATION:PT2H\n"
            "LOCATION:Köln\nCATEGORIES:food,a\\,b\nURL:https://a.de/x\nPRIORITY:3\nSTATUS:CONFIRMED\n"
            "CREATED:20260101T000000Z\nLAST-MODIFIED:20260102T000000Z"
        ),
    ).items
    assert item.content == "Dinner, at Bob's\n<b>bring</b>\nwine"
    assert item.properties == {
        "type": "event",
        "start_date": "2026-01-10T19:00",
        "end_date": "2026-01-10T21:00",
        "location": "Köln",
        "url": "https://a.de/x",
        "tags": ["food", "a,b"],
        "priority": "high",
        "uid": "1",
    }
    assert (item.created_at[:10], item.updated_at[:10]) == ("2026-01-01", "2026-01-02")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("DTSTART;VALUE=DATE:20260110", {"start_date": "2026-01-10"}),
        ("DTSTART;VALUE=DATE:20260110\nDTEND;VALUE=DATE:20260111", {"start_date": "2026-01-10"}),
        (
            "DTSTART;VALUE=DATE:20260110\nDTEND;VALUE=DATE:20260113",
            {"start_date": "2026-01-10", "end_date": "2026-01-12"},
        ),
        ("DTSTART;VALUE=DATE:20260110\nDURATION:P2D", {"start_date": "2026-01-10", "end_date": "2026-01-11"}),
        (
            "DTSTART;VALUE=DATE:20260110\nDTEND:20260112T000000Z",
            {"start_date": "2026-01-10", "end_date": "2026-01-11"},
        ),
        (
            "DTSTART;VALUE=DATE:20260110\nDTEND:20260112T100000Z",
            {"start_date": "2026-01-10", "end_date": "2026-01-12"},
        ),
        (
            "DTSTART:20260110T120000\nDTEND;VALUE=DATE:20260111",
            {"start_date": "2026-01-10T12:00", "end_date": "2026-01-11T00:00"},
        ),
        ("DTSTART:20260110T000000\nDTEND:20260110T000000", {"start_date": "2026-01-10T00:00"}),
        ("DTSTART:20260110T120000\nDTEND:20260109T120000", {"start_date": "2026-01-10T12:00"}),
        ("DTSTART;TZID=W. Europe Standard Time:20260110T120000", {"start_date": "2026-01-10T12:00"}),
        ("DTSTART;TZID=/citadel.org/1_1/Asia/Tokyo:20260110T120000", {"start_date": "2026-01-10T04:00"}),
        ("DTSTART;TZID=Nowhere:20260110T120000", {"start_date": "2026-01-10T12:00"}),
        ("DTSTART;TZID=../../etc:20260110T120000", {"start_date": "2026-01-10T12:00"}),
        ('DTSTART;TZID="(UTC-05:00) Eastern Time (US & Canada)":20260110T120000', {"start_date": "2026-01-10T18:00"}),
        ('DTSTART;TZID="(GMT +03:00)":20260110T120000', {"start_date": "2026-01-10T10:00"}),
        ("DTSTART;TZID=UTC+04:20260110T120000", {"start_date": "2026-01-10T09:00"}),
        ('DTSTART;TZID="(UTC+05:30) Chennai":20260110T120000', {"start_date": "2026-01-10T12:00"}),
        ("DTSTART;TZID=UTC+25:20260110T120000", {"start_date": "2026-01-10T12:00"}),
    ],
)
def test_days_and_moments(tmp_path: Path, lines: str, expected: Properties) -> None:
    found = read_properties(tmp_path, lines)
    assert {key: value for key, value in found.items() if key.endswith("_date")} == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("DUE;VALUE=DATE:20260110\nSTATUS:COMPLETED", {"status": "done", "due_date": "2026-01-10"}),
        ("STATUS:NEEDS-ACTION", {"status": "active"}),
        ("DUE;VALUE=DATE:20260110\nCOMPLETED:20260109T080000Z", {"status": "done", "due_date": "2026-01-10"}),
        ("PERCENT-COMPLETE:100", {"status": "done"}),
        (
            "DTSTART;VALUE=DATE:20260105\nDUE:20260110T100000",
            {"status": "active", "due_date": "2026-01-10T10:00", "start_date": "2026-01-05"},
        ),
        ("PERCENT-COMPLETE:100\nSTATUS:IN-PROCESS", {"status": "in-progress"}),
        (
            "DTSTART;VALUE=DATE:20260105\nDUE;VALUE=DATE:20260107\nRRULE:FREQ=WEEKLY;BYDAY=MO",
            {"status": "active", "start_date": "2026-01-05", "end_date": "2026-01-07",
             "repeats": "FREQ=WEEKLY;BYDAY=MO"},
        ),
    ],
)  # fmt: skip
def test_a_to_do_becomes_a_task(tmp_path: Path, lines: str, expected: Properties) -> None:
    (item,) = read_events(tmp_path, make_event(f"{lines}\nSUMMARY:a", kind="VTODO")).items
    assert item.properties == {"type": "task", "uid": "1"} | expected


def test_a_series_with_exceptions(tmp_path: Path) -> None:
    found = read_events(
        tmp_path,
        make_event(f"{WEEKLY}SUMMARY:Choir\nEXDATE:20260112T090000Z\nEXDATE;TZID=Europe/Berlin:20260119T100000"),
        make_event("RECURRENCE-ID:20260126T090000Z\nDTSTART:20260127T090000Z\nDTEND:20260127T100000Z\nSUMMARY:Choir"),
        make_event("RECURRENCE-ID:20260202T090000Z\nDTSTART:20260202T090000Z\nDTEND:20260202T100000Z\nSUMMARY:Concert"),
        make_event("RECURRENCE-ID:20260209T090000Z\nDTSTART:20260209T090000Z\nSTATUS:CANCELLED\nSUMMARY:Choir"),
    )
    concert, choir = sorted(found.items, key=lambda item: item.content, reverse=True)
    assert choir.properties["repeats"] == "FREQ=WEEKLY;BYDAY=MO"
    assert choir.properties["except"] == ["2026-01-12", "2026-01-19", "2026-02-02", "2026-02-09"]
    assert choir.properties["moved"] == {"2026-01-26": "2026-01-27T10:00"}
    assert (concert.content, concert.properties["start_date"]) == ("Concert", "2026-02-02T10:00")
    assert found.notes == []


@pytest.mark.parametrize(
    ("rule", "repeats", "until"),
    [
        ("FREQ=WEEKLY;COUNT=3", "FREQ=WEEKLY;BYDAY=MO", "2026-01-19T10:00"),
        ("FREQ=DAILY;UNTIL=20260107T090000Z", "FREQ=DAILY", "2026-01-07T10:00"),
        ("FREQ=DAILY;UNTIL=20260107", "FREQ=DAILY", "2026-01-07"),
        ("FREQ=MONTHLY;BYDAY=1MO", "FREQ=MONTHLY;BYDAY=1MO", None),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=MONTHLY;BYMONTHDAY=-1", None),
        ("FREQ=MONTHLY;BYMONTHDAY=31", "FREQ=MONTHLY;BYMONTHDAY=31;BYDAY=MO,TU,WE,TH,FR,SA,SU", None),
        ("FREQ=YEARLY", "FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=5", None),
        ("FREQ=HOURLY", "FREQ=HOURLY", None),
    ],
)
def test_rules(tmp_path: Path, rule: str, repeats: str, until: str | None) -> None:
    found = read_properties(tmp_path, WEEKLY.replace("FREQ=WEEKLY", rule))
    assert (found.get("repeats"), found.get("until")) == (repeats, until)


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo", "Australia/Lord_Howe", "Pacific/Apia"])
@pytest.mark.parametrize(
    "rule", ["FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO,TU", "FREQ=WEEKLY;UNTIL=20261103T000000Z"]
)
def test_a_series_of_another_zone_is_when_it_is_there(tmp_path: Path, zone: str, rule: str) -> None:
    for hour in (0, 10, 23):
        event = make_event(f"DTSTART;TZID={zone}:20260105T{hour:02}3000\nRRULE:{rule}\nSUMMARY:a")
        path = write_file(tmp_path / "file.ics", event)
        (item,) = read(path, BERLIN).items
        ours, theirs = list_ours(item), expand_file(path.read_bytes())["1"]
        assert [each for each in ours if each[0].year < 2028] == [each for each in theirs if each[0].year < 2028]


def test_what_other_zones_or_rules_make_different_is_named(tmp_path: Path) -> None:
    found = read_events(
        tmp_path,
        make_event("DTSTART;TZID=Asia/Tokyo:20260105T030000\nRRULE:FREQ=MONTHLY;BYDAY=1MO\nSUMMARY:night", "1"),
        make_event("DTSTART;TZID=America/New_York:20260105T100000\nRRULE:FREQ=WEEKLY\nSUMMARY:call", "2"),
        make_event("DTSTART:20260105T100000\nRRULE:FREQ=MINUTELY\nSUMMARY:pulse", "3"),
        make_event("DTSTART;TZID=Mars:20260105T100000\nATTENDEE;CN=Bob:mailto:b@b.de\nX-A:1\nSUMMARY:[red]<b>x", "4"),
        make_event("SUMMARY:when", "5"),
        make_event("DTSTART:20260105T100000\nSUMMARY:twice", "4"),
        "BEGIN:VJOURNAL\nUID:6\nEND:VJOURNAL",
    )
    assert len(found.items) == 4
    assert found.notes == [
        "Left out, because nothing here holds it (1): “VJOURNAL”.",
        "Kept, but it does not repeat here, because no rule here says the same (1): “pulse”.",
        "Left out, because it cannot be read (2): “twice: an event before it has its UID”, “when: it has no date”.",
        "Without its ATTENDEE (1): “[red]<b>x”.",
        "Read in your time, as nobody knows the zone (1): “Mars”.",
    ]


def test_a_zone_that_only_the_file_knows(tmp_path: Path) -> None:
    path, event = tmp_path / "file.ics", make_event("DTSTART;TZID=Own:20260705T120000\nSUMMARY:a")
    write_file(path, CUSTOM.format(name="Own", rule="FREQ=YEARLY"), event)
    (item,) = read(path, UTC_ZONE).items
    assert item.properties["start_date"] == "2026-07-05T10:00"
    write_file(path, CUSTOM.format(name="Own", rule="FREQ=SECONDLY"), event)
    found = read(path, UTC_ZONE)
    assert found.items[0].properties["start_date"] == "2026-07-05T12:00"
    assert found.notes == ["Read in your time, as nobody knows the zone (1): “Own”."]


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ("TRIGGER:-PT30M", "30 minutes before"),
        ("TRIGGER:-PT1H", "1 hour before"),
        ("TRIGGER:-P1W", "7 days before"),
        ("TRIGGER:PT0S", "0 minutes before"),
        ("TRIGGER;RELATED=END:-PT90M", "30 minutes before"),
        ("TRIGGER;VALUE=DATE-TIME:20260105T070000Z", "2026-01-05T08:00"),
        ("TRIGGER:PT15M", None),
    ],
)
def test_alarms_are_reminders(tmp_path: Path, trigger: str, expected: str | None) -> None:
    found = read_events(tmp_path, make_event(f"{WEEKLY}SUMMARY:a\nBEGIN:VALARM\nACTION:DISPLAY\n{trigger}\nEND:VALARM"))
    assert found.items[0].properties.get("remind") == ([expected] if expected else None)
    assert found.notes == ([] if expected else ["Without its VALARM (1): “a”."])
    if expected:
        files = (write_items(found.items), (tmp_path / "file.ics").read_bytes())
        ours, theirs = (Calendar.from_ical(data).events[0].alarms.times[0].trigger for data in files)
        assert ours == theirs


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ("-PT15H", "1 day before at 09:00"),
        ("-P2D", "2 days before at 00:00"),
        ("PT9H", "on the day at 09:00"),
        ("PT24H", None),
    ],
)
def test_alarms_of_a_day(tmp_path: Path, trigger: str, expected: str | None) -> None:
    alarm = f"BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:{trigger}\nEND:VALARM"
    (item,) = read_events(tmp_path, make_event(f"DTSTART;VALUE=DATE:20260110\nSUMMARY:a\n{alarm}")).items
    assert item.properties.get("remind") == ([expected] if expected else None)
    assert not expected or f"TRIGGER:{trigger}".encode() in write_items([item])


@pytest.mark.parametrize(
    ("remind", "date", "trigger"),
    [
        ("the evening before", "2026-01-10", "-PT6H"),
        ("the evening before", "2026-01-10T12:00", "-PT18H"),
        ("1 day before", "2026-01-10", "-PT15H"),
        ("a week before at 8:00", "2026-01-10T08:00", "-P7D"),
        ("at the time", "2026-01-10T08:00", "P0D"),
        ("2026-01-09T08:00", "2026-01-10", "20260109T070000Z"),
        ("30 minutes before", "2026-01-10", None),
        ("at some point", "2026-01-10", None),
    ],
)
def test_reminders_are_alarms(remind: str, date: str, trigger: str | None) -> None:
    item = Item("abcd2345", "a", {"due_date": date, "remind": remind}, STAMP, STAMP)
    data, _, notes = write_calendar([item], BERLIN)
    assert (f":{trigger}\r\n".encode() in data) == bool(trigger)
    assert notes == ([] if trigger else [f"Without a reminder that a calendar cannot say (1): “{remind}: a”."])


def test_further_dates_are_dates_of_the_event(tmp_path: Path) -> None:
    lines = """DTSTART:20260105T100000
    RDATE:20260107T110000,20260105T100000
    RDATE;TZID=America/New_York:20260109T040000
    RDATE;VALUE=DATE:20260112
    EXDATE:20260107T110000
    SUMMARY:a"""
    (item,) = read_events(tmp_path, make_event(lines)).items
    assert item.properties["start_date"] == "2026-01-05T10:00"
    assert item.properties["also"] == ["2026-01-09T10:00", "2026-01-12"]
    assert "repeats" not in item.properties


def test_a_further_date_may_be_moved_left_out_or_an_event_of_its_own(tmp_path: Path) -> None:
    found = read_events(
        tmp_path,
        make_event(
            f"{WEEKLY}EXDATE:20260112T090000Z\nRDATE:20260112T150000Z,20260114T150000Z,20260116T150000Z\nSUMMARY:a"
        ),
        make_event("RECURRENCE-ID:20260114T150000Z\nDTSTART:20260115T150000Z\nDTEND:20260115T160000Z\nSUMMARY:a"),
        make_event("RECURRENCE-ID:20260116T150000Z\nDTSTART:20260116T150000Z\nDTEND:20260116T160000Z\nSUMMARY:b"),
    )
    series = next(item for item in found.items if item.content == "a")
    starts = [start for start, _ in list_ours(series)]
    assert [f"{at:%m-%dT%H}" for at in starts[:4]] == ["01-05T10", "01-12T16", "01-15T16", "01-19T10"]
    assert [item.content for item in found.items] == ["a", "b"]


def test_the_same_file_gives_the_same(tmp_path: Path) -> None:
    path = write_file(
        tmp_path / "a.ics",
        make_event(f"{WEEKLY}SUMMARY:a"),
        "BEGIN:VEVENT\nDTSTAMP:20260101T000000Z\nDTSTART;VALUE=DATE:20260105\nSUMMARY:without a UID\nEND:VEVENT",
    )
    other = tmp_path / "b.ics"
    other.write_bytes(path.read_bytes())
    assert read(path, BERLIN) == read(other, BERLIN) != Bundle()
    assert all(item.properties.get("uid") in ("1", None) for item in read(path, BERLIN).items)


def test_a_leap_day_is_in_leap_years_where_the_file_says_so(tmp_path: Path) -> None:
    (item,) = read_events(tmp_path, make_event("DTSTART;VALUE=DATE:20240229\nRRULE:FREQ=YEARLY\nSUMMARY:a")).items
    assert [start.date() for start, _ in list_ours(item)] == [date(2028, 2, 29)]
