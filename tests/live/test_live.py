"""What a real model does at our seams, and what our loop does with a very weak one. `make live` runs these."""

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage

from ana.backends.in_memory import InMemoryBackend
from ana.handles import open_handles
from ana.models.call import complete
from ana.settings import Settings
from ana.workspace import open_workspace
from app.outcome import Done, Waiting
from app.turn import Assistant, open_assistant
from nodes.requests import decide_all
from prompts import decision_prompt
from tests.conftest import EMBEDDER
from tests.live.conftest import Figures
from tools.catalog import checker, schemas

pytestmark = pytest.mark.live

STORY = "Tell me a story about a lighthouse and its keeper."
ONE_STEP = (
    ("What is 19% of 240?", "calculator"),
    ("How much is 12.50 times 9?", "calculator"),
    ("What time is it now?", "now"),
    ("What day is today?", "now"),
    ("Which date is next Friday?", "resolve_date"),
    ("Remind me to call Anna tomorrow", "create_item"),
    ("Buy milk", "create_item"),
    ("Which tasks are due this week?", "query_items"),
    ("Remember that I prefer tea", "append_context"),
    ("Undo that", "undo"),
)


def ask(text: str) -> list[AnyMessage]:
    return [SystemMessage("You are a helpful assistant."), HumanMessage(text)]


def test_text_comes_in_pieces_that_add_up_to_the_reply(native: BaseChatModel, figures: Figures) -> None:
    with figures.measure("streaming: the pieces are the reply") as right:
        for number in range(2):
            pieces: list[str | None] = []
            reply = complete(native, ask(STORY), f"s{number}", on_text=pieces.append)
            right.append(len(pieces) > 5 and reply.text.startswith("".join(filter(None, pieces)).rstrip()))
    assert all(right)


def test_tokens_are_told_and_those_from_the_cache_among_them(native: BaseChatModel, figures: Figures) -> None:
    with figures.measure("usage: input, output and cached tokens") as right:
        for number in range(2):
            usage = complete(native, ask("Say hello to the lighthouse keeper."), f"u{number}").usage_metadata
            assert usage is not None
            cached = usage.get("input_token_details", {}).get("cache_read", 0)
            right.append(usage["input_tokens"] > 10 and usage["output_tokens"] > 0 and (number == 0 or cached > 10))
    assert all(right)


def test_native_tools_end_in_text_or_in_calls_that_can_be_judged(native: BaseChatModel, figures: Figures) -> None:
    with figures.measure("native tools: a reply that is text, or a call with JSON for arguments") as usable:
        replies = [complete(native, ask(text), f"n{n}", schemas()) for n, (text, _) in enumerate(ONE_STEP[::2])]
        usable += [bool(reply.text or reply.tool_calls or reply.invalid_tool_calls) for reply in replies]
    with figures.measure("native tools: the right one called") as right:
        called = [[call["name"] for call in reply.tool_calls] for reply in replies]
        right += [names == [tool] for names, (_, tool) in zip(called, ONE_STEP[::2], strict=True)]
    assert all(usable)


def test_every_structured_reply_is_a_valid_decision(json_mode: BaseChatModel, figures: Figures) -> None:
    with figures.measure("structured output: a valid decision") as valid:
        replies = [complete(json_mode, ask(text), f"d{n}", schemas()) for n, (text, _) in enumerate(ONE_STEP)]
        valid += [not reply.invalid_tool_calls and bool(reply.tool_calls or reply.text) for reply in replies]
    for call in (call for reply in replies for call in reply.tool_calls):
        checker().check(call["name"], call["args"])
    with figures.measure("structured output: the right tool in one step") as right:
        called = [[call["name"] for call in reply.tool_calls] for reply in replies]
        right += [names == [tool] for names, (_, tool) in zip(called, ONE_STEP, strict=True)]
    assert all(valid)


def run_turns(settings: Settings, *questions: str, lines: int = 0) -> list[Done]:
    """Return the answers of the whole assistant, with a store of its own."""
    handles = open_handles(open_workspace(settings), instruct=decision_prompt, backend=InMemoryBackend(EMBEDDER))
    for number in range(lines):
        handles.memory.append_line(f"{number}: prefers the {number}th word of every list of words, whatever it says")
    with open_assistant(handles) as assistant:
        return [_ask(assistant, question) for question in questions]


def _ask(assistant: Assistant, question: str) -> Done:
    """Return how a turn ended; what a weak model asks to do is refused."""
    outcome = assistant.ask(question, "live")
    while isinstance(outcome, Waiting):
        outcome = assistant.resume("live", decide_all(outcome.request, "reject"), outcome.request_id)
    return outcome


def test_a_message_that_is_too_long_is_tried_again_without_its_middle(
    live_settings: Settings, figures: Figures
) -> None:
    with figures.measure("context overflows: shortened and answered") as right:
        one_step = live_settings.model_copy(update={"ana_max_steps": 1})
        (done,) = run_turns(one_step, f"What is in this text? {'lorem ipsum dolor ' * 4000}")
        right.append("longer than the model" not in done.answer and done.usage["input_tokens"] > 0)
    with figures.measure("context overflows all the same: our sentence") as told:
        (done,) = run_turns(live_settings, "hi", lines=600)
        told.append("longer than the model" in done.answer and "/context" in done.answer)
    assert all(right + told)


def test_every_turn_of_a_weak_model_ends_with_a_record_and_receipts(live_settings: Settings, figures: Figures) -> None:
    with figures.measure("whole turns: ended, and written only what a receipt shows") as right:
        answers = run_turns(live_settings, "Buy milk", "What is 19% of 240?", "Which tasks are due this week?")
        for done in answers:
            records = [json.loads(line) for line in Path(done.trace_path).read_text().splitlines()]
            record: dict[str, Any] = next(record for record in records if record["id"] == done.trace_id)
            right.append(bool(done.answer) and record["changes"] == done.changes)
    with figures.measure("whole turns: tools and rules read from the server's cache") as cached:
        cached += [done.usage.get("cached_tokens", 0) > 1000 for done in answers[1:]]
    assert len(answers) == 3
    assert all(right + cached)
