"""Ages such as 30d and 4w."""

import re
from datetime import UTC, datetime, timedelta

from ana.errors import UserError
from ana.time.clock import Clock

_AGE = re.compile(r"(?P<count>\d{1,5})\s*(?P<unit>[dw])(?:ays?|eeks?)?", re.IGNORECASE)


def moment_before(age: str, clock: Clock) -> datetime:
    """Return the time that long ago, in UTC.

    Raises:
        UserError: It is not an age.
    """
    match = _AGE.fullmatch(age.strip())
    if match is None:
        raise UserError(f"{age!r} is not an age.", "Write it as 30d or 4w.")
    days = int(match["count"]) * (7 if match["unit"].lower() == "w" else 1)
    return clock.now().astimezone(UTC) - timedelta(days=days)
