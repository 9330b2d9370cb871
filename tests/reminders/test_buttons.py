"""Buttons under reminders: signed for one act, by one person's secret, until the next date or for a week."""

from datetime import UTC, datetime, timedelta

import pytest

from ana.keys import make_key
from ana.reminders.buttons import ACTS, PATH, Button, Signing, name_person, read_signed, sign
from ana.reminders.ledger import Ledger, RingKey
from ana.reminders.ringing import Ringer
from tests.reminders.test_ringing import NOON, PILL, Bell, bell, ledger

__all__ = ["bell", "ledger"]

KEY = make_key("reminder")
BUTTON = Button("ann-2", RingKey("é \0 /?", "2026-12-01T13:00:00.000000+00:00"), "1 hour", NOON)


def test_it_comes_back_as_it_was_signed_and_stands_in_an_address_as_it_is() -> None:
    signed = sign(BUTTON, KEY)
    assert read_signed(signed, KEY) == BUTTON
    assert name_person(signed) == "ann-2"
    assert not set(signed) - set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")


@pytest.mark.parametrize("place", ["person", "act", "signature", "key", "nothing"])
def test_whatever_is_changed_in_it_it_counts_no_more(place: str) -> None:
    person, told, signature = sign(BUTTON, KEY).split(".")
    changed = {
        "person": f"ann-3.{told}.{signature}",
        "act": f"{person}.{told[:-2]}AA.{signature}",
        "signature": f"{person}.{told}.{signature[:-1]}",
        "key": sign(BUTTON, make_key("reminder")),
        "nothing": "",
    }
    assert read_signed(changed[place], KEY) is None


def start(bell: Bell) -> Ringer:
    signing = Signing("owner", lambda: KEY, "https://ana.example.org")
    return Ringer(bell.memory, bell.clock, bell.ledger, bell.targets, signing)


def read_buttons(bell: Bell) -> list[Button]:
    _, message = bell.rung[-1]
    assert [word for word, _ in message.buttons] == [*ACTS.values()]
    assert message.site == "https://ana.example.org"
    found = [read_signed(path.removeprefix(PATH), KEY) for _, path in message.buttons]
    assert [each and each.act for each in found] == [*ACTS]
    return [each for each in found if each]


def test_a_reminder_has_one_for_each_act_that_counts_for_a_week(bell: Bell) -> None:
    made = bell.memory.create("call Anna", {"remind": "2026-12-01T13:00"})
    bell.ringer = start(bell)
    bell.after(hours=1)
    assert {(each.ring.item, each.until) for each in read_buttons(bell)} == {(made.id, bell.now + timedelta(days=7))}
    assert made.id not in bell.rung[-1][1].title + bell.rung[-1][1].body


def test_of_what_repeats_it_counts_until_the_next_date(bell: Bell) -> None:
    bell.memory.create("pill", {**PILL})
    bell.memory.create("bins", {"due_date": "2026-12-02", "repeats": "FREQ=WEEKLY", "remind": "the evening before"})
    bell.ringer = start(bell)
    bell.after(hours=6)
    assert read_buttons(bell)[0].until == datetime(2026, 12, 8, 23, tzinfo=UTC)
    bell.after(hours=2)
    assert read_buttons(bell)[0].until == datetime(2026, 12, 2, 19, tzinfo=UTC)


def test_a_late_one_whose_next_date_has_come_has_none(ledger: Ledger) -> None:
    bell = Bell(ledger)
    bell.memory.create("drops", {**PILL, "repeats": "FREQ=DAILY;BYHOUR=20,22;BYMINUTE=0"})
    bell.ringer = start(bell)
    assert [told.split(" (late")[0][-5:] for told in bell.after(hours=11)] == ["20:00", "22:00"]
    assert [len(message.buttons) for _, message in bell.rung] == [0, len(ACTS)]
