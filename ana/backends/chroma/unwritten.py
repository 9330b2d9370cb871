"""Index files that Chroma creates before it has an index, filled with whatever the process had in its memory.

The files of a collection that has never saved its index (below 1,000 records) are created again by every process that
opens it, 116 KB of memory that was not initialised: texts that were deleted long ago, and anything else. Nothing in
them is ever read, so they are overwritten with zeros.
"""

from contextlib import suppress
from pathlib import Path

_SAVED = "index_metadata.pickle"
"""Chroma writes it when it saves an index, and reads an index only beside it."""

_FILES = ("data_level0.bin", "length.bin")


def blank_unwritten(chroma: Path, known: dict[Path, int]) -> None:
    """Overwrite the index files of collections without an index.

    Args:
        chroma: Chroma's own folder.
        known: The files that were overwritten, with the time; brought up to date here.
    """
    with suppress(OSError):  # a folder that cannot be written: nothing was created either
        for segment in chroma.iterdir():
            if segment.is_dir() and not (segment / _SAVED).exists():
                for name in _FILES:
                    _blank(segment / name, known)


def _blank(path: Path, known: dict[Path, int]) -> None:
    if path.exists() and path.stat().st_mtime_ns != known.get(path):
        with path.open("r+b") as file:  # the same file, because Chroma has it open
            file.write(bytes(path.stat().st_size))
        known[path] = path.stat().st_mtime_ns
