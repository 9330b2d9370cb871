"""A backup: everything of one person in one ZIP, which can fill a folder or a database.

Each part is a file of JSON, a line for each row; the vectors of records are float32 in a file beside theirs, in the
order of its lines. The manifest comes last, with the number of rows and the digest of each part.
"""

import json
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np

from ana import __version__
from ana.archive.parts import TABLES, Row, dump_line, dump_row, load_line, load_row
from ana.archive.side import JOURNAL, PARTS, RECORDS, Part, Side, digest, dump_entry, load_entry
from ana.backends.chroma.care.files import MANIFEST, CopyNote
from ana.backends.whole import StoreSource
from ana.embedders.base import Vector
from ana.errors import AnaError, UserError
from ana.memory.changes import Entry, Kind
from ana.memory.item import Item, from_json, to_json

FORMAT = 4
"""The format of backups; earlier ones are copies of a data folder's files, with its format."""

LONGEST = 10**9
"""Most bytes of a line."""

BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError),
    *(KeyError, ValueError, TypeError, RuntimeError, OverflowError),
)
"""Errors of zipfile for changed bytes, and errors of reading lines."""


@dataclass(frozen=True)
class Manifest(CopyNote):
    """A backup's description, with its parts, the embedder of the vectors, and numbers that must not be reused."""

    parts: dict[str, Part] = field(default_factory=dict)
    embedder: str = ""
    last_entry: int = 0
    next_line: int = 0


FILES = {f"{part}.jsonl" for part in PARTS} | {f"{name}.f32" for name in RECORDS.values()}
"""The files in a backup, beside its manifest."""


def write_archive(side: Side, person: str, to: Path) -> Manifest:
    """Write everything of one person into a file, which appears only when it is complete."""
    to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, part = tempfile.mkstemp(prefix=f".{to.name}.", suffix=".part", dir=to.parent)
    draft = Path(part)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                parts = {t: _write(archive, t, (dump_row(t, row) for row in side.rows.read(t))) for t in TABLES}
                with side.alone():
                    parts |= _write_store(archive, side.store)
                    store = parts, side.store.embedder_name, *side.store.numbers()
                manifest = Manifest(FORMAT, __version__, len(FILES), person, *store)
                archive.writestr(MANIFEST, json.dumps(asdict(manifest)))
            file.flush()
            os.fsync(file.fileno())
        draft.rename(to)
    finally:
        draft.unlink(missing_ok=True)
    return manifest


def _write_store(archive: zipfile.ZipFile, store: StoreSource) -> dict[str, Part]:
    parts = {JOURNAL: _write(archive, JOURNAL, map(dump_entry, store.entries()))}
    for kind, name in RECORDS.items():
        with tempfile.TemporaryFile() as vectors:
            parts[name] = _write(archive, name, _iter_records(store, kind, vectors))
            vectors.seek(0)
            with archive.open(f"{name}.f32", "w", force_zip64=True) as member:
                while some := vectors.read(1 << 20):
                    member.write(some)
    return parts


def _iter_records(store: StoreSource, kind: Kind, vectors: IO[bytes]) -> Iterator[bytes]:
    for item, vector in store.scan(kind):
        vectors.write(np.asarray(vector, np.float32).tobytes())
        yield dump_line(to_json(item))


def _write(archive: zipfile.ZipFile, part: str, lines: Iterator[bytes]) -> Part:
    with archive.open(f"{part}.jsonl", "w", force_zip64=True) as member:

        def write_lines() -> Iterator[bytes]:
            for line in lines:
                member.write(line)
                yield line

        return digest(part, write_lines())


class Archive:
    """A backup to read from: a `StoreSource`, and a source of rows.

    Args:
        opened: Closes the files at the end.
    """

    def __init__(self, archive: zipfile.ZipFile, manifest: Manifest, opened: ExitStack) -> None:
        self._archive, self._manifest, self._opened = archive, manifest, opened

    @property
    def embedder_name(self) -> str:
        return self._manifest.embedder

    def count(self, kind: Kind) -> int:
        return self._manifest.parts[RECORDS[kind]].rows

    def scan(self, kind: Kind) -> Iterator[tuple[Item, Vector]]:
        name, rows = RECORDS[kind], self.count(kind)
        size, rest = divmod(self._archive.getinfo(f"{name}.f32").file_size, max(rows, 1))
        if rest or (rows and not size):
            raise ValueError(f"{name}.f32 has not a vector for each of {rows} rows")
        vectors = self._open(f"{name}.f32")
        for line in self._iter_lines(name):
            yield from_json(load_line(line)), np.frombuffer(vectors.read(size), np.float32)

    def entries(self) -> Iterator[Entry]:
        return (load_entry(load_line(line)) for line in self._iter_lines(JOURNAL))

    def numbers(self) -> tuple[int, int]:
        return self._manifest.last_entry, self._manifest.next_line

    def read(self, table: str) -> Iterator[Row]:
        return (load_row(table, line) for line in self._iter_lines(table))

    def _iter_lines(self, part: str) -> Iterator[bytes]:
        return iter(partial(self._open(f"{part}.jsonl").readline, LONGEST), b"")

    def _open(self, name: str) -> IO[bytes]:
        return self._opened.enter_context(self._archive.open(name))


@contextmanager
def open_archive(path: Path, manifest: Manifest) -> Iterator[Side]:
    """Yield a backup's contents; the reader must check the types of its rows.

    Raises:
        UserError: It is not a valid backup; nothing was changed.
    """
    try:
        with zipfile.ZipFile(path) as archive, ExitStack() as opened:
            source = Archive(archive, manifest, opened)
            yield Side(source, source)
    except AnaError:  # some are RuntimeErrors too
        raise
    except BROKEN as exc:
        raise UserError(f"{path} is not a complete backup: {exc}.", "Use another one; nothing was changed.") from exc
