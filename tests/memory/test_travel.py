"""Times that travel: what stays in its zone, what goes along, how it is shown, and how the change is noticed."""

import json
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from ana.backends.in_memory import InMemoryBackend
from ana.errors import ToolError, UserError
from ana.memory.changes import Cause, Change, Entry
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.receipts import describe_change, make_receipt
from ana.memory.sources import IMPORT
from ana.memory.travel import make_absolute
from ana.memory.undo import undo
from ana.memory.views import localize, show_item
from ana.notes import Note
from ana.time.clock import Clock
from ana.values import Properties
from ana.workspace.zone import Whereabouts, ZoneChange
from tests.conftest import BERLIN, EMBEDDER

TOKYO = ZoneInfo("Asia/Tokyo")
NOON = datetime(2026, 12, 1, 11, tzinfo=UTC)


class Traveller:
    """Somebody with items, a clock and a zone, in which they are at first."""

    def __init__(self) -> None:
        self.clock = Clock(BERLIN, lambda: NOON)
        self.memory = Memory(InMemoryBackend(EMBEDDER), self.clock)

    def keep(self, content: str = "Dentist", **properties: str) -> Item:
        return self.memory.get(self.memory.create(content, dict(properties)).id)

    def change(self, item: Item, **properties: str) -> Item:
        return self.memory.get(self.memory.update(item.id, properties=dict(properties)).id)


@pytest.fixture
def ann() -> Traveller:
    return Traveller()


@pytest.mark.parametrize(
    ("properties", "instant"),
    [
        ({"due_date": "2026-12-09T15:00"}, "2026-12-09T15:00+01:00"),
        ({"start_date": "2026-12-09T15:00"}, "2026-12-09T15:00+01:00"),
        ({"due_date": "2026-12-09T15:00", "zone": "floating"}, "2026-12-09T15:00"),
        ({"due_date": "2026-12-09T15:00", "zone": "America/New_York"}, "2026-12-09T15:00-05:00"),
        ({"due_date": "2026-12-09T15:00Z"}, "2026-12-09T15:00Z"),
        ({"due_date": "2026-12-09"}, "2026-12-09"),
        ({"due_date": "2026-12-09T15:00", "repeats": "FREQ=DAILY"}, "2026-12-09T15:00"),
        ({"start_date": "2026-12-09T15:00", "repeats": "FREQ=WEEKLY"}, "2026-12-09T15:00+01:00"),
        ({"start_date": "2026-12-09", "repeats": "FREQ=WEEKLY"}, "2026-12-09"),
    ],
)
def test_what_a_time_belongs_to(ann: Traveller, properties: dict[str, str], instant: str) -> None:
    item = ann.keep(**properties)
    assert make_absolute(item).date == instant
    assert item.date == next(iter(properties.values())), "what was said is kept as it was"


def test_a_zone_that_is_none_is_refused_where_there_is_a_time_and_is_anybodys_word_elsewhere(ann: Traveller) -> None:
    with pytest.raises(ToolError, match="zone cannot be 'Freiburg'"):
        ann.keep(start_date="2026-12-09T15:00", zone="Freiburg")
    assert ann.keep(zone="7b").properties == {"zone": "7b"}


def test_a_time_that_is_said_anew_elsewhere_belongs_there_and_the_others_stay_the_same_moments(ann: Traveller) -> None:
    item = ann.keep(start_date="2026-12-09T15:00", end_date="2026-12-09T18:00", remind="2026-12-09T14:00")
    ann.clock.zone = TOKYO
    moved = ann.change(item, end_date="2026-12-10T03:00")
    assert moved.zone == "Asia/Tokyo"
    assert moved.properties == {
        "start_date": "2026-12-09T23:00",
        "end_date": "2026-12-10T03:00",
        "remind": "2026-12-09T22:00",
    }
    assert ann.change(moved, place="Mitte").zone == "Asia/Tokyo"


def test_a_series_that_began_at_home_keeps_its_zone_when_a_date_of_it_is_changed_elsewhere(ann: Traveller) -> None:
    item = ann.keep("Class", start_date="2026-12-08T18:00", repeats="FREQ=WEEKLY;BYDAY=TU")
    ann.clock.zone = TOKYO
    assert ann.change(item, start_date="2026-12-15T19:00").zone == "Europe/Berlin"


