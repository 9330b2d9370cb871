"""Helpers of all readers of files: UTF-8 or an error, ids made from the source, one error for all bad records."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TypeVar

from ana.errors import ToolError, UserError
from ana.files import describe_fault
from ana.memory.item import spell_id
from ana.output import quote
from ana.stopping import check_stopped
from ana.values import Properties, plain_text

MOST = 10
"""How many bad records an error names."""

MOST_RECORDS = 100_000
"""How many records another program's file may have, or any file that comes in over HTTP: they are read at once."""
LONGEST = 120
"""Characters that are shown of a record of which something is said."""

Record = TypeVar("Record")
T = TypeVar("T")


class BadRecord(ValueError):
    """A record cannot be read; the message ends a sentence that begins with the record's place."""


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file. Raises UserError if it does not exist, is a folder, or may not be read."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as exc:
        hint = "Name a file that exists and may be read."
        raise UserError(f"{show_path(path)} cannot be read: {describe_fault(exc)}.", hint) from exc


def decode_text(path: Path, data: bytes) -> str:
    """Return the text of a file's bytes, without a byte-order mark.

    Raises UserError if it is empty, or is not UTF-8; the first line that is not is named.
    """
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        raise UserError(f"{show_path(path)} is empty.", "Export it again from the program that wrote it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = data.count(b"\n", 0, exc.start) + 1
        raise make_refusal(path, [f"line {line} is not UTF-8"], "Save the file as UTF-8 and import it again.") from exc


def is_calendar(data: bytes) -> bool:
    """Return whether a file's bytes begin like a calendar."""
    return data.removeprefix(b"\xef\xbb\xbf").lstrip()[:15].upper() == b"BEGIN:VCALENDAR"


def require_few(path: Path, count: int) -> None:
    """Raise UserError if a file has more records than are read from one file."""
    if count > MOST_RECORDS:
        message = f"{show_path(path)} has more than {MOST_RECORDS:,} records."
        raise UserError(message, "Nothing was imported. Import it in parts.")


def read_each(path: Path, records: Iterable[tuple[str, Record]], read: Callable[[Record], T | None]) -> list[T]:
    """Return the result of a function for every record and its place, such as "line 3"; None is left out.

    Raises UserError, which names the first ten with their places, if `read` raises BadRecord or ToolError for some.
    """
    results, bad = [], []
    for place, record in records:
        check_stopped()
        try:
            results.append(read(record))
        except (BadRecord, ToolError) as exc:
            why = exc.sentence() if isinstance(exc, ToolError) else str(exc)
            bad.append(f"{place}: {why.rstrip('.')}")
    if bad:
        raise make_refusal(path, bad)
    return [each for each in results if each is not None]


def make_refusal(
    path: Path, bad: list[str], hint: str = "Correct or remove these records, and import again."
) -> UserError:
    """Return the error that names bad records, `bad`, each with its place and its fault."""
    more = f"; and {len(bad) - MOST:,} more" if len(bad) > MOST else ""
    return UserError(f"Nothing was imported from {show_path(path)}: {plain_text('; '.join(bad[:MOST]))}{more}.", hint)


def make_notes(named: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a sentence for each remark about records, with the number of these records and the first ten of them."""
    notes = []
    for fact, records in named.items():
        names = ", ".join(quote(record, LONGEST) for record in records[:MOST])
        more = f" and {len(records) - MOST:,} more" if len(records) > MOST else ""
        notes += [f"{fact} ({len(records):,}): {names}{more}."] if records else []
    return notes


def show_path(path: Path) -> str:
    """Return a path in a form for messages."""
    return plain_text(str(path))


def drop_empty(properties: Properties) -> Properties:
    """Return the properties without null, empty texts and empty lists."""
    return {name: value for name, value in properties.items() if value is not None and value != "" and value != []}


def derive_id(source: str) -> str:
    """Return the id for an item's source: the program and the item's id there."""
    # so a second import finds the items of the first
    return spell_id(hashlib.sha256(plain_text(source).encode()).digest())


def to_stamp(moment: datetime) -> str:
    """Return a moment in the store's form; see `Clock.stamp`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def read_modified(path: Path) -> str:
    """Return the time at which a file was last written, the stamp for records without one of their own."""
    return to_stamp(datetime.fromtimestamp(path.stat().st_mtime, UTC))


def to_local(moment: datetime, zone: tzinfo) -> str:
    """Return an aware moment as a date property in a zone; midnight there gives the bare day. Raises OverflowError."""
    here = moment.astimezone(zone).replace(tzinfo=None)
    if here == datetime.combine(here, datetime.min.time()):
        return here.date().isoformat()
    return here.isoformat(timespec="seconds" if here.second else "minutes")
