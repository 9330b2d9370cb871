"""Rows of a table as items: done by code, the same at each reading, and each row only once."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path

from ana.memory.bounds import check_item
from ana.memory.item import Item
from ana.time.clock import find_zone
from ana.transfer.bundle import Bundle
from ana.transfer.foreign.columns import Columns
from ana.transfer.foreign.dates import is_month_first, read_date, read_rule, settle_order, understand
from ana.transfer.foreign.tables import Table
from ana.transfer.records import BadRecord, drop_empty, item_id, make_notes, read_each, read_modified, to_stamp
from ana.values import Json, Properties

Read = dict[str, Json]
"""A row by what its columns are."""

_DATES = {"due": "due_date", "start": "start_date", "end": "end_date", "deadline": "deadline"}
_TECHNICAL = {"title", "text", "done", "kind", "id", "zone", "all_day", "repeats", "created", "updated", "deleted", "leave_out"}
_NO = ("", "0", "false", "n")
_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:?00)")


def read_rows(path: Path, table: Table, columns: Columns, zone: tzinfo) -> Bundle:
    """Return the items of a table, in the person's zone.

    Raises UserError, which names them, if some rows cannot be read or stored.
    """
    rows = [(place, row if isinstance(row, BadRecord) else columns.read(row)) for place, row in table.rows]
    maker = _Maker(columns, zone, read_modified(path), [row for _, row in rows if isinstance(row, dict)])
    items = read_each(path, rows, maker.make)
    return Bundle(items, notes=make_notes(maker.notes), columns=columns.describe(table.columns))


class _Maker:
    def __init__(self, columns: Columns, zone: tzinfo, written: str, rows: Iterable[Read]) -> None:
        self.notes: defaultdict[str, list[str]] = defaultdict(list)
        self._columns, self._zone, self._written = columns, zone, written
        self._since = datetime.combine(datetime.fromisoformat(written).astimezone(zone), time())
        self._counted: Counter[str] = Counter()
        dates = {role: [str(row[role]) for row in rows if row.get(role)] for role in _DATES}
        # whether 3/12 is March or December, and whether midnight UTC is a whole day, is told by the others
        self._month_first = is_month_first(text for texts in dates.values() for text in texts)
        self._whole = {role for role, texts in dates.items() if all(map(_MIDNIGHT.fullmatch, texts))}

    def make(self, row: Read | BadRecord) -> Item | None:
        """Return the item of a row; None if it has neither title nor text."""
        if isinstance(row, BadRecord):
            raise row
        content = "\n".join(str(row[role]) for role in ("title", "text") if row.get(role))
        if not content or str(row.get("deleted") or "").casefold() not in _NO:
            told = ", ".join(str(value) for value in row.values() if value)
            why = "it was deleted there" if content else "it has neither title nor text"
            self.notes[f"Left out, because {why}"] += [told] if told else []
            return None
        properties = {"type": self._find_kind(row)} | self._read_status(row) | self._read_dates(row, content.split("\n")[0])
        properties |= {name: value for name, value in row.items() if name not in _TECHNICAL and name not in _DATES}
        tags = dict.fromkeys(tag.strip().lstrip("#") for tag in re.split("[,;]", str(row.get("tags") or "")))
        properties["tags"] = [*filter(None, tags)]
        if parent := row.get("parent"):
            properties["parent"] = item_id(f"{self._columns.program}:{parent}")
        updated = _read_stamp(str(row.get("updated") or ""))
        created = _read_stamp(str(row.get("created") or "")) or updated or self._written
        id = self._make_id(row, content)
        return check_item(Item(id, content, drop_empty(properties), created, max(created, updated or created)))

    def _find_kind(self, row: Read) -> str:
        roles = self._columns.roles
        by_columns = "task" if {"due", "done"} & roles.keys() else "event" if "start" in roles else "note"
        return str(row.get("kind") or self._columns.kind or by_columns)

    def _read_status(self, row: Read) -> Properties:
        if self._find_kind(row) != "task":
            return {}
        word, has_words = str(row.get("done") or ""), "done" in self._columns.words
        is_done = not has_words and word.casefold() not in _NO
        is_word = has_words and len(word) > 1
        return {"status": "done" if is_done else word.casefold() if is_word else "active"}

    def _read_dates(self, row: Read, title: str) -> Properties:
        """Return the dates of a row, each that is not clear in words, and how it repeats."""
        name = str(row.get("zone") or "")
        there = find_zone(name) if name else self._zone
        found: Properties = {}
        for role in _DATES:
            if text := str(row.get(role) or ""):
                found |= self._read_date(row, role, text, there, title)
        if "due_date" in found and found.get("start_date") == found["due_date"]:
            del found["start_date"]
        if words := str(row.get("repeats") or ""):
            rule = read_rule(words, self._since, self._zone, there, str(found.get("due_date") or found.get("start_date") or ""))
            found |= rule or {"repeats_in_words": words}
            if not rule:
                self.notes["Kept as text, because it does not say when it is next"].append(f"{words}: {title}")
        return found

    def _read_date(self, row: Read, role: str, text: str, there: tzinfo | None, title: str) -> Properties:
        whole, name = _MIDNIGHT.fullmatch(text), _DATES[role]
        plain = whole[1] if whole and role in self._whole else settle_order(text, self._month_first)
        if value := read_date(plain, there, self._zone):
            is_day = str(row.get("all_day") or "").casefold() not in _NO
            return {name: _find_day(role, value, plain) if is_day else value}
        if role == "due" and (rule := read_rule(text, self._since, self._zone, there)):
            return rule
        value = read_date(plain, there, self._zone, self._since.date())
        if value:
            why = "Put into the year nearest to the file's time, because it has none"
        elif understand(text, self._since, self._zone):
            why = "Kept as text, because it does not say when it is next"
        else:
            why = "Kept as text, because it does not name one day"
        self.notes[why].append(f"{text}: {title}")
        return {name: value} if value else {role: text}

    def _make_id(self, row: Read, content: str) -> str:
        key = row.get("id") or f"{row.get('list') or ''}/{row.get('title') or content}"
        self._counted[str(key)] += 1  # rows may repeat a title
        count = self._counted[str(key)]
        return item_id(f"{self._columns.program}:{key}" + (f"#{count}" if count > 1 else ""))


def _find_day(role: str, value: str, text: str) -> str:
    """Return the day of a date that is a whole one; where the end is written as midnight, that is of the day after."""
    is_after = role == "end" and "T00:00" in text
    return str(date.fromisoformat(value[:10]) - timedelta(days=is_after))


def _read_stamp(text: str) -> str | None:
    """Return the moment that a program wrote, in ISO 8601, or in seconds or parts of them since 1970; None for neither."""
    try:
        if text.isdecimal():
            moment = datetime.fromtimestamp(int(text) / 1000 ** max((len(text) - 8) // 3, 0), UTC)
        else:
            moment = datetime.fromisoformat(text)
        return to_stamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError, OSError):
        return None
