"""Out, in and out again: the same items, and in every other program the same days and times."""

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ana.backends.in_memory import InMemoryBackend
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.undo import undo
from ana.time.clock import Clock
from ana.time.repeats import read_repeat
from ana.transfer.ics.reader import read
from ana.transfer.ics.writer import write_calendar
from ana.transfer.importer import import_bundle
from ana.values import Json, Properties
from tests.conftest import BERLIN, EMBEDDER
from tests.transfer.ics.conftest import STAMP, expand_file, forget_ours, list_ours, make_event, write_file, write_items

ZONES = (BERLIN, ZoneInfo("America/New_York"), ZoneInfo("Australia/Lord_Howe"))
DAYS = st.sampled_from(["MO", "TU", "WE", "TH", "FR", "SA", "SU"])


@st.composite
def rules(draw: st.DrawFn) -> str:
    freq = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    parts = [f"FREQ={freq}", *draw(st.sampled_from([[], ["INTERVAL=2"], ["INTERVAL=3"]]))]
    if freq == "WEEKLY":
        days = draw(st.lists(DAYS, max_size=3, unique=True))
        parts += [f"BYDAY={','.join(days)}"] if days else []
    if freq == "MONTHLY":
        parts += draw(
            st.sampled_from([[], ["BYMONTHDAY=-1"], ["BYMONTHDAY=31"], ["BYDAY=-1FR"], ["BYDAY=MO;BYSETPOS=1"]])
        )
    if freq == "YEARLY":
        parts += draw(st.sampled_from([[], ["BYMONTH=2;BYMONTHDAY=29"], ["BYMONTH=1,6"], ["BYMONTH=5;BYDAY=2SU"]]))
    if draw(st.booleans()) and freq != "YEARLY":
        parts.append(f"COUNT={draw(st.integers(1, 40))}")
    return ";".join(parts)


@st.composite
def items(draw: st.DrawFn) -> Item:
    start = datetime(2026, 1, 1) + timedelta(draw(st.integers(0, 400)), minutes=draw(st.integers(0, 1439)))
    is_day = draw(st.booleans())

    def write(at: datetime) -> str:
        return at.date().isoformat() if is_day else at.isoformat(timespec="minutes")

    rule = draw(rules())
    if not is_day and draw(st.booleans()) and ("DAILY" in rule or "WEEKLY" in rule):
        rule += ";BYHOUR=8,14;BYMINUTE=0"
    days = [start.date() + timedelta(draw(st.integers(0, 60))) for _ in range(draw(st.integers(0, 4)))]
    to = datetime(2026, 7, 1, 12) + timedelta(draw(st.integers(0, 60)))
    left_out: list[Json] = [str(day) for day in days[1:]]
    moved: dict[str, Json] = {str(day): write(to) for day in days[:1]}
    added = st.builds(
        lambda n, hour: write(start.replace(hour=hour) + timedelta(n)), st.integers(-9, 60), st.integers(0, 23)
    )
    also: list[Json] = [*draw(st.lists(added, max_size=3))]
    properties: Properties = {"repeats": rule, "except": left_out, "moved": moved, "tags": ["a,b", "c;d"]}
    if also:
        properties["also"] = also
        if draw(st.booleans()):
            del properties["repeats"]
    if draw(st.booleans()):
        properties |= {"type": "task", "status": "active", "due_date": write(start), "remind": "30 minutes before"}
    else:
        lasts = timedelta(draw(st.integers(0, 2)), minutes=draw(st.integers(0, 90)))
        properties |= {"type": "event", "start_date": write(start), "end_date": write(start + lasts)}
    if draw(st.booleans()):
        properties["until"] = write(start + timedelta(draw(st.integers(1, 300))))
    text = draw(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20))
    return Item("abcd2345", f"Event {text}", properties, STAMP, STAMP)


@settings(max_examples=60)
@given(items(), st.sampled_from(ZONES))
def test_other_programs_read_the_same_days(item: Item, zone: ZoneInfo) -> None:
    repeat = read_repeat(item.properties, zone)
    assume(repeat is not None and not (repeat.end and repeat.end < repeat.first))
    data = write_items([item], zone)
    (found,) = expand_file(data, zone).values()
    assert found == sorted({*list_ours(item, zone)})  # dateutil has once what is moved to where another is already


def test_every_day_that_is_left_out_is_in_the_file() -> None:
    left_out: list[Json] = [f"2026-01-{day:02}" for day in (6, 7, 9, 12, 13)]
    properties: Properties = {"type": "event", "start_date": "2026-01-05T10:00", "repeats": "daily", "except": left_out}
    item = Item("abcd2345", "Standup", properties, STAMP, STAMP)
    (found,) = expand_file(write_items([item], BERLIN), BERLIN).values()
    assert found == list_ours(item, BERLIN)
    assert not {f"{at:%Y-%m-%d}" for at, *_ in found} & {*left_out}


