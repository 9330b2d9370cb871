"""A person's data as files: an export, a calendar, a backup to keep; and the import of a file."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.datastructures import UploadFile
from starlette.responses import FileResponse, Response

from ana.archive.backup import back_up
from ana.errors import UserError
from ana.files import open_draft
from ana.handles import Handles
from ana.transfer.exporter import export_lines
from ana.transfer.foreign.columns import ROLES
from ana.transfer.ics.writer import write_calendar
from ana.translation import _
from app.page.importing import Importing, show_growing, show_rows
from app.page.shell import HEADERS
from app.page.visits import Answer, Visit
from app.server.request_threads import run_in_threadpool


def give(visit: Visit) -> Response:
    """GET /app/files/{name}: ana.jsonl, ana.ics or ana-backup.zip."""
    name = visit.find("name")
    if name not in WRITERS:
        raise UserError("There is no such file.", _("There are {names}.").format(names=", ".join(WRITERS)))
    file = Path(tempfile.mkdtemp()) / name
    try:
        WRITERS[name](visit.handles, file)
    except BaseException:
        _remove(file)
        raise
    return FileResponse(file, filename=name, background=BackgroundTask(_remove, file), headers=HEADERS)


async def take(visit: Visit) -> Answer:
    """POST /app/files: {file, whose: mine|others}, a file that `ana import` reads; records that differ here stay
    unchanged.

    Rows are shown before they are imported. The page of an import grows during the work; leaving it stops the import,
    and nothing is stored.
    """
    file, said = visit.form.get("file"), visit.read("whose")
    if not isinstance(file, UploadFile) or not file.filename:
        raise UserError("There is no file.", "Choose one.")
    if visit.opened.imports:
        raise UserError("Another file is being brought in.", "Wait until it is through, or stop it.")
    importing = Importing(visit.opened, "mine" if said == "mine" else "others" if said else None)
    await run_in_threadpool(importing.keep, file)
    if importing.is_rows:
        bundle = await importing.read()
        if bundle.columns:
            visit.opened.import_preview = importing
            return show_rows(importing, bundle)
    return await show_growing(visit, importing)


async def take_rows(visit: Visit) -> Answer:
    """POST /app/files/rows: {key, again?} and the meaning of each column: import the rows that were shown."""
    importing = visit.opened.import_preview
    if not isinstance(importing, Importing) or importing.key != visit.read("key"):
        raise UserError("This file is not here any more.", "Choose it again.")
    if visit.read("again"):
        said = {role: [str(each) for each in visit.form.getlist(role) if each] for role in ROLES}
        if said["done"] and (words := visit.read("done_is")):
            said["done"] = [f"{said['done'][0]} = {words}"]
        importing.said = said
        return show_rows(importing, await importing.read())
    visit.opened.import_preview = None
    return await show_growing(visit, importing)


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
