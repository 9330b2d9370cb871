"""What another program left, read by its content: a calendar, a Chroma folder, or rows of a table."""

from collections.abc import Callable
from datetime import tzinfo
from pathlib import Path

from ana.backends.chroma.client import read_collections
from ana.errors import UserError
from ana.transfer.bundle import Bundle
from ana.transfer.foreign import agent_native
from ana.transfer.foreign.columns import Columns, find_known, name_known, read_columns
from ana.transfer.foreign.rows import read_rows
from ana.transfer.foreign.tables import Table, read_tables
from ana.transfer.foreign.todoist import read_outline
from ana.transfer.records import read_bytes, show_path

Choose = Callable[[Table, Columns | None], Columns]
"""Says what the columns of a table are, given what is known of them."""


def choose_known(table: Table, known: Columns | None) -> Columns:
    """Return what is known of a table. Raises UserError if that is nothing."""
    return known or read_columns({}, table.columns)


def read_foreign(path: Path, zone: tzinfo, choose: Choose = choose_known) -> Bundle | None:
    """Return the records of another program's file or folder, in the person's zone; None if it has none.

    Raises UserError if it cannot be read, or records of it cannot, which are named; and as `choose` does.
    """
    if path.is_dir():
        names, keys = read_collections(path)
        if names & {agent_native.ITEMS, agent_native.CONTEXT} and agent_native.OURS not in keys:
            return agent_native.read(path, zone)
        if agent_native.OURS in keys or (path / "chroma").is_dir():  # a folder of ana itself
            return None
    elif read_bytes(path).removeprefix(b"\xef\xbb\xbf").lstrip()[:15].upper() == b"BEGIN:VCALENDAR":
        from ana.transfer.ics import reader  # its library is loaded only for such a file

        return reader.read(path, zone)
    tables = [(table, find_known(table.columns)) for table in read_tables(path, name_known)]
    if len(unknown := [table.name for table, known in tables if known is None]) > 1:
        raise UserError(
            f"{show_path(path)} has several kinds of files: {', '.join(unknown)}.", "Import each by itself."
        )
    whole = Bundle()
    for table, known in tables:
        plain = read_outline(table) if known and known.program == "todoist" else table
        part = read_rows(path, plain, choose(table, known), zone)
        whole.items += part.items
        whole.notes += part.notes
        whole.columns += part.columns
    return whole if tables else None
