"""Answers to messages of JSON-RPC, which MCP uses, that must not reach the MCP library."""

from typing import Any

from ana.text import find_fault

UNREADABLE, WRONG = -32700, -32600
"""Codes: what came is no JSON; it is no request that can be taken."""


def refuse(value: Any, sentence: str) -> dict[str, Any]:
    """Return the answer that refuses a request. The answer to a tool call is a result, so that a model can act on it.

    Args:
        value: The request, as far as it could be read; None if it was not JSON.
    """
    request = value if isinstance(value, dict) else {}
    id = request.get("id")
    id = id if isinstance(id, int | str) and not find_fault(id) else None
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": id}
    if request.get("method") == "tools/call" and id is not None:
        return answer | {"result": {"isError": True, "content": [{"type": "text", "text": sentence}]}}
    return answer | {"error": {"code": UNREADABLE if value is None else WRONG, "message": sentence}}
