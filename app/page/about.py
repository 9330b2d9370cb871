"""What is known about the person: each line with since when, and because of which words; edited by hand."""

from dataclasses import dataclass

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from ana.handles import DataHandles
from ana.memory.changes import make_edit
from ana.memory.digests import digest_line
from ana.workspace.personal import list_fixed, save_settings
from app.knowing import explain_lines
from app.page.acts import go_on
from app.page.forms import read_text
from app.page.shell import render
from app.server.answers import find_workspace
from app.server.request_threads import run_in_threadpool


@dataclass(frozen=True)
class ShownLine:
    """A line of Global Context."""

    number: int
    text: str
    since: str
    because: str
    digest: str


async def show(request: Request) -> Response:
    """GET /app/about."""
    handles = (await find_workspace(request)).handles
    lines = await run_in_threadpool(_list_lines, handles)
    return await render(request, "about.html", lines=lines)


async def add(request: Request, form: FormData) -> str:
    """POST /app/about: {text}."""
    memory, by = (await find_workspace(request)).handles.memory, make_edit()
    await run_in_threadpool(memory.append_line, read_text(form, "text"), by)
    return go_on("/about", by.turn)


async def change(request: Request, form: FormData) -> str:
    """POST /app/about/{line}: {text, digest}, as it was shown; or {delete}."""
    memory, by, line = (await find_workspace(request)).handles.memory, make_edit(), int(request.path_params["line"])
    shown, text = {line: read_text(form, "digest")}, read_text(form, "text")
    if "delete" in form:
        await run_in_threadpool(memory.delete_line, line, by, shown)
    else:
        await run_in_threadpool(memory.replace_line, line, text, by, shown)
    return go_on("/about", by.turn)


async def introduce(request: Request, form: FormData) -> str:
    """POST /app/welcome: {name, ana_timezone, ana_language}: who the person is, where, and how they speak."""
    opened, by = await find_workspace(request), make_edit()
    name, zone = read_text(form, "name"), read_text(form, "ana_timezone")
    wanted = {"ana_timezone": zone, "ana_language": read_text(form, "ana_language")}
    known = {"ana_timezone": opened.handles.clock.zone_name, "ana_language": "en"}
    free = wanted.keys() - list_fixed(opened.workspace)
    if changed := {name: wanted[name] for name in free if wanted[name] not in ("", known[name])}:
        await run_in_threadpool(save_settings, opened.workspace, changed)
    if name:
        await run_in_threadpool(opened.handles.memory.append_line, f"Name: {name}", by)
    return go_on("/chat/new", by.turn if name else "")


def _list_lines(handles: DataHandles) -> list[ShownLine]:
    told = explain_lines(handles)
    return [ShownLine(number, *row, digest=digest_line(row[0])) for number, row in told.items()]
