"""Resources and prompts for other assistants: Global Context, the day, one item, three prompts."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

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
from ana.memory.sources import is_others
from prompts import render

if TYPE_CHECKING:
    from app.mcp.session import Session

CONTEXT, TODAY, ITEM = "ana://context", "ana://today", "ana://item/"
ROOM = 60, 100
"""Most lines and columns of the day."""

RESOURCES = [
    Resource(uri=CONTEXT, name="context", title="Global Context", description="What is known about the person."),
    Resource(uri=TODAY, name="today", title="Today", description="What is overdue, due today and in the next days."),
]
TEMPLATES = [
    ResourceTemplate(uri_template=ITEM + "{id}", name="item", title="An item", mime_type="application/json"),
]
SINCE = PromptArgument(name="since", description="A day; default: seven days ago.")
TEXT = PromptArgument(name="text", description="What is to be kept.", required=True)
PROMPTS = [
    Prompt(name="today", title="Today", description="What is on today, and what to begin with."),
    Prompt(name="weekly_review", title="Weekly review", description="Go through what is open.", arguments=[SINCE]),
    Prompt(
        name="remember_this", title="Remember this", description="Keep a text as an item or a line.", arguments=[TEXT]
    ),
]


def read_resource(session: "Session", uri: str) -> tuple[str, str]:
    """Return the text of a resource and its MIME type.

    Raises:
        NoSuchItem: It does not exist.
    """
    from ana.memory.item import to_json
    from ana.models.fence import fence
    from ana.output import escape_json
    from ana.values import plain_text
    from app.mcp.tools import mark_stored

    if uri == CONTEXT:
        return fence(read_context(session), None), "text/plain"
    if uri == TODAY:
        return fence(_read_today(session), None), "text/plain"
    if uri.startswith(ITEM):
        item = session.read_item(uri.removeprefix(ITEM))
        text = plain_text(json.dumps(mark_stored(to_json(item)), ensure_ascii=False))
        return escape_json(text), "application/json"
    raise NoSuchItem(uri)


def read_context(session: "Session") -> str:
    """Return the lines of Global Context with their numbers, and with their sources if they are not the person's."""
    sources = {int(line.id): line.source for line in session.handles.memory.backend.scan("line")}
    from_ = {number: f" (from {source})" for number, source in sources.items() if is_others(source)}
    lines = (f"{number}: {text}{from_.get(number, '')}" for number, text in session.read_lines().items())
    return "\n".join(lines) or "Nothing is known yet."


def _read_today(session: "Session") -> str:
    """Return due items, grouped by day."""
    from app.due import group_due_locally, list_today

    groups = group_due_locally(session.handles)
    session.see(item for group in groups.values() for item in group.items)
    return (
        "\n".join(list_today(groups, *ROOM, session.handles.clock.now().date()))
        or "Nothing is due today or in the next seven days."
    )


def write_prompt(session: "Session", name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Return a prompt with its arguments.

    Raises:
        ToolError: No prompt has this name, or an argument is missing.
    """
    prompt = next((each for each in PROMPTS if each.name == name), None)
    if prompt is None:
        raise ToolError(f"There is no prompt {name:.80}.", f"There are: {', '.join(each.name for each in PROMPTS)}.")
    values = {"since": str(session.handles.clock.now().date() - timedelta(days=7)), **arguments}
    slots = [each.name for each in prompt.arguments or ()]
    if missing := [slot for slot in slots if slot not in values]:
        raise ToolError(f"The prompt {name} needs {missing[0]}.")
    text = render(f"mcp_{name}", **{slot: values[slot] for slot in slots}).rstrip()
    message = PromptMessage(role="user", content=TextContent(text=text))
    return GetPromptResult(description=prompt.description, messages=[message])
