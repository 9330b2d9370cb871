"""Explaining why a query finds nothing: the conditions that no item meets, and the values that items have instead."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from ana.memory.backend import Backend
from ana.memory.few_words import tell_more
from ana.memory.filters import OWN_KEYS, Compare, DateOperand, Operand, iter_conditions
from ana.memory.search.query import Query
from ana.translation import _
from ana.values import Json

MOST_VALUES = 5
MOST_CONDITIONS = 2
"""How many values, and conditions that nothing meets, are named: what is said costs tokens."""

LONGEST = 40
"""Characters of a value that is named."""


def explain_nothing(backend: Backend, query: Query) -> str:
    """Return the reasons why a query finds nothing, in a few sentences; empty if there is nothing to say."""
    if not backend.count("item"):
        return _("There are no items yet.")
    alone = replace(query, text=None, due=None, excluded=(), limit=1)
    conditions = (each for each in iter_conditions(query.where) if isinstance(each, Compare))
    unmet = [each for each in conditions if not backend.query(replace(alone, where=each)).total]
    return " ".join(filter(None, (_explain(backend, each) for each in unmet[:MOST_CONDITIONS])))


def _explain(backend: Backend, condition: Compare) -> str:
    key, wanted = condition.key, next(iter(condition.operands), None)
    values = backend.list_values(key)
    if not values and key not in OWN_KEYS:
        return _explain_unknown(backend, key)
    if key in OWN_KEYS or wanted is None or isinstance(wanted, DateOperand) or condition.op in ("$ne", "$nin"):
        return ""
    return _("No item has that {name}; there are {values}.").format(name=key, values=_name_values(values, wanted))


def _explain_unknown(backend: Backend, key: str) -> str:
    keys = backend.list_keys()
    if not keys:
        return _("No item has the property {name}, nor any other.").format(name=repr(key))
    near = sorted((known for known in keys if _liken(known, key)), key=lambda known: -_liken(known, key))
    names = ", ".join((near or [*keys])[:MOST_VALUES])
    return _("No item has the property {name}; there are {names}.").format(name=repr(key), names=names)


def _name_values(values: Sequence[tuple[Json, int]], wanted: Operand) -> str:
    """Return values with their counts: the most similar to the wanted one, then the most frequent."""
    ranked = sorted(values, key=lambda each: (-_liken(str(each[0]), str(wanted)), -each[1]))[:MOST_VALUES]
    more = f" {tell_more(len(values) - len(ranked))}" if len(values) > len(ranked) else ""
    # quotes show that "1" was asked for where the values are numbers, and the other way round
    plain = any(type(value) is type(wanted) for value, _count in ranked)
    named = (f"{_shorten(str(value) if plain else repr(value))} ({count})" for value, count in ranked)
    is_other = isinstance(wanted, str) and not any(isinstance(value, str) for value, _count in ranked)
    kind = f" {_('(not text)')}" if is_other else ""
    return ", ".join(named) + more + kind


def _liken(known: str, wanted: str) -> float:
    """Return the similarity of two names, from 0.6 to 1; 0 if they are not similar."""
    one, other = known.casefold(), wanted.casefold()
    if one in other or other in one:
        return 1.0
    ratio = SequenceMatcher(None, one[:LONGEST], other[:LONGEST]).ratio()
    return ratio if ratio >= 0.6 else 0.0


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
