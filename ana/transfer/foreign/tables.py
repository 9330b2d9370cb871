"""Tables in files: CSV and TSV, JSON that has lists of objects, a folder or ZIP of such files and of Markdown notes."""

import csv
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ana.errors import UserError
from ana.transfer.foreign.columns import ABOVE, Row, Rows, find_known
from ana.transfer.foreign.markdown import read_notes
from ana.transfer.foreign.todoist import read_outline
from ana.transfer.records import decode_text, make_refusal, read_bytes, show_path
from ana.values import read_plain_json

MOST_COLUMNS = 100
MOST_BYTES = 200_000_000
"""How many bytes the files of a ZIP may have together."""

_MARKDOWN, _JSON = (".md", ".markdown"), ".json"
_SUFFIXES = (".csv", ".tsv", _JSON, *_MARKDOWN)


@dataclass
class Table:
    """Rows of one kind, with the columns in the file's order."""

    columns: list[str]
    rows: Rows


def read_table(path: Path) -> Table | None:
    """Return the table of a file, or of the files of a folder or ZIP together; None if there is none.

    Raises UserError if it cannot be read, has too many rows, or files of several kinds.
    """
    if path.is_dir():
        return _join(path)
    if not zipfile.is_zipfile(path):
        return _read_file(path)
    try:
        with zipfile.ZipFile(path) as archive, TemporaryDirectory() as folder:
            if sum(each.file_size for each in archive.infolist()) > MOST_BYTES:
                raise UserError(f"{show_path(path)} has more than {MOST_BYTES:,} bytes.", "Import it in parts.")
            archive.extractall(folder, [name for name in archive.namelist() if name.lower().endswith(_SUFFIXES)])
            return _join(Path(folder))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError) as exc:
        raise UserError(f"{show_path(path)} cannot be unpacked: {exc}.", "Unpack it, and name its folder.") from exc


def _join(folder: Path) -> Table | None:
    files = [each for each in sorted(folder.rglob("*")) if each.name.lower().endswith(_SUFFIXES) and each.is_file()]
    # what a program such as Obsidian keeps for itself begins with a dot
    files = [each for each in files if not any(part.startswith(".") for part in each.relative_to(folder).parts)]
    if len(kinds := {each.suffix.lower() for each in files}) > 1:
        raise UserError(f"{show_path(folder)} has files of several kinds.", f"Import {', '.join(sorted(kinds))} apart.")
    tables = [(file, table) for file in files if (table := _read_file(file))]
    columns = [*dict.fromkeys(name for _, table in tables for name in table.columns)]
    rows = [(f"{file.name}, {place}", row) for file, table in tables for place, row in table.rows]
    return Table(columns, rows) if tables else None


def _read_file(file: Path) -> Table | None:
    text = decode_text(file, read_bytes(file))
    if file.name.lower().endswith(_MARKDOWN):
        return _make_table([(f"line {line}", row) for line, row in read_notes(text, file.stem)])
    if file.name.lower().endswith(_JSON) or text.lstrip()[:1] in ("{", "["):
        return _read_json(file, text)
    return _read_csv(file, text)


def _make_table(rows: Rows) -> Table:
    return Table([*dict.fromkeys(name for _, row in rows for name in row)], rows)


def _read_json(file: Path, text: str) -> Table | None:
    """Return the first list of objects that a known program writes, else the longest list; without a list, the object
    itself.
    """
    try:
        value = read_plain_json(text)
    except ValueError as exc:
        raise make_refusal(file, [f"it is not JSON: {exc}"], "Export it again; it may be cut off.") from exc
    by_place: dict[str, list[Row]] = {}
    for place, row in _iter_objects(value):
        by_place.setdefault(place, []).append(row)
    tables = [_make_table([(f"record {n}", row) for n, row in enumerate(rows, 1)]) for rows in by_place.values()]
    known = (table for table in tables if find_known(table.columns))
    return next(known, None) or max(reversed(tables), key=lambda table: len(table.rows), default=None)


def _iter_objects(value: Any, place: str = "", above: Row | None = None) -> Iterator[tuple[str, Row]]:
    """Yield every object, with the place of its list; each object also gets the values around its list."""
    if isinstance(value, list):
        for each in value:
            yield from _iter_objects(each, place, above)
    elif isinstance(value, dict):
        row = _flatten(value)
        yield place, row | (above or {})
        outer: Row = {f"{ABOVE}{name}": cell for name, cell in row.items() if isinstance(cell, str | int)}
        for name, inner in row.items():
            yield from _iter_objects(inner, f"{place}.{name}", outer)


def _flatten(value: dict[str, Any], lead: str = "") -> Row:
    """Return an object with the values of nested objects as its own: "due.date"."""
    row: Row = {}
    for name, each in value.items():
        row |= _flatten(each, f"{lead}{name}.") if isinstance(each, dict) else {f"{lead}{name}": each}
    return row


def _read_csv(file: Path, text: str) -> Table | None:
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # by default csv refuses cells over 128 KB
    columns, rows, bad, begins = list[str](), Rows(), list[str](), 1
    sign = max(",\t;", key=text[:10_000].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
    try:
        for cells in reader:
            if columns:
                if any(cells[len(columns) :]):
                    bad.append(f"line {begins}: it has {len(cells)} cells, the header {len(columns)}")
                rows.append((f"line {begins}", dict(zip(columns, cells, strict=False))))
            elif len(cells) > MOST_COLUMNS:
                raise UserError(f"{show_path(file)} has {len(cells):,} columns.", "Export it with fewer.")
            elif len(cells) > 1 and (all(cells) or find_known(cells)):  # some programs write of the file before it
                columns = [name.strip() for name in cells]
            begins = reader.line_num + 1
    except csv.Error as exc:
        raise make_refusal(file, [f"line {reader.line_num}: {exc}"]) from exc
    if bad:
        raise make_refusal(file, bad)
    known = find_known(columns)
    rows = read_outline(file.stem, rows) if known and known.program == "todoist" else rows
    return Table(columns, rows) if columns else None
