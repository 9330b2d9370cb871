"""A person who talks to an assistant for months, with a clock that is set by hand, and days on which to ask."""

import json
from calendar import monthrange
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

from langchain_core.tools import StructuredTool

from ana.backends.in_memory import InMemoryBackend
from ana.handles import Handles, open_handles
from ana.memory.changes import Cause
from ana.memory.memory import Memory
from ana.models.scripted import ScriptedModel, calls
from ana.settings import load_settings
from ana.time.clock import Clock
from ana.workspace import open_workspace
from app.outcome import Done, expect_done
from app.turn import Assistant, open_assistant
from tests.conftest import EMBEDDER, folders
from tools.call import CallContext
from tools.catalog import TOOLS

ZONES = ("America/New_York", "Europe/Berlin", "Australia/Lord_Howe")
THREAD = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b00a"
TOLD = date(2026, 9, 1)
"""The Tuesday on which stories begin."""

MORNING = time(6)


def find_changes(zone: ZoneInfo) -> list[date]:
    """Return the next three days on which the clock is changed."""
    days = (TOLD + timedelta(days=n) for n in range(500))
    return [day for day in days if _offset(day, zone) != _offset(day + timedelta(days=1), zone)][:3]


def list_days(zone: ZoneInfo) -> list[date]:
    """Return thirty days: from five before each change to four after it."""
    return [change + timedelta(days=n) for change in find_changes(zone) for n in range(-5, 5)]


def _offset(day: date, zone: ZoneInfo) -> timedelta | None:
    return datetime.combine(day, time(), zone).utcoffset()


class Life:
    """A person's conversation and items.

    Args:
        zone: Where they live.
    """

    def __init__(self, zone: ZoneInfo) -> None:
        self.zone = zone
        self.now = datetime.combine(TOLD, MORNING, zone)
        self.clock = Clock(zone, lambda: self.now)
        self.memory = Memory(InMemoryBackend(EMBEDDER), self.clock)
        self.model = ScriptedModel(replies=[])
        self._assistant: Assistant | None = None
        self._calls = 0

    @property
    def handles(self) -> Handles:
        assert self._assistant
        return self._assistant.handles

    @contextmanager
    def live(self, folder: Path, **env: str) -> Iterator["Life"]:
        """Open the assistant in a folder, with further variables."""
        settings = load_settings(folders(folder, ANA_TIMEZONE=str(self.zone), **env))
        opened = open_handles(open_workspace(settings), model=self.model, backend=self.memory.backend)
        with open_assistant(replace(opened, clock=self.clock, memory=self.memory)) as self._assistant:
            yield self

    def at(self, day: date, hour: time = MORNING) -> None:
        """Go to an hour of a day."""
        self.now = datetime.combine(day, hour, self.zone)

    def go(self, moment: str) -> "Life":
        """Go to a moment on the clock of where they live."""
        self.now = datetime.fromisoformat(moment).replace(tzinfo=self.zone)
        return self

    def fly(self, zone: ZoneInfo) -> None:
        """Go to another zone, of which the client tells."""
        self.zone = zone
        assert self._assistant
        self._assistant.handles.workspace.whereabouts.look(self.memory, self.clock, str(zone))

    def say(self, message: str, *named: tuple[str, dict[str, Any]], answer: str = "Noted.") -> Done:
        """Say something to the assistant, whose model makes these calls and then answers."""
        assert self._assistant
        self.expect(*named, answer=answer)
        done = expect_done(self._assistant.ask(message, THREAD))
        assert done.error is None
        assert [step["tool"] for step in done.steps] == [name for name, _ in named], "nothing was sent back"
        assert not [step for step in done.steps if "error" in step["observation"]]
        return done

    def expect(self, *named: tuple[str, dict[str, Any]], answer: str = "Noted.") -> None:
        """Let the model make these calls and then answer, at whatever is said next."""
        self.model.replies += [*([calls(*named)] if named else []), answer]

    def call(self, name: str, **args: Any) -> dict[str, Any]:
        """Call a tool of ours as a model does, in a turn of its own."""
        self._calls += 1
        cause = Cause(f"key-{self._calls}", THREAD, f"turn-{self._calls}")
        function = cast(StructuredTool, TOOLS[name]).func
        assert function
        told = function(**args, call=CallContext(self.memory, self.clock, cause))
        result: dict[str, Any] = json.loads(json.dumps(told[0] if isinstance(told, tuple) else told))
        return result

    def keep(self, content: str, **properties: Any) -> dict[str, Any]:
        """Let a model keep an item, and return what it is told."""
        return self.call("create_item", content=content, properties=properties)

    def change(self, id: str, **properties: Any) -> dict[str, Any]:
        """Let a model change an item, and return what it is told."""
        return self.call("update_item", id=id, properties=properties)

    def find(self, **where: Any) -> dict[str, str]:
        """Return what a filter finds by content, each with its date."""
        found = self.call("query_items", where=where, limit=50)["items"]
        key = ("due_date", "start_date")
        return {item["content"]: next(item["properties"][k] for k in key if k in item["properties"]) for item in found}

    def find_id(self, content: str) -> str:
        (id,) = (item.id for item in self.memory.items() if item.content == content)
        return id


Dates = dict[str, list[str]]
"""What is on a day: its times by content, "" for the whole day."""


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
