"""GET /openapi.json: a description of the routes in OpenAPI 3.1, made from the routes themselves and the bodies that
they read.
"""

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from ana import __version__
from app.server import assistants, bodies, runs, threads
from app.server import routes as ours
from app.server.turns import PostedReply, Question

BODIES: dict[Any, tuple[type[BaseModel], ...]] = {
    ours.ask: (Question, PostedReply),
    ours.sign_in: (ours.Code,),
    assistants.search: (bodies.AssistantSearch,),
    assistants.count: (bodies.AssistantSearch,),
    threads.create: (bodies.NewThread,),
    threads.search: (bodies.ThreadSearch,),
    threads.count: (bodies.ThreadSearch,),
    threads.patch: (bodies.ThreadPatch,),
    threads.write_state: (bodies.Edit,),
    threads.get_state_at: (bodies.At,),
    threads.history: (bodies.HistorySearch,),
    runs.create: (bodies.NewRun,),
    runs.wait: (bodies.NewRun,),
    runs.stream: (bodies.NewRun,),
}
"""What an endpoint reads: one of these."""

_PLACE = "#/components/schemas/{model}"
_ERROR = {"type": "object", "properties": {"error": {"type": "string"}, "detail": {"type": "string"}}}
_KEYS: dict[str, Any] = {
    "token": {"type": "http", "scheme": "bearer"},
    "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
    "calendar": {"type": "apiKey", "in": "query", "name": "key", "description": "Opens /calendar.ics alone."},
}


async def openapi(request: Request) -> JSONResponse:
    """GET /openapi.json: this description."""
    return JSONResponse(describe(request.app.state.described))


def describe(routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """Return the description of routes."""
    kinds = {kind for each in BODIES.values() for kind in each}
    references, schemas = models_json_schema([(kind, "validation") for kind in kinds], ref_template=_PLACE)
    places = {kind: reference for (kind, _), reference in references.items()}
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        assert isinstance(route, Route)
        paths.setdefault(re.sub(r":\w+}", "}", route.path), {}).update(_describe_route(route, places))
    return {
        "openapi": "3.1.0",
        "info": {"title": "ana", "version": __version__},
        "paths": paths,
        "components": {"schemas": schemas["$defs"] | {"Error": _ERROR}, "securitySchemes": _KEYS},
        "security": [{"token": []}, {"key": []}, {}],
    }


def _describe_route(route: Route, places: Mapping[Any, dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    error = {
        "description": "What is wrong, and what to do.",
        "content": _as_json({"$ref": _PLACE.format(model="Error")}),
    }
    parameters = [
        {"name": name, "in": "path", "schema": {"type": "string"}, "required": True} for name in route.param_convertors
    ]
    for method in sorted((route.methods or {"GET", "POST", "DELETE"}) - {"HEAD"}):
        operation: dict[str, Any] = {
            "description": inspect.getdoc(route.endpoint),
            "parameters": parameters,
            "responses": {"200": {"description": "The answer."}, "default": error},
        }
        kinds = BODIES.get(route.endpoint, ())
        if kinds and method != "GET":
            operation["requestBody"] = {"content": _as_json({"oneOf": [places[kind] for kind in kinds]})}
        yield method.lower(), operation


def _as_json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
