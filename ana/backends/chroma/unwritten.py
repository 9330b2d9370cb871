"""Index files that Chroma creates before it has an index, filled with whatever the process had in its memory.

The files of a collection that has never saved its index (below 1,000 records) are created again by every process that
opens it, 116 KB of memory that was not initialised: texts that were deleted long ago, and anything else. Nothing in
them is ever read, so they are overwritten with zeros.
"""

import os
from contextlib import suppress
from pathlib import Path

from ana.errors import LinkRefused
from ana.files import open_own

_SAVED = "index_metadata.pickle"
"""Chroma writes it when it saves an index, and reads an index only beside it."""

_FILES = ("data_level0.bin", "length.bin")


def blank_unwritten(chroma: Path, known: dict[str, int]) -> None:
    """Overwrite the index files of collections without an index.

    Args:
        chroma: Chroma's own folder.
        known: The files that were overwritten, with the time; brought up to date here.
    """
    # strings and os functions: this runs whenever the folder is released, and pathlib takes three times as long
    # where the folder cannot be written, nothing was created either
    with suppress(OSError), os.scandir(chroma) as entries:
        for segment in entries:
            if segment.is_dir(follow_symlinks=False) and not os.path.exists(f"{segment.path}/{_SAVED}"):
                for name in _FILES:
                    _blank(f"{segment.path}/{name}", known)


def _blank(path: str, known: dict[str, int]) -> None:
    with suppress(FileNotFoundError, LinkRefused):
        found = os.stat(path)
        if found.st_mtime_ns != known.get(path):
            # the same file, because Chroma has it open
            with os.fdopen(open_own(path, os.O_RDWR), "r+b") as file:
                file.write(bytes(found.st_size))
            known[path] = os.stat(path).st_mtime_ns
