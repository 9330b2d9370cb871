"""Rows of a table as items: converted by code, with the same result at each reading, and each row only once.

A date is placed only where its text means the same day whenever it is read, a rule only where it names its next date.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import partial
from pathlib import Path

from ana.errors import ToolError
from ana.memory.bounds import check_item
from ana.memory.item import Item
from ana.time.clock import find_zone
from ana.time.dates import day_of
from ana.time.repeats import understand_rule
from ana.time.when import NotRead, read_phrase
from ana.transfer.bundle import Bundle
from ana.transfer.foreign.columns import Columns, Texts
from ana.transfer.foreign.tables import Table
from ana.transfer.records import derive_id, drop_empty, make_notes, read_each, read_modified, to_local, to_stamp
from ana.values import Properties

_DATES = {"due": "due_date", "start": "start_date", "end": "end_date", "deadline": "deadline"}
_OWN_NAMES = ("list", "project", "section", "priority", "location", "duration", "responsible")
_NO = ("", "0", "false", "n")

_FAR_APART = (date(1999, 2, 3), date(2095, 9, 17))
"""Two days to read a text on: if both give the same day, the text alone names it."""

_NEAR = timedelta(days=183)
"""How far the day of a text without a year may be from the day on which it was written."""

_EARLIER = timedelta(days=38)
"""No rule falls on the same day of its week, month or year so much earlier, unless it says from when on it is."""

_LONGEST = 80
_MIDNIGHT = re.compile(r"\d{4}-\d\d-\d\d[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:?00)")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/\d")
_SECONDS = re.compile(r"(?<=:\d\d):([0-5]\d)\b")
_NAME = re.compile(r"[^\W\d_]{3}")
"""Letters of a month's name."""


def read_rows(path: Path, table: Table, columns: Columns, zone: tzinfo) -> Bundle:
    """Return the items of a table, in the person's zone.

    Raises UserError, which names them, if some rows cannot be stored.
    """
    rows = [(place, (columns.read(row), columns.read_rest(row))) for place, row in table.rows]
    dates = _Dates([texts for _, (texts, _) in rows], read_modified(path), zone)
    items = read_each(path, rows, partial(_make_item, columns, dates, Counter()))
    return Bundle(items, notes=make_notes(dates.notes), columns=columns.describe(table.columns))


def _make_item(columns: Columns, dates: "_Dates", counted: Counter[str], row: tuple[Texts, Properties]) -> Item | None:
    """Return the item of a row; None if it was deleted, or has neither title nor text. `counted` has its names."""
    (texts, rest), program = row, columns.program.name
    content = "\n".join(filter(None, (texts["title"], texts["text"])))
    if not content or texts["deleted"].casefold() not in _NO:
        why = "it was deleted there" if content else "it has neither title nor text"
        values = ", ".join(filter(None, [*texts.values(), *map(str, rest.values())]))
        dates.notes[f"Left out, because {why}"] += [values] if values else []
        return None
    tags = (tag.strip(" \"'#[]") for tag in re.split("[,;]", texts["tags"]))
    own: Properties = {name: texts[name] for name in _OWN_NAMES} | {"tags": [*dict.fromkeys(filter(None, tags))]}
    own["parent"] = derive_id(f"{program}:{texts['parent']}") if texts["parent"] else ""
    key = texts["id"] or str(rest.get("id") or "") or f"{texts['list']}/{texts['title'] or content}"
    counted[key] += 1  # rows may repeat a title
    id = derive_id(f"{program}:{key}" + (f"#{counted[key]}" if counted[key] > 1 else ""))
    created = _read_stamp(texts["created"]) or _read_stamp(texts["updated"]) or dates.written
    updated = _read_stamp(texts["updated"]) or created
    whole = rest | _read_kind(columns, texts) | dates.read(texts, content.split("\n")[0]) | own
    return check_item(Item(id, content, drop_empty(whole), created, max(created, updated)))


def _read_kind(columns: Columns, texts: Texts) -> Properties:
    roles, word = {*columns.roles.values()}, texts["done"].casefold()
    by_columns = "task" if roles & {"due", "done"} else "event" if "start" in roles else "note"
    kind = texts["kind"] or columns.program.kind or by_columns
    status = word if "done" in columns.words else "done"
    status = "active" if word in _NO or len(status) == 1 else status
    return {"type": kind, "status": status if kind == "task" else ""}


