"""Where a turn is ended although the model would go on: steps, time, and a call that is only repeated."""

import json
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.messages.tool import ToolCall

from ana.output import quote
from ana.settings import Settings
from graph.state import Turn
from nodes.history import receipts, this_turn
from tools.artifacts import Receipt

REPEATS = 3
"""A call with the same arguments ends the turn when it is asked for this often."""

MOST_NAMED = 5
"""How many changes are named one by one."""

SMALLER = "ask for it again in smaller pieces"
TOMORROW = "ask for it again tomorrow, or raise ANA_DAILY_BUDGET_USD"

_VERBS = {"create": "stored", "update": "changed", "delete": "deleted"}


def limit_reached(turn: Turn, settings: Settings, max_steps: int | None) -> str | None:
    """Return the limit that a turn has reached, as the end of "I stopped at", or None.

    Args:
        turn: What it took so far. Time spent waiting for a person, or between a crash and going on, does not count.
        max_steps: Another limit of model calls, for this run.
    """
    most = max_steps or settings.ana_max_steps
    if len(turn["decisions"]) >= most:
        return f"the limit of {most} steps in one turn"
    if sum(turn["durations"].values()) >= settings.ana_turn_seconds:
        return f"the limit of {settings.ana_turn_seconds:g} seconds for one turn"
    return None


def find_repeated_call(reply: AIMessage, messages: Sequence[AnyMessage]) -> ToolCall | None:
    """Return the call that a reply asks for once too often, or None."""
    seen = [_as_text(call) for m in this_turn(messages) if isinstance(m, AIMessage) for call in m.tool_calls]
    for call in reply.tool_calls:
        seen.append(_as_text(call))
        if seen.count(_as_text(call)) >= REPEATS:
            return call
    return None


def explain_stop(limit: str, messages: Sequence[AnyMessage], advice: str = SMALLER) -> str:
    """Tell the person why the turn ended, what was done, and that the rest was not.

    Args:
        limit: The end of "I stopped at".
        advice: How the rest can be had.
    """
    # It is built from receipts and not asked of the model: the model is over its limit, and may not know what it did.
    done = receipts(this_turn(messages))
    named = "; ".join(f"{_VERBS[each['op']]} {_quote(each)}" for each in done[:MOST_NAMED])
    more = f"; and {len(done) - MOST_NAMED} more" if len(done) > MOST_NAMED else ""
    kept = f"This was done and stays: {named}{more}." if done else "Nothing was changed."
    return f"I stopped at {limit}. {kept} Anything else you asked for was not done; {advice}."


def _as_text(call: ToolCall) -> str:
    return json.dumps([call["name"], call["args"]], sort_keys=True, default=str)


def _quote(receipt: Receipt) -> str:
    return quote(str((receipt["after"] or receipt["before"])["content"]), 60)
