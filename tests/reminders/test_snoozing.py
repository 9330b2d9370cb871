"""A ring that is put off: it comes once, at that moment, on every ledger, unless the item is done, moved or deleted."""

from datetime import UTC, datetime, timedelta

import pytest

from ana.reminders.buttons import SNOOZES, read_later
from ana.reminders.ledger import Ledger, RingKey
from ana.reminders.ringing import find_ring
from ana.time.clock import Clock
from ana.time.when import NotRead
from tests.conftest import BERLIN
from tests.reminders.test_ringing import NOON, PILL, Bell, bell, ledger

__all__ = ["bell", "ledger"]


def snooze(bell: Bell, phrase: str) -> RingKey:
    """Put off what rang last."""
    (key, *_) = bell.ledger.list_rung(1)
    first = {(each.item, until.isoformat(timespec="microseconds")): each for each, until in list_snoozed(bell).items()}
    key = first.get((key.item, key.moment), key)
    bell.ledger.snooze(key, read_later(phrase, bell.clock))
    return key


def list_snoozed(bell: Bell) -> dict[RingKey, datetime]:
    return bell.ledger.list_snoozed(NOON - timedelta(days=1))


def test_it_rings_once_at_the_moment_to_which_it_was_put_off_whoever_starts_again(bell: Bell) -> None:
    bell.memory.create("call Anna", {"due_date": "2026-12-01T13:00", "remind": "at the time"})
    assert len(bell.after(hours=1)) == 1
    snooze(bell, "10 minutes")
    assert bell.after(minutes=9) == []
    assert bell.ringer.ring() == NOON + timedelta(hours=1, minutes=10)
    bell.ringer = bell.start()
    assert bell.after(minutes=1) == ["call Anna | Tuesday December 1 2026, 13:00"]
    bell.ringer = bell.start()
    assert bell.after(minutes=1) == []
    assert bell.after(days=2) == []


def test_it_can_be_put_off_again_and_the_last_word_counts(bell: Bell) -> None:
    bell.memory.create("call Anna", {"due_date": "2026-12-01T13:00", "remind": "at the time"})
    bell.after(hours=1)
    first = snooze(bell, "10 minutes")
    assert snooze(bell, "1 hour") == first
    assert [*list_snoozed(bell).values()] == [NOON + timedelta(hours=2)]
    assert bell.after(minutes=10) == []
    assert len(bell.after(minutes=50)) == 1
    assert snooze(bell, "1 hour") == first, "what rang late is the same ring"
    assert len(bell.after(hours=1)) == 1


def test_an_address_that_has_not_taken_it_yet_waits_for_the_new_moment(ledger: Ledger) -> None:
    bell = Bell(ledger, "phone", "mail")
    bell.broken = {"mail"}
    bell.memory.create("call Anna", {"remind": "2026-12-01T13:00"})
    bell.after(hours=1)
    snooze(bell, "1 hour")
    bell.broken.clear()
    assert bell.after(minutes=59) == []
    assert [name for name, _ in bell.rung] == ["phone"]
    bell.after(minutes=1)
    assert sorted(name for name, _ in bell.rung[1:]) == ["mail", "phone"]


@pytest.mark.parametrize("end", ["done", "moved", "deleted"])
def test_done_moved_or_deleted_ends_it(bell: Bell, end: str) -> None:
    id = bell.memory.create("call Anna", {"due_date": "2026-12-01T13:00", "remind": "at the time"}).id
    bell.after(hours=1)
    snooze(bell, "1 hour")
    if end == "deleted":
        bell.memory.delete(id)
    else:
        changed = {"status": "done"} if end == "done" else {"due_date": "2026-12-20T09:00"}
        bell.memory.update(id, properties=changed)
    assert bell.after(hours=1) == []


def test_of_what_repeats_one_ring_is_put_off_and_every_other_comes_at_its_time(bell: Bell) -> None:
    id = bell.memory.create("pill", {**PILL}).id
    assert len(bell.after(hours=8)) == 1
    key = snooze(bell, "tomorrow morning")
    assert bell.after(hours=12) == []
    assert bell.after(hours=1) == ["pill | Tuesday December 1 2026, 20:00"], "nine in the morning"
    assert bell.after(hours=11) == ["pill | Wednesday December 2 2026, 20:00"]
    snooze(bell, "1 hour")
    bell.memory.update(id, properties={"status": "done", "done_for": "2026-12-02T20:00"})
    assert find_ring(bell.memory.get(id), key, BERLIN) is None
    assert bell.after(hours=1) == []
    assert bell.after(hours=23) == ["pill | Thursday December 3 2026, 20:00"]


