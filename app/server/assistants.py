"""The one assistant of the LangGraph API: the graph. There are no others, because each run brings its own options."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ana.errors import NotFound
from app.server.answers import answer
from app.server.bodies import AssistantSearch, read_body
from app.server.shapes import ASSISTANT, GRAPH, show_assistant
from graph.builder import graph


async def search(request: Request) -> Response:
    """POST /assistants/search."""
    return answer(_find(read_body(request, AssistantSearch)))


async def count(request: Request) -> Response:
    """POST /assistants/count."""
    return answer(len(_find(read_body(request, AssistantSearch))))


async def get(request: Request) -> Response:
    """GET /assistants/{assistant_id}."""
    _require(request)
    return answer(show_assistant())


async def get_schemas(request: Request) -> Response:
    """GET /assistants/{assistant_id}/schemas."""
    _require(request)
    schemas = {
        "input_schema": graph.get_input_jsonschema(),
        "output_schema": graph.get_output_jsonschema(),
        "state_schema": graph.get_output_jsonschema(),
        "config_schema": {},
        "context_schema": graph.get_context_jsonschema(),
    }
    return answer({"graph_id": GRAPH} | schemas)


async def get_graph(request: Request) -> Response:
    """GET /assistants/{assistant_id}/graph."""
    _require(request)
    return answer(graph.get_graph().to_json())


def _find(body: AssistantSearch) -> list[dict[str, Any]]:
    assistant = show_assistant()
    fits = body.graph_id in (None, GRAPH) and all(assistant["metadata"].get(k) == v for k, v in body.metadata.items())
    return [assistant] if fits and not body.offset else []


def _require(request: Request) -> None:
    if request.path_params["assistant_id"] not in (GRAPH, ASSISTANT):
        raise NotFound("There is no such assistant.")
