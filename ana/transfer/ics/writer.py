"""Items with a date as a calendar file."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import islice

from dateutil.relativedelta import relativedelta
from icalendar import Alarm, Calendar, Event, Todo, vRecur
from icalendar.cal.component import Component

from ana.memory.item import Item, to_json
from ana.memory.status import CANCELLED, DONE, has_status
from ana.memory.travel import find_own_zone
from ana.reminders.reading import Distance, read_date, read_part
from ana.time.dates import day_of
from ana.time.repeats import DATE_KEYS, MOST_ALSO, Repeat, iter_between, may_repeat, read_repeat
from ana.time.repeats.occurring import find_moved, make_occurrence
from ana.time.repeats.rules import NO_RULE, iter_matching, iter_moments
from ana.transfer.ics.moments import Span, to_here, to_wall
from ana.transfer.records import make_notes
from ana.values import Json, Properties, plain_text

DOMAIN = "ana"
"""What an item's id stands before in a UID."""

ITEM = "X-ANA-ITEM"
"""The property that holds the item as JSON, for what a calendar cannot say."""

PRIORITIES = {"high": 1, "medium": 5, "low": 9}
_YEARS = 5
"""For how many years the dates of what has no rule in calendars are written."""

_CANNOT_SAY = "Written with its next dates alone, because no calendar can say how it repeats"
_CONTROLS = re.compile(r"\r\n|[\x00-\x08\x0b-\x1f\x7f]")
_Notes = defaultdict[str, list[str]]


def write_calendar(items: Iterable[Item], zone: tzinfo, *, whole: bool = True) -> tuple[bytes, int, list[str]]:
    """Return a calendar file, the number of its items, and a sentence for each kind of item that is left out.

    Items without a date and done items are left out, except to-dos of another program, which are written as to-dos
    again.

    Args:
        whole: Whether each event contains its whole item, so that an import restores it unchanged. A subscribed
            calendar needs only the visible fields, and many programs show only events.
    """
    calendar, count, notes = Calendar(), 0, _Notes(list)
    calendar.add("prodid", "-//ana//EN")
    calendar.add("version", "2.0")
    for item in sorted(items, key=lambda item: (item.created_at, item.id)):
        try:
            components = list_components(item, zone, notes, whole=whole)
        except (OverflowError, ValueError):
            notes["Left out, because its date is beyond the calendar"].append(item.content)
            continue
        count += bool(components)
        for component in components:
            if not whole:
                component.pop(ITEM, None)
            calendar.add_component(component)
    calendar.add_missing_timezones()
    return calendar.to_ical(), count, make_notes(notes)


def list_components(item: Item, zone: tzinfo, notes: _Notes, *, whole: bool = True) -> list[Component]:
    """Return the event of an item, and after it its moved occurrences; nothing if the item has no date or is done.

    `notes` gets a remark for each fact that a calendar cannot express. Raises OverflowError or ValueError if the item's
    date is beyond the calendar.
    """
    is_to_do = whole and item.properties.get("type") == "task" and bool(item.properties.get("uid"))
    zone = find_own_zone(item) or zone
    span, is_done = _read_span(item.properties, zone), has_status(item.properties, DONE)
    if not is_to_do and (span is None or is_done):
        if span:
            notes["Left out, because it is done"].append(item.content)
        return []
    event = _make_component(item, span, zone, notes, is_to_do=is_to_do)
    event.add(ITEM, json.dumps(to_json(item)))
    repeat = read_repeat(item.properties, zone) if span and not is_done else None
    if repeat is None:
        if span and not is_done and "repeats" in item.properties:
            notes[_CANNOT_SAY].append(item.content)
        return [event]
    singles = []
    for at, to in _add_repeat(event, repeat, notes).items():
        occurrence = make_occurrence(repeat, at, to)
        single = _make_component(item, (occurrence.start, occurrence.end), zone, notes, is_to_do=is_to_do)
        single.add("recurrence-id", _place(at, repeat))
        singles.append(single)
    return [event, *singles]


