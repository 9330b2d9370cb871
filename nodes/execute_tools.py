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

from ana.errors import ToolError, UserError
from ana.memory.changes import Cause
from ana.ownership import check_stopped
from ana.tracing.record import INVALID
from ana.values import plain_text
from graph.context import Context, context_of, emit, thread_of
from graph.state import State
from nodes.history import answered_ids, pending_calls, previous_turn, refused_copies
from nodes.load_context import read_prompt_inputs
from tools.call import CallContext
from tools.catalog import CONTEXT_TOOLS, TOOLS, catalog, checker

MOST_ERROR_CHARACTERS = 500
"""How much of a foreign error the model is told."""

_log = logging.getLogger(__name__)


def execute_tools(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer calls with a result or an error the model can act on, up to the first one of a person's own tool.

    A node that is interrupted, or ends with its process, runs again from its start. Our own tools change nothing then,
    because their writes have keys; a person's own has none. So its answer is checkpointed before the next call runs.
    """
    message, answered = pending_calls(state["messages"]), answered_ids(state["messages"])
    assert message is not None
    unreadable = [call for call in message.invalid_tool_calls if call["id"] not in answered]
    answers = [_answer_unreadable(str(call["id"]), call["error"]) for call in unreadable]
    modules, ran = context_of(runtime).handles.settings.tools_modules, set[str]()
    for position, call in enumerate(message.tool_calls):
        if call["id"] in answered:
            continue
        check_stopped()
        answer = _run(call, _build_context(state, runtime, message, position), modules)
        answers.append(answer)
        ran.add(call["name"])
        emit(runtime, {"tool": call["name"], "args": call["args"], "ok": answer.status == "success", "id": call["id"]})
        if call["name"] not in TOOLS:
            break
    update: dict[str, Any] = {"messages": answers}
    # The next prompt must show the lines as these calls left them.
    if CONTEXT_TOOLS & ran:
        update["loaded"] = read_prompt_inputs(context_of(runtime).handles)
    return update


def _build_context(state: State, runtime: Runtime[Context], message: AIMessage, position: int) -> CallContext:
    handles, thread, call = context_of(runtime).handles, thread_of(runtime), message.tool_calls[position]
    text = json.dumps([call["name"], call["args"]], sort_keys=True)
    # The arguments are part of the key: a message lost in a crash and asked for again may say something else.
    key = f"{thread}/{message.id}/{position}/{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    shown = {int(number): text for number, text in state["turn"]["shown"].items()}
    # Only the turn before counts: within a turn the model repeats itself without having asked the person.
    allow_copy = call["args"] in refused_copies(previous_turn(state["messages"]))
    return CallContext(handles.memory, handles.clock, Cause(key, thread, state["turn"]["id"]), shown, allow_copy)


def _run(call: ToolCall, context: CallContext, modules: tuple[str, ...]) -> ToolMessage:
    id, name = str(call["id"]), call["name"]
    try:
        args = _check_arguments(name, call["args"], modules)
    except ToolError as exc:
        return _answer_error(id, INVALID, exc)
    try:
        answer = _invoke(call, args, context) if name in TOOLS else _invoke_plugin(call, args, modules)
    except ToolError as exc:
        return _answer_error(id, name, exc)
    except ValidationError as exc:
        return _answer_error(id, INVALID, _argument_error(exc))
    except UserError as exc:
        return _answer_error(id, name, ToolError(exc.message, f"Tell the user: {exc.hint}"))
    return ToolMessage(answer.text, name=name, tool_call_id=id, artifact=answer.artifact, id=f"{id}-result")


def _invoke(call: ToolCall, args: dict[str, Any], context: CallContext) -> ToolMessage:
    answer: ToolMessage = TOOLS[call["name"]].invoke({**call, "args": {**args, "call": context}})
    return answer


def _invoke_plugin(call: ToolCall, args: dict[str, Any], modules: tuple[str, ...]) -> ToolMessage:
    """Run a tool of the person's own. The model is told of any error, and an artifact is dropped.

    An artifact of a foreign tool could otherwise be taken for a receipt.
    """
    try:
        answer: ToolMessage = catalog(modules)[call["name"]].invoke({**call, "args": args})
    except GraphBubbleUp:  # an interrupt of langgraph, not an error
        raise
    except Exception as exc:
        _log.exception("the tool %s failed", call["name"])
        error = plain_text(f"{type(exc).__name__}: {exc}")[:MOST_ERROR_CHARACTERS]
        raise ToolError(f"The tool {call['name']} failed: {error}.", "Tell the user, or do without it.") from exc
    return ToolMessage(plain_text(answer.text), name=call["name"], tool_call_id=str(call["id"]))


def _check_arguments(name: str, args: dict[str, Any], modules: tuple[str, ...]) -> dict[str, Any]:
    """Return the arguments, converted to the types of the tool's schema if nothing is lost by it."""
    known = catalog(modules)
    if name not in known:
        raise ToolError(f"There is no tool {name!r}.", f"The tools are: {', '.join(known)}.")
    return checker(modules).check(name, args)


def _argument_error(exc: ValidationError) -> ToolError:
    first = exc.errors()[0]
    name = ".".join(str(part) for part in first["loc"][:1]) or "the arguments"
    return ToolError(f"Wrong argument {name}: {first['msg']}.", "Call again with the arguments the schema asks for.")


def _answer_unreadable(id: str, error: str | None) -> ToolMessage:
    return _answer_error(id, INVALID, ToolError(error or "The call cannot be read.", "Send the call again, corrected."))


def _answer_error(id: str, name: str, error: ToolError) -> ToolMessage:
    text = json.dumps(error.to_json(), ensure_ascii=False)
    return ToolMessage(text, name=name, tool_call_id=id, status="error", id=f"{id}-result")
