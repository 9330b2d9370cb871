"""Where a turn ends though the model would go on: steps, time, and calls that only repeat themselves."""

import json
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.messages.tool import ToolCall

from ana.settings import Settings
from graph.state import Turn
from nodes.history import receipts, this_turn

REPEATS = 3
"""The same call with the same arguments is not run so often in a turn."""

MOST_NAMED = 5
"""How many changes are named one by one."""

SHOWN = 60
"""Characters of each."""

_DEEDS = {"create": "stored", "update": "changed", "delete": "deleted"}


def passed(turn: Turn, settings: Settings, max_steps: int | None) -> str | None:
    """The limit that a turn has reached, as the end of "I stopped at"; None for none.

    Args:
        turn: What it took so far. Time spent waiting for a person, or between a crash and going on, does not count.
        settings: The limits.
        max_steps: Another limit of model calls, for this run.
    """
    most = max_steps or settings.ana_max_steps
    if len(turn["decisions"]) >= most:
        return f"the limit of {most} steps in one turn"
    if sum(turn["durations"].values()) >= settings.ana_turn_seconds:
        return f"the limit of {settings.ana_turn_seconds:g} seconds for one turn"
    return None


def circling(reply: AIMessage, messages: Sequence[AnyMessage]) -> ToolCall | None:
    """The call that a reply asks for once too often, if there is one."""
    ran = [_said(call) for m in this_turn(messages) if isinstance(m, AIMessage) for call in m.tool_calls]
    for call in reply.tool_calls:
        ran.append(_said(call))
        if ran.count(_said(call)) >= REPEATS:
            return call
    return None


def ended(why: str, messages: Sequence[AnyMessage]) -> str:
    """What the person is told: why it ended, what was done, and that the rest was not.

    Args:
        why: The end of "I stopped at".
        messages: The thread's.
    """
    done = receipts(this_turn(messages))
    named = "; ".join(_named(change) for change in done[:MOST_NAMED])
    more = f"; and {len(done) - MOST_NAMED} more" if len(done) > MOST_NAMED else ""
    kept = f"This was done and stays: {named}{more}." if done else "Nothing was changed."
    return f"I stopped at {why}. {kept} What else you asked for was not done; ask for it again, in smaller pieces."


def _said(call: ToolCall) -> str:
    return json.dumps([call["name"], call["args"]], sort_keys=True, default=str)


def _named(change: dict[str, dict[str, str]]) -> str:
    content = " ".join(str((change["after"] or change["before"])["content"]).split())
    return f"{_DEEDS[str(change['op'])]} “{content[:SHOWN]}”"
