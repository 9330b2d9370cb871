"""Limits at which a turn ends although the model would go on: steps, time, and a repeated call."""

import json
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.messages.tool import ToolCall

from ana.settings import Settings
from ana.translation import _, mark_text
from graph.state import Turn
from nodes.history import this_turn

REPEATS = 3
"""A call with the same arguments ends the turn when it is asked for this often."""

SMALLER = mark_text("ask for it again in smaller pieces")
TOMORROW = mark_text("ask for it again tomorrow, or raise ANA_DAILY_BUDGET_USD")


def limit_reached(turn: Turn, settings: Settings, max_steps: int | None) -> str | None:
    """Return the limit that a turn has reached, as the end of "I stopped at", or None.

    Args:
        turn: The turn so far. Time spent waiting for a person, or between a crash and going on, does not count.
        max_steps: Another limit of model calls, for this run.
    """
    most = max_steps or settings.ana_max_steps
    if len(turn["decisions"]) >= most:
        return _("the limit of {n} steps in one turn").format(n=most)
    if sum(turn["durations"].values()) >= settings.ana_turn_seconds:
        return _("the limit of {n:g} seconds for one turn").format(n=settings.ana_turn_seconds)
    return None


def find_repeated_call(reply: AIMessage, messages: Sequence[AnyMessage]) -> ToolCall | None:
    """Return the call that a reply asks for once too often, or None."""
    texts = [_as_text(call) for m in this_turn(messages) if isinstance(m, AIMessage) for call in m.tool_calls]
    for call in reply.tool_calls:
        texts.append(_as_text(call))
        if texts.count(_as_text(call)) >= REPEATS:
            return call
    return None


def explain_stop(limit: str, advice: str = SMALLER) -> str:
    """Tell the person why the turn ended; the receipt below the answer tells what was done.

    Args:
        limit: The end of "I stopped at".
        advice: How the person can get the rest.
    """
    text = _("I stopped at {limit}. What was done stands below. The rest was not done; {advice}.")
    return text.format(limit=limit, advice=_(advice))


def _as_text(call: ToolCall) -> str:
    return json.dumps([call["name"], call["args"]], sort_keys=True, default=str)
