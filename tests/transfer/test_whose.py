"""Whose words an import holds: as the person says, as its kind says, and as an export of ours says of each record."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from ana.addresses import list_own_mail
from ana.backends.in_memory import InMemoryBackend
from ana.errors import UserError
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.time.clock import Clock
from ana.transfer.bundle import Bundle
from ana.transfer.exporter import export_lines
from ana.transfer.ics.writer import write_calendar
from ana.transfer.importer import import_bundle
from ana.transfer.reading import read_source
from ana.transfer.whose import Whose, tell_whose
from tests.conftest import BERLIN, EMBEDDER
from tests.memory.conformance import memory_on
from tests.memory.past import check_sources, fill_from_others

EVENT = "BEGIN:VEVENT\nUID:{0}\nDTSTAMP:20260101T000000Z\nDTSTART:20260110T180000Z\nSUMMARY:{0}\n{1}END:VEVENT"
CALENDAR = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n{}\nEND:VCALENDAR\n"
EVENTS = {
    "own": "",
    "organised": "ORGANIZER;CN=Bob:mailto:Bob@x.org\nATTENDEE:mailto:ann@x.org\n",
    "invited": "ATTENDEE:mailto:bob@x.org\nATTENDEE:mailto:ann@x.org\n",
    "by me": "ORGANIZER:mailto:Ann@x.org\nATTENDEE:mailto:bob@x.org\n",
}


STAMP = "2026-01-07T08:00:00.000000+00:00"
TEA = Item("0", "Likes tea", {}, STAMP, STAMP)


@pytest.fixture
def other(clock: Clock) -> Memory:
    return Memory(InMemoryBackend(EMBEDDER), clock)


@pytest.fixture
def calendar(tmp_path: Path) -> Bundle:
    path = tmp_path / "a.ics"
    path.write_text(CALENDAR.format("\n".join(EVENT.format(*event) for event in EVENTS.items())))
    return read(path)


def read(path: Path) -> Bundle:
    bundle = read_source(path, BERLIN)
    assert bundle
    return bundle


def export(memory: Memory, path: Path) -> Path:
    path.write_bytes(b"".join(export_lines(memory.backend)))
    return path


@pytest.mark.parametrize(
    ("whose", "own", "others"),
    [
        (None, (), ["organised", "invited", "by me"]),
        (None, ("ann@x.org",), ["organised", "invited"]),
        ("mine", (), []),
        ("others", ("ann@x.org",), ["own", "organised", "invited", "by me"]),
    ],
)
def test_an_event_with_an_organiser_or_guests_is_others_unless_something_else_is_said(
    calendar: Bundle, whose: Whose | None, own: tuple[str, ...], others: list[str]
) -> None:
    told = tell_whose(calendar, whose, own)
    assert [item.content for item in told.items if item.source == "import"] == others
    assert all(item.sources.properties.keys() in (set(), item.properties.keys()) for item in told.items)


def test_the_addresses_of_the_person_are_those_that_mail_rings_from() -> None:
    mail = "mailtos://Ann:secret@x.org ntfy://ann@y.org mailto://ann%2Bme:a:b@z.org/?to=bob@x.org mailto://x.org"
    assert list_own_mail(SecretStr(mail)) == {"ann@x.org", "ann+me@z.org"}
    assert list_own_mail(None) == frozenset()


def test_what_is_stored_keeps_its_source_with_its_entries(calendar: Bundle, memory: Memory) -> None:
    result = import_bundle(memory, tell_whose(calendar, None))
    assert (result.new, result.others) == (4, 3)
    sources = {entry.change.after.content: entry.source for entry in memory.history() if entry.change.after}
    assert sources == {"own": "person", "organised": "import", "invited": "import", "by me": "import"}


def test_what_was_made_the_persons_stays_so_when_the_file_comes_again(calendar: Bundle, memory: Memory) -> None:
    result = import_bundle(memory, tell_whose(calendar, "others"))
    memory.claim([item.id for item in memory.items()])
    for again in (False, True):
        done = import_bundle(memory, tell_whose(calendar, "others"), replace=again)
        assert (done.new, done.unchanged, done.conflicting, done.others) == (0, result.new, [], 0)
    assert {item.source for item in memory.items()} == {"person"}


def test_an_export_carries_each_source_and_the_person_may_say_otherwise(
    memory: Memory, other: Memory, tmp_path: Path, clock: Clock
) -> None:
    import_bundle(memory, tell_whose(Bundle([Item("abcd2345", "x", {}, STAMP, STAMP)], [TEA]), "others"))
    memory.create("Mine", {"n": 1})
    assert sorted(item.source for item in [*memory.items(), *memory.backend.scan("line")]) == ["import"] * 2 + [
        "person"
    ]
    path = export(memory, tmp_path / "a.jsonl")
    import_bundle(other, tell_whose(read(path), None))
    assert export(other, tmp_path / "b.jsonl").read_bytes() == path.read_bytes()
    said: dict[Whose, str] = {"mine": "person", "others": "import"}
    for whose, source in said.items():
        third = Memory(InMemoryBackend(EMBEDDER), clock)
        done = import_bundle(third, tell_whose(read(path), whose))
        assert (done.new, done.notes) == (3, []), "with their history"
        records = [*third.items(), *third.backend.scan("line")]
        assert {each.source for each in records} == {entry.source for entry in third.history()} == {source}


def test_a_line_that_gets_another_number_keeps_its_source(memory: Memory, tmp_path: Path) -> None:
    other = memory_on(InMemoryBackend(EMBEDDER))
    import_bundle(memory, tell_whose(Bundle(lines=[TEA]), "others"))
    other.stamp()  # a second later
    other.append_line("Lives in Rome")
    import_bundle(other, read(export(memory, tmp_path / "a.jsonl")))
    told = {line.content: line.source for line in other.backend.scan("line")}
    assert told == {"Lives in Rome": "person", "Likes tea": "import"}


def test_an_export_of_before_gets_its_sources_from_its_turns(memory: Memory, other: Memory, tmp_path: Path) -> None:
    ids = fill_from_others(memory)
    path = export(memory, tmp_path / "a.jsonl")
    header, _, rest = path.read_text().partition("\n")
    path.write_text(f"{json.dumps(json.loads(header) | {'format': 1})}\n{rest}")
    import_bundle(other, tell_whose(read(path), None))
    check_sources(other, ids, odd="odd \ufffd \ufffd")


@pytest.mark.parametrize(
    "wrong",
    [
        {"sources": {"content": "me", "properties": {}}},
        {"sources": {"content": "person", "properties": {"other": "import"}}},
        {"sources": []},
        {"zone": 7},
        {"zone": "x" * 100},
        {"source": "import"},
    ],
)
def test_sources_and_zones_of_a_file_are_checked(memory: Memory, tmp_path: Path, wrong: dict[str, object]) -> None:
    memory.create("Milk", {"n": 1})
    path = export(memory, tmp_path / "a.jsonl")
    header, item, *_ = path.read_text().splitlines()
    path.write_text(f"{header}\n{json.dumps({'item': json.loads(item)['item'] | wrong})}\n")
    with pytest.raises(UserError, match="line 2"):
        read(path)


def test_our_own_calendar_keeps_the_sources_of_what_it_holds(memory: Memory, tmp_path: Path) -> None:
    made = memory.create("Milk", {"due_date": "2026-01-10", "note": "x"}).after
    assert made
    told = replace(made, sources=replace(made.sources, content="paste", properties={"note": "import"}))
    path, data = tmp_path / "a.ics", write_calendar([told], BERLIN)[0]
    path.write_bytes(data)
    assert read(path).items == [told]
    path.write_bytes(data.replace(b"SUMMARY:Milk", b"SUMMARY:Oat milk"))
    (changed,) = read(path).items
    assert (changed.content, changed.sources) == ("Oat milk", told.sources)
