"""What a client of the server is shown of each step: draft, correction, what is asked, receipt; no clocks, no digests.

langgraph tells of a step (`updates`) and of the state (`values`) the same channels. So it is asked for those in which
the steps are, and the state is shown without them, as often as its messages are written.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any

from graph.state import Output
from nodes.autonomy.request import show_request

STEPS = ("messages", "turn", "draft")
"""The channels in which the steps are."""

ASKS = "__interrupt__"
"""Under which langgraph adds to the state what a person is asked."""

SHOWN = {*Output.__annotations__, ASKS}


async def show_steps(parts: AsyncIterator[Any], *, drafts: bool) -> AsyncGenerator[Any]:
    """Yield what is streamed of a run of which STEPS are told, as a client is shown it.

    Args:
        parts: (mode, data), with the names of subgraphs before it or without, or {type, data, ...}.
        drafts: Whether what is not checked may be shown.
    """
    last: Any = None
    async for part in parts:
        *where, mode, data = (part["type"], part["data"]) if isinstance(part, dict) else part
        if mode == "values":
            messages, asks = data.get("messages"), ASKS in data or (isinstance(part, dict) and part["interrupts"])
            if messages is last and not asks:  # the very same list: this step wrote none
                continue
            last, data = messages, {name: value for name, value in data.items() if name in SHOWN}
        elif mode == "updates":
            data = {node: _describe(node, update, drafts) for node, update in data.items()}
        yield part | {"data": data} if isinstance(part, dict) else (*where, mode, data)


def _describe(node: str, update: Any, drafts: bool) -> Any:
    if not isinstance(update, Mapping):
        return update
    turn = update.get("turn") or {}
    shown = {"messages": update["messages"]} if "messages" in update else {}
    if drafts and update.get("draft"):
        shown["draft"] = update["draft"]
    if node == "load_context":
        shown["turn_id"] = turn.get("id")
    if asked := turn.get("asked"):
        shown["asked"] = show_request(asked)
    if node == "reflect" and turn.get("answer") is not None:
        shown["receipt"] = turn.get("receipt", "")
    elif node == "reflect" and turn.get("corrections"):
        kept = ("policy", "reason", "draft") if drafts else ("policy", "reason")
        shown["correction"] = {name: turn["corrections"][-1][name] for name in kept}
    return shown | ({"error": turn["error"]} if turn.get("error") else {})
