"""What people once said of times, and what went wrong with it: kept, asked about, done, skipped and told right now."""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ana.errors import ToolError
from ana.reminders.folder import LedgerFile
from ana.reminders.ledger import Ledger
from ana.reminders.ringing import Ringer, Target
from ana.reminders.sending import Message
from app.due import summarize_due
from tests.conftest import BERLIN
from tests.stories import Life

OPEN = {"$nin": ["done", "cancelled"]}


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    with Life(BERLIN).live(tmp_path) as life:
        yield life


def at(life: Life, moment: str) -> None:
    life.now = datetime.fromisoformat(moment).replace(tzinfo=BERLIN)


def keep(content: str, **properties: Any) -> tuple[str, dict[str, Any]]:
    return "create_item", {"content": content, "properties": properties}


def change(life: Life, content: str, **properties: Any) -> tuple[str, dict[str, Any]]:
    return "update_item", {"id": life.find_id(content), "properties": properties}


SAID = [
    (
        "2026-11-23T07:30",
        "Every Tuesday evening the bins have to go out",
        [keep("Bins", type="task", status="active", due_date="2026-11-24T18:00", recurrence="every Tuesday evening")],
    ),
    (
        "2026-11-23T17:10",
        "on friday is Oma's birthday (27th Nov, turning 70!). we need a cake",
        [
            keep("Oma's 70th birthday", type="birthday", person="Oma", due_date="2026-11-27", recurrence="yearly"),
            keep("Get a cake for Oma's birthday", type="task", status="active", due_date="2026-11-27"),
        ],
    ),
    (
        "2026-11-27T08:00",
        "From now on: Tom has gym every Monday (bring gym bag), Lena has swimming on Thursdays at 3 pm, and school "
        "closes at 1 on Fridays.",
        [
            keep("Tom: gym, bring the gym bag", type="appointment", due_date="2026-11-30", recurrence="every Monday"),
            keep("Lena: swimming", type="appointment", due_date="2026-12-03T15:00", recurrence="every Thursday"),
            keep("School closes at 13:00", type="note", due_date="2026-11-27T13:00", recurrence="every Friday"),
        ],
    ),
    (
        "2026-12-04T11:00",
        "I want to know each monday which invoices are open",
        [
            keep(
                "List which invoices are open",
                type="reminder",
                status="active",
                due_date="2026-12-07",
                recurrence="every Monday",
            )
        ],
    ),
    (
        "2026-12-08T18:30",
        "It's Tom's birthday on 3 March, he'll be 6. Make sure I never forget a present: two weeks before.",
        [
            keep("Tom's birthday (turns 6)", type="birthday", due_date="2027-03-03", recurrence="yearly"),
            keep("Get a present for Tom", type="task", status="active", due_date="2027-02-17", recurrence="yearly"),
        ],
    ),
]
"""What models kept when there was no `repeats`, and each date went by unseen."""

ON = {
    "2026-11-30": ["Tom: gym, bring the gym bag"],
    "2026-12-01": ["Bins"],
    "2026-12-03": ["Lena: swimming"],
    "2026-12-04": ["School closes at 13:00"],
    "2026-12-05": [],
    "2026-12-07": ["List which invoices are open", "Tom: gym, bring the gym bag"],
    "2026-12-08": ["Bins"],
    "2026-12-10": ["Lena: swimming"],
    "2026-12-11": ["School closes at 13:00"],
    "2026-12-14": ["List which invoices are open", "Tom: gym, bring the gym bag"],
    "2027-02-17": ["Get a present for Tom"],
    "2027-03-03": ["Tom's birthday (turns 6)"],
    "2027-11-27": ["Oma's 70th birthday"],
    "2028-02-17": ["Get a present for Tom", "Lena: swimming"],
}


@pytest.fixture
def settled(life: Life) -> Life:
    """A life in which all of it was said and kept."""
    for moment, message, kept in SAID:
        at(life, moment)
        life.say(message, *kept)
    return life


