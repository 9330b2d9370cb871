"""A request for each route of the server, and for two of the LangGraph API that it has not; what stands in braces is
filled in."""

from typing import Any

SAID = {"role": "user", "content": "hi", "id": "m1"}
INPUT = {"messages": [{"role": "user", "content": "hi"}]}
AT = {"thread_id": "{thread}", "checkpoint_ns": "", "checkpoint_id": "{checkpoint}"}
RUN = {
    "assistant_id": "ana",
    "input": INPUT,
    "context": {"max_steps": 3},
    "config": {"tags": ["x"], "recursion_limit": 30, "configurable": {}},
    "metadata": {"a": "b"},
    "multitask_strategy": "enqueue",
    "stream_mode": ["values"],
    "if_not_exists": "create",
    "durability": "sync",
}
REPLY = {"update": {"messages": [SAID]}, "goto": "__end__", "resume": {"decisions": [{"type": "approve"}]}}
PAGE = {"limit": 3, "offset": 0}
STEPS = [{"updates": [{"values": {"messages": [SAID]}, "as_node": "load_context"}]}]
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ana", "arguments": INPUT}}

ROUTES: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/ask", {"question": "hi", "thread_id": "{thread}", "max_steps": 3}),
    ("POST", "/ask", {"decisions": [{"type": "approve"}], "thread_id": "{thread}", "request_id": "x"}),
    ("POST", "/sign-in", {"code": "x"}),
    ("GET", "/trace/{thread}", None),
    ("GET", "/transcript/{thread}", None),
    ("GET", "/forget/{thread}", None),
    ("POST", "/forget/{thread}", None),
    ("GET", "/health", None),
    ("GET", "/version", None),
    ("GET", "/ok", None),
    ("GET", "/ready", None),
    ("GET", "/calendar.ics", None),
    ("GET", "/openapi.json", None),
    ("GET", "/", None),
    ("GET", "/info", None),
    ("POST", "/threads", {"thread_id": "{new}", "metadata": {"graph_id": "ana"}, "if_exists": "do_nothing"}),
    ("POST", "/threads", {"thread_id": "{thread}", "if_exists": "do_nothing", "supersteps": STEPS}),
    (
        "POST",
        "/threads/search",
        {"metadata": {"a": 1}, "status": "idle", "ids": ["{thread}"], "select": ["values"], **PAGE},
    ),
    ("POST", "/threads/count", {"metadata": {"graph_id": "ana"}, "status": "idle"}),
    ("GET", "/threads/{thread_id}/storage", None),
    ("GET", "/threads/{thread_id}", None),
    ("PATCH", "/threads/{thread_id}", {"metadata": {"name": "n", "first_question": "q"}, "ttl": {"ttl": 1}}),
    ("DELETE", "/threads/{new}", None),
    ("GET", "/threads/{thread_id}/state", None),
    ("POST", "/threads/{thread_id}/state", {"values": {"messages": [SAID], "draft": "d"}, "as_node": "reflect"}),
    ("POST", "/threads/{thread_id}/state", {"values": [[{"draft": "x"}, "reason"]], "as_node": "__copy__"}),
    ("POST", "/threads/{thread_id}/state", {"values": INPUT, "as_node": "__input__", "checkpoint_id": "{checkpoint}"}),
    ("POST", "/threads/{thread_id}/state", {"values": None, "as_node": "__end__", "checkpoint": AT}),
    ("GET", "/threads/{thread_id}/state/{checkpoint_id}", None),
    ("POST", "/threads/{thread_id}/state/checkpoint", {"checkpoint": AT, "subgraphs": True}),
    ("GET", "/threads/{thread_id}/history", None),
    ("POST", "/threads/{thread_id}/history", {"limit": 3, "before": {"configurable": AT}, "metadata": {"step": 1}}),
    ("POST", "/threads/{thread_id}/copy", {}),
    ("GET", "/threads/{thread_id}/runs", None),
    ("POST", "/threads/{thread_id}/runs", RUN),
    ("POST", "/threads/{thread_id}/runs/stream", RUN),
    ("POST", "/threads/{thread_id}/runs/wait", RUN),
    ("POST", "/threads/{thread_id}/runs/wait", {"assistant_id": "ana", "command": REPLY, "checkpoint": AT}),
    ("GET", "/threads/{thread_id}/runs/{run_id}", None),
    ("DELETE", "/threads/{thread_id}/runs/{new}", None),
    ("GET", "/threads/{thread_id}/runs/{run_id}/join", None),
    ("GET", "/threads/{thread_id}/runs/{run_id}/stream", None),
    ("POST", "/threads/{thread_id}/runs/{run_id}/cancel", {}),
    ("POST", "/runs", RUN),
    ("POST", "/runs/wait", RUN),
    ("POST", "/runs/stream", RUN),
    ("POST", "/assistants/search", {"graph_id": "ana", "metadata": {"a": 1}, "sort_by": "name", **PAGE}),
    ("POST", "/assistants/count", {"graph_id": "ana", "metadata": {}}),
    ("GET", "/assistants/{assistant_id}", None),
    ("GET", "/assistants/{assistant_id}/graph", None),
    ("GET", "/assistants/{assistant_id}/schemas", None),
    ("PUT", "/store/items", {"namespace": ["a"], "key": "k", "value": {"a": 1}, "index": ["a"], "ttl": 5}),
    ("POST", "/mcp", CALL),
    ("POST", "/mcp/", CALL | {"method": "tools/list", "params": {}}),
    ("GET", "/mcp", None),
    ("DELETE", "/mcp", None),
)


def fill(value: Any, names: dict[str, str]) -> Any:
    """Return a value with the names in braces filled in."""
    if isinstance(value, dict):
        return {key: fill(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [fill(each, names) for each in value]
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace(f"{{{name}}}", text)
    return value


def shape(path: str) -> str:
    """Return a path without the names of what is filled in, so that two of one route are equal."""
    parts = ("{}" if part.startswith("{") else part for part in path.rstrip("/").split("/"))
    return "/".join(parts) or "/"
