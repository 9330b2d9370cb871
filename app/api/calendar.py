"""GET /calendar.ics: what calendar programs subscribe to."""

from collections.abc import Iterable
from hashlib import sha256
from secrets import compare_digest

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ana import __version__
from ana.addresses import CALENDAR_KEY
from ana.handles import Handles
from ana.settings import load_settings
from ana.transfer.ics.writer import write_calendar
from ana.workspace import Workspace
from app.api.answers import hold_workspace


async def calendar(request: Request) -> Response:
    """GET /calendar.ics?key=KEY: what has a date and is not done, for who has a person's key; it opens nothing else."""
    key = request.query_params.get("key", "")
    people = await request.app.state.workspaces.list_people() if CALENDAR_KEY.fullmatch(key) else ()
    person = await run_in_threadpool(_find_person, key, people)
    if person is None:
        raise HTTPException(404)
    handles = (await hold_workspace(request, person)).handles
    tag = await run_in_threadpool(_make_tag, handles)
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    data, _, _ = await run_in_threadpool(write_calendar, handles.memory.items(), handles.clock.zone)
    return Response(data, headers=headers, media_type="text/calendar")


def _find_person(key: str, people: Iterable[str]) -> str | None:
    """Return whose key it is; how long that takes does not tell how much of it is right."""
    settings = load_settings()
    keys = {person: Workspace(settings, person).note("calendar-key").read() for person in people}
    return next(iter([person for person, kept in keys.items() if compare_digest(kept.encode(), key.encode())]), None)


def _make_tag(handles: Handles) -> str:
    """Return what changes with the calendar, and is read without it."""
    told = f"{handles.memory.backend.position()} {handles.clock.zone_name} {__version__}"
    return f'"{sha256(told.encode()).hexdigest()[:32]}"'
