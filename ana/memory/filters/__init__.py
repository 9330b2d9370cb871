"""The filter language: which items a `where` selects.

    {"status": "active", "due": {"$gte": "2026-01-12", "$lt": "2026-01-19"}}       several conditions mean and
    {"$or": [{"tags": "home"}, {"priority": {"$in": [1, 2]}}]}                     $and and $or nest
    {"$on": "2026-01-14"}                                                          some date of the item is on that day

`parse` checks it and returns a tree of And, Or, On and Compare with normalised operands; `matches` evaluates it.
A key is a property, or the item's own id, created_at or updated_at; a property of that name wins, even when it is null.
If no item has a key in this spelling, a key that differs only in case is used (see ana.memory.tally).

Equality ($eq, or the value alone; $in is any of several, $ne and $nin are their opposites):
- a missing key and null are the same and equal only null, so $ne and $nin match items that lack the key, unless they
  exclude null; no other operator matches those, except equality with null
- text equals text in any case; true and false equal only themselves; 1 equals 1.0
- a list equals each of its members; a list or an object as operand equals a value with the same contents, with text
  and dates inside compared exactly
- $contains is equality with a member of a list; text also contains its parts, in any case, and a date equals its day
Order ($gt $gte $lt $lte): number bounds against numbers, date bounds against dates; other values never match.

Dates are compared as spans (see ana.time.spans): a value [vs, ve) is, for a bound [bs, be),
    wholly before   if ve <= bs and vs < be     $lt is this, $gte is every other date
    wholly after    if vs >= be and ve > bs     $gt is this, $lte is every other date
    within          if it is neither, bs <= vs and ve <= be     $eq is this, $ne is everything else
so a bare date as a bound is the whole day: $lte and $gte include it, $lt and $gt exclude it, and it equals the day
and every moment of it. A bare date as a value against a moment of that day is neither before nor after nor equal: $gte
and $lte match. (`vs < be` and `ve > bs` matter only for a day the zone skipped, whose span is empty.)
A weekday after a bound, "2026-01-13 (Tuesday)", is checked and dropped; a stored value with one is plain text.

$on takes a day, or its bounds, and matches items with a date that is neither before nor after: in any property but the
item's own three, or between start_date and end_date.

A repeated item is tested by its occurrences (see ana.memory.search.series): the dates here are those of one occurrence.
"""

from ana.memory.filters.matching import matches
from ana.memory.filters.nodes import (
    EVERY_ITEM,
    ORDER,
    OWN_KEYS,
    And,
    Compare,
    DateOperand,
    Node,
    On,
    Operand,
    Or,
    find_keys,
    iter_conditions,
)
from ana.memory.filters.reading import parse

__all__ = [
    "EVERY_ITEM",
    "ORDER",
    "OWN_KEYS",
    "And",
    "Compare",
    "DateOperand",
    "Node",
    "On",
    "Operand",
    "Or",
    "find_keys",
    "iter_conditions",
    "matches",
    "parse",
]
