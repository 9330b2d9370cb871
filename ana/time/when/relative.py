"""Days named by how far they are from today: tomorrow, next Friday, in two weeks, the end of the month."""

import re
from datetime import date, timedelta
from typing import Any

from dateutil.relativedelta import relativedelta

from ana.time.when.words import CLOCK, NUMBER, SHORT, STOP, UNIT, WEEKDAY, Days, number, rule, shift_day, weekday_number

_WORDS = {
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "tomorrow": 1,
    **dict.fromkeys(("tomorow", "tommorow", "tommorrow", "tmr", "tmrw", "tmw", "2moro"), 1),
    "day after tomorrow": 2,
    "yesterday": -1,
    "last night": -1,
    "day before yesterday": -2,
}
_TURNS = {"last": -1, "this": 0, "the": 0, "": 0, "next": 1}
_WHICH = r"(?P<which>this\s+coming|this\s+past|coming|past|this|next|last)"
_WORD = "|".join(_WORDS).replace(" ", r"\s+")
_NAMES = ("every", "each", "black", "good", "ash", "easter", "palm", "cyber", "super", "shrove")
_OWN_DAY = "".join(rf"(?<!\b{name} )" for name in _NAMES)
_PERIOD = r"(?P<unit>week|month|year|weekend)\b"
_EDGE = r"(?P<edge>end|last\s+day|beginning|start|first\s+day|first)\s+of"
_PART_OF_DAY = r"(?:noon|midday|midnight|lunchtime|morning|afternoon|evening|night)\b"
_DURING = r"(?:within|in|over|during|for)"


def _one(day: date) -> Days:
    return day, day


def _word(match: re.Match[str], today: date) -> Days:
    return _one(today + timedelta(days=_WORDS[" ".join(match["word"].lower().split())]))


def _monday(today: date, weeks: int) -> date:
    return today + timedelta(days=7 * weeks - today.weekday())


def _weekday(match: re.Match[str], today: date) -> Days:
    wanted = weekday_number(match["day"])
    which = (match.groupdict().get("which") or "coming").lower().split()[-1]
    if which in ("this", "next"):
        return _one(_monday(today, _TURNS[which]) + timedelta(days=wanted))
    if which in ("last", "past"):
        return _one(today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1))
    return _one(today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1))


def _weekday_of_week(match: re.Match[str], today: date) -> Days:
    return _one(_monday(today, _TURNS[match["which"].lower()]) + timedelta(days=weekday_number(match["day"])))


def _span(unit: str, turn: int, today: date) -> Days:
    """The whole week, weekend, month or year, so many from the present one."""
    if unit in ("week", "weekend"):
        monday = _monday(today, turn)
        return monday + timedelta(days=5 if unit == "weekend" else 0), monday + timedelta(days=6)
    if unit == "month":
        first = today.replace(day=1) + relativedelta(months=turn)
        return first, first + relativedelta(day=31)
    year = today.year + turn
    return date(year, 1, 1), date(year, 12, 31)


def _period(match: re.Match[str], today: date) -> Days:
    return _span(match["unit"].lower(), _TURNS[match["which"].lower()], today)


def _edge(match: re.Match[str], today: date) -> Days:
    first, last = _span(match["unit"].lower(), _TURNS[(match["which"] or "").lower()], today)
    return _one(last if match["edge"].lower() in ("end", "last day") else first)


def _rest(match: re.Match[str], today: date) -> Days:
    return today, _span(match["unit"].lower(), 0, today)[1]


def _after_next(match: re.Match[str], today: date) -> Days:
    return _span(match["unit"].lower(), 2, today)


def _month_end(_match: re.Match[str], today: date) -> Days:
    return _one(_span("month", 0, today)[1])


def _distance(match: re.Match[str]) -> relativedelta:
    amount: dict[str, Any] = {f"{match['unit'].lower()}s": number(match.groupdict().get("n") or "one")}
    return relativedelta(**amount)


def _ahead(match: re.Match[str], today: date) -> Days:
    return _one(today + _distance(match))


def _fortnight(_match: re.Match[str], today: date) -> Days:
    return _one(shift_day(today, timedelta(weeks=2)))


def _ago(match: re.Match[str], today: date) -> Days:
    return _one(today - _distance(match))


def _from_today(match: re.Match[str], today: date) -> Days:
    return today, today + _distance(match)


def _up_to_today(match: re.Match[str], today: date) -> Days:
    return today - _distance(match), today