def test_a_model_is_shown_both_times_and_what_it_copies_is_read(ann: Traveller) -> None:
    item = ann.keep(due_date="2026-12-09T15:00")
    assert show_item(item, BERLIN)["properties"] == {"due_date": "2026-12-09T15:00 (Wednesday)"}
    told = "2026-12-09T15:00+01:00 (Wednesday 23:00 in Asia/Tokyo)"
    assert show_item(item, TOKYO)["properties"] == {"due_date": told}
    late = ann.keep(due_date="2026-12-04T23:30:00Z")
    assert show_item(late, BERLIN)["properties"] == {
        "due_date": "2026-12-04T23:30:00Z (Saturday 00:30 in Europe/Berlin)"
    }
    ann.clock.zone = TOKYO
    assert [i.id for i in ann.memory.find(where={"due_date": told}).items] == [item.id]


def test_people_are_shown_their_own_time_and_beside_it_the_one_of_the_zone(ann: Traveller) -> None:
    change = ann.memory.create("Dentist", {"due_date": "2026-12-09T15:00"})
    assert describe_change(make_receipt(change, BERLIN)) == "+ “Dentist” (due Wed 9 Dec 15:00)"
    assert describe_change(make_receipt(change, TOKYO)) == "+ “Dentist” (due Wed 9 Dec 23:00, 15:00 in Berlin)"
    assert change.after
    assert localize(change.after, BERLIN) == localize(change.after, BERLIN)
    assert localize(change.after, TOKYO).date == "2026-12-09T23:00:00+09:00"


def test_a_summer_time_of_its_zone_counts_as_it_is_there(ann: Traveller) -> None:
    item = ann.keep(start_date="2026-07-01T15:00")
    ann.clock.zone = TOKYO
    assert [i.id for i in ann.memory.find(where={"start_date": "2026-07-01T22:00"}).items] == [item.id]


def known(memory: Memory) -> dict[str, str]:
    return {item.content: item.zone for item in memory.items()}


def test_what_earlier_versions_stored_keeps_the_zone_of_home_at_the_first_journey_and_that_can_be_undone(
    ann: Traveller, tmp_path: Path
) -> None:
    old: dict[str, Properties] = {
        "Dentist": {"due_date": "2026-12-09T15:00"},
        "Pill": {"due_date": "2026-12-09T08:00", "repeats": "FREQ=DAILY"},
        "Class": {"start_date": "2026-12-08T18:00", "repeats": "FREQ=WEEKLY"},
        "Holiday": {"due_date": "2026-12-25"},
    }
    stamp = ann.memory.stamp()
    items = [Item(f"item{n}", content, known, stamp, stamp) for n, (content, known) in enumerate(old.items())]
    ann.memory.apply([Entry(stamp, "", "old", Change("item", item.id, None, item)) for item in items])
    imported = Cause("", "", "edit-1", IMPORT)
    ann.memory.create("Flight", {"start_date": "2026-12-10T10:00", "zone": "floating"}, imported)
    where = Whereabouts(Note(tmp_path / "zone"), BERLIN)
    assert where.look(ann.memory, ann.clock).sentence == ""
    noted = where.look(ann.memory, ann.clock, "Asia/Tokyo")
    assert noted.sentence == (
        "Your time zone is Asia/Tokyo now; it was Europe/Berlin. 2 items have times that stay in Europe/Berlin; undo "
        "lets them go along."
    )
    stays = {"Dentist": "Europe/Berlin", "Class": "Europe/Berlin"}
    goes_along = {"Pill": "", "Holiday": ""}
    flight = {"Flight": "Europe/Berlin"}  # where it was said, but its property says that it goes along
    assert known(ann.memory) == stays | goes_along | flight
    undo(ann.memory, noted.turn)
    assert known(ann.memory) == dict.fromkeys(old, "") | flight


