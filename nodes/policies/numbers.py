"""Numbers that answer a calculation, or are a total, count or amount of stored items, come from somewhere."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice, permutations, product

from nodes.policies.evidence import Call, Evidence, Violation
from nodes.policies.messages import is_order, is_question
from nodes.policies.moments import find_written
from nodes.policies.quantities import MOST_ASKED, MOST_KNOWN, Quantity, blank_ranges, find_quantities, is_traced
from nodes.policies.results import find_nearest, find_true_results, is_about, is_derived, is_difference, last_result
from nodes.policies.texts import any_of, asks, blank_quotes, is_composed, says_no, split_lines, write_numbers
from tools.calculator import list_steps
from tools.history import is_number

_OWNS = any_of(r"\bdo i have\b|\bhave i\b|\bhabe ich\b|\btengo\b|\bj['’]ai\b|\bai-je\b")
"""A question for what is stored is looked up, not calculated."""
MOST_NUMBERS = 60
"""A draft with more numbers than this is a table of something."""
MOST_SUMMED = 6
"""More numbers of a message than this make too many sums."""
MOST_GIVEN = 3
"""A draft with more numbers of its own than this is a plan or a table, and no answer to a calculation."""

_DIGIT = re.compile(r"\d")
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
    if "calculator" in e.tools and (violation := _quotes_calculator(e)):
        return violation
    if wrong := _find_worked_out(e):
        return _violation(f'It gives a computed number "{wrong}", but no call of calculator this turn returned it.')
    if counted := _find_miscount(e):
        return _violation(f'It counts "{counted}", and the results of this turn do not hold so many.')
    return None


def _violation(what: str) -> Violation:
    reason = f"{what} Call calculator or look again, then answer from the result; or leave the number out."
    return Violation("arithmetic", reason, "I did not manage to calculate that reliably. Please ask again.")


# ---- the calculator's value


def _quotes_calculator(e: Evidence) -> Violation | None:
    """Require that an answer does not give another number, or another time, than the last calculation."""
    result, others = last_result(e), [value for each in _list_results(e) for value in each.values]
    if result is None or result.is_stated(e.draft, e.today) or is_about(e.draft, _quantities(e.draft, e), others):
        return None
    untraced = [quantity.text for quantity in _untraced(e)]
    untraced += _list_untraced_times(e) if result.minutes else []
    if not untraced or (is_composed(e.draft) and len(untraced) > 1):  # a text with numbers of its own
        return None
    shown = (
        result.shown
        if result.minutes
        else find_nearest(_quantities(untraced[0], e)[:1], _list_results(e)) or result.shown
    )
    return _violation(f'The calculator returned {shown}, but it gives "{untraced[0]}".')


def _list_untraced_times(e: Evidence) -> list[str]:
    texts = [e.question, *(f"{call.args} {call.text}" for call in e.calls), *e.lines.values(), *e.earlier]
    known = {minute for text in texts for moment in find_written(text) for minute in moment.minutes}
    return [e.draft[each.start : each.end].strip() for each in find_written(e.draft) if not each.minutes & known]


# ---- numbers that were worked out without it


def _find_worked_out(e: Evidence) -> str | None:
    calculates = _asks_calculation(e)
    if not (calculates or _DIGIT.search(e.draft)):  # most drafts: what they could come from need not be looked for
        return None
    asked, amounts = _quantities(e.question, e), _amounts(e)
    # where a calculation answered, other numbers are general knowledge unless numbers make them
    relates = "calculator" not in e.tools and (calculates or _relates(e))
    # what a number may have come from is only looked for where it matters: that takes the longest
    if not (relates or amounts or _count_said(asked, e) > 1):
        return None
    untraced = _untraced(e) or (_find_in_words(e) if calculates else [])
    if results := _list_results(e):
        shown = [*asked, *(quantity for call in e.calls for quantity in _quantities(call.text, e))][:MOST_KNOWN]
        untraced = [quantity for quantity in untraced if not is_difference(quantity, results, shown)]
    given = _find_total(untraced, asked, amounts, e)
    if given is None and len(untraced) <= MOST_GIVEN and not is_composed(e.draft) and not e.receipts:
        given = next((q for q in untraced if relates or _is_computed(q, asked, untraced, amounts, e)), None)
    return given.text if given else None


def _count_said(asked: Sequence[Quantity], e: Evidence) -> int:
    """Return how many numbers there are in a message, and with them in what was said before it."""
    return len(asked) + (len(_quantities(e.earlier[-1], e)) if e.earlier and asked else 0)


def _is_computed(
    quantity: Quantity, asked: Sequence[Quantity], untraced: Sequence[Quantity], amounts: Sequence[float], e: Evidence
) -> bool:
    if "calculator" in e.tools and quantity.unit == "%":
        return False
    # a sum of money, or a large number beside the items' own, is an amount of stored items
    is_money = quantity.unit not in ("", "%")
    is_amount = bool(amounts) and (is_money or (len(amounts) > 1 and min(quantity.values) >= 100))
    return is_amount or _is_made(quantity, asked, untraced, e)


def _find_total(
    untraced: Sequence[Quantity], asked: Sequence[Quantity], amounts: Sequence[float], e: Evidence
) -> Quantity | None:
    """Return the first number that is what all of the message make, or stands in a line that calls it a sum."""
    if len(asked) + len(amounts) < 2:
        return None
    sums = [line for line in e.draft.split("\n") if _SUM.search(line)]
    totals = (q for line in sums for q in untraced if q.text in line and not is_derived(q, _quantities(line, e)))
    priced = {count.text for _, count in _list_priced(_quantities(e.draft, e), e)}
    balances = (q for q in untraced if q.text not in priced and _is_balance(q, asked))
    return next(balances, None) or next(totals, None)


def _list_priced(stated: Sequence[Quantity], e: Evidence) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield the sums of money that are another number at a rate of Global Context, each with that number."""
    rates = (rate for line in e.lines.values() for rate in _quantities(line, e))
    money = [*islice((v for rate in rates if rate.unit not in ("", "%") for v in rate.values), MOST_ASKED)]
    for one, other in permutations(stated, 2) if money and len(stated) <= MOST_NUMBERS else ():
        if one.unit not in ("", "%") and is_traced(one, [value * each for value in other.values for each in money]):
            yield one, other


