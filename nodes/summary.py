"""The summary of turns that a thread no longer holds."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

from ana.errors import ModelFailed
from ana.handles import Handles
from ana.models.call import complete
from graph.state import Turn, Usage
from nodes.limits import budget_reached
from nodes.receipt import strip_receipt
from nodes.usage import add_usage, charge
from prompts import render

NONE = "(nothing)"

MOST_CHARACTERS = 24_000
"""The model that summarises is shown the newest part of the dropped messages, at most this much."""

LONGEST = 2_000
"""Characters of a summary; a model that writes more is cut."""

_log = logging.getLogger(__name__)


def summarise(
    handles: Handles, earlier: str, dropped: Sequence[AnyMessage], turn: Turn, options: Mapping[str, Any]
) -> tuple[str, Usage]:
    """Add the dropped messages to the summary; it stays as it was if no model can write one.

    Args:
        handles: For the model.
        earlier: The summary so far.
        dropped: The messages that leave the thread.
        turn: The turn that begins.
        options: What its context chose for the model.

    Returns:
        The new summary, and the turn's tokens including what it cost.
    """
    usage = turn["usage"]
    model = options.get("model")
    if not dropped or handles.settings.provider == "offline" or budget_reached(handles, model):
        return earlier, usage
    request = HumanMessage(
        render("summary", earlier=earlier or NONE, conversation=_transcribe(dropped)[-MOST_CHARACTERS:])
    )
    try:
        reply = complete(handles.model, [request], f"{turn['id']}-summary", options=options)
    except ModelFailed as exc:
        # The person asked something else: a missing summary must not fail the turn.
        _log.warning("the turns that were dropped could not be summarised: %s", exc.message)
        return earlier, usage
    total = add_usage(usage, reply, [request])
    charge(handles, usage, total, model)
    return reply.text.strip()[:LONGEST] or earlier, total


def _transcribe(messages: Sequence[AnyMessage]) -> str:
    """Return who said what, without the tools' results: what matters of them is in the answers."""
    names = {HumanMessage: "Person", AIMessage: "Assistant"}
    spoken = ((names.get(type(m)), " ".join(strip_receipt(m.text).split())) for m in messages)
    return "\n".join(f"{name}: {text}" for name, text in spoken if name and text)


def recall(summary: str) -> list[AnyMessage]:
    """Return a summary as a model is sent it, before the conversation that is left: as the result of a call."""
    # A summary repeats what was said and read, and a system prompt is no place for that. The messages around it make
    # the list one that every provider takes.
    if not summary.strip():
        return []
    call = ToolCall(name="recall_conversation", args={}, id="recall")
    return [
        HumanMessage("[recall] What was said before this?"),
        AIMessage("", tool_calls=[call]),
        ToolMessage(summary, name=call["name"], tool_call_id="recall"),
        AIMessage("I have it before me."),
    ]
