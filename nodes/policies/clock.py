"""The present time in a draft comes from the prompt, from a result of `now`, or from the clock."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime

from nodes.evidence import Evidence
from nodes.policies.days import DAY, find_days, find_times, find_weekdays

TOLERANCE = 2
"""Minutes that may pass between the reading of the clock and the answer."""
STEP, QUARTER = 5, 15
"""Minutes. What is planned begins at a multiple, most often of the second."""
MOST_LETTERS = 12
"""A draft with no more beside a time says what time it is, and nothing else."""


def clock_is_read(e: Evidence) -> Iterator[str]:
    """Require that the present time comes from the clock."""
    times = [time for time in find_times(e.statements) if re.search(r"\d\D+\d", e.statements[time.start : time.end])]
    if not times or e.now is None or re.search(r"\d", e.question):  # in 2 hours, at 9
        return
    readings = (e.prompt.partition("\n")[0], f"{e.now:%H:%M}", *(result.get("iso", "") for result in e.results("now")))
    clock = {minute for text in readings for time in find_times(text) for minute in time.values}
    known = {minute for text in e.texts() for time in find_times(text) for minute in time.values}
    only_now = {call.tool for call in e.calls} == ({"now"} if known else set())
    says_all = len(times) == 1 and e.letters <= MOST_LETTERS and only_now
    for time in (time for time in times if time.values.isdisjoint(known | _widen(clock))):
        minutes = {minute % 60 for minute in time.values}
        # a reading moved by whole hours is the time of another place, worked out in the head
        is_moved = minutes <= {minute % 60 for minute in clock}
        if says_all or (is_moved and all(minute % (QUARTER if len(times) == 1 else STEP) for minute in minutes)):
            phrase = e.statements[time.start : time.end]
            yield f'It gives "{phrase}", which neither now nor the calendar showed, and no text here holds.'


def _widen(minutes: Iterable[int]) -> set[int]:
    return {(minute + after) % DAY for minute in minutes for after in range(-TOLERANCE, TOLERANCE + 1)}


def find_last_reading(e: Evidence) -> datetime | None:
    """Return the last result of `now` in this turn."""
    with suppress(IndexError, KeyError, ValueError):
        return datetime.fromisoformat(e.results("now")[-1]["iso"])
    return None


def tells_moment(moment: datetime, e: Evidence) -> bool:
    """Return whether a draft gives the time, the day, the weekday or the year of a moment."""
    times = _widen([moment.hour * 60 + moment.minute])
    return (
        any(times & time.values for time in find_times(e.draft))
        or any(moment.date() in day.values for day in find_days(e.draft, moment.date()))
        or any(moment.weekday() in name.values for name in find_weekdays(e.draft))
        or str(moment.year) in e.draft
    )
