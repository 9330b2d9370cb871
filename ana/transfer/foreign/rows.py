"""Rows of a table as items: converted by code, with the same result at each reading, and each row only once."""

import re
from collections import Counter, defaultdict
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path

from ana.memory.bounds import check_item
from ana.memory.item import Item
from ana.time.clock import find_zone
from ana.transfer.bundle import Bundle
from ana.transfer.foreign.columns import Columns, Row, Texts
from ana.transfer.foreign.dates import is_month_first, read_date, read_rule, settle_order
from ana.transfer.foreign.tables import Table
from ana.transfer.records import derive_id, drop_empty, make_notes, read_each, read_modified, to_stamp
from ana.values import Properties

_DATES = {"due": "due_date", "start": "start_date", "end": "end_date", "deadline": "deadline"}
_OWN_NAMES = ("list", "project", "section", "priority", "location", "duration", "responsible")
_NO = ("", "0", "false", "n")
_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:?00)")
_NOT_CLEAR = "Kept in words, because it does not name one day"


def read_rows(path: Path, table: Table, columns: Columns, zone: tzinfo) -> Bundle:
    """Return the items of a table, in the person's zone.

    Raises UserError, which names them, if some rows cannot be stored.
    """
    maker = _Maker(columns, zone, read_modified(path), [columns.read(row) for _, row in table.rows])
    items = read_each(path, table.rows, maker.make)
    return Bundle(items, notes=make_notes(maker.notes), columns=columns.describe(table.columns))


class _Maker:
    """Makes items of rows; `notes` has remarks and the rows to which they belong."""

    def __init__(self, columns: Columns, zone: tzinfo, written: str, rows: list[Texts]) -> None:
        self.notes: defaultdict[str, list[str]] = defaultdict(list)
        self._columns, self._zone, self._written = columns, zone, written
        self._since = datetime.combine(datetime.fromisoformat(written).astimezone(zone), time())
        self._counted: Counter[str] = Counter()
        dates = {role: [texts[role] for texts in rows if texts[role]] for role in _DATES}
        # whether 3/12 is March or December, and whether midnight UTC is a whole day, is told by the others
        self._month_first = is_month_first(text for texts in dates.values() for text in texts)
        self._whole = {role for role, texts in dates.items() if all(map(_MIDNIGHT.fullmatch, texts))}

    def make(self, row: Row) -> Item | None:
        """Return the item of a row; None if it was deleted, or has neither title nor text."""
        texts, rest, program = self._columns.read(row), self._columns.read_rest(row), self._columns.program
        content = "\n".join(filter(None, (texts["title"], texts["text"])))
        if not content or texts["deleted"].casefold() not in _NO:
            why = "it was deleted there" if content else "it has neither title nor text"
            values = ", ".join(filter(None, [*texts.values(), *map(str, rest.values())]))
            self.notes[f"Left out, because {why}"] += [values] if values else []
            return None
        tags = (tag.strip(" \"'#[]") for tag in re.split("[,;]", texts["tags"]))
        own: Properties = {name: texts[name] for name in _OWN_NAMES} | {"tags": [*dict.fromkeys(filter(None, tags))]}
        own["parent"] = derive_id(f"{program}:{texts['parent']}") if texts["parent"] else ""
        key = texts["id"] or str(rest.get("id") or "") or f"{texts['list']}/{texts['title'] or content}"
        self._counted[key] += 1  # rows may repeat a title
        id = derive_id(f"{program}:{key}" + (f"#{self._counted[key]}" if self._counted[key] > 1 else ""))
        created = _read_stamp(texts["created"]) or _read_stamp(texts["updated"]) or self._written
        updated = _read_stamp(texts["updated"]) or created
        whole = rest | self._read_kind(texts) | self._read_dates(texts, content.split("\n")[0]) | own
        return check_item(Item(id, content, drop_empty(whole), created, max(created, updated)))

    def _read_kind(self, texts: Texts) -> Properties:
        roles, word = self._columns.roles, texts["done"].casefold()
        by_columns = "task" if {"due", "done"} & roles.keys() else "event" if "start" in roles else "note"
        kind = texts["kind"] or self._columns.kind or by_columns
        status = word if "done" in self._columns.words else "done"
        status = "active" if word in _NO or len(status) == 1 else status
        return {"type": kind, "status": status if kind == "task" else ""}

    def _read_dates(self, texts: Texts, title: str) -> Properties:
        """Return the dates of a row, unclear ones as text, and its repetition."""
        there = find_zone(texts["zone"]) if texts["zone"] else self._zone
        dates: Properties = {}
        for role in _DATES:
            dates |= self._read_date(texts, role, there, title) if texts[role] else {}
        if "due_date" in dates and dates.get("start_date") == dates["due_date"]:
            del dates["start_date"]
        if words := texts["repeats"]:
            known = str(dates.get("due_date") or dates.get("start_date") or "")
            rule = read_rule(words, self._since, self._zone, there, known)
            dates |= rule or {"repeats_in_words": words}
            self.notes[_NOT_CLEAR] += [] if rule else [f"{words}: {title}"]
        return dates

    def _read_date(self, texts: Texts, role: str, there: tzinfo | None, title: str) -> Properties:
        text, name = texts[role], _DATES[role]
        whole = _MIDNIGHT.fullmatch(text)
        plain = whole[1] if whole and role in self._whole else settle_order(text, self._month_first)
        if texts["all_day"].casefold() not in _NO and (value := read_date(plain, there, there or self._zone)):
            is_after = role == "end" and "T00:00" in plain  # it ends with the day before
            return {name: str(date.fromisoformat(value[:10]) - timedelta(days=is_after))}
        if value := read_date(plain, there, self._zone):
            return {name: value}
        if role == "due" and (rule := read_rule(text, self._since, self._zone, there)):
            return rule
        value = read_date(plain, there, self._zone, self._since.date())
        why = "Put into the year nearest to the file's time, because it has none" if value else _NOT_CLEAR
        self.notes[why].append(f"{text}: {title}")
        return {name: value} if value else {role: text}


def _read_stamp(text: str) -> str | None:
    """Return the moment that a program wrote, in ISO 8601 or in µs since 1970; None for other texts."""
    try:
        is_count = text.isdecimal() and len(text) > 14
        moment = datetime.fromtimestamp(int(text) / 1e6, UTC) if is_count else datetime.fromisoformat(text)
        return to_stamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError, OSError):
        return None
