"""A calendar file as items: each event and to-do with how it repeats, what of that is left out or moved, its alarms."""

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
from ana.progress import check_stopped
from ana.time.dates import day_of
from ana.time.repeats import ALSO, DATE_KEYS
from ana.time.repeats.rules import NO_RULE, Rule
from ana.transfer.bundle import Bundle, read_item
from ana.transfer.ics.moments import Moments, Span, list_tables
from ana.transfer.ics.parts import list_values, parse_part, read_text, split_parts
from ana.transfer.ics.series import YEARS, name_occurrence, read_series, to_here, to_wall, write_moment
from ana.transfer.ics.writer import DOMAIN, ITEM, PRIORITIES, list_components
from ana.transfer.records import BadRecord, drop_empty, item_id, make_notes, read_modified
from ana.values import Json, Properties, read_json

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

_DATES = {"due_date", "start_date", "date", "end_date"}
_SAID = {*_DATES, "repeats", "until", "moved", "except", ALSO, "location", "url", "tags", "priority", "remind"}
"""The properties for which a calendar has its own, so that where that is missing they are gone."""


def read(path: Path, zone: tzinfo) -> Bundle:
    """Return the events and to-dos of a calendar file, in the person's zone; what cannot be kept is named.

    Raises UserError if the file is not UTF-8, or cut off.
    """
    parts, others = split_parts(path)
    moments = Moments(zone, list_tables([text for kind, text in parts if kind == "VTIMEZONE"]))
    calendar = _Calendar(moments, read_modified(path))
    items = calendar.read([text for kind, text in parts if kind != "VTIMEZONE"])
    named = {"Left out, because nothing here holds it": others, **calendar.notes}
    notes = make_notes(named | {"Read in your time, as nobody knows the zone": moments.unknown})
    return Bundle(items, authors=calendar.authors, notes=notes)


