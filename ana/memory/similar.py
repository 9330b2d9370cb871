"""Records like another, by the vectors that are stored: nothing is embedded."""

import re
from datetime import date

from ana.memory.backend import Backend
from ana.memory.changes import Kind
from ana.memory.filters import EVERY_ITEM, Node, matches
from ana.memory.item import Item
from ana.memory.search.found import Found, Reason
from ana.memory.search.query import parse_query

NEAREST = 5
"""How many of the nearest records are looked at."""

ALIKE = 0.7
"""The cosine from which two records with the same words say the same; properties alone can take them so far apart."""

COSINES = {"wordllama": 0.91, "minilm": 0.93}
"""The lowest cosine of each embedder with which none of twelve pairs that only sound alike, such as printer ink and
printer paper, is taken for the same, of pairs without different numbers; see tests/tools/test_similar.py."""

OTHERS = 0.93

MOST = 500
"""How many of the nearest items a filter is applied to."""


def find_similar(backend: Backend, id: str, where: Node, limit: int) -> Found:
    """Return the items nearest in meaning to a stored item, without itself."""
    is_filtered = where != EVERY_ITEM
    near = backend.find_similar("item", id, MOST if is_filtered else limit + 1)
    passing = [(item, cosine) for item, cosine in near if matches(where, item)]
    reasons = tuple(Reason(cosine, filter=is_filtered) for _, cosine in passing[:limit])
    return Found([item for item, _ in passing[:limit]], len(passing), len(passing) > limit, reasons)


def find_twins(backend: Backend, kind: Kind, record: Item, most: int) -> list[Item]:
    """Return stored records that say nearly the same as a stored one, the nearest first."""
    near, enough = backend.find_similar(kind, record.id, NEAREST), COSINES.get(backend.embedder_name, OTHERS)
    return [other for other, cosine in near if _is_twin(record, other, cosine, enough)][:most]


def _is_twin(one: Item, other: Item, cosine: float, enough: float) -> bool:
    # no embedder tells numbers apart: report 3 is not report 4
    numbers, others = ({*re.findall(r"\d+", each.content)} for each in (one, other))
    if cosine < ALIKE or numbers != others:
        return False
    return cosine >= enough or _words(one.content) == _words(other.content) != frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(parse_query(text, date.min).words)
