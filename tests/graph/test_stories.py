"""What repeats is told once, in a conversation, and is right on thirty days around the changes of the clocks."""

from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from itertools import cycle, product
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from ana.time.dates import add_weekday
from app.due import summarize_due
from tests.stories import (
    STORIES,
    TOLD,
    ZONES,
    Dates,
    Life,
    Story,
    bins,
    course,
    list_days,
    medicine,
    school,
    swimming,
)

DAY = timedelta(days=1)


@pytest.fixture(params=ZONES)
def life(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Life]:
    with Life(ZoneInfo(request.param)).live(tmp_path) as life:
        yield life


IN_TURN = [*zip(cycle(ZONES), STORIES)]
BY_THE_HOUR = (school, medicine, bins, swimming, course)
"""Stories with hours, which every change of a clock may move; the others are of days alone."""


@pytest.mark.parametrize(
    ("life", "tell"),
    [*product(ZONES, BY_THE_HOUR), *(pair for pair in IN_TURN if pair[1] not in BY_THE_HOUR)],
    indirect=["life"],
)
def test_a_story_is_right_on_each_day(life: Life, tell: Callable[[ZoneInfo], Story]) -> None:
    story = tell(life.zone)
    kept = [("create_item", {"content": content, "properties": known}) for content, known in story.items.items()]
    life.say(story.message, *kept)
    assert life.memory.count() == len(kept)
    for day in story.days:
        go_to(life, story, day)
        ask(life, day, story.on(day))
    shown = life.say("what is on?", ("query_items", {"where": {"$on": str(day)}}), answer="See above.")
    assert [item["content"] for item in shown.steps[0]["observation"]["items"]] == [*story.on(day)]


FLIGHTS = {"America/New_York": "Asia/Tokyo", "Europe/Berlin": "Asia/Tokyo", "Australia/Lord_Howe": "Pacific/Honolulu"}


@pytest.mark.parametrize(("life", "tell"), IN_TURN, indirect=["life"])
def test_a_story_with_a_flight_in_the_middle(life: Life, tell: Callable[[ZoneInfo], Story]) -> None:
    home, story = life.zone, tell(life.zone)
    there = ZoneInfo(FLIGHTS[str(home)])
    kept = [("create_item", {"content": content, "properties": known}) for content, known in story.items.items()]
    life.say(story.message, *kept)
    stays = any("start_date" in known for known in story.items.values())
    for n, day in enumerate(story.days):
        if n == len(story.days) // 2:
            life.fly(there)
        go_to(life, story, day)
        if stays and life.zone == there:
            assert life.find(**{"$on": str(day)}) == tell_there(story, day, home, there)
        else:
            ask(life, day, story.on(day))


def tell_there(story: Story, day: date, home: ZoneInfo, there: ZoneInfo) -> dict[str, str]:
    """Return what is on a day elsewhere, of what keeps the zone of home, as a model is told it."""
    found = {}
    for near in (day - DAY, day, day + DAY):
        for content, times in story.on(near).items():
            moment = datetime.fromisoformat(f"{near}{times[0]}").replace(tzinfo=home)
            # of a lesson the end is on the day that is asked about, too, if it goes on past midnight
            lasts = LESSONS[content]
            days = {at.astimezone(there).date() for at in (moment, moment + lasts)}
            if day in days:
                found[content] = str(add_weekday(moment.isoformat(timespec="minutes"), there))
    return found


LESSONS = {"Lena: swimming": timedelta(hours=1), "Spanish": timedelta(hours=1, minutes=30)}


def go_to(life: Life, story: Story, day: date) -> None:
    """Go to a day, and say what the story says on it."""
    life.at(day)
    if story.change and day == story.days[0]:
        message, content, properties = story.change
        life.say(message, ("update_item", {"id": life.find_id(content), "properties": properties}))
    if story.is_done:
        do_what_was_before(life, story, day)


def ask(life: Life, day: date, expected: Dates) -> None:
    """Ask for what is on a day, in the morning, in each way in which it is asked."""
    first = {content: add_weekday(f"{day}{times[0]}") for content, times in expected.items()}
    is_open = {"status": {"$nin": ["done", "cancelled"]}}
    key = "start_date" if "start_date" in next(life.memory.items()).properties else "due_date"
    assert life.find(**{"$on": str(day)}) == first
    if expected:
        assert life.find(**{key: {"$gte": str(day), "$lt": str(day + DAY)}}, **is_open) == first
    for content, times in expected.items():
        for moment in (f"{day}{each}" for each in times[1:]):
            assert life.find(**{key: moment}) == {content: add_weekday(moment)}
    lines = summarize_due(life.handles)
    assert not [line for line in lines if line.startswith(("Overdue", "Not marked"))]
    assert list_today(lines) == [
        f"  {content} ({each[1:]})" if each else f"  {content}" for content, times in expected.items() for each in times
    ]


def list_today(lines: list[str]) -> list[str]:
    """Return what the opening lines say of today."""
    first = next((n for n, line in enumerate(lines) if line.startswith("Today")), len(lines))
    rest = lines[first + 1 :]
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
            assert told["done"].startswith(f"for {add_weekday(moment)}; ")


@pytest.mark.parametrize("life", ["Europe/Berlin"], indirect=True)
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
            assert found == ({"Water the plants": add_weekday(str(due))} if day == due else {})
            assert list_today(lines) == (["  Water the plants"] if day == due else [])
            assert ("Overdue (1):" in lines) == (due < day)
        if day == due + timedelta(days=late):  # on the day, or one or two days later
            life.at(day, time(23, 30))
            due, late = day + timedelta(days=10), (late + 1) % 3
            told = life.call("update_item", id=id, properties={"status": "done"})
            assert told["done"] == f"for {add_weekday(str(day))}; next {add_weekday(str(due))}"


@pytest.mark.parametrize("life", ["Australia/Lord_Howe"], indirect=True)
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
            assert told["sums"]["hours"]["by"] == sum(spent[each] for each in days if first <= each <= until)
    asked = ("history", {"since": str(days[-1]), "until": str(days[-1])})
    told = life.say("how many hours did I work today?", asked, answer="See above.").steps[0]["observation"]
    assert told["sums"]["hours"]["by"] == spent[days[-1]]
    assert datetime.fromisoformat(told["turns"][0]["at"][:16]) == datetime.combine(days[-1], time(23, 59))
