"""The server: requests of MCP, answered by sessions. Over stdio a process has one; HTTP may mount the same object."""

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import anyio.to_thread
from langchain_core.messages import ToolMessage
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    TextResourceContents,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from ana import __version__
from ana.errors import AnaError, NoSuchItem, ToolError
from ana.handles import Handles
from ana.models.fence import FENCE, fence
from ana.values import read_json
from app.mcp.resources import PROMPTS, RESOURCES, TEMPLATES, read_context, read_resource, write_prompt
from app.mcp.session import Session
from app.mcp.tools import FETCH, SEARCH, list_tools
from graph.state import Asked
from nodes.autonomy.request import show_request
from prompts import render

CLIENT = "mcp-client"
"""A client that does not tell its name."""

MOST_FOUND = 20
"""Results of a search."""

_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "decision": {"type": "string", "title": "Your decision", "enum": ["do it", "do not do it"]},
    },
    "required": ["decision"],
}
_QUESTION = "decision"
"""The key of what is asked in a reply."""

Context = ServerRequestContext[Any, Any]


class McpServer:
    """Answers the requests of clients.

    Args:
        handles: The person's store.
    """

    def __init__(self, handles: Handles) -> None:
        self._handles = handles
        self._sessions: dict[str, Session] = {}

    def build(self) -> "Server[Any]":
        """Return the object that a transport runs, or an application mounts."""
        return Server(
            "ana",
            version=__version__,
            title="ana",
            description="Keeps, finds and changes what one person wants kept.",
            instructions=render("mcp"),
            on_list_tools=_list(lambda: ListToolsResult(tools=list_tools())),
            on_list_resources=_list(lambda: ListResourcesResult(resources=RESOURCES)),
            on_list_resource_templates=_list(lambda: ListResourceTemplatesResult(resource_templates=TEMPLATES)),
            on_list_prompts=_list(lambda: ListPromptsResult(prompts=[prompt for prompt, _ in PROMPTS.values()])),
            on_read_resource=self._read,
            on_get_prompt=self._prompt,
            on_call_tool=self._call,
        )

    def close(self) -> None:
        """End every session."""
        for session in self._sessions.values():
            session.close()

    def _session(self, context: Context) -> Session:
        params = context.session.client_params
        client = re.sub(r"[^a-z0-9]+", "-", params.client_info.name.lower()).strip("-")[:40] if params else ""
        client = client or CLIENT
        if client not in self._sessions:
            self._sessions[client] = Session(self._handles, client, f"{self._handles.clock.now():%Y-%m-%d %H:%M}")
        return self._sessions[client]

    async def _read(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        try:
            text, kind = await anyio.to_thread.run_sync(partial(read_resource, uri, self._session(context)))
        except NoSuchItem as exc:
            raise MCPError(code=INVALID_PARAMS, message=f"There is no resource {uri:.200}.") from exc
        except AnaError as exc:
            raise MCPError(code=INVALID_PARAMS, message=exc.sentence()) from exc
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=kind, text=text)])

    async def _prompt(self, _: Context, params: GetPromptRequestParams) -> GetPromptResult:
        written = write_prompt(params.name, params.arguments or {}, self._handles)
        if written is None:
            raise MCPError(code=INVALID_PARAMS, message=f"There is no prompt {params.name:.80}.")
        return written

    async def _call(self, context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        session, args = self._session(context), params.arguments or {}
        try:
            if params.name in (SEARCH.name, FETCH.name):
                return await anyio.to_thread.run_sync(partial(_look, session, params.name, args))
            return await self._decide(context, params, session, args)
        except AnaError as exc:
            return _fail(ToolError(exc.message, exc.hint))

    async def _decide(
        self, context: Context, params: CallToolRequestParams, session: Session, args: Mapping[str, Any]
    ) -> CallToolResult | InputRequiredResult:
        """Run a call; where it asks, ask the person in their client, or keep it waiting for them."""
        run = partial(session.call, params.name, args)
        outcome = await anyio.to_thread.run_sync(run)
        if isinstance(outcome, ToolMessage):
            return _show(outcome)
        seal, reply = _seal(outcome), (params.input_responses or {}).get(_QUESTION)
        if params.request_state != seal or not isinstance(reply, ElicitResult):
            if not _can_ask(context):
                return await self._keep(session, params.name, args, outcome, "This client cannot ask the person.")
            question = ElicitRequest(params=ElicitRequestFormParams(message=_word(outcome), requested_schema=_FORM))
            if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
                return InputRequiredResult(input_requests={_QUESTION: question}, request_state=seal)
            reply = await context.session.elicit_form(_word(outcome), _FORM, context.request_id)
        decision = (reply.content or {}).get("decision") if reply.action == "accept" else None
        if decision == "do it":
            again = await anyio.to_thread.run_sync(partial(run, outcome["digests"]))
            if isinstance(again, ToolMessage):
                return _show(again)
            return await self._keep(session, params.name, args, again, "It has changed since they decided.")
        if decision is not None:
            return _fail(ToolError("The person refused this; nothing was done.", "Do not try it in another way."))
        return await self._keep(session, params.name, args, outcome, "Nobody decided in this client.")

    async def _keep(
        self, session: Session, name: str, args: Mapping[str, Any], asked: Asked, why: str
    ) -> CallToolResult:
        id = await anyio.to_thread.run_sync(partial(session.keep_waiting, name, args, asked))
        waits = {
            "waits_for_the_person": id,
            "not_done": f"{why} It waits as request {id[:8]}; `ana approve` decides it.",
        }
        return _result(waits, fenced=False)


def _list(build: Callable[[], Any]) -> Callable[[Context, PaginatedRequestParams | None], Any]:
    async def answer(_: Context, __: PaginatedRequestParams | None) -> Any:
        return await anyio.to_thread.run_sync(build)

    return answer


def _can_ask(context: Context) -> bool:
    """Whether the client shows people a form; one that names no kind of elicitation has forms."""
    able = context.session.client_capabilities
    asks = able.elicitation if able else None
    return asks is not None and (asks.form is not None or asks.url is None)


def _seal(asked: Asked) -> str:
    """Return what a reply must come with: it is given to what was shown, whichever process showed it."""
    return "-".join(asked["digests"][call] for call in asked["calls"])


def _word(asked: Asked) -> str:
    return "\n".join(str(action["description"]) for action in show_request(asked)["action_requests"])


def _look(session: Session, name: str, args: Mapping[str, Any]) -> CallToolResult:
    """Answer one of the two tools that research connectors know."""
    wanted = args.get("query" if name == SEARCH.name else "id")
    if not isinstance(wanted, str) or not wanted.strip():
        raise ToolError(f"{name} needs a text.", "Give what is looked for.")
    if name == SEARCH.name:
        found = session.call("query_items", {"text": wanted, "limit": MOST_FOUND})
        items = read_json(found.text).get("items", []) if isinstance(found, ToolMessage) else []
        return _result({"results": [_cite(item["id"], item["content"]) for item in items]}, fenced=False)
    if wanted == "context":
        return _result(_cite(wanted, "Global Context") | {"text": read_context(session)}, fenced=False)
    item = session.handles.memory.get(wanted)
    session.see(item.content)
    more = {"text": item.content, "metadata": dict(item.properties)}
    return _result(_cite(item.id, item.content) | more, fenced=False)


def _cite(id: str, content: str) -> dict[str, Any]:
    return {
        "id": id,
        "title": content.splitlines()[0][:120],
        "url": f"ana://item/{id}" if id != "context" else "ana://context",
    }


def _show(answer: ToolMessage) -> CallToolResult:
    """Return an answer with its text inside a fence, as our own model gets it."""
    data = read_json(answer.text)
    text = fence(answer.text, answer.additional_kwargs.get(FENCE))
    content: list[ContentBlock] = [TextContent(text=text if answer.status == "success" else answer.text)]
    return CallToolResult(
        content=content,
        structured_content=data if isinstance(data, dict) and answer.status == "success" else None,
        is_error=answer.status == "error",
    )


def _result(data: dict[str, Any], fenced: bool) -> CallToolResult:
    text = json.dumps(data, ensure_ascii=False)
    return CallToolResult(content=[TextContent(text=fence(text, None) if fenced else text)], structured_content=data)


def _fail(error: ToolError) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=json.dumps(error.to_json(), ensure_ascii=False))], is_error=True)
