"""A backup: everything of one person in one ZIP, which can fill a folder or a database.

Each part is a file of JSON, a line for each row; the vectors of records are float32 in a file beside theirs, in the
order of its lines. The manifest comes last, with the number of rows and the digest of each part.
"""

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from ana import __version__
from ana.archive.parts import PARTS, RECORDS, STORE, TABLES, Part, digest, dump, load
from ana.archive.place import Place
from ana.backends.chroma.care.files import MANIFEST, CopyNote
from ana.embedders.base import Vector

FORMAT = 4
"""The format of backups; earlier ones are copies of a data folder's files, with its format."""


@dataclass(frozen=True)
class Manifest(CopyNote):
    """A backup's description, with its parts, the embedder of the vectors, and numbers that must not be reused."""

    parts: dict[str, Part] = field(default_factory=dict)
    embedder: str = ""
    last_entry: int = 0
    next_line: int = 0


FILES = {f"{part}.jsonl" for part in PARTS} | {f"{part}.f32" for part in RECORDS}
"""The files in a backup, beside its manifest."""


def write_archive(place: Place, person: str, to: Path) -> Manifest:
    """Write everything of one person into a file, which appears only when it is complete."""
    to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(prefix=f".{to.name}.", suffix=".part", dir=to.parent)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                parts = {table: _write(archive, table, place.read(table)) for table in TABLES}
                with place.alone():
                    parts |= {part: _write(archive, part, place.read(part)) for part in STORE}
                    store = parts, place.embedder_name, *place.numbers()
                manifest = Manifest(FORMAT, __version__, len(FILES), person, *store)
                archive.writestr(MANIFEST, json.dumps(asdict(manifest)))
            file.flush()
            os.fsync(file.fileno())
        draft.rename(to)
    finally:
        draft.unlink(missing_ok=True)
    return manifest


def _write(archive: zipfile.ZipFile, part: str, rows: Iterable[Any]) -> Part:
    with tempfile.TemporaryFile() as vectors:
        with archive.open(f"{part}.jsonl", "w", force_zip64=True) as lines:
            written = digest(part, _write_lines(part, rows, lines, vectors))
        if part in RECORDS:
            vectors.seek(0)
            with archive.open(f"{part}.f32", "w", force_zip64=True) as member:
                shutil.copyfileobj(vectors, member)
    return written


def _write_lines(part: str, rows: Iterable[Any], lines: IO[bytes], vectors: IO[bytes]) -> Iterator[bytes]:
    for row in rows:
        line = dump(part, row)
        lines.write(line)
        if part in RECORDS:
            vectors.write(np.asarray(row[1], np.float32).tobytes())
        yield line


class Archive:
    """A backup to read from, like a `Place`.

    Args:
        opened: Closes the files at the end.
    """

    def __init__(self, archive: zipfile.ZipFile, manifest: Manifest, opened: ExitStack) -> None:
        self._archive, self._manifest, self._opened = archive, manifest, opened

    @property
    def embedder_name(self) -> str:
        return self._manifest.embedder

    def numbers(self) -> tuple[int, int]:
        return self._manifest.last_entry, self._manifest.next_line

    def read(self, part: str) -> Iterator[Any]:
        rows = (load(part, line) for line in self._open(f"{part}.jsonl"))
        return zip(rows, self._read_vectors(part), strict=True) if part in RECORDS else rows

    def _read_vectors(self, part: str) -> Iterator[Vector]:
        size = self._archive.getinfo(f"{part}.f32").file_size // max(self._manifest.parts[part].rows, 1)
        for vector in iter(partial(self._open(f"{part}.f32").read, size), b""):
            yield np.frombuffer(vector, np.float32)

    def _open(self, name: str) -> IO[bytes]:
        return self._opened.enter_context(self._archive.open(name))
