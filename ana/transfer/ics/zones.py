"""The zones of a calendar file: by the name that everybody knows, by Windows' name, or by a table in the file."""

import re
from datetime import tzinfo
from io import StringIO
from zoneinfo import ZoneInfo

from dateutil.tz import tzical
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

_TZID = re.compile(r"^TZID[^:\n]*:(.*?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_IGNORED = re.compile(r"^(?!BEGIN|END|TZID|TZOFFSET|DTSTART|RRULE|RDATE).*\n", re.IGNORECASE | re.MULTILINE)
_PARTS = "BYMONTH|BYMONTHDAY|BYDAY|UNTIL|WKST|INTERVAL"
_OTHER_RULE = re.compile(rf"^RRULE:(?!FREQ=YEARLY(?:;(?:{_PARTS})=[\w,+-]+)*[ \t]*$)", re.IGNORECASE | re.MULTILINE)
"""A rule that may have any number of changes, and would be expanded one by one."""


def list_tables(texts: list[str]) -> dict[str, str]:
    """Return the first hundred tables of a file by name."""
    return {name[1]: text for text in texts[:100] if (name := _TZID.search(text))}


def find_zone(name: str, table: str) -> tzinfo | None:
    """Return the zone of a name; where nobody knows it, that of its table in the file; None if there is none."""
    parts = name.strip("/").split("/")
    # some programs write their own name before it: /citadel.org/20210210_1/Europe/Berlin
    for at in range(len(parts) if name.startswith("/") else 1):
        tail = "/".join(parts[at:])
        try:
            return ZoneInfo(WINDOWS_TO_OLSON.get(tail, tail))
        except (ValueError, OSError, LookupError):
            continue
    try:
        return (
            None if not table or _OTHER_RULE.search(table) else tzical(StringIO(_IGNORED.sub("", table) + "\n")).get()
        )
    except (ValueError, LookupError):
        return None