def _add_repeat(event: Component, repeat: Repeat, notes: _Notes) -> Mapping[datetime, datetime]:
    """Add its repetition to an event; return the places of its moved occurrences."""
    rule = _write_rule(repeat) if not repeat.from_done else None
    is_over = repeat.end and repeat.end < repeat.first
    if rule is None or (not rule and repeat.source[1]):
        notes[_CANNOT_SAY].append(str(event.get("summary", "")))
    if is_over and not repeat.also:
        return {}
    if rule is None:
        begin = make_occurrence(repeat, repeat.first, repeat.first).start
        dates = iter_between(repeat, begin, begin + relativedelta(years=_YEARS))
        event.add("rdate", [each.start for each in islice(dates, MOST_ALSO)])
        return {}
    if rule and not is_over:
        event.add("rrule", vRecur.from_ical(rule))
    if rdates := [*_iter_beside(repeat)]:
        event.add("rdate", [_place(at, repeat) for at in rdates])
    exdates = {at for each in repeat.exceptions for at in iter_moments(repeat.rule, repeat.first, *_find_bounds(each))}
    if exdates:
        event.add("exdate", [_place(at, repeat) for at in sorted(exdates)])
    return find_moved(repeat)


def _iter_beside(repeat: Repeat) -> Iterator[datetime]:
    """Yield the moments beside the rule, because programs differ in whether a first date counts that the rule does not
    name.
    """
    is_named = repeat.rule is NO_RULE or any(iter_matching(repeat.rule, repeat.first, repeat.first, repeat.first))
    yield from () if is_named else [repeat.first]
    yield from (at for at in repeat.also if not repeat.is_exception(at))


def _read_span(properties: Properties, zone: tzinfo) -> Span | None:
    """Return the first and the last day or moment of an item, or its only one twice; None if it has none."""
    keys = [key for key in DATE_KEYS if day_of(properties.get(key))]
    if not keys or keys == ["end_date"]:
        return None
    start = read_date(properties[keys[0]], zone)
    end = read_date(properties["end_date"], zone) if keys[-1] == "end_date" and keys[0] != "due_date" else start
    if isinstance(start, datetime) and not isinstance(end, datetime):
        end = datetime.combine(end + timedelta(1), time(), zone)
    elif not isinstance(start, datetime) and isinstance(end, datetime):
        end = end.date()
    return start, max(start, end)


def _make_component(item: Item, span: Span | None, zone: tzinfo, notes: _Notes, *, is_to_do: bool) -> Component:
    event, properties = Todo() if is_to_do else Event(), item.properties
    summary, _, description = _clean(item.content).partition("\n")
    uid = properties.get("uid")
    event.add("uid", _clean(uid) if isinstance(uid, str) and uid else f"{item.id}@{DOMAIN}")
    event.add("dtstamp", datetime.fromisoformat(item.updated_at))
    event.add("created", datetime.fromisoformat(item.created_at))
    event.add("last-modified", datetime.fromisoformat(item.updated_at))
    dates = (_list_to_do_dates(properties, span, zone) if is_to_do else _list_event_dates(span)) if span else {}
    for name, at in dates.items():
        if at:
            event.add(name, at)
    tags, url = properties.get("tags"), properties.get("url")
    written = {
        "summary": summary,
        "description": description,
        "location": _clean(str(properties.get("location") or "")),
        "url": url if isinstance(url, str) and re.fullmatch(r"[!-~]+", url) else None,
        "categories": [_clean(str(tag)) for tag in tags] if isinstance(tags, list) else None,
        "priority": PRIORITIES.get(str(properties.get("priority"))),
        "status": _name_status(properties, is_to_do=is_to_do),
    }
    for name, value in written.items():
        if value:
            event.add(name, value)
    if span:
        _add_alarms(event, properties.get("remind"), span[0], zone, notes)
    return event


