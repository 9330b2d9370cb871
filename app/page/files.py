"""What a person has, as files: an export, a calendar, a backup to keep; a file that is brought in."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from ana.archive.backup import back_up
from ana.errors import UserError
from ana.files import open_draft
from ana.handles import Handles
from ana.transfer.exporter import export_lines
from ana.transfer.foreign.columns import ROLES
from ana.transfer.ics.writer import write_calendar
from ana.translation import _
from app.page.acts import go_on
from app.page.forms import read_text
from app.page.importing import MANY, SMALL, Importing, show_growing, show_rows
from app.page.shell import HEADERS, render
from app.server.answers import find_workspace
from app.server.request_threads import run_in_threadpool


async def give(request: Request) -> Response:
    """GET /app/files/{name}: ana.jsonl, ana.ics or ana-backup.zip."""
    handles, name = (await find_workspace(request)).handles, request.path_params["name"]
    write = WRITERS.get(name)
    if write is None:
        raise UserError("There is no such file.", _("There are {names}.").format(names=", ".join(WRITERS)))
    folder = Path(await run_in_threadpool(tempfile.mkdtemp))
    file = folder / name
    done = BackgroundTask(_remove, file)
    try:
        await run_in_threadpool(write, handles, file)
    except BaseException:
        _remove(file)
        raise
    return FileResponse(file, filename=name, background=done, headers=HEADERS)


async def take(request: Request, form: FormData) -> Response | str:
    """POST /app/files: {file, whose: mine|others}, a file that `ana import` reads; what is different here stays.

    Rows are shown before they come in. What takes a while is answered by a page that grows while it works; leaving it
    ends the work, and nothing was done.
    """
    opened, file, said = await find_workspace(request), form.get("file"), read_text(form, "whose")
    if not isinstance(file, UploadFile) or not file.filename:
        raise UserError("There is no file.", "Choose one.")
    if opened.imports:
        raise UserError("Another file is being brought in.", "Wait until it is through, or stop it.")
    importing = Importing(opened, "mine" if said == "mine" else "others" if said else None)
    if await run_in_threadpool(importing.keep, file) > SMALL and not importing.is_rows:
        return await show_growing(request, importing)
    await importing.read()
    if importing.bundle.columns:
        opened.import_preview = importing
        return await show_rows(request, importing)
    return await _store(request, importing)


async def take_rows(request: Request, form: FormData) -> Response | str:
    """POST /app/files/rows: {key, again?} and what each column is, of rows that were shown: they come in."""
    opened = await find_workspace(request)
    importing = opened.import_preview
    if not isinstance(importing, Importing) or importing.key != read_text(form, "key"):
        raise UserError("This file is not here any more.", "Choose it again.")
    if read_text(form, "again"):
        said = {role: [str(each) for each in form.getlist(role) if each] for role in ROLES}
        if said["done"] and (words := read_text(form, "done_is")):
            said["done"] = [f"{said['done'][0]} = {words}"]
        importing.said = said
        await importing.read()
        return await show_rows(request, importing)
    opened.import_preview = None
    return await _store(request, importing)


async def _store(request: Request, importing: Importing) -> Response | str:
    if importing.count > MANY:
        return await show_growing(request, importing)
    result = await importing.store()
    if result.turn and not result.notes and not result.conflicting:
        return go_on("/settings", result.turn)
    return await render(request, "imported.html", result=result)


def _write_export(handles: Handles, file: Path) -> None:
    with open_draft(file, 0o600) as written:
        written.writelines(export_lines(handles.memory.backend))


def _write_calendar(handles: Handles, file: Path) -> None:
    with open_draft(file, 0o600) as written:
        written.write(write_calendar(handles.memory.items(), handles.clock.zone)[0])


WRITERS: dict[str, Callable[[Handles, Path], object]] = {
    "ana.jsonl": _write_export,
    "ana.ics": _write_calendar,
    "ana-backup.zip": back_up,
}


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
    os.rmdir(file.parent)
