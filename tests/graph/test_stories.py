"""What repeats is told once, in a conversation, and is right on thirty days around the changes of the clocks."""

from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from ana.time.dates import with_weekday
from app.due import summarize_due
from tests.stories import TOLD, ZONES, Life, find_changes, list_days

DAY = timedelta(days=1)
Dates = dict[str, list[str]]
"""What is on a day: its times by content, "" for the whole day."""


@pytest.fixture(params=ZONES)
def life(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Life]:
    with Life(ZoneInfo(request.param)).live(tmp_path) as life:
        yield life


@dataclass(frozen=True)
class Story:
    """What a person says of something that repeats, what a model keeps of it, and when it is.

    Args:
        message: What the person says.
        items: The properties of each item, by content, for the present zone.
        on: What is on a day, told by counting alone.
        days: The days that are asked about.
        change: What is said on the first of them, and the changes of an item's properties.
        is_done: Whether the person does what was to be done before each of them.
    """

    message: str
    items: dict[str, dict[str, Any]]
    on: Callable[[date], Dates]
    days: list[date]
    change: tuple[str, str, dict[str, Any]] | None = None
    is_done: bool = False


def school(zone: ZoneInfo) -> Story:
    kept = {"type": "note", "repeats": "FREQ=WEEKLY;BYDAY=FR", "due_date": "2026-09-04T13:00"}
    return Story(
        "school closes at 1 on Fridays",
        {"School closes at 13:00": kept},
        lambda day: {"School closes at 13:00": ["T13:00"]} if day.weekday() == 4 else {},
        list_days(zone),
    )


def medicine(zone: ZoneInfo) -> Story:
    last = find_changes(zone)[1]  # the day on which the clock is changed a second time
    kept = {"type": "medication", "status": "active", "missed": "waits", "repeats": "FREQ=DAILY;BYHOUR=8,14,20"}
    return Story(
        f"I have to take my antibiotic three times a day until {last}, at 8, 2 and 8",
        {"Antibiotic": kept | {"due_date": "2026-09-01", "until": str(last)}},
        lambda day: {"Antibiotic": ["T08:00", "T14:00", "T20:00"]} if TOLD <= day <= last else {},
        list_days(zone),
        is_done=True,
    )


def bins(zone: ZoneInfo) -> Story:
    def on(day: date) -> Dates:
        if day.weekday() != 1:
            return {}
        return {"Black bin" if (day - TOLD).days % 14 == 0 else "Recycling bin": ["T18:00"]}

    kept = {"type": "task", "status": "active", "repeats": "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"}
    return Story(
        "every Tuesday evening a bin goes out: black one week, recycling the other. This week is black",
        {
            "Black bin": kept | {"due_date": "2026-09-01T18:00"},
            "Recycling bin": kept | {"due_date": "2026-09-08T18:00"},
        },
        on,
        list_days(zone),
        is_done=True,
    )


def swimming(zone: ZoneInfo) -> Story:
    days = list_days(zone)
    off = next(day for day in days if day.weekday() == 3)
    return Story(
        "Lena has swimming on Thursdays at 3 pm",
        {
            "Lena: swimming": {
                "type": "class",
                "repeats": "every Thursday",
                "start_date": "2026-09-03T15:00",
                "end_date": "2026-09-03T16:00",
            }
        },
        lambda day: {"Lena: swimming": ["T15:00"]} if day.weekday() == 3 and day != off else {},
        days,
        ("no swimming this week", "Lena: swimming", {"except": {"$add": [str(off)]}}),
    )


def rent(zone: ZoneInfo) -> Story:
    return Story(
        "the rent is due on the last day of each month",
        {"Pay the rent": {"type": "task", "status": "active", "repeats": "FREQ=MONTHLY;BYMONTHDAY=-1"}},
        lambda day: {"Pay the rent": [""]} if day.day == monthrange(day.year, day.month)[1] else {},
        list_days(zone),
        is_done=True,
    )


def birthday(_: ZoneInfo) -> Story:
    def on(day: date) -> Dates:
        is_leap = monthrange(day.year, 2)[1] == 29
        return {"Ida's birthday": [""]} if (day.month, day.day) == (2, 29 if is_leap else 28) else {}

    return Story(
        "Ida was born on 29 February",
        {"Ida's birthday": {"type": "birthday", "repeats": "FREQ=YEARLY", "due_date": "2028-02-29"}},
        lambda day: on(day) if day.year >= 2028 else {},
        [date(year, 2, 24) + timedelta(days=n) for year in (2028, 2029, 2032) for n in range(10)],
    )


def course(zone: ZoneInfo) -> Story:
    kept = {"type": "class", "repeats": "every Monday", "until": "2027-06-28"}
    return Story(
        "Spanish class on Mondays at 6 until the end of June, an hour and a half",
        {"Spanish": kept | {"start_date": "2026-09-07T18:00", "end_date": "2026-09-07T19:30"}},
        lambda day: {"Spanish": ["T18:00"]} if day.weekday() == 0 and day <= date(2027, 6, 28) else {},
        list_days(zone),
    )


STORIES = (school, medicine, bins, swimming, rent, birthday, course)


