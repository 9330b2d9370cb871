"""The MCP server: sessions answer requests, in the same way over stdio and HTTP.

Only imports for the first answers are here. The rest, with the store, is loaded while the client is talking.
"""

import asyncio
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from ana import __version__
from ana.errors import AnaError, NoSuchItem, ToolError
from ana.files import FILE_ERRORS, describe_fault
from ana.stopping import Work, working
from ana.values import plain_text
from app.mcp.resources import PROMPTS, RESOURCES, TEMPLATES, read_resource, write_prompt
from app.mcp.sessions import Sessions
from prompts import render

if TYPE_CHECKING:
    from app.mcp.session import Session
    from graph.state import OpenRequest

CLIENT = "client"
"""The name of a client that does not give one."""

LONGEST_NAME = 40
"""Most characters of a client's name."""

DO, LEAVE = "do it", "do not do it"
FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"decision": {"type": "string", "title": "Your decision", "enum": [DO, LEAVE]}},
    "required": ["decision"],
}
_QUESTION = "decision"
"""The key of the question in a reply."""

SETTLING = 1.0
"""Seconds before a session's records are written together, because calls wait for the same disk."""

Context = ServerRequestContext[Any, Any]
Answer = types.CallToolResult | types.InputRequiredResult
T = TypeVar("T")


