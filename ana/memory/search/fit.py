"""What of a query's answer fits its text: how alike an item must be, beside the best one and at all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ana.memory.item import Item
from ana.memory.search.found import Found, Reason
from ana.memory.search.scoring import Weights

NEAREST = 3
"""How many items are shown where nothing fits."""


@dataclass(frozen=True)
class Bar:
    """How alike items must be to a text, as one embedder sees it; chosen on the tuning halves (docs/search.md).

    Args:
        share: The share of the best item's score from which on another one fits as well.
        vector: The cosine from which on anything fits at all.
        words: The score of words from which on anything does, whatever its cosine.
    """

    share: float
    vector: float
    words: float


BARS = {"minilm": Bar(0.6, 0.34, 0.65), "wordllama": Bar(0.55, 0.3, 0.4)}

OTHERS = Bar(0.4, 0.0, 0.0)
"""Nobody knows how far the cosines of another embedder spread: only what is much less like than the best goes."""


def count_fitting(reasons: Sequence[Reason], embedder: str) -> int:
    """Return how many of the items that a text found fit it, which are the first of them; 0 if none does."""
    bar, weights = BARS.get(embedder, OTHERS), Weights()
    if not any(_fits(reason, bar) for reason in reasons):
        return 0
    scores = [
        weights.vector * (reason.vector or 0.0)
        + weights.words * reason.share
        + weights.day * bool(reason.date)
        + weights.status * reason.status
        for reason in reasons
    ]
    least = bar.share * max(scores)
    return sum(bool(reason.first) or score >= least for reason, score in zip(reasons, scores, strict=True))


def _fits(reason: Reason, bar: Bar) -> bool:
    is_named = reason.first is not None or reason.date is not None
    return is_named or (reason.vector or 0.0) >= bar.vector or reason.share >= bar.words


def keep_fitting(found: Found) -> Found:
    """Return the answer to a text with what fits alone, or with the nearest if nothing does; any other as it is."""
    if found.fitting is None:
        return found
    count = found.fitting or NEAREST
    is_all = found.truncated and found.fitting >= len(found.items)
    return replace(found, items=found.items[:count], reasons=found.reasons[:count], truncated=is_all)


def fuse(answers: Sequence[Found]) -> Found:
    """Return one answer of those to the same question in several wordings.

    What fits a wording counts by its rank in that answer alone (reciprocal rank fusion, Cormack, 2009): the scores of
    two texts cannot be compared. A wording that nothing fits adds nothing, unless nothing fits any.
    """
    known = [each for each in answers if each.fitting != 0] or answers
    if len(known) == 1:
        return known[0]
    ranks: dict[str, float] = {}
    best: dict[str, tuple[Item, Reason]] = {}
    for found in map(keep_fitting, known):
        for rank, (item, reason) in enumerate(zip(found.items, found.reasons, strict=True), 1):
            ranks[item.id] = ranks.get(item.id, 0.0) + 1 / (RANKS + rank)
            best.setdefault(item.id, (item, reason))
    order = [best[id] for id in sorted(ranks, key=lambda id: -ranks[id])]
    fitting = len(order) if known[0].fitting != 0 else 0
    items, reasons = [item for item, _ in order], tuple(reason for _, reason in order)
    return replace(known[0], items=items, reasons=reasons, fitting=fitting, truncated=any(a.truncated for a in known))


RANKS = 60
"""What is added to every rank, so that the first of one answer does not outweigh what several have."""
