"""Ringing: once to each address, late if it must be, not for what is done; tried again where it failed."""

import secrets
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from ana.backends.in_memory import InMemoryBackend
from ana.memory.memory import Memory
from ana.postgres.database import Database
from ana.postgres.person import PersonRows
from ana.reminders.folder import LedgerFile
from ana.reminders.ledger import FIRST_PAUSE, LONGEST_PAUSE, Ledger, RingKey
from ana.reminders.postgres import LedgerRows
from ana.reminders.ringing import Ringer, Target
from ana.reminders.sending import Message
from ana.tables import Statement
from ana.time.clock import Clock
from ana.translation import speaking
from tests.conftest import BERLIN, EMBEDDER
from tests.postgres.server import database, open_people

NOON = datetime(2026, 12, 1, 11, 0, tzinfo=UTC)
"""Tuesday 2026-12-01, 12:00 in Berlin."""


class Bell:
    """A ringer with a clock that is moved, and addresses that may fail."""

    def __init__(self, ledger: Ledger, *names: str) -> None:
        self.now = NOON
        self.clock = Clock(BERLIN, lambda: self.now)
        self.memory = Memory(InMemoryBackend(EMBEDDER), self.clock)
        self.ledger = ledger
        self.rung: list[tuple[str, Message]] = []
        self.broken: set[str] = set()
        self.tried: list[str] = []
        self.targets = [Target(name, f"key of {name}", self._make_send(name)) for name in names or ("phone",)]
        self.ringer = self.start()

    def start(self) -> Ringer:
        """Return another process's ringer on the same items and ledger."""
        return Ringer(self.memory, self.clock, self.ledger, self.targets)

    def after(self, **more: float) -> list[str]:
        """Return what rings when so much time has gone by."""
        self.now += timedelta(**more)
        before = len(self.rung)
        self.ringer.ring()
        return [f"{message.title} | {message.body}" for _, message in self.rung[before:]]

    def _make_send(self, name: str) -> Callable[[Message], str]:
        def send(message: Message) -> str:
            self.tried.append(f"{name}: {message.title}")
            if name in self.broken or message.title in self.broken:
                return "error 500"
            self.rung.append((name, message))
            return ""

        return send


