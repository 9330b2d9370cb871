"""What stands for the turns that a thread no longer holds, and which turns those are."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage

from ana.errors import ModelFailed
from ana.handles import Handles
from ana.models.scripted import ScriptedModel, calls
from nodes.history import choose_dropped, estimate_all
from nodes.receipt import make_answer
from nodes.summary import summarise
from nodes.turns import make_turn
from tests.opened import open_in

STORED: list[AnyMessage] = [
    HumanMessage("I need milk.\nTwo cartons!"),
    calls(("create_item", {"content": "Buy milk", "properties": {"note": "x" * 5000}})),
    ToolMessage('{"id": "6ynzytmy"}', tool_call_id="call-0", name="create_item"),
    calls(("query_items", {"text": "milk"})),
    ToolMessage('{"items": [{"id": "abcd2345", "content": "Milk jug"}]}', tool_call_id="call-0", name="query_items"),
    make_answer("I have noted the milk.", "- Stored: “Buy milk”", "changed: created 6ynzytmy", "1", "2026-01-06"),
]
TOLD = """\
2026-01-06 Person: I need milk.
  Two cartons!
Looked up: abcd2345 Milk jug
Assistant: I have noted the milk.
Recorded: changed: created 6ynzytmy"""


def fail(_: list[BaseMessage]) -> AIMessage:
    raise ModelFailed("It is down.")


def open_scripted(path: Path, *replies: Any, **env: str) -> Handles:
    return open_in(path, *replies, **{"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "k"} | env)


def summarise_stored(handles: Handles, earlier: str = "") -> str:
    turn = make_turn("seed", {"messages": [HumanMessage("next")]}, handles.clock)
    return summarise(handles, earlier, STORED, turn, {})[0]


def seen(handles: Handles) -> list[str]:
    assert isinstance(handles.model, ScriptedModel)
    return [messages[0].text for messages in handles.model.seen]


def test_a_summary_is_told_what_was_said_looked_up_and_recorded(tmp_path: Path) -> None:
    handles = open_scripted(tmp_path, "They need milk.")
    assert summarise_stored(handles) == "They need milk."
    (asked,) = seen(handles)
    assert asked.rstrip().endswith(TOLD)


@pytest.mark.parametrize("reply", [fail, ""])
@pytest.mark.parametrize("provider", ["openai", "offline"])
def test_what_was_said_stands_where_no_model_summarises(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, provider: str, reply: Any
) -> None:
    handles = open_scripted(tmp_path, reply, LLM_PROVIDER=provider)
    assert summarise_stored(handles, "They like tea.") == f"They like tea.\n{TOLD}"
    assert summarise_stored(handles) == TOLD
    assert len(seen(handles)) == (0 if provider == "offline" else 2)
    assert ("could not be summarised: It is down." in caplog.text) == (provider != "offline" and reply == fail)


def test_a_summary_that_is_only_carried_on_stays_short(tmp_path: Path) -> None:
    handles, summary = open_scripted(tmp_path, LLM_PROVIDER="offline"), ""
    for _ in range(60):
        summary = summarise_stored(handles, summary)
    assert summary.startswith("2026-01-06 Person: I need milk.")
    assert summary.endswith("created 6ynzytmy")
    assert len(summary) < 2200


def make_turns(sizes: list[int]) -> list[AnyMessage]:
    return [m for n, size in enumerate(sizes) for m in (HumanMessage("q", id=f"q{n}"), AIMessage("word" * size))]


@given(sizes=st.lists(st.integers(1, 400), min_size=1, max_size=12))
def test_what_is_left_is_sixty_percent_or_the_last_two_turns(sizes: list[int]) -> None:
    messages = make_turns(sizes)
    dropped = choose_dropped(messages, 1000)
    left = messages[len(dropped) :]
    assert messages[: len(dropped)] == dropped
    assert bool(dropped) == (estimate_all(messages) > 1000 and len(sizes) > 2)
    assert not dropped or estimate_all(left) <= 600 or len(left) == 4
    assert choose_dropped(left, 1000) == [], "what is sent then begins alike for some turns"