def test_where_a_person_is_stays_until_a_client_names_another_or_the_machine_travels(
    ann: Traveller, tmp_path: Path
) -> None:
    note = Note(tmp_path / "zone")
    at_home = Whereabouts(note, BERLIN)
    at_home.look(ann.memory, ann.clock)
    assert at_home.look(ann.memory, ann.clock, "Mars/Base").sentence == "", "a zone that nobody knows is no journey"
    assert at_home.look(ann.memory, ann.clock, "Asia/Tokyo").sentence.startswith("Your time zone is Asia/Tokyo now")
    assert (
        at_home.look(ann.memory, ann.clock).sentence == at_home.look(ann.memory, ann.clock, "Asia/Tokyo").sentence == ""
    )
    assert (at_home.find(), ann.clock.zone) == (TOKYO, TOKYO)
    other = Clock(BERLIN)
    at_home.refresh(other)
    assert other.zone == TOKYO
    travelled = Whereabouts(note, ZoneInfo("Europe/Lisbon"))
    assert str(travelled.find()) == "Europe/Lisbon", "the machine's own zone is another than before"
    assert travelled.look(ann.memory, ann.clock).sentence == "Your time zone is Europe/Lisbon now; it was Asia/Tokyo."


def test_another_name_for_the_same_clock_is_no_journey(ann: Traveller, tmp_path: Path) -> None:
    where = Whereabouts(Note(tmp_path / "zone"), BERLIN)
    where.look(ann.memory, ann.clock)
    assert where.look(ann.memory, ann.clock, "Europe/Paris") == ZoneChange(), "clocks show the same in both"
    assert str(where.find()) == str(ann.clock.zone) == "Europe/Paris", "where they are is known"
    in_london = where.look(ann.memory, ann.clock, "Europe/London")
    assert in_london.sentence == "Your time zone is Europe/London now; it was Europe/Paris."


def test_a_model_is_told_of_a_change_since_the_last_message_and_a_person_can_set_it(
    ann: Traveller, tmp_path: Path
) -> None:
    where = Whereabouts(Note(tmp_path / "zone"), BERLIN)
    where.look(ann.memory, ann.clock)
    assert where.go_to(ann.memory, ann.clock, "") == "Your time zone is Europe/Berlin."
    assert where.tell_model(NOON.replace(year=2025)) == ""
    where.go_to(ann.memory, ann.clock, "Asia/Tokyo")
    assert "changed from Europe/Berlin to Asia/Tokyo" in where.tell_model(NOON.replace(hour=10))
    assert where.tell_model(NOON.replace(hour=12)) == where.tell_model(None) == ""
    with pytest.raises(UserError, match="no time zone 'Freiburg'"):
        where.go_to(ann.memory, ann.clock, "Freiburg")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"zone": 1}', json.dumps({"zone": "Mars", "machine": "Europe/Berlin"})]
)
def test_a_note_that_cannot_be_read_is_home(text: str, tmp_path: Path) -> None:
    (note := Note(tmp_path / "zone")).write(text)
    assert Whereabouts(note, BERLIN).find() == BERLIN


def test_what_repeats_is_at_a_time_of_a_place_and_an_offset_names_none(ann: Traveller) -> None:
    rule = {"repeats": "FREQ=WEEKLY;BYDAY=MO"}
    item = ann.keep("Class", start_date="2026-12-07T18:00", end_date="2026-12-07T19:00", **rule)
    ann.clock.zone = TOKYO
    moved = ann.change(item, start_date="2026-12-14T19:00+01:00")
    assert (moved.zone, moved.properties["start_date"]) == ("Europe/Berlin", "2026-12-14T19:00")
    with pytest.raises(ToolError, match="names none") as refused:
        ann.keep("Choir", start_date="2026-12-21T20:00+01:00", **rule)
    assert refused.value.hint == (
        'Give start_date "2026-12-21T20:00" and zone, the name of the zone there, such as "Europe/Berlin".'
    )
    choir = ann.keep("Choir", start_date="2026-12-21T20:00+01:00", zone="Europe/Berlin", **rule)
    assert choir.properties["start_date"] == "2026-12-21T20:00"
    here = ann.keep("Tea", start_date="2026-12-21T20:00+09:00", **rule)
    assert (here.zone, here.properties["start_date"]) == ("Asia/Tokyo", "2026-12-21T20:00")
    on = {each.content for each in ann.memory.find(where={"$on": "2026-12-22"}).items}
    assert on == {"Class", "Choir"}, "Monday evening in Berlin is Tuesday morning in Tokyo"


def test_people_are_told_the_time_that_was_said_with_an_offset(ann: Traveller) -> None:
    change = ann.memory.create("Meeting", {"start_date": "2026-12-08T10:00+09:00"})
    assert describe_change(make_receipt(change, BERLIN)) == (
        "+ “Meeting” (start date Tue 8 Dec 02:00, 10:00 at +09:00)"
    )
