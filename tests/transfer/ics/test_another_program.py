"""A calendar as calcurse 4.7.1 exported it: without ids, with a series, dates left out, ends of months, and tasks."""

import re
from datetime import datetime
from itertools import count
from pathlib import Path

from ana.backends.in_memory import InMemoryBackend
from ana.memory.memory import Memory
from ana.time.clock import Clock
from ana.transfer.ics.reader import read
from ana.transfer.importer import ImportResult, import_bundle
from tests.conftest import BERLIN, EMBEDDER, WEDNESDAY
from tests.transfer.ics.conftest import expand_file, forget_ours, write_items

FILE = Path(__file__).parent / "calcurse.ics"


def bring_in(file: Path, memory: Memory) -> ImportResult:
    return import_bundle(memory, read(file, BERLIN))


def make_memory() -> Memory:
    return Memory(InMemoryBackend(EMBEDDER), Clock(BERLIN, lambda: WEDNESDAY))


def list_begins(data: bytes) -> list[list[datetime]]:
    return sorted([begin for begin, _ in times] for times in expand_file(data).values())


def test_it_comes_in_once_goes_out_and_means_the_same(tmp_path: Path) -> None:
    memory, again = make_memory(), make_memory()
    assert (bring_in(FILE, memory).new, bring_in(FILE, memory).new) == (8, 0)
    kept = {item.content: item.properties for item in memory.items()}
    assert kept['Choir, with "scores"; bring water']["except"] == ["2026-12-24", "2026-12-31"]
    assert kept["Dentist for both kids"]["end_date"] == "2026-12-02T11:30"
    assert kept["Ümläute – kaufen"]["type"] == "task"
    out = tmp_path / "out.ics"
    out.write_bytes(forget_ours(write_items(memory.items())))
    assert bring_in(out, again).new == 6  # a task without a date is in no calendar
    assert expand_file(write_items(again.items())) == expand_file(out.read_bytes())
    ids = count()
    named = re.sub(rb"BEGIN:VEVENT", lambda _: b"BEGIN:VEVENT\nUID:%d" % next(ids), FILE.read_bytes())
    assert list_begins(out.read_bytes()) == list_begins(named)