class _Dates:
    """Reads the dates of rows, some of which explain others; `notes` has remarks and the rows to which they belong."""

    def __init__(self, rows: Sequence[Texts], written: str, zone: tzinfo) -> None:
        self.notes: defaultdict[str, list[str]] = defaultdict(list)
        self.written = written
        self._zone, self._since = zone, datetime.combine(datetime.fromisoformat(written).astimezone(zone), time())
        texts = {role: [row[role] for row in rows if row[role]] for role in _DATES}
        # moments that are all midnight in one zone are days
        self._whole = {role for role, each in texts.items() if all(map(_MIDNIGHT.fullmatch, each))}
        slashed = [match for each in texts.values() for text in each if (match := _SLASHED.match(text))]
        month_first, day_first = (any(int(match[place]) > 12 for match in slashed) for place in (2, 1))
        self._month_first = None if month_first == day_first else month_first

    def read(self, texts: Texts, title: str) -> Properties:
        """Return the dates of a row as properties, unclear ones in words, and its repetition."""
        there = find_zone(texts["zone"]) if texts["zone"] else self._zone
        dates: Properties = {}
        for role in _DATES:
            dates |= self._read_role(texts, role, there, title) if texts[role] else {}
        if "due_date" in dates and dates.get("start_date") == dates["due_date"]:
            del dates["start_date"]
        if words := texts["repeats"]:
            known = str(dates.get("due_date") or dates.get("start_date") or "")
            dates |= self._read_rule(words, there, known) or self._keep(words, "repeats_in_words", title)
        return dates

    def _keep(self, text: str, name: str, title: str) -> Properties:
        self.notes["Kept in words, because it does not name one day"].append(f"{text}: {title}")
        return {name: text}

    def _read_role(self, texts: Texts, role: str, there: tzinfo | None, title: str) -> Properties:
        text, name, is_day = texts[role], _DATES[role], texts["all_day"].casefold() not in _NO
        zone = UTC if role in self._whole else (is_day and there) or self._zone
        value = self._read_date(text, there, zone)
        if value and is_day:
            is_after = role == "end" and len(value) == 10 and ":" in text  # it ends with the day before
            return {name: str(date.fromisoformat(value[:10]) - timedelta(days=is_after))}
        if not value and role == "due" and (rule := self._read_rule(text, there)):
            return rule
        if not value and (value := self._read_date(text, there, zone, self._since.date())):
            self.notes["Put into the year nearest to the file's time, because it has none"].append(f"{text}: {title}")
        return {name: value} if value else self._keep(text, role, title)

    def _read_date(self, text: str, there: tzinfo | None, zone: tzinfo, near: date | None = None) -> str | None:
        """Return a text that was written in one zone as a date property in another; None if it does not name one day,
        or a time in an unknown zone. Of a date without a year, such as "15 Jan", the one nearest to `near` is meant.
        """
        if len(text) > _LONGEST:  # not a date, and costly to read
            return None
        with suppress(ValueError, OverflowError):  # a day at the edge of the calendar, in another zone
            form = datetime if len(text) > len("2026-01-13") else date
            moment = form.fromisoformat(text) if day_of(text) else self._read_words(text, near)
            if not isinstance(moment, datetime):
                return moment.isoformat()
            if whole := (moment if moment.tzinfo else there and moment.replace(tzinfo=there)):
                return to_local(whole, zone)
        return None

    def _read_words(self, text: str, near: date | None) -> date:
        """Return the day or the moment that is all a text names. Raises NotRead if it is anything else."""
        seconds, words = _SECONDS.search(text), _SECONDS.sub("", text).replace("@", "at")
        days = [*_FAR_APART, near - _NEAR] if near else _FAR_APART
        when, again, *nearest = (read_phrase(words, day, datetime.combine(day, time())) for day in days)
        if when.first != again.first:
            if not near or nearest[0].first > near + _NEAR or when.step != "year" or not _NAME.search(text):
                raise NotRead("it does not name its year")
            when = nearest[0]
        day, other = when.first, when.other
        if other and (other.month, other.day) == (day.day, day.month):  # 3/4 is March 4 for some, April 3 for others
            if self._month_first is None:
                raise NotRead("it may be either day")
            day = day if self._month_first else other
        if not when.is_plain or when.first != when.last or when.notes:
            raise NotRead("it is not one day")
        return datetime.combine(day, when.at.replace(second=int(seconds[1]) if seconds else 0)) if when.at else day

    def _read_rule(self, text: str, there: tzinfo | None, known: str = "") -> Properties | None:
        """Return an RRULE or words as a rule, with its next date unless that is known; None if they do not tell it."""
        words = (text if "=" in text else text.lower().replace("every!", "every")).removeprefix("RRULE:")
        begin = datetime.fromisoformat(known).replace(tzinfo=None) if known else self._since
        days = (begin, begin if known else begin - _EARLIER)
        try:
            rule, again = (understand_rule(words, day, self._zone) for day in days)
        except ToolError:
            return None
        # Todoist's "every!" counts from the day it was done
        repeats: Properties = {"repeats": rule.rule, "repeat_from": "done" if "every!" in text.lower() else None}
        if known:
            return repeats
        has_times, is_shifted = "BYHOUR" in rule.rule, "INTERVAL" in rule.rule and again.first != rule.first
        if again.rule != rule.rule or is_shifted or (has_times and there is not self._zone):
            return None
        return {"due_date": rule.first.isoformat(timespec="minutes") if has_times else str(rule.first.date())} | repeats


def _read_stamp(text: str) -> str | None:
    """Return the moment that a program wrote, in ISO 8601 or in µs since 1970; None for other texts."""
    try:
        is_count = text.isdecimal() and len(text) > 14
        moment = datetime.fromtimestamp(int(text) / 1e6, UTC) if is_count else datetime.fromisoformat(text)
        return to_stamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError, OSError):
        return None