def test_what_repeats_in_words_is_on_each_of_its_days(settled: Life) -> None:
    for day, expected in ON.items():
        at(settled, f"{day}T07:40")
        asked = ("query_items", {"where": {"$on": day, "status": OPEN}})
        (step,) = settled.say("anything today?", asked, answer="See above.").steps
        assert sorted(item["content"] for item in step["observation"]["items"]) == expected


def test_what_passed_by_itself_is_not_overdue_and_what_has_to_be_done_is(settled: Life) -> None:
    at(settled, "2026-12-09T07:15")
    assert settled.find(due_date={"$lt": "2026-12-09"}, status=OPEN) == {
        "Bins": "2026-11-24T18:00 (Tuesday)",
        "Get a cake for Oma's birthday": "2026-11-27 (Friday)",
        "List which invoices are open": "2026-12-07 (Monday)",
    }
    lines = summarize_due(settled.handles)
    coming = next(n for n, line in enumerate(lines) if line.startswith("Next seven days"))
    assert lines[:coming] == [
        "Overdue (1):",
        "  Get a cake for Oma's birthday (since Fri 27 Nov)",
        "Not marked (2):",
        "  Bins (since Tue 24 Nov 18:00)",
        "  List which invoices are open (since Mon 7 Dec)",
    ]


def test_a_birthday_is_not_moved_along_with_the_errands_for_it(settled: Life) -> None:
    at(settled, "2026-11-25T12:30")
    settled.say("move the cake to Thursday", change(settled, "Get a cake for Oma's birthday", due_date="2026-11-26"))
    name, args = change(settled, "Oma's 70th birthday", due_date="2026-11-26")
    with pytest.raises(ToolError, match="not one of its dates") as caught:
        settled.call(name, **args)
    assert '{"moved": {"2026-11-27": "2026-11-26"}}' in caught.value.hint
    assert settled.find(**{"$on": "2026-11-27"})["Oma's 70th birthday"] == "2026-11-27 (Friday)"


def test_two_bins_in_turn_are_right_each_week_and_done_in_one_call(life: Life) -> None:
    at(life, "2026-11-23T07:30")
    bins = {"type": "task", "status": "active", "topic": "bins", "repeats": "every second Tuesday"}
    life.say(
        "Every Tuesday evening the bins have to go out: black one week, recycling the other week. This week is black.",
        keep("Put the black bin out", due_date="2026-11-24T18:00", **bins),
        keep("Put the recycling bin out", due_date="2026-12-01T18:00", **bins),
    )
    at(life, "2026-11-24T19:40")
    life.say("bins are out", change(life, "Put the black bin out", status="done"))
    at(life, "2026-12-01T18:05")
    asked = ("query_items", {"where": {"$on": "2026-12-01", "topic": "bins"}})
    (step,) = life.say("which bin is it tonight?", asked, answer="Tonight it is recycling.").steps
    assert [item["content"] for item in step["observation"]["items"]] == ["Put the recycling bin out"]
    (step,) = life.say("done. what else?", change(life, "Put the recycling bin out", status="done")).steps
    assert step["observation"]["done"].startswith("for 2026-12-01T18:00 (Tuesday); next 2026-12-15T18:00 (Tuesday)")
    at(life, "2026-12-08T07:00")
    assert life.find(topic="bins", status=OPEN, due_date="2026-12-08") == {
        "Put the black bin out": "2026-12-08T18:00 (Tuesday)"
    }


