"""The summary of turns that a thread no longer holds."""

import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

from ana.errors import BudgetReached, ModelFailed
from ana.handles import Handles
from ana.json_lines import Quoted
from ana.models.call import complete
from graph.state import Turn, Usage
from nodes.history import cut_middle
from nodes.receipt import RECORDED, hide_receipt
from nodes.usage import open_purse
from prompts import render

NONE = "(nothing)"

PERSON, ASSISTANT = "Person", "Assistant"
"""Who speaks, in what is summarised."""

ASKS = 2
"""How often a model is asked for a summary."""

SHORT = 200
"""Characters that are told of a call's arguments, and of what it returned."""

LONGEST = 2_000
"""Characters of a summary; a model that writes more is cut."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")

_log = logging.getLogger(__name__)


def summarise(
    handles: Handles, earlier: str, dropped: Sequence[AnyMessage], turn: Turn, options: Mapping[str, Any]
) -> tuple[str, Usage]:
    """Add the dropped messages to the summary; where no model writes one, by their first and last sentences.

    Args:
        earlier: The summary so far.
        dropped: The messages that leave the thread.
        options: What its context chose for the model.

    Returns:
        The new summary, which is not empty if anything was dropped, and the turn's tokens including what it cost.
    """
    usage, purse = turn["usage"], open_purse(handles, options.get("model"))
    if not dropped:
        return earlier, usage
    asks = 0 if handles.settings.provider == "offline" else ASKS
    most = handles.settings.ana_history_tokens * 4  # in characters, as much as the model is sent of a conversation
    for attempt in range(asks):
        request, id = _make_request(earlier, dropped, most), f"{turn['id']}-summary{attempt or ''}"
        ask = partial(complete, handles.model, [request], id, options=options)
        try:
            reply, usage = purse.pay(ask, [request], usage)
        except BudgetReached:
            break
        except ModelFailed as exc:
            # The person asked something else: a missing summary must not fail the turn.
            _log.warning("the turns that were dropped could not be summarised: %s", Quoted(exc.message))
            most //= 2  # it may have been too long
            continue
        if text := reply.text.strip():
            return text[:LONGEST], usage
    # the summary so far, and the first and last sentences of what each side said
    told = (each for each in _iter_told(dropped) if each[0] in (PERSON, ASSISTANT))
    spoken = [f"{name}: {_shorten_speech(text)}" for name, text in told]
    return cut_middle("\n".join([*filter(None, [earlier]), *spoken]), LONGEST), usage


def _make_request(earlier: str, dropped: Sequence[AnyMessage], most: int) -> HumanMessage:
    """Return the request for a summary, with at most so many characters of the newest of what was dropped."""
    told = "\n".join(f"{name}: {text}" for name, text in _iter_told(dropped))
    return HumanMessage(render("summary", earlier=earlier or NONE, conversation=told[-most:]))


def _iter_told(messages: Sequence[AnyMessage]) -> Iterator[tuple[str, str]]:
    """Yield who said what, and what tools were called for and returned, shortened to one line each."""
    answers = {m.tool_call_id: m.text for m in messages if isinstance(m, ToolMessage)}
    for message in messages:
        text = _to_line(hide_receipt(message).text, LONGEST)
        if text and not isinstance(message, ToolMessage):
            yield PERSON if isinstance(message, HumanMessage) else ASSISTANT, text
        if recorded := message.additional_kwargs.get(RECORDED):
            yield "Recorded by the program", str(recorded)
        for call in message.tool_calls if isinstance(message, AIMessage) else ():
            args = _to_line(json.dumps(call["args"], ensure_ascii=False), SHORT)
            yield f"Called {call['name']}", f"{args} -> {_to_line(answers.get(str(call['id']), ''), SHORT) or NONE}"


def _to_line(text: str, longest: int) -> str:
    return " ".join(cut_middle(" ".join(text.split()), longest).split())


def _shorten_speech(text: str) -> str:
    first, *rest = _SENTENCE_END.split(text)
    return _to_line(f"{first} … {rest[-1]}" if len(rest) > 1 else " ".join([first, *rest]), 2 * SHORT)


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
