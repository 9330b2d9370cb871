"""How long ago: 30d, 4w."""

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ana.errors import UserError

if TYPE_CHECKING:
    from ana.time.clock import Clock

_AGE = re.compile(r"(?P<count>\d{1,5})\s*(?P<unit>[dw])(?:ays?|eeks?)?", re.IGNORECASE)


def moment_before(age: str, clock: "Clock") -> datetime:
    """The moment that long ago, in UTC.

    Raises:
        UserError: That is no age.
    """
    found = _AGE.fullmatch(age.strip())
    if found is None:
        raise UserError(f"{age!r} is no age.", "Write it as 30d or 4w.")
    days = int(found["count"]) * (7 if found["unit"].lower() == "w" else 1)
    return clock.now().astimezone(UTC) - timedelta(days=days)
