"""What another assistant reads and is offered beside the tools: Global Context, the day, one item, three prompts."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from mcp_types import (
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    Resource,
    ResourceTemplate,
    TextContent,
)

from ana.errors import NoSuchItem, ToolError

if TYPE_CHECKING:
    from app.mcp.session import Session

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


def read_resource(session: "Session", uri: str) -> tuple[str, str]:
    """Return the text of a resource, and its MIME type.

    Raises:
        NoSuchItem: There is none.
    """
    from ana.memory.item import to_json
    from ana.models.fence import fence, show_hidden
    from app.mcp.tools import mark_stored

    if uri == CONTEXT:
        return fence(read_context(session), None), "text/plain"
    if uri == TODAY:
        return fence(_read_today(session), None), "text/plain"
    if uri.startswith(ITEM):
        item = session.read_item(uri.removeprefix(ITEM))
        return show_hidden(json.dumps(mark_stored(to_json(item)), ensure_ascii=False)), "application/json"
    raise NoSuchItem(uri)


def read_context(session: "Session") -> str:
    """Return the lines of Global Context with their numbers."""
    return "\n".join(f"{number}: {text}" for number, text in session.read_lines().items()) or "Nothing is known yet."


def _read_today(session: "Session") -> str:
    """Return what is due, by days."""
    from app.due import group_due, list_today

    groups = group_due(session.handles)
    session.see(*(item.content for found in groups.values() for item in found.items))
    return "\n".join(list_today(groups, *ROOM)) or "Nothing is due today or in the next seven days."


def write_prompt(session: "Session", name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Return a prompt with its arguments.

    Raises:
        ToolError: There is none of this name, or an argument is missing.
    """
    if name not in PROMPTS:
        raise ToolError(f"There is no prompt {name:.80}.", f"There are: {', '.join(PROMPTS)}.")
    prompt, text = PROMPTS[name]
    if missing := [each.name for each in prompt.arguments or () if each.required and each.name not in arguments]:
        raise ToolError(f"The prompt {name} needs {missing[0]}.")
    values: dict[str, Any] = {"since": session.handles.clock.now().date() - timedelta(days=7)}
    filled = text.format_map(values | dict(arguments))
    message = PromptMessage(role="user", content=TextContent(text=filled))
    return GetPromptResult(description=prompt.description, messages=[message])
