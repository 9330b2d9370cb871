"""Calendar files that are broken, large, or made to do harm."""

import time
from contextlib import suppress
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest

from ana.errors import UserError
from ana.transfer.ics import reader
from ana.transfer.ics.writer import write_calendar
from ana.transfer.reading import read_source
from tests.conftest import BERLIN
from tests.transfer.ics.conftest import make_event, read_events, write_file

EVENT = make_event("DTSTART:20260105T100000\nRRULE:FREQ=WEEKLY\nSUMMARY:Ünïcödé")
ALL = """DTSTART;TZID=Asia/Tokyo:20260105T100000
DURATION:PT1H
RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=5
EXDATE:20260112T010000Z
RDATE:20260113T010000Z
BEGIN:VALARM
TRIGGER:-PT15M
END:VALARM"""
ODD = (
    b"",
    b"99999999",
    b"-",
    b"T",
    b";",
    b":",
    b"\xff",
    b"00010101T000000Z",
    b"99991231T235959Z",
    b"P",
    b"COUNT=0",
    b"FREQ=SECONDLY",
    b"VALUE=DATE:",
    b"VALUE=PERIOD:",
    b"\r",
    b"\n ",
    b"\n",
    b'"',
    b"BEGIN:VALARM\n",
    b"END:VEVENT\n",
)


@pytest.mark.parametrize("head", ["BEGIN:VCALENDAR\n", "\ufeffbegin:vcalendar\r\n", "\n\nBEGIN:VCALENDAR"])
def test_a_calendar_is_known_by_its_beginning(tmp_path: Path, head: str) -> None:
    path = tmp_path / "file"
    path.write_text(head, encoding="utf-8")
    with pytest.raises(UserError, match="cut off or damaged"):
        read_source(path, BERLIN)


@pytest.mark.parametrize(
    "text",
    ["BEGIN:VCALENDAR", f"BEGIN:VCALENDAR\n{EVENT}", f"BEGIN:VCALENDAR\n{EVENT[:-10]}\nEND:VCALENDAR",
     f"BEGIN:VCALENDAR\nBEGIN:VEVENT\n{EVENT}\nEND:VCALENDAR"],
)  # fmt: skip
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file.ics"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match="cut off or damaged"):
        reader.read(path, BERLIN)


def test_another_encoding_is_named(tmp_path: Path) -> None:
    path = write_file(tmp_path / "file.ics", EVENT)
    path.write_bytes(path.read_bytes().decode().encode("latin-1"))
    with pytest.raises(UserError, match="line 8 is not UTF-8"):
        reader.read(path, BERLIN)


@pytest.mark.parametrize("end", [b"\r\n", b"\n", b"\r"])
def test_lines_may_be_folded_within_a_character(tmp_path: Path, end: bytes) -> None:
    path = write_file(tmp_path / "file.ics", EVENT)
    data = path.read_bytes().replace("Ü".encode(), "Ü".encode()[:1] + b"\r\n " + "Ü".encode()[1:])
    path.write_bytes(data.replace(b"\r\n", end))
    assert [item.content for item in reader.read(path, BERLIN).items] == ["Ünïcödé"]


@pytest.mark.parametrize(
    "line",
    ["DTSTART:tomorrow", "DTSTART;VALUE=TIME:100000", "DTSTART:99991231T235959Z\nRRULE:FREQ=DAILY", "DTSTART:",
     "DTSTART:20260105T100000\nBEGIN:VALARM", "DTSTART:20260105T100000\nEND:VALARM",
     "DTSTART:20260105T100000\nBEGIN:VALARM\nTRIGGER:soon\nEND:VALARM"],
)  # fmt: skip
def test_one_broken_event_spoils_no_other(tmp_path: Path, line: str) -> None:
    found = read_events(tmp_path, make_event(f"{line}\nSUMMARY:bad", "2"), EVENT)
    assert [item.content for item in found.items if item.content != "bad"] == ["Ünïcödé"]
    assert len(found.items) == 2 or len(found.notes) == 1


