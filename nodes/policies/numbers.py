"""Numbers that answer a calculation, or are a total, count or amount of stored items, come from somewhere."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import combinations, product

from nodes.policies.evidence import Evidence, Violation
from nodes.policies.messages import is_order, is_question
from nodes.policies.quantities import Quantity, find_digits, find_quantities, is_traced
from nodes.policies.spelled import write_numbers
from nodes.policies.texts import any_of, asks, blank_quotes, is_composed, says_no, split_lines

_OWNS = any_of(r"\bdo i have\b|\bhave i\b|\bhabe ich\b|\btengo\b|\bj['’]ai\b|\bai-je\b")
"""A question for what is stored is looked up, not calculated."""
MOST_NUMBERS = 60
"""A draft with more numbers than this is a table of something."""
MOST_SUMMED = 6
"""More numbers of a message than this make too many sums."""
MOST_GIVEN = 3
"""A draft with more numbers of its own than this is a plan or a table, and no answer to a calculation."""

_HOW_MANY = {
    "en": any_of(r"\bhow many\b"),
    "de": any_of(r"\bwie ?viele\b"),
    "es": any_of(r"\bcu[aá]nt[oa]s\b"),
    "fr": any_of(r"\bcombien d(?:e\b|['’])"),
    "": any_of(r"何[件個本枚冊つ人]|いくつ"),
}
_HOW_MUCH = any_of(
    r"\bhow (?:much|many|long|far)\b|\bwie ?(?:viele?|lange|weit)\b|\bcu[aá]nt[oa]s?\b|\bcombien\b|いくら|いくつ|何"
    r"|\b(?:is|macht|hace|fait)\W*$"
)
_CALCULATES = any_of(
    r"\b(?:calc|comput|calcul|evaluat|berechn)\w*|\brechne\b|\bsquare root\b|\bcube root\b|\bfactorial\b|wurzel\b"
    r"|fakultät\b|\bra[ií]z\b|\bracine\b|\bfactori|平方根|立方根|階乗",
    r"\b(?:half|third|quarter|twice|double|triple|hälfte|doppelte|mitad|doble|moitié)(?: of| von| des?)? \d",
    r"\d (?:squared|cubed)\b|\d(?: ?\w+)?の(?:半分|[2-9]倍)",
    r"\bhow many \w+ (?:are |are there )?in \d",
    r"\b(?:what|much)(?: is|['’]?s) \d+ ?[-−/] ?\d+\W*$|\b(?:ist|macht|es|son|font|fait) \d+ ?[-−/] ?\d+\W*$",
)
"""These make something of one number, too."""
_DIVIDES = any_of(r"\b(?:split|divide|multiply|subtract|teile|dividiere|reparte|partage)\b|^add \d+ (?:and|to) \d")
_RELATION = any_of(
    # what a number is to others: the names of operations are few in every language
    r"\b(?:total|sum|average|mean|double|twice|half|triple|per|each|left|altogether|combined)\b",
    r"\b(?:insgesamt|gesamt\w*|summe|zusammen|schnitt|durchschnitt\w*|doppelte?|hälfte|dreifache|pro|je|übrig"
    r"|rest)\b",
    r"\b(?:suma|media|promedio|doble|mitad|por (?:cabeza|persona)|cada|queda|quedan|resto|somme|moyenne|moitié"
    r"|par (?:tête|personne)|chacun|reste)\b",
    r"合計|平均|倍|半分|全部|残り|あたり",
)
_SUM = any_of(r"\b(?:total|totals|sum|summe|gesamt\w*|insgesamt|suma|somme|in all|en todo|en tout)\b|合計|総額")
_CONVERTS = re.compile(
    r"\d\s?\w+\s(?:in|en|to|into)\s(?P<unit>\w+)\W*$|\d\s?[^\W\d:の]{1,6}は(?P<ja>何)(?!で|か)", re.IGNORECASE
)
"""One quantity in another unit."""
_OPERATION = any_of(
    r"[\d)!]\s*(?:\*\*|//|[*×÷^+])\s*[\d(]|\d\s*(?:[%％](?!\w)|percent\b|prozent\b|por ciento\b|pour cent\b)",
    r"\d (?:times|plus|minus|mod\w*|to the power of|mal|hoch|geteilt durch|más|menos|elevado a|fois|moins) \d",
)


def numbers_are_traced(e: Evidence) -> Violation | None:
    """Require that a number which had to be worked out comes from the calculator, and one of stored items from them."""
    if "calculator" in e.tools:
        return _quotes_calculator(e)
    if wrong := _find_worked_out(e):
        return _violation(f'It gives a computed number "{wrong}", but calculator did not run this turn.')
    if counted := _find_miscount(e):
        return _violation(f'It counts "{counted}", and the results of this turn do not hold so many.')
    return None


def _violation(what: str) -> Violation:
    reason = f"{what} Call calculator or look again, then answer from the result; or leave the number out."
    return Violation("arithmetic", reason, "I did not manage to calculate that reliably. Please ask again.")


# ---- the calculator's value


def _quotes_calculator(e: Evidence) -> Violation | None:
    """Require that an answer does not give another number than the last calculation."""
    value, untraced = last_value(e), _untraced(e)
    if value is None or not untraced or states(e.draft, value, _today(e)):
        return None
    if is_composed(e.draft) and len(untraced) > 1:  # a text with numbers of its own
        return None
    return _violation(f'The calculator returned {value:,}, but it gives "{untraced[0].text}".')


def last_value(e: Evidence) -> float | None:
    """Return the result of the last calculation; None without one."""
    results = [call.read() for call in e.calls if call.tool == "calculator" and call.ok]
    value = results[-1].get("result") if results else None
    return value if isinstance(value, int | float) else None


def states(draft: str, value: float, today: date) -> bool:
    """Whether a draft gives a value in any usual form, or rounded to the digits that it shows."""
    if any(is_traced(quantity, [value, -value]) for quantity in find_quantities(draft, today)):
        return True
    return f"{abs(value):.15g}" in find_digits(draft)


def put_value(e: Evidence) -> str:
    """Return the draft, with the calculator's last value added where it stands nowhere in it."""
    value = last_value(e)
    if value is None or is_composed(e.draft) or any(states(text, value, _today(e)) for text in write_numbers(e.draft)):
        return e.draft
    return f"{e.draft}\n\n(= {value:,})"


