"""A request as people read it: what is asked before it is done."""

import json
from typing import TYPE_CHECKING

from app.show.text import say

if TYPE_CHECKING:
    from nodes.requests import Request


def show_request(request: "Request") -> None:
    """Print every action with all its arguments: a person approves exactly what stands here."""
    if not request["action_requests"]:
        value = request.get("value")
        say(f"Before I go on: {value if isinstance(value, str) else _as_text(value)}")
        return
    say("Not done yet; may I?")
    for number, action in enumerate(request["action_requests"], start=1):
        say(f"  {number}. {action.get('name')} {_as_text(action.get('args', {}))}")
        for line in str(action.get("description") or "").splitlines():
            say(f"     {line}")


def _as_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
