"""Which items of an answer fit the query's text: the similarity that an item needs, relative to the best one and
absolutely.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ana.memory.item import Item
from ana.memory.search.result import QueryResult, Reason
from ana.translation import mark_text

NEAREST = 3
"""How many items are shown where nothing fits."""

NOTHING_FITS = mark_text("Nothing fits well: these are merely the nearest.")

RANKS = 60
"""What is added to every rank, so that the first of one answer does not outweigh what several have."""


@dataclass(frozen=True)
class Bar:
    """The least similarity of an item to a text, for one embedder; chosen on the tuning halves (docs/search.md).

    Args:
        share: The share of the best item's score from which on another item fits.
        vector: The cosine from which on anything fits at all.
        words: The score of words from which on anything fits, whatever its cosine.
    """

    share: float
    vector: float
    words: float


BARS = {"minilm": Bar(0.6, 0.34, 0.65), "wordllama": Bar(0.55, 0.3, 0.4)}

OTHERS = Bar(0.4, 0.0, 0.0)
"""Nobody knows how far the cosines of another embedder spread: only what is much less like than the best goes."""


def count_fitting(reasons: Sequence[Reason], embedder: str) -> int:
    """Return how many of the found items fit the text; these are the first ones."""
    bar = BARS.get(embedder, OTHERS)
    is_near = (
        each.first or each.date or (each.vector or 0.0) >= bar.vector or each.share >= bar.words for each in reasons
    )
    if not any(is_near):
        return 0
    least = bar.share * max(each.score for each in reasons)
    return sum(bool(each.first) or each.score >= least for each in reasons)


def keep_fitting(result: QueryResult) -> QueryResult:
    """Return the result of a query by text with only the fitting items, or the nearest if none fits."""
    if result.fitting is None:
        return result
    count = result.fitting or NEAREST
    is_all = result.truncated and result.fitting >= len(result.items)
    return replace(result, items=result.items[:count], reasons=result.reasons[:count], truncated=is_all)


def fuse(answers: Sequence[QueryResult]) -> QueryResult:
    """Join the answers to several wordings of a question into one answer.

    An item that fits a wording counts by its rank in that answer alone (reciprocal rank fusion, Cormack, 2009): the
    scores of two texts cannot be compared. A wording that nothing fits adds nothing; if nothing fits any, the first one
    counts.
    """
    known = [keep_fitting(each) for each in answers if each.fitting != 0]
    if len(answers) == 1 or not known:
        return answers[0]
    ranks: dict[str, float] = {}
    hits: dict[str, tuple[Item, Reason]] = {}
    for answer in known:
        for rank, (item, reason) in enumerate(zip(answer.items, answer.reasons, strict=True), 1):
            ranks[item.id] = ranks.get(item.id, 0.0) + 1 / (RANKS + rank)
            hits.setdefault(item.id, (item, reason))
    order = [hits[id] for id in sorted(ranks, key=lambda id: -ranks[id])]
    items, reasons = [item for item, _ in order], tuple(reason for _, reason in order)
    is_cut = any(answer.truncated for answer in known)
    stored = {id: item for answer in known for id, item in answer.stored.items()}
    return replace(known[0], items=items, reasons=reasons, fitting=len(order), truncated=is_cut, stored=stored)
