"""Series of calendar files: what replaces what, changes for all that follows, the zone in which a series is."""

from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from ana.memory.item import Item
from ana.time.repeats import iter_between, read_repeat
from tests.conftest import BERLIN
from tests.transfer.ics.conftest import make_event, read_events

NEW_YORK = ZoneInfo("America/New_York")
LINES = "DTSTART;TZID=Europe/Berlin:20260105T100000\nDTEND;TZID=Europe/Berlin:20260105T110000\nRRULE:FREQ=WEEKLY\n"
TABLE = """BEGIN:VTIMEZONE
TZID:{name}
{more}BEGIN:STANDARD
DTSTART:19701025T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10;BYHOUR=3;BYMINUTE=0
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19700329T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3;BYHOUR=2;BYMINUTE=0
END:DAYLIGHT
END:VTIMEZONE"""


def list_starts(item: Item, zone: ZoneInfo = BERLIN) -> list[str]:
    """Return when an item that repeats begins in the first weeks of 2026, in a zone."""
    repeat = read_repeat(item.properties, zone)
    assert repeat, item
    found = iter_between(repeat, date(2026, 1, 1), date(2026, 2, 9))
    return [
        f"{each.start:%m-%dT%H:%M}" if isinstance(each.start, datetime) else f"{each.start:%m-%d}" for each in found
    ]


@pytest.mark.parametrize("numbers", [(1, 2), (2, 1)])
def test_the_newer_one_wins_whatever_the_order(tmp_path: Path, numbers: tuple[int, int]) -> None:
    dates = [
        make_event(f"RECURRENCE-ID:20260112T090000Z\nDTSTART:20260113T1{n}0000Z\nSEQUENCE:{n}\nSUMMARY:single {n}")
        for n in numbers
    ]
    found = read_events(tmp_path, *(make_event(f"{LINES}SEQUENCE:{n}\nSUMMARY:series {n}") for n in numbers), *dates)
    assert [item.content for item in found.items] == ["series 2", "single 2"]
    assert found.notes == []


def test_of_one_number_the_one_that_was_written_last_wins(tmp_path: Path) -> None:
    older, newer = (make_event(f"{LINES}DTSTAMP:2026010{n}T080000Z\nSUMMARY:{n}") for n in (1, 2))
    assert [item.content for item in read_events(tmp_path, newer, older).items] == ["2"]


def test_a_date_that_the_newer_series_has_no_more_is_gone(tmp_path: Path) -> None:
    series = make_event(f"{LINES};UNTIL=20260120T000000Z\nSEQUENCE:2\nSUMMARY:a".replace("WEEKLY\n", "WEEKLY"))
    single = make_event("RECURRENCE-ID:20260126T090000Z\nDTSTART:20260126T090000Z\nSEQUENCE:{}\nSUMMARY:b")
    assert [item.content for item in read_events(tmp_path, series, single.format(1)).items] == ["a"]
    assert [item.content for item in read_events(tmp_path, series, single.format(2)).items] == ["a", "b"]


def test_a_change_for_all_that_follows_ends_one_series_and_begins_another(tmp_path: Path) -> None:
    found = read_events(
        tmp_path,
        make_event(f"{LINES}EXDATE:20260202T090000Z\nRDATE:20260121T090000Z\nSUMMARY:Choir"),
        make_event(
            "RECURRENCE-ID;RANGE=THISANDFUTURE:20260119T090000Z\nDTSTART:20260120T100000Z\nDTEND:20260120T120000Z\n"
            "SUMMARY:Choir, in the hall"
        ),
        make_event(
            "RECURRENCE-ID:20260126T090000Z\nDTSTART:20260128T100000Z\nDTEND:20260128T120000Z\n"
            "SUMMARY:Choir, in the hall"
        ),
    )
    before, after = found.items
    assert (before.content, list_starts(before)) == ("Choir", ["01-05T10:00", "01-12T10:00"])
    assert list_starts(after) == ["01-20T11:00", "01-22T11:00", "01-28T11:00"]
    assert after.properties["end_date"] == "2026-01-20T13:00"
    assert before.id != after.id
    assert found.notes == []


def test_a_change_of_a_month_that_no_rule_says_is_named(tmp_path: Path) -> None:
    change = "RECURRENCE-ID;RANGE=THISANDFUTURE:20260202T090000Z\nDTSTART:20260203T090000Z\nSUMMARY:b"
    found = read_events(
        tmp_path, make_event(f"{LINES};BYDAY=1MO\nSUMMARY:a".replace("WEEKLY\n", "MONTHLY")), make_event(change)
    )
    assert found.notes == ["Kept, but it does not repeat here, because no rule here says the same (1): “a”."]


