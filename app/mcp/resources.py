"""What another assistant reads and is offered beside the tools: Global Context, the day, one item, three prompts."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from mcp_types import (
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    Resource,
    ResourceTemplate,
    TextContent,
)

from ana.errors import NoSuchItem
from ana.handles import Handles
from ana.memory.item import to_json
from ana.models.fence import fence
from app.due import group_due
from app.mcp.session import Session
from app.today import list_today

CONTEXT, TODAY, ITEM = "ana://context", "ana://today", "ana://item/"
ROOM = 60, 100
"""Lines and columns of the day."""

RESOURCES = [
    Resource(uri=CONTEXT, name="context", title="Global Context", description="What is known about the person."),
    Resource(uri=TODAY, name="today", title="Today", description="What is overdue, due today and in the next days."),
]
TEMPLATES = [
    ResourceTemplate(uri_template=ITEM + "{id}", name="item", title="An item", mime_type="application/json"),
]
PROMPTS: Mapping[str, tuple[Prompt, str]] = {
    "today": (
        Prompt(name="today", title="Today", description="What is on today, and what to begin with."),
        "Read ana://context and ana://today. Tell me what is on today and what is overdue, and what you would begin "
        "with. Change nothing.",
    ),
    "weekly_review": (
        Prompt(name="weekly_review", title="Weekly review", description="Go through the week, item by item."),
        "Read ana://context. With history, tell me what I did since {since}. With query_items, list what is open and "
        "overdue. Then ask me of each whether it is done, moved or dropped, and change it only when I have said so.",
    ),
    "remember_this": (
        Prompt(
            name="remember_this",
            title="Remember this",
            description="Keep a text: as an item, or as a line about you.",
            arguments=[PromptArgument(name="text", description="What is to be kept.", required=True)],
        ),
        "Keep this in ana. If it is something lasting about me, add a line to Global Context; else make an item, with "
        "the dates and properties that it names. Do not change its words.\n\n{text}",
    ),
}


def read_resource(uri: str, session: Session) -> tuple[str, str]:
    """Return the text of a resource, and its MIME type.

    Raises:
        NoSuchItem: There is none.
    """
    if uri == CONTEXT:
        return fence(read_context(session), None), "text/plain"
    if uri == TODAY:
        lines = read_today(session.handles)
        session.see(*lines)
        return fence("\n".join(lines), None), "text/plain"
    if uri.startswith(ITEM):
        item = session.handles.memory.get(uri.removeprefix(ITEM))
        session.see(item.content)
        return json.dumps(to_json(item), ensure_ascii=False), "application/json"
    raise NoSuchItem(uri)


def read_context(session: Session) -> str:
    """Return the lines of Global Context with their numbers."""
    return "\n".join(f"{number}: {text}" for number, text in session.read_lines().items()) or "Nothing is known yet."


def read_today(handles: Handles) -> list[str]:
    """Return what is due, by days."""
    return list_today(group_due(handles), *ROOM) or ["Nothing is due today or in the next seven days."]


def write_prompt(name: str, arguments: Mapping[str, str], handles: Handles) -> GetPromptResult | None:
    """Return a prompt with its arguments; None if there is none of this name."""
    if name not in PROMPTS:
        return None
    prompt, text = PROMPTS[name]
    values: dict[str, Any] = {"since": handles.clock.now().date() - timedelta(days=7), "text": ""}
    filled = text.format_map(values | dict(arguments))
    message = PromptMessage(role="user", content=TextContent(text=filled))
    return GetPromptResult(description=prompt.description, messages=[message])
