"""Tables in files: CSV and TSV, JSON that has lists of objects, Markdown notes with their tasks, and a folder or ZIP of
such files.
"""

import csv
import io
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ana.errors import UserError
from ana.transfer.foreign.columns import ABOVE, Row, Rows, find_known
from ana.transfer.records import decode_text, make_refusal, read_bytes, show_path
from ana.values import read_plain_json

MOST_COLUMNS = 100
MOST_BYTES = 200_000_000
"""How many bytes the files of a ZIP may have together."""

_MARKDOWN, _JSON = (".md", ".markdown"), ".json"
SUFFIXES = (".csv", ".tsv", _JSON, *_MARKDOWN)

# https://publish.obsidian.md/tasks, Tasks Emoji Format, 2026
_TASK = re.compile(r"[ \t]*[-*+] \[(.)\][ \t]+(\S.*)")
_SIGNS = {"📅": "due", "⏳": "start", "🛫": "start", "🔁": "repeats", "➕": "created"}
_SIGN = re.compile(f"([{''.join(_SIGNS)}✅❌🆔⛔🔺⏫🔼🔽⏬])\ufe0f?")
_HEAD = re.compile(r"(?:---[ \t]*\n((?:.*\n)*?)---[ \t]*(?:\n|\Z))?(?:\s*# +(\S.*)\n?)?")
"""Front matter and the first heading, if they are there."""
_QUOTES = " \"'"
_NUMBERED = re.compile(r"(?<!\s)\s*\[(?:\d+|\w{16})\](?:\s*\(\d+\))?\Z")
"""Todoist's own id after the project's name, and the number of a second download."""


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
            archive.extractall(folder, [name for name in archive.namelist() if name.lower().endswith(SUFFIXES)])
            return _join(Path(folder))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError) as exc:
        raise UserError(f"{show_path(path)} cannot be unpacked: {exc}.", "Unpack it, and name its folder.") from exc


def _join(folder: Path) -> Table | None:
    files = [each for each in sorted(folder.rglob("*")) if each.name.lower().endswith(SUFFIXES) and each.is_file()]
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
        return _make_table(_read_notes(text, file.stem))
    if file.name.lower().endswith(_JSON) or text.lstrip()[:1] in ("{", "["):
        return _read_json(file, text)
    return _read_csv(file, text)


def _make_table(rows: Rows) -> Table:
    return Table([*dict.fromkeys(name for _, row in rows for name in row)], rows)


