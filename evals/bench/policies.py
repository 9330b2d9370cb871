"""A turn with all policies against the same turn without any."""

import statistics
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from ana.handles import Handles, open_handles
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.turn import Assistant, open_assistant
from evals.bench.turn import TwoSteps
from nodes.policies import check

TURNS = 40
ROUNDS = 5
ANSWER = """Here is your week:

| Day | What |
| --- | --- |
| Mon 12 Jan 2026 | Thing 7, 14:30 |
| Wed 14 Jan 2026 | Thing 12, 9:00 |

There are 2 things with a date, and 98 without. Shall I plan them?"""
"""An answer with something for every policy to read, and nothing to send back."""


class Planner(TwoSteps):
    """Looks something up, then answers with dates, times and numbers."""

    def _generate(self, messages: list[BaseMessage], *_: object, **__: object) -> ChatResult:
        if messages[-1].type == "tool":
            return ChatResult(generations=[ChatGeneration(message=AIMessage(content=ANSWER))])
        return super()._generate(messages)


def measure() -> Iterable[tuple[str, str]]:
    """Measure the medians of both over several fresh threads, in alternation, and their ratio."""
    ratios, policies = [], check.POLICIES
    with tempfile.TemporaryDirectory() as name, open_assistant(_open(Path(name), Planner())) as assistant:
        _time_turn(assistant, -1)
        try:
            for round in range(ROUNDS):
                spent: dict[bool, list[float]] = {True: [], False: []}
                for turn in range(2 * TURNS):
                    check.POLICIES = policies if turn % 2 else ()
                    spent[bool(turn % 2)].append(_time_turn(assistant, round))
                ratios.append(statistics.median(spent[True]) / statistics.median(spent[False]))
        finally:
            check.POLICIES = policies
    yield "a turn with all policies / with none (goal at most 1.1)", f"{statistics.median(ratios):.2f}"


def _open(folder: Path, model: BaseChatModel) -> Handles:
    handles = open_handles(open_workspace(load_settings({"ANA_DATA_DIR": str(folder / "data")})), model=model)
    for n in range(100):
        handles.memory.create(f"thing {n}", {"type": "task"})
    return handles


def _time_turn(assistant: Assistant, round: int) -> float:
    begun = time.perf_counter()
    done = assistant.ask("what does my week look like?", f"00000000-0000-4000-8000-{round + 1:012}")
    spent = time.perf_counter() - begun
    assert done.answer == ANSWER, done.answer
    return spent
