"""A turn that goes on and on is ended, with what was done and what was not."""

import itertools
from types import SimpleNamespace

import pytest
from langchain_core.messages import AIMessage

from ana.models.scripted import calls
from app.outcome import expect_done
from tests.conftest import THREAD, MakeAssistant

MILK = ("create_item", {"content": "Buy milk"})


def search(text: str) -> AIMessage:
    return calls(("query_items", {"text": text}))


def test_steps(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant(calls(MILK), *[search(str(n)) for n in range(5)], "Hello.")
    answer = expect_done(assistant.ask("loop", THREAD, max_steps=3))
    assert answer.answer.startswith("I stopped at the limit of 3 steps in one turn. What was done stands below.")
    assert "was not done" in answer.answer
    assert answer.receipt == "- Stored: “Buy milk”"
    assert len(answer.steps) == 3
    assert answer.error == "limit"
    assert [change["op"] for change in answer.changes] == ["create"]


def test_the_same_call_again_and_again(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant(search("a"), search("b"), search("a"), search("a"), "Next.")
    answer = expect_done(assistant.ask("loop", THREAD))
    assert "a call that only repeats itself (query_items)" in answer.answer
    assert answer.receipt == "no changes"
    assert len(answer.steps) == 3, "the third of the same is not run"
    assert assistant.ask("and now?", THREAD).answer == "Next."


def test_the_same_call_several_times_at_once(make_assistant: MakeAssistant) -> None:
    answer = make_assistant(calls(*[MILK] * 3)).ask("milk", THREAD)
    assert answer.error == "limit"
    assert answer.changes == []


def test_the_same_call_in_another_turn_is_another_matter(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant(*[search("a"), "Nothing."] * 4)
    assert [assistant.ask("a?", THREAD).error for _ in range(4)] == [None] * 4


def test_time(make_assistant: MakeAssistant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step takes 100 seconds by this clock, and 180 are allowed."""
    assistant = make_assistant(calls(MILK), "Never said.", "Hello.")
    with monkeypatch.context() as patched:
        ticks = itertools.count(0, 100)
        patched.setattr("graph.recording.time", SimpleNamespace(perf_counter=lambda: next(ticks)))
        answer = expect_done(assistant.ask("milk", THREAD))
    assert answer.answer.startswith("I stopped at the limit of 180 seconds for one turn. What was done stands below.")
    assert answer.receipt == "- Stored: “Buy milk”"
    assert assistant.handles.memory.count() == 1
    assert assistant.ask("and now?", THREAD).answer == "Never said."
