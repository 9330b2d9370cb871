"""The present time."""

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, available_timezones

from langchain_core.tools import tool

from ana.errors import ToolError
from ana.time.dates import weekday
from tools.call import Injected


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
    zone = next((zone for zone in sorted(available_timezones()) if f"/{zone.lower()}".endswith(city)), name.strip())
    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError) as exc:
        raise ToolError(f"There is no time zone {name!r}.", "Use utc, local, or an IANA zone like Asia/Tokyo.") from exc