@settings(max_examples=60)
@given(item=items(), zone=st.sampled_from(ZONES))
def test_what_comes_back_is_the_item(item: Item, zone: ZoneInfo, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("file") / "file.ics"
    path.write_bytes(write_items([item], zone))
    assert read(path, zone).items == [item]


@settings(max_examples=60)
@given(item=items(), zone=st.sampled_from(ZONES))
def test_what_another_program_has_written_again_is_when_it_was(
    item: Item, zone: ZoneInfo, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = forget_ours(write_items([item], zone))
    repeat = read_repeat(item.properties, zone)
    assume(repeat is not None and not (repeat.end and repeat.end < repeat.first))
    assume(list_ours(item, zone))  # what never comes is nowhere
    path = tmp_path_factory.mktemp("file") / "file.ics"
    path.write_bytes(data)
    (back,) = read(path, zone).items
    assert back.id == item.id
    assert list_ours(back, zone) == list_ours(item, zone)
    assert expand_file(write_items([back], zone), zone) == expand_file(data, zone)


def test_an_import_is_one_act_and_nothing_comes_twice(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    memory.create("Swimming", {"type": "class", "start_date": "2026-01-09T17:00", "repeats": "every friday"})
    memory.create("Rent", {"type": "task", "due_date": "2026-01-31", "repeats": "monthly on the 31st"})
    memory.create("No date", {"type": "note"})
    path, other = tmp_path / "file.ics", Memory(InMemoryBackend(EMBEDDER), clock)
    path.write_bytes(write_items(memory.items()))
    done = import_bundle(other, read(path, BERLIN))
    assert (done.new, done.unchanged, done.conflicting) == (2, 0, [])
    assert {i.id: i for i in other.items()} == {i.id: i for i in memory.items() if i.content != "No date"}
    again = import_bundle(other, read(path, BERLIN))
    assert (again.new, again.unchanged, again.turn) == (0, 2, "")
    assert import_bundle(memory, read(path, BERLIN)).unchanged == 2
    undo(other, done.turn)
    assert not list(other.items())


def test_an_event_that_was_changed_elsewhere_is_still_the_task_that_it_was(tmp_path: Path) -> None:
    own: Properties = {"type": "task", "status": "active", "due_date": "2026-01-09", "project": "Acme"}
    path = tmp_path / "file.ics"
    data = write_items([Item("abcd2345", "Call Bob", own, STAMP, STAMP)])
    path.write_bytes(data.replace(b"DTSTART;VALUE=DATE:20260109", b"DTSTART;VALUE=DATE:20260112"))
    (back,) = read(path, BERLIN).items
    assert (back.id, back.properties) == ("abcd2345", own | {"due_date": "2026-01-12"})


def test_a_series_of_another_zone_goes_out_in_it(tmp_path: Path) -> None:
    own: Properties = {"type": "event", "start_date": "2026-03-02T22:30", "end_date": "2026-03-02T23:00", "uid": "1"}
    own |= {"repeats": "FREQ=WEEKLY;BYDAY=MO", "moved": {"2026-03-16": "2026-03-17T08:00"}, "zone": "America/New_York"}
    item = Item("abcd2345", "Call", own, STAMP, STAMP)
    data = write_items([item])
    assert b"DTSTART;TZID=America/New_York:20260302T223000" in data
    assert [start for start, _ in expand_file(data)["1"]] == [start for start, _ in list_ours(item)]
    path = tmp_path / "file.ics"
    path.write_bytes(data)
    assert read(path, BERLIN).items == [item]
    path.write_bytes(forget_ours(data))
    assert read(path, BERLIN).items[0].properties == own


@pytest.mark.parametrize(
    "lines",
    [
        "DUE;VALUE=DATE:20260110",
        "SUMMARY:b",
        "STATUS:COMPLETED",
        "DTSTART:20260110T080000Z\nDUE:20260110T100000Z\nSTATUS:IN-PROCESS",
        "DTSTART:20260110T080000Z\nDUE:20260110T100000Z\nRRULE:FREQ=DAILY\nEXDATE:20260111T080000Z",
        "DUE:20260110T100000Z\nRRULE:FREQ=DAILY\nSTATUS:CANCELLED",
        "DTSTART:20260110T080000Z",
    ],
)
def test_a_to_do_goes_out_as_a_to_do(tmp_path: Path, lines: str) -> None:
    path = write_file(tmp_path / "file.ics", make_event(f"{lines}\nSUMMARY:a", kind="VTODO"))
    (item,) = read(path, BERLIN).items
    data = write_items([item])
    assert (data.count(b"BEGIN:VTODO"), data.count(b"BEGIN:VEVENT")) == (1, 0)
    path.write_bytes(forget_ours(data))
    assert read(path, BERLIN).items[0].properties == item.properties


def test_who_subscribes_is_shown_to_dos_as_events(tmp_path: Path) -> None:
    path = write_file(tmp_path / "file.ics", make_event("DUE;VALUE=DATE:20260110\nSUMMARY:a", kind="VTODO"))
    data, count, _ = write_calendar(read(path, BERLIN).items, BERLIN, whole=False)
    assert (data.count(b"BEGIN:VEVENT"), count) == (1, 1)
