"""The choice of a reader for a file or folder, by its content."""

import csv
import re
from collections.abc import Callable
from datetime import tzinfo
from pathlib import Path

from ana.backends.chroma.client import read_collections
from ana.transfer.bundle import Bundle
from ana.transfer.foreign import agent_native, todoist
from ana.transfer.records import read_bytes

Reader = Callable[[Path, tzinfo], Bundle]


def find_reader(path: Path) -> Reader | None:
    """Return the reader for a file or folder, None if none fits; UserError if there is none, or it may not be read.

    A damaged file has a reader as well, which reports the damage.
    """
    if path.is_dir():
        names, keys = read_collections(path)
        is_theirs = names & {agent_native.ITEMS, agent_native.CONTEXT} and agent_native.OURS not in keys
        return agent_native.read if is_theirs else None
    data = read_bytes(path).removeprefix(b"\xef\xbb\xbf").lstrip()
    if data[:15].upper() == b"BEGIN:VCALENDAR":
        from ana.transfer.ics import reader  # its library is loaded only for such a file

        return reader.read
    header = re.split(rb"[\r\n]", data, maxsplit=1)[0][:1000].decode("utf-8", "replace")
    columns = {name.strip().upper() for name in next(csv.reader([header]), [])}
    return todoist.read if {"TYPE", "CONTENT"} <= columns else None