@pytest.mark.parametrize("tell", STORIES, ids=lambda tell: tell.__name__)
def test_a_story_is_right_on_each_day(life: Life, tell: Callable[[ZoneInfo], Story]) -> None:
    story = tell(life.zone)
    kept = [("create_item", {"content": content, "properties": known}) for content, known in story.items.items()]
    life.say(story.message, *kept)
    assert life.memory.count() == len(kept)
    for day in story.days:
        life.at(day)
        if story.change and day == story.days[0]:
            message, content, properties = story.change
            life.say(message, ("update_item", {"id": life.find_id(content), "properties": properties}))
        if story.is_done:
            do_what_was_before(life, story, day)
        ask(life, day, story.on(day))
    shown = life.say("what is on?", ("query_items", {"where": {"$on": str(day)}}), answer="See above.")
    assert [item["content"] for item in shown.steps[0]["observation"]["items"]] == [*story.on(day)]


def ask(life: Life, day: date, expected: Dates) -> None:
    """Ask for what is on a day, in the morning, in each way in which it is asked."""
    first = {content: with_weekday(f"{day}{times[0]}") for content, times in expected.items()}
    is_open = {"status": {"$nin": ["done", "cancelled"]}}
    key = "start_date" if "start_date" in next(life.memory.items()).properties else "due_date"
    assert life.find(**{"$on": str(day)}) == first
    if expected:
        assert life.find(**{key: {"$gte": str(day), "$lt": str(day + DAY)}}, **is_open) == first
    for content, times in expected.items():
        for moment in (f"{day}{each}" for each in times[1:]):
            assert life.find(**{key: moment}) == {content: with_weekday(moment)}
    lines = summarize_due(life.handles)
    assert "Overdue:" not in lines
    assert list_today(lines) == [
        f"  {content} ({times[0][1:]})" if times[0] else f"  {content}" for content, times in expected.items()
    ]


def list_today(lines: list[str]) -> list[str]:
    """Return what the opening lines say of today."""
    if "Today:" not in lines:
        return []
    rest = lines[lines.index("Today:") + 1 :]
    return rest[: next((n for n, line in enumerate(rest) if not line.startswith(" ")), len(rest))]


def do_what_was_before(life: Life, story: Story, day: date) -> None:
    """Say of each item that its last date before a day was done, if there was one and it has not been said."""
    for content in story.items:
        before = (day - timedelta(days=n) for n in range(1, (day - TOLD).days + 1))
        last = next((each for each in before if content in story.on(each)), None)
        item = life.memory.get(id := life.find_id(content))
        moment = f"{last}{story.on(last)[content][-1]}" if last else None
        if moment and item.properties.get("status") != "done" and item.properties.get("done_for") != moment:
            told = life.call("update_item", id=id, properties={"status": "done", "done_for": moment})
            assert told["done"].startswith(f"for {with_weekday(moment)}; ")


def test_plants_are_due_ten_days_after_they_were_watered(life: Life) -> None:
    plants = {"type": "task", "status": "active", "repeats": "FREQ=DAILY;INTERVAL=10", "repeat_from": "done"}
    due = date(2026, 9, 5)
    kept = {"content": "Water the plants", "properties": plants | {"due_date": str(due)}}
    life.say("the plants want water ten days after they had some, next on Saturday", ("create_item", kept))
    id, days, late = life.find_id("Water the plants"), list_days(life.zone), 0
    for day in (TOLD + timedelta(days=n) for n in range((days[-1] - TOLD).days + 1)):
        life.at(day)
        if day in days:
            found, lines = life.find(**{"$on": str(day)}), summarize_due(life.handles)
            assert found == ({"Water the plants": with_weekday(str(due))} if day == due else {})
            assert list_today(lines) == (["  Water the plants"] if day == due else [])
            assert ("Overdue:" in lines) == (due < day)
        if day == due + timedelta(days=late):  # on the day, or one or two days later
            life.at(day, time(23, 30))
            due, late = day + timedelta(days=10), (late + 1) % 3
            told = life.call("update_item", id=id, properties={"status": "done"})
            assert told["done"] == f"for {with_weekday(str(day))}; next {with_weekday(str(due))}"


def test_hours_that_are_logged_each_day_are_told_by_day_and_by_week(life: Life) -> None:
    life.say("log my hours for Acme", ("create_item", {"content": "Acme: hours", "properties": {"hours": 0}}))
    id, days = life.find_id("Acme: hours"), list_days(life.zone)
    spent = {day: float(1 + n % 4) for n, day in enumerate(days)}
    for day, hours in spent.items():
        life.at(day, time(0, 30))
        life.call("update_item", id=id, properties={"hours": {"$add": hours / 2}})
        life.at(day, time(23, 59))
        life.call("update_item", id=id, properties={"hours": {"$add": hours / 2}})
        (found,) = life.call("query_items", where={"hours": {"$gt": 0}})["items"]
        assert found["properties"]["hours"] == sum(spent[each] for each in days[: days.index(day) + 1])
    for day in days:
        since, until = max(day - timedelta(days=6), days[days.index(day) // 10 * 10]), day
        for first in (day, since):
            told = life.call("history", since=str(first), until=str(until), text="acme")
            assert told["sums"] == {"hours": sum(spent[each] for each in days if first <= each <= until)}
    asked = ("history", {"since": str(days[-1]), "until": str(days[-1])})
    told = life.say("how many hours did I work today?", asked, answer="See above.").steps[0]["observation"]
    assert told["sums"] == {"hours": spent[days[-1]]}
    assert datetime.fromisoformat(told["turns"][0]["at"][:16]) == datetime.combine(days[-1], time(23, 59))