class McpServer:
    """Answers the requests of clients.

    Args:
        find_sessions: Returns the sessions of the person who makes the request.
    """

    def __init__(self, find_sessions: Callable[[Context], Sessions]) -> None:
        self._find_sessions = find_sessions
        self._settling: dict[Session, asyncio.Task[None]] = {}

    def build(self) -> "Server[Any]":
        """Return the object that a transport runs or an application mounts."""
        return Server(
            "ana",
            version=__version__,
            title="ana",
            description="Keeps, finds and changes what one person wants kept.",
            instructions=render("mcp"),
            on_list_tools=self._list_tools,
            on_list_resources=_tell(types.ListResourcesResult(resources=RESOURCES)),
            on_list_resource_templates=_tell(types.ListResourceTemplatesResult(resource_templates=TEMPLATES)),
            on_list_prompts=_tell(types.ListPromptsResult(prompts=PROMPTS)),
            on_read_resource=self._read,
            on_get_prompt=self._prompt,
            on_call_tool=self._call,
        )

    async def _run(self, context: Context, do: "Callable[[Session], T]") -> T:
        """Do something with the client's session in a thread, where blocking is allowed; a moment later it has left.

        The client is told how far it is, if it asks for that; where it cancels the call nothing more is written.

        Raises:
            AnaError: It failed.
        """

        def tell(done: int, total: int) -> None:
            anyio.from_thread.run(context.session.report_progress, float(done), float(total))

        work, sessions = Work(tell), self._find_sessions(context)

        def run() -> "tuple[T, Session]":
            try:
                session = sessions.find(_name_client(context))
                with working(work):
                    return do(session), session
            except FILE_ERRORS as exc:
                raise ToolError(
                    f"The files could not be used: {describe_fault(exc)}.", "Tell the user: `ana doctor` checks why."
                ) from exc

        try:
            result, session = await anyio.to_thread.run_sync(run, limiter=sessions.limiter, abandon_on_cancel=True)
        except anyio.get_cancelled_exc_class():
            work.stop()
            raise
        if session not in self._settling:
            self._settling[session] = asyncio.create_task(self._settle(session))
        return result

    async def _settle(self, session: "Session") -> None:
        """Settle a session every moment, until one in which it was not called."""
        try:
            settled = -1
            while settled < session.count:
                settled = session.count
                await asyncio.sleep(SETTLING)
                await asyncio.to_thread(session.settle)
        finally:
            del self._settling[session]

    async def _list_tools(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        def build() -> types.ListToolsResult:
            from app.mcp.tools import list_tools

            return types.ListToolsResult(tools=list_tools())

        tools = await anyio.to_thread.run_sync(build)
        self._find_sessions(context).prepare()
        return tools

    async def _read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            text, kind = await self._run(context, partial(read_resource, uri=uri))
        except NoSuchItem as exc:
            message = f"There is no resource {uri:.200}."
            raise MCPError(code=types.INVALID_PARAMS, message=message, data={"uri": uri}) from exc
        except AnaError as exc:
            raise MCPError(code=types.INVALID_PARAMS, message=exc.sentence()) from exc
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=plain_text(text))]
        )

    async def _prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        try:
            return await self._run(context, partial(write_prompt, name=params.name, arguments=params.arguments or {}))
        except AnaError as exc:
            raise MCPError(code=types.INVALID_PARAMS, message=exc.sentence()) from exc

    async def _call(self, context: Context, params: types.CallToolRequestParams) -> Answer:
        from app.mcp.answers import answer_error

        try:
            return await self._decide(context, params)
        except AnaError as exc:
            return answer_error(exc)

    async def _decide(self, context: Context, params: types.CallToolRequestParams) -> Answer:
        """Run a call; where it asks, ask the person in their client, or keep it waiting for them."""
        from app.mcp.answers import answer, seal, word

        args = params.arguments or {}
        call = partial(answer, name=params.name, args=args)
        outcome = await self._run(context, call)
        if isinstance(outcome, types.CallToolResult):
            return outcome
        reply = (params.input_responses or {}).get(_QUESTION)
        if params.request_state != seal(outcome) or not isinstance(reply, types.ElicitResult):
            if not _can_ask(context):
                return await self._keep(context, params, outcome, "This client cannot ask the person.")
            question = types.ElicitRequestFormParams(message=word(outcome), requested_schema=FORM)
            if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
                requests: dict[str, Any] = {_QUESTION: types.ElicitRequest(params=question)}
                return types.InputRequiredResult(input_requests=requests, request_state=seal(outcome))
            reply = await _elicit(context, question.message)
        decision = (reply.content or {}).get("decision") if reply.action == "accept" else None
        if decision == LEAVE:
            raise ToolError("The person refused this; nothing was done.", "Do not try it in another way.")
        if decision != DO:
            return await self._keep(context, params, outcome, "Nobody decided in this client.")
        again = await self._run(context, partial(call, approved=outcome["digests"].values()))
        if isinstance(again, types.CallToolResult):
            return again
        return await self._keep(context, params, again, "It has changed since they decided.")

    async def _keep(
        self, context: Context, params: types.CallToolRequestParams, request: "OpenRequest", why: str
    ) -> types.CallToolResult:
        from app.mcp.answers import postpone

        keep = partial(postpone, name=params.name, args=params.arguments or {}, request=request, why=why)
        return await self._run(context, keep)


def _tell(result: T) -> Callable[[Context, types.PaginatedRequestParams | None], Any]:
    async def answer(_: Context, __: types.PaginatedRequestParams | None) -> T:
        return result

    return answer


def _name_client(context: Context) -> str:
    """Return the client's name as turns use it: in lower-case letters and digits."""
    params = context.session.client_params
    name = re.sub(r"[^a-z0-9]+", "-", params.client_info.name.lower()).strip("-") if params else ""
    return name[:LONGEST_NAME].strip("-") or CLIENT


async def _elicit(context: Context, message: str) -> types.ElicitResult:
    """Return the reply to a form; a client that fails to show it has cancelled it."""
    try:
        return await context.session.elicit_form(message, FORM, context.request_id)
    except (MCPError, ValidationError):
        return types.ElicitResult(action="cancel")


def _can_ask(context: Context) -> bool:
    """Return whether the client can show a form; a client that names no kind of elicitation can."""
    able = context.session.client_capabilities
    asks = able.elicitation if able else None
    return asks is not None and (asks.form is not None or asks.url is None)
