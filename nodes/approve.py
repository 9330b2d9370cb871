"""approve: ask the person once about all waiting calls, and carry out the decisions."""

from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.messages.tool import ToolCall
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import ValidationError

from ana.errors import AnaError, ToolError, WrongReply
from ana.output import shorten
from ana.translation import mark_text
from graph.context import Context, context_of
from graph.state import OpenRequest, State
from nodes.autonomy.request import digest_records, digest_write, leave_out_about
from nodes.autonomy.wording import NOT_CARRIED_OUT, list_calls, word_request
from nodes.autonomy.writes import read_write
from nodes.calls import answer_declined, check_arguments, read_call
from nodes.history import find_pending
from nodes.requests import FORM, Approve, Edit, Reject, Reply, Request, read_hold, read_reply
from nodes.short_replies import read_short_reply

NOT_SHOWN = mark_text("Nothing was done: this is what waits now.")
"""What is said above a request that is shown again, because a yes came from where it had not been shown."""

MOST_QUOTED = 60
"""Characters that are kept of a message that came instead of a decision."""


def approve(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Wait for the person's decisions. None of the calls in the request has run, and none runs here.

    `execute_tools` weighs approved calls again, and asks again about changed records and about new effects of an edit.
    """
    request, message = state["turn"].get("asked"), find_pending(state["messages"])
    if not request or message is None:  # a client has edited the state
        return {"turn": state["turn"] | {"asked": None}}
    worded = word_request(request)
    reply = interrupt(worded)
    state = state | {"turn": state["turn"] | {"given": [*state["turn"].get("given", []), reply]}}
    if (text := read_hold(reply)) is not None:
        return {"turn": state["turn"] | {"asked": _hold(text, request)}}
    try:
        decided = Reply.model_validate(read_reply(reply, cast(Request, worded)))
        return _carry_out(decided, request, message, state, runtime)
    except (ToolError, WrongReply) as exc:
        fault: AnaError = exc
    except ValidationError as exc:
        fault = WrongReply(f"That is no decision: {exc.errors()[0]['msg']}.", FORM)
    note = "\n".join(" ".join(text.split()) for text in (fault.message, fault.hint))
    return {"turn": state["turn"] | {"asked": request | {"note": note}}}


def _hold(text: str, request: OpenRequest) -> OpenRequest:
    """Return the request to show again, because a message was not carried out, or said yes to something not shown."""
    if read_short_reply(text):
        return request | {"note": NOT_SHOWN}
    return request | {"note": NOT_CARRIED_OUT, "said": shorten(text, MOST_QUOTED), "held": True}


def _carry_out(
    reply: Reply, request: OpenRequest, message: AIMessage, state: State, runtime: Runtime[Context]
) -> dict[str, Any]:
    decided = dict(zip(request["calls"], reply.decisions, strict=True))
    calls = [_edit(call, decided.get(str(call["id"])), runtime) for call in message.tool_calls]
    edited = message.model_copy(update={"tool_calls": calls})
    approved, modules = dict(state["turn"].get("approved") or {}), context_of(runtime).handles.settings.tools_modules
    refused = dict(zip(request["calls"], list_calls(request), strict=True))
    answers: list[AnyMessage] = []
    for position, call in enumerate(calls):
        id = str(call["id"])
        match decided.get(id):
            case Reject(message=why):
                answers.append(answer_declined(call, refused[id], why))
            case Approve():
                approved[id] = request["digests"][id]
            case Edit():
                write = read_write(read_call(state, runtime, edited, position), modules)
                # nothing is approved that touches a record which was not shown
                is_covered = write is not None and {*digest_records(write)} <= {*request["records"]}
                approved[id] = digest_write(write) if write and is_covered else ""
    changed = [edited] if calls != message.tool_calls else []
    return {"messages": [*changed, *answers], "turn": state["turn"] | {"asked": None, "approved": approved}}


def _edit(call: ToolCall, decision: Approve | Edit | Reject | None, runtime: Runtime[Context]) -> ToolCall:
    """Return the call with the person's changes. Raises ToolError if it does not fit the tool's schema."""
    if not isinstance(decision, Edit):
        return call
    action = decision.edited_action
    if action.name != call["name"]:
        raise ToolError(f"Only the arguments of {call['name']} can be changed.")
    return {**call, "args": check_arguments(action.name, leave_out_about(action.name, action.args), runtime)}
