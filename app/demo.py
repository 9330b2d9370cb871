"""`ana demo`'s three weeks: messages of an invented family, played through the real graph with answers from a
script.
"""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from ana.handles import open_handles
from ana.memory.memory import Memory
from ana.models.scripted import ScriptedModel, calls
from ana.time.clock import WEEKDAYS, Clock
from ana.time.dates import show_day
from ana.workspace import Workspace
from app.messages import UserMessage
from app.turn import Assistant
from graph.builder import compile_graph

FILE = Path(__file__).with_name("demo.jsonl")
RECORDED = "recorded answers"
"""What the records of the turns name as their model."""

LATELY = timedelta(minutes=5)
"""How long ago the last turn began, which waits for a decision."""

FRIDAY = 4
"""As a weekday's number."""

_DAY = re.compile(r"\{(-?\d+)(!?)(?::(day|date))?\}")
"""A day, counted from today: {3}; {3!} is the Monday after it if it falls on a weekend; in words {3:day}, {3:date}."""


@dataclass(frozen=True)
class Turn:
    """A message with its moment, the calls that follow, and the answer.

    Args:
        at: When it is said.
        thread: The name of the conversation.
        message: The message.
        calls: Each the name of a tool and its arguments; "@..." in place of an id is the item that begins so.
        answer: None if the turn waits for a decision.
    """

    at: datetime
    thread: str
    message: UserMessage
    calls: list[tuple[str, dict[str, Any]]]
    answer: str | None


def read_turns(now: datetime) -> Iterator[Turn]:
    """Yield the turns, the first of them three weeks before a moment."""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        row = _fill(json.loads(line), now.date())
        text, pasted = row["say"], row.get("paste")
        message = UserMessage(f"{text}\n\n{pasted}", (pasted,)) if pasted else UserMessage(text)
        yield Turn(_find_moment(row["at"], now), row["in"], message, row["calls"], row.get("answer"))


def play(workspace: Workspace, now: datetime | None = None) -> None:
    """Play the three weeks in a data folder that has nothing in it yet. Errors as of `open_handles`.

    Args:
        now: The moment when the three weeks end; None for the present.
    """
    # the embedder that needs no model of its own: all of it is to be there in a few seconds
    recorded = workspace.change(llm_provider="ollama", ollama_model=RECORDED, ana_embeddings="wordllama")
    model = ScriptedModel(replies=[])
    handles = open_handles(recorded, "ana demo", model)
    clock, threads = handles.clock, recorded.open_threads()
    with closing(handles.memory), threads.store.open_saver() as saver:
        _date_states(saver, clock)
        assistant = Assistant(handles, compile_graph(saver), "ana demo")
        for turn in read_turns((now or clock.now()).astimezone(clock.zone)):
            moments = (turn.at + timedelta(milliseconds=n) for n in count())
            clock.source = partial(next, moments)
            model.replies += _make_replies(turn, handles.memory)
            assistant.ask(turn.message, threads.open(turn.thread))


def _make_replies(turn: Turn, memory: Memory) -> Iterator[Any]:
    def call(_: list[BaseMessage]) -> AIMessage:
        return calls(*((name, _find_item(args, memory)) for name, args in turn.calls))

    yield call
    if turn.answer is not None:
        yield turn.answer


def _find_item(args: dict[str, Any], memory: Memory) -> dict[str, Any]:
    """Return the arguments of a call, with an id in place of the first words by which they name an item."""
    begun = str(args.get("id", ""))
    if not begun.startswith("@"):
        return args
    return args | {"id": next(item.id for item in memory.items() if item.content.startswith(begun[1:]))}


def _date_states(saver: Any, clock: Clock) -> None:
    """Set the times of conversations' states by this clock, because lists show them."""
    put = saver.put

    def put_dated(config: Any, checkpoint: Any, *more: Any) -> Any:
        return put(config, checkpoint | {"ts": clock.now().astimezone(UTC).isoformat()}, *more)

    saver.put = put_dated


def _find_moment(written: str, now: datetime) -> datetime:
    """Return the moment for a text that is `now`, or a number of days from today with a time."""
    if written == "now":
        return now - LATELY
    days, _, at = written.partition(" ")
    return datetime.combine(now.date() + timedelta(int(days)), time.fromisoformat(at), now.tzinfo)


def _fill(value: Any, today: date) -> Any:
    """Return a value in which days written relative to today are dates, at any depth."""
    if isinstance(value, str):
        return _DAY.sub(lambda match: _write_day(match, today), value)
    if isinstance(value, dict):
        return {key: _fill(each, today) for key, each in value.items()}
    return [_fill(each, today) for each in value] if isinstance(value, list) else value


def _write_day(match: re.Match[str], today: date) -> str:
    days, works, form = match.groups()
    day = today + timedelta(int(days))
    if works and day.weekday() > FRIDAY:
        day += timedelta(7 - day.weekday())
    return {"day": WEEKDAYS[day.weekday()], "date": show_day(day, today.year)}.get(form, str(day))
