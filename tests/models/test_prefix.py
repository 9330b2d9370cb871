"""A provider's cache holds a prompt only up to the first change: each call begins as the one before did."""

import itertools
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.turn import open_assistant
from tests.conftest import THREAD, WEDNESDAY
from tests.openai_stub import Said, openai_stub
from tests.opened import open_in, set_clock
from tests.sent import typed

TURNS = 12


def answer(request: dict[str, Any]) -> Said:
    """Store what is said, then say so, as tool calls or in JSON."""
    last, native = str(request["messages"][-1]["content"]), "tools" in request
    if '"id": "' in last:
        return Said("Saved." if native else '{"final": {"answer": "Saved."}}')
    args = {"content": typed(last), "properties": {"project": "Lumen", "due_date": "2026-01-09"}}
    if native:
        return Said(calls=[("create_item", args)])
    return Said(json.dumps({"tool": {"name": "create_item", "args": args}}))


def talk(path: Path, mode: str) -> list[list[Any]]:
    """Return the messages of each request in a conversation that writes in every turn, a minute at each look."""
    minutes = itertools.count()
    with openai_stub(answer) as server:
        handles = open_in(path, **server.env, USE_TOOL_CALLS=mode)
        hasty = set_clock(handles, lambda: WEDNESDAY + timedelta(minutes=next(minutes)))
        with open_assistant(hasty) as assistant:
            for n in range(TURNS):
                assistant.ask(f"keep thing {n}", THREAD)
    return [request["messages"] for request in server.requests]


@pytest.mark.parametrize("mode", ["1", "0"], ids=["tool calls", "JSON decisions"])
def test_a_call_begins_as_the_one_before_up_to_its_last_question(tmp_path: Path, mode: str) -> None:
    requests = talk(tmp_path, mode)
    assert len(requests) == 2 * TURNS
    for n, (before, after) in enumerate(itertools.pairwise(requests)):
        asked = next(i for i, message in enumerate(before) if "<now " in str(message["content"]))
        same = asked if n % 2 else len(before)  # within a turn not even the question changes
        assert after[:same] == before[:same]
        assert asked == 1 + 4 * (n // 2)
    told = requests[-1][asked]["content"]
    assert f'project "Lumen" ({TURNS - 1})' in told
    assert "Wednesday 2026-01-07 1" in told
    assert told.endswith(f"</now {told.split('>')[0].split()[-1]}>\n\nkeep thing {TURNS - 1}")
