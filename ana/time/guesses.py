"""The date that is probably meant by another form: words, another order of digits, a date with a weekday."""

from datetime import date, datetime, time

from ana.time.when import NotRead, read_phrase


def guess_dates(text: str, today: date) -> tuple[str, str] | None:
    """Return the first and the last day that a text means, in ISO; a single day with its time. None if the text says
    more.

    Args:
        text: A text such as "wednesday", "this week", "2026-25-11" or "friday 9:30".
    """
    try:
        when = read_phrase(text, today, datetime.combine(today, time()))
    except NotRead:
        return None
    if not when.is_plain:
        return None
    if when.at and when.first == when.last:
        moment = f"{when.first}T{when.at:%H:%M}"
        return moment, moment
    return str(when.first), str(when.last)
