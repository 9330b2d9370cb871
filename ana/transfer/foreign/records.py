"""What the readers share: UTF-8 or an error, ids that follow from the source, and one error for all bad records."""

import hashlib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TypeVar

from ana.errors import ToolError, UserError
from ana.memory.ids import short_id
from ana.memory.item import Item, check_properties
from ana.values import Properties, plain_text

MOST = 10
"""How many bad records an error names."""

Record = TypeVar("Record")
Made = TypeVar("Made")


class BadRecord(ValueError):
    """What is wrong with one record, as the end of a sentence that began with its place."""


def read_bytes(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        UserError: It is not there, is a folder, or may not be read.
    """
    try:
        return path.read_bytes()
    except (OSError, ValueError) as exc:
        raise UserError(
            f"{show_path(path)} cannot be read: {exc}.", "Name a file that is there and may be read."
        ) from exc


def read_text(path: Path) -> str:
    """The text of a file, without a byte-order mark.

    Raises:
        UserError: It cannot be read, is empty, or has lines that are not UTF-8; they are named.
    """
    data = read_bytes(path)
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        raise UserError(f"{show_path(path)} is empty.", "Export it again from the program that wrote it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        bad = [f"line {n} is not UTF-8" for n, line in enumerate(data.split(b"\n"), 1) if not _is_utf8(line)]
        raise refusal_error(path, bad, "Save the file as UTF-8 and import it again.") from exc


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def read_each(path: Path, records: Iterable[tuple[str, Record]], read: Callable[[Record], Made | None]) -> list[Made]:
    """What every record makes; those that make nothing are left out.

    Args:
        path: The file, for the message.
        records: Each with its place, such as "line 3".
        read: Makes it, or raises BadRecord or ToolError.

    Raises:
        UserError: Records that cannot be read; the first ten are named with their places.
    """
    made, bad = [], []
    for place, record in records:
        try:
            made.append(read(record))
        except (BadRecord, ToolError) as exc:
            bad.append(f"{place}: {str(exc).rstrip('.')}")
    if bad:
        raise refusal_error(path, bad)
    return [each for each in made if each is not None]


def refusal_error(
    path: Path, bad: list[str], hint: str = "Correct or remove these records, and import again."
) -> UserError:
    """The error that names bad records.

    Args:
        path: The file or folder.
        bad: What is wrong with each, its place first.
        hint: The next step.
    """
    more = f"; and {len(bad) - MOST:,} more" if len(bad) > MOST else ""
    return UserError(f"Nothing was taken from {show_path(path)}: {plain_text('; '.join(bad[:MOST]))}{more}.", hint)


def show_path(path: Path) -> str:
    """A path as a message can carry it."""
    return plain_text(str(path))


def check_item(item: Item) -> Item:
    """The item, if the store can keep it.

    Raises:
        ToolError: A property cannot be stored.
    """
    check_properties(item.properties)
    return item


def drop_empty(properties: Properties) -> Properties:
    """The properties that say something."""
    return {name: value for name, value in properties.items() if value is not None and value != "" and value != []}


def item_id(source: str) -> str:
    """The id that follows from where an item came from.

    Args:
        source: The program, and how that program tells the item from its others.
    """
    return short_id(hashlib.sha256(plain_text(source).encode()).digest())


def to_stamp(moment: datetime) -> str:
    """A moment as the store keeps it; see `Clock.stamp`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def read_modified(path: Path) -> str:
    """When a file was last written, as a stamp: what is known of the age of records that tell none."""
    return to_stamp(datetime.fromtimestamp(path.stat().st_mtime, UTC))


def to_local(moment: datetime, zone: tzinfo) -> str:
    """A moment as a date property: local midnight is the bare day.

    Args:
        moment: An aware one.
        zone: The person's.

    Raises:
        OverflowError: It lies beyond the calendar there.
    """
    here = moment.astimezone(zone).replace(tzinfo=None)
    if here == datetime.combine(here, datetime.min.time()):
        return here.date().isoformat()
    return here.isoformat(timespec="seconds" if here.second else "minutes")