def _weeks_on(match: re.Match[str], today: date) -> Days:
    named = match["day"].lower()
    day = today + timedelta(days=1) if named == "tomorrow" else _weekday(match, today)[0]
    return _one(day + timedelta(weeks=number(match.groupdict().get("n") or "one")))


RELATIVE = (
    rule(rf"\b(?P<word>{_WORD})\b", _word),
    rule(rf"{_OWN_DAY}\b(?:{_WHICH}\s+)?{_OWN_DAY}(?P<day>{WEEKDAY})", _weekday),
    rule(rf"\b{_WHICH}\s+(?P<day>{SHORT}|(?<!last )(?<!past )(?:sat\b|sun\b{STOP}))", _weekday),
    rule(rf"\b(?:on|by|due|until|before)\s+(?P<at>(?P<day>{SHORT}))", _weekday),
    rule(rf"\b(?:on|by|due)\s+(?P<at>(?P<day>sat\b|sun\b{STOP}))", _weekday),
    rule(rf"(?<![\w-])(?P<at>(?P<day>{SHORT}))[.?!\s]*$", _weekday),
    rule(rf"^\s*(?P<at>(?P<day>{SHORT}))\s+(?=\d|at\b|noon\b|morning\b|afternoon\b|evening\b)", _weekday),
    rule(rf"(?<![\w-])(?P<at>(?P<day>{SHORT}|(?:sat|sun)\b))\s+(?=(?:at\s+)?{CLOCK}|{_PART_OF_DAY})", _weekday),
    rule(rf"\b(?:{CLOCK}|\d{{1,2}}\.[0-5]\d)\s+(?P<at>(?P<day>{SHORT}|(?:sat|sun)\b))", _weekday),
    rule(rf"\b(?P<day>{WEEKDAY}|{SHORT}),?\s+(?:of\s+|in\s+)?(?P<which>this|next|last)\s+week\b", _weekday_of_week),
    rule(rf"\b(?P<which>this|next|last)\s+week,?\s+(?:on\s+)?(?P<day>{WEEKDAY}|{SHORT})", _weekday_of_week),
    rule(rf"\b(?P<which>this|next|last)\s+{_PERIOD}(?!\s+of\b)", _period),
    rule(r"\b(?:at|over|on|for|by)\s+(?P<at>(?P<which>the)\s+(?P<unit>weekend))\b", _period),
    rule(rf"\b(?:the\s+)?{_EDGE}\s+(?:(?P<which>the|this|next|last)\s+)?(?P<unit>week|month|year)\b", _edge),
    rule(rf"\b(?:for|and|or)\s+(?P<at>(?P<day>(?:sat|sun)\b{STOP}))", _weekday),
    rule(r"\bmonth[- ]end\b", _month_end),
    rule(r"\b(?:the\s+)?rest\s+of\s+(?:the|this)\s+(?P<unit>week|month|year)\b", _rest),
    rule(r"\b(?:the\s+)?(?P<unit>week|weekend|month)\s+after\s+next\b", _after_next),
    rule(r"\b(?:the\s+)?coming\s+(?P<which>)(?P<unit>weekend)\b", _period),
    rule(rf"\b(?P<n>{NUMBER})\s+weeks?\s+(?:from|on)\s+(?P<day>{WEEKDAY}|tomorrow\b)", _weeks_on),
    rule(rf"\b(?P<day>{WEEKDAY}|tomorrow)\s+week\b(?:{STOP}|(?=\s+\d))", _weeks_on),
    rule(rf"\bin\s+(?P<n>{NUMBER})\s+{UNIT}", _ahead),
    rule(rf"\b(?P<n>{NUMBER})\s+{UNIT}\s+from\s+(?:now|today)\b", _ahead),
    rule(r"\b(?:in\s+a\s+fortnight|a\s+fortnight\s+from\s+(?:now|today))\b", _fortnight),
    rule(rf"\b(?P<n>{NUMBER})\s+{UNIT}\s+ago\b", _ago),
    rule(rf"\b{_DURING}\s+the\s+(?:next|coming)\s+(?:(?P<n>{NUMBER})\s+)?{UNIT}", _from_today),
    rule(rf"\b(?:within|(?:the\s+)?(?:next|coming))\s+(?P<n>{NUMBER})\s+{UNIT}", _from_today),
    rule(rf"\b{_DURING}\s+the\s+(?:last|past)\s+{UNIT}(?!\s+of\b)", _up_to_today),
    rule(rf"\b(?:{_DURING}\s+)?(?:the\s+)?(?:last|past)\s+(?P<n>{NUMBER})\s+{UNIT}", _up_to_today),
)
