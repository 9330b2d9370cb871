"""Numbers that had to be worked out come from the calculator, and numbers of stored items from the results."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice, product

from nodes.evidence import Evidence
from nodes.policies.equations import find_equations
from nodes.policies.quantities import DIGITS, Quantity, find_quantities, is_traced
from tools.calculator import list_steps

MOST_STATED, MOST_KNOWN = 60, 5000
"""Of more numbers in a draft, or in what it may have them from, none is judged."""
MOST_OWN, MOST_LINES = 2, 4
"""A draft with more numbers of its own, or more lines, is a plan, a recipe or an estimate."""
MOST_LETTERS = 20
"""A draft with no more answers for a number and says little else."""
MOST_IN_QUESTION, MOST_IN_VIEW, MOST_SUMMED = 12, 60, 6
"""So many numbers of a message, and of what it may be about, are combined, and so many are added and taken away."""
LEAST = 10
"""A smaller number is made of others by chance."""

_OPERATOR = re.compile(
    # no fraction, range, size or date, and no quantity such as 2 * 4 screws
    rf"(?<![\w.,:/-]){DIGITS} ?(?://|[+*×÷^]| [-−/] (?=\d)) ?{DIGITS}(?![\w:/-]| ?[^\W\d_])"
)


def numbers_are_traced(e: Evidence) -> Iterator[str]:
    """Require that a number which had to be worked out comes from the calculator, and one of stored items from them."""
    stated = find_quantities(e.statements, e.today)
    if not e.results("calculator"):
        in_question = {value for each in _read_question(e) for value in each.values}
        calculated = (each for each in stated if in_question.isdisjoint(each.values) and _OPERATOR.search(e.question))
        written = (each.result for each in find_equations(e) if each.is_bare and e.letters <= MOST_LETTERS)
        for each in (*calculated, *written):
            yield f'It gives "{each.text}", but no call of calculator this turn returned it.'
    for each in _find_worked_out(own, e) if (own := find_own(e)) else ():
        yield f'It gives "{each.text}", which no call of calculator this turn returned, and no text here holds.'


def find_own(e: Evidence) -> Sequence[Quantity]:
    """Return the numbers of a draft without a source: in no text, result or calculation, and no difference of these."""
    own: Sequence[Quantity] = (stated := find_quantities(e.statements, e.today))
    # what was said long ago is read only for what this turn does not explain
    for texts in ([e.question, *(call.exchange for call in e.calls)], [e.prompt, *e.lines.values(), *e.earlier]):
        if not own or len(own) > MOST_STATED or sum(len(re.findall(r"\d+", text)) for text in texts) > MOST_KNOWN:
            return []
        known = {value for text in texts for each in find_quantities(text, e.today) for value in each.values}
        known.update(_list_calculated(e))
        own = [each for each in own if not is_traced(each, known)]
    explained = {value for each in stated if each not in own for value in each.values}
    in_view = {value for each in (*_read_question(e), *_list_in_view(e)) for value in each.values}
    differences = {abs(one - other) for one, other in product(explained, explained | in_view)}
    return [each for each in own if not is_traced(each, differences)]


def _list_calculated(e: Evidence) -> Iterator[float]:
    """Yield the numbers calculated in the turn or in the draft, and the counts of results and of the draft's lines."""
    steps = (list_steps(str(call.args.get("expression", ""))) for call in e.calls if call.tool == "calculator")
    yield from (float(step) for step in chain(*steps) if isinstance(step, int | float))
    yield from (value for equation in find_equations(e) if equation.is_true for value in equation.result.values)
    total = sum(result.get("total", 0) for result in e.results("query_items"))
    yield from map(float, range(max(total, e.draft.count("\n")) + 2))


def _read_question(e: Evidence) -> Sequence[Quantity]:
    return find_quantities(e.question, e.today)[:MOST_IN_QUESTION]


def _list_amounts(e: Evidence) -> dict[str, list[Quantity]]:
    """Return the numbers of the found items, by property; numbers in their texts have no name."""
    amounts: dict[str, list[Quantity]] = {}
    for item in (item for result in e.results("query_items") for item in result.get("items", [])):
        for name, value in (("", str(item.get("content", ""))), *item.get("properties", {}).items()):
            if not (name and isinstance(value, str)):
                amounts.setdefault(name, []).extend(find_quantities(str(value), e.today))
    return amounts


def _list_in_view(e: Evidence) -> list[Quantity]:
    """Return the numbers that a message may be about: those in results, in Global Context and in the last messages."""
    results = (str(result.get("result")) for result in e.results("calculator"))
    texts = (find_quantities(text, e.today) for text in (*results, *e.earlier[-2:], *e.lines.values()))
    return [*islice(chain(*_list_amounts(e).values(), *texts), MOST_IN_VIEW)]


def _find_worked_out(own: Sequence[Quantity], e: Evidence) -> Iterator[Quantity]:
    """Yield the numbers of a draft that can be computed from numbers in view, or that should be in the results."""
    in_question, in_view, amounts = _read_question(e), _list_in_view(e), _list_amounts(e)
    lines = len([*filter(str.strip, e.draft.split("\n"))])
    is_reply = len(own) <= MOST_OWN and lines <= MOST_LINES and not any(call.receipts for call in e.calls)
    is_short = is_reply and len(own) == 1 and e.letters <= MOST_LETTERS
    results = {*_combine(in_question, in_view), *_sum(in_question), *chain(*map(_sum, amounts.values()))}
    judged = (each for each in own if each.is_exact or (is_short and _is_large(each, (*in_question, *in_view), e)))
    yield from (each for each in judged if is_traced(each, results))
    plain = [each for each in own if each.is_plain and not e.results("calculator")]
    if is_short and len(in_question) > 1:
        yield from (each for each in plain if each.is_exact or not each.unit)
    if is_reply and sum(map(len, amounts.values())) > 1:
        yield from (each for each in plain if each.is_exact)


def _is_large(quantity: Quantity, in_view: Sequence[Quantity], e: Evidence) -> bool:
    """Whether a number is hardly a coincidence: money, a percentage, or at least LEAST in a unit in view."""
    if quantity.unit and quantity.is_plain:
        return True
    is_named = quantity.unit in e.question.casefold() or any(each.unit == quantity.unit for each in in_view)
    return is_named and max(quantity.values, default=0) >= LEAST


def _combine(in_question: Sequence[Quantity], in_view: Sequence[Quantity]) -> Iterator[float]:
    """Yield the numbers that can be computed from two numbers, one of them in the message."""
    for one, other in (*combinations(in_question, 2), *product(in_question, in_view)):
        is_alike = one.unit == other.unit or not (one.unit and other.unit)
        for a, b in chain(product(one.values, other.values), product(other.values, one.values)):
            yield from (a * b, a / b if b else a)
            yield from (a + b, a - b) if is_alike else ()
            yield from (a * b / 100, a + a * b / 100, a - a * b / 100) if "%" in (one.unit, other.unit) else ()


def _sum(numbers: Sequence[Quantity]) -> Iterator[float]:
    """Yield the sum of several numbers, and if they are few, the sums with some of them subtracted."""
    values = [max(each.values, default=0) for each in numbers[:MOST_IN_VIEW]]
    if len(values) > 1:
        signs = product((1, -1), repeat=len(values) - 1) if len(values) <= MOST_SUMMED else [(1,) * (len(values) - 1)]
        yield from (values[0] + sum(s * v for s, v in zip(each, values[1:], strict=True)) for each in signs)
