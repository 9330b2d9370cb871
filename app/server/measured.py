"""Requests as figures: how many, how they were answered, and how long that took."""

import time
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.metrics.figures import OTHER, Metrics
from app.server.sign_in import SIGN_IN


class Measured:
    """Counts every request, also those that are refused before they reach a route.

    Args:
        routes: Whose templates stand for paths, which may hold ids and words.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, routes: Sequence[BaseRoute]) -> None:
        self._app, self._metrics, self._routes = app, metrics, routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, route, started, streams = time.perf_counter(), self._find_route(scope), False, False

        async def send_measured(message: Message) -> None:
            nonlocal started, streams
            if message["type"] == "http.response.start":
                started = True
                self._metrics.count_request(route, scope["method"], message["status"], time.perf_counter() - begun)
                if Headers(raw=message["headers"]).get("content-type", "").startswith("text/event-stream"):
                    streams = True
                    self._metrics.streams.inc()
            await send(message)

        try:
            await self._app(scope, receive, send_measured)
        finally:
            if streams:
                self._metrics.streams.dec()
            if not started:  # it failed in a way that was not foreseen
                self._metrics.count_request(route, scope["method"], 500, time.perf_counter() - begun)

    def _find_route(self, scope: Scope) -> str:
        if scope["path"] == SIGN_IN[1]:
            return SIGN_IN[1]
        matching = (route for route in self._routes if route.matches(scope)[0] is not Match.NONE)
        return getattr(next(matching, None), "path", OTHER)