def _is_made(quantity: Quantity, asked: Sequence[Quantity], untraced: Sequence[Quantity], e: Evidence) -> bool:
    """Whether a number is made of two of the message, or one of these and one of the last messages or of the draft."""
    if len(asked) > MOST_ASKED:
        return False
    last = [*_list_results(e), *(q for said in e.earlier[-2:] for q in _quantities(said, e))][:MOST_NUMBERS]
    own = [q for q in untraced if q is not quantity and max(q.values) >= 10] if asks(e.question) else []
    return _is_combined(quantity, [*combinations(asked, 2), *product(asked, [*last, *own])])


def _list_results(e: Evidence) -> list[Quantity]:
    return [q for call in e.calls if call.tool == "calculator" and call.ok for q in _quantities(call.text, e)]


def _is_balance(quantity: Quantity, asked: Sequence[Quantity]) -> bool:
    """Whether a number is what all numbers of the message make, added up or taken away."""
    if not 2 < len(asked) <= MOST_SUMMED or max(quantity.values) < 10 or quantity.unit == "%":
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


def _amounts(e: Evidence) -> list[float]:
    """Return the numbers that the items found in this turn have as properties, and the sums of money they name."""
    items = [*e.found()]
    values = (value for item in items for value in item.get("properties", {}).values())
    known = [float(str(value)) for value in values if is_number(value)]
    written = (q for item in items for q in _quantities(str(item.get("content", "")), e))
    return known + [max(q.values) for q in written if q.unit not in ("", "%")]


def _untraced(e: Evidence) -> list[Quantity]:
    """Return the numbers that a draft states and has from nowhere."""
    stated = "\n".join(line for line in split_lines(blank_quotes(e.draft)) if not (asks(line) or _declines(line)))
    found = _quantities(blank_ranges(stated), e)
    if not found or len(found) > MOST_NUMBERS:
        return []
    shown = find_true_results(stated) | {priced.text for priced, _ in _list_priced(found, e)}
    found = [quantity for quantity in found if quantity.text not in shown]
    # what was said long ago is looked through only for what this turn does not explain
    for texts in ((e.question,), [*map(_tell, e.calls)], (*e.lines.values(), *e.earlier)):
        if found:
            known = {value for text in texts for quantity in _quantities(text, e) for value in quantity.values}
            if len(known) > MOST_KNOWN:
                return []
            found = [quantity for quantity in found if not is_traced(quantity, known)]
    return found


def _tell(call: Call) -> str:
    """Return what a call was asked and answered; of a calculation its steps, too."""
    steps = list_steps(str(call.args.get("expression", ""))) if call.tool == "calculator" and call.ok else []
    return " | ".join([f"{call.args} {call.text}", *map(str, steps)])


def _find_in_words(e: Evidence) -> list[Quantity]:
    """Return the numbers that a draft states in words; "one" is hardly ever one."""
    texts = write_numbers(e.draft, ["en"])
    return [q for text in texts for q in _untraced(replace(e, draft=text)) if min(q.values) > 1]


def _declines(line: str) -> bool:
    return says_no(line) and not re.search(r"[=$€£]", line)


# ---- counts


def _find_miscount(e: Evidence) -> str | None:
    """Return the number a draft gives as the answer to "how many", if neither results nor their lists hold so many."""
    asked = [language for language, pattern in _HOW_MANY.items() if pattern.search(e.question)]
    totals = [result["total"] for call in e.calls if "total" in (result := call.read())] if asked else []
    if not totals:
        return None
    entries = (value for item in e.found() for value in item.get("properties", {}).values())
    most = max(sum(totals), *(len(each) for each in entries if isinstance(each, list)), 0)
    for draft in write_numbers(e.draft, asked):
        first = _untraced(replace(e, draft=draft))[:1]
        if found := next((q.text for q in first if not q.unit and min(q.values) > most), None):
            return found
    return None


# ---- what they are found in


def _quantities(text: str, e: Evidence) -> Sequence[Quantity]:
    return find_quantities(text, e.today)
