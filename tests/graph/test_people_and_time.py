"""What people once said of times, and what went wrong with it: kept, asked about, done, skipped and told right now."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.due import summarize_due
from tests.conftest import BERLIN
from tests.stories import Life

OPEN = {"$nin": ["done", "cancelled"]}


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    with Life(BERLIN).live(tmp_path) as life:
        yield life


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
        life.go(moment)
        life.say(message, *kept)
    return life


def test_what_repeats_in_words_is_on_each_of_its_days(settled: Life) -> None:
    for day, expected in ON.items():
        settled.go(f"{day}T07:40")
        asked = ("query_items", {"where": {"$on": day, "status": OPEN}})
        (step,) = settled.say("anything today?", asked, answer="See above.").steps
        assert sorted(item["content"] for item in step["observation"]["items"]) == expected


def test_what_passed_by_itself_is_not_overdue_and_what_has_to_be_done_is(settled: Life) -> None:
    settled.go("2026-12-09T07:15")
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


def test_a_medicine_does_not_vanish_when_a_dose_is_not_marked_and_goes_on_as_the_doctor_says(life: Life) -> None:
    life.go("2026-11-23T07:30")
    doses = {"type": "medication", "status": "active", "due_date": "2026-11-23T17:00", "missed": "waits"}
    (step,) = life.say(
        "Lena (8) has to take her antibiotic three times a day until next Sunday, remind me at 5 pm please",
        keep("Antibiotic", repeats="FREQ=DAILY;BYHOUR=7,17,20", until="2026-11-29", remind="at the time", **doses),
    ).steps
    assert step["observation"]["next"].startswith("2026-11-23T17:00 (Monday), 2026-11-23T20:00 (Monday)")
    assert step["observation"]["reminder"].startswith("Nothing can ring: no address is set")
    life.go("2026-11-23T17:10")
    (step,) = life.say("ok given", change(life, "Antibiotic", status="done")).steps
    assert step["observation"]["done"].startswith("for 2026-11-23T17:00 (Monday); next 2026-11-23T20:00 (Monday)")
    life.go("2026-11-25T12:33")
    (step,) = life.say(
        "the antibiotic: doc says now until Monday", change(life, "Antibiotic", until="2026-11-30")
    ).steps
    assert step["observation"]["was"] == {"until": "2026-11-29 (Sunday)"}
    for day in ("26 (Thursday)", "28 (Saturday)", "30 (Monday)"):
        life.go(f"2026-11-{day[:2]}T06:50")
        on = life.call("query_items", where={"$on": f"2026-11-{day[:2]}", "status": OPEN})["items"]
        assert [item["open_since"] for item in on] == ["2026-11-23T20:00 (Monday)"]
        assert on[0]["properties"]["due_date"] == f"2026-11-{day[:2]}T07:00 {day[3:]}"
        assert summarize_due(life.handles)[:2] == ["Not marked (1):", "  Antibiotic (since Mon 23 Nov 20:00)"]
    life.go("2026-11-30T07:30")
    (step,) = life.say("the antibiotic of this morning is given", change(life, "Antibiotic", status="done")).steps
    assert step["observation"]["passed_over"]["count"] == 19, "Monday's last, three on six days"
    assert life.find(**{"$on": "2026-12-01"}) == {}
