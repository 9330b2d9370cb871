"""A person who talks to an assistant for months, with a clock that is set by hand, and days on which to ask."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
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
    def live(self, folder: Path) -> Iterator["Life"]:
        """Open the assistant in a folder."""
        settings = load_settings(folders(folder, ANA_TIMEZONE=str(self.zone)))
        opened = open_handles(open_workspace(settings), model=self.model, backend=self.memory.backend)
        with open_assistant(replace(opened, clock=self.clock, memory=self.memory)) as self._assistant:
            yield self

    def at(self, day: date, hour: time = MORNING) -> None:
        """Go to an hour of a day."""
        self.now = datetime.combine(day, hour, self.zone)

    def say(self, message: str, *named: tuple[str, dict[str, Any]], answer: str = "Noted.") -> Done:
        """Say something to the assistant, whose model makes these calls and then answers."""
        assert self._assistant
        self.expect(*named, answer=answer)
        done = expect_done(self._assistant.ask(message, THREAD))
        assert done.error is None
        assert [step["tool"] for step in done.steps] == [name for name, _ in named], "nothing was sent back"
        assert not [step for step in done.steps if "error" in step["observation"]]
        return done

    def let_insist(self, message: str, *named: tuple[str, dict[str, Any]], answer: str) -> Done:
        """Say something to the assistant, whose model gives the same answer again where it is sent back."""
        assert self._assistant
        self.model.replies += [*([calls(*named)] if named else []), answer, answer]
        return expect_done(self._assistant.ask(message, THREAD))

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

    def find(self, **where: Any) -> dict[str, str]:
        """Return what a filter finds by content, each with its date."""
        found = self.call("query_items", where=where, limit=50)["items"]
        key = ("due_date", "start_date")
        return {item["content"]: next(item["properties"][k] for k in key if k in item["properties"]) for item in found}

    def find_id(self, content: str) -> str:
        (id,) = (item.id for item in self.memory.items() if item.content == content)
        return id