def test_a_series_keeps_its_zone(tmp_path: Path) -> None:
    lines = (
        "DTSTART;TZID=America/New_York:20260105T100000\nRRULE:FREQ=WEEKLY\nEXDATE;TZID=America/New_York:20260112T100000"
    )
    (item,) = read_events(tmp_path, make_event(f"{lines}\nSUMMARY:call")).items
    assert item.properties == {
        "type": "event",
        "start_date": "2026-01-05T10:00",
        "repeats": "FREQ=WEEKLY;BYDAY=MO",
        "except": ["2026-01-12"],
        "uid": "1",
        "zone": "America/New_York",
    }
    assert list_starts(item)[:2] == ["01-05T16:00", "01-19T16:00"]
    (own,) = read_events(tmp_path, make_event(f"{lines}\nSUMMARY:call"), zone=NEW_YORK).items
    assert "zone" not in own.properties
    (day,) = read_events(tmp_path, make_event("DTSTART;VALUE=DATE:20260105\nRRULE:FREQ=DAILY\nSUMMARY:a")).items
    assert "zone" not in day.properties


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("(GMT +01:00)", ""),
        ("Amsterdam\\, Berlin\\, Rome", ""),
        ("Home", "X-LIC-LOCATION:Europe/Berlin\n"),
        ("/example.org/1/Home", ""),
    ],
)
def test_the_files_own_zone_is_used_under_the_name_that_it_has(tmp_path: Path, name: str, more: str) -> None:
    lines = f"DTSTART;TZID={name.replace(chr(92), '')}:20260105T100000\nRRULE:FREQ=WEEKLY\nSUMMARY:a"
    (item,) = read_events(tmp_path, TABLE.format(name=name, more=more), make_event(lines), zone=NEW_YORK).items
    assert list_starts(item, NEW_YORK)[:2] == ["01-05T04:00", "01-12T04:00"]
    assert ZoneInfo(str(item.properties["zone"])).utcoffset(None) is None


def test_a_zone_that_is_like_no_other_is_told(tmp_path: Path) -> None:
    table = TABLE.format(name="Odd", more="").replace("+0200", "+0217")
    found = read_events(tmp_path, table, make_event(LINES.replace("Europe/Berlin", "Odd") + "SUMMARY:a"), zone=NEW_YORK)
    assert found.items[0].properties["start_date"] == "2026-01-05T04:00"
    assert found.notes == ["Kept in your time, though its own has other moments (1): “a”."]


def test_a_calendar_that_names_its_zone_means_it(tmp_path: Path) -> None:
    lines = "RRULE:FREQ=WEEKLY\nSUMMARY:a"
    found = read_events(
        tmp_path,
        "X-WR-TIMEZONE:America/New_York",
        make_event(f"DTSTART:20260105T150000Z\n{lines}"),
        make_event("DTSTART:20260105T100000\nSUMMARY:b", "2"),
    )
    assert [item.properties["start_date"] for item in found.items] == ["2026-01-05T10:00", "2026-01-05T16:00"]
    assert found.items[0].properties["zone"] == "America/New_York"


@pytest.mark.parametrize("left_out", ["EXDATE:20260107T100000Z", "EXDATE;VALUE=DATE:20260107"])
def test_what_was_added_can_be_left_out(tmp_path: Path, left_out: str) -> None:
    (item,) = read_events(tmp_path, make_event(f"{LINES}RDATE:20260107T100000Z\n{left_out}\nSUMMARY:a")).items
    assert list_starts(item)[:2] == ["01-05T10:00", "01-12T10:00"]


def test_a_rule_that_stands_twice_is_read_once(tmp_path: Path) -> None:
    (item,) = read_events(tmp_path, make_event(f"{LINES}RRULE:FREQ=WEEKLY\nSUMMARY:a")).items
    assert item.properties["repeats"] == "FREQ=WEEKLY;BYDAY=MO"


def test_the_end_of_a_days_rule_is_a_day_wherever_one_is(tmp_path: Path) -> None:
    lines = "DTSTART;VALUE=DATE:20260105\nRRULE:FREQ=DAILY;COUNT=-1;UNTIL=20260108T220000Z\nSUMMARY:a"
    for zone in (BERLIN, NEW_YORK):
        (item,) = read_events(tmp_path, make_event(lines), zone=zone).items
        assert item.properties["until"] == "2026-01-08"


@pytest.mark.parametrize(
    ("lines", "zone"),
    [
        ("DTSTART:20260105T100000", ""),
        ("DTSTART:20260105T100000\nRRULE:FREQ=DAILY", ""),
        ("DTSTART;VALUE=DATE:20260105", ""),
        ("DTSTART:20260105T100000Z", "Europe/Berlin"),
        ("DTSTART;TZID=America/New_York:20260105T100000", "Europe/Berlin"),
        ("DTSTART;TZID=Europe/Berlin:20260105T100000\nRRULE:FREQ=DAILY", "Europe/Berlin"),
        ("DTSTART;TZID=America/New_York:20260105T100000\nRRULE:FREQ=DAILY", ""),
    ],
)
def test_a_moment_stays_where_its_person_travels_and_a_floating_one_goes_along(
    tmp_path: Path, lines: str, zone: str
) -> None:
    (item,) = read_events(tmp_path, make_event(f"{lines}\nSUMMARY:a")).items
    assert item.zone == zone
    assert ("zone" in item.properties) is ("New_York" in lines and "RRULE" in lines)
