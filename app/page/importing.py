"""The import of a file: its page grows during the work, and closing the page stops the work."""

import asyncio
import logging
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeVar
from weakref import finalize

from starlette.datastructures import UploadFile
from starlette.responses import Response, StreamingResponse

from ana.addresses import list_own_mail
from ana.archive.backup import back_up_before_import
from ana.errors import AnaError, UserError
from ana.files import FILE_ERRORS, describe_fault, open_draft
from ana.stopping import Work, working
from ana.transfer.bundle import Bundle
from ana.transfer.foreign.columns import ROLES, Columns, Program, read_columns
from ana.transfer.foreign.tables import SUFFIXES, Table
from ana.transfer.importer import ImportResult, import_bundle
from ana.transfer.reading import read_source
from ana.transfer.whose import Whose, tell_whose
from ana.translation import _, mark_text
from app.columns import FINISHED, ColumnChooser
from app.page.forms import read_form_token
from app.page.shell import HEADERS, draw, render
from app.page.visits import Page, Visit
from app.server.request_threads import run_in_threadpool
from app.server.workspaces import OpenWorkspace

LONGEST_NAME = 100
"""Characters of a file's name, the last ones."""

TOLD_EVERY = 1.0
"""Seconds between two looks at how far it is."""

_SEAM = "(what grows)"

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Importing:
    """One import: a file is saved, read and stored, in the person's threads.

    Args:
        opened: The person's workspace.
        whose: The author of the file's texts, if the person names one; else None.
    """

    def __init__(self, opened: OpenWorkspace, whose: Whose | None) -> None:
        self._opened, self.handles, self._whose = opened, opened.handles, whose
        self._path = Path()
        self.bundle: Bundle | None = None
        """What was read."""
        self.key = secrets.token_hex(8)
        """Names it in a form."""
        self.said: Mapping[str, Any] = {}
        """What the person says of the columns of rows."""
        self.names: list[str] = []
        """The columns of rows."""
        self.fault = ""
        """Why nobody knows what they are."""
        self._work = Work(self._tell)
        self.told = _("Reading the file.")
        """How far it is."""

    @property
    def is_rows(self) -> bool:
        """Whether the file's name is that of a table; then a preview of its rows is shown first."""
        return self._path.suffix.lower() in (*SUFFIXES, ".zip")

    def keep(self, file: UploadFile) -> None:
        """Save the file until it is read."""
        name = "".join(each for each in Path(file.filename or "file").name[-LONGEST_NAME:] if each.isprintable())
        folder = mkdtemp()
        finalize(self, shutil.rmtree, folder, ignore_errors=True)  # rows may be read again
        self._path = Path(folder) / (name.strip(". ") or "file")  # of some programs it is that of the list
        with open_draft(self._path, 0o600) as kept:
            shutil.copyfileobj(file.file, kept)

    async def read(self) -> Bundle:
        """Read the file. Raises UserError if it contains nothing to import; WorkStopped if it is stopped."""
        self.bundle = await self._do(self._read)
        return self.bundle

    async def store(self) -> ImportResult:
        """Store all that was read, or nothing. Errors as of `read` and `import_bundle`."""
        bundle = self.bundle or await self.read()
        return await self._do(lambda: self._store(bundle))

    def stop(self) -> None:
        """Stop the import at its next step, unless its items are being stored."""
        self._work.stop()

    async def _do(self, step: Callable[[], T]) -> T:
        def run() -> T:
            with working(self._work):
                return step()

        self._opened.imports += 1
        try:
            return await run_in_threadpool(run)
        finally:
            self._opened.imports -= 1

    def _read(self) -> Bundle:
        try:
            if bundle := read_source(self._path, self.handles.clock.zone, self._choose, is_bounded=True):
                return tell_whose(bundle, self._whose, list_own_mail(self.handles.settings.ana_notify))
        except UserError as exc:
            said = exc.message.replace(str(self._path), "this file")
            raise UserError(said[:1].upper() + said[1:], exc.hint) from exc
        hint = mark_text(
            "An export of ana can, a calendar (.ics), and rows: CSV, TSV, JSON, Markdown, or a ZIP of them."
        )
        raise UserError("This file cannot be brought in.", hint)

    def _choose(self, table: Table, known: Program | None) -> Columns:
        self.names, self.fault = table.columns, ""
        try:
            return ColumnChooser(self.handles, self.said).choose(table, known)
        except UserError as exc:
            self.fault = exc.message
            return read_columns({"title": table.columns[0]}, table.columns)

    def _store(self, bundle: Bundle) -> ImportResult:
        if bundle.changes:
            back_up_before_import(self.handles)
        return import_bundle(self.handles.memory, bundle)

    def _tell(self, done: int, total: int) -> None:
        told = _("{done:,} of {total:,} are prepared.") if done < total else _("All {total:,} are being stored.")
        self.told = told.format(done=done, total=total)


def show_rows(importing: Importing, bundle: Bundle) -> Page:
    """Return the page of rows before their import: the meaning of their columns, the first items, and their number."""
    items = bundle.items[:FINISHED]
    return Page("columns.html", importing=importing, bundle=bundle, items=items, roles=ROLES)


async def show_growing(visit: Visit, importing: Importing) -> Response:
    """Return the page of an import that runs while the page is sent, and stops if the page is closed."""
    page = Page("importing.html", seam=_SEAM)
    drawn = await render(visit.request, page, visit.known)
    before, _, after = bytes(drawn.body).decode().partition(_SEAM)
    storing = asyncio.create_task(_store(importing))

    async def grow() -> AsyncIterator[str]:
        told = ""
        try:
            yield before
            while not storing.done():
                if importing.told != told:
                    told = importing.told
                    yield draw("import_step.html", told=told)
                await asyncio.wait([storing], timeout=TOLD_EVERY)
            token = read_form_token(visit.request)
            yield draw("import_end.html", form_token=token, **storing.result()) + after
        finally:
            importing.stop()

    # a proxy that waits for all of it would show nothing until the end
    headers = {**HEADERS, "x-accel-buffering": "no"}
    return StreamingResponse(grow(), headers=headers, media_type="text/html")


async def _store(importing: Importing) -> dict[str, Any]:
    """Return the result of an import, or why it failed: the answer has begun, so its status cannot show it."""
    try:
        return {"result": await importing.store(), "failed": ""}
    except AnaError as exc:
        return {"result": None, "failed": exc.sentence()}
    except FILE_ERRORS as exc:
        _log.warning("an import failed: %s", exc)
        return {"result": None, "failed": _("The files could not be used: {fault}.").format(fault=describe_fault(exc))}
