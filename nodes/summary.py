"""The summary of turns that a thread no longer holds."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

from ana.errors import BudgetReached, ModelFailed
from ana.handles import Handles
from ana.json_lines import Quoted
from ana.models.call import complete
from ana.tracing.schema import Tokens
from graph.state import Turn
from nodes.earlier import RECALL, tell_turn
from nodes.history import cut_middle, repair_messages, split_turns
from nodes.usage import open_purse
from prompts import render

NONE = "(nothing)"

SHORT = 200
"""Characters of a message and of an answer, where no model summarises."""

LONGEST = 2_000
"""Characters of a summary; a model that writes more is cut."""

_log = logging.getLogger(__name__)


def summarise(
    handles: Handles, earlier: str, dropped: Sequence[AnyMessage], turn: Turn, options: Mapping[str, Any]
) -> tuple[str, Tokens]:
    """Add the dropped messages to the summary; without a model, add a few words of each.

    Args:
        earlier: The summary so far.
        dropped: The messages that leave the thread.
        options: The model's options from the run's context.

    Returns:
        The new summary, which is not empty if anything was dropped, and the turn's tokens, including those of the
        summary.
    """
    usage, purse = turn["usage"], open_purse(handles, options.get("model"))
    if not dropped:
        return earlier, usage
    if handles.settings.provider != "offline":
        most = handles.settings.ana_history_tokens * 4  # in characters, as much as the model is sent of a conversation
        conversation = _tell(dropped, LONGEST)[-most:]  # the newest of what was dropped
        request = HumanMessage(render("summary", earlier=earlier or NONE, conversation=conversation))
        try:
            ask = partial(complete, handles.model, [request], f"{turn['id']}-summary", options=options)
            reply, usage = purse.pay(ask, [request], usage)
            if text := reply.text.strip():
                return text[:LONGEST], usage
        except (BudgetReached, ModelFailed) as exc:
            # The person asked something else: a missing summary must not fail the turn.
            _log.warning("the turns that were dropped could not be summarised: %s", Quoted(exc.message))
    return cut_middle("\n".join(filter(None, [earlier, _tell(dropped, SHORT)])), LONGEST), usage


def _tell(messages: Sequence[AnyMessage], longest: int) -> str:
    named = set[str]()
    return "\n".join(tell_turn(turn, named, longest, longest) for turn in split_turns(repair_messages(messages)))


def recall(*texts: str) -> list[AnyMessage]:
    """Return the summary and the text about older turns as messages for a model: a call and its result."""
    # It repeats what was said and read, and a system prompt is no place for that. The messages around it make
    # the list one that every provider takes.
    text = "\n".join(each for each in texts if each.strip())
    if not text:
        return []
    call = ToolCall(name=RECALL, args={}, id="recall")
    return [
        HumanMessage("[recall] What was said before this?"),
        AIMessage("", tool_calls=[call]),
        ToolMessage(text, name=call["name"], tool_call_id="recall"),
        AIMessage("I have it before me."),
    ]
