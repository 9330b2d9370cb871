"""Days named by how far they are from today: tomorrow, next Friday, in two weeks, the end of the month."""

import re
from datetime import date, timedelta
from typing import Any

from dateutil.relativedelta import relativedelta

from ana.time.when.words import CLOCK, NUMBER, SHORT, STOP, UNIT, WEEKDAY, Days, Rule, number, weekday_number

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


def _turn(match: re.Match[str]) -> int:
    return _TURNS[(match["which"] or "").lower()]


def _word(match: re.Match[str], today: date) -> date:
    return today + timedelta(days=_WORDS[" ".join(match["word"].lower().split())])


def _monday(today: date, weeks: int) -> date:
    return today + timedelta(days=7 * weeks - today.weekday())


def _weekday(match: re.Match[str], today: date) -> date:
    wanted = weekday_number(match["day"])
    which = (match.groupdict().get("which") or "coming").lower().split()[-1]
    if which in ("this", "next"):
        return _monday(today, _TURNS[which]) + timedelta(days=wanted)
    if which in ("last", "past"):
        return today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1)
    return today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1)


def _weekday_of_week(match: re.Match[str], today: date) -> date:
    return _monday(today, _turn(match)) + timedelta(days=weekday_number(match["day"]))


def _period(match: re.Match[str], today: date, turn: int | None = None) -> Days:
    """The whole week, weekend, month or year, so many from the present one."""
    unit, turn = match["unit"].lower(), _turn(match) if turn is None else turn
    if unit in ("week", "weekend"):
        monday = _monday(today, turn)
        return monday + timedelta(days=5 if unit == "weekend" else 0), monday + timedelta(days=6)
    if unit == "month":
        first = today.replace(day=1) + relativedelta(months=turn)
        return first, first + relativedelta(day=31)
    return date(today.year + turn, 1, 1), date(today.year + turn, 12, 31)


def _edge(match: re.Match[str], today: date) -> date:
    return _period(match, today)[match["edge"].lower() in ("end", "last day")]


def _distance(match: re.Match[str]) -> relativedelta:
    amount: dict[str, Any] = {f"{match['unit'].lower()}s": number(match.groupdict().get("n") or "one")}
    return relativedelta(**amount)


def _ahead(match: re.Match[str], today: date) -> date:
    return today + _distance(match)


def _from_today(match: re.Match[str], today: date) -> Days:
    return today, today + _distance(match)


def _up_to_today(match: re.Match[str], today: date) -> Days:
    return today - _distance(match), today


def _weeks_on(match: re.Match[str], today: date) -> date:
    day = today + timedelta(days=1) if match["day"].lower() == "tomorrow" else _weekday(match, today)
    return day + timedelta(weeks=number(match.groupdict().get("n") or "one"))


RELATIVE = (
    Rule(rf"\b(?P<word>{_WORD})\b", _word),
    Rule(rf"{_OWN_DAY}\b(?:{_WHICH}\s+)?{_OWN_DAY}(?P<day>{WEEKDAY})", _weekday),
    Rule(rf"\b{_WHICH}\s+(?P<day>{SHORT}|(?<!last )(?<!past )(?:sat\b|sun\b{STOP}))", _weekday),
    Rule(rf"\b(?:on|by|due|until|before)\s+(?P<at>(?P<day>{SHORT}))", _weekday),
    Rule(rf"\b(?:on|by|due)\s+(?P<at>(?P<day>sat\b|sun\b{STOP}))", _weekday),
    Rule(rf"(?<![\w-])(?P<at>(?P<day>{SHORT}))[.?!\s]*$", _weekday),
    Rule(rf"^\s*(?P<at>(?P<day>{SHORT}))\s+(?=\d|at\b|noon\b|morning\b|afternoon\b|evening\b)", _weekday),
    Rule(rf"(?<![\w-])(?P<at>(?P<day>{SHORT}|(?:sat|sun)\b))\s+(?=(?:at\s+)?{CLOCK}|{_PART_OF_DAY})", _weekday),
    Rule(rf"\b(?:{CLOCK}|\d{{1,2}}\.[0-5]\d)\s+(?P<at>(?P<day>{SHORT}|(?:sat|sun)\b))", _weekday),
    Rule(rf"\b(?P<day>{WEEKDAY}|{SHORT}),?\s+(?:of\s+|in\s+)?(?P<which>this|next|last)\s+week\b", _weekday_of_week),
    Rule(rf"\b(?P<which>this|next|last)\s+week,?\s+(?:on\s+)?(?P<day>{WEEKDAY}|{SHORT})", _weekday_of_week),
    Rule(rf"\b(?P<which>this|next|last)\s+{_PERIOD}(?!\s+of\b)", _period),
    Rule(r"\b(?:at|over|on|for|by)\s+(?P<at>(?P<which>the)\s+(?P<unit>weekend))\b", _period),
    Rule(rf"\b(?:the\s+)?{_EDGE}\s+(?:(?P<which>the|this|next|last)\s+)?(?P<unit>week|month|year)\b", _edge),
    Rule(rf"\b(?:for|and|or)\s+(?P<at>(?P<day>(?:sat|sun)\b{STOP}))", _weekday),
    Rule(r"\b(?P<unit>month)[- ]end\b", lambda match, today: _period(match, today, 0)[1]),
    Rule(
        r"\b(?:the\s+)?rest\s+of\s+(?:the|this)\s+(?P<unit>week|month|year)\b",
        lambda match, today: (today, _period(match, today, 0)[1]),
    ),
    Rule(r"\b(?:the\s+)?(?P<unit>week|weekend|month)\s+after\s+next\b", lambda match, today: _period(match, today, 2)),
    Rule(r"\b(?:the\s+)?coming\s+(?P<which>)(?P<unit>weekend)\b", _period),
    Rule(rf"\b(?P<n>{NUMBER})\s+weeks?\s+(?:from|on)\s+(?P<day>{WEEKDAY}|tomorrow\b)", _weeks_on),
    Rule(rf"\b(?P<day>{WEEKDAY}|tomorrow)\s+week\b(?:{STOP}|(?=\s+\d))", _weeks_on),
    Rule(rf"\bin\s+(?P<n>{NUMBER})\s+{UNIT}", _ahead),
    Rule(rf"\b(?P<n>{NUMBER})\s+{UNIT}\s+from\s+(?:now|today)\b", _ahead),
    Rule(
        r"\b(?:in\s+a\s+fortnight|a\s+fortnight\s+from\s+(?:now|today))\b",
        lambda _, today: today + timedelta(weeks=2),
    ),
    Rule(rf"\b(?P<n>{NUMBER})\s+{UNIT}\s+ago\b", lambda match, today: today - _distance(match)),
    Rule(rf"\b{_DURING}\s+the\s+(?:next|coming)\s+(?:(?P<n>{NUMBER})\s+)?{UNIT}", _from_today),
    Rule(rf"\b(?:within|(?:the\s+)?(?:next|coming))\s+(?P<n>{NUMBER})\s+{UNIT}", _from_today),
    Rule(rf"\b{_DURING}\s+the\s+(?:last|past)\s+{UNIT}(?!\s+of\b)", _up_to_today),
    Rule(rf"\b(?:{_DURING}\s+)?(?:the\s+)?(?:last|past)\s+(?P<n>{NUMBER})\s+{UNIT}", _up_to_today),
)
