"""reason: build the prompt, call the model."""

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, SystemMessage
from langgraph.runtime import Runtime

from ana.errors import BudgetReached, ContextTooLong, ModelFailed
from ana.memory.digests import digest_line
from ana.models.base import MARKS, PROMPT_DATA, REASONING
from ana.models.call import complete
from ana.models.fence import make_mark
from ana.tracing.schema import RecordedDecision, Tokens
from ana.translation import _
from graph.context import Context, context_of, emit, thread_of, withdraw
from graph.state import Loaded, State, call_id
from nodes.demos import choose_demos
from nodes.earlier import divide_history
from nodes.history import (
    cut_message,
    cut_middle,
    fence_results,
    insert_corrections,
    insert_now,
    insert_recorded,
    repair_messages,
    this_turn,
)
from nodes.limits import TOMORROW, explain_stop, find_repeated_call, limit_reached
from nodes.load_context import get_loaded
from nodes.summary import recall
from nodes.usage import open_purse
from prompts import fill, read_template, render
from tools.catalog import WRITERS, schemas

EMPTY = "(empty - populate as you learn about the user)"
NO_NAMES = "no names yet"

SHORT = 4000
"""Characters that are sent of a message after the model has refused the whole conversation."""

MOST_REASONING = 20_000
"""Characters that are kept of what a model thought for a decision; of more the middle is cut out, with a mark."""


def reason(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask the model what to do next: a message with tool calls, or a draft of the answer."""
    context, turn = context_of(runtime), state["turn"]
    handles, id = context.handles, call_id(turn, len(turn["decisions"]) + 1)
    if limit := limit_reached(turn, handles.settings, context.max_steps):
        return {"draft": explain_stop(limit), "turn": turn | {"error": "limit"}}
    loaded = get_loaded(state, handles)
    try:
        reply, usage = _ask_model(state, runtime, loaded, id)
    except BudgetReached as exc:
        stop = explain_stop(exc.limit, TOMORROW)
        return {"draft": stop, "turn": turn | {"error": "limit"}}
    except ModelFailed as exc:
        withdraw(runtime, id)
        return {"draft": exc.sentence(), "turn": turn | {"error": exc.message}}
    # What the model saw is kept with the turn: a line that somebody else changes from now on is not overwritten.
    digests = {str(number): digest_line(text) for number, text in loaded["lines"].items()}
    decisions = [*turn["decisions"], _describe_decision(reply)]
    turn = turn | {"decisions": decisions, "usage": usage, "told": reply.usage_metadata, "shown": digests}
    has_calls = bool(reply.tool_calls or reply.invalid_tool_calls)
    if has_calls and reply.text:  # only now it is known that it was not a draft
        withdraw(runtime, str(reply.id))
    if call := find_repeated_call(reply, state["messages"]):
        stop = explain_stop(_("a call that only repeats itself ({name})").format(name=call["name"]))
        return {"draft": stop, "turn": turn | {"error": "limit"}, "loaded": loaded}
    if has_calls:
        return {"messages": [make_message(reply)], "turn": turn, "loaded": loaded}
    return {"draft": reply.text.strip(), "turn": turn, "loaded": loaded}


def make_system_message(loaded: Loaded, template: str | None = None) -> SystemMessage:
    """Return the system prompt; for models in this process, it also carries the data that its text was made from."""
    return SystemMessage(system_prompt(loaded["lines"], template), additional_kwargs={PROMPT_DATA: loaded})


def system_prompt(lines: Mapping[int, str], template: str | None = None) -> str:
    """Return the system prompt with these lines of Global Context.

    Args:
        template: What is filled instead of prompts/system.md. Raises KeyError if it has other slots.
    """
    # The template has what changes at its end, so that providers' prompt caches hit.
    rows = "\n".join(f"{n}-- {json.dumps(text, ensure_ascii=False)}" for n, text in lines.items())
    return fill("system", template or read_template("system"), global_context=rows or EMPTY)


def describe_now(loaded: Loaded, turn: str) -> str:
    """Return the text before the person's message, with everything that changes from turn to turn.

    Args:
        loaded: The context that the turn has read.
    """
    return render("now", mark=make_mark(turn), now=loaded["now"], vocabulary=loaded["vocabulary"] or NO_NAMES)


def _ask_model(state: State, runtime: Runtime[Context], loaded: Loaded, id: str) -> tuple[AIMessage, Tokens]:
    """Return the model's reply and the turn's tokens; if the conversation is too long, only this turn is sent."""
    context, turn = context_of(runtime), state["turn"]
    model, tools = context.handles.model, schemas(context.handles.settings.tools_modules)
    demos = choose_demos(context.handles.workspace, turn["question"])
    system, now = make_system_message(loaded, context.template), describe_now(loaded, turn["id"])
    options = context.model_options()
    purse = open_purse(context.handles, options.get("model"))

    def show(text: str | None) -> None:
        if text is None:
            withdraw(runtime, id)
        else:
            emit(runtime, {"draft": text, "id": id})

    def send(history: list[AnyMessage], older: str = "") -> tuple[AIMessage, Tokens]:
        recorded = insert_recorded(insert_now(history, now), thread_of(runtime))
        sent = fence_results([*recall(state.get("summary", ""), older), *recorded])
        messages = [system, *demos, *insert_corrections(sent, turn)]
        on_text = show if context.stream_drafts else None
        return purse.pay(partial(complete, model, messages, id, tools, on_text, options), messages, turn["usage"])

    history, older, settings = repair_messages(state["messages"]), "", context.handles.settings
    if settings.provider != "offline":  # the offline reader goes by the results of the turn before
        older, history = divide_history(history, turn["ts"][:10], settings.ana_history_tokens)
    with suppress(ContextTooLong):
        return send(history, older)
    try:
        return send([cut_message(message, SHORT) for message in this_turn(history)])
    except ContextTooLong as exc:  # so a new conversation would not help
        raise ContextTooLong(
            "Even this message alone is longer than the model can read.",
            "Ask for less, or shorten what /context shows.",
        ) from exc


def _describe_decision(reply: AIMessage) -> RecordedDecision:
    """Return a reply in the form that the turn keeps."""
    invalid = [{"name": c["name"], "args": c["args"], "error": c["error"]} for c in reply.invalid_tool_calls]
    valid = [{"name": c["name"], "args": c["args"]} for c in reply.tool_calls]
    marks = {mark: True for mark in MARKS if reply.response_metadata.get(mark)}
    thought = reply.additional_kwargs.get(REASONING, "").strip()
    reasoning = {REASONING: cut_middle(thought, MOST_REASONING)} if thought else {}
    said = {"text": reply.text, "tool_calls": valid, "invalid_tool_calls": invalid}
    return cast(RecordedDecision, said | reasoning | marks)


def make_message(reply: AIMessage) -> AIMessage:
    """Return a reply with calls in the form that is kept: under its own id, and without text beside a write, because it
    may claim that the write has already run.
    """
    writes = any(call["name"] in WRITERS for call in reply.tool_calls)
    return AIMessage(
        content="" if writes else reply.text,
        id=reply.id,
        tool_calls=reply.tool_calls,
        invalid_tool_calls=reply.invalid_tool_calls,
        usage_metadata=reply.usage_metadata,
    )
