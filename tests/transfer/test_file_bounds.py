"""Small files that would be much work: each is read in its bounds, or refused with the reason."""

import time
from pathlib import Path

import pytest

from ana.errors import UserError, WorkStopped
from ana.memory.memory import Memory
from ana.stopping import Work, working
from ana.transfer import records
from ana.transfer.bundle import Bundle, read_export
from ana.transfer.ics.reader import MOST_COUNTED
from ana.transfer.reading import read_source
from tests.conftest import BERLIN
from tests.transfer.ics.conftest import make_event

START = "DTSTART:20250105T100000\nSUMMARY:Pills"


def read(path: Path, text: str) -> Bundle:
    path.write_text(text, encoding="utf-8")
    found = read_source(path, BERLIN)
    assert found
    return found


def make_calendar(*events: str) -> str:
    return "\n".join(["BEGIN:VCALENDAR", *events, "END:VCALENDAR", ""])


def list_days(count: int) -> str:
    return ",".join(f"{2026 + n // 336}{n // 28 % 12 + 1:02}{n % 28 + 1:02}T100000" for n in range(1, count + 1))


def test_a_thousand_dates_of_an_event_are_one_item_and_more_are_refused_by_name(tmp_path: Path) -> None:
    few, many = (make_event(f"{START} {n}\nRDATE:{list_days(n)}", str(n)) for n in (1000, 1001))
    found = read(tmp_path / "a.ics", make_calendar(few, many))
    (item,) = found.items
    also = item.properties["also"]
    assert isinstance(also, list)
    assert (item.content, len(also)) == ("Pills 1000", 1000)
    assert found.notes == [
        "Left out, because it cannot be read (1): “Pills 1001: it has 1,001 of RDATE, and at most 1,000 are read”."
    ]


@pytest.mark.parametrize("line", [f"EXDATE:{list_days(20_001)}", "BEGIN:VALARM\nTRIGGER:-PT5M\nEND:VALARM\n" * 50])
def test_an_event_that_lists_too_much_is_left_out_and_named(tmp_path: Path, line: str) -> None:
    found = read(tmp_path / "a.ics", make_calendar(make_event(f"{START}\n{line}"), make_event(START, "2")))
    assert len(found.items) == 1
    assert "Pills: it has" in found.notes[0]


def test_series_count_out_so_many_dates_together(tmp_path: Path) -> None:
    few = MOST_COUNTED // 10_000
    events = (make_event(f"{START}\nRRULE:FREQ=YEARLY;INTERVAL=1000;COUNT=10000", f"{n}") for n in range(few + 2))
    found = read(tmp_path / "a.ics", make_calendar(*events))
    assert len(found.items) == few


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.ics", "BEGIN:VCALENDAR\n" + "BEGIN:VEVENT\n" * 100_000, "cut off or damaged"),
        ("a.ics", "BEGIN:VCALENDAR\n" + "BEGIN:VEVENT\nEND:VTODO\n" * 50_000 + "END:VCALENDAR", "cut off or damaged"),
        ("a.csv", "TYPE,CONTENT\n" + "task,x\n" * 100_001, "more than 100,000 records"),
        ("a.csv", "TYPE,CONTENT" + ",A" * 200_000 + "\ntask,x\n", "200,002 columns"),
    ],
)
def test_a_file_of_very_many_parts_is_refused_soon(tmp_path: Path, name: str, text: str, why: str) -> None:
    begun = time.process_time()
    with pytest.raises(UserError, match=why):
        read(tmp_path / name, text)
    assert time.process_time() - begun < 10


def test_an_export_is_bounded_where_anybody_may_send_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "all.jsonl"
    path.write_text('{"export": "ana export", "format": 1, "next_line": 0}\n' + "\n" * 4)
    monkeypatch.setattr(records, "MOST_RECORDS", 3)
    assert read_export(path) == Bundle(format=1)
    with pytest.raises(UserError, match="more than 3 records"):
        read_export(path, is_bounded=True)


def test_reading_can_be_stopped(tmp_path: Path) -> None:
    work = Work()
    work.stop()
    for name, text in (("a.ics", make_calendar(make_event(START))), ("a.csv", "TYPE,CONTENT\ntask,x\n")):
        with pytest.raises(WorkStopped), working(work):
            read(tmp_path / name, text)


def test_an_import_tells_how_far_it_is_and_where_it_is_stopped_nothing_of_it_is_there(chroma_memory: Memory) -> None:
    from ana.memory.item import Item
    from ana.transfer.importer import import_bundle

    stamp = "2026-01-07T08:00:00.000000+00:00"
    bundle = Bundle([Item(f"i{n}", f"note {n}", {}, stamp, stamp) for n in range(700)])
    told: list[tuple[int, int]] = []

    def tell(done: int, total: int) -> None:
        told.append((done, total))
        if done == 300:
            work.stop()

    work = Work(tell)
    with pytest.raises(WorkStopped), working(work):
        import_bundle(chroma_memory, bundle)
    assert told == [(100, 700), (200, 700), (300, 700)]
    assert chroma_memory.count() == 0
    with working(Work(lambda *how_far: told.append(how_far))):
        assert import_bundle(chroma_memory, bundle).new == 700
    assert told[-1] == (700, 700)
    assert chroma_memory.count() == 700
