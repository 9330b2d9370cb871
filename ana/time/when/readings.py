"""The two readings of "next Friday": the first Friday after today, and the one a week later."""

import re
from datetime import date, timedelta

from ana.time.dates import spell_day
from ana.time.when.mentions import Mention, resolve
from ana.time.when.words import ANY_WEEKDAY

_NEXT = re.compile(rf"next\s+{ANY_WEEKDAY}\.?", re.IGNORECASE)


def find_other_reading(mention: Mention, today: date) -> date | None:
    """Return the other day that people mean by "next Friday"; None for phrases that have one reading.

    On a Friday it has one: in a week.
    """
    ahead = (mention.first - today).days
    if not _NEXT.fullmatch(mention.text) or ahead % 7 == 0:
        return None
    return mention.first + timedelta(weeks=1 if ahead < 7 else -1)


def tell_other_reading(text: str, today: date) -> str:
    """Return a sentence with both readings of the one phrase in a text that has two; empty without one, or several."""
    twofold = [(said, other) for said in resolve(text, today) if (other := find_other_reading(said, today))]
    if len(twofold) != 1:
        return ""
    said, other = twofold[0]
    return f" “{said.text}” can mean {spell_day(said.first)}, as I read it, or {spell_day(other)}."
