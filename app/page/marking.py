"""Changes of items by hand: moving, changing, deleting."""

from collections.abc import Callable
from datetime import date, datetime, timedelta

from ana.errors import UserError
from ana.handles import DataHandles
from ana.memory.few_words import call_property
from ana.memory.item import Item
from ana.memory.travel import read_item_repeat
from ana.memory.views import localize
from ana.output import quote
from ana.time.dates import day_of
from ana.time.guesses import guess_dates
from ana.time.repeats import DATE_KEYS, Repeat, iter_between, list_missed, read_day_or_moment, read_local
from ana.translation import _
from ana.values import Json, Properties
from app.show.text import shorten

LEADS = ("due_date", "start_date", "date")
"""The dates by which an item is moved, the first that it has."""

MOST_LABELS = 4
"""Tags, and the project, that a list shows of an item."""

DAY = timedelta(days=1)

YEARS = range(1900, 2201)
"""The years of days that can be chosen."""

Mark = Callable[[Item], Properties | None]
"""What is done with an item: the properties that change, or None to delete it."""


def list_labels(properties: Properties) -> list[str]:
    """Return the project and the tags of an item, as a list shows them."""
    project, tags = properties.get("project"), properties.get("tags")
    listed = [project, *(tags if isinstance(tags, list) else [])]
    return [shorten(each, 30) for each in listed[:MOST_LABELS] if isinstance(each, str) and each]


def find_missed(handles: DataHandles, item: Item) -> list[str]:
    """Return the past unmarked dates of a repeated item, in the form of properties; none of any other item."""
    repeat = read_item_repeat(item, handles.clock.zone)
    return [each.dates[repeat.keys[0].name] for each in list_missed(repeat, handles.clock.now())] if repeat else []


def move(handles: DataHandles, day: str, when: str = "") -> Mark:
    """Return a function that moves an item to a day, keeping its time, or to a moment; of a repeated item only this
    date moves.

    Raises:
        UserError: It is not a day.
    """
    to, zone = _read_place(day, handles.clock.now().date()), handles.clock.zone

    def mark(item: Item) -> Properties:
        if when and (repeat := read_item_repeat(item, zone)):
            if isinstance(to, datetime) and not repeat.is_day:
                there = to.replace(tzinfo=zone).isoformat()
            else:
                there = f"{to:%Y-%m-%d}{when[10:]}"
            moved = read_day_or_moment(there, repeat.zone)
            return {"moved": {_find_ruled(repeat, when): _write_local(moved)}}
        return _shift(localize(item, zone), to)

    return mark


def _find_ruled(repeat: Repeat, when: str) -> str:
    """Return the rule's date of the occurrence shown at a moment, which may have been moved there."""
    shown, lead = read_local(when, repeat.zone), repeat.keys[0].name
    around = iter_between(repeat, shown.date() - DAY, shown.date() + DAY)  # in another zone it is another day
    at = next((each.at for each in around if read_local(each.dates[lead], repeat.zone) == shown), shown)
    return _write_local(at if len(repeat.rule.times) > 1 else at.date())


def set_property(name: str, value: Json, today: date) -> Mark:
    """Return a function that sets a property of an item; None removes it. Errors as of `read_dates`."""
    found = read_dates({name: value}, today)
    return lambda _: found


def read_dates(properties: Properties, today: date) -> Properties:
    """Return properties with the dates that words such as "next tuesday" mean.

    Raises:
        UserError: A date cannot be read: the item would silently be found on no day.
    """
    found = dict(properties)
    for name in DATE_KEYS:
        value = properties.get(name)
        if value is not None and not day_of(value):
            found[name] = _read_moment(f"{call_property(name)}: ", value, today)
    return found


def _read_moment(name: str, value: Json, today: date) -> str:
    meant = guess_dates(value, today) if isinstance(value, str) else None
    if meant is None or meant[0] != meant[1]:
        raise UserError(
            _("{value} is no day.").format(value=name + quote(str(value), 40)),
            _("A day looks like 2026-12-24, with a time 2026-12-24T09:30, or is named as next Tuesday is."),
        )
    return meant[0]


def delete(_: Item) -> None:
    """Delete an item."""


def read_day(text: str, today: date) -> date:
    """Return the day that a form names, such as next tuesday. Raises UserError if it is not a day, or too far away."""
    day = _read_place(text, today)
    if isinstance(day, datetime):
        raise UserError(_("{value} is no day alone.").format(value=quote(text, 40)), _("A day looks like 2026-12-24."))
    return day


def _read_place(text: str, today: date) -> date:
    """Return the day, or the moment on a day, that a form names. Errors as of `read_day`."""
    written = _read_moment("", text, today)
    moment = datetime.fromisoformat(written)
    if moment.year not in YEARS:
        hint = _("Choose one from {first} to {last}.").format(first=YEARS[0], last=YEARS[-1])
        raise UserError(_("This day is too far away."), hint)
    return moment if len(written) > len("2026-12-24") else moment.date()


def _shift(item: Item, to: date) -> Properties:
    """Return the dates of an item moved to another day or a moment; its end moves by the same distance."""
    lead = next((name for name in LEADS if day_of(item.properties.get(name))), None)
    if lead is None:
        return {"due_date": _write_local(to)}
    written = str(item.properties[lead])
    was = datetime.fromisoformat(written).replace(tzinfo=None)
    distance = to - was if isinstance(to, datetime) else to - was.date()
    is_new_time = isinstance(to, datetime) and len(written) == len("2026-12-24")
    shifted: dict[str, Json] = {lead: _write_local(to) if is_new_time else _move_on(written, distance, item)}
    end = item.properties.get("end_date")
    if lead != "due_date" and isinstance(end, str) and day_of(end):
        shifted["end_date"] = _move_on(end, distance, item)
    return shifted


def _move_on(written: str, distance: timedelta, item: Item) -> str:
    """Return a date some time later. If the item keeps another zone, the time is the person's local one."""
    moment = datetime.fromisoformat(written).replace(tzinfo=None) + distance
    if len(written) == len("2026-12-24"):
        return str(moment.date())
    return f"{moment:%Y-%m-%dT%H:%M}{'' if item.zone else written[16:]}"


def _write_local(moment: date) -> str:
    """Return a day, or a moment of local time, in the form of properties."""
    return moment.isoformat(timespec="minutes") if isinstance(moment, datetime) else str(moment)