@pytest.fixture(params=["folder", "postgres"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Ledger:
    if request.param == "folder":
        return Ledger(LedgerFile(tmp_path / "data" / "reminders.sqlite"))
    return Ledger(LedgerRows(open_people()("owner")))


@pytest.fixture
def bell(ledger: Ledger) -> Bell:
    return Bell(ledger)


def test_it_rings_once_at_its_moment_and_tells_item_and_time_without_an_id(bell: Bell) -> None:
    made = bell.memory.create("call Anna", {"due_date": "2026-12-01T16:30", "remind": "30 minutes before"})
    assert bell.ringer.ring() is None, "nothing within the hour"
    assert bell.after(hours=3, minutes=30) == []
    assert bell.ringer.ring() == datetime(2026, 12, 1, 16, 0, tzinfo=BERLIN)
    assert bell.after(minutes=30) == ["call Anna | Tuesday December 1 2026, 16:30"]
    assert bell.after(seconds=20) == []
    bell.ringer = bell.start()
    assert bell.after(seconds=20) == [], "nor by another process"
    assert made.id not in str(bell.rung)


def test_it_tells_item_and_time_in_the_language_that_is_spoken(bell: Bell) -> None:
    bell.memory.create("Anna anrufen", {"due_date": "2026-12-01T16:30", "remind": "30 minutes before"})
    with speaking("de"):
        assert bell.after(hours=6) == [
            "Anna anrufen | Dienstag, 1. Dezember 2026, 16:30 (verspätet: "
            "das war für Dienstag, 1. Dezember 2026, 16:00)"
        ]


PILL = {"due_date": "2026-12-01T20:00", "repeats": "FREQ=DAILY", "remind": "at the time", "missed": "passes"}


def test_what_goes_along_rings_by_the_clock_where_the_person_is_and_once_a_day_whatever_line_is_crossed(
    bell: Bell,
) -> None:
    bell.memory.create("pill", {**PILL})
    assert bell.after(hours=8) == ["pill | Tuesday December 1 2026, 20:00"]
    bell.clock.zone = ZoneInfo("America/Los_Angeles")  # where it is 11 in the morning
    assert bell.after(hours=9, minutes=1) == [], "it is eight in the evening of that day once more"
    assert bell.after(hours=24) == ["pill | Wednesday December 2 2026, 20:00"]
    bell.clock.zone = ZoneInfo("Asia/Tokyo")  # where it is one in the afternoon of the day after
    assert bell.after(hours=6, minutes=59) == ["pill | Thursday December 3 2026, 20:00"]


def test_what_passes_by_itself_rings_late_also_where_its_next_date_is_the_one_that_counts(bell: Bell) -> None:
    bell.memory.create("pill", {**PILL})
    late = "pill | Tuesday December 1 2026, 20:00 (late: this was to ring Tuesday December 1 2026, 20:00)"
    assert bell.after(hours=9) == [late]


def test_what_keeps_its_zone_rings_at_its_instant_and_tells_the_time_here(bell: Bell) -> None:
    bell.memory.create("call Anna", {"due_date": "2026-12-01T16:30", "remind": ["30 minutes before"]})
    bell.memory.create("class", {"start_date": "2026-12-01T16:30", "repeats": "FREQ=DAILY", "remind": "1 hour before"})
    bell.clock.zone = ZoneInfo("Asia/Tokyo")
    assert bell.after(hours=3, minutes=29) == []
    assert bell.after(minutes=1) == ["class | Wednesday December 2 2026, 00:30"]
    assert bell.after(minutes=30) == ["call Anna | Wednesday December 2 2026, 00:30"]


def test_what_came_due_while_nothing_ran_rings_once_and_says_that_it_is_late(bell: Bell) -> None:
    bell.memory.create("call Anna", {"due_date": "2026-12-01T16:30", "remind": "at the time"})
    late = "call Anna | Tuesday December 1 2026, 16:30 (late: this was to ring Tuesday December 1 2026, 16:30)"
    assert bell.after(hours=20) == [late]
    assert bell.after(minutes=1) == []


def test_what_is_older_than_a_day_does_not_ring(bell: Bell) -> None:
    bell.memory.create("call Anna", {"remind": "2026-12-01T16:30"})
    assert bell.after(days=3) == []


def test_what_was_past_when_it_was_kept_does_not_ring(bell: Bell) -> None:
    bell.memory.create("call Anna", {"due_date": "2026-12-02T09:00", "remind": ["1 day before", "1 hour before"]})
    assert bell.after(seconds=1) == []
    assert bell.after(hours=20) == ["call Anna | Wednesday December 2 2026, 09:00"]


def test_what_was_kept_while_the_clock_was_wrong_rings(bell: Bell) -> None:
    bell.now += timedelta(days=400)
    bell.memory.create("call Anna", {"remind": "2026-12-01T13:00"})
    assert bell.after(days=-400, hours=1) == ["call Anna | Tuesday December 1 2026, 13:00"]


def test_done_moved_changed_and_deleted_items_do_not_ring(bell: Bell) -> None:
    def keep(text: str) -> str:
        return bell.memory.create(text, {"due_date": "2026-12-01T13:00", "remind": "at the time"}).id

    done, moved, silent, deleted = keep("done"), keep("moved"), keep("silent"), keep("deleted")
    bell.memory.update(done, properties={"status": "done"})
    bell.memory.update(moved, properties={"due_date": "2026-12-01T15:00"})
    bell.memory.update(silent, properties={"remind": None})
    bell.memory.delete(deleted)
    assert bell.after(hours=1, minutes=1) == []
    assert bell.after(hours=2) == ["moved | Tuesday December 1 2026, 15:00"]


def test_an_item_is_read_right_before_it_rings(bell: Bell) -> None:
    first = bell.memory.create("a", {"remind": "2026-12-01T13:00"}).id
    second = bell.memory.create("b", {"remind": "2026-12-01T13:01"}).id

    def finish(message: Message) -> str:
        bell.memory.update(second, properties={"status": "done"})
        return bell.targets[0].send(message)

    bell.ringer = Ringer(bell.memory, bell.clock, bell.ledger, [Target("phone", "key", finish)])
    assert [line[0] for line in bell.after(hours=2)] == ["a"]
    assert first != second


def test_each_occurrence_rings_also_while_an_earlier_one_waits(bell: Bell) -> None:
    bell.memory.create(
        "medicine",
        {
            "status": "open",
            "due_date": "2026-12-01T14:00",
            "remind": "at the time",
            "repeats": "FREQ=DAILY;BYHOUR=8,14,20;BYMINUTE=0",
        },
    )
    told = [line for _ in range(48) for line in bell.after(hours=1)]
    assert [line[-5:] for line in told] == ["14:00", "20:00", "08:00", "14:00", "20:00", "08:00"]


def test_the_clock_set_back_and_forward(bell: Bell) -> None:
    bell.memory.create("call Anna", {"remind": "2026-12-01T13:00"})
    bell.memory.create("eat", {"remind": "2026-12-02T13:00"})
    assert bell.after(hours=1) == ["call Anna | Tuesday December 1 2026, 13:00"]
    assert bell.after(hours=-5) == []
    assert bell.after(hours=6) == [], "it rang before"
    assert bell.after(days=900) == []
    assert bell.after(days=-900) == [], "nor is it forgotten that it rang"
    assert bell.after(days=1) == [
        "eat | Wednesday December 2 2026, 13:00 (late: this was to ring Wednesday December 2 2026, 13:00)"
    ]


def test_a_failed_address_is_tried_again_after_growing_pauses_and_keeps_no_other_waiting(ledger: Ledger) -> None:
    bell = Bell(ledger, "phone", "mail")
    for text in "abc":
        bell.memory.create(text, {"remind": "2026-12-01T13:00"})
    bell.broken = {"phone"}
    bell.after(hours=1)
    assert [name for name, _ in bell.rung] == ["mail"] * 3
    assert bell.tried.count("phone: a") + bell.tried.count("phone: b") + bell.tried.count("phone: c") == 1
    for _ in range(3 * 60):  # every other minute for six hours
        bell.after(minutes=2)
    tried = sum(each.startswith("phone") for each in bell.tried)
    assert 10 < tried < 20, "pauses grow, up to an hour"
    failing = bell.ledger.get_failing("key of phone")
    assert failing
    assert (failing.failures, failing.reason) == (tried, "error 500")
    assert bell.ledger.get_failing("key of mail") is None
    bell.broken.clear()
    bell.after(hours=1)
    assert sorted(message.title for name, message in bell.rung if name == "phone") == ["a", "b", "c"]
    assert bell.ledger.get_failing("key of phone") is None


def test_a_message_that_is_never_taken_holds_up_no_other(bell: Bell) -> None:
    for text in ("poison", "b", "c"):
        bell.memory.create(text, {"remind": "2026-12-01T13:00"})
    bell.broken = {"poison"}
    bell.after(hours=1)
    bell.after(hours=1)
    bell.after(hours=1)
    assert {message.title for _, message in bell.rung} == {"b", "c"}


def test_a_clock_that_was_set_back_does_not_silence_a_failed_address(bell: Bell) -> None:
    bell.memory.create("call Anna", {"remind": "2026-12-01T13:00"})
    bell.broken = {"phone"}
    bell.after(days=1)
    bell.broken.clear()
    assert len(bell.after(hours=-10)) == 1
    assert FIRST_PAUSE < LONGEST_PAUSE


def test_only_one_process_delivers(bell: Bell) -> None:
    bell.memory.create("call Anna", {"remind": "2026-12-01T13:00"})
    with bell.ledger.deliver_alone() as is_alone:
        assert is_alone()
        assert bell.after(hours=2) == []
    assert len(bell.after(seconds=20)) == 1


def test_copies_have_the_same_tag_and_others_another(ledger: Ledger) -> None:
    bell = Bell(ledger, "phone", "mail")
    for text in "ab":
        bell.memory.create(text, {"remind": "2026-12-01T13:00"})
    bell.after(hours=1)
    tags = {(message.title, message.tag) for _, message in bell.rung}
    assert len(tags) == 2
    assert len({tag for _, tag in tags}) == 2


def test_an_address_that_is_set_later_rings_what_is_not_a_day_old(bell: Bell) -> None:
    bell.memory.create("call Anna", {"remind": "2026-12-01T13:00"})
    bell.after(hours=2)
    bell.targets.append(Target("mail", "key of mail", bell.targets[0].send))
    assert len(bell.after(seconds=20)) == 1


def test_a_damaged_ledger_is_made_again(tmp_path: Path) -> None:
    file = tmp_path / "reminders.sqlite"
    bell = Bell(Ledger(LedgerFile(file)))
    bell.memory.create("call Anna", {"remind": "2026-12-01T13:00"})
    bell.after(hours=1)
    file.write_bytes(b"not a database" * 100)
    with pytest.raises(Exception, match="cannot be used"):
        bell.after(minutes=1)
    assert len(bell.after(minutes=1)) == 1, "at least once"


def test_the_ledger_forgets_the_oldest_by_their_order(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ana.reminders.ledger.MOST_RINGS", 2)
    rings = [RingKey(f"item \0 {n}", f"202{9 - n}") for n in range(4)]
    for ring in rings:
        ledger.note_delivered("x", ring)
    assert ledger.list_open("x", rings) == [rings[1], rings[0]]
    assert ledger.list_open("y", rings) == rings[::-1]


def test_one_that_was_stopped_while_it_delivered_repeats_nothing_that_another_delivered_meanwhile() -> None:
    people = open_people()
    bell = Bell(Ledger(LedgerRows(people("owner"))))
    for text in "ab":
        bell.memory.create(text, {"remind": "2026-12-01T13:00"})
    ring = bell.targets[0].send

    def stop(message: Message) -> str:
        bell.targets[:] = [Target("phone", "key of phone", ring)]
        people("owner").change(Statement("UPDATE ringers SET until = clock_timestamp()"))  # as if SECONDS had gone by
        bell.start().ring()
        return ring(message)

    bell.targets[:] = [Target("phone", "key of phone", stop)]
    bell.after(hours=1)
    rung = Counter(message.title for _, message in bell.rung)
    assert ({*rung}, sorted(rung.values())) == ({"a", "b"}, [1, 2]), "no more than what was under way"


def test_who_delivered_while_the_clock_of_the_database_was_ahead_keeps_nobody_from_it() -> None:
    rows = open_people()("owner")
    bell = Bell(Ledger(LedgerRows(rows)))
    bell.memory.create("call Anna", {"remind": "2026-12-01T13:00"})
    rows.change(Statement("INSERT INTO ringers (holder, until) VALUES ('gone', clock_timestamp() + interval '1 year')"))
    assert len(bell.after(hours=1)) == 1


def test_no_connection_is_held_while_messages_are_sent() -> None:
    with closing(Database(database()._url, most=1, timeout=0.5)) as narrow:
        bell = Bell(Ledger(LedgerRows(PersonRows(narrow, f"{secrets.token_hex(8)}-owner"))))
        bell.memory.create("call Anna", {"remind": "2026-12-01T13:00"})
        assert len(bell.after(hours=1)) == 1


def test_a_message_is_a_line_of_the_item_and_one_of_ours(tmp_path: Path) -> None:
    bell = Bell(Ledger(LedgerFile(tmp_path / "reminders.sqlite")))
    bell.memory.create("Call Anna\u202e\u200b\nTuesday December 1 2026, 23:00", {"remind": "2026-12-01T12:01"})
    assert bell.after(minutes=2) == [
        "Call Anna\\u202e\\u200b Tuesday December 1 2026, 23:00 | Tuesday December 1 2026, 12:01"
    ]