# ---- numbers that were worked out without it


def _find_worked_out(e: Evidence) -> str | None:
    asked, amounts = _quantities(e.question, e), _amounts(e)
    said = len(asked) + (len(_quantities(e.earlier[-1], e)) if e.earlier and asked else 0)
    calculates = _asks_calculation(e)
    relates = calculates or _relates(e)
    # what a number may have come from is only looked for where it matters: that takes the longest
    if not (relates or said > 1 or amounts):
        return None
    untraced = _untraced(e) or (_find_in_words(e) if calculates else [])
    given = _find_total(untraced, asked, amounts, e)
    if given is None and len(untraced) <= MOST_GIVEN and not is_composed(e.draft) and not e.receipts:
        made = (q for q in untraced if relates or _is_amount(q, amounts) or _is_made(q, asked, untraced, e))
        given = next(made, None)
    return given.text if given else None


def _find_total(
    untraced: Sequence[Quantity], asked: Sequence[Quantity], amounts: Sequence[float], e: Evidence
) -> Quantity | None:
    """Return the first number that is what all of the message make, or stands in a line that calls it a sum."""
    if len(asked) + len(amounts) < 2:
        return None
    sums = [line for line in e.draft.split("\n") if _SUM.search(line)]
    return next((q for q in untraced if _is_balance(q, asked) or any(q.text in line for line in sums)), None)


def _is_made(quantity: Quantity, asked: Sequence[Quantity], untraced: Sequence[Quantity], e: Evidence) -> bool:
    """Whether a number is made of two of the message, or one of these and one of the last messages or of the draft."""
    last = [q for said in e.earlier[-2:] for q in _quantities(said, e)]
    own = [q for q in untraced if q is not quantity and max(q.values) >= 10] if asks(e.question) else []
    return _is_combined(quantity, [*combinations(asked, 2), *product(asked, [*last, *own])])


def _is_balance(quantity: Quantity, asked: Sequence[Quantity]) -> bool:
    """Whether a number is what all numbers of the message make, added up or taken away."""
    if not 2 < len(asked) <= MOST_SUMMED or max(quantity.values) < 10:
        return False
    first, *rest = (max(other.values) for other in asked)
    sums = {first}
    for value in rest:
        sums |= {total + value for total in sums} | {total - value for total in sums}
    return is_traced(quantity, sums)


def _asks_calculation(e: Evidence) -> bool:
    """Whether a message, in any language, gives numbers and asks what they make."""
    asked = [line for line in split_lines(e.question) if not is_order(line) and not _OWNS.search(line)]
    given = sum(len(_quantities(line, e)) for line in asked)
    if any((_CALCULATES.search(line) and re.search(r"\d", line)) or _converts(line, e.draft) for line in asked):
        return True
    return given > 1 and any(_OPERATION.search(line) or _DIVIDES.search(line) or _asks_amount(line) for line in asked)


