"""What a provider sends that is no answer: thoughts, calls written as text, refusals, calls in another form."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.outcome import Done, expect_done
from app.turn import Assistant, open_assistant
from tests.conftest import THREAD
from tests.openai_stub import Said, Stub, openai_stub
from tests.opened import open_in

THOUGHT = "They want milk, and I must not say so."
MILK = '{"name": "create_item", "arguments": {"content": "Buy milk"}}'


class Talk:
    """A conversation with a provider, and what was shown of it while it was written."""

    def __init__(self, assistant: Assistant) -> None:
        self.assistant = assistant
        self.shown: list[str] = []
        """What stood there at each moment."""

    def ask(self, question: str = "I need milk") -> Done:
        self.shown = [""]
        return expect_done(self.assistant.ask(question, THREAD, on_event=self._hear))

    def decisions(self) -> list[dict[str, Any]]:
        """The decisions of the last turn, as its trace has them."""
        record: Any = self.assistant.handles.traces.read(THREAD)[-1]
        return [*record["decisions"]]

    def _hear(self, event: dict[str, Any]) -> None:
        if "draft" in event:
            self.shown.append(self.shown[-1] + event["draft"])
        elif "erase" in event:
            self.shown.append("")


@pytest.fixture
def talk(tmp_path: Path) -> Callable[..., Any]:
    """Opens a conversation with a provider that has a script."""

    @contextmanager
    def start(*script: Said, **more: str) -> Iterator[tuple[Talk, Stub]]:
        with openai_stub(*script) as stub:
            opened = open_in(tmp_path, OPENAI_API_KEY="sk-x", OPENAI_BASE_URL=stub.url, **more)
            with open_assistant(opened) as assistant:
                yield Talk(assistant), stub

    return start


FORMS = {
    "tags": Said(f"<think>\n{THOUGHT}\n</think>\n\nHello there."),
    "tags amid the answer": Said(f"Hello\n<think>{THOUGHT}</think>there."),
    "reasoning_content": Said("Hello there.", thoughts={"reasoning_content": THOUGHT}),
    "reasoning": Said("Hello there.", thoughts={"reasoning": THOUGHT}),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_thought_is_shown_to_nobody_and_kept_in_the_trace(talk: Any, form: str) -> None:
    with talk(FORMS[form]) as (conversation, stub):
        assert conversation.ask().answer.split() == ["Hello", "there."]
        assert not [shown for shown in conversation.shown if "think" in shown or "They" in shown]
        (decision,) = conversation.decisions()
        assert (decision["text"].split(), decision["reasoning"]) == (["Hello", "there."], THOUGHT)
        conversation.ask("and?")
        assert THOUGHT not in str(stub.requests[-1]["messages"])


def test_a_thought_without_tool_calls_is_kept_too(talk: Any) -> None:
    decided = Said(f'<think>{THOUGHT}</think>\n{{"final": {{"answer": "Hello <think> there."}}}}')
    with talk(decided, USE_TOOL_CALLS="0") as (conversation, _):
        assert conversation.ask().answer == "Hello <think> there."
        assert conversation.decisions()[0]["reasoning"] == THOUGHT


def test_a_thought_that_never_ends_is_no_answer(talk: Any) -> None:
    with talk(Said(f"<think>{THOUGHT}", finish="length")) as (conversation, _):
        assert "They want" not in conversation.ask().answer
        assert not [shown for shown in conversation.shown if "They" in shown]
        assert conversation.decisions()[0]["reasoning"] == THOUGHT


def test_a_thought_that_began_in_the_prompt_is_withdrawn_once_and_then_never_shown(talk: Any) -> None:
    lone = Said(f"{THOUGHT}\n</think>\n\nHello there.")
    with talk(lone) as (conversation, _):
        assert conversation.ask().answer == "Hello there."
        assert conversation.shown[-1].strip() == "Hello there.", "what was shown of the thought is gone"
        assert conversation.decisions()[0]["reasoning"].strip() == THOUGHT
        assert conversation.ask("and?").answer == "Hello there."
        assert not [shown for shown in conversation.shown if "They" in shown]
        assert conversation.decisions()[0]["reasoning"].strip() == THOUGHT


def test_a_model_that_thinks_first_is_shown_when_it_does_not(talk: Any) -> None:
    cut = Said(f"{THOUGHT} And", finish="length")
    with talk(Said(f"{THOUGHT}\n</think>\n\nHello."), Said("Hello again."), cut) as (conversation, _):
        conversation.ask()
        assert conversation.ask("and?").answer == "Hello again."
        assert "They want" not in conversation.ask("more?").answer, "it was cut while it thought"


WRITTEN = {
    "alone": MILK,
    "in tags": f"<tool_call>\n{MILK}\n</tool_call>",
    "in a fence": f"```json\n{MILK}\n```",
    "after a thought": f"<think>{THOUGHT}</think>\n{MILK}",
    "after a thought that began in the prompt": f"{THOUGHT}\n</think>\n\n<tool_call>{MILK}</tool_call>",
}


@pytest.mark.parametrize("how", WRITTEN)
def test_a_call_that_is_written_as_text_is_carried_out_and_not_shown(talk: Any, how: str) -> None:
    with talk(Said(WRITTEN[how]), Said("Saved it.")) as (conversation, stub):
        done = conversation.ask()
        assert [change["after"]["content"] for change in done.changes] == ["Buy milk"]
        assert done.answer == "Saved it."
        assert not [shown for shown in conversation.shown if "create_item" in shown]
        assert [step["tool"] for step in done.steps] == ["create_item"]
        assert [message["role"] for message in stub.requests[1]["messages"]][-2:] == ["assistant", "tool"]


@pytest.mark.parametrize(
    "text",
    [f"Here is how: {MILK}", MILK.replace("create_item", "make_coffee"), '{"name": "history", "note": "a course"}'],
)
def test_text_that_only_looks_like_a_call_is_shown_as_it_is(talk: Any, text: str) -> None:
    with talk(Said(text)) as (conversation, _):
        done = conversation.ask("How would you write that?")
    assert done.answer == text
    assert (done.changes, done.steps) == ([], [])
    assert conversation.shown[-1].strip() == text


def test_arguments_of_a_written_call_are_checked_as_those_of_any_other(talk: Any) -> None:
    wrong = MILK.replace('"Buy milk"', '"Buy \\ud83d milk"')
    with talk(Said(wrong), Said("That did not work.")) as (conversation, _):
        done = conversation.ask()
    assert [step["tool"] for step in done.steps] == ["⛔️validation_error"]
    assert done.changes == []


@pytest.mark.parametrize("tool_calls", ["1", "0"])
def test_a_refusal_is_told(talk: Any, tool_calls: str) -> None:
    with talk(Said(refusal="I cannot help with that."), USE_TOOL_CALLS=tool_calls) as (conversation, _):
        done = conversation.ask()
    assert "The model refused to answer: “I cannot help with that”. Say it in other words." in done.answer
    assert done.error


def test_arguments_that_are_an_object_and_calls_without_an_index_are_carried_out(talk: Any) -> None:
    both = Said(
        calls=[("create_item", {"content": "Buy milk"}), ("append_context", {"content": "Is called Mira"})],
        plain_calls=True,
    )
    with talk(both, Said("Saved both.")) as (conversation, _):
        done = conversation.ask("I am Mira and need milk")
    assert [change["after"]["content"] for change in done.changes] == ["Buy milk", "Is called Mira"]