def test_a_medicine_does_not_vanish_when_a_dose_is_not_marked_and_goes_on_as_the_doctor_says(life: Life) -> None:
    at(life, "2026-11-23T07:30")
    doses = {"type": "medication", "status": "active", "due_date": "2026-11-23T17:00", "missed": "waits"}
    (step,) = life.say(
        "Lena (8) has to take her antibiotic three times a day until next Sunday, remind me at 5 pm please",
        keep("Antibiotic", repeats="FREQ=DAILY;BYHOUR=7,17,20", until="2026-11-29", remind="at the time", **doses),
    ).steps
    assert step["observation"]["next"].startswith("2026-11-23T17:00 (Monday), 2026-11-23T20:00 (Monday)")
    assert step["observation"]["reminder"].startswith("Nothing can ring: no address is set")
    at(life, "2026-11-23T17:10")
    (step,) = life.say("ok given", change(life, "Antibiotic", status="done")).steps
    assert step["observation"]["done"].startswith("for 2026-11-23T17:00 (Monday); next 2026-11-23T20:00 (Monday)")
    at(life, "2026-11-25T12:33")
    (step,) = life.say(
        "the antibiotic: doc says now until Monday", change(life, "Antibiotic", until="2026-11-30")
    ).steps
    assert step["observation"]["was"] == {"until": "2026-11-29 (Sunday)"}
    for day in ("26 (Thursday)", "28 (Saturday)", "30 (Monday)"):
        at(life, f"2026-11-{day[:2]}T06:50")
        on = life.call("query_items", where={"$on": f"2026-11-{day[:2]}", "status": OPEN})["items"]
        assert [item["open_since"] for item in on] == ["2026-11-23T20:00 (Monday)"]
        assert on[0]["properties"]["due_date"] == f"2026-11-{day[:2]}T07:00 {day[3:]}"
        assert summarize_due(life.handles)[:2] == ["Not marked (1):", "  Antibiotic (since Mon 23 Nov 20:00)"]
    at(life, "2026-11-30T07:30")
    (step,) = life.say("the antibiotic of this morning is given", change(life, "Antibiotic", status="done")).steps
    assert step["observation"]["passed_over"]["count"] == 19, "Monday's last, three on six days"
    assert life.find(**{"$on": "2026-12-01"}) == {}


def test_no_swimming_today_leaves_out_one_day_and_says_so(settled: Life) -> None:
    at(settled, "2026-12-10T07:00")
    left_out = change(settled, "Lena: swimming", **{"except": {"$add": ["2026-12-10"]}})
    (step,) = settled.say("yes add the concert, and no swimming today", left_out).steps
    assert step["observation"]["next"].startswith("2026-12-17T15:00 (Thursday)")
    asked = settled.call("query_items", where={"$on": "2026-12-10"})
    assert (asked["items"], "left out on 2026-12-10 (Thursday)" in asked["note"]) == ([], True)
    assert settled.find(**{"$on": "2026-12-17"}) == {"Lena: swimming": "2026-12-17T15:00 (Thursday)"}


def test_what_is_to_remind_rings_at_its_times_or_the_model_is_told_that_nothing_can(life: Life, tmp_path: Path) -> None:
    rung: list[tuple[str, str]] = []

    def send(message: Message) -> str:
        rung.append((f"{life.now:%a %d %H:%M}", message.title))
        return ""

    at(life, "2026-12-04T11:00")
    kept = [
        keep("Gym bag for Tom", due_date="2026-12-07", repeats="every Monday", remind="the evening before"),
        keep("List the open invoices", due_date="2026-12-07", repeats="every Monday", remind="on the day at 09:00"),
        keep("Follow up with Tina", type="task", status="active", due_date="2026-12-14", remind="on the day at 10:00"),
        keep("Call Sofie", type="task", status="active", due_date="2026-12-07T17:00", remind="at the time"),
    ]
    for step in life.say("Remind me of these four: gym bag, invoices, Tina in ten days, Sofie at 5", *kept).steps:
        assert step["observation"]["reminder"].startswith("Nothing can ring: no address is set")
    ledger = Ledger(LedgerFile(tmp_path / "reminders.sqlite"))
    ringer = Ringer(life.memory, life.clock, ledger, [Target("phone", "x", send)])
    for day in range(4, 16):
        for hour in range(24):
            if (day, hour) >= (4, 12):
                at(life, f"2026-12-{day:02}T{hour:02}:00")
                ringer.ring()
    assert rung == [
        ("Sun 06 18:00", "Gym bag for Tom"),
        ("Mon 07 09:00", "List the open invoices"),
        ("Mon 07 17:00", "Call Sofie"),
        ("Sun 13 18:00", "Gym bag for Tom"),
        ("Mon 14 09:00", "List the open invoices"),
        ("Mon 14 10:00", "Follow up with Tina"),
    ]


