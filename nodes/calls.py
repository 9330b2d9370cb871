"""The calls of a message: their context, their check, and the answers that say why one did not run."""

import hashlib
import json
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages.tool import ToolCall
from langgraph.runtime import Runtime

from ana.errors import ToolError
from ana.memory.changes import Cause
from ana.tracing.schema import INVALID
from graph.context import Context, context_of, thread_of
from graph.state import State
from nodes.history import previous_turn, refused_copies
from tools.call import CallContext
from tools.catalog import catalog, checker


def build_context(state: State, runtime: Runtime[Context], message: AIMessage, position: int) -> CallContext:
    """Return what a call is given besides its arguments."""
    handles, thread, call = context_of(runtime).handles, thread_of(runtime), message.tool_calls[position]
    turn = state["turn"]["id"]
    text = json.dumps([call["name"], call["args"]], sort_keys=True)
    # The arguments are part of the key: a message lost in a crash and asked for again may say something else. So is the
    # turn: whoever goes on from an earlier state begins a new one, and what it does is done again.
    key = f"{thread}/{turn}/{message.id}/{position}/{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    shown = {int(number): text for number, text in state["turn"]["shown"].items()}
    # Only the turn before counts: within a turn the model repeats itself without having asked the person.
    allow_copy = call["args"] in refused_copies(previous_turn(state["messages"]))
    cause, said = Cause(key, thread, turn), state["turn"]["question"]
    return CallContext(handles.memory, handles.clock, cause, shown, allow_copy, said)


def check_arguments(name: str, args: dict[str, Any], modules: tuple[str, ...]) -> dict[str, Any]:
    """Return the arguments, converted to the types of the tool's schema if nothing is lost by it.

    Raises:
        ToolError: There is no such tool, or they do not fit.
    """
    known = catalog(modules)
    if name not in known:
        raise ToolError(f"There is no tool {name!r}.", f"The tools are: {', '.join(known)}.")
    return checker(modules).check(name, args)


def answer_error(id: str, name: str, error: ToolError) -> ToolMessage:
    """Return the answer to a call that failed."""
    text = json.dumps(error.to_json(), ensure_ascii=False)
    return ToolMessage(text, name=name, tool_call_id=id, status="error", id=f"{id}-result")


def answer_unreadable(id: str, error: str | None) -> ToolMessage:
    """Return the answer to a call whose arguments cannot be read."""
    return answer_error(id, INVALID, ToolError(error or "The call cannot be read.", "Send the call again, corrected."))


def answer_refused(call: ToolCall, why: str = "") -> ToolMessage:
    """Return the answer to a call that a person refused.

    Args:
        call: The call.
        why: What the person said to it.
    """
    error = f"Refused, did not run: {why}" if why else "Refused, did not run: the person did not approve this call."
    return answer_error(str(call["id"]), call["name"], ToolError(error, "Do not call it again unless the person asks."))
