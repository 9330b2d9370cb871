"""A calendar file as items: each event and to-do with its repetition, the dates that are left out or moved, and its
alarms.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime, tzinfo
from pathlib import Path

from icalendar.cal.component import Component

from ana.errors import ToolError
from ana.memory.bounds import check_item
from ana.memory.item import Item
from ana.memory.sources import ALL_MINE, IMPORT, Sources, tell_all
from ana.stopping import check_stopped
from ana.time.clock import find_zone
from ana.time.repeats import ALSO, DATE_KEYS
from ana.time.repeats.rules import NO_RULE
from ana.transfer.bundle import Bundle
from ana.transfer.ics.moments import Moments, Span, list_tables
from ana.transfer.ics.ours import OWN_DATES, find_base, is_written_from, merge
from ana.transfer.ics.parts import list_values, parse_part, read_text, split_parts
from ana.transfer.ics.series import Part, is_for_all, read_rule, split_series
from ana.transfer.ics.writer import DOMAIN, PRIORITIES
from ana.transfer.records import BadRecord, derive_id, drop_empty, make_notes, read_modified
from ana.values import Json, Properties

_READ = {
    "UID", "SUMMARY", "DESCRIPTION", "DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID",
    "LOCATION", "URL", "CATEGORIES", "STATUS", "PRIORITY", "CREATED", "LAST-MODIFIED", "DTSTAMP",
}  # fmt: skip
_TECHNICAL = {"SEQUENCE", "TRANSP", "CLASS", "COMPLETED", "PERCENT-COMPLETE"}
_STATUS = {"CANCELLED": "cancelled", "COMPLETED": "done", "IN-PROCESS": "in-progress", "TENTATIVE": "tentative"}
_UID = re.compile(r"^UID(?:;[^:\n]*)?:(.+)", re.IGNORECASE | re.MULTILINE)
_SUMMARY = re.compile(r"^SUMMARY[^:\n]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_COUNT = re.compile(r"^RRULE[^\n]*?COUNT=(\d{1,9})", re.IGNORECASE | re.MULTILINE)
_STAMP = re.compile(r"^DTSTAMP[^:\n]*:(\d{4})", re.IGNORECASE | re.MULTILINE)
_OURS = re.compile(rf"([A-Za-z0-9][A-Za-z0-9_-]{{0,127}})@{DOMAIN}")
_TEXTS = ("SUMMARY", "DESCRIPTION")
MOST_COUNTED = 5_000_000
"""How many dates the series of a file may count out together (COUNT): the last of each is found by counting to it."""


def read(path: Path, zone: tzinfo) -> Bundle:
    """Return the events and to-dos of a calendar file, in the person's zone; notes name the parts that cannot be
    stored.

    Raises UserError if the file is not UTF-8, or cut off.
    """
    parts, others, name = split_parts(path)
    age, texts = read_modified(path), [text for kind, text in parts if kind != "VTIMEZONE"]
    # the file's year and not the present one, so that it is read alike again
    year = max((int(year) for text in texts for year in _STAMP.findall(text)), default=int(age[:4]))
    tables = list_tables([text for kind, text in parts if kind == "VTIMEZONE"])
    moments = Moments(zone, find_zone(name), tables, year)
    calendar = _Calendar(moments, age)
    items = calendar.read(texts)
    named = {"Left out, because nothing here holds it": others, **calendar.notes}
    notes = make_notes(named | {"Read in your time, as nobody knows the zone": moments.unknown})
    return Bundle(items, authors=calendar.authors, notes=notes)


class _Calendar:
    """Reads components as items: `age` is the stamp of components that have none, `notes` has remarks and the
    components to which they belong.

    Events with an organiser or guests are text by others; `authors` has their addresses by the item's id.
    """

    def __init__(self, moments: Moments, age: str) -> None:
        self.authors: dict[str, frozenset[str]] = {}
        self.notes: dict[str, list[str]] = defaultdict(list)
        self._moments = moments
        self._age = age
        self._counted = 0

    def read(self, texts: list[str]) -> list[Item]:
        """Return the items of components, of which those with one UID are a series and its exceptions."""
        groups: dict[str, list[str]] = defaultdict(list)
        for text in dict.fromkeys(texts):
            uid = _UID.search(text)
            groups[uid[1].strip() if uid else hashlib.sha256(text.encode()).hexdigest()].append(text)
        items: list[Item] = []
        for name, group in groups.items():
            check_stopped()
            items += self._read_group(name, group)
        return items

    def _leave_out(self, title: str, why: Exception) -> None:
        reason = str(why) if isinstance(why, BadRecord) else "a date or a value in it cannot be used"
        reason = why.sentence() if isinstance(why, ToolError) else reason
        self.notes["Left out, because it cannot be read"].append(f"{title[:40]}: {reason}")

    def _read_group(self, uid: str, texts: list[str]) -> Iterator[Item]:
        group: list[Component] = []
        for text in texts:
            try:
                self._count(text)
                group.append(parse_part(text))
            except BadRecord as exc:
                title = _SUMMARY.search(text)
                self._leave_out(title[1].strip() if title else " ".join(text.split()), exc)
        if not group:
            return
        base = find_base(group[0])
        if base and is_written_from(group, base, self._moments.zone):
            yield base
            return
        try:
            newest = self._keep_newest(group)
            singles = [each for at, each in newest.items() if at]
            if master := newest.get(None):
                yield from self._read_master(uid, master, singles, base)
            for single in singles:
                yield self._make_single(uid, single)
        except (ToolError, OverflowError, ValueError, TypeError) as exc:
            self._leave_out(read_text(group[0], "SUMMARY"), exc)

    def _keep_newest(self, group: list[Component]) -> dict[date | None, Component]:
        """Return a series, under None, and its single dates, each in the last version sent, which replaces earlier
        ones.
        """
        newest: dict[date | None, Component] = {}
        for each in group:
            at = next(iter(self._moments.list_dates(each, "RECURRENCE-ID")), None)
            known = newest.setdefault(at, each)
            if self._read_age(each) > self._read_age(known):
                newest[at] = each
            elif known is not each and self._read_age(each) == self._read_age(known):
                self._leave_out(read_text(each, "SUMMARY"), BadRecord("an event before it has its UID"))
        return newest

    def _read_age(self, component: Component) -> tuple[int, str]:
        number = read_text(component, "SEQUENCE")
        return int(number) if number.isdecimal() else 0, self._moments.read_stamp(component, "DTSTAMP") or ""

    def _count(self, text: str) -> None:
        """Count the dates that a component counts out. Raises BadRecord if those of the file are too many."""
        self._counted += sum(min(int(count), 10_000) for count in _COUNT.findall(text))
        if self._counted > MOST_COUNTED:
            raise BadRecord(f"the series before it count out {MOST_COUNTED:,} dates, and no more are of one file")

    def _read_master(self, uid: str, master: Component, singles: list[Component], base: Item | None) -> Iterator[Item]:
        """Yield the items of a component; take from the list the exceptions that they hold."""
        ours, parts = _OURS.fullmatch(uid), self._read_parts(master, singles)
        id, written = (ours[1], None) if ours else (derive_id(f"calendar:{uid}"), read_text(master, "UID"))
        if not parts:
            own = self._read_properties(master, self._moments) | {"repeats": "\n".join(_list_rules(master))}
            yield self._make_item(id, master, own | {"uid": written}, base)
        for part in parts:
            own = self._read_properties(part.component, part.moments, is_series=True) | part.read_dates()
            own |= self._read_exceptions(part, own, singles) | {"uid": written}
            if own["moved"] and not own.get("repeats") and not own.get(ALSO):  # its one date is moved
                own[ALSO] = [next(str(own[key]) for key in DATE_KEYS if own.get(key))]
            own["zone"] = None if part.is_day or part.moments.zone is self._moments.zone else str(part.moments.zone)
            is_first = part.component is master
            its_id = id if is_first else self._name_single(uid, part.component)
            yield self._make_item(its_id, part.component, own, base if is_first else None)

    def _read_parts(self, master: Component, singles: list[Component]) -> list[Part]:
        """Return a series in its parts; nothing if it does not repeat, or no rule of ana's can express it.

        Changes for all later dates are taken from the list.
        """
        span, rules, title = self._moments.read_span(master), _list_rules(master), read_text(master, "SUMMARY")
        if span is None or not (rules or "RDATE" in master):
            return []
        self._moments.write(span[0])  # raises OverflowError where it is not in the person's calendar
        moments, changes = self._moments.move(self._find_own(span[0], title)), [*filter(is_for_all, singles)]
        try:
            rule = read_rule("\n".join(rules), span[0], moments) if rules else NO_RULE
            parts = split_series(master, span, rule, changes, moments)
        except (ValueError, OverflowError):
            self.notes["Kept, but it does not repeat here, because no rule here says the same"].append(title)
            return []
        singles[:] = [each for each in singles if not is_for_all(each)]
        return parts

    def _find_own(self, start: date, title: str) -> tzinfo:
        """Return the zone of a series: its own if that has a name, else the person's."""
        zone, own = self._moments.zone, start.tzinfo if isinstance(start, datetime) else None
        if str(own) == "UTC" and self._moments.default:
            own = self._moments.default  # programs that write all moments in UTC say there which clock they follow
        if own is None or str(own) == str(zone):
            return zone
        if find_zone(str(own)):
            return own
        self.notes["Kept in your time, though its own has other moments"].append(title)
        return zone

    def _read_exceptions(self, part: Part, own: Properties, singles: list[Component]) -> Properties:
        """Return the dates that are left out and moved; an exception that differs otherwise from its series stays in
        the list.
        """
        moved, exceptions, others = dict[str, Json](), own["except"], list[Component]()
        cancelled, age = {*part.list_exceptions()}, self._read_age(part.master)
        assert isinstance(exceptions, list)
        for single in singles:
            at = self._moments.list_dates(single, "RECURRENCE-ID")[0]
            name, is_gone = part.name(at), at in cancelled or read_text(single, "STATUS").upper() == "CANCELLED"
            if name is None or not part.holds(at):
                # an older one is of a date that the series does not have any more
                others += [single] if part.place(at) is None or self._read_age(single)[0] >= age[0] else []
                continue
            to = None if is_gone else self._find_move(part, own, single)
            if to:
                moved[name] = to
            elif name not in exceptions:
                exceptions.append(name)
            others += [] if to or is_gone else [single]
        singles[:] = others
        return {"moved": moved or None, "except": exceptions}

    def _find_move(self, part: Part, own: Properties, single: Component) -> str | None:
        """Return the new time of a date that differs from its series only in its time; None for any other date."""
        to, values = part.moments.read_span(single), self._read_properties(single, part.moments)
        is_same = all(own.get(name) == value for name, value in values.items() if name not in OWN_DATES)
        is_same = is_same and all(read_text(part.component, name) == read_text(single, name) for name in _TEXTS)
        lasts = part.span[1] - part.span[0]
        return part.moments.write(to[0]) if to and is_same and to[1] - to[0] == lasts else None

    def _make_single(self, uid: str, single: Component) -> Item:
        return self._make_item(
            self._name_single(uid, single), single, self._read_properties(single, self._moments), None
        )

    def _name_single(self, uid: str, single: Component) -> str:
        at = self._moments.list_dates(single, "RECURRENCE-ID")[0]
        return derive_id(f"calendar:{uid}/{self._moments.write(at)}")

    def _make_item(self, id: str, component: Component, properties: Properties, base: Item | None) -> Item:
        stamp, changed = (self._moments.read_stamp(component, name) for name in ("CREATED", "LAST-MODIFIED"))
        created = stamp or changed or self._moments.read_stamp(component, "DTSTAMP") or self._age
        texts = [read_text(component, name) for name in _TEXTS]
        self._note_lost(component, texts[0])
        own = drop_empty(properties)
        if base:
            own, created = merge(own, base.properties), base.created_at
        content = "\n".join(text for text in texts if text) or "(no title)"
        known = base.sources if base else ALL_MINE
        sources = Sources(known.content, {name: each for name, each in known.properties.items() if name in own})
        if authors := _list_authors(component):
            self.authors[id], sources = authors, tell_all(IMPORT, own)
        # what names no zone goes along with the person, and so does a day
        zone = str(self._moments.zone) if self._moments.has_zone(component) and "zone" not in own else ""
        return check_item(Item(id, content, own, created, changed or created, sources, zone))

    def _note_lost(self, component: Component, title: str) -> None:
        lost = (set(component) - _READ - _TECHNICAL) | {str(name) for name, _ in component.errors}
        alarms = self._moments.list_alarms(component, self._moments.read_span(component))
        if len(component.walk("VALARM")) > len(alarms):
            lost.add("VALARM")
        for name in sorted(each for each in lost if not each.startswith("X-")):
            self.notes[f"Without its {name}"].append(title)

    def _read_properties(self, component: Component, moments: Moments, *, is_series: bool = False) -> Properties:
        span, number = moments.read_span(component), read_text(component, "PRIORITY")
        level = int(number) if number.isdecimal() else 0
        return {
            "type": "task" if component.name == "VTODO" else "event",
            "status": _read_status(component),
            **(_write_span(component, span, moments, is_series=is_series) if span else {}),
            "location": read_text(component, "LOCATION"),
            "url": read_text(component, "URL"),
            "tags": [str(tag) for each in list_values(component, "CATEGORIES") for tag in each.cats],
            "priority": next((name for name, most in PRIORITIES.items() if 0 < level <= max(most, 4)), None),
            "remind": moments.list_alarms(component, span),
        }


def _read_status(component: Component) -> str | None:
    status = read_text(component, "STATUS").upper()
    if component.name != "VTODO":
        return _STATUS.get(status)
    is_done = not status and ("COMPLETED" in component or read_text(component, "PERCENT-COMPLETE") == "100")
    return "done" if is_done else _STATUS.get(status, "active")


def _write_span(component: Component, span: Span, moments: Moments, *, is_series: bool) -> Properties:
    start, end = map(moments.write, span)
    # what repeats counts from its beginning, so a to-do that does keeps both as one stretch
    if "DUE" in component and not (end != start and is_series):
        due = next(map(moments.write, moments.list_dates(component, "DUE")), end)
        return {"due_date": due, "start_date": start if due != start else None}
    other = end if end != start else None
    return {"start_date": start, "end_date": other}


def _list_rules(component: Component) -> list[str]:
    """Return the rules of a component, each once."""
    return [*dict.fromkeys(each.to_ical().decode() for each in list_values(component, "RRULE"))]


def _list_authors(component: Component) -> frozenset[str]:
    """Return the address of the organiser, or else those of the guests."""
    named = list_values(component, "ORGANIZER") or list_values(component, "ATTENDEE")
    return frozenset(str(each).lower().removeprefix("mailto:") for each in named)
