"""The assistants that use what is kept here: what each wrote, by days, taken back by the day, and what each may do."""

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from ana.translation import _
from app.assistants import RIGHTS, list_rights, list_written, save_right, undo_day
from app.page.forms import read_text
from app.page.shell import render
from app.server.answers import find_workspace
from app.server.request_threads import run_in_threadpool


async def show(request: Request, told: str = "") -> Response:
    """GET /app/assistants."""
    opened = await find_workspace(request)
    handles = opened.handles
    days = await run_in_threadpool(list_written, handles.memory, handles.clock)
    rights = await run_in_threadpool(list_rights, opened.workspace, {each.name for each in days})
    return await render(
        request, "assistants.html", days=days, rights=rights, meanings=RIGHTS, told=told, part="settings"
    )


async def change(request: Request, form: FormData) -> Response:
    """POST /app/assistants: {name, right}, or {name, day}, whose acts are taken back."""
    opened, name = await find_workspace(request), read_text(form, "name")
    if day := read_text(form, "day"):
        memory, clock = opened.handles.memory, opened.handles.clock
        return await show(request, await run_in_threadpool(undo_day, memory, clock, name, day))
    right = read_text(form, "right")
    await run_in_threadpool(save_right, opened.workspace, name, right)
    return await show(request, _("{name} {right} from now on.").format(name=name, right=_(RIGHTS[right])))