class _Calendar:
    """Reads components as items: `age` is the stamp of those without one, `notes` what is to be said of which.

    What has an organiser or guests is others' words; `authors` has their addresses by the item's id.
    """

    def __init__(self, moments: Moments, age: str) -> None:
        self.authors: dict[str, frozenset[str]] = {}
        self.notes: dict[str, list[str]] = defaultdict(list)
        self._moments = moments
        self._age = age
        self._year = int(age[:4])
        self._counted = 0

    def read(self, texts: list[str]) -> list[Item]:
        """Return the items of components, of which those with one UID are a series and its exceptions."""
        groups: dict[str, list[str]] = defaultdict(list)
        for text in dict.fromkeys(texts):
            uid = _UID.search(text)
            groups[uid[1].strip() if uid else hashlib.sha256(text.encode()).hexdigest()].append(text)
        # the file's year and not the present one, so that it is read alike again
        self._year = max((int(year) for text in texts for year in _STAMP.findall(text)), default=self._year)
        items: list[Item] = []
        for name, group in groups.items():
            check_stopped()
            items += self._read_group(name, group)
        return items

    def _leave_out(self, title: str, why: Exception) -> None:
        said = why.sentence() if isinstance(why, ToolError) else str(why)
        self.notes["Left out, because it cannot be read"].append(f"{title[:40]}: {said}")

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
        base = _find_base(group[0])
        if base and _is_written_from(group, base, self._moments.zone):
            yield base
            return
        try:
            singles = [each for each in group if self._moments.list_dates(each, "RECURRENCE-ID")]
            masters = [each for each in group if "RECURRENCE-ID" not in each]
            for master in masters[:1]:
                yield from self._read_master(uid, master, singles, base)
            for single in singles:
                yield self._make_single(uid, single, self._moments.list_dates(single, "RECURRENCE-ID")[0])
        except (ToolError, OverflowError, ValueError, TypeError) as exc:
            self._leave_out(read_text(group[0], "SUMMARY"), exc)
        else:
            for each in masters[1:]:
                self._leave_out(read_text(each, "SUMMARY"), BadRecord("an event before it has its UID"))

    def _count(self, text: str) -> None:
        """Count the dates that a component counts out. Raises BadRecord if those of the file are too many."""
        self._counted += sum(min(int(count), 10_000) for count in _COUNT.findall(text))
        if self._counted > MOST_COUNTED:
            raise BadRecord(f"the series before it count out {MOST_COUNTED:,} dates, and no more are of one file")

    def _read_master(self, uid: str, master: Component, singles: list[Component], base: Item | None) -> Iterator[Item]:
        """Yield a component's item; take from the list the exceptions that it holds."""
        ours, properties, span = _OURS.fullmatch(uid), self._read_properties(master), self._moments.read_span(master)
        if span:
            rule = self._read_rule(master, span[0], properties)
            properties[ALSO] = self._read_also(master, span[0])
            if rule or properties[ALSO]:
                self._read_exceptions(master, singles, rule or NO_RULE, span, properties)
        properties["uid"] = None if ours else read_text(master, "UID")
        yield self._make_item(ours[1] if ours else item_id(f"calendar:{uid}"), master, properties, base)

    def _make_single(self, uid: str, single: Component, at: date) -> Item:
        id = item_id(f"calendar:{uid}/{self._moments.write(at)}")
        return self._make_item(id, single, self._read_properties(single), None)

    def _make_item(self, id: str, component: Component, properties: Properties, base: Item | None) -> Item:
        made, changed = (self._moments.read_stamp(component, name) for name in ("CREATED", "LAST-MODIFIED"))
        created = made or changed or self._moments.read_stamp(component, "DTSTAMP") or self._age
        texts = [read_text(component, name) for name in _TEXTS]
        self._note_lost(component, texts[0])
        own = drop_empty(properties)
        if base:
            own, created = _merge(own, base.properties), base.created_at
        content = "\n".join(text for text in texts if text) or "(no title)"
        told = base.sources if base else ALL_MINE
        sources = Sources(told.content, {name: each for name, each in told.properties.items() if name in own})
        if authors := _list_authors(component):
            self.authors[id], sources = authors, tell_all(IMPORT, own)
        return check_item(Item(id, content, own, created, changed or created, sources))

    def _note_lost(self, component: Component, title: str) -> None:
        lost = (set(component) - _READ - _TECHNICAL) | {str(name) for name, _ in component.errors}
        alarms = self._moments.list_alarms(component, self._moments.read_span(component))
        if len(component.walk("VALARM")) > len(alarms):
            lost.add("VALARM")
        for name in sorted(each for each in lost if not each.startswith("X-")):
            self.notes[f"Without its {name}"].append(title)

    def _read_properties(self, component: Component) -> Properties:
        is_task, status = component.name == "VTODO", read_text(component, "STATUS").upper()
        span, number = self._moments.read_span(component), read_text(component, "PRIORITY")
        level = int(number) if number.isdecimal() else 0
        return {
            "type": "task" if is_task else "event",
            "status": _STATUS.get(status, "active" if is_task else None),
            **(self._write_span(component, span) if span else {}),
            "location": read_text(component, "LOCATION"),
            "url": read_text(component, "URL"),
            "tags": [str(tag) for each in list_values(component, "CATEGORIES") for tag in each.cats],
            "priority": next((name for name, most in PRIORITIES.items() if 0 < level <= max(most, 4)), None),
            "remind": self._moments.list_alarms(component, span),
        }

    def _write_span(self, component: Component, span: Span) -> Properties:
        start, end = map(self._moments.write, span)
        other = end if end != start else None
        # what repeats counts from its beginning, so a to-do that does keeps both as one stretch
        if "DUE" in component and not (other and ("RRULE" in component or "RDATE" in component)):
            return {"due_date": end, "start_date": start if other else None}
        return {"start_date": start, "end_date": other}

    def _read_rule(self, component: Component, start: date, properties: Properties) -> Rule | None:
        """Return how it repeats, which the properties get; None if it does not, or no rule of ours says so."""
        written = "\n".join(each.to_ical().decode() for each in list_values(component, "RRULE"))
        title = read_text(component, "SUMMARY")
        if not written:
            return None
        try:
            rule, said, is_alike = read_series(written, start, self._moments.zone, self._year)
        except (ValueError, OverflowError):
            properties["repeats"] = written
            self.notes["Kept, but it does not repeat here, because no rule here says the same"].append(title)
            return None
        properties |= said
        if not is_alike:
            self.notes["Kept in your time, though its own has other moments"].append(title)
        elif said["moved"]:
            self.notes[f"Kept in your time; after {self._year + YEARS} its own may differ from it"].append(title)
        return rule

    def _read_also(self, master: Component, start: date) -> list[Json]:
        """Return the dates beside the rule that are not left out at the very moment."""
        gone = {to_here(at, self._moments.zone) for at in self._moments.list_dates(master, "EXDATE")}
        dates = [at for at in self._moments.list_dates(master, "RDATE") if at != start]
        kept = (at for at in dates if to_here(at, self._moments.zone) not in gone)
        return [*dict.fromkeys(map(self._moments.write, kept))]

    def _read_exceptions(
        self, master: Component, singles: list[Component], rule: Rule, span: Span, properties: Properties
    ) -> None:
        """Give the properties what is left out and moved; another event than its series stays in the list."""
        moved: dict[str, Json] = {}
        also = {to_here(at, self._moments.zone) for at in self._moments.list_dates(master, "RDATE") if at != span[0]}
        left_out = [self._name(at, rule, span[0]) for at in self._moments.list_dates(master, "EXDATE")]
        for single in [*singles]:
            at = self._moments.list_dates(single, "RECURRENCE-ID")[0]
            is_added = to_here(at, self._moments.zone) in also
            name = self._moments.write(at) if is_added else self._name(at, rule, span[0])
            is_cancelled = read_text(single, "STATUS").upper() == "CANCELLED"
            to = None if is_cancelled else self._find_move(master, single, span)
            if to and name:
                moved[name] = to
            else:
                left_out.append(name)
            if to or is_cancelled:
                singles.remove(single)
        known = properties.get("moved")
        properties["moved"] = (known if isinstance(known, dict) else {}) | moved or None
        properties["except"] = [*dict.fromkeys(name for name in left_out if name)]

    def _name(self, at: date, rule: Rule, start: date) -> str | None:
        if not isinstance(at, datetime) or not isinstance(start, datetime):
            return write_moment(to_wall(at).date())
        is_own = bool(rule.times) or at.astimezone(start.tzinfo).time() == start.time()
        return name_occurrence(to_here(at, self._moments.zone), rule) if is_own else None

    def _find_move(self, master: Component, single: Component, span: Span) -> str | None:
        to, of = self._moments.read_span(single), self._read_properties(master)
        is_same = all(of[name] == value for name, value in self._read_properties(single).items() if name not in _DATES)
        is_same = is_same and all(read_text(master, name) == read_text(single, name) for name in _TEXTS)
        return self._moments.write(to[0]) if to and is_same and to[1] - to[0] == span[1] - span[0] else None


def _list_authors(component: Component) -> frozenset[str]:
    """Return the address of the organiser, or else those of the guests."""
    named = list_values(component, "ORGANIZER") or list_values(component, "ATTENDEE")
    return frozenset(str(each).lower().removeprefix("mailto:") for each in named)


def _find_base(component: Component) -> Item | None:
    try:
        return read_item(read_json(str(component[ITEM]))) if ITEM in component else None
    except (ValueError, TypeError, ToolError):
        return None


def _is_written_from(group: list[Component], base: Item, zone: tzinfo) -> bool:
    """Return whether components are as we write an item, so that it is still what it was."""
    try:
        ours = [parse_part(each.to_ical().decode()) for each in list_components(base, zone, defaultdict(list))]
    except (ValueError, OverflowError):
        return False
    return {each.to_ical() for each in ours} == {each.to_ical() for each in group}


def _merge(read: Properties, base: Properties) -> Properties:
    """Return what a file says of an item, and what only we could say of it."""
    anchor = next((key for key in DATE_KEYS if day_of(base.get(key))), "start_date")
    kept = {key: value for key, value in base.items() if key not in (_SAID | ({"status"} & read.keys()))}
    return {anchor if key == "start_date" else key: value for key, value in read.items()} | kept
