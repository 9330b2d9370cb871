"""Records similar to another one, by stored vectors; nothing is embedded."""

import calendar
import re

from ana.memory.backend import Backend
from ana.memory.changes import Kind
from ana.memory.filters import EVERY_ITEM, Node, matches
from ana.memory.item import Item
from ana.memory.search.query import list_content_words
from ana.memory.search.result import QueryResult, Reason
from ana.memory.search.tokens import tokenize

NEAREST = 5
"""How many of the nearest records are looked at."""

ALIKE = 0.7
"""The cosine from which two records with the same words say the same; properties alone can take them so far apart."""

COSINES = {"wordllama": 0.91, "minilm": 0.93}
"""The lowest cosine of each embedder with which none of twelve pairs that only sound alike, such as printer ink and
printer paper, is taken for the same, of pairs without different numbers; see tests/tools/test_similar.py."""

OTHERS = 0.93

IN_ORDER = {"minilm": 0.5, "wordllama": 0.7}
"""The cosine of each embedder from which a newer fact stands before one that is alike. With the items of the tuning
halves dated at random no mean reciprocal rank fell; at 0.4 and 0.6 it did."""

SHARED_WORDS = 2 / 3
"""The share of an older fact's words that a newer one of the same matter has, if they are as alike as ALIKE."""

CHANGED = 0.5
"""The cosine that is enough where a newer fact has all words but those with a digit: a code, an amount was changed."""

_OCCASIONS = frozenset(tokenize(" ".join([*calendar.month_name, *calendar.day_name])))
"""Facts that name other months or days of the week are of different occasions: the March and the April invoice."""

LONGEST_FACT = 300
"""Characters up to which a text is taken for one fact."""

MOST = 500
"""How many of the nearest items a filter is applied to."""


def find_similar(backend: Backend, id: str, where: Node, limit: int) -> QueryResult:
    """Return the items nearest in meaning to a stored item, without itself."""
    is_filtered = where != EVERY_ITEM
    near = backend.find_similar("item", id, MOST if is_filtered else limit + 1)
    passing = [(item, cosine) for item, cosine in near if matches(where, item)]
    reasons = tuple(Reason(cosine, filter=is_filtered) for _, cosine in passing[:limit])
    return QueryResult([item for item, _ in passing[:limit]], len(passing), len(passing) > limit, reasons)


def find_older(backend: Backend, kind: Kind, record: Item) -> list[Item]:
    """Return facts about the same matter as a newer one, the nearest first.

    Similar facts need not contradict each other: both may be true. A record with a status or a date of its own is not a
    fact but a task or an occasion; its date says which one counts.
    """
    if backend.embedder_name not in IN_ORDER or not is_fact(record):
        return []
    near = ((other, cosine) for other, cosine in backend.find_similar(kind, record.id, NEAREST) if is_fact(other))
    return [other for other, cosine in near if is_same_matter(record, other, cosine)]


def is_same_matter(newer: Item, older: Item, cosine: float) -> bool:
    """Return whether two facts with this cosine are about the same matter, so that the newer may replace the older."""
    new, old = get_words(newer), get_words(older)
    if len({each & _OCCASIONS for each in (new, old) if each & _OCCASIONS}) > 1:
        return False
    if cosine >= ALIKE and len(old & new) >= SHARED_WORDS * len(old):
        return True
    without_digits = {word for word in old if not any(map(str.isdigit, word))}
    return cosine >= CHANGED and bool(without_digits) and without_digits <= new


def get_words(record: Item) -> frozenset[str]:
    """Return the meaningful words of a record's text."""
    return frozenset(list_content_words(record.content))


def is_fact(record: Item) -> bool:
    """Return whether a newer record may replace a record: it is a short text without status and date."""
    return len(record.content) <= LONGEST_FACT and record.date is None and record.properties.get("status") is None


def find_twins(backend: Backend, kind: Kind, record: Item, most: int) -> list[Item]:
    """Return stored records that say nearly the same as a stored one, the nearest first."""
    near, enough = backend.find_similar(kind, record.id, NEAREST), COSINES.get(backend.embedder_name, OTHERS)
    return [other for other, cosine in near if _is_twin(record, other, cosine, enough)][:most]


def _is_twin(one: Item, other: Item, cosine: float, enough: float) -> bool:
    # no embedder tells numbers apart: report 3 is not report 4
    numbers, others = ({*re.findall(r"\d+", each.content)} for each in (one, other))
    if cosine < ALIKE or numbers != others:
        return False
    return cosine >= enough or get_words(one) == get_words(other) != frozenset()
