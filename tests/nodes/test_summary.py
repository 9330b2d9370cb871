"""What stands for the turns that a thread no longer holds, and which turns those are."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call

from ana.backends.in_memory import InMemoryBackend
from ana.errors import ModelFailed
from ana.handles import Handles, open_handles
from ana.models.scripted import ScriptedModel, calls
from ana.settings import load_settings
from ana.workspace import open_workspace
from nodes.history import estimate_tokens, messages_to_drop, shorten_earlier
from nodes.summary import summarise
from nodes.turns import new_turn
from tests.conftest import EMBEDDER, folders

STORED: list[AnyMessage] = [
    HumanMessage("I need milk. Oat, if they have it. Two cartons!"),
    calls(("create_item", {"content": "Buy milk", "properties": {"note": "x" * 5000}})),
    ToolMessage('{"id": "6ynzytmy"}', tool_call_id="call-0", name="create_item"),
    AIMessage("I have noted the milk. It is on your list. Anything else?\n\n---\n- Stored: “Buy milk”"),
]


def fail(_: list[BaseMessage]) -> AIMessage:
    raise ModelFailed("It is down.")


def open_scripted(path: Path, *replies: Any, **env: str) -> Handles:
    settings = load_settings(folders(path, **{"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "k"} | env))
    return open_handles(
        open_workspace(settings), model=ScriptedModel(replies=list(replies)), backend=InMemoryBackend(EMBEDDER)
    )


def summarise_stored(handles: Handles, earlier: str = "") -> str:
    turn = new_turn("seed", {"messages": [HumanMessage("next")]}, handles.clock)
    return summarise(handles, earlier, STORED, turn, {})[0]


def seen(handles: Handles) -> list[str]:
    assert isinstance(handles.model, ScriptedModel)
    return [messages[0].text for messages in handles.model.seen]


def test_a_summary_is_told_what_tools_did(tmp_path: Path) -> None:
    handles = open_scripted(tmp_path, "They need milk.")
    assert summarise_stored(handles) == "They need milk."
    (asked,) = seen(handles)
    (call,) = (line for line in asked.splitlines() if line.startswith("Called"))
    assert call.startswith('Called create_item: {"content": "Buy milk", "properties": {"note": "xxx')
    assert call.endswith(' -> {"id": "6ynzytmy"}')
    assert len(call) < 400


@pytest.mark.parametrize("first", [fail, "", " \n"])
def test_a_summary_is_asked_for_again_once(tmp_path: Path, first: Any) -> None:
    assert summarise_stored(open_scripted(tmp_path, first, "They need milk.", fail)) == "They need milk."


@pytest.mark.parametrize("reply", [fail, ""])
@pytest.mark.parametrize("provider", ["openai", "offline"])
def test_first_and_last_sentences_stand_where_no_model_summarises(tmp_path: Path, provider: str, reply: Any) -> None:
    handles = open_scripted(tmp_path, reply, reply, LLM_PROVIDER=provider)
    said = "Person: I need milk. … Two cartons!\nAssistant: I have noted the milk. … Anything else?"
    assert summarise_stored(handles, "They like tea.") == f"They like tea.\n{said}"
    assert summarise_stored(handles) == said
    assert len(seen(handles)) == (0 if provider == "offline" else 4)


def test_a_summary_that_is_only_carried_on_stays_short(tmp_path: Path) -> None:
    handles, summary = open_scripted(tmp_path, LLM_PROVIDER="offline"), ""
    for _ in range(60):
        summary = summarise_stored(handles, summary)
    assert summary.startswith("Person: I need milk.")
    assert summary.endswith("Anything else?")
    assert len(summary) < 2200


def make_turns(sizes: list[int]) -> list[AnyMessage]:
    return [m for n, size in enumerate(sizes) for m in (HumanMessage("q", id=f"q{n}"), AIMessage("word" * size))]


@given(sizes=st.lists(st.integers(1, 400), min_size=1, max_size=12))
def test_what_is_left_is_sixty_percent_or_the_last_two_turns(sizes: list[int]) -> None:
    messages = make_turns(sizes)
    dropped = messages_to_drop(messages, 1000)
    left = messages[len(dropped) :]
    assert messages[: len(dropped)] == dropped
    assert bool(dropped) == (sum(map(estimate_tokens, messages)) > 1000 and len(sizes) > 2)
    assert not dropped or sum(map(estimate_tokens, left)) <= 600 or len(left) == 4
    assert messages_to_drop(left, 1000) == [], "what is sent then begins alike for some turns"


@given(sizes=st.lists(st.integers(1, 3000), min_size=1, max_size=6))
def test_long_messages_of_earlier_turns_are_cut_until_they_fit(sizes: list[int]) -> None:
    messages = make_turns(sizes)
    sent = shorten_earlier(messages, 1000)
    assert [(m.type, m.id) for m in sent] == [(m.type, m.id) for m in messages]
    assert sent[-2:] == messages[-2:], "what is said now is whole"
    assert sum(map(estimate_tokens, sent[:-2])) <= 1000
    assert sent == messages or sum(map(estimate_tokens, messages[:-2])) > 1000
    grown: list[AnyMessage] = [*messages, calls(("now", {})), ToolMessage("word" * 3000, tool_call_id="call-0")]
    assert shorten_earlier(grown, 1000)[: len(sent)] == sent, "a call of a turn is sent what the one before was sent"


def test_what_a_call_held_is_cut_as_well() -> None:
    long = f"A{'word' * 3000}Z"
    call = calls(("create_item", {"content": long, "properties": {"n": 1, "said": [long, {"note": long}]}}))
    call.invalid_tool_calls = [invalid_tool_call(name="create_item", args=long, id="call-1", error="cut short")]
    messages: list[AnyMessage] = [HumanMessage("keep it"), call, AIMessage("Kept."), HumanMessage("thanks")]
    sent = shorten_earlier(messages, 500)[1]
    assert isinstance(sent, AIMessage)
    assert len(str(sent.tool_calls)) + len(str(sent.invalid_tool_calls)) < 2500
    assert sent.tool_calls[0]["args"]["properties"]["n"] == 1
    assert call.tool_calls[0]["args"]["content"].endswith("wordZ"), "the thread keeps it"