@pytest.mark.parametrize(
    "alarm", ["TRIGGER;VALUE=DATE-TIME:120000Z", "TRIGGER:soon", "REPEAT:often\nTRIGGER:-PT5M", "TRIGGER", ";;;"]
)
def test_a_broken_alarm_loses_the_alarm_alone(tmp_path: Path, alarm: str) -> None:
    event = make_event(f"DTSTART:20260105T100000\nSUMMARY:a\nBEGIN:VALARM\n{alarm}\nEND:VALARM")
    found = read_events(tmp_path, event)
    assert [item.properties["start_date"] for item in found.items] == ["2026-01-05T10:00"]
    assert "remind" not in found.items[0].properties or "-PT5M" in alarm
    assert found.notes == ["Without its VALARM (1): “a”."] or "-PT5M" in alarm


@pytest.mark.parametrize(
    "alarm", ["BEGIN:VALARM\nTRIGGER:-PT5M", "END:VALARM", "BEGIN:VALARM\nBEGIN:VALARM\nEND:VALARM"]
)
def test_an_alarm_without_end_or_beginning_loses_itself(tmp_path: Path, alarm: str) -> None:
    found = read_events(tmp_path, make_event(f"DTSTART:20260105T100000\nSUMMARY:a\n{alarm}"))
    assert [item.content for item in found.items] == ["a"]


def test_many_single_dates_and_changes_take_no_time(tmp_path: Path) -> None:
    singles = [
        make_event(f"RECURRENCE-ID{more}:9{n:03}0105T100000Z\nDTSTART:9{n:03}0106T100000Z\nSUMMARY:b")
        for more in ("", ";RANGE=THISANDFUTURE")
        for n in range(100, 400)
    ]
    begun = time.process_time()
    read_events(tmp_path, make_event("DTSTART:20260105T100000Z\nRRULE:FREQ=DAILY\nSUMMARY:a"), *singles)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("line", ["DTSTART:00010101T000000Z", "DTSTART;TZID=Asia/Tokyo:00010101T000000"])
def test_errors_are_told_in_words_of_ours(tmp_path: Path, line: str) -> None:
    zone = ZoneInfo("America/New_York")
    (note,) = read_events(tmp_path, make_event(f"{line}\nRRULE:FREQ=DAILY\nSUMMARY:a"), zone=zone).notes
    assert note == "Left out, because it cannot be read (1): “a: a date or a value in it cannot be used”."


def test_a_line_that_is_none_is_named(tmp_path: Path) -> None:
    found = read_events(tmp_path, make_event("DTSTART:20260105T100000\nSUMMARY:a\nEXDATE:never\nRRULE:FREQ=DAILY"))
    assert found.notes == ["Without its EXDATE (1): “a”."]


@pytest.mark.parametrize("rule", ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=WEEKLY;COUNT=10000;INTERVAL=1000"])
def test_a_rule_without_an_occurrence_takes_no_time(tmp_path: Path, rule: str) -> None:
    begun = time.process_time()
    found = read_events(tmp_path, make_event(f"DTSTART;TZID=Asia/Tokyo:20260105T100000\nRRULE:{rule}\nSUMMARY:a"))
    write_calendar(found.items, BERLIN)
    assert time.process_time() - begun < 5


def test_ten_thousand_exceptions(tmp_path: Path) -> None:
    days = ",".join(f"{2026 + n // 336}{n // 28 % 12 + 1:02}{n % 28 + 1:02}T100000" for n in range(10_000))
    found = read_events(tmp_path, make_event(f"DTSTART:20260105T100000\nRRULE:FREQ=DAILY\nEXDATE:{days}\nSUMMARY:a"))
    left_out = found.items[0].properties["except"]
    assert isinstance(left_out, list)
    assert len(left_out) == 10_000


@pytest.mark.parametrize("seed", range(30))
def test_a_spoiled_file_is_read_or_refused(tmp_path: Path, seed: int) -> None:
    path, random = write_file(tmp_path / "file.ics", EVENT, make_event(ALL, "2")), Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(3):
        at = random.randrange(len(data))
        data[at : at + random.choice((0, 3, 8))] = random.choice(ODD)
    path.write_bytes(data)
    with suppress(UserError):
        write_calendar(reader.read(path, BERLIN).items, BERLIN)
