"""The present time, and dates from phrases, for a model that would count days wrong."""

import re
from datetime import UTC, date, time, tzinfo
from zoneinfo import available_timezones

from langchain_core.tools import tool

from ana.errors import ToolError
from ana.time.clock import find_zone
from ana.time.dates import weekday, with_weekday
from ana.time.when import find_hours_ahead, find_other_reading, read_moments, resolve, weekday_named
from tools.call import Injected

UNDERSTOOD = (
    "Understood in English, one day at a time: tomorrow, Friday, next Friday, Friday week, in 3 weeks, the 13th, "
    "January 13, 13 January 2027, the first Monday of March 2027, end of the month, this weekend, 2026-01-13; "
    "with a time such as at 14:30; with after also: two weeks later."
)
TWOFOLD = "Some mean the one by it, some the other: tell the user both dates."
LONGEST = 300
"""Characters of a phrase."""

_FILLER = re.compile(
    r"\b(?:on|at|by|due|the|of|in|for|from|until|till|before|around|about|and|then|a|sharp|starting|day|date|time|morning"
    r"|afternoon|evening|night|o'?clock)\b|\W",
    re.IGNORECASE,
)
"""What may be left of a phrase when its day and its time are taken out."""


@tool(parse_docstring=True)
def now(timezone: str = "local", *, call: Injected) -> dict[str, str]:
    """Tell the present date and time.

    Args:
        timezone: utc, local, or an IANA zone such as Europe/Berlin.
    """
    moment = call.clock.now().astimezone(_zone(timezone, call.clock.zone))
    name = {"utc": "UTC", "local": call.clock.zone_name}.get(timezone.strip().lower(), str(moment.tzinfo))
    return {"iso": moment.isoformat(timespec="seconds"), "weekday": weekday(moment.date()), "timezone": name}


def _zone(name: str, local: tzinfo) -> tzinfo:
    word = name.strip().lower()
    if word in ("local", "utc"):
        return local if word == "local" else UTC
    city = f"/{word.replace(' ', '_')}"
    called = next((zone for zone in sorted(available_timezones()) if f"/{zone.lower()}".endswith(city)), name.strip())
    if zone := find_zone(called):
        return zone
    raise ToolError(f"There is no time zone {name[:60]!r}.", "Use utc, local, or an IANA zone like Asia/Tokyo.")


@tool(parse_docstring=True)
def resolve_date(phrase: str, after: str | None = None, *, call: Injected) -> dict[str, str]:
    """Work out the date that a phrase names, such as "the third Friday in March" or "in 6 weeks at 9:30".

    Args:
        phrase: The phrase, in English.
        after: An ISO date to count from instead of today.
    """
    try:
        base = date.fromisoformat(after[:10]) if after else call.today
    except ValueError as exc:
        raise ToolError(f"{after!r} is not an ISO date.", "Give after as 2026-01-13, or leave it out.") from exc
    phrase = phrase.strip()
    if len(phrase) > LONGEST:
        raise ToolError(f"The phrase is longer than {LONGEST} characters.", UNDERSTOOD)
    if after is None and (ahead := find_hours_ahead(phrase, call.clock.now())):
        start, end, moment = ahead
        _require_read(phrase[:start] + phrase[end:])
        return _answer(phrase, moment.date(), moment.time())
    days, times, rest = read_moments(_spell_year(_count_from_today(phrase) if after else phrase, base), base)
    _require_read(rest)
    if len(days) != 1 or len(times) > 1:
        named = "no day" if not days else "more than one day or time"
        raise ToolError(f"{phrase!r} names {named}.", UNDERSTOOD)
    day = days[0]
    if (said := weekday_named(day.text)) is not None and said != day.first.weekday():
        raise ToolError(f"{day.first} is a {weekday(day.first)}; {day.text!r} does not fit.", "Ask which is meant.")
    answer = _answer(phrase, day.first, times[0].at if times else None, day.last)
    other = find_other_reading(day, base)
    return answer | ({"or": with_weekday(str(other)), "note": TWOFOLD} if other else {})


def _spell_year(phrase: str, today: date) -> str:
    """Return "13 March next year" with the year in figures."""
    days = resolve(phrase, today)
    if len(days) < 2 or not re.fullmatch(r"(?i)(?:this|next|last)\s+year", days[-1].text):
        return phrase
    return f"{phrase[: days[-1].start]}{days[-1].first.year}{phrase[days[-1].end :]}"


def _count_from_today(phrase: str) -> str:
    """Return "two weeks later" as "in two weeks", and "two weeks earlier" as "two weeks ago"."""
    words, _, last = " ".join(phrase.split()).rpartition(" ")
    return {"later": f"in {words}", "earlier": f"{words} ago"}.get(last.lower(), phrase) if words else phrase


def _require_read(rest: str) -> None:
    """Refuse a phrase of which something is left: the day of the rest would be another one."""
    if unread := " ".join(_FILLER.sub(" ", rest).split()):
        raise ToolError(f"{unread!r} is not understood.", UNDERSTOOD)


def _answer(phrase: str, first: date, at: time | None, last: date | None = None) -> dict[str, str]:
    found = {"date": first.isoformat(), "weekday": weekday(first)}
    if last and last != first:
        found |= {"last": last.isoformat(), "last_weekday": weekday(last)}
    if at:
        found["time"] = at.isoformat(timespec="minutes")
    return found | {"phrase": phrase}
