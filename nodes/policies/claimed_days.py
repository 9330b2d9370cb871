"""A day that a draft says something was set to is a day that was written, or read."""

import re
from collections.abc import Iterable, Iterator
from datetime import date

from nodes.policies.claims import WAYS_OUT
from nodes.policies.days import Day, find_days
from nodes.policies.evidence import Evidence, Violation
from nodes.policies.written import find_claims

_YEAR = re.compile(r"\d{4}")
_CERTAIN = re.compile(r"\d{4}|[^\W\d_]{3}|月")
"""In what is a day in any case: 4/5, 24/7 and 10.5 may be a mark, hours and a size."""


def claimed_days_are_written(e: Evidence) -> Violation | None:
    """Require that a date in a claim stands in what the turn's calls sent and returned, or was known before it.

    The message and the calendar do not count: who asks for Friday is not told so if Thursday was stored. But a claim
    with a day that was written may name more: "a reminder for 7 December, a week before the birthday on 14 December".
    """
    if e.now is None or not e.receipts:
        return None
    today = e.now.date()
    claimed = [*_find_claimed_days(e.draft, today)]
    if not claimed:
        return None
    sent = _read_days((str(call.args) for call in e.calls if call.receipts), today)
    before = (str(receipt["before"]) for receipt in e.receipts)
    texts = (*(f"{call.args} {call.text}" for call in e.calls), *before, *e.earlier, *e.lines.values())
    known = _read_days((*texts, str(today)), today)  # the day of the write itself
    wrong = next((words for words, days in claimed if not (_have_any(sent, days) or _have_all(known, days))), None)
    if wrong is None:
        return None
    return Violation(
        "claimed_day",
        f'It says "{wrong}", but no call of this turn wrote or found that date. Write it, if it is meant. {WAYS_OUT}',
        "Not everything you asked for was done.",
    )


def _read_days(texts: Iterable[str], today: date) -> set[str]:
    """Return the dates in texts, each with its year and without."""
    days = (day for text in texts for found in find_days(text, today) for day in found.dates)
    return {spelled for day in days for spelled in (str(day), _drop_year(day))}


def _find_claimed_days(draft: str, today: date) -> Iterator[tuple[str, list[set[str]]]]:
    """Yield each claim that names days, with those, each in all its readings."""
    for claim in find_claims(draft, after_order=False):
        found = ((claim.words[day.start : day.end], day) for day in find_days(claim.words, today))
        if days := [_spell(text, day) for text, day in found if day.dates and _CERTAIN.search(text)]:
            yield claim.words, days


def _spell(text: str, day: Day) -> set[str]:
    # "3 August" is also that of a year long ago
    return {str(each) if _YEAR.search(text) else _drop_year(each) for each in day.dates}


def _have_any(known: set[str], days: Iterable[set[str]]) -> bool:
    return any(known & day for day in days)


def _have_all(known: set[str], days: Iterable[set[str]]) -> bool:
    return all(known & day for day in days)


def _drop_year(day: date) -> str:
    return f"{day:%m-%d}"