def test_it_is_put_off_over_midnight_and_over_a_change_of_the_clock(ledger: Ledger) -> None:
    bell = Bell(ledger)
    bell.now = datetime(2027, 3, 27, 22, 45, tzinfo=UTC)  # 23:45; at two the clock goes on to three
    bell.memory.create("bed", {"remind": "2027-03-27T23:50"})
    assert len(bell.after(minutes=5)) == 1
    snooze(bell, "1 hour")
    assert bell.after(minutes=59) == []
    assert bell.after(minutes=1) == ["bed | Sunday March 28 2027, 00:50"]
    bell.now = datetime(2027, 3, 28, 0, 50, tzinfo=UTC)  # ten minutes to three, which is two here
    snooze(bell, "10 minutes")
    assert list_snoozed(bell)
    assert [*bell.ledger.list_snoozed(bell.now).values()] == [datetime(2027, 3, 28, 1, tzinfo=UTC)]


def test_a_ring_in_an_hour_that_comes_twice_is_known_by_its_key(ledger: Ledger) -> None:
    bell = Bell(ledger)
    bell.now = datetime(2026, 10, 25, 0, 0, tzinfo=UTC)  # at three summer ends, and it is two again
    bell.memory.create("pill", {**PILL, "due_date": "2026-10-25T03:00", "remind": "30 minutes before"})
    assert len(bell.after(minutes=90)) == 1
    (key,) = bell.ledger.list_rung(1)
    snooze(bell, "10 minutes")
    assert len(bell.after(minutes=10)) == 1
    assert key.moment == "2026-10-25T02:30:00.000000"


def test_what_is_put_off_comes_late_and_says_so_like_any_other(bell: Bell) -> None:
    bell.memory.create("call Anna", {"remind": "2026-12-01T13:00"})
    bell.after(hours=1)
    snooze(bell, "10 minutes")
    (told,) = bell.after(hours=5)
    assert told.endswith("(late: this was to ring Tuesday December 1 2026, 13:10)")


def test_whoever_goes_elsewhere_still_hears_what_was_put_off(bell: Bell) -> None:
    bell.memory.create("pill", {**PILL})
    bell.after(hours=8)
    snooze(bell, "1 hour")
    bell.clock.zone = Clock(UTC).zone
    assert len(bell.after(hours=1)) == 1


def test_what_is_forgotten_is_put_off_no_more(ledger: Ledger) -> None:
    key = RingKey("a", "2026-12-01T13:00:00.000000+00:00")
    ledger.note_delivered("x", key)
    ledger.snooze(key, NOON)
    assert ledger.list_snoozed(NOON) == {key: NOON}
    assert ledger.list_snoozed(NOON + timedelta(seconds=1)) == {}
    assert ledger.list_rung(5) == [key]
    ledger.forget(["a"])
    assert ledger.list_snoozed(NOON) == {}
    assert ledger.list_rung(5) == []


def test_a_phrase_names_a_moment_that_lies_ahead() -> None:
    late = Clock(BERLIN, lambda: datetime(2026, 12, 1, 22, 30, tzinfo=BERLIN))
    read = {
        "10 minutes": "2026-12-01T22:40",
        "1 hour": "2026-12-01T23:30",
        "tomorrow morning": "2026-12-02T09:00",
        "20 minutes": "2026-12-01T22:50",
        "in 2 hours": "2026-12-02T00:30",
        "until 5 pm": "2026-12-02T17:00",
        "friday at 8": "2026-12-04T08:00",
        "tomorrow evening": "2026-12-02T18:00",
    }
    assert {phrase: f"{read_later(phrase, late):%Y-%m-%dT%H:%M}" for phrase in read} == read
    assert {*SNOOZES} < {*read}
    for phrase in ("yesterday", "soon", "today at 8 am", ""):
        with pytest.raises(NotRead):
            read_later(phrase, late)
