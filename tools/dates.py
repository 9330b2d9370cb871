"""The present time, and dates from phrases, for a model that would count days wrong."""

from datetime import UTC, date, datetime, tzinfo
from zoneinfo import available_timezones

from langchain_core.tools import tool

from ana.errors import ToolError
from ana.time.clock import find_zone
from ana.time.dates import add_weekday, weekday
from ana.time.when import NotRead, When, read_phrase
from tools.call import Injected

UNDERSTOOD = (
    "Understood in English, one day or stretch at a time: tomorrow, Friday, next Friday, Friday week, in 3 weeks, the "
    "13th, January 13 - 15, the first Monday of March 2027, 12 working days, end of the month, next quarter, Easter, "
    "2026-01-13; with a time such as at 14:30, or from 9:30 to 11, and its zone; with after also: two weeks later."
)
TWOFOLD = "Some mean the one by it, some the other: tell the user both dates."
_SHORT = {
    "aoe": "Etc/GMT+12", "et": "America/New_York", "est": "Etc/GMT+5", "edt": "Etc/GMT+4", "ct": "America/Chicago",
    "cst": "Etc/GMT+6", "cdt": "Etc/GMT+5", "mst": "Etc/GMT+7", "mdt": "Etc/GMT+6", "pt": "America/Los_Angeles",
    "pst": "Etc/GMT+8", "pdt": "Etc/GMT+7", "bst": "Etc/GMT-1", "cest": "Etc/GMT-2", "jst": "Asia/Tokyo",
}  # fmt: skip
"""Abbreviations, with the zone that most mean, which the answer tells; IST, which is three, is not read."""

LONGEST = 300
"""Characters of a phrase."""


@tool(parse_docstring=True)
def now(timezone: str = "local", *, call: Injected) -> dict[str, str]:
    """Tell the present date and time.

    Args:
        timezone: utc, or an IANA zone.
    """
    moment = call.clock.now().astimezone(_zone(timezone, call.clock.zone))
    name = {"utc": "UTC", "local": call.clock.zone_name}.get(timezone.strip().lower(), str(moment.tzinfo))
    return {"iso": moment.isoformat(timespec="seconds"), "weekday": weekday(moment.date()), "timezone": name}


def _zone(name: str, local: tzinfo) -> tzinfo:
    word = name.strip().lower()
    if word in ("local", "utc"):
        return local if word == "local" else UTC
    city = f"/{word.removesuffix(' time').replace(' ', '_')}"
    named = (zone for zone in sorted(available_timezones()) if f"/{zone.lower()}".endswith(city))
    if zone := find_zone(_SHORT.get(word) or next(named, name.strip())):
        return zone
    raise ToolError(
        f"There is no time zone {name[:60]!r}.", "Use utc, local, or an IANA zone like Asia/Tokyo or Europe/Berlin."
    )


@tool(parse_docstring=True)
def resolve_date(phrase: str, after: str | None = None, *, call: Injected) -> dict[str, str]:
    """Work out the date that a phrase names, such as "the third Friday in March" or "in 6 weeks at 9:30".

    Args:
        phrase: In English.
        after: An ISO date to count from.
    """
    now = call.clock.now()
    try:
        today = date.fromisoformat(after[:10]) if after else now.date()
    except ValueError as exc:
        raise ToolError(f"{after!r} is not an ISO date.", "Give after as 2026-01-13, or leave it out.") from exc
    phrase = phrase.strip()
    if len(phrase) > LONGEST:
        raise ToolError(f"The phrase is longer than {LONGEST} characters.", UNDERSTOOD)
    try:
        when = read_phrase(phrase, today, now)
        zone = _find_zone(when, call.clock.zone)
        if zone and not when.is_dated and not after:  # the next time there
            there = now.astimezone(zone)
            when = read_phrase(phrase, there.date(), there)
    except NotRead as exc:
        raise ToolError(f"{phrase!r} is not read as a date: {exc}.", UNDERSTOOD) from exc
    return _answer(phrase, _convert(when, zone, call.clock.zone) if zone else when)


def _find_zone(when: When, local: tzinfo) -> tzinfo | None:
    """Return the zone in which a phrase names a time: 23:59 AoE, 15:00 in Tokyo."""
    return when.zoned.tzinfo if when.zoned else _zone(when.unread, local) if when.unread else None


def _convert(when: When, zone: tzinfo, local: tzinfo) -> When:
    """Return a moment given in one zone as a moment in the person's zone."""
    times = [datetime.combine(when.first, at, zone) for at in (when.at, when.until) if at]
    first, *ends = (each.astimezone(local) for each in times)
    note = f"{times[0]:%H:%M} on {when.first} there ({zone}) is {first:%H:%M} on {first.date()} here ({local})."
    until = ends[0].time() if ends else None
    return when._replace(first=first.date(), last=first.date(), at=first.time(), until=until, notes=(*when.notes, note))


def _answer(phrase: str, when: When) -> dict[str, str]:
    fields = {"date": when.first.isoformat(), "weekday": weekday(when.first)}
    if when.last != when.first:
        fields |= {"last": when.last.isoformat(), "last_weekday": weekday(when.last)}
    if when.at:
        fields["time"] = when.at.isoformat(timespec="minutes")
    if when.until:
        fields["until"] = when.until.isoformat(timespec="minutes")
    fields |= {"part_of_day": when.part} if when.part else {}
    fields |= {"side": when.bound} if when.bound else {}
    notes = [*when.notes, *([TWOFOLD] if when.other else [])]
    fields |= {"or": add_weekday(str(when.other))} if when.other else {}
    fields |= {"note": " ".join(notes)} if notes else {}
    return fields | {"phrase": phrase}