HOURS: list[tuple[str, str, dict[str, Any]]] = [
    ("2026-11-23T18:30", "I spent 3,5 hours on Helios today", {"hours_spent": {"$add": 3.5}}),
    ("2026-11-24T17:20", "did 6.25h on helios today", {"hours_spent": {"$add": 6.25}}),
    ("2026-11-26T11:30", "helios wireframes sent!! took 3h more", {"status": "done", "hours_spent": {"$add": 3}}),
]


def test_hours_are_told_by_day_and_an_undo_takes_its_own_back(life: Life) -> None:
    at(life, "2026-11-23T08:20")
    life.say("Helios: wireframes are to do", keep("Helios wireframes", status="active", hours_spent=0))
    for moment, message, properties in HOURS:
        at(life, moment)
        life.say(message, change(life, "Helios wireframes", **properties))

    def count(since: str, until: str) -> float:
        asked = ("history", {"since": since, "until": until, "text": "Helios"})
        (step,) = life.say("How many hours did I put into Helios?", asked, answer="See above.").steps
        return float(step["observation"]["sums"]["hours_spent"]["by"])

    assert count("2026-11-24", "2026-11-24") == 6.25
    assert count("2026-11-23", "2026-11-29") == 12.75
    at(life, "2026-11-26T13:00")
    life.say("undo that, marking it done was wrong", ("undo", {}))
    assert count("2026-11-23", "2026-11-29") == 9.75, "the three hours went with it, and nothing says otherwise"
    assert life.memory.get(life.find_id("Helios wireframes")).properties["hours_spent"] == 9.75


def test_hours_that_are_told_a_day_late_are_found_on_the_day_they_were_worked(life: Life) -> None:
    log: dict[str, Any] = {"type": "work log", "project": "Nordwind"}
    at(life, "2026-12-09T18:10")
    life.say("login is done (3h today)", keep("Login screen: 3 hours", date="2026-12-09", hours=3, **log))
    at(life, "2026-12-10T10:10")
    life.say("I worked 2 hours on search", keep("Search screen: 2 hours", date="2026-12-10", hours=2, **log))
    late = keep("Booking screen: 1.5 hours", date="2026-12-09", hours=1.5, **log)
    life.say("sorry, booking was 1.5 and it was yesterday", late)
    look, count, told = life.say(
        "how many hours did I work yesterday and what's that in money?",
        ("query_items", {"where": {"$on": "2026-12-09", "type": "work log"}}),
        ("calculator", {"expression": "3 + 1.5"}),
        ("calculator", {"expression": "(3 + 1.5) * 85"}),
        answer="Yesterday you worked 4.5 hours: 3 on login and 1.5 on booking. That's €382.50.",
    ).steps
    assert sorted(item["properties"]["hours"] for item in look["observation"]["items"]) == [1.5, 3]
    assert (count["observation"]["result"], told["observation"]["result"]) == (4.5, 382.5)


def test_what_was_stored_stands_under_an_answer_that_says_another_day(life: Life) -> None:
    at(life, "2026-12-09T18:15")
    lunch = keep("Lunch with Mr. Brandt", type="appointment", status="active", due_date="2026-12-11T12:30")
    done = life.say("lunch with Mr Brandt on Thursday at 12:30", lunch, answer="Saved for Thursday at 12:30.")
    assert [step["tool"] for step in done.steps] == ["create_item"]
    assert "Fri 11 Dec 12:30" in done.receipt


def test_next_wednesday_is_told_with_both_of_its_readings(life: Life) -> None:
    at(life, "2026-11-27T09:00")
    (step,) = life.say("I promised an offer by next Wednesday", ("resolve_date", {"phrase": "next Wednesday"})).steps
    assert {"2026-12-02", "2026-12-09"} == set(re.findall(r"2026-12-\d\d", json.dumps(step["observation"])))
