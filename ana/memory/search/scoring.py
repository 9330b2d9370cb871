"""How an item scores against a query: vectors for meaning, words for names, dates for days.

An item's score is the cosine of its vector, plus how well its words match the query's (see `words.py` here), plus a
constant if its date is on a day that the query names, and another if it asks for items that are open, or done, and this
one is. Items with an exact id, a quoted phrase or a tag come first.
"""

from dataclasses import dataclass, replace
from datetime import date, tzinfo

from ana.memory.search.found import Found
from ana.time.spans import Span, day_span

TAG_KEYS = ("tags", "tag", "labels", "label", "project", "context")
"""Properties that hold tags, by whatever name people call them."""

WEAK = 0.4
"""An item that scores less than this share of the best one's score is supported by no part of a query. On the tuning
halves this drops 6 to 12% of what is not asked for in the whole stores and a third of it in stores of 40 items, with no
right answer in the former and 0.3 to 0.5% of them in the latter; 0.5 drops twice as much and lost some held out."""


@dataclass(frozen=True)
class Weights:
    """The weight of each part of a score, chosen on the tuning halves of evals/data and one half of LoCoMo's
    conversations; the same for every embedder.

    Args:
        vector: A cosine of 1.
        words: Words that match perfectly.
        day: A date on a day that the query names.
        status: A status that the query asks for.
        near: From which cosine on another word counts in place of the query's; above 1 none does.
    """

    vector: float = 1.0
    words: float = 0.6
    day: float = 0.6
    status: float = 0.2
    near: float = 0.0


def drop_weak(found: Found) -> Found:
    """Return the answer to a text without the items that no part of the query supports, beside the best."""
    weights = Weights()
    scores = [
        weights.vector * (reason.vector or 0.0) + weights.words * reason.share + weights.day * bool(reason.date)
        for reason in found.reasons
    ]
    least = WEAK * max(scores, default=0.0)
    kept = [
        (item, reason)
        for item, reason, score in zip(found.items, found.reasons, scores, strict=True)
        if reason.first or score >= least
    ]
    if least <= 0 or len(kept) == len(found.items):
        return found
    return replace(found, items=[i for i, _ in kept], reasons=tuple(r for _, r in kept), truncated=False)


def days_span(first: date, last: date, zone: tzinfo) -> Span:
    """Return the stretch of time from the first day to the last, both included."""
    return day_span(first, zone)[0], day_span(last, zone)[1]
