"""Answers to a client: results with their receipt inside a fence, waiting requests, errors."""

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from langchain_core.messages import ToolMessage
from mcp_types import CallToolResult, TextContent

from ana.errors import AnaError, ToolError
from ana.memory.search.fit import NOTHING_FITS
from ana.memory.views import tell_source
from ana.models.fence import FENCE, fence
from ana.output import escape_json
from ana.values import plain_text, read_json, read_plain_json
from app.mcp.resources import CONTEXT, ITEM, read_context
from app.mcp.session import RECEIPT, Session
from app.mcp.tools import FETCH, SEARCH, UNSTORED, mark_stored
from graph.state import OpenRequest
from nodes.autonomy.wording import word_request

MOST_MATCHES = 20
"""Results of a search."""

PART = 40_000
"""Most characters of an item in one answer."""

MOST_TITLE = 120
"""Most characters of a result's title."""


def answer(
    session: Session, name: str, args: Mapping[str, Any], approved: Collection[str] = ()
) -> CallToolResult | OpenRequest:
    """Return the answer to a call, or the question for the person.

    Args:
        approved: Digests of the calls that the person has approved.

    Raises:
        AnaError: It failed.
    """
    if name in (SEARCH.name, FETCH.name):
        return _look(session, name, args)
    outcome = session.call(name, args, approved)
    return _show(outcome) if isinstance(outcome, ToolMessage) else outcome


def postpone(session: Session, name: str, args: Mapping[str, Any], request: OpenRequest, why: str) -> CallToolResult:
    """Store a call until the person decides, and return an answer that says so."""
    id = session.keep_waiting(name, args, request)
    text = f"{why} It waits as request {id[:8]}; `ana approve` decides it."
    return _result({"waits_for_the_person": id, "not_done": text})


def answer_error(error: AnaError) -> CallToolResult:
    """Return the answer to a call that failed."""
    fault = error if isinstance(error, ToolError) else ToolError(error.message, error.hint)
    return _fail(json.dumps(fault.to_json(), ensure_ascii=False))


def seal(request: OpenRequest) -> str:
    """Return the seal that a reply must carry: it applies only to the request that was shown, by any process."""
    return "-".join(request["digests"][call] for call in request["calls"])


def word(request: OpenRequest) -> str:
    """Return the words in which a request is shown to the person."""
    return plain_text("\n".join(str(action["description"]) for action in word_request(request)["action_requests"]))


def _look(session: Session, name: str, args: Mapping[str, Any]) -> CallToolResult:
    """Answer one of the two tools that research connectors know, in their format, without a fence."""
    wanted = args.get("query" if name == SEARCH.name else "id")
    if not isinstance(wanted, str) or not wanted.strip():
        raise ToolError(f"{name} needs a text.", "Give what is looked for.")
    if name == SEARCH.name:
        message = session.call("query_items", {"text": wanted, "limit": MOST_MATCHES})
        if not isinstance(message, ToolMessage) or message.status == "error":
            why = read_json(message.text) if isinstance(message, ToolMessage) else {}
            raise ToolError(f"This cannot be searched for. {why.get('error', '')}".strip(), "Say it in other words.")
        data = read_json(message.text)
        fits = not str(data.get("note", "")).startswith(NOTHING_FITS)  # then they are merely the nearest
        results = [
            _cite(item["id"], item["content"]) | {name: item[name] for name in ("source",) if name in item}
            for item in data["items"]
            if fits
        ]
        return _result(mark_stored({"results": results}))
    if wanted == "context":
        context = {"id": wanted, "title": "Global Context", "url": CONTEXT, "text": read_context(session)}
        return _result(mark_stored({**context, "metadata": {}}))
    item, offset = session.read_item(wanted), args.get("offset", 0)
    if not isinstance(offset, int) or not 0 <= offset <= len(item.content):
        raise ToolError("There is no such place in this item.", f"offset is a number from 0 to {len(item.content)}.")
    end = offset + PART
    rest = {"next_offset": end, "total_chars": len(item.content)} if end < len(item.content) else {}
    whole = {**_cite(item.id, item.content), "text": item.content[offset:end], "metadata": dict(item.properties)}
    return _result(mark_stored(whole | rest | tell_source(item)))


def _cite(id: str, content: str) -> dict[str, Any]:
    title = next(iter(content.splitlines()), "")[:MOST_TITLE]
    return {"id": id, "title": title or id, "url": f"{ITEM}{id}"}


def _show(message: ToolMessage) -> CallToolResult:
    """Return an answer with its text inside a fence, as ana's own model gets it."""
    if message.status == "error":
        return _fail(message.text)
    receipt = message.additional_kwargs.get(RECEIPT)
    data = read_json(message.text) | ({"receipt": receipt} if receipt else {})
    data = data if message.name in UNSTORED else mark_stored(data)
    return _result(data, lambda text: fence(text, message.additional_kwargs.get(FENCE)))


def _fail(text: str) -> CallToolResult:
    """Return an error inside a fence, since it may quote stored text, such as an unread line."""
    return CallToolResult(content=[TextContent(text=fence(plain_text(text), None))], is_error=True)


def _result(data: dict[str, Any], wrap: Callable[[str], str] = escape_json) -> CallToolResult:
    text = json.dumps(data, ensure_ascii=False)
    # an item of an earlier version may have half a character, with which no answer could be sent
    plain = read_plain_json(json.dumps(data))
    return CallToolResult(content=[TextContent(text=wrap(plain_text(text)))], structured_content=plain)
