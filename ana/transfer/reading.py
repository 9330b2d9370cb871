"""A file or folder that is brought in, whatever wrote it."""

from datetime import tzinfo
from pathlib import Path

from ana.transfer.bundle import Bundle, is_export, read_export
from ana.transfer.foreign.detect import find_reader
from ana.transfer.whose import tell_past


def read_source(path: Path, zone: tzinfo, *, is_bounded: bool = False) -> Bundle | None:
    """Return the records of an export or of another program's file, in the person's zone; None if nothing reads it.

    With `is_bounded` an export may have no more records than another program's file. Raises UserError if it cannot be
    read, or records of it cannot; they are named.
    """
    if path.is_file() and is_export(path):
        bundle = read_export(path, is_bounded=is_bounded)
        return tell_past(bundle) if bundle.format == 1 else bundle
    reader = find_reader(path)
    return reader(path, zone) if reader else None