def _converts(line: str, draft: str) -> bool:
    match = _CONVERTS.search(line)
    if match is None:
        return False
    in_unit = match["unit"] and re.search(rf"\d\s?{match['unit']}\b", draft, re.IGNORECASE)
    return bool(match["ja"] or _HOW_MUCH.search(line) or in_unit)


def _asks_amount(line: str) -> bool:
    """Whether a line asks what numbers make, if only at its end: ... combien."""
    if is_question(line) and (_HOW_MUCH.search(line) or _RELATION.search(line)):
        return True
    return any(not re.search(r"\w", line[match.end() :]) for match in _HOW_MUCH.finditer(line))


def _relates(e: Evidence) -> bool:
    """Whether a message asks what numbers make that were found in this turn, or stood in the last answer."""
    lines = [line for line in split_lines(e.question) if not is_order(line) or asks(line)]
    texts = [call.text for call in e.calls if call.tool == "query_items"] or [*e.earlier[-1:]]
    return any(_RELATION.search(line) for line in lines) and any(_quantities(text, e) for text in texts)


def _is_combined(quantity: Quantity, pairs: Iterable[tuple[Quantity, Quantity]]) -> bool:
    """Whether a number is what an operation over the numbers of a pair makes."""
    values = ((a, b) for pair in pairs for one, other in (pair, pair[::-1]) for a in one.values for b in other.values)
    results = [r for a, b in values for r in (a + b, a - b, a * b, a / b if b else a, a * b / 100, a + a * b / 100)]
    return is_traced(quantity, results) and (max(quantity.values) >= 10 or bool(quantity.unit))


def _is_amount(quantity: Quantity, amounts: Sequence[float]) -> bool:
    """Whether a number is given as an amount of stored items: a sum of money or a large number beside their own."""
    money = quantity.unit not in ("", "%")
    return bool(amounts) and (money or (len(amounts) > 1 and min(quantity.values) >= 100))


def _amounts(e: Evidence) -> list[float]:
    """Return the numbers that the items found in this turn have as properties, and the sums of money they name."""
    items = [*e.found()]
    values = (value for item in items for value in item.get("properties", {}).values())
    known = [float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    written = (q for item in items for q in _quantities(str(item.get("content", "")), e))
    return known + [max(q.values) for q in written if q.unit not in ("", "%")]


def _untraced(e: Evidence) -> list[Quantity]:
    """Return the numbers that a draft states and has from nowhere."""
    stated = "\n".join(line for line in split_lines(blank_quotes(e.draft)) if not asks(line) and not _declines(line))
    found = _quantities(stated, e)
    if len(found) > MOST_NUMBERS:
        return []
    # what was said long ago is looked through only for what this turn does not explain
    for texts in ((e.question,), [f"{call.args} {call.text}" for call in e.calls], (*e.lines.values(), *e.earlier)):
        if found:
            known = {value for text in texts for quantity in _quantities(text, e) for value in quantity.values}
            found = [quantity for quantity in found if not is_traced(quantity, known)]
    return found


def _find_in_words(e: Evidence) -> list[Quantity]:
    """Return the numbers that a draft states in words; "one" is hardly ever one."""
    texts = write_numbers(e.draft, ["en"])
    return [q for text in texts for q in _untraced(replace(e, draft=text)) if min(q.values) > 1]


def _declines(line: str) -> bool:
    return says_no(line) and not re.search(r"[=$€£]", line)


# ---- counts


def _find_miscount(e: Evidence) -> str | None:
    """Return the number of items a draft gives as the answer to "how many", if more than were found."""
    totals = [result["total"] for call in e.calls if (result := call.read()) and "total" in result]
    asked = [language for language, pattern in _HOW_MANY.items() if pattern.search(e.question)]
    if not totals or not asked:
        return None
    for draft in write_numbers(e.draft, asked):
        first = _untraced(replace(e, draft=draft))[:1]
        if found := next((q.text for q in first if not q.unit and min(q.values) > sum(totals)), None):
            return found
    return None


# ---- what they are found in


def _quantities(text: str, e: Evidence) -> list[Quantity]:
    return find_quantities(text, _today(e))


def _today(e: Evidence) -> date:
    return (e.now or datetime.now(UTC)).date()
