"""A day that a draft says something was set to is a day that was written, or read."""

from collections.abc import Iterator
from datetime import date

from nodes.policies.claims import WAYS_OUT
from nodes.policies.days import Day, find_days
from nodes.policies.evidence import Evidence, Violation
from nodes.policies.written import find_claims


def claimed_days_are_written(e: Evidence) -> Violation | None:
    """Require that a date in a claim stands in what the turn's calls sent and returned, or was known before it.

    The message and the calendar do not count: who asks for Friday is not told so if Thursday was stored.
    """
    if e.now is None or not e.receipts:
        return None
    today = e.now.date()
    claimed = [*_find_claimed_days(e.draft, today)]
    if not claimed:
        return None
    before = (str(receipt["before"]) for receipt in e.receipts)
    texts = (*(f"{call.args} {call.text}" for call in e.calls), *before, *e.earlier, *e.lines.values())
    known = {day for text in texts for found in find_days(text, today) for day in found.dates}
    wrong = next((text for text, day in claimed if day.dates and not known.intersection(day.dates)), None)
    if wrong is None:
        return None
    return Violation(
        "claimed_day",
        f'It says "{wrong}", but no call of this turn wrote or found that date. Write it, if it is meant. {WAYS_OUT}',
        "Not everything you asked for was done.",
    )


def _find_claimed_days(draft: str, today: date) -> Iterator[tuple[str, Day]]:
    """Yield each day of a claim, with the claim."""
    for claim in find_claims(draft, after_order=False):
        yield from ((claim.words, day) for day in find_days(claim.words, today))