def _read_json(file: Path, text: str) -> Table | None:
    """Return the first list of objects that a known program writes, else the longest list; without a list, the object
    itself.
    """
    lists: defaultdict[str, Rows] = defaultdict(Rows)
    try:
        for place, row in _iter_objects(read_plain_json(text)):
            lists[place].append((f"record {len(lists[place]) + 1}", row))
    except ValueError as exc:
        raise make_refusal(file, [f"it is not JSON: {exc}"], "Export it again; it may be cut off.") from exc
    tables = [*map(_make_table, lists.values())]
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
    sign = max(",\t;", key=text[:10_000].count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
    try:
        # some programs write of the file before its header
        header = next((cells for cells in lines if len(cells) > 1 and (all(cells) or find_known(cells))), [])
        if (size := len(header)) > MOST_COLUMNS:
            raise UserError(f"{show_path(file)} has {size:,} columns.", "Export it with fewer.")
        filled = [(lines.line_num - "".join(cells).count("\n"), cells) for cells in lines]
    except csv.Error as exc:
        raise make_refusal(file, [f"line {lines.line_num}: {exc}"]) from exc
    if bad := [(line, len(cells)) for line, cells in filled if any(cells[size:])]:
        raise make_refusal(file, [f"line {line}: it has {count} cells, the header {size}" for line, count in bad])
    columns = [name.strip() for name in header]
    rows: Rows = [(f"line {line}", dict(zip(columns, cells, strict=False))) for line, cells in filled]
    known = find_known(columns)
    rows = _read_project(rows, file.stem) if known and known.name == "todoist" else rows
    return Table(columns, rows) if columns else None


def _read_project(rows: Rows, file: str) -> Rows:
    """Return a row for each of Todoist's tasks, and for each note without one; a task's notes are in its text.

    Args:
        file: The name of the file, which is the project's.
    """
    project, section = _NUMBERED.sub("", file) or file, ""
    above: list[tuple[int, Row]] = []  # a note's task, and the tasks above it, the outermost first, by their indents
    counted: Counter[str] = Counter()
    outline: Rows = []
    for place, cells in rows:
        row = {name.upper(): "" if value == "None" else str(value).strip() for name, value in cells.items()}
        kind, content, indent = row.get("TYPE", "").lower(), row.get("CONTENT", ""), row.get("INDENT", "")
        if kind == "section":
            section, above = content, []
        elif kind == "note" and above:
            above[-1][1]["DESCRIPTION"] = f"{above[-1][1].get('DESCRIPTION', '')}\n{content}".strip()
        elif kind != "meta" and any(row.values()):
            counted[content] += 1  # ids are made from the text, and tasks may repeat it
            depth = int(indent) if indent.isdecimal() and len(indent) < 4 else 1
            above = [(each, task) for each, task in above if each < depth]
            title, tags = (content, []) if kind == "note" else _split_tags(content, "@")
            item: Row = {**row, "TYPE": kind, "CONTENT": title, "tags": [*tags], "project": project, "section": section}
            item |= {"id": f"{project}/{content}#{counted[content]}", "INDENT": above[-1][1]["id"] if above else ""}
            above += [(depth, item)] if kind == "task" else []
            outline.append((place, item))
    return outline


def _read_notes(text: str, name: str) -> Rows:
    """Return the rows of a Markdown file: the note, unless it is nothing but tasks, and its tasks.

    Args:
        name: Its title if it has none.
    """
    text = text.replace("\r\n", "\n")
    head = _HEAD.match(text)
    assert head, "each part of it may be missing"
    front = _read_front(head[1] or "")
    title = front.pop("title", "") or (head[2] or name).strip()
    body, tasks = list[str](), Rows()
    for number, line in enumerate(text[head.end() :].split("\n"), head[0].count("\n") + 1):
        if match := _TASK.fullmatch(line.rstrip()):
            row: Row = {"list": title, "markdown": "task", "done": match[1].strip()}
            tasks.append((f"line {number}", row | _read_task(match[2])))
        else:
            body.append(line)
    rest = "\n".join(body).strip()
    note: Row = {"title": title, "text": rest, "markdown": "note", **front}
    return [("line 1", note), *tasks] if front or rest or not tasks else tasks


def _read_task(text: str) -> Row:
    words, *parts = _SIGN.split(text)
    title, tags = _split_tags(words.strip(), "#")
    signs = zip(parts[::2], parts[1::2], strict=True)
    return {"title": title, "tags": [*tags], **{_SIGNS[sign]: each.strip() for sign, each in signs if sign in _SIGNS}}


def _split_tags(text: str, sign: str) -> tuple[str, list[str]]:
    """Return a text without the tags at its end, unless it is nothing but tags, and all its tags, each once: words that
    begin with a sign.
    """
    words = [(word[0], word.end()) for word in re.finditer(r"\S+", text)]
    tags = dict.fromkeys(word for word, _ in words if word.startswith(sign) and word != sign)
    end = max((end for word, end in words if word not in tags), default=len(text))
    return text[:end], [tag.removeprefix(sign) for tag in tags]


def _read_front(text: str) -> dict[str, str]:
    """Return the lines of front matter that are a name with a text; the parts of a list are one after another."""
    row, name = dict[str, str](), ""
    for line in text.splitlines():
        if (entry := line.strip()).startswith("- ") and name:
            row[name] += f", {entry[2:].strip(_QUOTES)}"
        elif ":" in line and not line.startswith((" ", "\t", "#")):
            name, _, value = (part.strip() for part in line.partition(":"))
            row[name] = (value[1:-1] if value.startswith("[") and value.endswith("]") else value).strip(_QUOTES)
    return {name: value.removeprefix(", ") for name, value in row.items() if value}
