"""reason: build the prompt, call the model."""

from functools import partial
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, SystemMessage
from langgraph.runtime import Runtime

from ana.errors import ContextTooLong, ModelFailed
from ana.memory.context_line import digest
from ana.models.base import PROMPT_DATA
from ana.models.call import complete
from ana.models.json_mode.plain_history import DROPPED
from graph.context import Context, context_of, emit
from graph.state import Loaded, State, Turn
from nodes.history import repaired, shortened, with_corrections
from nodes.limits import circling, ended, passed
from nodes.load_context import load
from nodes.policies import Evidence, claimed_write_needs_receipt
from nodes.summary import quoted
from nodes.usage import used
from prompts import render
from tools.catalog import schemas

EMPTY = "(empty - populate as you learn about the user)"


def reason(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask the model what to do next: a message with tool calls, or a draft of the answer."""
    context, turn = context_of(runtime), state["turn"]
    handles = context.handles
    if why := passed(turn, handles.settings, context.max_steps):
        return {"draft": ended(why, state["messages"]), "turn": turn | {"error": "limit"}}
    loaded = state.get("loaded") or load(handles)
    system = system_message(loaded, state.get("summary", ""))
    messages = [system, *with_corrections(repaired(state["messages"]), turn["corrections"])]
    model, on_text = handles.model.bind_tools(schemas(handles.settings.tools_modules)), partial(_stream, runtime)
    try:
        try:
            reply = complete(model, messages, on_text)
        except ContextTooLong:
            messages = [system, *with_corrections(shortened(repaired(state["messages"])), turn["corrections"])]
            reply = complete(model, messages, on_text)
    except ModelFailed as exc:
        return {"draft": exc.sentence(), "turn": turn | {"error": exc.message}}
    turn = _noted(turn, reply, messages) | {"shown": {str(n): digest(text) for n, text in loaded["lines"].items()}}
    if call := circling(reply, state["messages"]):
        why = f"a call that only repeats itself ({call['name']})"
        return {"draft": ended(why, state["messages"]), "turn": turn | {"error": "limit"}, "loaded": loaded}
    if reply.tool_calls or reply.invalid_tool_calls:
        return {"messages": [_renamed(reply, turn)], "turn": turn, "loaded": loaded}
    return {"draft": reply.text.strip(), "turn": turn, "loaded": loaded}


def system_message(loaded: Loaded, summary: str = "") -> SystemMessage:
    """The system prompt, and beside its text, for models in this process, the data it was rendered from."""
    return SystemMessage(system_prompt(loaded, summary), additional_kwargs={PROMPT_DATA: loaded})


def system_prompt(loaded: Loaded, summary: str = "") -> str:
    """The system prompt; what changes from turn to turn stands last, so that providers' prompt caches hit."""
    lines = "\n".join(f"{number}-- {text}" for number, text in loaded["lines"].items())
    return render("system", earlier=quoted(summary), now=loaded["now"], global_context=lines or EMPTY)


def progress(text: str, question: str) -> str:
    """The text beside a tool call: what is going on, never that something is done before it is."""
    return "" if claimed_write_needs_receipt(Evidence(question, text, ())) else text


def _stream(runtime: Runtime[Context], text: str) -> None:
    emit(runtime, {"draft": text})


def _noted(turn: Turn, reply: AIMessage, messages: list[AnyMessage]) -> Turn:
    """The turn with this decision and its cost."""
    wrong = [{"name": c["name"], "args": c["args"]} for c in reply.invalid_tool_calls]
    said = [{"name": c["name"], "args": c["args"]} for c in reply.tool_calls]
    decision = {"text": reply.text, "tool_calls": said, "invalid_tool_calls": wrong, **_dropped(reply)}
    return turn | {"usage": used(turn["usage"], reply, messages), "decisions": [*turn["decisions"], decision]}


def _dropped(reply: AIMessage) -> dict[str, Any]:
    """How many further decisions the reply held; nothing where it held none."""
    return {DROPPED: dropped} if (dropped := reply.response_metadata.get(DROPPED)) else {}


def _renamed(reply: AIMessage, turn: Turn) -> AIMessage:
    """The message under ids of our own: providers repeat theirs, or leave them out."""
    id = f"{turn['id']}-{len(turn['decisions'])}"
    calls = [*reply.tool_calls, *reply.invalid_tool_calls]
    for position, call in enumerate(calls):
        call["id"] = f"{id}-{position}"
    return AIMessage(
        content=progress(reply.text, turn["question"]),
        id=id,
        tool_calls=reply.tool_calls,
        invalid_tool_calls=reply.invalid_tool_calls,
        usage_metadata=reply.usage_metadata,
        additional_kwargs=_dropped(reply),
    )
