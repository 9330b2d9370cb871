"""A file or folder that is brought in, whatever wrote it."""

from datetime import tzinfo
from pathlib import Path

from ana.transfer.bundle import Bundle, is_export, read_export
from ana.transfer.foreign.detect import Choose, choose_known, read_foreign
from ana.transfer.whose import tell_past


def read_source(path: Path, zone: tzinfo, choose: Choose = choose_known, *, is_bounded: bool = False) -> Bundle | None:
    """Return the records of an export or of another program's file, in the person's zone; None if nothing reads it.

    With `is_bounded` an export may have no more records than another program's file. Raises UserError if it cannot be
    read, or records of it cannot; they are named.
    """
    if path.is_file() and is_export(path):
        bundle = read_export(path, is_bounded=is_bounded)
        return tell_past(bundle) if bundle.format == 1 else bundle
    return read_foreign(path, zone, choose)
