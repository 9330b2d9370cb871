"""What is overdue and what is today's, of items as models stored them in three weeks of three people's lives."""

import json
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from ana.memory.item import Item
from ana.output import shorten
from app.due import group_due, group_due_locally, list_today
from nodes.load_context import TITLE
from tests.stories import Life

FOLDER = Path(__file__).parents[1] / "data" / "lives"
DAYS = [json.loads(line) for line in (FOLDER / "today.jsonl").read_text().splitlines()]
STORED = [json.loads(line) for line in (FOLDER / "stored.jsonl").read_text().splitlines()]


@pytest.fixture(params=DAYS, ids=lambda each: f"{each['person']}-{each['day']}")
def day(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = request.param
    return found


@pytest.fixture
def life(day: dict[str, Any], tmp_path: Path) -> Iterator[Life]:
    """A person on a day, in the evening but before the day is over, with all that they had said by then."""
    life = Life(ZoneInfo(day["zone"]))
    for each in STORED:
        if each["person"] == day["person"] and each["told"] <= day["day"]:
            life.now = datetime.combine(date.fromisoformat(each["told"]), time(9), life.zone)
            life.memory.create(each["content"], each["properties"])
    life.now = datetime.combine(date.fromisoformat(day["day"]), time(8), life.zone)
    with life.live(tmp_path, LLM_PROVIDER="openai", OPENAI_API_KEY="k"):  # the offline reader is not told
        yield life


def list_titles(items: list[Item]) -> list[str]:
    return sorted(item.content.partition("\n")[0] for item in items)


def begins(titles: list[str], expected: list[str]) -> bool:
    """Return whether these are the titles, of which some are told by their first words alone."""
    return len(titles) == len(expected) and all(map(str.startswith, titles, sorted(expected)))


def test_today_a_terminal_and_the_prompt_call_overdue_what_somebody_still_has_to_do(
    day: dict[str, Any], life: Life
) -> None:
    groups = group_due(life.handles)
    assert begins(list_titles([*groups["overdue"].items, *groups["unmarked"].items]), day["overdue"])
    assert begins(list_titles(groups["today"].items), day["today"])
    shown = read_sections(list_today(group_due_locally(life.handles), 99, 200, life.now.date()))
    for name, expected in (("Overdue", day["overdue"]), ("Today", day["today"])):
        found = shown.get(f"{name} ({len(expected)})", [])
        assert len(found) == len(expected)
        assert all(any(title in line for line in found) for title in expected)
    life.say("hello")
    told = life.model.seen[-1][-1].text
    for title in day["overdue"]:
        assert f"{json.dumps(shorten(title, TITLE))}, due " in told
    assert ("Overdue" in told) == bool(day["overdue"])


def read_sections(lines: list[str]) -> dict[str, list[str]]:
    """Return the lines below each title."""
    shown: dict[str, list[str]] = {}
    for line in lines:
        if not line.startswith(" "):
            title = line
        else:
            shown.setdefault(title, []).append(line[2:].strip())
    return shown
