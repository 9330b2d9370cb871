"""GET /calendar.ics: the calendar to which calendar programs subscribe."""

from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from ana import __version__
from ana.handles import Handles
from ana.transfer.ics.writer import write_calendar
from app.server.answers import find_workspace
from app.server.request_threads import run_in_threadpool


async def calendar(request: Request) -> Response:
    """GET /calendar.ics?key=KEY: the open items with a date, for anybody with a person's key; the key opens nothing
    else.
    """
    handles = (await find_workspace(request)).handles
    tag = await run_in_threadpool(_make_tag, handles)
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    items, zone = handles.memory.items(), handles.clock.zone
    data, _, _ = await run_in_threadpool(lambda: write_calendar(items, zone, whole=False))
    return Response(data, headers=headers, media_type="text/calendar")


def _make_tag(handles: Handles) -> str:
    """Return a tag that changes with the calendar, and can be found without reading all of it."""
    text = f"{handles.memory.backend.position()} {handles.clock.zone_name} {__version__}"
    return f'"{sha256(text.encode()).hexdigest()[:32]}"'
