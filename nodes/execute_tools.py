"""execute_tools: run the calls of the last message in order, and answer each."""

import hashlib
import json
import logging
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages.tool import ToolCall
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime
from pydantic import ValidationError

from ana.backends.chroma.journal import Cause
from ana.errors import ToolError, UserError
from ana.tracing.record import INVALID
from ana.values import plain_text
from graph.context import Context, context_of, emit, thread_of
from graph.state import State
from nodes.history import last_turn, pending_calls, refused_copies
from nodes.load_context import load
from tools.call import Call
from tools.catalog import CONTEXT_TOOLS, TOOLS, catalog, checker

TOLD = 500
"""Characters of a foreign error that the model is told."""

_log = logging.getLogger(__name__)


def execute_tools(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer every call with a result or an error the model can act on; a call run again changes nothing twice."""
    message = pending_calls(state["messages"])
    assert message is not None
    answers = [_unreadable(str(call["id"]), call["error"]) for call in message.invalid_tool_calls]
    modules = context_of(runtime).handles.settings.tools_modules
    for position, call in enumerate(message.tool_calls):
        answer = _run(call, _handed(state, runtime, message, position), modules)
        answers.append(answer)
        emit(runtime, {"tool": call["name"], "args": call["args"], "ok": answer.status == "success"})
    update: dict[str, Any] = {"messages": answers}
    if CONTEXT_TOOLS & {call["name"] for call in message.tool_calls}:
        update["loaded"] = load(context_of(runtime).handles)
    return update


def _handed(state: State, runtime: Runtime[Context], message: AIMessage, position: int) -> Call:
    handles, thread, call = context_of(runtime).handles, thread_of(runtime), message.tool_calls[position]
    said = json.dumps([call["name"], call["args"]], sort_keys=True)
    # the arguments are part of the key: a message lost in a crash and asked for again may say something else
    key = f"{thread}/{message.id}/{position}/{hashlib.sha256(said.encode()).hexdigest()[:16]}"
    shown = {int(number): text for number, text in state["turn"]["shown"].items()}
    copy = call["args"] in refused_copies(last_turn(state["messages"]))
    return Call(handles.memory, handles.clock, Cause(key, thread, state["turn"]["id"]), shown, copy)


def _run(call: ToolCall, handed: Call, modules: tuple[str, ...]) -> ToolMessage:
    id, name = str(call["id"]), call["name"]
    try:
        args = _checked(name, call["args"], modules)
    except ToolError as exc:
        return _error(id, INVALID, exc)
    try:
        answer = _invoked(call, args, handed) if name in TOOLS else _invoked_elsewhere(call, args, modules)
    except ToolError as exc:
        return _error(id, name, exc)
    except ValidationError as exc:
        return _error(id, INVALID, _wrong_arguments(exc))
    except UserError as exc:
        return _error(id, name, ToolError(exc.message, f"Tell the user: {exc.hint}"))
    return ToolMessage(answer.text, name=name, tool_call_id=id, artifact=answer.artifact, id=f"{id}-result")


def _invoked(call: ToolCall, args: dict[str, Any], handed: Call) -> ToolMessage:
    answer: ToolMessage = TOOLS[call["name"]].invoke({**call, "args": {**args, "call": handed}})
    return answer


def _invoked_elsewhere(call: ToolCall, args: dict[str, Any], modules: tuple[str, ...]) -> ToolMessage:
    """A tool of the person's own: whatever it raises is told to the model, and its artifact is no receipt of ours."""
    try:
        answer: ToolMessage = catalog(modules)[call["name"]].invoke({**call, "args": args})
    except GraphBubbleUp:
        raise
    except Exception as exc:
        _log.exception("the tool %s failed", call["name"])
        told = plain_text(f"{type(exc).__name__}: {exc}")[:TOLD]
        raise ToolError(f"The tool {call['name']} failed: {told}.", "Tell the user, or do without it.") from exc
    return ToolMessage(plain_text(answer.text), name=call["name"], tool_call_id=str(call["id"]))


def _checked(name: str, args: dict[str, Any], modules: tuple[str, ...]) -> dict[str, Any]:
    """The arguments in the types that the tool's schema asks for, where that loses nothing."""
    known = catalog(modules)
    if name not in known:
        raise ToolError(f"There is no tool {name!r}.", f"The tools are: {', '.join(known)}.")
    return checker(modules).check(name, args)


def _wrong_arguments(exc: ValidationError) -> ToolError:
    first = exc.errors()[0]
    name = ".".join(str(part) for part in first["loc"][:1]) or "the arguments"
    return ToolError(f"Wrong argument {name}: {first['msg']}.", "Call again with the arguments the schema asks for.")


def _unreadable(id: str, error: str | None) -> ToolMessage:
    return _error(id, INVALID, ToolError(error or "The call cannot be read.", "Send the call again, corrected."))


def _error(id: str, name: str, error: ToolError) -> ToolMessage:
    text = json.dumps(error.to_json(), ensure_ascii=False)
    return ToolMessage(text, name=name, tool_call_id=id, status="error", id=f"{id}-result")