def _list_event_dates(span: Span) -> dict[str, date | None]:
    start, end = span
    after = end if isinstance(end, datetime) else end + timedelta(1)
    return {"dtstart": start, "dtend": after if end > start else None}


def _list_to_do_dates(properties: Properties, span: Span, zone: tzinfo) -> dict[str, date | None]:
    start, end = span
    if not day_of(properties.get("due_date")):
        return {"dtstart": start, "due": end if end > start else None}
    begin = read_date(properties["start_date"], zone) if day_of(properties.get("start_date")) else None
    if may_repeat(properties):  # a rule counts from there
        begin = start
    return {"dtstart": begin if type(begin) is type(start) else None, "due": start}


def _name_status(properties: Properties, *, is_to_do: bool) -> str | None:
    if has_status(properties, CANCELLED):
        return "CANCELLED"
    if is_to_do and has_status(properties, DONE):
        return "COMPLETED"
    return "IN-PROCESS" if is_to_do and has_status(properties, ("in-progress",)) else None


def _add_alarms(event: Component, remind: Json, start: date, zone: tzinfo, notes: _Notes) -> None:
    summary = str(event.get("summary", ""))
    for each in remind if isinstance(remind, list) else [remind] if remind else []:
        trigger = _read_trigger(each, start, zone)
        if trigger is None:
            notes["Without a reminder that a calendar cannot say"].append(f"{each}: {summary}")
            continue
        alarm = Alarm()
        alarm.add("action", "DISPLAY")
        alarm.add("description", summary)
        alarm.add("trigger", trigger, {"VALUE": "DATE-TIME"} if isinstance(trigger, datetime) else {})
        event.add_component(alarm)


def _read_trigger(remind: Json, start: date, zone: tzinfo) -> datetime | timedelta | None:
    """Return the moment of a reminder, or its distance from the beginning; None if nothing rings."""
    part = read_part(remind, zone)
    if not isinstance(part, Distance):
        return part and part.astimezone(UTC)
    moment = part.before(start, zone)
    if moment is None or part.span is not None:
        return moment and -(part.span or timedelta())
    return to_here(moment, zone) - to_wall(start)


def _write_rule(repeat: Repeat) -> str | None:
    """Return the RRULE with the same dates for a rule of ana's, which takes the last day of a short month; None if
    there is none.

    Empty if there is no rule.
    """
    rule = repeat.rule
    if rule is NO_RULE:
        return ""
    has_times = not repeat.is_day and rule.times not in ([], [repeat.first.time()])
    parts = {name: value for name, value in rule.parts if has_times or name not in ("BYHOUR", "BYMINUTE")}
    days = rule.list_numbers("BYMONTHDAY")
    if max(days, default=0) > 28 and not rule.has("BYDAY", "BYSETPOS", "BYYEARDAY", "BYWEEKNO"):
        is_one_month = rule["FREQ"] == "MONTHLY" or len(rule.list_numbers("BYMONTH")) == 1
        if len(days) > 1 or has_times or (rule.interval > 1 and not is_one_month):
            return None
        parts |= {} if is_one_month else {"FREQ": "MONTHLY"}
        parts |= {"BYMONTHDAY": ",".join(map(str, range(28, days[0] + 1))), "BYSETPOS": "-1"}
    if repeat.end:
        end = repeat.end.replace(microsecond=0, tzinfo=repeat.zone).astimezone(UTC)
        parts["UNTIL"] = f"{repeat.end:%Y%m%d}" if repeat.is_day else f"{end:%Y%m%dT%H%M%SZ}"
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _find_bounds(each: date) -> tuple[datetime, datetime]:
    if isinstance(each, datetime):
        return each, each
    return datetime.combine(each, time.min), datetime.combine(each, time.max)


def _place(at: datetime, repeat: Repeat) -> date:
    return at.date() if repeat.is_day else at.replace(tzinfo=repeat.zone)


def _clean(text: str) -> str:
    return _CONTROLS.sub(lambda match: "\n" if match[0] == "\r\n" else " ", plain_text(text))
