"""The calls of a message, in the form for weighing and running, and the answers that say why a call did not run."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages.tool import ToolCall
from langgraph.runtime import Runtime

from ana.addresses import name_kind, split_addresses
from ana.errors import ToolError
from ana.memory.changes import Cause
from ana.memory.sources import find_source
from ana.text import check_text
from ana.tracing.schema import INVALID, RefusedCall
from graph.context import Context, context_of, thread_of
from graph.state import State
from nodes.history import find_previous_turn, list_answered_ids, list_refused_copies
from tools.artifacts import decline
from tools.call import CallContext
from tools.catalog import catalog, checker


@dataclass(frozen=True)
class ReadCall:
    """A call as it was read, to be weighed and run.

    Args:
        call: The call as the model made it.
        context: The context that its tool gets besides its arguments.
        args: Its arguments in the types of the tool's schema; none for a call that cannot run.
        fault: Why it cannot run.
    """

    call: ToolCall
    context: CallContext
    args: dict[str, Any] = field(default_factory=dict)
    fault: ToolError | None = None

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.call["id"])

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.call["name"]


def read_calls(state: State, runtime: Runtime[Context], message: AIMessage) -> list[ReadCall]:
    """Return the calls of a message that are not answered yet."""
    answered = list_answered_ids(state["messages"])
    positions = (n for n, call in enumerate(message.tool_calls) if call["id"] not in answered)
    return [read_call(state, runtime, message, position) for position in positions]


def read_call(state: State, runtime: Runtime[Context], message: AIMessage, position: int) -> ReadCall:
    """Return one call of a message."""
    call, context = message.tool_calls[position], _build_context(state, runtime, message, position)
    try:
        return ReadCall(call, context, check_arguments(call["name"], call["args"], runtime))
    except ToolError as exc:
        return ReadCall(call, context, fault=exc)


def check_arguments(name: str, args: dict[str, Any], runtime: Runtime[Context]) -> dict[str, Any]:
    """Return the arguments, converted to the types of the tool's schema if the conversion loses nothing.

    Raises:
        ToolError: There is no such tool, the arguments do not fit, or a text in them is invalid.
    """
    check_text([name, args], ToolError)
    modules = context_of(runtime).handles.settings.tools_modules
    known = catalog(modules)
    if name not in known:
        raise ToolError(f"There is no tool {name!r}.", f"The tools are: {', '.join(known)}.")
    return checker(modules).check(name, args)


def _build_context(state: State, runtime: Runtime[Context], message: AIMessage, position: int) -> CallContext:
    handles, thread, call = context_of(runtime).handles, thread_of(runtime), message.tool_calls[position]
    turn = state["turn"]["id"]
    text = json.dumps([call["name"], call["args"]], sort_keys=True)
    # The arguments are part of the key: a message lost in a crash and asked for again may say something else. So is the
    # turn: whoever goes on from an earlier state begins a new one, and what it does is done again.
    key = f"{thread}/{turn}/{message.id}/{position}/{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    line_digests = {int(number): text for number, text in state["turn"]["shown"].items()}
    # Only the turn before counts: within a turn the model repeats itself without having asked the person.
    allow_copy = call["args"] in list_refused_copies(find_previous_turn(state["messages"]))
    cause, question = Cause(key, thread, turn, find_source(turn)), state["turn"]["question"]
    rings_by = [name_kind(address) for address in split_addresses(handles.settings.ana_notify)]
    return CallContext(handles.memory, handles.clock, cause, line_digests, allow_copy, question, rings_by)


def answer_error(id: str, name: str, error: ToolError) -> ToolMessage:
    """Return the answer to a call that failed."""
    text = json.dumps(error.to_json(), ensure_ascii=False)
    return ToolMessage(text, name=name, tool_call_id=id, status="error", id=f"{id}-result")


def answer_unreadable(id: str, error: str | None) -> ToolMessage:
    """Return the answer to a call whose arguments cannot be read."""
    return answer_error(id, INVALID, ToolError(error or "The call cannot be read.", "Send the call again, corrected."))


def answer_declined(call: ToolCall, what: RefusedCall | str = "", why: str = "") -> ToolMessage:
    """Return the answer to a call that a person refused, or about which nobody decided.

    Args:
        what: What it would have changed, for the receipt; empty if nobody decided.
        why: The person's reason.
    """
    return answer_refused(call, why).model_copy(update={"artifact": decline(what)})


def answer_refused(call: ToolCall, why: str = "") -> ToolMessage:
    """Return the answer to a call that was refused, with the reason."""
    error = f"Refused, did not run: {why}" if why else "Refused, did not run: the person did not approve this call."
    return answer_error(str(call["id"]), call["name"], ToolError(error, "Do not call it again unless the person asks."))
