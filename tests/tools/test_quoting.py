"""Content by reference: a long message is kept word for word, in native tools and in JSON decisions."""

import json
from typing import Any

import pytest

from ana.backends.in_memory import InMemoryBackend
from ana.handles import open_handles
from ana.models.json_mode.adapter import JsonDecisions
from ana.models.scripted import ScriptedModel, calls
from ana.output import quote
from ana.settings import Settings
from ana.workspace import open_workspace
from app.outcome import Waiting
from prompts import decision_prompt
from tests.conftest import EMBEDDER, THREAD, MakeAssistant
from tools.arguments import quote_message

LETTER = "Dear all,\n\n  two  spaces, “quotes” and a tab\there.\n" + "A long sentence. " * 600 + "\nYours, Maya"
SAID = f"Please keep this letter as it is: {LETTER}"
WHOLE = {"content": {"message": "this"}, "properties": {"type": "note"}}
PART = {"content": {"message": "Dear all"}, "properties": {"type": "note"}}


@pytest.mark.parametrize(("args", "kept"), [(WHOLE, SAID), (PART, LETTER)])
@pytest.mark.parametrize("mode", ["native", "JSON"])
def test_the_message_is_kept_word_for_word(
    make_assistant: MakeAssistant, settings: Settings, args: dict[str, Any], kept: str, mode: str
) -> None:
    backend = InMemoryBackend(EMBEDDER)
    replies: list[Any] = [calls(("create_item", args)), "Kept."]
    if mode == "JSON":
        replies = [json.dumps({"tool": {"name": "create_item", "args": args}}), '{"final": {"answer": "Kept."}}']
    model: Any = ScriptedModel(replies=replies)
    model = JsonDecisions(inner=model, instruct=decision_prompt) if mode == "JSON" else model
    assistant = make_assistant(handles=open_handles(open_workspace(settings), model=model, backend=backend))
    answer = assistant.ask(SAID, THREAD)
    (item,) = assistant.handles.memory.items()
    assert item.content == kept
    assert item.properties == {"type": "note"}
    told = answer.steps[0]["observation"]["content"]
    assert told == f"{kept[:200]} [cut: {len(kept):,} characters in all]"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Keep exactly: 'Thr road  not taken.'", "Thr road  not taken."),
        ("Keep exactly: „Thr road“", "Thr road"),
        ("Keep exactly: “Thr road” and the rest", "Thr road” and the rest"),
        ("Keep exactly: Thr road of O'Neill'", "Thr road of O'Neill'"),
        ("Keep exactly: 'Thr road of O'Neill'", "Thr road of O'Neill"),
        ("Keep exactly: 'Thr road' and 'the rest'", "Thr road' and 'the rest'"),
    ],
)
def test_a_quotation_is_kept_without_its_marks(said: str, kept: str) -> None:
    assert quote_message({"message": "Thr road"}, said) == kept


def test_words_that_the_message_does_not_have_are_an_error(make_assistant: MakeAssistant) -> None:
    wrong = ({"content": {"message": "Dear nobody"}}, {"content": {"message": " "}}, {"content": {"words": "this"}})
    assistant = make_assistant(calls(*(("create_item", args) for args in wrong)), "I could not.")
    steps = assistant.ask(SAID, THREAD).steps
    assert all("error" in step["observation"] for step in steps)
    assert '{"message": "this"}' in steps[0]["observation"]["hint"]
    assert assistant.handles.memory.count() == 0


def test_a_request_shows_the_text_and_undo_takes_it_back(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant(calls(("create_item", PART)), "Kept.", calls(("undo", {})), "It is gone.")
    assistant.autonomy = "advise"
    waiting = assistant.ask(SAID, THREAD)
    assert isinstance(waiting, Waiting)
    (action,) = waiting.request["action_requests"]
    assert action["args"]["content"] == LETTER
    assert quote(LETTER) in action["description"]
    assistant.resume(THREAD, {"decisions": [{"type": "approve"}]}, waiting.request_id)
    (item,) = assistant.handles.memory.items()
    assert item.content == LETTER
    assistant.autonomy = "act"
    asked = assistant.ask("undo that", THREAD)
    assert isinstance(asked, Waiting), "a letter as long as that may be one of others"
    assistant.resume(THREAD, {"decisions": [{"type": "approve"}]}, asked.request_id)
    assert assistant.handles.memory.count() == 0
