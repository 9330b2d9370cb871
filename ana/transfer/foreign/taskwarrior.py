"""Taskwarrior's `task export`.

The format is described on Taskwarrior's page "Taskwarrior JSON Format" (its RFC of that name) and on the page of the
command `export`: one array of objects, or, with json.array off as in older versions, one object a line.
"""

import re
import reprlib
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from ana.errors import UserError
from ana.memory.bounds import check_item
from ana.memory.item import Item
from ana.time.repeats.words import read_words
from ana.transfer.bundle import Bundle
from ana.transfer.records import (
    BadRecord,
    drop_empty,
    item_id,
    make_notes,
    read_each,
    read_modified,
    read_text,
    refusal_error,
    require_few,
    show_path,
    to_local,
    to_stamp,
)
from ana.values import Json, Properties, read_json

_STATUS = {"pending": "active", "waiting": "active", "completed": "done"}
_LEFT_OUT = ("deleted", "recurring")
_PRIORITY = {"H": "high", "M": "medium", "L": "low"}
_DATES = ("scheduled", "wait", "until", "start", "end")
_USED = {
    "uuid", "description", "status", "entry", "modified", "annotations", "due", "priority", "project", "tags",
    "depends", "recur", *_DATES,
}  # fmt: skip
_PERIOD = re.compile(r"p(\d{1,3})([dwmy])|(\d{1,3}) ?(d|w|mo|y)\w*")
_UNITS = {"d": "days", "w": "weeks", "m": "months", "mo": "months", "y": "years"}
_WORDS = {"biweekly": "fortnightly", "fortnight": "fortnightly", "weekdays": "every weekday", "annual": "yearly"}
_DERIVED = {"id", "urgency", "mask", "imask", "parent"}
"""Numbers that change on their own, and data of templates, which are left out."""

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DATE = re.compile(r"\d{8}T\d{6}Z")
_BETWEEN = re.compile(r"\},?(\s++)\{")
"""Between two objects that stand on lines of their own, unless there is no end of a line in it."""
_LAST_COMMA = re.compile(r",(?=\s*\]\s*\Z)")


def read(path: Path, zone: tzinfo) -> Bundle:
    """Return the tasks of a file of `task export`, without deleted ones and templates of recurring ones.

    A date at midnight in the person's zone becomes a bare day.

    Raises UserError if it is not such an export, or has records that cannot be read; they are named.
    """
    records = _read_records(path)
    tasks = _Tasks(zone, read_modified(path), [record for _, record in records])
    items = read_each(path, records, tasks.read)
    return Bundle(items, notes=_note_losses([record for _, record in records], items))


def _note_losses(records: list[Any], items: list[Item]) -> list[str]:
    left = {status: [str(each.get("description", "")) for each in records if each.get("status") == status]
            for status in _LEFT_OUT}  # fmt: skip
    notes = {
        "Left out, because it was deleted there": left["deleted"],
        "Left out: templates of recurring tasks, of which the task that is due last repeats": left["recurring"],
        "Kept, but it does not repeat here": [item.content for item in items if "recur" in item.properties],
    }
    return make_notes(notes)


def _read_records(path: Path) -> list[tuple[str, Any]]:
    text = read_text(path)
    if text.lstrip().startswith("{"):
        text = "[" + _BETWEEN.sub(lambda found: f"}},{found[1]}{{" if "\n" in found[1] else found[0], text) + "]"
    try:
        whole = read_json(_LAST_COMMA.sub("", text))
    except ValueError as exc:
        why = getattr(exc, "msg", None) or exc
        raise refusal_error(path, [f"line {getattr(exc, 'lineno', 1)}: it is not JSON ({why})"]) from exc
    if not isinstance(whole, list):
        raise UserError(f"{show_path(path)} has no array of tasks.", "Write it with: task export > tasks.json")
    require_few(path, len(whole))
    return [(f"record {n}", record) for n, record in enumerate(whole, 1)]


def _find_uuid(record: Any) -> str | None:
    if not isinstance(record, dict) or record.get("status") in _LEFT_OUT:
        return None
    return str(record.get("uuid")).lower()


