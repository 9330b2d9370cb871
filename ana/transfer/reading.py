"""Reading a file or folder from any program, which is recognised by its content."""

import zipfile
from collections.abc import Callable
from datetime import tzinfo
from pathlib import Path

from ana.backends.chroma.care.files import MANIFEST
from ana.errors import UserError
from ana.transfer.bundle import Bundle, is_export, read_export
from ana.transfer.foreign.columns import Columns, Program, find_known, read_columns
from ana.transfer.foreign.rows import read_rows
from ana.transfer.foreign.tables import Table, read_table
from ana.transfer.records import is_calendar, read_bytes, require_few, show_path
from ana.transfer.whose import tell_past

Choose = Callable[[Table, Program | None], Columns]
"""Says what the columns of a table are, given its program if that is known."""


def read_source(path: Path, zone: tzinfo, choose: Choose | None = None, *, is_bounded: bool = False) -> Bundle | None:
    """Return the records of an export or of another program's file, in the person's zone; None if nothing reads it.

    With `is_bounded` an export may have no more records than another program's file. Raises UserError if it cannot be
    read, or names records in it that cannot; also with the errors of `choose`, and without `choose`, if the columns are
    unknown.
    """
    if path.is_dir():
        if (path / "chroma").is_dir():  # a folder of ana itself
            return None
    elif _is_backup(path):
        raise UserError(f"{show_path(path)} is a backup.", "`ana restore` reads backups.")
    elif path.is_file() and is_export(path):
        bundle = read_export(path, is_bounded=is_bounded)
        return tell_past(bundle) if bundle.format == 1 else bundle
    elif is_calendar(read_bytes(path)):
        from ana.transfer.ics import reader  # its library is loaded only for such a file

        return reader.read(path, zone)
    if (table := read_table(path)) is None:
        return None
    require_few(path, len(table.rows))
    known = find_known(table.columns)
    columns = choose(table, known) if choose else read_columns({}, table.columns, known)
    return read_rows(path, table, columns, zone)


def _is_backup(path: Path) -> bool:
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return MANIFEST in archive.namelist()
