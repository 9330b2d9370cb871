"""A tool of a person's own that asks before it does something, as tests hand it to a process."""

from typing import Any

MODULE = '''
import os
from langchain_core.tools import tool
from langgraph.types import interrupt

@tool
def send_mail(to: str) -> str:
    """Send a mail."""
    request = {"name": "send_mail", "args": {"to": to}, "description": "Sends a mail."}
    review = {"action_name": "send_mail", "allowed_decisions": ["approve", "edit", "reject"]}
    (decision,) = interrupt({"action_requests": [request], "review_configs": [review]})["decisions"]
    if decision["type"] == "reject":
        return "not sent"
    if decision["type"] == "edit":
        to = decision["edited_action"]["args"]["to"]
    with open(os.environ["OUTBOX"], "a") as outbox:
        outbox.write(to + "\\n")
    return f"sent to {to}"

@tool
def colour() -> str:
    """Ask for a colour."""
    return f"the reply was {interrupt('Which colour?')}"

send_mail.metadata = colour.metadata = {"asksItself": True}
TOOLS = [send_mail, colour]
'''
REQUEST: Any = {
    "action_requests": [{"name": "send_mail", "args": {"to": "bob"}, "description": "Sends a mail."}],
    "review_configs": [{"action_name": "send_mail", "allowed_decisions": ["approve", "edit", "reject"]}],
}
