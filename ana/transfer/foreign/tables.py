"""Tables in files: CSV and TSV, JSON that has lists of objects, a folder or ZIP of such files and of Markdown notes."""

import csv
import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ana.errors import UserError
from ana.transfer.foreign.markdown import read_notes
from ana.transfer.records import BadRecord, decode_text, read_bytes, refusal_error, require_few, show_path
from ana.values import Json, read_plain_json

Row = dict[str, Json]
Rows = list[tuple[str, Row | BadRecord]]
"""Each with its place, such as "line 3"; one that cannot be read is the reason why."""

Knows = Callable[[list[str]], str]
"""Returns a name for the program that writes such columns; empty if none is known."""

MOST_COLUMNS = 100
MOST_BYTES = 200_000_000
"""How many bytes the files of a folder or ZIP may have together."""

ABOVE = "above."
"""Begins the columns that are of the object around a list, such as the name of a list of tasks."""

_MARKDOWN, _JSON = (".md", ".markdown"), ".json"
_SUFFIXES = (".csv", ".tsv", _JSON, *_MARKDOWN)
_BACKUP = "manifest.json"


@dataclass
class Table:
    """Rows of one kind, the columns in the file's order, and the name of the file without its suffix."""

    name: str
    columns: list[str]
    rows: Rows


def read_tables(path: Path, knows: Knows) -> list[Table]:
    """Return the tables of a file, a folder or a ZIP; those of one program, or of JSON, are one table.

    Raises UserError if it cannot be read or has too much; what has no table at all gives none.
    """
    if path.is_dir():
        return _join_tables(path, knows)
    if not zipfile.is_zipfile(path):
        table = _read_table(path, knows)
        return [table] if table else []
    try:
        with zipfile.ZipFile(path) as archive, TemporaryDirectory() as folder:
            if _BACKUP in archive.namelist():
                raise UserError(f"{show_path(path)} is a backup.", "`ana restore` reads it.")
            _require_small(path, [each.file_size for each in archive.infolist()])
            archive.extractall(folder, [name for name in archive.namelist() if name.lower().endswith(_SUFFIXES)])
            return _join_tables(Path(folder), knows)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError) as exc:
        raise UserError(f"{show_path(path)} cannot be unpacked: {exc}.", "Unpack it, and name its folder.") from exc


def _join_tables(folder: Path, knows: Knows) -> list[Table]:
    files = [each for each in sorted(folder.rglob("*")) if each.name.lower().endswith(_SUFFIXES) and each.is_file()]
    _require_small(folder, [each.stat().st_size for each in files])
    tables: dict[object, Table] = {}
    for file in files:
        if any(part.startswith(".") for part in file.relative_to(folder).parts):  # Obsidian's own files
            continue
        if table := _read_table(file, knows):
            key = knows(table.columns) or (_JSON if file.suffix == _JSON else (*table.columns,))
            kept = tables.setdefault(key, Table(file.stem, [], []))
            kept.columns = [*dict.fromkeys(kept.columns + table.columns)]
            kept.rows += [(f"{file.name}, {place}", row) for place, row in table.rows]
            require_few(folder, len(kept.rows))
    return [*tables.values()]


def _require_small(path: Path, sizes: list[int]) -> None:
    require_few(path, len(sizes))
    if sum(sizes) > MOST_BYTES:
        raise UserError(f"{show_path(path)} has more than {MOST_BYTES:,} bytes.", "Import it in parts.")


def _read_table(file: Path, knows: Knows) -> Table | None:
    text = decode_text(file, read_bytes(file))
    if file.name.lower().endswith(_MARKDOWN):
        return _make_table(file, [(f"line {line}", row) for line, row in read_notes(text, file.stem)])
    if file.name.lower().endswith(_JSON) or text.lstrip()[:1] in ("{", "["):
        return _read_json(file, text, knows)
    return _read_csv(file, text, knows)


def _make_table(file: Path, rows: list[tuple[str, Row]]) -> Table:
    require_few(file, len(rows))
    return Table(file.stem, [*dict.fromkeys(name for _, row in rows for name in row)], [*rows])


def _read_json(file: Path, text: str, knows: Knows) -> Table | None:
    """Return the first list of objects that a known program writes, else the longest; without one the object itself."""
    try:
        value = read_plain_json(text)
    except ValueError as exc:
        raise refusal_error(file, [f"it is not JSON: {exc}"], "Export it again; it may be cut off.") from exc
    found: dict[str, list[Row]] = {}
    _collect([value], "", {}, found)
    tables = [_make_table(file, [(f"record {n}", row) for n, row in enumerate(rows, 1)]) for rows in found.values()]
    known = (table for table in tables if knows(table.columns))
    return next(known, None) or max(reversed(tables), key=lambda table: len(table.rows), default=None)


def _collect(values: list[Any], place: str, above: Row, found: dict[str, list[Row]]) -> None:
    """Add the objects of every list, by where the list stands; each has also what stands around its list."""
    for each in values:
        if isinstance(each, dict):
            row = _flatten(each)
            found.setdefault(place, []).append(row | above)
            around: Row = {f"{ABOVE}{name}": told for name, told in row.items() if isinstance(told, str | int)}
            for name, inner in row.items():
                if isinstance(inner, list):
                    _collect(inner, f"{place}.{name}", around, found)
        elif isinstance(each, list):
            _collect(each, place, above, found)


def _flatten(value: dict[str, Any], lead: str = "") -> Row:
    """Return an object with what objects in it have as its own: "due.date"."""
    row: Row = {}
    for name, each in value.items():
        row |= _flatten(each, f"{lead}{name}.") if isinstance(each, dict) else {f"{lead}{name}": each}
    return row


def _read_csv(file: Path, text: str, knows: Knows) -> Table | None:
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # by default csv refuses cells over 128 KB
    table, begins = Table(file.stem, [], []), 1
    sign = max(",\t;", key=text[:10_000].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
    try:
        for cells in reader:
            if table.columns:
                too_many = BadRecord(f"it has {len(cells)} cells, the header {len(table.columns)}")
                row: Row = dict(zip(table.columns, cells, strict=False))
                table.rows.append((f"line {begins}", too_many if any(cells[len(table.columns) :]) else row))
                require_few(file, len(table.rows))
            elif len(cells) > MOST_COLUMNS:
                raise UserError(f"{show_path(file)} has {len(cells):,} columns.", "Export it with fewer.")
            elif len(cells) > 1 and (all(cells) or knows(cells)):  # some programs write of the file before it
                table.columns = [name.strip() for name in cells]
            begins = reader.line_num + 1
    except csv.Error as exc:
        raise refusal_error(file, [f"line {reader.line_num}: {exc}"]) from exc
    return table if table.columns else None
