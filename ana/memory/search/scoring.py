"""The score of an item for a query: vectors for meaning, words for names, dates for days.

An item's score is the cosine of its vector, plus how well its words match the query's (see `words.py` here), plus a
constant if its date is on a day that the query names, and another if it asks for items that are open, or done, and this
one is. Items with an exact id, a quoted phrase or a tag come first.
"""

from dataclasses import dataclass
from datetime import date, tzinfo

from ana.time.spans import Span, get_day_span

TAG_KEYS = ("tags", "tag", "labels", "label", "project", "context")
"""Properties that hold tags, by whatever name people call them."""


@dataclass(frozen=True)
class Weights:
    """The weight of each part of a score, chosen on the tuning halves of evals/data and one half of LoCoMo's
    conversations; the same for every embedder.

    Args:
        vector: A cosine of 1.
        words: Words that match perfectly.
        day: A date on a day that the query names.
        status: A status that the query asks for.
        near: The cosine from which on another word counts in place of the query's; above 1 no other word does.
    """

    vector: float = 1.0
    words: float = 0.6
    day: float = 0.6
    status: float = 0.2
    near: float = 0.0


def get_days_span(first: date, last: date, zone: tzinfo) -> Span:
    """Return the stretch of time from the first day to the last, both included."""
    return get_day_span(first, zone)[0], get_day_span(last, zone)[1]
