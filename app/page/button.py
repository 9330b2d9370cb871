"""The buttons under a reminder: an address that asks, and does what it says when its one button is pressed.

Programs that look at mail follow links, so that to open one does nothing.
"""

from starlette.requests import Request
from starlette.responses import Response

from ana.errors import NotFound
from ana.handles import DataHandles
from ana.output import shorten
from ana.reminders.buttons import ACTS, Button
from ana.translation import _
from app.answering import RungItem, answer, find_rung
from app.page.shell import render
from app.server.answers import find_workspace
from app.server.request_threads import run_in_threadpool

LONGEST = 200
"""Characters of an item that are shown."""


async def ask(request: Request) -> Response:
    """GET /app/reminder/{signed}: what it would do; nothing is done."""
    handles = (await find_workspace(request)).handles
    rung = await run_in_threadpool(_find, handles, request.state.button)
    return await _render(request, rung)


async def press(request: Request) -> Response:
    """POST /app/reminder/{signed}: do it. The signature takes the place of the form's token."""
    handles, button = (await find_workspace(request)).handles, request.state.button
    rung = await run_in_threadpool(_find, handles, button)
    told = await run_in_threadpool(answer, handles, rung, button.act)
    return await _render(request, rung, told)


def _find(handles: DataHandles, button: Button) -> RungItem:
    if button.until <= handles.clock.now():
        raise NotFound("This button has ended.", "The next reminder brings another.")
    return find_rung(handles, button.ring)


async def _render(request: Request, rung: RungItem, told: str = "") -> Response:
    content, word = shorten(rung.item.content, LONGEST), _(ACTS[request.state.button.act])
    return await render(request, "reminder.html", content=content, id=rung.item.id, word=word, told=told)