class _Tasks:
    """Reads tasks as items: `age` is the stamp of tasks without one."""

    def __init__(self, zone: tzinfo, age: str, records: list[Any]) -> None:
        self._zone = zone
        self._age = age
        self._known = {uuid for record in records if (uuid := _find_uuid(record))}
        # of the tasks that one template has made the last is the series; the others are late
        active = [task for task in records if _find_uuid(task) and _STATUS.get(str(task.get("status"))) == "active"]
        by_template = {str(task.get("parent") or task.get("uuid")): str(task.get("uuid"))
                       for task in sorted(active, key=lambda task: str(task.get("due")))}  # fmt: skip
        self._last = set(by_template.values())
        self._seen: set[str] = set()

    def read(self, record: Any) -> Item | None:
        if not isinstance(record, dict):
            raise BadRecord("it is not an object")
        uuid, status = self._read_uuid(record), _read_text(record, "status")
        if status in _LEFT_OUT:
            return None
        if status not in _STATUS:
            raise BadRecord(f"its status is {reprlib.repr(status)}")
        made, changed = (to_stamp(at) if (at := _read_moment(record, name)) else None for name in ("entry", "modified"))
        created = made or changed or self._age
        content, properties = self._read_content(record), self._read_properties(record)
        return check_item(Item(item_id(f"taskwarrior:{uuid}"), content, properties, created, changed or created))

    def _read_uuid(self, task: Mapping[str, Any]) -> str:
        uuid = _read_text(task, "uuid").lower()
        if not _UUID.fullmatch(uuid):
            raise BadRecord(f"its uuid is {reprlib.repr(uuid)}")
        if uuid in self._seen:
            raise BadRecord(f"its uuid {uuid} is also that of a task before it")
        self._seen.add(uuid)
        return uuid

    def _read_content(self, task: Mapping[str, Any]) -> str:
        description = _read_text(task, "description")
        if not description.strip():
            raise BadRecord("it has no description")
        return "\n".join([description, *(self._read_annotation(each) for each in _read_list(task, "annotations"))])

    def _read_annotation(self, annotation: Any) -> str:
        if not isinstance(annotation, dict):
            raise BadRecord("an annotation is not an object")
        day = (self._read_date(annotation, "entry") or "")[:10]
        return f"{day} {_read_text(annotation, 'description')}".strip()

    def _read_properties(self, task: Mapping[str, Any]) -> Properties:
        priority = _read_text(task, "priority")
        own: Properties = {
            "type": "task",
            "status": _STATUS[_read_text(task, "status")],
            "due_date": self._read_date(task, "due"),
            "priority": _PRIORITY.get(priority, priority),
            "project": _read_text(task, "project"),
            "tags": [_check_text(tag, "a tag") for tag in _read_list(task, "tags")],
            **{name: self._read_date(task, name) for name in _DATES},
            **self._read_recur(task),
            "depends": [
                item_id(f"taskwarrior:{uuid.lower()}") if uuid.lower() in self._known else uuid
                for uuid in _read_depends(task)
            ],
        }
        for name, value in task.items():
            if name not in _USED | _DERIVED:
                own[f"taskwarrior_{name}" if name in own else name] = self._read_own(value)
        return drop_empty(own)

    def _read_recur(self, task: Mapping[str, Any]) -> Properties:
        """Return a period as a rule, if it is clear and the task is the one from which it goes on."""
        written = _read_text(task, "recur")
        period = _PERIOD.fullmatch(written.lower())
        count, unit = (period[1] or period[3], period[2] or period[4]) if period else ("", "")
        rule = read_words(f"every {count} {_UNITS[unit]}" if period else _WORDS.get(written, written))
        is_last = task.get("due") and str(task.get("uuid")) in self._last
        return {"repeats": rule} if rule and is_last else {"recur": written}

    def _read_date(self, task: Mapping[str, Any], name: str) -> str | None:
        moment = _read_moment(task, name)
        try:
            return to_local(moment, self._zone) if moment else None
        except OverflowError as exc:
            raise BadRecord(f"its {name} is beyond the calendar") from exc

    def _read_own(self, value: Json) -> Json:
        """Return the value of a user-defined attribute: text, a number, or a date in the form of all dates."""
        if not isinstance(value, str) or not _DATE.fullmatch(value):
            return value
        try:
            return self._read_date({"it": value}, "it")
        except BadRecord:
            return value


def _read_text(task: Mapping[str, Any], name: str) -> str:
    value = task.get(name)
    return "" if value is None else _check_text(value, f"its {name}")


def _check_text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise BadRecord(f"{what} is {reprlib.repr(value)}, not text")
    return value


def _read_list(task: Mapping[str, Any], name: str) -> list[Any]:
    value = task.get(name)
    if value is not None and not isinstance(value, list):
        raise BadRecord(f"its {name} are {reprlib.repr(value)}, not a list")
    return value or []


def _read_depends(task: Mapping[str, Any]) -> list[str]:
    """Return the uuids of a list; before Taskwarrior 2.6 it was text with commas."""
    value = task.get("depends")
    if isinstance(value, str):
        return [each.strip() for each in value.split(",") if each.strip()]
    return [_check_text(uuid, "what it depends on") for uuid in _read_list(task, "depends")]


def _read_moment(task: Mapping[str, Any], name: str) -> datetime | None:
    written = _read_text(task, name)
    if not written:
        return None
    try:
        if _DATE.fullmatch(written):
            return datetime.strptime(written, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        pass
    raise BadRecord(f"its {name} {reprlib.repr(written)} is not a date such as 20260113T120000Z")
